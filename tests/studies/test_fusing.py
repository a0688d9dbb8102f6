"""Fusion against the oracle's regression, and what it pulls towards."""

import numpy as np
import pytest

import normalised_oracle as oracle
from idiograph import CalibrationError
from idiograph.evidence.constants import constants_for
from idiograph.studies.llrs import folds_of, fused_trials, normalised_trials
from made_matrix import matrix_result
from made_study import whole_trials


def test_each_fold_is_judged_by_the_judged_trials_of_the_others() -> None:
    trials = matrix_result().trials
    normalised = normalised_trials(trials)
    other = np.where(trials.same, 1.0, 0.0) + np.random.default_rng(1).normal(0, 1, len(trials))
    fused = fused_trials(trials, {"mine": other}, normalised)
    case = np.flatnonzero(trials.case)
    (_, _, places), *_ = folds_of(trials)
    judged = [row for row in places if trials.case[row]]
    training = [row for row in case if row not in judged]
    middle, spread = oracle.mean(list(other[training])), oracle.sd(list(other[training]))
    rows = {
        row: [
            normalised.normed["distinct"][row],
            normalised.normed["cosine"][row],
            (other[row] - middle) / spread,
        ]
        for row in case
    }
    weights = constants_for(9, k_tokens=120).weights  # the shortest that constants know is 500
    fitted = oracle.fit(
        [rows[row] for row in training if trials.same[row]],
        [rows[row] for row in training if not trials.same[row]],
        [weights.alpha, *weights.betas, 0.0],
        0.5 / len({trials.column("k_author")[row] for row in training}),
    )
    for row in judged[:4]:
        expected = fitted[0] + sum(beta * x for beta, x in zip(fitted[1:], rows[row], strict=True))
        assert fused[row] == pytest.approx(expected, abs=1e-4)
    assert np.isnan(fused[~trials.case]).all()


def test_without_folds_the_calibration_half_is_learnt_from() -> None:  # type: ignore[no-untyped-def]
    trials = whole_trials()
    rng = np.random.default_rng(2)
    scores = {name: trials.same + rng.normal(0, 1, len(trials)) for name in ("one", "two")}
    fused = fused_trials(trials, scores, None)
    assert np.isfinite(fused[trials.case]).all()
    assert np.isnan(fused[~trials.case]).all()
    with pytest.raises(CalibrationError, match="a score to be joined is the same for all trials"):
        fused_trials(trials, {"flat": np.ones(len(trials))}, None)
    with pytest.raises(CalibrationError, match="needs the scores of at least two trials"):
        fused_trials(trials, {"none": np.full(len(trials), np.nan)}, None)
