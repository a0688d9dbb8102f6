"""Masking is the reference's, token by token, and every token knows where it came from."""

import json
import multiprocessing
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from fake_tagger import FakeTagger
from idiograph import Corpus, InputError, MaskedText, MaskingError, Text, mask
from idiograph.texts.masking import rules as masking_rules
from idiograph.texts.masking.mask import masking_settings
from idiograph.texts.masking.rules import METHODS, MaskedContent, mask_contents
from idiograph.texts.masking.stream import mask_stream
from idiograph.texts.masking.word_list import list_from_file, published_list
from idiograph.texts.placeholders import PLACEHOLDERS
from naive_masking import naive

FRAGMENTS = [
    "The committee hasn't decided; it'll meet on 3 May at 10.30.",
    "don’t you think she’s “right”?",
    "I'd've gone, but they couldn't've known…",
    "see www.example.org/a?b=c&d or https://x.co.",
    "mail: jane.doe@example.co.uk, NOW!!!",
    "LOL that was SO funny 😂😂 👍🏽",
    "$5,000 + 10% = 5.5k €",
    "\tIndented\twith tabs",
    "  two  blanks   and\xa0no-break\u202fspaces ",
    "",
    "   ",
    "e.g. Dr. Smith (i.e. the one from St. Louis) said: 'No.'",
    "cannot gonna wanna dont ive theres",
    "Nothing-to-see-here -- really/truly",
    "<url> userid <email>",
    "naïve café Ärger 日本語 ελληνικά",
    "1st 2nd 1990s '90s",
    ":-) :( ;-P <3",
    'He asked, "Why?" She didn\'t answer. Then silence',
    "a\u200bb\ufeffc",
    "ALL CAPS SHOUTING ABOUT THE WEATHER",
    "#hashtag @somebody RT",
    "```code(x)``` *bold* _it_",
]
BREAKS = ["\n", " ", "\n\n", "\r\n", " \n ", "\u2028", "\x0c"]


def varied_texts() -> list[str]:
    chance = random.Random(7)
    return [
        "".join(chance.choice(FRAGMENTS) + chance.choice(BREAKS) for _ in range(chance.randint(1, 8)))
        for _ in range(60)
    ]


@pytest.mark.tagger
@pytest.mark.parametrize("method", ["posnoise", "textdistortion"])
def test_the_references_documented_example(shared: Path, method: str) -> None:
    golden = json.loads((shared / "golden" / "masking.json").read_text(encoding="utf-8"))
    masked = mask(Text("example", golden["text"]), method=method)
    assert [token for sentence in masked.sentences for token in sentence] == golden[method].split()
    # Its line breaks are tokens there and sentence ends here.
    lines = [tuple(line.split()) for line in golden[method].split("\n")]
    assert masked.sentences == (lines[0][:7], lines[0][7:], *lines[1:])


@pytest.mark.tagger
def test_the_references_documented_example_in_frames(shared: Path) -> None:
    golden = json.loads((shared / "golden" / "masking.json").read_text(encoding="utf-8"))
    masked = mask(Text("example", golden["text"]), method="frames")
    joined = " ".join(token for sentence in masked.sentences for token in sentence)
    assert joined.startswith(" ".join(golden["frames_beginning"].split()))


@pytest.mark.tagger
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("normalise_quotes", [True, False])
def test_every_token_is_as_the_rules_say(method: str, normalise_quotes: bool) -> None:
    texts = Corpus(tuple(Text(str(n), content) for n, content in enumerate(varied_texts()) if content.strip()))
    masked = mask(texts, method=method, normalise_quotes=normalise_quotes, cache=False)
    for text, result in zip(texts, masked, strict=True):
        expected = naive(text.content, method, normalise_quotes=normalise_quotes)
        assert [list(sentence) for sentence in result.sentences] == expected, text.content


@pytest.mark.tagger
def test_a_tokens_span_is_its_word() -> None:
    for content in varied_texts():
        for keep in (True, False):
            how = masking_settings(method="none", normalise_quotes=keep)
            (masked,) = mask_stream([Text("a", content)], how, cache=False)
            words = [token for sentence in masked.sentences for token in sentence]
            found = [content[a:b].lower() for a, b in masked.spans]
            table = str.maketrans("‘’“”", "''\"\"") if keep else {}
            assert [word.translate(table) for word in found] == words
            assert np.all(np.diff(masked.spans.ravel()) >= 0)


@pytest.mark.tagger
@pytest.mark.parametrize("placeholder", PLACEHOLDERS)
@pytest.mark.parametrize("method", METHODS)
def test_a_placeholder_stays_one_token_whatever_touches_it(placeholder: str, method: str) -> None:
    content = f"me,{placeholder},you see ({placeholder}). {placeholder}/a {placeholder} {placeholder}"
    content += f" hello.{placeholder}'s" + (
        f" x{placeholder}y {placeholder}{placeholder}" if "<" in placeholder else ""
    )
    masked = mask(Text("a", content), method=method)
    tokens = [token for sentence in masked.sentences for token in sentence]
    places = [content[a:b] for token, (a, b) in zip(tokens, masked.spans, strict=True) if token == placeholder]
    assert places == [placeholder] * content.count(placeholder)
    assert "".join(content[a:b] for a, b in masked.spans) == "".join(content.split())


