"""Metrics by hand, by property, against brute force and against numbers frozen from lir."""

import doctest
import json
import math
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idiograph import InputError, auc, cllr, cllr_cal, cllr_min, dev_pav, eer, misleading, worst_share
from idiograph.evidence import metrics
from idiograph.evidence.curves import ece_curve, pav_curve, tippett_curve
from idiograph.evidence.decisions import decisions, pan_metrics
from idiograph.evidence.metrics import pav, right_side

FloatArray = npt.NDArray[np.float64]
LN2, LN10 = math.log(2), math.log(10)
LIR = json.loads((Path(__file__).parents[1] / "data" / "lir_frozen.json").read_text(encoding="utf-8"))["vectors"]

# Values on a coarse grid, so that ties are common.
llrs = st.lists(st.integers(-12, 12).map(lambda i: i / 4), min_size=1, max_size=8)
ALL: tuple[Callable[..., Any], ...] = (cllr, cllr_min, cllr_cal, eer, auc, dev_pav, worst_share, right_side, misleading)
ALL = (*ALL, pav, tippett_curve, pav_curve, ece_curve)


def brute_pav(same: list[float], different: list[float]) -> dict[float, tuple[float, float]]:
    """The isotonic regression by the max-min formula: at each score the shares (of same, of both) of its best pool."""
    scores = sorted({*same, *different})
    s = [same.count(x) / len(same) for x in scores]
    d = [different.count(x) / len(different) for x in scores]

    def pooled(j: int, k: int) -> tuple[float, float, float]:
        a, b = sum(s[j : k + 1]), sum(d[j : k + 1])
        return a / (a + b), a, b

    best = {}
    for i, x in enumerate(scores):
        _, a, b = max(min(pooled(j, k) for k in range(i, len(scores))) for j in range(i + 1))
        best[x] = (a, b)
    return best


def brute_cllr_min(same: list[float], different: list[float]) -> float:
    best = brute_pav(same, different)
    same_cost = sum(math.log2(1 + best[x][1] / best[x][0]) for x in same) / len(same)
    different_cost = sum(math.log2(1 + best[x][0] / best[x][1]) for x in different) / len(different)
    return (same_cost + different_cost) / 2


def brute_eer(same: list[float], different: list[float]) -> float:
    """The lowest point of equal errors that any mixture of two thresholds reaches."""
    thresholds = [*sorted({*same, *different}), math.inf]
    points = [
        (sum(x < t for x in same) / len(same), sum(x >= t for x in different) / len(different)) for t in thresholds
    ]
    best = 1.0
    for (m1, f1), (m2, f2) in product(points, points):
        g1, g2 = m1 - f1, m2 - f2
        if g1 <= 0 <= g2:
            part = 0.0 if g1 == g2 else -g1 / (g2 - g1)
            best = min(best, m1 + part * (m2 - m1))
    return best


def test_the_example_of_the_docstring() -> None:
    assert doctest.testmod(metrics) == doctest.TestResults(failed=0, attempted=1)


def test_cllr_by_hand() -> None:
    # LR 4 and 1 for same, LR 1/2 for different: ½·((log2 1.25 + log2 2)/2 + log2 1.5).
    expected = ((math.log2(1.25) + 1) / 2 + math.log2(1.5)) / 2
    assert cllr(same=[math.log(4), 0], different=[-LN2]) == pytest.approx(expected, rel=1e-15)


@given(st.integers(1, 9), st.integers(1, 9))
def test_silence_costs_one(n_same: int, n_different: int) -> None:
    silent = {"same": np.zeros(n_same), "different": np.zeros(n_different)}
    assert cllr(**silent) == pytest.approx(1, abs=1e-15)
    assert cllr_min(**silent) == pytest.approx(1, abs=1e-15)
    assert auc(**silent) == 0.5
    assert eer(**silent) == 0.5


