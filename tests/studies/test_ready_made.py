"""A published set of problems as a study's corpus, masked already or not."""

from pathlib import Path

import pytest

from idiograph.studies.corpora import find_source, open_corpus
from idiograph.studies.settings import read_study

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
