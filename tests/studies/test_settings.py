"""study.toml: every key means something, and what cannot stand is refused before any work."""

import re
from pathlib import Path
from typing import Any

import pytest

from idiograph import CorpusSettings, Design, Seeds, Study, StudyError, read_study
from idiograph.settings import settings_of
from idiograph.studies.settings import (
    PRESETS,
    ConditionSettings,
    papers_method,
    published_table2,
    published_table3,
    study_toml,
)
from made_matrix import matrix_study
from made_study import folder_with_study

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
    settings = study(tmp_path)
    assert (settings.order, settings.repetitions, settings.discount, settings.unit) == (10, 30, 0.75, "bits")
    assert (settings.design.calibration, settings.design.reference, settings.design.reference_texts) == (
        0.4,
        "case",
        "known",
    )
    assert settings.methods == ("square_root", "hapax", "sentence", "logistic")
    assert settings.folder == tmp_path


def test_every_pair_of_lengths_is_a_condition(tmp_path: Path) -> None:
    settings = study(tmp_path, condition='drawing = "random"\nq_tokens = [100, 200]\nk_tokens = [300, 400]')
    assert [condition.name for condition, _ in settings.conditions] == [
        "random_q100_k300", "random_q100_k400", "random_q200_k300", "random_q200_k400",
    ]  # fmt: skip
    pairs = study(tmp_path, condition='drawing = "random"\nlengths = [[100, 300], [200, 400]]')
    assert [condition.name for condition, _ in pairs.conditions] == ["random_q100_k300", "random_q200_k400"]


@pytest.mark.parametrize(
    ("preset", "lengths"), [("paper-long", range(500, 9501, 1000)), ("paper-short", range(100, 501, 100))]
)
def test_the_papers_grids_are_presets(tmp_path: Path, preset: str, lengths: range) -> None:
    settings = study(tmp_path, condition=f'drawing = "random"\nlengths = "{preset}"')
    assert [(c.q_tokens, c.k_tokens) for c, _ in settings.conditions] == [(q, k) for q in lengths for k in lengths]
    assert preset in PRESETS


def test_seeds_that_vary_go_up_by_one_a_run(tmp_path: Path) -> None:
    settings = study(tmp_path, top="runs = 3", rest="[seeds]\nsplit = 5\ntexts = 6\nreference = 7")
    assert [settings.run_seeds(run) for run in range(2)] == [Seeds(5, 6, 7), Seeds(5, 7, 8)]
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
        ({"condition": 'drawing = "whole"\nacros = "work"'}, "did you mean across"),
        ({"condition": 'drawing = "randm"\nlengths = [[1, 2]]'}, "did you mean random"),
        ({"condition": 'drawing = "random"\nlengths = "paper-lon"'}, "did you mean paper-long"),
        (
            {"condition": 'drawing = "random"\nlengths = [[1, 2, 3]]'},
            "lengths must be one of .* or a list of pairs .*, not a list with a list of 3",
        ),
        ({"condition": 'drawing = "random"\nlengths = [[1, 2]]\nq_tokens = [3]'}, "say the same thing twice"),
        ({"condition": 'drawing = "random"\nq_tokens = [3]'}, "A length for Q and one for K belong together"),
        (
            {"condition": 'drawing = "random"\nq_tokens = ["x"]\nk_tokens = [1]'},
            "q_tokens must be a whole number .*, not a list with .x",
        ),
        ({"condition": 'drawing = "random"\nlengths = [[1, 2], [1, 2]]'}, "occurs twice for one corpus"),
        ({"condition": 'drawing = "whole"\nq_tokens = [1]\nk_tokens = [1]'}, "Whole texts keep their own lengths"),
        ({"condition": 'drawing = "whole"\ncorpora = ["toyy"]'}, "no corpus toyy .did you mean toy"),
        ({"rest": '[[corpora]]\nname = "toy"\npath = "x"'}, "Two corpora have the same name"),
        ({"rest": '[[corpora]]\nname = "a/b"\npath = "x"'}, "name must be text without a slash, .*, not .a/b"),
        ({"rest": '[[corpora]]\nname = "other"'}, r"\[\[corpora\]\] 2: path is missing"),
        ({"rest": "[design]\nleave_authors_out = true\ncalibration = 0.4"}, "no authors are set apart"),
        ({"rest": "[design]\ncalibration = 0.0"}, "logistic is trained on calibration authors, but their share is 0"),
        ({"rest": '[methods]\nbaseline = "raw"'}, r'baseline must be one of the methods in use \(.*\), not "raw"'),
        ({"rest": '[methods]\nuse = ["hapaxes"]'}, "did you mean hapax"),
        ({"rest": '[methods]\nunit = "bit"'}, "did you mean bits"),
        ({"rest": '[design]\npairs = "traces"'}, "did you mean trace"),
        (
            {"rest": '[design]\nreference = "others"'},
            'reference must be one of case, own half, all, pool, not "others"',
        ),
        ({"rest": '[design]\nreference_texts = "unknown"'}, "did you mean known"),
        ({"top": 'vary = ["text"]'}, "did you mean texts"),
        ({"top": "runs = 2\nvary = []"}, "2 runs in which no seed varies are the same run"),
        ({"top": "runs = 0"}, "runs must be a whole number from 1 to 10,000, not 0"),
        ({"top": 'evidence = "token"'}, "did you mean tokens"),
        ({"rest": "[lambdag]\norder = 0"}, r"\[lambdag\]: order must be a whole number from 1 to 30, not 0"),
        ({"rest": "[lambdag]\ndiscount = 1.5"}, "discount must be a number from 0.001 to 1, not 1.5"),
        ({"rest": "[lambdag]\nrepetitions = 0"}, "repetitions must be .*, not 0"),
        ({"rest": "[methods]\nresamples = -1"}, "resamples must be a whole number from 0 to 1,000,000, not -1"),
        ({"rest": "[seeds]\nsplit = -1"}, r"\[seeds\]: split must be a whole number, 0 or more, not -1"),
        ({"corpus": 'pool = "pool.jsonl"'}, "names a pool, but the reference is made of case authors"),
        ({"corpus": 'kind = "problem"'}, "did you mean problems"),
        ({"corpus": 'paper = "Enrom"'}, "did you mean Enron"),
        ({"corpus": "tokens_per_author = -5"}, r"\[\[corpora\]\] 1: tokens_per_author must be a whole number"),
        ({"top": 'masking = "posnois"'}, r"masking must be one of .*, not .posnois. \(did you mean pos"),
        ({"rest": '[methods]\nown = ["mine.py"]'}, 'own must be a list of methods such as "mine.py:damped"'),
        ({"rest": '[methods]\nown = ["mine.py:hapax"]'}, "Two methods have the same name"),
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
        ("a = = 1", "is not valid TOML"),
        ("schema = 2", "schema must be 1, not 2"),
        ("schema = true", "schema must be 1, not true"),
        ("schema = 1", "corpora is missing"),
        ('schema = 1\n[[corpora]]\nname = "a"\npath = "b"', "has no conditions"),
        ("schema = 1\ndesign = 3", "design must be a table, written .design., not 3"),
    ):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(StudyError, match=words):
            read_study(path)


