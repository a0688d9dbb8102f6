"""Each method on each corpus and condition: the case trials of all runs, judged once."""

from pathlib import Path

import numpy as np
import pytest

import idiograph
from idiograph import cllr_min
from idiograph.output.bundle import Pseudonyms, without_names
from idiograph.studies.summary import method_trials, performances
from made_matrix import matrix_study
from made_study import whole_trials


def test_the_case_trials_of_a_method_with_their_authors() -> None:
    table = whole_trials()
    table = table.with_llrs({"one": table.column("lambda_g"), "two": -table.column("lambda_g")})
    first, second = method_trials(table)
    assert [(each.corpus, each.condition, each.method) for each in (first, second)] == [
        ("toy", "whole", "one"), ("toy", "whole", "two"),
    ]  # fmt: skip
    case = table.where(table.case)
    np.testing.assert_array_equal(first.trials.same, case.column("lambda_g")[case.same])
    np.testing.assert_array_equal(second.trials.different, -case.column("lambda_g")[~case.same])
    of_same, pairs = first.trials.known_authors
    number = dict(zip(case.column("k_author")[case.same], of_same, strict=True))
    assert len(set(number.values())) == len(number)
    different = zip(case.column("k_author")[~case.same], case.column("q_author")[~case.same], strict=True)
    assert pairs == tuple((number[k], number[q]) for k, q in different)


def test_names_and_the_order_of_trials_change_no_interval() -> None:
    table = whole_trials()
    table = table.with_llrs({"one": table.column("lambda_g") / 3})
    other = without_names(table, Pseudonyms(bytes(32)))
    (named,), (nameless,) = (performances(tuple(method_trials(each)), resamples=30) for each in (table, other))
    assert named.performance.cllr.low == pytest.approx(nameless.performance.cllr.low, rel=1e-12)
    assert named.performance.cllr.high == pytest.approx(nameless.performance.cllr.high, rel=1e-12)


def by_pairs(same: np.ndarray, different: np.ndarray) -> float:
    """AUC by comparing every same-author trial with every different-author one."""
    return float(np.mean([(s > d) + (s == d) / 2 for s in same for d in different]))


def test_the_score_stands_beside_the_pooled_fits_of_methods_that_learn(tmp_path: Path) -> None:
    """Each fit keeps the order of λG; two of them thrown together do not, and lose some of its AUC."""
    path = matrix_study(tmp_path, use=("normalised", "hapax", "logistic", "delta", "fusion"), habit=0.1)
    result = idiograph.study(path, workers=1)
    rows = {row.method: row for row in result.performance}
    case = result.trials.where(result.trials.case)
    for method, score in (("logistic", case.column("lambda_g")), ("delta", case.score("delta"))):
        expected = by_pairs(score[case.same], score[~case.same])
        pooled = by_pairs(case.llr(method)[case.same], case.llr(method)[~case.same])
        assert rows[method].score.auc.value == pytest.approx(expected, abs=1e-12)
        assert rows[method].performance.auc.value == pytest.approx(pooled, abs=1e-12)
        assert rows[method].pan.auc == pytest.approx(pooled, abs=1e-12)
        assert abs(expected - pooled) > 1e-3  # there are several folds
        assert rows[method].score.auc.low <= expected <= rows[method].score.auc.high
        assert rows[method].score.cllr_min.value == pytest.approx(
            cllr_min(same=score[case.same], different=score[~case.same])
        )
    assert rows["hapax"].score.auc == rows["hapax"].performance.auc  # nothing is fitted
    assert rows["hapax"].score.cllr_min == rows["hapax"].performance.cllr_min
    assert rows["normalised"].score is None  # several scores are fitted together
    assert rows["fusion"].score is None


def test_scores_of_other_systems_stand_beside_their_fits() -> None:
    table = whole_trials()
    table = table.with_llrs({"theirs": np.zeros(len(table))})
    scores = np.random.default_rng(1).normal(size=len(table))
    (theirs,) = method_trials(table, outside={"theirs": scores})
    np.testing.assert_array_equal(theirs.score.same, scores[table.case & table.same])
    np.testing.assert_array_equal(theirs.trials.same, 0.0)
