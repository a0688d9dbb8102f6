"""What Q overuses, as an obvious way of counting has it, with what is left of both scores; what it repeats beyond K."""

from itertools import repeat
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import guarded_oracle
import normalised_oracle as oracle
from idiograph import score
from idiograph.evidence.cosine import ngram_cosines
from idiograph.evidence.repetition import (
    at_least,
    count_ngrams,
    find_repeated,
    least_mean,
    often,
    overuse,
    pieces,
    without,
)

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


PHRASE = ("so", "it", "is")
FILLER = ("N", "V", "the", "N", "of", "P", "and", "J", "N", ".")


def text_of(n_phrases: int, n_fillers: int) -> list[tuple[str, ...]]:
    return [*repeat((*PHRASE, "."), n_phrases), *repeat(FILLER, n_fillers)]


def hits(n_phrases: int, *, in_k: int = 1, in_reference: int = 0) -> list[str]:
    q = text_of(n_phrases, 20)
    wanted = often(q)
    k = [count_ngrams(text_of(in_k, 80), wanted)]
    reference = [[count_ngrams(text_of(in_reference, 80), wanted)] for _ in range(3)]
    return [" ".join(hit.ngram) for hit in find_repeated(q, k, reference)]


def test_often_is_six_times():
    assert "so it is" in {" ".join(ngram) for ngram in often(text_of(6, 1))}
    assert "so it is" not in {" ".join(ngram) for ngram in often(text_of(5, 1))}


def test_what_k_hardly_has_and_q_often_is_found():
    assert "so it is" in hits(20)
    assert hits(1) == []


def test_what_k_has_as_often_or_the_reference_or_k_never_is_not():
    assert hits(20, in_k=80) == []
    assert "so it is" not in hits(20, in_reference=5)
    assert "so it is" not in hits(20, in_k=0)


def test_the_numbers_by_hand():
    # Q: 20·4 + 20·10 tokens. K: 804 tokens, once: (1 + 1)/804·280 expected. Pieces of K: 280, 280 and the rest, which
    # is shorter than 280 but not than half of it; the phrase is in the first, of 284 tokens.
    q = text_of(20, 20)
    wanted = often(q)
    k = [count_ngrams(text_of(1, 80), wanted)]
    reference = [[count_ngrams(text_of(0, 240), wanted)]]
    hit = next(repeated for repeated in find_repeated(q, k, reference) if repeated.ngram == PHRASE)
    assert hit.count == 20
    assert hit.expected == pytest.approx(2 / 804 * 280)
    assert hit.most_in_k == pytest.approx(1 / 284 * 280)
    # Nobody has it twice, so it is taken to vary as much as its mean: size 1, and a geometric series.
    # Tried were so, it, is, so it, it is, is ., so it is, it is ., so it is .
    assert hit.chance == pytest.approx(9 * (hit.expected / (1 + hit.expected)) ** 20)


def test_a_remainder_shorter_than_half_joins_what_is_before_it():
    q = text_of(20, 20)
    wanted = often(q)
    # 32 fillers: 28 make 280 tokens, 4 more are 40; with the phrase at the end of the joined piece, 324 tokens.
    text = count_ngrams([*repeat(FILLER, 32), (*PHRASE, ".")], wanted)
    reference = [[count_ngrams(text_of(0, 240), wanted)]]
    hit = next(repeated for repeated in find_repeated(q, [text], reference) if repeated.ngram == PHRASE)
    assert hit.most_in_k == pytest.approx(280 / 324)


@pytest.mark.parametrize("count", [0, 1, 5, 60])
def test_with_size_one_the_chance_is_that_of_a_geometric_series(count: int) -> None:
    # P(x) = p·(1 − p)^x, so P(X ≥ c) = (1 − p)^c, with 1 − p = mean/(1 + mean).
    assert at_least(count, mean=3.0, size=1.0) == pytest.approx((3 / 4) ** count, rel=1e-13)


def test_the_chance_by_hand_for_size_two() -> None:
    # P(x) = (x + 1)·p²·(1 − p)^x with p = 2/(2 + 1) gives P(X ≥ 2) = 1 − 4/9·(1 + 2/3).
    assert at_least(2, mean=1.0, size=2.0) == pytest.approx(1 - 4 / 9 * (1 + 2 / 3), rel=1e-14)


def test_small_chances_keep_their_digits() -> None:
    # Far out the terms are a geometric series but for (x + size)/(x + 1); the ratio of two tails shows it.
    far, further = at_least(400, mean=2.0, size=1.0), at_least(401, mean=2.0, size=1.0)
    assert 0 < far < 1e-60
    assert further / far == pytest.approx(2 / 3, rel=1e-12)


def test_what_is_looked_at_is_one_to_four_tokens_that_stand_in_q_six_times():
    hits = often([*[("a", "b", "c", "d", "e")] * 6, ("a", "b")])
    assert hits == {
        ("a",): 7, ("b",): 7, ("c",): 6, ("d",): 6, ("e",): 6,
        ("a", "b"): 7, ("b", "c"): 6, ("c", "d"): 6, ("d", "e"): 6,
        ("a", "b", "c"): 6, ("b", "c", "d"): 6, ("c", "d", "e"): 6,
        ("a", "b", "c", "d"): 6, ("b", "c", "d", "e"): 6,
    }  # fmt: skip
    assert often([("a",)] * 5) == {}
