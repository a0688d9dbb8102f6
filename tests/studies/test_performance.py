"""Each method on each corpus and condition: the case trials of all runs, judged once."""

from pathlib import Path

import numpy as np
import pytest

from idiograph.evidence.performance import decisions, pan_metrics, performance
from idiograph.output.bundle import Pseudonyms, without_names
from idiograph.studies.summary import method_trials, performances
from idiograph.studies.trial_table import read_trials
from made_study import trials_file


def test_the_case_trials_of_a_method_with_their_authors(tmp_path: Path) -> None:
    table = read_trials(trials_file(tmp_path))
    table = table.with_llrs({"one": table.column("lambda_g"), "two": -table.column("lambda_g")})
    one, two = method_trials(table)
    assert [(each.corpus, each.condition, each.method) for each in (one, two)] == [
        ("toy", "whole", "one"), ("toy", "whole", "two"),
    ]  # fmt: skip
    case = table.where(table.case)
    np.testing.assert_array_equal(one.trials.same, case.column("lambda_g")[case.same])
    np.testing.assert_array_equal(two.trials.different, -case.column("lambda_g")[~case.same])
    own, pairs = one.trials.known_authors
    number = dict(zip(case.column("k_author")[case.same], own, strict=True))
    assert len(set(number.values())) == len(number)
    different = zip(case.column("k_author")[~case.same], case.column("q_author")[~case.same], strict=True)
    assert pairs == tuple((number[k], number[q]) for k, q in different)


def test_names_and_the_order_of_trials_change_no_interval(tmp_path: Path) -> None:
    table = read_trials(trials_file(tmp_path))
    table = table.with_llrs({"one": table.column("lambda_g") / 3})
    other = without_names(table, Pseudonyms(bytes(32)))
    (one,), (two,) = (performances(tuple(method_trials(each)), resamples=30) for each in (table, other))
    assert one.performance.cllr.low == pytest.approx(two.performance.cllr.low, rel=1e-12)
    assert one.performance.cllr.high == pytest.approx(two.performance.cllr.high, rel=1e-12)


@pytest.mark.parametrize("resamples", [0, 30])
def test_each_is_judged_as_evidence_and_as_decisions(tmp_path: Path, resamples: int) -> None:
    table = read_trials(trials_file(tmp_path))
    of = tuple(method_trials(table.with_llrs({"mine": table.column("lambda_g") / 3})))
    (found,) = performances(of, resamples=resamples)
    trials = of[0].trials
    assert (found.corpus, found.condition, found.method) == ("toy", "whole", "mine")
    assert found.performance == performance(trials, resamples=resamples)
    assert (found.performance.cllr.low is None) == (resamples == 0)
    assert found.decisions == decisions(same=trials.same, different=trials.different)
    assert found.pan == pan_metrics(same=trials.same, different=trials.different)