@pytest.mark.tagger
def test_two_workers_give_what_one_gives_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idiograph.texts.masking.stream._PORTION", 300)
    texts = Corpus(tuple(Text(str(n), content + "\nx", f"a{n % 3}") for n, content in enumerate(varied_texts()[:30])))
    one, two = mask(texts, cache=False), mask(texts, cache=False, workers=2)
    assert one == two
    assert all(np.array_equal(a.spans, b.spans) for a, b in zip(one, two, strict=True))


@pytest.mark.tagger
def test_a_killed_worker_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idiograph.texts.masking.stream._PORTION", 10)
    texts = (Text(str(n), f"Number {n} is here.") for n in range(100_000))
    stream = mask_stream(texts, masking_settings(), cache=False, workers=2)
    next(stream)
    multiprocessing.active_children()[0].kill()
    with pytest.raises(MaskingError, match=r"A masking process was ended from outside"):
        for _ in stream:
            pass


def test_how_each_method_masks_by_hand(fake_tagger: FakeTagger) -> None:
    text = Text("a", "The Lamp costs 30 euro , but it glows !")  # PROPN, VERB, NUM, NOUN, PUNCT by their looks
    sentences = {method: mask(text, method=method).sentences for method in METHODS}
    assert sentences["posnoise"] == (("the", "P", "V", "D", "N", ",", "but", "it", "V", "!"),)
    assert sentences["frames"] == (("PROPN", "PROPN", "VERB", "NUM", "NOUN", ",", "NOUN", "NOUN", "VERB", "!"),)
    assert sentences["textdistortion"] == (("the", "*", "*", "*", "*", ",", "but", "it", "*", "!"),)
    assert sentences["none"] == (("the", "lamp", "costs", "30", "euro", ",", "but", "it", "glows", "!"),)


def test_the_signature_says_what_changes_tokens(fake_tagger: FakeTagger, tmp_path: Path) -> None:
    own = tmp_path / "mine.txt"
    own.write_text("lamp\n")
    text = Text("a", "The lamp")
    assert mask(text).masking == "posnoise-2.1+en_core_web_sm-3.8.0+quotes"
    assert mask(text, normalise_quotes=False).masking == "posnoise-2.1+en_core_web_sm-3.8.0"
    assert mask(text, method="frames").masking == "frames+en_core_web_sm-3.8.0+quotes"
    kept = mask(text, word_list=own)
    assert kept.masking.startswith("posnoise-mine@")
    assert kept.sentences == (("P", "lamp"),)


def test_author_id_and_metadata_are_kept(fake_tagger: FakeTagger) -> None:
    masked = mask(Text("t1", "Words here", "ann", {"work": "w"}))
    assert (masked.id, masked.author, masked.metadata) == ("t1", "ann", {"work": "w"})


def test_a_line_break_ends_a_sentence_and_blank_lines_vanish(fake_tagger: FakeTagger) -> None:
    masked = mask(Text("a", "one two\n\n \t\nthree. four\r\nfive\u2028six"), method="none")
    assert masked.sentences == (("one", "two"), ("three", "."), ("four",), ("five",), ("six",))
    assert fake_tagger.lines == ["one two", "three. four", "five", "six"]


def test_already_masked_text_passes_as_it_is(fake_tagger: FakeTagger) -> None:
    ready = MaskedText("m", "ann", (("the", "N"),), "as-found")
    assert mask(ready) is ready
    assert mask(Corpus((ready,))).texts == (ready,)
    mixed = mask(Corpus((Text("t", "a cup"), ready)))  # type: ignore[arg-type]
    assert mixed.texts[1] is ready
    assert mixed.texts[0].sentences == (("a", "N"),)


def test_texts_without_a_token_are_named(fake_tagger: FakeTagger) -> None:
    texts = Corpus((Text("full", "words"), Text("blank", " \n\t"), Text("none", "")))
    with pytest.raises(MaskingError, match=r"No token is left of blank, none: "):
        mask(texts)
    many = Corpus(tuple(Text(str(n), " ") for n in range(7)))
    with pytest.raises(MaskingError, match=r"0, 1, 2, 3, 4 and 2 more"):
        mask(many)


def test_an_empty_corpus_stays_empty(fake_tagger: FakeTagger) -> None:
    assert len(mask(Corpus[Text](()))) == 0


