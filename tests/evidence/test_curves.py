"""The curves behind the plots, by hand and against the metrics they must meet."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph import cllr, cllr_min
from idiograph.evidence.metrics import ece_curve, pav_curve, tippett_curve

LN10 = math.log(10)

# Values on a coarse grid, so that ties are common.
llrs = st.lists(st.integers(-12, 12).map(lambda i: i / 4), min_size=1, max_size=8)


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
