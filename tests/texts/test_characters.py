"""Characters that nobody sees decide nothing; those that look like others are told, counted and folded."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from docs.character_table import PAGE, TYPED, Typed, folded

from idiograph import Text, mask, read
from idiograph.texts.characters import KINDS, cleaning, count_kinds, folding
from idiograph.texts.edits import apply, spans_before
from idiograph.texts.reading.report import raw_content


def words_of(content: str) -> list[str]:
    """The characters of every token, as its span has them in the content."""
    masked = mask(Text("a", content), cache=False)
    return [content[start:end] for start, end in masked.spans]


@pytest.mark.tagger
@pytest.mark.parametrize("typed", TYPED, ids=lambda typed: typed.name)
def test_a_page_with_and_without_each_kind_of_character(typed: Typed) -> None:
    plain, other = mask([PAGE, typed.page]).masked_texts
    assert typed.page != PAGE or "divided" in typed.name  # reading has joined what was divided
    assert (other.sentences == plain.sentences) == typed.same
    if typed.kind is not None:
        assert count_kinds(typed.page)[typed.kind] - count_kinds(PAGE)[typed.kind] >= 3
        assert mask(folded(typed.page)).sentences == plain.sentences
        assert apply(typed.page, folding(typed.page, [typed.kind])) == folded(typed.page)
    elif not typed.same:
        separator = next(character for character in typed.page if character not in PAGE)
        assert other.sentences == mask(typed.page.replace(separator, "\n")).sentences


def test_every_kind_has_a_page() -> None:
    assert {typed.kind for typed in TYPED} | {"divided words"} == {None, *KINDS}


@pytest.mark.tagger
def test_spans_lead_to_the_original_characters() -> None:
    content = "\ufeffI\u200e fo\u00adund\u202c it. \u200bIt\u2028was\U000e0067 so\u200b."
    assert words_of(content) == ["I", "fo\u00adund", "it", ".", "It", "was", "so", "."]
    assert mask(content).metadata["left_out_by_masking"] == {
        "U+FEFF": 1, "U+200E": 1, "U+00AD": 1, "U+202C": 1, "U+200B": 2, "U+2028": 1, "U+E0067": 1
    }  # fmt: skip
    assert "left_out_by_masking" not in mask("I found it.").metadata


@pytest.mark.tagger
def test_before_0_4_they_stayed_and_what_was_masked_then_can_be_masked_again() -> None:
    content = "It was a fi\u00adne day\u200e, he said.\u2028And so it was."
    assert mask(content).n_sentences == 2
    assert mask(content, clean=False).sentences != mask(content).sentences
    assert mask(content).sentences == mask("It was a fine day, he said. And so it was.").sentences
    assert mask(content).masking == mask(content, clean=False).masking == mask("It was so.").masking


@pytest.mark.parametrize(
    ("content", "left"),
    [
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("می\u200c\u200cخواهم", "می\u200cخواهم"),
        ("خانه\u200c", "خانه"),
        ("\u200cخانه", "خانه"),
        ("क्\u200dष न्\u200d", "क्\u200dष न्\u200d"),
        ("ᠮᠣ\u180bᠩ a\u180bb", "ᠮᠣ\u180bᠩ ab"),
        ("한\u3164 a\u3164b", "한\u3164 ab"),
        ("a\u200cb\u200dc", "abc"),
        ("👨\u200d👩\u200d👧\u200d !", "👨\u200d👩\u200d👧 !"),
        ("❤\ufe0f ☺\ufe0e\ufe0f a\ufe0f", "❤\ufe0f ☺\ufe0e a"),
        ("1\ufe0f\u20e3 1\ufe0f", "1\ufe0f\u20e3 1"),
        ("👍🏽\u200d", "👍🏽"),
        (scotland := "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", scotland),
        ("🏴\U000e0067\U000e0062", "🏴"),
        ("one\n\x0ctwo\x0cthree", "one\ntwo three"),
        ("one\x0btwo\u2028three\x1ffour", "one two three four"),
        ("one\u2800two \ufff9three\ufffb", "one two three"),
        ("one\x85two\u2029three\x1cfour", "one\ntwo\nthree\nfour"),
        ("\tone\r\ntwo\n", "\tone\r\ntwo\n"),
        ("itâ\x80\x99s Ã\xad", "itâ\x80\x99s Ã\xad"),  # mis-decoded: to be seen and put right, not taken apart
        ("it\x92s", "its"),
    ],
)
def test_what_stays_and_what_goes(content: str, left: str) -> None:
    assert apply(content, cleaning(content)) == left


odd = st.text(
    st.one_of(
        st.sampled_from(
            "ab 1.-\n👨❤🏴می\u200b\u200c\u200d\ufe0f\u00ad\x0c\u2028\x85\U000e0067\U000e007fâ\x80\x99—…&#39;"
        ),
        st.characters(codec="utf-8"),
    ),
    max_size=40,
)


@given(odd)
def test_cleaning_twice_is_cleaning_once_and_every_character_is_found_again(content: str) -> None:
    edits = cleaning(content)
    clean = apply(content, edits)
    assert cleaning(clean) == () or "\u200d" in content or "\ufe0f" in content  # what stood between may join others
    spans = spans_before(edits, np.array([[n, n + 1] for n in range(len(clean))], np.int64).reshape(-1, 2))
    for character, (start, end) in zip(clean, spans.tolist(), strict=True):
        assert content[start:end] == character or character in " \n"


@given(odd)
def test_folding_edits_do_not_overlap_and_say_what_stood_there(content: str) -> None:
    end = 0
    for start, removed, inserted in folding(content, KINDS):
        assert start >= end
        assert content[start : start + len(removed)] == removed != inserted
        end = start + len(removed)


@pytest.mark.parametrize(
    "content",
    [
        "Все счастливые семьи похожи, а iPhone о Samsung",
        "η αρχή και το τέλος",
        "The word мир means peace",
        "on МИР here",
    ],
)
def test_words_of_other_scripts_are_no_homoglyphs(content: str) -> None:
    assert "homoglyphs" not in count_kinds(content)


@pytest.mark.parametrize(
    ("content", "after"),
    [
        ("an infor-\nmation desk", "an information desk"),
        ("a well-known and a well-\nknown man", "a well-known and a well-known man"),
        ("the Anglo-\nSaxon", "the Anglo-\nSaxon"),
        ("two- or threefold, the infor- mation and information", "two- or threefold, the information and information"),
        ("from 1990–95 to −5 – or so", "from 1990-95 to -5 -- or so"),
        ("a 5′ rope and 6″", "a 5′ rope and 6″"),
        ("AT&T; R&B &nosuch; &amp;", "AT&T; R&B &nosuch; &"),
        ("全角，は　そのまま", "全角，は そのまま"),
    ],
)
def test_folding_by_hand(content: str, after: str) -> None:
    assert apply(content, folding(content, KINDS)) == after


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl"])
def test_reading_leaves_out_what_nobody_sees_and_keeps_the_way_back(tmp_path: Path, name: str) -> None:
    written = "I did\u00adn\u200et see it\u202c."
    head = {"a.txt": "", "a.csv": "text\n", "a.jsonl": ""}[name]
    content = f'{{"text": "{written}"}}' if name == "a.jsonl" else written
    (tmp_path / name).write_text(head + content, encoding="utf-8")
    corpus = read(tmp_path / name)
    assert corpus.texts[0].content == "I didnt see it."
    assert raw_content(corpus.texts[0]) == written
    assert "characters without a visible form removed in 1" in " ".join(corpus.report.lines())


def test_text_that_is_masked_already_keeps_its_tokens(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the N\u200e V\n", encoding="utf-8")
    assert read(tmp_path, kind="masked").texts[0].sentences == (("the", "N\u200e", "V"),)