def test_a_line_without_end_is_cut_where_it_may_be(fake_tagger: FakeTagger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masking_rules, "_LONGEST_LINE", 60)
    sentences = "Alpha beta gamma. Delta epsilon zeta eta! " * 20
    masked = mask(Text("a", sentences), method="none", cache=False)
    assert all(len(line) <= 60 for line in fake_tagger.lines)
    assert all(line.rstrip().endswith((".", "!")) for line in fake_tagger.lines)
    assert len(masked.sentences) == 40
    assert [sentences[a:b].lower() for a, b in masked.spans] == [t for s in masked.sentences for t in s]
    fake_tagger.lines.clear()
    mask(Text("b", "word " * 100), cache=False)
    assert all(len(line) <= 60 and line.split() == ["word"] * len(line.split()) for line in fake_tagger.lines)
    fake_tagger.lines.clear()
    mask(Text("c", "x" * 101), cache=False)
    assert "".join(fake_tagger.lines) == "x" * 101


def test_a_line_of_more_than_a_million_characters_is_masked() -> None:
    content = ("a" * 108 + ". ") * 10_000
    how = masking_settings()
    tagged: list[int] = []

    class Counting(FakeTagger):
        def tag(self, lines):  # type: ignore[no-untyped-def]
            tagged.extend(map(len, lines))
            return super().tag(lines)

    (masked,) = mask_contents([content], how, Counting())
    assert len(masked.sentences) == 10_000
    assert max(tagged) <= 20_000


def test_half_a_character_does_not_stop_masking(fake_tagger: FakeTagger) -> None:
    masked = mask(Text("a", "go \ud83d on"), method="none")
    assert masked.sentences == (("go", "\ufffd", "on"),)
    assert masked.spans.tolist() == [[0, 2], [3, 4], [5, 7]]


@pytest.mark.parametrize("sentences", [(), (("a",),), (("a", "b"), ("ü", '"', "\\")), (("😀",),)])
def test_packing_loses_nothing(sentences: tuple[tuple[str, ...], ...]) -> None:
    n = sum(map(len, sentences))
    masked = MaskedContent(sentences, np.arange(2 * n, dtype=np.int32).reshape(n, 2) * 3)
    again = MaskedContent.unpack(masked.pack())
    assert again.sentences == masked.sentences
    assert np.array_equal(again.spans, masked.spans)
    assert again.spans.dtype == np.int32


def test_unusable_settings_are_refused_in_words(fake_tagger: FakeTagger, tmp_path: Path) -> None:
    text = Text("a", "word")
    with pytest.raises(InputError, match=r"method must be one of posnoise, frames, textdistortion, none"):
        mask(text, method="rot13")
    with pytest.raises(MaskingError, match=r"The method frames uses no word list"):
        mask(text, method="frames", word_list=tmp_path / "x.txt")
    with pytest.raises(InputError, match=r"number of workers must be a whole number from 1 to 1,000, not 0"):
        mask(text, workers=0)


def test_unusable_word_lists_are_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    with pytest.raises(InputError, match=r"list\.txt could not be read"):
        list_from_file(path, language="en")
    path.write_bytes(b"abc\n\x92\n")
    with pytest.raises(InputError, match=r"not UTF-8 .byte 0x92 at position 4"):
        list_from_file(path, language="en")
    path.write_text("two words\n\n")
    with pytest.raises(InputError, match=r"holds no single word"):
        list_from_file(path, language="en")
    german = tmp_path / "POSNoise_PatternList_De_v3.0.txt"
    german.write_text("und\n")
    with pytest.raises(MaskingError, match=r"for the language de, and the tagger's language is en"):
        list_from_file(german, language="en")
    assert list_from_file(german, language="de").words == {"und"}


def test_the_published_lists_have_the_entries_the_reference_uses() -> None:
    english = published_list("en")
    assert english.name == "2.1"
    assert {"n't", "'ll", "cannot", "theres"} <= english.words
    assert len(english.words) == 733  # 712 single tokens and 21 pieces
    assert not any(" " in word for word in english.words)
    german = published_list("de")
    assert german.name == "3.0"
    assert "n't" not in german.words
    with pytest.raises(MaskingError, match=r"no word list for the tagger's language .fr."):
        published_list("fr")


def test_a_list_of_ones_own_is_lower_cased_and_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("\ufeffLamp\n  and \nin front of\n", encoding="utf-8")
    assert list_from_file(path, language="fr").words == {"lamp", "and"}


def test_a_missing_posnoise_package_is_said_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "posnoise", raising=False)
    with pytest.raises(MaskingError, match=r"Run: pip install posnoise==0.0.4"):
        published_list("en")


@pytest.mark.tagger
@pytest.mark.parametrize("method", METHODS)
def test_the_documentation_shows_what_comes_out(method: str) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "masking.md").read_text(encoding="utf-8")
    example, *_ = page.split("```text\n")[1].split("```")
    shown = page.split(f"\n`{method}`")[1].split("```text\n")[1].split("```")[0]
    masked = mask(Text("example", example), method=method)
    assert "".join(" ".join(sentence) + "\n" for sentence in masked.sentences) == shown
