"""The paper's own pairs judged by calibration authors: normalised beside the corrections in Tables 2 and 3."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import idiograph
from generated import corpus, write_jsonl
from idiograph import CalibrationError, StudyError, read_study
from idiograph.output.forecast import forecast
from idiograph.provenance import digest_json
from idiograph.studies.llrs import add_llrs, normalised_trials
from idiograph.studies.study import StudyResult
from idiograph.studies.trial_table import TrialTable
from made_study import expected_nats, without_pages
from made_topics import AUTHORS, topic_study

FILE = """
schema = 1
name = "toy"
[[corpora]]
name = "toy"
path = "toy.jsonl"
masking = "masked"
{corpus}
[[conditions]]
drawing = "random"
lengths = [[60, 120]]
[design]
{design}
[lambdag]
repetitions = 4
[methods]
use = {use}
resamples = 5
{methods}
"""
USE = ("normalised", "guarded", "hapax", "logistic")


def paired_study(
    folder: Path,
    *,
    authors: int = 20,
    use: tuple[str, ...] = USE,
    design: str = "",
    methods: str = "",
    corpus_: str = "",
) -> Path:
    """A study of the paper's pairs in a folder: 8 calibration authors, 12 case authors."""
    folder.mkdir(exist_ok=True, parents=True)
    write_jsonl(folder / "toy.jsonl", corpus(authors=authors))
    path = folder / "study.toml"
    text = FILE.format(design=design, use=json.dumps(list(use)), methods=methods, corpus=corpus_)
    path.write_text(text, encoding="utf-8")
    return path


@cache
def paired_result() -> StudyResult:
    with TemporaryDirectory() as folder:
        return idiograph.study(paired_study(Path(folder)), workers=1)


def _expected(
    trials: TrialTable, trial: int, *, without: tuple[str, ...] = (), controlled: bool = False
) -> tuple[float, list[str]]:
    """ln LR of a case trial by the oracle, and the names of its reference authors; `controlled` is freed from topic."""
    among = trials.where(np.isin(trials.column("half"), ("cohort", "case")))
    return expected_nats(among, trials, trial, own_half="cohort", without=without, controlled=controlled)


def test_case_pairs_are_judged_by_the_calibration_authors_as_the_oracle_judges_them() -> None:
    trials = paired_result().trials
    halves = trials.column("half")
    case = np.flatnonzero(halves == "case")
    assert len(case) == 24
    llrs = trials.llr("normalised")
    for trial in case[:3]:
        nats, reference = _expected(trials, int(trial))
        assert llrs[trial] == pytest.approx(nats, abs=1e-4)
        assert trials.column("cohort")[trial] == digest_json(sorted(reference))
        assert set(reference) == set(trials.column("k_author")[halves == "calibration"])
    assert np.isfinite(trials.llr("guarded")[case]).all()
    assert np.isnan(llrs[halves != "case"]).all()


def test_the_pairs_and_their_other_llrs_are_those_of_a_study_without_the_matrix(tmp_path: Path) -> None:
    plain = idiograph.study(paired_study(tmp_path, use=("hapax", "logistic")), workers=1).trials
    trials = paired_result().trials
    kept = trials.where(trials.column("half") != "cohort")
    kept = kept.take(np.argsort(kept.column("problem").astype(str)))
    plain = plain.take(np.argsort(plain.column("problem").astype(str)))
    for name in ("problem", "half", "lambda_g"):
        assert kept.column(name).tolist() == plain.column(name).tolist()
    for method in ("hapax", "logistic"):
        assert kept.llr(method)[kept.case].tolist() == pytest.approx(plain.llr(method)[plain.case].tolist(), abs=1e-9)


