"""The compiled loops of evidence: pool-adjacent-violators by exact fractions, and the maximum of a likelihood."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph.evidence import kernels

COUNTS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(any), min_size=1, max_size=14)


def isotonic(counts):
    """The share of same-author trials at each place that rises and fits best, by its max-min formula."""

    def share(a, b):
        same, different = (sum(count[kind] for count in counts[a : b + 1]) for kind in (0, 1))
        return Fraction(same, same + different)

    places = range(len(counts))
    return [max(min(share(a, b) for b in places[i:]) for a in places[: i + 1]) for i in places]


@given(COUNTS)
def test_blocks_are_those_of_exact_fractions(counts):
    same, different = (np.array([count[kind] for count in counts], float) for kind in (0, 1))
    starts = kernels.pool(same, different).tolist()
    expected = isotonic(counts)
    # A new block starts where the best rising share rises.
    assert starts == [i for i in range(len(counts)) if i == 0 or expected[i] > expected[i - 1]]


@given(COUNTS, st.integers(1, 50), st.integers(1, 50))
def test_the_sizes_of_the_classes_change_no_block(counts, times_same, times_different):
    same, different = (np.array([count[kind] for count in counts], float) for kind in (0, 1))
    assert np.array_equal(kernels.pool(same * times_same, different * times_different), kernels.pool(same, different))


X = np.array([3.0, 2.0, -1.0, 1.0, -3.0, -2.0, 1.5, 0.5]) / 3
TARGETS = np.repeat([1.0, 0.0], 4)


def likelihood(a, b, weights):
    p = 1 / (1 + np.exp(-(a + b * X)))
    return float((weights * (TARGETS * np.log(p) + (1 - TARGETS) * np.log(1 - p))).sum())


def test_a_maximum_is_one_whatever_the_weights():
    weights = np.random.default_rng(2).uniform(0.2, 2, (5, 8))
    maxima = kernels.maxima(X, TARGETS, weights, 0.0, 0.0)
    for a, b, steps, row in zip(*maxima, weights, strict=True):
        best = likelihood(a, b, row)
        assert 0 < steps < 20
        for step in (-1e-3, 1e-3):
            assert likelihood(a + step, b, row) < best
            assert likelihood(a, b + step, row) < best


def test_the_start_changes_only_the_number_of_steps():
    weights = np.full((1, 8), 0.25)
    near, far = (kernels.maxima(X, TARGETS, weights, a, b) for a, b in ((0.0, 1.0), (-6.0, 9.0)))
    assert (near[0][0], near[1][0]) == pytest.approx((far[0][0], far[1][0]), rel=1e-13)


def test_newtons_step_by_hand():
    # At (0, 0) every p is ½, so the gradient is Σ w·(½ − t)·(1, x) and the information Σ w/4·(1, x)².
    weights = np.ones(8)
    cost, step_a, step_b = kernels.newton(X, TARGETS, weights, 0.0, 0.0, np.empty(8), True)
    assert cost == pytest.approx(8 * np.log(2))
    design = np.stack([np.ones(8), X])
    expected = np.linalg.solve(design @ design.T / 4, design @ (0.5 - TARGETS))
    assert (step_a, step_b) == pytest.approx(expected.tolist())


def test_no_overlap_reaches_no_maximum():
    x, targets = np.array([1.0, 0.5, -0.5, -1.0]), np.array([1.0, 1.0, 0.0, 0.0])
    _, b, _ = kernels.maxima(x, targets, np.full((1, 4), 0.5), 0.0, 0.0)
    assert not np.isfinite(b[0]) or b[0] > 20


def test_shares_are_summed_over_the_texts_by_hand():
    # Text 1 has n-gram 0 once and n-gram 1 three times of 4, text 2 n-gram 0 twice of 8.
    starts, ids, times = np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([1, 3, 2])
    assert kernels.summed_shares(starts, ids, times, np.array([4, 8]), 3).tolist() == [1 / 4 + 2 / 8, 3 / 4, 0.0]