def test_a_method_of_ones_own_lies_in_the_folder_of_the_study(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    (folder / "methods").mkdir(parents=True)
    outside = tmp_path / "evil.py"
    outside.write_text("def f(trial): return 0.0\n")
    (folder / "methods" / "mine.py").write_text("def f(trial): return 0.0\n")
    (folder / "link.py").symlink_to(outside)
    (folder / "circle.py").symlink_to(folder / "circle.py")
    absolute = str(folder / "methods" / "mine.py")
    for file in (str(outside), "../evil.py", "methods/../../evil.py", "link.py", "circle.py", absolute):
        with pytest.raises(StudyError, match=r"lies outside the study's folder\. It is a program"):
            study(folder, rest=f'[methods]\nown = ["{file}:f"]')
    assert study(folder, rest='[methods]\nown = ["methods/mine.py:f"]').all_methods[-1] == "f"


def test_paths_in_reading_options_start_from_the_study_file(tmp_path: Path) -> None:
    settings = study(tmp_path, corpus='options = {metadata = "authors.csv", unwrap = "auto"}')
    assert settings.corpora[0].options.metadata == tmp_path / "authors.csv"
    assert settings.scored()["corpora"][0]["options"] == {"metadata": "authors.csv"}


def test_a_study_written_down_reads_back_the_same(tmp_path: Path) -> None:
    settings = study(
        tmp_path,
        top="runs = 2",
        corpus='exclude_authors = ["a\\u2028b"]\noptions = {metadata = "authors.csv"}\ntokens_per_author = 5',
        condition='drawing = "random"\nlengths = [[5, 6], [7, 8]]\nk_texts = 2\nacross = "work"',
        rest="[design]\nleave_authors_out = true\n[seeds]\ntexts = 9\n[lambdag]\norder = 3",
    )
    (tmp_path / "study.toml").write_text(study_toml(settings), encoding="utf-8")
    again = read_study(str(tmp_path / "study.toml"))
    assert again == settings
    assert again.digest == settings.digest


def test_the_example_of_the_documentation_is_a_study_and_its_page_names_every_setting(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "studies.md").read_text(encoding="utf-8")
    example = page.split("```toml\n", 1)[1].split("```", 1)[0]
    (tmp_path / "study.toml").write_text(example, encoding="utf-8")
    example_study = read_study(tmp_path / "study.toml")
    assert len(example_study.conditions) == 100 + 2
    shown = {
        setting.key
        for kind in (Study, CorpusSettings, Design, Seeds, ConditionSettings)
        for setting in settings_of(kind)
    }
    assert {name for name in shown if not re.search(rf"(?m)^\[*{name}\b|`{name}`|`\[+{name}\]+`", page)} == set()


@pytest.mark.parametrize(
    ("use", "extra", "words"),
    [
        (("normalised", "logistic"), 'fuse = ["normalised"]', "fusion is not among the methods in use"),
        (("normalised", "logistic", "fusion"), "", "fusion joins at least two methods"),
        (("logistic", "delta", "fusion"), 'fuse = ["delta", "hapax"]', 'fusion cannot join "hapax"'),
        (("normalised", "logistic"), "original = true", "original is for comparators, and none is in use"),
        (
            ("hapax", "logistic"),
            "typing = true",
            "typing is a score of the methods normalised and controlled, and neither is in use",
        ),
        (
            ("hapax", "logistic"),
            'constants = "none"',
            "constants are for the methods normalised",
        ),
        (("normalised", "logistic"), "typing = true", "Corpus toy came masked, so there are no originals"),
    ],
)
def test_scores_that_nothing_uses_or_that_cannot_be_made(
    tmp_path: Path, use: tuple[str, ...], extra: str, words: str
) -> None:
    with pytest.raises(StudyError, match=words):
        read_study(matrix_study(tmp_path, use=use, extra=extra))


def test_an_attack_needs_folds_and_masked_texts(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path / "halves", extra="[attack]\ninsert = true\n")
    with pytest.raises(StudyError, match=r'judged by the authors outside its fold\. Set pairs = "all" in \[design\]'):
        read_study(path)
    path = matrix_study(
        tmp_path / "folds", use=("delta", "logistic"), extra="original = true\n[attack]\ndisguised = true\n"
    )
    path.write_text(path.read_text(encoding="utf-8").replace('masking = "masked"', ""), encoding="utf-8")
    with pytest.raises(StudyError, match=r"masked texts, which have no originals\. Leave out typing and original"):
        read_study(path)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"pairs": "all", "calibration": 0.4},
            'With pairs = "all" each trial is judged by the authors outside its fold',
        ),
        ({"groups": 2}, 'groups belongs to pairs = "all"'),
        ({"pairs": "all", "calibration": 0.0, "reference": "own half"}, "there are no halves, so none is its own"),
        ({"pairs": "all", "calibration": 0.0, "cohort": 10, "groups": 2}, "A cohort is that of a single fold"),
        ({"calibration": 1.0}, "The share of calibration authors is 1"),
        ({"n_pairs": 0}, "n_pairs must be a whole number from 1 to 100,000, not 0"),
        ({"fewest_authors": 1}, "fewest_authors must be a whole number from 2 to 100,000, not 1"),
        ({"pairs": "outside", "calibration": 0.0}, "need authors outside it"),
    ],
)
def test_what_cannot_stand_together_is_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(StudyError, match=words):
        Design(**settings)  # type: ignore[arg-type]
    assert Design(pairs="all", calibration=0.0, cohort=10).fold == 6


