"""The reference-normalised LR: S-norm by hand, the whole against the oracle, and what it refuses."""

from math import sqrt

import numpy as np
import pytest

import normalised_oracle as oracle
from idiograph import CalibrationError
from idiograph.evidence.constants import Constants, constants_for
from idiograph.evidence.normalised import LEAST_TO_FIT, normalise, s_norm, standardised
from idiograph.evidence.pulled import Weights

ONE_SCORE = Constants(("made up",), 10, Weights(-1.0, (0.5,)), "by hand", "0" * 64)


def made(n, seed=0, n_scores=2):
    """Scores that lean with Q and with K, and rise by 2 on the diagonal."""
    rng = np.random.default_rng(seed)
    return [
        rng.normal(0, 1, (n, n)) + rng.normal(0, 3, (n, 1)) + rng.normal(0, 3, (1, n)) + 2 * np.eye(n)
        for _ in range(n_scores)
    ]


def test_s_norm_by_hand():
    # Row of Q_4: 1, 2, 3, 6 (mean 3, sd sqrt(14/3)); column of K_4: 2, 2, 4, 4 (mean 3, sd sqrt(4/3)); x is 5.
    scores = np.zeros((5, 5))
    scores[4, :4], scores[:4, 4], scores[4, 4] = [1, 2, 3, 6], [2, 2, 4, 4], 5
    assert s_norm(scores, 4, 4, range(4)) == pytest.approx((2 / sqrt(14 / 3) + 2 / sqrt(4 / 3)) / 2, rel=1e-15)


def test_a_shift_of_q_is_taken_out_against_the_ks_and_one_of_k_against_the_qs():
    (scores,) = made(9, n_scores=1)
    shifted = scores.copy()
    shifted[8, :8] += 100
    shifted[:8, 8] -= 50
    shifted[8, 8] += 100
    row = standardised(shifted[8, 8], shifted[8, :8].tolist())
    assert row == pytest.approx(standardised(scores[8, 8], scores[8, :8].tolist()), rel=1e-12)
    shifted[8, 8] = scores[8, 8] - 50
    column = standardised(shifted[8, 8], shifted[:8, 8].tolist())
    assert column == pytest.approx(standardised(scores[8, 8], scores[:8, 8].tolist()), rel=1e-12)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_whole_is_the_oracles(seed):
    matrices = made(11, seed)
    reference = [0, 2, 3, 4, 5, 6, 7, 8, 9]
    normalisation, found = normalise(matrices, reference=reference, trials=[(1, 1), (1, 10)], tau=0.02)
    weights = constants_for(9).weights
    constants = [weights.alpha, *weights.betas]
    plain = [matrix.tolist() for matrix in matrices]
    for trial, (b, a) in zip(found, [(1, 1), (1, 10)], strict=True):
        assert trial.llr.nats == pytest.approx(oracle.normalised(plain, reference, b, a, constants, 0.02), abs=1e-5)
        normed = [oracle.s_norm(matrix, b, a, reference) for matrix in plain]
        assert trial.normed == pytest.approx(normed, rel=1e-12)
        by_constants = constants[0] + constants[1] * normed[0] + constants[2] * normed[1]
        assert trial.by_constants.nats == pytest.approx(by_constants, rel=1e-12)
        assert trial.scores == (matrices[0][b, a], matrices[1][b, a])
    assert (normalisation.n_authors, normalisation.n_same, normalisation.n_different) == (9, 9, 72)
    assert normalisation.weights is normalisation.fitted


def test_too_few_authors_to_fit_leave_the_constants_alone():
    normalisation, (trial,) = normalise(made(LEAST_TO_FIT), reference=range(LEAST_TO_FIT - 1), trials=[(7, 7)])
    assert normalisation.fitted is None
    assert normalisation.weights is normalisation.constants.weights
    assert trial.llr.nats == trial.by_constants.nats
    assert (trial.llr.how, trial.by_constants.how) == ("normalised", "constants")


def test_three_scores_are_the_third_typing():
    normalisation, (trial,) = normalise(made(12, 5, n_scores=3), reference=range(11), trials=[(11, 11)])
    assert normalisation.constants.scores == ("distinct", "cosine", "typing")
    assert len(trial.normed) == 3


def test_the_unit_of_the_scores_changes_nothing():
    matrices = made(12, 3)
    changed = [matrices[0] * 1000 - 7, matrices[1] / 64 + 2]
    llrs = [normalise(m, reference=range(11), trials=[(11, 11)])[1][0].llr.nats for m in (matrices, changed)]
    assert llrs[1] == pytest.approx(llrs[0], rel=1e-9)


def test_a_case_unlike_the_reference_is_flagged():
    matrices = made(12, 4)
    assert normalise(matrices, reference=range(11), trials=[(11, 11)])[1][0].unusual == ()
    matrices[1][11, :] += 1000
    assert normalise(matrices, reference=range(11), trials=[(11, 11)])[1][0].unusual[:1] == ("Q by cosine",)
    matrices[0][:11, 11] -= 1000
    assert "K by distinct" in normalise(matrices, reference=range(11), trials=[(11, 11)])[1][0].unusual


def test_what_is_refused():
    with pytest.raises(CalibrationError, match="The reference has 4 authors"):
        normalise(made(5), reference=range(4), trials=[(4, 4)])
    with pytest.raises(CalibrationError, match="Author 3 of a trial is in the reference too"):
        normalise(made(9), reference=range(8), trials=[(3, 8)])
    with pytest.raises(CalibrationError, match="An author is twice in the reference"):
        normalise(made(9), reference=[0, 1, 2, 3, 4, 4], trials=[(8, 8)])
    with pytest.raises(CalibrationError, match=r"1 scores and constants for 2 \(distinct, cosine\)"):
        normalise(made(9, n_scores=1), reference=range(8), trials=[(8, 8)])
    odd = made(9)
    odd[0][2, 3] = np.nan
    with pytest.raises(CalibrationError, match="not a finite number"):
        normalise(odd, reference=range(8), trials=[(8, 8)])
    with pytest.raises(CalibrationError, match="All scores of the cohort are the same"):
        normalise([np.eye(9)], reference=range(8), trials=[(8, 8)], constants=ONE_SCORE)
    assert standardised(2.0, [2.0, 2.0, 2.0]) == 0.0
