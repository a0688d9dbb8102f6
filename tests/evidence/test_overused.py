"""What Q overuses: by hand, as an obvious way of counting has it, and what is then left of both scores."""

from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import guarded_oracle
import normalised_oracle as oracle
from idiograph import score
from idiograph.evidence.cosine import ngram_cosines
from idiograph.evidence.repetition import least_mean, overuse, pieces, without

TEXT = st.lists(st.lists(st.sampled_from("ab"), max_size=7).map(tuple), min_size=1, max_size=5)
A = ("a", "b", "c")


def test_the_least_mean_by_hand():
    # P(X ≥ 3) = 1 − e^−m·(1 + m + m²/2)
    m = least_mean(3)
    assert 1 - exp(-m) * (1 + m + m * m / 2) == pytest.approx(0.2, rel=1e-12)
    assert least_mean(4) > m


def test_a_phrase_that_k_has_as_often_stays_and_another_goes():
    q = [("x", *A, "y"), ("z", *A), A, ("a", "b")]
    # 13 tokens; K has a b c three times in 12 tokens: 13·3/12 are expected, and 3 are nothing.
    often, never, other = [A, A, A, ("p", "q", "r")], [("p", "q", "r")] * 10, [("s",) * 10] * 10
    overused = overuse([q], [often, never, other, other], q_authors=[0], reference=[2, 3])
    assert [flags.tolist() for flags in overused.left_out(0, 0)] == [[False] * 5, [False] * 4, [False] * 3, [False] * 2]
    assert [flags.tolist() for flags in overused.left_out(0, 1)] == [
        [False, True, True, True, False],
        [False, True, True, True],
        [True, True, True],
        [False, False],
    ]


def test_twice_is_not_overused():
    overused = overuse([[A, A]], [[("p",) * 99], [("s",) * 99]], q_authors=[0], reference=[1])
    assert not overused.version_of.any()


def test_a_phrase_that_one_of_the_cohort_has_as_often_stays():
    k, usual = [("p", "q", "r")] * 10, [A] * 10
    assert overuse([[A, A, A]], [k, k, k], q_authors=[0], reference=[1, 2]).version_of[0, 0]
    # One of them suffices.
    assert not overuse([[A, A, A]], [k, k, usual], q_authors=[0], reference=[1, 2]).version_of[0, 0]


@given(st.lists(st.tuples(TEXT, TEXT), min_size=4, max_size=6), st.integers(0, 2))
def test_as_the_definition_has_it(pairs, n_outside):
    qs, ks = [q for q, _ in pairs], [k for _, k in pairs]
    reference = range(len(pairs) - n_outside)
    overused = overuse(qs, ks, q_authors=range(len(pairs)), reference=reference)
    for b, q in enumerate(qs):
        for a, k in enumerate(ks):
            expected = guarded_oracle.overused(q, k, [ks[j] for j in oracle.cohort(reference, b, a)])
            assert [flags.tolist() for flags in overused.left_out(b, a)] == expected


@given(st.lists(st.tuples(TEXT, TEXT), min_size=4, max_size=6), st.integers(0, 2))
def test_the_cosines_without_what_is_overused(pairs, n_outside):
    qs, ks = [q for q, _ in pairs], [k for _, k in pairs]
    reference = range(len(pairs) - n_outside)
    overused = overuse(qs, ks, q_authors=range(len(pairs)), reference=reference)
    cosines = ngram_cosines(qs, ks, q_authors=range(len(pairs)), reference=reference, overused=overused)
    k_counts = [oracle.n_grams(k) for k in ks]
    for b, q in enumerate(qs):
        for a, k in enumerate(ks):
            members = oracle.cohort(reference, b, a)
            rest = guarded_oracle.left(q, guarded_oracle.overused(q, k, [ks[j] for j in members]))
            expected = oracle.cosine(rest, k_counts[a], [*(k_counts[j] for j in members), k_counts[a]])
            assert cosines[b, a] == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_pieces_keep_starts_and_ends():
    flags = (np.array([True, False, True, True, False]), np.array([False, True]))
    assert list(pieces([("a", "b", "c", "d", "e"), ("f", "g")], flags)) == [
        ((), True, False),
        (("b",), False, False),
        ((), False, False),
        (("e",), False, True),
        (("f",), True, False),
        ((), False, True),
    ]


def test_tokens_that_are_left_out_and_what_follows_them_do_not_count():
    q = [("N", "is", "V"), ("N", "was")]
    whole = score(q=q, k=[("N", "is", "V")], reference=[("N", "was", "V"), ("V",)], seed=1)
    flags = (np.array([False, True, False]), np.array([False, True]))
    part = without(whole, flags)
    assert [counted.tolist() for counted in part.counted] == [[True, False, False, True], [False, False, False]]
    assert part.distinct == pytest.approx(float(whole.evidence[0][0]) + float(whole.evidence[0][3]))
    assert part.lambda_g == whole.lambda_g
    assert part.evidence is whole.evidence
