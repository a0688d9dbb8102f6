"""LLRs among trials as close in topic: the matching and its Cllr by a slow twin, bands by hand."""

from math import log, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph.evidence.matching import bands, controlled_cllr, matched

C = st.floats(0, 1)
TRIALS = st.lists(st.tuples(C, st.floats(-5, 5)), min_size=1, max_size=30)


def slow(same, different):
    """Topic-controlled Cllr, as the definition reads."""
    costs, others = [], []
    for c, nats in same:
        near = sorted((abs(log(x + 0.02) - log(c + 0.02)), at) for at, (x, _) in enumerate(different))
        near = [at for away, at in near if away <= 0.3][:10]
        if len(near) >= 5:
            costs.append(log2(1 + np.exp(-nats)))
            others.append(np.mean([log2(1 + np.exp(different[at][1])) for at in near]))
    return 0.5 * (np.mean(costs) + np.mean(others)) if costs else None


@given(TRIALS, TRIALS)
def test_it_is_the_slow_twins(same, different):
    (c_same, same_nats), (c_different, different_nats) = (np.array(trials).T for trials in (same, different))
    pairs = matched(same=c_same, different=c_different)
    expected = slow(same, different)
    assert controlled_cllr(pairs, same=same_nats, different=different_nats) == (
        None if expected is None else pytest.approx(expected)
    )
    assert pairs.n_left_out + len(pairs.same) == len(same)


def test_who_has_fewer_than_five_as_near_is_left_out():
    different = np.array([0.1] * 4 + [0.5])
    assert matched(same=np.array([0.1]), different=different).n_left_out == 1
    different = np.array([0.1] * 12 + [0.5])
    assert [len(match) for match in matched(same=np.array([0.1]), different=different).different] == [10]


def test_bands_by_hand():
    by_band = bands(
        same=np.log([20.0, 0.2, 0.05]),
        different=np.log([0.5, 4.0, 40.0]),
        same_g=np.array([4.0, 0.0, 0.4]),
        different_g=np.array([-2.0, 0.0, 0.1]),
    )
    assert [(band.n_same, band.n_different) for band in by_band] == [(0, 1), (0, 0), (2, 2), (0, 0), (0, 0), (1, 0)]
    middle = by_band[2]
    assert (middle.low, middle.high) == (-0.5, 0.5)
    assert (middle.same_below_third, middle.same_below_tenth) == (1.0, 0.5)
    assert (middle.different_above_3, middle.different_above_10) == (1.0, 0.5)
    assert (middle.same_mean, middle.different_mean) == (pytest.approx(log(0.1)), pytest.approx(log(160) / 2))
    assert by_band[0].same_mean is None
    assert middle.same_half == pytest.approx((log2(6) + log2(21)) / 2)
    assert middle.different_half == pytest.approx((log2(5) + log2(41)) / 2)
    assert by_band[0].same_half is None
    assert by_band[0].different_half == pytest.approx(log2(1.5))


def test_an_edge_belongs_to_the_band_above_it_and_an_lr_of_3_or_10_is_not_beyond_it():
    by_band = bands(
        same=-np.log([3.0, 10.0]),
        different=np.log([3.0, 10.0]),
        same_g=np.array([-0.5, -0.5]),
        different_g=np.array([-0.5, 0.5]),
    )
    assert [(band.n_same, band.n_different) for band in by_band] == [(0, 0), (0, 0), (2, 1), (0, 1), (0, 0), (0, 0)]
    assert (by_band[2].same_below_third, by_band[2].same_below_tenth) == (0.5, 0.0)
    assert (by_band[2].different_above_3, by_band[3].different_above_3, by_band[3].different_above_10) == (
        0.0,
        1.0,
        0.0,
    )
