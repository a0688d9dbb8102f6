"""Logistic regression: rows of weights at once give what each gives alone, and glm stops where R's does."""

import math

import numpy as np
import pytest

from idiograph.evidence.calibration import balanced_maxima, r_glm

SCORES = np.array([3.0, 2.0, -1.0, 1.0, -3.0, -2.0, 1.5, 0.5])
TARGETS = np.repeat([1.0, 0.0], 4)


def test_many_rows_of_weights_give_what_each_gives_alone() -> None:
    weights = np.random.default_rng(1).uniform(0.5, 2, (6, 8))
    together = balanced_maxima(SCORES, targets=TARGETS, weights=weights)
    for row in range(6):
        alone = balanced_maxima(SCORES, targets=TARGETS, weights=weights[row : row + 1])
        assert together.intercepts[row] == pytest.approx(alone.intercepts[0], abs=1e-12)
        assert together.slopes[row] == pytest.approx(alone.slopes[0], abs=1e-12)


def test_at_the_maximum_the_gradient_is_zero() -> None:
    weights = np.full((1, 8), 0.25)
    found = balanced_maxima(SCORES, targets=TARGETS, weights=weights)
    missing = TARGETS - 1 / (1 + np.exp(-(found.intercepts[0] + found.slopes[0] * SCORES)))
    assert missing.sum() == pytest.approx(0, abs=1e-13)
    assert (missing * SCORES).sum() == pytest.approx(0, abs=1e-13)


def test_glm_reaches_the_maximum_where_there_is_one() -> None:
    weights = np.full(8, 0.25)
    intercept, slope, iterations = r_glm(SCORES, TARGETS, weights)
    found = balanced_maxima(SCORES, targets=TARGETS, weights=weights[None, :])
    assert (intercept, slope) == pytest.approx((found.intercepts[0], found.slopes[0]), rel=1e-5)
    assert 2 <= iterations <= 10


def test_glm_gives_up_after_25_iterations_at_most() -> None:
    _, slope, iterations = r_glm(np.array([1.0, 2.0, -1.0, -2.0]), np.repeat([1.0, 0.0], 2), np.full(4, 0.5))
    assert iterations <= 25
    assert math.isfinite(slope)
    assert slope > 5
