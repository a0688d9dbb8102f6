"""Metrics by hand, by property, against brute force and against numbers frozen from lir."""

import doctest
import json
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brute_force import brute_cllr_min, brute_eer, brute_pav
from idiograph import auc, cllr, cllr_cal, cllr_min, dev_pav, eer, worst_share
from idiograph.evidence import metrics
from idiograph.evidence.metrics import METRICS, Counted, Pooled, ece_curve, grouped, pav_curve, pooled, tippett_curve
from idiograph.evidence.trials import Trials

LN2, LN10 = math.log(2), math.log(10)
LIR = json.loads((Path(__file__).parents[1] / "data" / "lir_frozen.json").read_text(encoding="utf-8"))["vectors"]

# Values on a coarse grid, so that ties are common.
llrs = st.lists(st.integers(-12, 12).map(lambda i: i / 4), min_size=1, max_size=8)


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
    # At 1e4 nats off, on both sides of a pool at LR 1 that runs from −10,000 to 10,000: mean distance 5,000 nats.
    assert dev_pav(same=[-1e4, 1e4], different=[-1e4, 1e4]) == pytest.approx(5_000 / LN10)


@given(llrs, llrs)
def test_cllr_min_by_brute_force(same: list[float], different: list[float]) -> None:
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


def test_laplace_keeps_separated_classes_from_costing_nothing() -> None:
    separated = {"same": [1, 2, 3, 4, 5], "different": [-1, -2, -3, -4, -5]}
    assert cllr_min(**separated) == 0
    # Below: 1 same of 7 (5 different and one of each class added); the real trials cost log2(7/6).
    assert cllr_min(**separated, laplace=True) == pytest.approx(math.log2(7 / 6))
    assert cllr_cal(**separated, laplace=True) == pytest.approx(cllr(**separated) - math.log2(7 / 6))
    assert eer(**separated, laplace=True) == pytest.approx(1 / 7)


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


@given(llrs, llrs, st.data())
def test_a_trial_counting_twice_is_two_trials(same: list[float], different: list[float], data: st.DataObject) -> None:
    times = [
        data.draw(st.lists(st.integers(0, 3), min_size=len(x), max_size=len(x)).filter(any)) for x in (same, different)
    ]
    counted = Counted(Trials.of(same=same, different=different), *(np.array([t], float) for t in times))
    repeated = Trials.of(same=np.repeat(same, times[0]), different=np.repeat(different, times[1]))
    for name, metric in METRICS.items():
        assert metric(counted) == pytest.approx(metric(Counted.once(repeated)), abs=1e-7, nan_ok=True), name


def test_zero_is_on_neither_side() -> None:
    once = Counted.once(Trials.of(same=[1, 0, -1, 2], different=[0, -1]))
    assert (METRICS["same_right"](once)[0], METRICS["different_right"](once)[0]) == (0.5, 0.5)


def test_shift_and_slope_by_hand() -> None:
    # At 1 three of four same and one of four different, at −1 the reverse: ln LR is ±ln 3, so α = 0 and β = ln 3.
    once = Counted.once(Trials.of(same=[1, 1, 1, -1], different=[-1, -1, -1, 1]))
    assert METRICS["shift"](once)[0] == pytest.approx(0, abs=1e-14)
    assert METRICS["slope"](once)[0] == pytest.approx(math.log(3))
    moved = Counted.once(Trials.of(same=[3, 3, 3, 1], different=[1, 1, 1, 3]))
    assert METRICS["shift"](moved)[0] == pytest.approx(-2 * math.log(3))
    separated = Counted.once(Trials.of(same=[1, 2], different=[-1, -2]))
    assert np.isnan(METRICS["shift"](separated)[0])


def pav(same: list[float], different: list[float], *, laplace: bool = False) -> Pooled:
    ones = np.ones((1, len(same))), np.ones((1, len(different)))
    return pooled(grouped(np.array([*same, *different], float), *ones), laplace=laplace)


@given(llrs, llrs)
def test_pav_is_the_best_isotonic_fit(same: list[float], different: list[float]) -> None:
    fitted = pav(same, different)
    best = brute_pav(same, different)
    assert fitted.scores.tolist() == list(best)
    for nats, (a, b) in zip(fitted.nats, best.values(), strict=True):
        if a == 0 or b == 0:
            assert nats == (math.inf if a else -math.inf)
        else:
            assert nats == pytest.approx(math.log(a / b), abs=1e-12)
    assert (np.diff(fitted.nats[np.isfinite(fitted.nats)]) >= -1e-12).all()


@given(llrs, llrs, st.data())
def test_a_weight_says_how_often_a_trial_counts(same: list[float], different: list[float], data: st.DataObject) -> None:
    times = [
        data.draw(st.lists(st.integers(0, 3), min_size=len(x), max_size=len(x)).filter(any)) for x in (same, different)
    ]
    scores = np.array([*same, *different], float)
    both = grouped(scores, *(np.array([[1] * len(t), t], float) for t in times))
    for laplace in (False, True):
        weighted = pooled(both, 1, laplace=laplace)
        repeated = pav(np.repeat(same, times[0]).tolist(), np.repeat(different, times[1]).tolist(), laplace=laplace)
        assert weighted.scores.tolist() == repeated.scores.tolist()
        assert weighted.nats == pytest.approx(repeated.nats, abs=1e-12)


def test_laplace_keeps_every_llr_finite() -> None:
    separated = [1.0, 2.0, 3.0], [-1.0, -2.0, -3.0]
    assert np.isinf(pav(*separated).nats).all()
    # One of each class is added at either end: 1 of 3 against 4 of 3 below, the reverse above.
    assert pav(*separated, laplace=True).nats == pytest.approx([-math.log(4)] * 3 + [math.log(4)] * 3)


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


def test_curves_survive_llrs_of_ten_thousand() -> None:
    wrong = {"same": [-1e4, 1.0], "different": [1e4, -1.0]}
    for curve in (tippett_curve(**wrong), ece_curve(**wrong)):
        assert all(np.isfinite(array).all() for array in vars(curve).values())
