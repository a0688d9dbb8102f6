"""study.toml: every key means something, and what cannot stand is refused before any work."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from idiograph.errors import StudyError
from idiograph.studies.design import Design, Seeds
from idiograph.studies.drawing import Condition
from idiograph.studies.settings import PRESETS, CorpusSettings, Study
from idiograph.studies.study_file import read_study

MINIMAL = """
schema = 1
name = "small"
{top}
[[corpora]]
name = "toy"
path = "toy.jsonl"
masking = "masked"
{corpus}
[[conditions]]
{condition}
{rest}
"""


def study(
    tmp_path: Path, *, top: str = "", corpus: str = "", condition: str = 'drawing = "whole"', rest: str = ""
) -> Study:
    path = tmp_path / "study.toml"
    path.write_text(MINIMAL.format(top=top, corpus=corpus, condition=condition, rest=rest), encoding="utf-8")
    return read_study(path)


def test_defaults_are_the_papers(tmp_path: Path) -> None:
    made = study(tmp_path)
    assert (made.order, made.repetitions, made.discount, made.unit) == (10, 30, 0.75, "bits")
    assert (made.design.calibration, made.design.reference, made.design.reference_texts) == (0.4, "case", "known")
    assert made.methods == ("square_root", "hapax", "sentence", "logistic")
    assert made.folder == tmp_path


def test_every_pair_of_lengths_is_a_condition(tmp_path: Path) -> None:
    made = study(tmp_path, condition='drawing = "random"\nq_tokens = [100, 200]\nk_tokens = [300, 400]')
    assert [condition.name for condition, _ in made.conditions] == [
        "random_q100_k300", "random_q100_k400", "random_q200_k300", "random_q200_k400",
    ]  # fmt: skip
    pairs = study(tmp_path, condition='drawing = "random"\nlengths = [[100, 300], [200, 400]]')
    assert [condition.name for condition, _ in pairs.conditions] == ["random_q100_k300", "random_q200_k400"]


@pytest.mark.parametrize(
    ("preset", "lengths"), [("paper-long", range(500, 9501, 1000)), ("paper-short", range(100, 501, 100))]
)
def test_the_papers_grids_are_presets(tmp_path: Path, preset: str, lengths: range) -> None:
    made = study(tmp_path, condition=f'drawing = "random"\nlengths = "{preset}"')
    assert [(c.q_tokens, c.k_tokens) for c, _ in made.conditions] == [(q, k) for q in lengths for k in lengths]
    assert preset in PRESETS


def test_seeds_that_vary_go_up_by_one_a_run(tmp_path: Path) -> None:
    made = study(tmp_path, top="runs = 3", rest="[seeds]\nsplit = 5\ntexts = 6\nreference = 7")
    assert [made.run_seeds(run) for run in range(2)] == [Seeds(5, 6, 7), Seeds(5, 7, 8)]
    only = study(tmp_path, top='runs = 3\nvary = ["split"]')
    assert only.run_seeds(2) == Seeds(3, 1, 1)


def test_what_is_shown_can_change_without_scoring_again_and_what_is_scored_cannot(tmp_path: Path) -> None:
    base = study(tmp_path)
    shown = '[methods]\nuse = ["hapax"]\nbaseline = "hapax"\nunit = "nats"\nresamples = 5\ncompared_units = true'
    assert study(tmp_path, rest=shown).digest == base.digest
    assert study(tmp_path, corpus='paper = "Enron"').digest == base.digest
    for change in (
        {"rest": "[lambdag]\norder = 3"},
        {"rest": "[seeds]\ntexts = 2"},
        {"rest": '[design]\nreference = "all"'},
        {"top": 'evidence = "tokens"'},
        {"top": "runs = 2"},
        {"corpus": "tokens_per_author = 100"},
        {"condition": 'drawing = "whole"\nk_texts = 2'},
    ):
        assert study(tmp_path, **change).digest != base.digest


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"top": "rnus = 5"}, r"there is no setting rnus \(did you mean runs\?\)"),
        ({"rest": "[design]\ncalibraton = 0.5"}, r"no setting calibraton \(did you mean calibration\?\)"),
        ({"rest": "[seeds]\ntext = 0"}, r"\[seeds\]: there is no setting text \(did you mean texts\?\)"),
        ({"rest": "[lambdag]\nrepetition = 0"}, "did you mean repetitions"),
        ({"rest": "[methods]\nunits = 0"}, "did you mean unit"),
        ({"corpus": "exclude_author = []"}, "did you mean exclude_authors"),
        ({"condition": 'drawing = "whole"\nacros = "work"'}, "did you mean across"),
        ({"condition": 'drawing = "randm"\nlengths = [[1, 2]]'}, "did you mean random"),
        ({"condition": 'drawing = "random"\nlengths = "paper-lon"'}, "did you mean paper-long"),
        ({"condition": 'drawing = "random"\nlengths = [[1, 2, 3]]'}, "pairs of Q and K tokens"),
        ({"condition": 'drawing = "random"\nlengths = [[1, 2]]\nq_tokens = [3]'}, "say the same thing twice"),
        ({"condition": 'drawing = "random"\nq_tokens = [3]'}, "a length for Q and one for K belong together"),
        ({"condition": 'drawing = "random"\nq_tokens = ["x"]\nk_tokens = [1]'}, "must be a whole number of tokens"),
        ({"condition": 'drawing = "random"\nlengths = [[1, 2], [1, 2]]'}, "is there twice for one corpus"),
        ({"condition": 'drawing = "whole"\nq_tokens = [1]\nk_tokens = [1]'}, "Whole texts have the lengths they have"),
        ({"condition": 'drawing = "whole"\ncorpora = ["toyy"]'}, "no corpus toyy .did you mean toy"),
        ({"rest": '[[corpora]]\nname = "toy"\npath = "x"'}, "two corpora have one name"),
        ({"rest": '[[corpora]]\nname = "a/b"\npath = "x"'}, "give one without a slash"),
        ({"rest": '[[corpora]]\nname = "other"'}, "a corpus has no path"),
        ({"rest": "[design]\nleave_authors_out = true\ncalibration = 0.4"}, "no authors are set apart"),
        ({"rest": "[design]\ncalibration = 0.0"}, "logistic is trained on calibration authors, but their share is 0"),
        ({"rest": '[methods]\nbaseline = "raw"'}, "baseline is 'raw'"),
        ({"rest": '[methods]\nuse = ["hapaxes"]'}, "did you mean hapax"),
        ({"rest": '[methods]\nunit = "bit"'}, "did you mean bits"),
        ({"rest": '[design]\npairs = "traces"'}, "did you mean trace"),
        ({"rest": '[design]\nreference = "others"'}, "reference is 'others'"),
        ({"rest": '[design]\nreference_texts = "unknown"'}, "did you mean known"),
        ({"top": 'vary = ["text"]'}, "did you mean texts"),
        ({"top": "runs = 2\nvary = []"}, "2 runs of which no seed varies are one run"),
        ({"top": "runs = 0"}, "runs is 0 and must be 1 or more"),
        ({"top": 'runs = "5"'}, "runs is '5', which is not a whole number"),
        ({"top": "runs = true"}, "runs is True, which is not a whole number"),
        ({"top": 'evidence = "token"'}, "did you mean tokens"),
        ({"rest": "[lambdag]\norder = 0"}, "order must be a whole number from 1 to 30, not 0"),
        ({"rest": "[lambdag]\ndiscount = 1.5"}, "discount must be a number from 0.001 to 1.0, not 1.5"),
        ({"rest": "[lambdag]\nrepetitions = 0"}, "repetitions must be a whole number from 1 to 100,000, not 0"),
        ({"rest": "[methods]\nresamples = -1"}, "resamples is -1"),
        ({"rest": "[seeds]\nsplit = -1"}, "seed split is -1"),
        ({"corpus": 'pool = "pool.jsonl"'}, "names a pool, but the reference is made of case authors"),
        ({"corpus": 'kind = "problem"'}, "did you mean problems"),
        ({"corpus": 'paper = "Enrom"'}, "did you mean Enron"),
        ({"corpus": "exclude_authors = [1]"}, "must be a list of names"),
        ({"rest": "[design]\ncalibration = 1.0"}, "share of calibration authors is 1"),
    ],
)
def test_what_cannot_stand_is_refused_in_words(tmp_path: Path, parts: dict[str, Any], words: str) -> None:
    with pytest.raises(StudyError, match=words):
        study(tmp_path, **parts)


def test_a_file_that_is_no_study_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    with pytest.raises(StudyError, match="could not be read"):
        read_study(path)
    for content, words in (
        ("a = = 1", "not TOML that can be understood"),
        ("schema = 2", "has the schema 2 and this version of Idiograph reads 1"),
        ("schema = 1", "has no corpora"),
        ('schema = 1\n[[corpora]]\nname = "a"\npath = "b"', "has no conditions"),
        ("schema = 1\ndesign = 3", "design must be a table"),
    ):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(StudyError, match=words):
            read_study(path)


def test_the_example_of_the_documentation_is_a_study_and_names_every_setting(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "studies.md").read_text(encoding="utf-8")
    example = page.split("```toml\n", 1)[1].split("```", 1)[0]
    (tmp_path / "study.toml").write_text(example, encoding="utf-8")
    made = read_study(tmp_path / "study.toml")
    assert len(made.conditions) == 100 + 2 + 1
    settings = {field.name for kind in (Study, CorpusSettings, Design, Seeds, Condition) for field in fields(kind)}
    shown = settings - {"folder", "methods"} | {"use", "lengths"}
    assert {name for name in shown if not re.search(rf"(?m)^(# )?\[*{name}\b|`{name}`", example)} == set()
