"""The language of a study's corpora: stated, part of what decides the scores, and checked."""

import json
from pathlib import Path

import pytest

import idiograph
from idiograph import Study, StudyError, Text, read_study
from idiograph.studies.corpora import check_texts, find_source, masking_of, open_corpus, other_than_english
from made_languages import foreign
from made_texts import GERMAN, authors

FILE = """
schema = 1
masking = "list"
language = "{language}"
[[corpora]]
name = "made"
path = "made.jsonl"
{corpus}
[[conditions]]
drawing = "contiguous"
lengths = [[60, 100]]
[lambdag]
repetitions = 3
[methods]
resamples = 20
"""


def a_study(folder: Path, *, language: str = "de", corpus: str = "") -> Study:
    texts = [
        {"id": f"{author}{n}", "author": author, "text": foreign("de", author, tokens=150, seed=n)}
        for author in authors(12)
        for n in range(3)
    ]
    (folder / "made.jsonl").write_text("".join(json.dumps(text) + "\n" for text in texts), encoding="utf-8")
    (folder / "study.toml").write_text(FILE.format(language=language, corpus=corpus), encoding="utf-8")
    return read_study(folder / "study.toml")


@pytest.mark.tagger
@pytest.mark.usefixtures("unread_reports")
def test_a_study_in_german_is_masked_by_its_rules(tmp_path: Path) -> None:
    a_study(tmp_path)
    idiograph.study(tmp_path / "study.toml", tmp_path / "out")
    manifest = (tmp_path / "out" / "manifest.json").read_text(encoding="utf-8")
    assert "list-spacy-3.8" in manifest
    assert "+blank_de-3.8" in manifest
    assert json.dumps(json.loads(manifest)).count('"language": "de"') >= 1


@pytest.mark.tagger
def test_a_corpus_has_a_language_and_a_list_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("und\nnicht\n", encoding="utf-8")
    study = a_study(tmp_path, language="fr", corpus='language = "de"\nword_list = "own.txt"')
    corpus = study.corpora[0]
    assert masking_of(study, corpus) == {
        "method": "list",
        "language": "de",
        "model": None,
        "word_list": tmp_path / "own.txt",
        "clean": True,
    }
    source = find_source(study, corpus)
    assert "word list" in {file.role for file in source.inputs}
    opened = open_corpus(study, source)
    assert opened.material.index.masking.startswith("list-own@")
    (tmp_path / "own.txt").write_text("und\n", encoding="utf-8")
    assert find_source(study, corpus).folder != source.folder


def test_only_another_language_than_english_enters_what_decides_scores(tmp_path: Path) -> None:
    english, german = a_study(tmp_path, language="en"), a_study(tmp_path, language="de")
    assert other_than_english(english, english.corpora[0]) == {}
    assert other_than_english(german, german.corpora[0]) == {"language": "de"}
    assert "language" not in english.scored()
    assert set(english.corpora[0].as_json(tmp_path)) & {"language", "model", "word_list"} == set()
    assert english.digest != german.digest
    assert find_source(english, english.corpora[0]).folder != find_source(german, german.corpora[0]).folder


def test_a_corpus_in_another_language_is_refused_and_single_texts_are_named(tmp_path: Path) -> None:
    study = a_study(tmp_path)
    french = [Text(f"f{n}", foreign("fr", "lee", tokens=150, seed=n)) for n in range(3)]
    german = [Text(f"g{n}", GERMAN) for n in range(4)]
    with pytest.raises(
        StudyError, match=r"^3 of the 4 texts of made that can be checked look .*: f0 looks like French"
    ):
        check_texts(study, study.corpora[0], [*french, german[0]])
    with pytest.warns(UserWarning, match=r"3 of the 7 texts of made .*; all of them: f0, f1, f2\."):
        check_texts(study, study.corpora[0], [*german, *french])
    with pytest.warns(UserWarning, match=r"Whether made is in German could not be checked: the first text could not"):
        check_texts(study, study.corpora[0], [Text("s", "Kurz.")])
    check_texts(study, study.corpora[0], german)
    english = a_study(tmp_path, language="en")
    check_texts(english, english.corpora[0], french)
