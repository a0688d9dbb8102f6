"""The corpora of a study: which texts take part, published sets of problems, and what cannot be made."""

from pathlib import Path

import pytest

import idiograph
from generated import corpus, write_jsonl
from idiograph import StudyError, read_study
from idiograph.studies.corpora import find_source, open_corpus
from made_study import folder_with_study

STUDY = """
schema = 1
name = "ready"
[[corpora]]
name = "set"
path = "set"
kind = "problems"
masking = "{masking}"
options = {{ sentences = "{sentences}" }}
[[conditions]]
drawing = "whole"
"""


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    for folder, files in {
        "Ann vs Bo": {"known [Ann - 1]": "the N V . i V\nwe V .", "unknown [Bo - 1]": "you V . they V ."},
        "Cy vs Cy": {"known [Cy - 1]": "a J N V .", "unknown [Cy - 2]": "one N ."},
    }.items():
        (tmp_path / "set" / folder).mkdir(parents=True)
        for name, content in files.items():
            (tmp_path / "set" / folder / f"{name}.txt").write_text(content)
    return tmp_path


@pytest.mark.parametrize(("sentences", "n_sentences"), [("lines", 5), ("marks", 7)])
def test_problems_that_came_masked(problems: Path, sentences: str, n_sentences: int) -> None:
    (problems / "study.toml").write_text(STUDY.format(masking="masked", sentences=sentences))
    study = read_study(problems / "study.toml")
    material = open_corpus(study, find_source(study, study.corpora[0])).material
    assert material.index.n_sentences == n_sentences
    assert material.ready == {"Ann vs Bo": "Ann vs Bo (another)", "Cy vs Cy": "Cy vs Cy"}
    assert material.writers == {"Ann vs Bo": "Ann", "Ann vs Bo (another)": "Bo", "Cy vs Cy": "Cy"}
    assert material.index.tokens_of(0) == (
        ("the", "N", "V", ".", "i", "V") if sentences == "lines" else ("the", "N", "V", ".")
    )


@pytest.mark.tagger
def test_problems_that_are_masked_first(problems: Path) -> None:
    (problems / "study.toml").write_text(STUDY.format(masking="posnoise", sentences="lines"))
    study = read_study(problems / "study.toml")
    material = open_corpus(study, find_source(study, study.corpora[0])).material
    assert set(material.index.text_ids) == {
        f"{folder}/{name}.txt"
        for folder, names in (
            ("Ann vs Bo", ("known [Ann - 1]", "unknown [Bo - 1]")),
            ("Cy vs Cy", ("known [Cy - 1]", "unknown [Cy - 2]")),
        )
        for name in names
    }


def test_what_is_missing_is_said_before_any_work(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path)
    (tmp_path / "toy.jsonl").unlink()
    with pytest.raises(StudyError, match="The corpus of toy is not there"):
        idiograph.study(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('exclude_authors = ["a99"]', "toy has no author a99 to exclude"),
        ('recipe = "paper"', "already masked, so the recipe"),
        ("options = { encodng = 'x' }", "there is no setting encodng"),
    ],
)
def test_a_corpus_that_cannot_be_made_is_refused(tmp_path: Path, line: str, words: str) -> None:
    path = folder_with_study(tmp_path)
    text = path.read_text(encoding="utf-8").replace('masking = "masked"', f'masking = "masked"\n{line}')
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=words):
        idiograph.study(path, tmp_path / "out")


def test_settings_of_a_corpus_change_what_is_scored(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path)
    plain = path.read_text(encoding="utf-8")

    def result(line: str, name: str) -> tuple[set[str], int]:
        path.write_text(plain.replace('masking = "masked"', f'masking = "masked"\n{line}'), encoding="utf-8")
        trials = idiograph.study(path, tmp_path / name).trials
        return set(trials.column("k_author")), int(trials.column("reference_sentences").max())

    everyone, n_reference = result("", "all")
    fewer, _ = result('exclude_authors = ["a00"]', "excluded")
    assert everyone - fewer == {"a00"}
    _, n_capped = result("tokens_per_author = 250", "capped")
    assert n_capped < n_reference
    write_jsonl(tmp_path / "pool.jsonl", corpus(authors=3, texts=3, sentences=30, seed=8))
    plain = plain.replace("[lambdag]", '[design]\nreference = "pool"\n[lambdag]')
    _, n_pool = result('pool = "pool.jsonl"', "pool")
    assert n_pool == 3 * 3 * 30  # the pool's a00 to a02 leave it when they are at hand
