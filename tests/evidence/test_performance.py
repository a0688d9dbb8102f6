"""Performance: one record with the metrics, their intervals, the decisions at LR = 1 and what misled."""

import math
from itertools import permutations

import numpy as np
import pytest

from idiograph import InputError, cllr, decisions, intervals, misleading, pan_metrics, worst_share
from idiograph.evidence.performance import misleading_beyond, performance
from idiograph.evidence.trials import Trials

NAMES = [f"author{i}" for i in range(8)]
RNG = np.random.default_rng(4)
MADE = {
    "same": RNG.normal(1, 1.5, 8),
    "different": RNG.normal(-1, 1.5, 56),
    "same_authors": NAMES,
    "different_authors": list(permutations(NAMES, 2)),
}


def test_everything_that_is_printed_about_trials() -> None:
    measured = performance(Trials.of(**MADE), resamples=50, seed=3)
    assert (measured.n_authors, measured.n_same, measured.n_different, measured.resamples) == (8, 8, 56, 50)
    estimates = intervals(**MADE, resamples=50, seed=3)
    assert {name: getattr(measured, name) for name in estimates} == estimates
    assert measured.cllr.value == pytest.approx(cllr(same=MADE["same"], different=MADE["different"]))
    assert measured.worst_share == worst_share(same=MADE["same"], different=MADE["different"])
    assert measured.misleading == misleading(**MADE)


LN10 = math.log(10)


def test_decisions_by_hand() -> None:
    decided = decisions(same=[LN10, 2 * LN10, 0, -LN10], different=[LN10, -LN10, -LN10, 0, -2 * LN10])
    assert (decided.true_positives, decided.false_negatives, decided.false_positives, decided.true_negatives) == (
        2,
        2,
        1,
        4,
    )
    assert decided.recall == 0.5
    assert decided.precision == pytest.approx(2 / 3)
    assert decided.f1 == pytest.approx(4 / (4 + 1 + 2))
    assert decided.balanced_accuracy == pytest.approx((0.5 + 0.8) / 2)
    assert decided.mean_same_log10 == pytest.approx(0.5)
    assert decided.mean_different_log10 == pytest.approx(-0.6)


def test_nothing_decided_same_has_no_precision() -> None:
    decided = decisions(same=[-1], different=[-1])
    assert decided.precision is None
    assert decided.f1 == 0


def test_pan_by_hand() -> None:
    # p: same 0.9, 0.5 (no answer), 0.2; different 0.1, 0.8. Correct 2 of 5, one unanswered.
    nine, fifth, four = math.log(9), math.log(1 / 4), math.log(4)
    measured = pan_metrics(same=[nine, 0, fifth], different=[-nine, four])
    assert measured.c_at_1 == pytest.approx((2 + 1 * 2 / 5) / 5)
    assert measured.f1 == pytest.approx(2 / (2 + 1 + 1))
    assert pan_metrics(same=[nine, nine], different=[four]).f1 == pytest.approx(2 * 2 / (2 * 2 + 1))
    assert measured.f05_u == pytest.approx(1.25 / (1.25 + 0.25 * 2 + 1))
    assert measured.brier == pytest.approx(1 - (0.01 + 0.25 + 0.64 + 0.01 + 0.64) / 5)
    assert measured.auc == pytest.approx((2 + 1 + 1) / 6)


def test_pan_without_answers_has_no_f1() -> None:
    measured = pan_metrics(same=[0], different=[0])
    assert (measured.c_at_1, measured.f1, measured.f05_u) == (0, None, 0)


def test_a_perfect_answer_has_the_best_of_every_measure() -> None:
    perfect = pan_metrics(same=[1e4], different=[-1e4])
    assert (perfect.auc, perfect.c_at_1, perfect.f1, perfect.f05_u, perfect.brier) == (1, 1, 1, 1, 1)


def test_misleading_by_hand() -> None:
    same = np.log([0.5, 0.05, 0.1, 1, 20])
    entries = misleading(
        same=same,
        different=np.log([0.5, 10, 150]),
        same_authors=["a", "a", "b", "c", "d"],
        different_authors=[("a", "b"), ("b", "c"), ("c", "a")],
    )
    # LR 1 misleads nobody, and neither 10 nor 1/10 is beyond 10.
    assert [(entry.same_author, entry.lr, entry.count, entry.n_trials) for entry in entries] == [
        (True, 1, 3, 5),
        (False, 1, 2, 3),
        (True, 10, 1, 5),
        (False, 10, 1, 3),
        (True, 100, 0, 5),
        (False, 100, 1, 3),
    ]
    none = entries[4]
    assert none.sentence == "none of 4 authors; 95 % upper limit: about 3 in 4"
    assert none.upper == 0.75
    # Of the same-author trials below 1 two are by a and one is by b; those above 1 by others are (b, c) and (c, a).
    assert entries[0].sentence == "3 of 5 trials, with 2 of 4 authors"
    assert entries[1].sentence == "2 of 3 trials, with 3 of 3 authors"
    assert [entry.n_misled for entry in entries] == [2, 3, 1, 2, 0, 2]
    assert entries[0].upper is None
    assert entries[1].n_authors == 3
    assert entries[0].rate == pytest.approx(3 / 5)


def test_misleading_without_authors_promises_no_limit() -> None:
    entry = misleading(same=[1], different=[-1])[0]
    assert entry.upper is None
    assert entry.sentence == "0 of 1 trials; the number of authors is not known, so no upper limit"
    assert misleading(same=[-1], different=[-1])[0].sentence == "1 of 1 trials"


def test_other_thresholds_change_what_misleads() -> None:
    entries = misleading(same=[-1], different=[-1], above=[2, 3])
    assert [entry.count for entry in entries if entry.same_author] == [1, 0]
    with pytest.raises(InputError, match=r"above an LR of at least 1, not 0\.5"):
        misleading(same=[1], different=[1], above=[0.5])


def test_how_often_evidence_this_strong_misleads() -> None:
    trials = Trials.of(
        same=[2, -1.5, -3], different=[-2, 1.2, 3], same_authors=["a", "b", "c"],
        different_authors=[("a", "b"), ("b", "c"), ("c", "a")],
    )  # fmt: skip
    for_hp, for_hd = misleading_beyond(trials, math.log(3)), misleading_beyond(trials, -math.log(3))
    # 1.2 and 3 are beyond ln 3 = 1.1, −1.5 and −3 beyond its negative.
    assert (for_hp.same_author, for_hp.count, for_hp.n_trials) == (False, 2, 3)
    assert (for_hd.same_author, for_hd.count, for_hd.n_trials) == (True, 2, 3)
    assert for_hp.lr == pytest.approx(3)
    none = misleading_beyond(trials, 1e6)
    assert (none.count, none.sentence) == (0, "none of 3 authors; 95 % upper limit: about 3 in 3")
    assert math.isfinite(none.lr)
