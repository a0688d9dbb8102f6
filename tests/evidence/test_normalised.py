"""The reference-normalised LR: S-norm by hand, the whole against the oracle, and what it refuses."""

import numpy as np
import pytest

import normalised_oracle as oracle
from idiograph import CalibrationError, normalise
from idiograph.evidence.constants import NONE, Constants, Weights, constants_for
from idiograph.evidence.matrix import Matrix
from idiograph.evidence.normalised import (
    LEAST_TO_FIT,
    features,
    fit_normalisation,
    normalise_draws,
    over_draws,
    weighted_nats,
)

ONE_SCORE = Constants(("made up",), 10, Weights(-1.0, (0.5,)), "by hand", "0" * 64)


def random_scores(n, seed=0, n_scores=2):
    """Scores that lean with Q and with K, and rise by 2 on the diagonal."""
    rng = np.random.default_rng(seed)
    return [
        rng.normal(0, 1, (n, n)) + rng.normal(0, 3, (n, 1)) + rng.normal(0, 3, (1, n)) + 2 * np.eye(n)
        for _ in range(n_scores)
    ]


def random_matrix(n, seed):
    """The same as a matrix, whose last author is the case's."""
    return Matrix(dict(zip(("distinct", "cosine"), random_scores(n, seed), strict=True)), range(n - 1))


@pytest.mark.parametrize("seed", [1, 2])
def test_the_whole_is_the_oracles(seed):
    matrices = random_scores(11, seed)
    reference = [0, 2, 3, 4, 5, 6, 7, 8, 9]
    normalisation, judged = normalise(matrices, reference=reference, trials=[(1, 1), (1, 10)], tau=0.02)
    weights = constants_for(9).weights
    constants = [weights.alpha, *weights.betas]
    plain = [matrix.tolist() for matrix in matrices]
    for trial, (b, a) in zip(judged, [(1, 1), (1, 10)], strict=True):
        assert trial.llr.nats == pytest.approx(oracle.normalised(plain, reference, b, a, constants, 0.02), abs=1e-5)
        normed = [oracle.s_norm(matrix, b, a, reference) for matrix in plain]
        assert trial.normed == pytest.approx(normed, rel=1e-12)
        by_constants = constants[0] + constants[1] * normed[0] + constants[2] * normed[1]
        assert trial.by_constants.nats == pytest.approx(by_constants, rel=1e-12)
        assert trial.scores == (matrices[0][b, a], matrices[1][b, a])
    assert (normalisation.n_authors, normalisation.n_same, normalisation.n_different) == (9, 9, 72)
    assert normalisation.weights is normalisation.fitted


def test_too_few_authors_to_fit_leave_the_constants_alone():
    normalisation, (trial,) = normalise(random_scores(LEAST_TO_FIT), reference=range(LEAST_TO_FIT - 1), trials=[(7, 7)])
    assert normalisation.fitted is None
    assert normalisation.weights is normalisation.constants.weights
    assert trial.llr.nats == trial.by_constants.nats
    assert (trial.llr.how, trial.by_constants.how) == ("normalised", "constants")


def test_three_scores_are_the_third_typing():
    normalisation, (trial,) = normalise(random_scores(12, 5, n_scores=3), reference=range(11), trials=[(11, 11)])
    assert normalisation.constants.scores == ("distinct", "cosine", "typing")
    assert len(trial.normed) == 3


def test_the_unit_of_the_scores_changes_nothing():
    matrices = random_scores(12, 3)
    changed = [matrices[0] * 1000 - 7, matrices[1] / 64 + 2]
    llrs = [normalise(m, reference=range(11), trials=[(11, 11)])[1][0].llr.nats for m in (matrices, changed)]
    assert llrs[1] == pytest.approx(llrs[0], rel=1e-9)


def test_a_case_unlike_the_reference_is_flagged():
    matrices = random_scores(12, 4)
    assert normalise(matrices, reference=range(11), trials=[(11, 11)])[1][0].unusual == ()
    matrices[1][11, :] += 1000
    assert normalise(matrices, reference=range(11), trials=[(11, 11)])[1][0].unusual[:1] == ("Q by cosine",)
    matrices[0][:11, 11] -= 1000
    assert "K by distinct" in normalise(matrices, reference=range(11), trials=[(11, 11)])[1][0].unusual