def test_metrics_survive_llrs_of_ten_thousand() -> None:
    right = {"same": [1e4, 1e4], "different": [-1e4, -1e4]}
    wrong = {"same": [-1e4, 1.0], "different": [1e4, -1.0]}
    assert cllr(**right) == 0
    assert worst_share(**right) == 0
    # Each class: one trial of 10,000 nats and one of log2(1 + 1/e).
    assert cllr(**wrong) == pytest.approx((1e4 / LN2 + math.log2(1 + math.exp(-1))) / 2, rel=1e-14)
    assert worst_share(**wrong) == pytest.approx(0.5, abs=1e-4)
    assert cllr_min(**right) == 0
    assert (eer(**right), auc(**right), dev_pav(**right)) == (0, 1, None)
    for curve in (tippett_curve(**wrong), ece_curve(**wrong)):
        assert all(np.isfinite(array).all() for array in vars(curve).values())
    # At 1e4 nats off, on both sides of a pool at LR 1 that runs from −10,000 to 10,000: mean distance 5,000 nats.
    assert dev_pav(same=[-1e4, 1e4], different=[-1e4, 1e4]) == pytest.approx(5_000 / LN10)


@given(llrs, llrs)
def test_pav_is_the_best_isotonic_fit(same: list[float], different: list[float]) -> None:
    fitted = pav(same=same, different=different)
    best = brute_pav(same, different)
    assert fitted.scores.tolist() == list(best)
    for nats, (a, b) in zip(fitted.nats, best.values(), strict=True):
        if a == 0 or b == 0:
            assert nats == (math.inf if a else -math.inf)
        else:
            assert nats == pytest.approx(math.log(a / b), abs=1e-12)
    assert (np.diff(fitted.nats[np.isfinite(fitted.nats)]) >= -1e-12).all()
    assert cllr_min(same=same, different=different) == pytest.approx(brute_cllr_min(same, different), abs=1e-12)


@given(llrs, llrs)
def test_eer_by_brute_force(same: list[float], different: list[float]) -> None:
    assert eer(same=same, different=different) == pytest.approx(brute_eer(same, different), abs=1e-12)


@given(llrs, llrs)
def test_auc_by_counting(same: list[float], different: list[float]) -> None:
    wins = sum((s > d) + (s == d) / 2 for s, d in product(same, different))
    assert auc(same=same, different=different) == pytest.approx(wins / (len(same) * len(different)), abs=1e-12)


@given(llrs, llrs)
def test_discrimination_is_unchanged_by_monotone_maps(same: list[float], different: list[float]) -> None:
    mapped = {"same": [math.sinh(x) - 40 for x in same], "different": [math.sinh(x) - 40 for x in different]}
    for metric in (auc, cllr_min, eer):
        assert metric(**mapped) == pytest.approx(metric(same=same, different=different), abs=1e-12)


@given(llrs, llrs)
def test_perfect_calibration_costs_no_more(same: list[float], different: list[float]) -> None:
    both = {"same": same, "different": different}
    assert cllr_min(**both) <= cllr(**both) + 1e-12
    assert cllr_cal(**both) == pytest.approx(cllr(**both) - cllr_min(**both), abs=1e-15)
    assert 0 <= eer(**both) <= 0.5 + 1e-12


@given(llrs, llrs)
def test_swapping_classes_and_signs_changes_nothing(same: list[float], different: list[float]) -> None:
    turned = {"same": [-x for x in different], "different": [-x for x in same]}
    for metric in (cllr, cllr_min, eer, auc, dev_pav, worst_share):
        assert metric(**turned) == pytest.approx(metric(same=same, different=different), abs=1e-12)


@settings(max_examples=50)
@given(llrs, llrs, st.data())
def test_repeated_trials_are_weighted_trials(same: list[float], different: list[float], data: st.DataObject) -> None:
    times = [
        data.draw(st.lists(st.integers(0, 3), min_size=len(x), max_size=len(x)).filter(any)) for x in (same, different)
    ]
    weighted: dict[str, Any] = {"same": same, "different": different}
    weighted |= {"same_weights": times[0], "different_weights": times[1]}
    repeated = {"same": np.repeat(same, times[0]), "different": np.repeat(different, times[1])}
    for metric in (cllr, cllr_min, cllr_cal, eer, auc, dev_pav):
        assert metric(**weighted) == pytest.approx(metric(**repeated), abs=1e-12)
    for metric in (cllr_min, eer):
        assert metric(**weighted, laplace=True) == pytest.approx(metric(**repeated, laplace=True), abs=1e-12)
    assert vars(right_side(**weighted)) == pytest.approx(vars(right_side(**repeated)))
    rates = [[entry.rate for entry in misleading(**given)] for given in (weighted, repeated)]
    assert rates[0] == pytest.approx(rates[1])
    ece = [ece_curve(**given, prior_log10_odds=[-1, 0, 1]) for given in (weighted, repeated)]
    np.testing.assert_allclose(ece[0].llrs, ece[1].llrs, atol=1e-12)
    np.testing.assert_allclose(ece[0].calibrated, ece[1].calibrated, atol=1e-12)
    if all(times[0]) and all(times[1]):
        curves = [tippett_curve(**given) for given in (weighted, repeated)]
        np.testing.assert_allclose(curves[0].same, curves[1].same, atol=1e-12)
        np.testing.assert_allclose(curves[0].different, curves[1].different, atol=1e-12)


