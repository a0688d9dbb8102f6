"""HanTa's tags in the classes that masking tells apart."""

from pathlib import Path

import pytest

from idiograph import MaskingError, mask
from idiograph.texts.masking.models import find_model
from idiograph.texts.masking.tagger import HantaTags


@pytest.fixture(scope="module")
def german() -> HantaTags:
    return HantaTags(find_model("hanta_de").folder, "de")


def test_german_tags_become_the_classes_of_posnoise(german: HantaTags) -> None:
    words = ["Der", "alte", "Bäcker", "verkaufte", "gestern", "in", "Berlin", "drei", "Brote", "und"]
    words += ["musste", "dann", "%", "gehen"]
    assert german.parts(words) == (
        ["X", "ADJ", "NOUN", "VERB", "ADV", "X", "PROPN", "NUM", "NOUN", "X", "AUX", "ADV", "SYM", "VERB"]
    )  # the article, prepositions and conjunction have no class of their own


def test_dutch_tags_become_the_classes_of_posnoise() -> None:
    dutch = HantaTags(find_model("hanta_nl").folder, "nl")
    words = ["De", "oude", "bakker", "verkocht", "gisteren", "in", "Amsterdam", "drie", "huizen"]
    assert dutch.parts(words) == ["X", "ADJ", "NOUN", "VERB", "ADV", "X", "PROPN", "NUM", "NOUN"]


def test_what_no_tagger_should_be_asked_does_no_harm(german: HantaTags) -> None:
    assert german.parts([]) == []
    assert len(german.parts(["a" * 20_000])) == 1  # in no time: only the end is looked at
    assert german.parts(["😀", "€", "§§"]) == ["SYM"] * 3
    assert len(german.parts(["Привет", "世界", "\ufffd", "x" * 41, "İ"])) == 5


def test_a_sentence_that_the_model_thinks_impossible_is_tagged_word_by_word(
    german: HantaTags, monkeypatch: pytest.MonkeyPatch
) -> None:
    def impossible(*_: object, **__: object) -> list[str]:
        raise KeyError((2, 0))

    monkeypatch.setattr(german._tagger, "tag_sent", impossible)
    assert german.parts(["Brot", "kaufen"]) == ["NOUN", "VERB"]


def test_a_file_that_is_not_a_model_is_said(tmp_path: Path) -> None:
    path = tmp_path / "model.pgz"
    path.write_bytes(b"no")
    with pytest.raises(MaskingError, match=r"HanTa cannot load its model model\.pgz .*Install the package again"):
        HantaTags(path, "de")


@pytest.mark.tagger
def test_a_german_text_by_posnoise() -> None:
    text = mask("Die Klempnerin hat meinen Brief nicht beantwortet!\nSchreib an a@b.de oder <url>.", language="de")
    assert text.sentences == (
        ("die", "N", "hat", "meinen", "N", "nicht", "V", "!"),
        ("V", "an", "N", "oder", "<url>", "."),
    )
    assert text.masking == "posnoise-3.0+hanta_de-1.2.1@d0a23caa+quotes"