def test_what_is_refused():
    with pytest.raises(CalibrationError, match="4 reference authors have a Q and a K"):
        normalise(random_scores(5), reference=range(4), trials=[(4, 4)])
    assert normalise(random_scores(6), reference=range(5), trials=[(5, 5)])  # five are enough
    with pytest.raises(CalibrationError, match="Author 3 of a trial is in the reference too"):
        normalise(random_scores(9), reference=range(8), trials=[(3, 8)])
    with pytest.raises(CalibrationError, match="An author occurs twice in the reference"):
        normalise(random_scores(9), reference=[0, 1, 2, 3, 4, 4], trials=[(8, 8)])
    with pytest.raises(CalibrationError, match=r"1 scores and constants for 2 \(distinct, cosine\)"):
        normalise(random_scores(9, n_scores=1), reference=range(8), trials=[(8, 8)])
    odd = random_scores(9)
    odd[0][2, 3] = np.nan
    with pytest.raises(CalibrationError, match="not a finite number"):
        normalise(odd, reference=range(8), trials=[(8, 8)])
    with pytest.raises(CalibrationError, match="All scores of the cohort are the same"):
        normalise([np.eye(9)], reference=range(8), trials=[(8, 8)], constants=ONE_SCORE)


def test_several_draws_are_calibrated_on_together_and_a_trial_is_their_mean():
    first, other = random_matrix(12, 6), random_matrix(12, 7)
    normalisation, judged = normalise_draws([first, other], trials=[(11, 11)])
    assert (normalisation.n_same, normalisation.n_different) == (22, 220)
    trial = over_draws([draw[0] for draw in judged], normalisation)
    singles = [normalise_draws([m], trials=[(11, 11)])[1][0][0] for m in (first, other)]
    assert trial.normed == pytest.approx([(x + y) / 2 for x, y in zip(*(s.normed for s in singles), strict=True)])
    weights = normalisation.weights
    nats = weights.alpha + sum(beta * x for beta, x in zip(weights.betas, trial.normed, strict=True))
    assert trial.llr.nats == pytest.approx(nats, rel=1e-12)
    # The same draw twice says no more than once.
    twice = normalise_draws([first, first], trials=[(11, 11)])[1]
    assert twice[0][0].llr.nats == pytest.approx(singles[0].llr.nats, rel=1e-3)


def test_an_author_who_counts_twice_counts_as_if_he_were_there_twice():
    matrix = random_matrix(12, 8)
    weights = [2.0, *[1.0] * 10]
    normed_twice = features(matrix, [(11, 11)], (), weights=weights)[0]
    # By hand: the row and the column of the trial with author 0 twice.
    for scores, normed in zip(matrix.scores.values(), normed_twice, strict=True):
        x, halves = scores[11, 11], []
        for values in (scores[11, :11], scores[:11, 11]):
            listed = np.array([values[0], *values])
            halves.append((x - listed.mean()) / listed.std(ddof=1))
        assert normed == pytest.approx(sum(halves) / 2, rel=1e-12)


def test_a_reference_whose_authors_count_differently_says_something_else():
    matrix = random_matrix(12, 8)
    normalisation, ((plain,),) = normalise_draws([matrix], trials=[(11, 11)])
    nats = {}
    for twice in (1.0, 2.0):
        weights = [twice, *[1.0] * 10]
        fitted = fit_normalisation([matrix], constants=normalisation.constants, weights=weights)
        nats[twice] = weighted_nats(matrix, (11, 11), fitted, weights)
        assert (fitted == normalisation) == (twice == 1.0)
    assert nats[1.0] == plain.llr.nats
    assert nats[2.0] != plain.llr.nats
    # The calibration alone moves, too: a search that starts elsewhere ends at the same place.
    constants = normalisation.constants
    near = fit_normalisation([matrix], constants=constants, weights=weights, near=normalisation.weights).weights
    assert near.alpha == pytest.approx(fitted.weights.alpha, rel=1e-9)
    assert near.betas == pytest.approx(fitted.weights.betas, rel=1e-9)


def test_without_constants_the_fit_is_the_oracles_towards_nothing_and_takes_eight_authors():
    matrices = random_scores(12, 1)
    none = constants_for(11, origin=NONE)
    normalisation, (trial,) = normalise(matrices, reference=range(11), trials=[(11, 11)], constants=none)
    plain = [matrix.tolist() for matrix in matrices]
    assert trial.llr.nats == pytest.approx(oracle.normalised(plain, range(11), 11, 11, [0.0] * 3, 0.5 / 11), abs=1e-5)
    assert trial.by_constants.lr == 1.0
    assert normalisation.constants is none
    _, (usual,) = normalise(matrices, reference=range(11), trials=[(11, 11)])
    assert abs(usual.llr.nats - trial.llr.nats) > 0.01
    with pytest.raises(CalibrationError, match=r"There are 7 reference authors .* without constants the fit takes at"):
        normalise(random_scores(LEAST_TO_FIT), reference=range(LEAST_TO_FIT - 1), trials=[(7, 7)], constants=none)