def test_published_wins_of_a_pair_sum_to_a_hundred() -> None:
    table = published_table2()
    assert len(table) == 10  # three pairs both ways, those with logistic regression twice
    for method, other in table:
        assert table[method, other][0] + table[other, method][0] == pytest.approx(100)


def test_every_corpus_of_table_3_has_the_three_methods() -> None:
    table = published_table3()
    assert len(table) == 12
    for row in table.values():
        assert set(row) == {"logistic_glm", "logistic", "square_root", "hapax"}
        assert all(0 < mean < 1 and 0 <= sd < 0.1 for mean, sd in row.values())
    assert table["Enron"]["hapax"][0] == 0.479


def test_the_papers_logistic_regression_is_rs_glm_and_stands_beside_both_of_ours() -> None:
    """It used idiolect, which calls glm; where classes are separated only logistic_glm goes as far as that goes."""
    assert papers_method("logistic") == papers_method("logistic_glm") == "logistic_glm"
    assert papers_method("hapax") == "hapax"
    wins, table = published_table2(), published_table3()
    for other in ("hapax", "square_root"):
        assert wins["logistic", other] == wins["logistic_glm", other]
        assert wins[other, "logistic"] == wins[other, "logistic_glm"]
    assert ("logistic", "logistic_glm") not in wins
    assert wins["logistic_glm", "hapax"] == (54.60, 49.13)
    assert all(row["logistic"] == row["logistic_glm"] for row in table.values())
    assert table["Enron"]["logistic_glm"] == (0.518, 0.026)