def test_laplace_keeps_separated_classes_from_costing_nothing() -> None:
    separated = {"same": [1, 2, 3, 4, 5], "different": [-1, -2, -3, -4, -5]}
    assert cllr_min(**separated) == 0
    # Below: 1 same of 7 (5 different and one of each class added); the real trials cost log2(7/6).
    assert cllr_min(**separated, laplace=True) == pytest.approx(math.log2(7 / 6))
    assert cllr_cal(**separated, laplace=True) == pytest.approx(cllr(**separated) - math.log2(7 / 6))
    assert eer(**separated, laplace=True) == pytest.approx(1 / 7)
    assert np.isfinite(pav(**separated, laplace=True).nats).all()


def test_auc_is_not_flipped() -> None:
    assert auc(same=[-1, -2], different=[1, 2]) == 0


def test_dev_pav_by_hand() -> None:
    # Three of four same and one of four different at 0, the reverse at 2: one pool, PAV = log 1 = 0 at both scores.
    # From x = 0 to 2 nats the distance rises from 0 to 2: mean 1 nat.
    anti = {"same": [0, 0, 0, 2], "different": [0, 2, 2, 2]}
    assert dev_pav(**anti) == pytest.approx(1 / LN10)
    # PAV ln 1/3 at −1 and ln 3 at 1 crosses the identity at 0: two triangles of height ln 3 − 1 on a base of 1 each.
    crossing = {"same": [-1, 1, 1, 1], "different": [-1, -1, -1, 1]}
    assert dev_pav(**crossing) == pytest.approx((math.log(3) - 1) / 2 / LN10)
    # Finite at one score only: the distance there.
    assert dev_pav(same=[1, 5], different=[1, -5]) == pytest.approx(1 / LN10)


@pytest.mark.parametrize("name", sorted(LIR))
def test_numbers_frozen_from_lir(name: str) -> None:
    frozen = LIR[name]
    both = {kind: np.array(frozen[f"{kind}_log10"]) * LN10 for kind in ("same", "different")}
    for metric in (cllr, cllr_min, cllr_cal, dev_pav):
        assert metric(**both) == pytest.approx(frozen[metric.__name__], abs=1e-12)


def test_worst_share_by_hand() -> None:
    # Costs 1 bit (LR 1) and log2(1 + 1/3) for same, 2 bits (LR 3) for different, each class halved by its size.
    costs = [1 / 2, math.log2(4 / 3) / 2, 2]
    assert worst_share(same=[0, math.log(3)], different=[math.log(3)]) == pytest.approx(2 / sum(costs))


def test_zero_is_on_neither_side() -> None:
    sides = right_side(same=[1, 0, -1, 2], different=[0, -1])
    assert (sides.same, sides.different) == (0.5, 0.5)


def test_misleading_by_hand() -> None:
    same = np.log([0.5, 0.05, 0.1, 1, 20])
    found = misleading(
        same=same,
        different=np.log([0.5, 10, 150]),
        same_authors=["a", "a", "b", "c", "d"],
        different_authors=[("a", "b"), ("b", "c"), ("c", "a")],
    )
    # LR 1 misleads nobody, and neither 10 nor 1/10 is beyond 10.
    assert [(entry.kind, entry.above, entry.count, entry.n) for entry in found] == [
        ("same", 1, 3, 5),
        ("different", 1, 2, 3),
        ("same", 10, 1, 5),
        ("different", 10, 1, 3),
        ("same", 100, 0, 5),
        ("different", 100, 1, 3),
    ]
    none = found[4]
    assert none.words == "0 of 4; 95 % upper limit about 3/4"
    assert none.upper_limit == 0.75
    assert found[0].words == "3 of 5"
    assert found[0].upper_limit is None
    assert found[1].n_authors == 3


def test_misleading_without_authors_promises_no_limit() -> None:
    entry = misleading(same=[1], different=[-1])[0]
    assert entry.upper_limit is None
    assert "no upper limit" in entry.words


