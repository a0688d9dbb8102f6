"""Pool-adjacent-violators against brute force, with weights and with Laplace's points."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brute_force import brute_pav
from idiograph.evidence.metrics import Pooled, grouped, pooled

# Values on a coarse grid, so that ties are common.
llrs = st.lists(st.integers(-12, 12).map(lambda i: i / 4), min_size=1, max_size=8)


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
