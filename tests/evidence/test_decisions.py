"""Decisions at LR = 1, as idiolect and PAN count them."""

import math

import pytest

from idiograph import decisions, pan_metrics

LN10 = math.log(10)


def test_decisions_by_hand() -> None:
    made = decisions(same=[LN10, 2 * LN10, 0, -LN10], different=[LN10, -LN10, -LN10, 0, -2 * LN10])
    assert (made.true_positives, made.false_negatives, made.false_positives, made.true_negatives) == (2, 2, 1, 4)
    assert made.recall == 0.5
    assert made.precision == pytest.approx(2 / 3)
    assert made.f1 == pytest.approx(4 / (4 + 1 + 2))
    assert made.balanced_accuracy == pytest.approx((0.5 + 0.8) / 2)
    assert made.mean_same_log10 == pytest.approx(0.5)
    assert made.mean_different_log10 == pytest.approx(-0.6)


def test_nothing_decided_same_has_no_precision() -> None:
    made = decisions(same=[-1], different=[-1])
    assert made.precision is None
    assert made.f1 == 0


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