def test_other_thresholds_change_what_misleads() -> None:
    entries = misleading(same=[-1], different=[-1], above=[2, 3])
    assert [entry.count for entry in entries if entry.kind == "same"] == [1, 0]
    with pytest.raises(InputError, match=r"above LR 1 or more, not 0\.5"):
        misleading(same=[1], different=[1], above=[0.5])


def test_too_few_authors_are_refused() -> None:
    with pytest.raises(InputError, match="2 same-author trials and the authors of 1"):
        misleading(same=[1, 2], different=[1], same_authors=["a"])
    with pytest.raises(InputError, match="1 different-author trials and the authors of 0"):
        misleading(same=[1, 2], different=[1], different_authors=[])


@pytest.mark.parametrize("metric", [*ALL, decisions, pan_metrics])
def test_what_cannot_be_measured_is_said(metric: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match="needs both kinds of trial and found 2 same-author, 0 different-author"):
        metric(same=[1, 2], different=[])
    for bad in (math.nan, math.inf, -math.inf):
        with pytest.raises(InputError, match="1 of 2 different-author values are infinite or not a number"):
            metric(same=[1], different=[0, bad])
    with pytest.raises(InputError, match="same-author values have 2 dimensions"):
        metric(same=[[1.0], [2.0]], different=[1])


@pytest.mark.parametrize("metric", ALL)
def test_unusable_weights_are_said(metric: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match="2 same-author trials and 1 weights"):
        metric(same=[1, 2], different=[1], same_weights=[1])
    for bad in ([0, 0], [-1, 2], [math.nan, 1]):
        with pytest.raises(InputError, match="weights of the same-author trials must be finite"):
            metric(same=[1, 2], different=[1], same_weights=bad)


def test_tippett_by_hand() -> None:
    curve = tippett_curve(same=[LN10, LN10, 0], different=[0, -LN10])
    np.testing.assert_allclose(curve.log10_lr, [-1, 0, 1])
    np.testing.assert_allclose(curve.same, [1, 1, 2 / 3])
    np.testing.assert_allclose(curve.different, [1, 0.5, 0])


def test_pav_curve_is_pav_in_log10() -> None:
    curve = pav_curve(same=[-1, 1, 1, 1, 2], different=[-1, -1, -1, 1, -2])
    np.testing.assert_allclose(curve.log10_lr * LN10, [-2, -1, 1, 2])
    np.testing.assert_allclose(curve.pav_log10_lr, [-math.inf, -math.log10(3), math.log10(3), math.inf])


@given(llrs, llrs)
def test_ece_at_even_odds_is_cllr(same: list[float], different: list[float]) -> None:
    both = {"same": same, "different": different}
    curve = ece_curve(**both, prior_log10_odds=[-2.0, 0.0, 2.0])
    assert curve.llrs[1] == pytest.approx(cllr(**both))
    assert curve.calibrated[1] == pytest.approx(cllr_min(**both), abs=1e-12)
    assert curve.neutral[1] == pytest.approx(1)
    # Silence at odds of 1 : 100 costs the entropy of 1/101.
    p = 1 / 101
    assert curve.neutral[0] == pytest.approx(-p * math.log2(p) - (1 - p) * math.log2(1 - p))
    assert (curve.calibrated <= curve.llrs + 1e-12).all()
    assert (curve.calibrated <= curve.neutral + 1e-12).all()


def test_ece_covers_three_orders_of_prior_odds_by_default() -> None:
    grid = ece_curve(same=[1], different=[-1]).prior_log10_odds
    assert (grid[0], grid[-1]) == (-3, 3)


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
    assert measured.f05_u == pytest.approx(1.25 / (1.25 + 0.25 * 2 + 1))
    assert measured.brier == pytest.approx(1 - (0.01 + 0.25 + 0.64 + 0.01 + 0.64) / 5)
    assert measured.auc == pytest.approx((2 + 1 + 1) / 6)
    parts = [measured.auc, measured.c_at_1, measured.f1, measured.f05_u, measured.brier]
    assert measured.overall == pytest.approx(sum(parts) / 5)


def test_pan_without_answers_has_no_f1() -> None:
    measured = pan_metrics(same=[0], different=[0])
    assert (measured.c_at_1, measured.f1, measured.f05_u, measured.overall) == (0, None, 0, None)
    assert pan_metrics(same=[1e4], different=[-1e4]).overall == 1
