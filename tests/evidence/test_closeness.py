"""How close Q and K are in topic, against the oracle; what it takes from normalised scores; what cannot be told."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import normalised_oracle as oracle
from idiograph import CalibrationError
from idiograph.evidence.closeness import ContentWords, closeness, closenesses
from idiograph.evidence.constants import NONE, Constants, Weights, constants_for
from idiograph.evidence.matrix import Matrix, topic_norms
from idiograph.evidence.normalised import normalise_draws, over_draws, weighted_nats

WORDS = st.lists(st.sampled_from("abcdefghij"), max_size=12)
SLOPES = (0.4, 0.25)


def matrix_of_words(qs, ks, reference):
    words = ContentWords.of([*qs, *ks])
    counts = words.counts([np.array([number]) for number in range(len(qs) + len(ks))])
    return closenesses(counts, q_authors=range(len(qs)), reference=reference)


@given(st.lists(WORDS, min_size=12, max_size=12))
def test_c_is_the_oracles_for_every_pair(texts):
    qs, ks = texts[:6], texts[6:]
    expected = oracle.cosine_matrix(*([Counter(text) for text in side] for side in (qs, ks)), range(5), unseen=True)
    assert matrix_of_words(qs, ks, range(5)) == pytest.approx(np.array(expected), rel=1e-12)


def test_what_no_k_has_makes_q_less_close():
    # n = 3; "sea" is in K alone (df 1), "ship" in all (df 3); "moon" is in no K (df 0) and only lengthens Q.
    k, cohort = ["sea", "ship"], [["ship"], ["ship"]]
    rare, common, nowhere = np.log(4 / 2) + 1, np.log(4 / 4) + 1, np.log(4 / 1) + 1
    assert closeness(["sea"], k, cohort=cohort) == pytest.approx(rare / np.hypot(rare, common))
    assert closeness(["sea", "moon"], k, cohort=cohort) == pytest.approx(
        rare * rare / np.hypot(rare, nowhere) / np.hypot(rare, common)
    )
    assert closeness([], k, cohort=cohort) == 0.0


def test_a_side_is_the_words_of_its_sentences_wherever_they_stand():
    words = ContentWords.of([["b", "a"], [], ["a"], ["c"]])
    counts = words.counts([np.array([0, 2]), np.array([1]), np.array([3])])
    assert words.words == ("a", "b", "c")
    assert (counts.starts.tolist(), counts.ids.tolist(), counts.times.tolist()) == ([0, 2, 2, 3], [0, 1, 2], [2, 1, 1])


def random_matrix(seed, n=12):
    """Scores that rise with closeness, which rises on the diagonal."""
    rng = np.random.default_rng(seed)
    close = rng.uniform(0.01, 0.3, (n, n)) + 0.2 * np.eye(n)
    scores = {
        name: rng.normal(0, 1, (n, n)) + rng.normal(0, 3, (n, 1)) + rng.normal(0, 3, (1, n)) + 9 * close
        for name in ("distinct", "cosine")
    }
    return Matrix(scores, range(n - 1), closeness=close)


CONSTANTS = Constants(("distinct", "cosine"), 11, Weights(-0.5, (0.5, 0.6)), "by hand", "0" * 64, SLOPES)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_whole_is_the_oracles_on_scores_freed_by_hand(seed):
    matrix = random_matrix(seed)
    n = len(matrix.reference)
    _, ((trial,),) = normalise_draws([matrix], trials=[(n, n)], constants=CONSTANTS)
    plain, close = [scores.tolist() for scores in matrix.scores.values()], matrix.closeness.tolist()

    def freed(b, a):
        g = oracle.topic(close, b, a, range(n))
        normed = [oracle.s_norm(scores, b, a, range(n)) for scores in plain]
        return [s - slope * g for s, slope in zip(normed, SLOPES, strict=True)]

    pairs = [(b, a) for b in range(n) for a in range(n)]
    same = [freed(b, a) for b, a in pairs if b == a]
    different = [freed(b, a) for b, a in pairs if b != a]
    fitted = oracle.fit(same, different, [-0.5, 0.5, 0.6], 1.25 / n)
    nats = fitted[0] + sum(beta * x for beta, x in zip(fitted[1:], freed(n, n), strict=True))
    assert trial.llr.nats == pytest.approx(nats, abs=1e-5)
    assert trial.topic == pytest.approx(oracle.topic(close, n, n, range(n)), rel=1e-12)
    assert trial.normed == pytest.approx([oracle.s_norm(scores, n, n, range(n)) for scores in plain], rel=1e-12)
    assert trial.llr.how == "controlled"


def test_topic_that_scores_lean_on_is_taken_out():
    matrix = random_matrix(3)
    nearer = Matrix(
        matrix.scores, matrix.reference, closeness=matrix.closeness + 0.5 * (np.arange(144) == 143).reshape(12, 12)
    )
    llrs = [normalise_draws([m], trials=[(11, 11)], controlled=True)[1][0][0].llr.nats for m in (matrix, nearer)]
    assert llrs[1] < llrs[0]
    unmoved = [normalise_draws([m], trials=[(11, 11)])[1][0][0].llr.nats for m in (matrix, nearer)]
    assert unmoved[0] == unmoved[1]


@pytest.mark.parametrize(("c", "g"), [(0.0, -3.0), (1e6, 6.0)])
def test_g_beyond_what_was_measured_is_taken_for_its_edge(c, g):
    matrix = random_matrix(4)
    close = 0.2 + (matrix.closeness - 0.2) * 0.01
    close[11, 11] = c
    assert topic_norms(Matrix(matrix.scores, matrix.reference, closeness=close), [(11, 11)]).tolist() == [g]


def test_whoever_shares_a_word_with_a_q_that_shares_none_with_the_cohort_is_close():
    matrix = random_matrix(4)
    close = matrix.closeness.copy()
    close[11, :11] = 0.0
    assert topic_norms(Matrix(matrix.scores, matrix.reference, closeness=close), [(11, 11)]).tolist() == [6.0]
    close[11, 11] = 0.0
    (g,) = topic_norms(Matrix(matrix.scores, matrix.reference, closeness=close), [(11, 11)]).tolist()
    assert g < 0


def test_several_draws_and_resampled_authors_go_through_the_same_subtraction():
    first, other = random_matrix(5), random_matrix(6)
    normalisation, judged = normalise_draws([first, other], trials=[(11, 11)], constants=CONSTANTS)
    trial = over_draws([draw[0] for draw in judged], normalisation)
    assert trial.topic == pytest.approx((judged[0][0].topic + judged[1][0].topic) / 2)
    weights = normalisation.weights
    freed = [s - b * trial.topic for s, b in zip(trial.normed, SLOPES, strict=True)]
    assert trial.llr.nats == pytest.approx(
        weights.alpha + sum(b * x for b, x in zip(weights.betas, freed, strict=True))
    )
    once = weighted_nats(first, (11, 11), normalisation, [1.0] * 11)
    assert once == judged[0][0].llr.nats


def test_without_originals_there_is_no_controlled_lr():
    matrix = Matrix(random_matrix(7).scores, range(11))
    with pytest.raises(CalibrationError, match="no originals to take content words from"):
        normalise_draws([matrix], trials=[(11, 11)], controlled=True)
    assert normalise_draws([matrix], trials=[(11, 11)])[1][0][0].topic is None


def test_its_constants_are_its_own_and_slopes_stay_where_the_others_go():
    usual, controlled = constants_for(24), constants_for(24, controlled=True)
    assert (usual.controlled, controlled.controlled) == (False, True)
    assert usual.digest != controlled.digest
    nothing = constants_for(24, origin=NONE, controlled=True)
    assert (nothing.weights, nothing.slopes) == (Weights(0.0, (0.0, 0.0)), controlled.slopes)
    assert nothing.say_nothing