def test_tables_two_and_three_hold_normalised(tmp_path: Path) -> None:
    idiograph.study(paired_study(tmp_path), tmp_path / "out", workers=1)
    tables = tmp_path / "out" / "tables"
    assert "Reference-normalised,Hapax" in (tables / "table2.csv").read_text(encoding="utf-8")
    assert ",normalised," in (tables / "table3.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("design", ["calibration = 0.6", "leave_authors_out = true"])
def test_the_topic_controlled_lr_judges_the_papers_pairs_too(tmp_path: Path, design: str) -> None:
    """By the oracle, as c goes by the Ks of the trial's cohort; and what topic does to every method is told."""
    path = topic_study(tmp_path, design=design)
    text = path.read_text(encoding="utf-8").replace('pairs = "all"', 'pairs = "trace"')
    path.write_text(text, encoding="utf-8")
    result = idiograph.study(path, tmp_path / "out", workers=1)
    tables = tmp_path / "out" / "tables"
    assert "Topic-controlled,Hapax" in (tables / "table2.csv").read_text(encoding="utf-8")
    assert ",controlled," in (tables / "table3.csv").read_text(encoding="utf-8")
    trials = result.trials
    case = np.flatnonzero(trials.case).tolist()
    for trial in (case[0], case[1], case[-1]):
        pair = (trials.column("q_author")[trial], trials.column("k_author")[trial])
        nats, reference = _expected(trials, trial, without=pair, controlled=True)
        assert trials.llr("controlled")[trial] == pytest.approx(nats, abs=1e-4)
        assert trials.llr("normalised")[trial] == pytest.approx(_expected(trials, trial, without=pair)[0], abs=1e-4)
        assert len(reference) == (8 if "0.6" in design else AUTHORS - len(set(pair)))
    assert {row.method for row in result.topic} == {"controlled", "normalised", "hapax", "logistic"}
    assert sum(band.band.n_same for band in result.topic_bands if band.method == "hapax") == len(case) / 2
    without = tmp_path / "without"
    near = text.replace("lengths = [[60, 120]]", 'lengths = [[60, 120]]\ncloseness = "near"')
    path.write_text(near.replace('"controlled", ', ""), encoding="utf-8")
    with without_pages():
        told = idiograph.study(path, without, workers=1).trials
    assert np.isfinite(told.column("normed_closeness")[told.case]).all()
    path.write_text(near, encoding="utf-8")  # the method is added, and nothing scored again
    with without_pages():
        added = idiograph.study(path, without, workers=1).trials
    assert np.isfinite(added.llr("controlled")[added.case]).all()


def test_the_forecast_counts_the_problems_that_normalise(tmp_path: Path) -> None:
    without = forecast(read_study(paired_study(tmp_path / "a", use=("hapax", "logistic"))), workers=1)
    ahead = forecast(read_study(paired_study(tmp_path / "b")), workers=1)
    # 8 reference authors with each other, and each with the Qs and with the Ks of 12 case authors. Of the 16
    # calibration problems all are among them: 8 own, 8 of neighbours.
    assert without.problems == 40
    assert ahead.problems == 24 + 8 * 8 + 2 * 8 * 12
    scored = set(paired_result().trials.column("problem").tolist())
    assert len(scored) == ahead.problems


def test_a_smaller_cohort_judges_otherwise(tmp_path: Path) -> None:
    few = idiograph.study(paired_study(tmp_path, authors=25, design="cohort = 8"), workers=1).trials
    assert len(set(few.column("k_author")[few.column("half") == "calibration"])) == 10
    trial = int(np.flatnonzero(few.case)[0])
    nats, reference = _expected(few, trial)
    assert len(reference) == 8
    assert few.llr("normalised")[trial] == pytest.approx(nats, abs=1e-4)
    with pytest.raises(
        StudyError, match="cohort is the number of reference authors of normalised, controlled and guarded"
    ):
        read_study(paired_study(tmp_path, design="cohort = 8", use=("hapax", "logistic")))


def test_an_author_of_the_trial_is_never_its_reference(tmp_path: Path) -> None:
    """With pairs from outside the case data the Q is a calibration author's."""
    trials = idiograph.study(paired_study(tmp_path, authors=23, design='pairs = "outside"'), workers=1).trials
    trial = int(np.flatnonzero(trials.case & ~trials.same)[0])
    nats, reference = _expected(trials, trial, without=(trials.column("q_author")[trial],))
    assert len(reference) == 8
    assert trials.llr("normalised")[trial] == pytest.approx(nats, abs=1e-4)
    assert trials.column("cohort")[trial] == digest_json(sorted(reference))


def test_without_halves_all_others_are_the_reference(tmp_path: Path) -> None:
    trials = idiograph.study(paired_study(tmp_path, authors=10, design="leave_authors_out = true"), workers=1).trials
    assert trials.case.sum() == 20
    for trial in np.flatnonzero(trials.case)[:3].tolist():
        pair = (trials.column("q_author")[trial], trials.column("k_author")[trial])
        nats, reference = _expected(trials, trial, without=pair)
        assert len(reference) == 10 - len(set(pair))
        assert trials.llr("normalised")[trial] == pytest.approx(nats, abs=1e-4)


def test_other_names_change_no_digit_of_it() -> None:
    trials = paired_result().trials
    names = {name: f"x{rank * 7 % 20:02}" for rank, name in enumerate(sorted(set(trials.column("k_author"))))}
    columns = {column: [names[name] for name in trials.column(column)] for column in ("k_author", "q_author", "q_id")}
    columns["problem"] = [f"toy/c/{k}/{q}" for k, q in zip(columns["k_author"], columns["q_id"], strict=True)]
    renamed = trials.with_columns(columns)
    assert normalised_trials(renamed).nats[trials.case].tolist() == trials.llr("normalised")[trials.case].tolist()


def test_too_few_calibration_authors_are_refused_before_anything_is_scored(tmp_path: Path) -> None:
    few = paired_study(tmp_path, authors=10)
    with pytest.raises(
        StudyError, match=r"4 authors take part in the calibration half, and normalised needs at least 5"
    ):
        idiograph.study(few, workers=1)
    with pytest.raises(
        StudyError, match=r"5 authors take part in all, .* at least 5 as its reference, besides the two"
    ):
        idiograph.study(paired_study(tmp_path, authors=5, design="leave_authors_out = true"), workers=1)
    with pytest.raises(CalibrationError, match=r"toy, random_q60_k120, run 0: There are \d reference authors"):
        idiograph.study(paired_study(tmp_path, authors=13, methods='constants = "none"'), workers=1)


@pytest.mark.usefixtures("unread_reports")
def test_results_without_the_matrix_are_another_study(tmp_path: Path) -> None:
    out = tmp_path / "out"
    study = read_study(paired_study(tmp_path, use=("hapax", "logistic")))
    idiograph.study(study, out, workers=1)
    with pytest.raises(StudyError, match="holds another study: matrix differ"):
        idiograph.study(paired_study(tmp_path), out, workers=1)
    trials = paired_result().trials
    plain = trials.where(trials.column("half") != "cohort")
    with pytest.raises(StudyError, match="which these trials do not have"):
        add_llrs(replace(study, methods=("normalised",), baseline="normalised"), plain)


def test_fusion_joins_normalised_in_folds_only(tmp_path: Path) -> None:
    use = ("normalised", "logistic", "delta", "fusion")
    with pytest.raises(StudyError, match=r"with pairs = .all., normalised"):
        read_study(paired_study(tmp_path, use=use, methods='fuse = ["normalised", "delta"]'))
