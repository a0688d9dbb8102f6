"""S-norm by hand, and what it takes out."""

from math import sqrt

import numpy as np
import pytest

import normalised_oracle as oracle
from idiograph import CalibrationError
from idiograph.evidence.matrix import s_norms


def test_by_hand() -> None:
    # Row of Q_4: 1, 2, 3, 6 (mean 3, sd sqrt(14/3)); column of K_4: 2, 2, 4, 4 (mean 3, sd sqrt(4/3)); x is 5.
    scores = np.zeros((5, 5))
    scores[4, :4], scores[:4, 4], scores[4, 4] = [1, 2, 3, 6], [2, 2, 4, 4], 5
    found = s_norms(scores, [(4, 4)], reference=range(4))
    assert found == pytest.approx([(2 / sqrt(14 / 3) + 2 / sqrt(4 / 3)) / 2], rel=1e-15)


def test_every_trial_inside_and_outside_the_reference_is_the_oracles() -> None:
    scores = np.random.default_rng(1).normal(size=(9, 9))
    reference = [0, 2, 3, 5, 6, 8]
    trials = [(b, a) for b in range(9) for a in range(9)]
    expected = [oracle.s_norm(scores.tolist(), b, a, reference) for b, a in trials]
    assert s_norms(scores, trials, reference=reference) == pytest.approx(expected, rel=1e-12)


def test_a_shift_of_q_or_of_k_moves_only_the_other_half() -> None:
    scores = np.random.default_rng(2).normal(size=(9, 9))
    of_q, of_k = scores.copy(), scores.copy()
    of_q[8, :] += 100
    of_k[:, 8] += 100
    plain, by_q, by_k = (s_norms(one, [(8, 8)], reference=range(8))[0] for one in (scores, of_q, of_k))
    for moved, values in ((by_q, scores[:8, 8]), (by_k, scores[8, :8])):
        assert moved - plain == pytest.approx(50 / values.std(ddof=1), rel=1e-9)


def test_a_cohort_without_spread_is_refused_unless_the_trial_is_like_it() -> None:
    alike = np.ones((9, 9))
    assert s_norms(alike, [(8, 8)], reference=range(8)).tolist() == [0.0]
    alike[8, 8] = 2.0
    with pytest.raises(CalibrationError, match="All scores of the cohort are the same"):
        s_norms(alike, [(8, 8)], reference=range(8))
