"""K's own phrases, and what is left of both scores without them, as an obvious way of counting has it."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import held_oracle
import normalised_oracle as oracle
from idiograph import score
from idiograph.evidence import phrases
from idiograph.evidence.cosine import token_n_grams
from idiograph.evidence.matrix import HOLDING, matrix_of
from idiograph.evidence.steady import NGramTable, n_grams_of, steady_scores

TEXT = st.lists(st.lists(st.sampled_from("abc"), max_size=9).map(tuple), min_size=1, max_size=6)
PAIRS = st.lists(st.tuples(TEXT, TEXT), min_size=4, max_size=6)
ROWS = [("</s>", 4e-4, 1e-4), ("a", 3e-3, 2e-4), ("<s> b", 2e-4, 1e-7), ("a b", 1e-3, 1e-3), ("b c </s>", 1e-7, 3e-4)]
TABLE = NGramTable(
    tuple(tuple(ngram.split()) for ngram, _, _ in ROWS),
    np.array([row[1] for row in ROWS]),
    np.array([row[2] for row in ROWS]),
    "by hand",
    "0" * 64,
)


def ranked(k, others, m, most):
    """The most typical phrases of K, as the product ranks them."""
    phrases_of = phrases.Phrases.of([k, *others])
    first = sum(map(len, k))
    ids, times = phrases_of.counted(np.arange(first), m)
    in_rest, n = phrases_of.counted(np.arange(first, len(phrases_of.tokens)), m)
    rest = np.zeros(phrases_of.numbered.n_ids, np.int64)
    rest[in_rest] = n
    taken = phrases.typical_of(phrases_of, ids, times, rest, n_rest=int(n.sum()), most=most)
    return [phrases_of.words(phrase) for phrase in taken]


def test_typical_phrases_by_hand():
    # K has x y z three times of 10 trigrams, a b c twice, and q r s twice, which the rest has too; each other once.
    k = [("x", "y", "z")] * 3 + [("a", "b", "c")] * 2 + [("q", "r", "s")] * 2 + [("m", "n", "o"), ("o", "n", "m")]
    rest = [("q", "r", "s")] * 9 + [("u", "v", "w")]
    assert ranked(k, [rest], 3, 9) == [("x", "y", "z"), ("a", "b", "c"), ("q", "r", "s")]
    assert ranked(k, [rest], 3, 1) == [("x", "y", "z")]


def test_a_phrase_that_goes_on_where_another_ends_is_passed_over():
    # a b c and b c d share two tokens in a row: the first in the alphabet of two that are worth the same is taken.
    k = [("a", "b", "c", "d")] * 2
    assert ranked(k, [[("u", "v", "w")] * 9], 3, 9) == [("a", "b", "c")]
    assert ranked(k, [[("u", "v", "w")] * 9], 2, 9) == [("a", "b"), ("c", "d")]


@settings(max_examples=60)
@given(TEXT, st.lists(TEXT, min_size=1, max_size=3), st.integers(2, 5), st.integers(1, 6))
def test_the_ranking_is_that_of_the_definition(k, others, m, most):
    rest = sum((held_oracle.phrases(other, m) for other in others), held_oracle.Counter())
    assert ranked(k, others, m, most) == held_oracle.typical(k, rest, m, most)


@settings(max_examples=60)
@given(PAIRS, st.integers(0, 2), st.integers(1, 3))
def test_what_is_left_out_and_the_cosines_of_the_rest(pairs, n_outside, most):
    qs, ks = [q for q, _ in pairs], [k for _, k in pairs]
    reference = range(len(pairs) - n_outside)
    with mock.patch.object(phrases, "LISTED", most):
        codes_of, cosines = phrases.left_out(qs, ks, q_authors=range(len(pairs)), reference=reference)
    expected = held_oracle.matrices({}, qs, ks, reference, most)
    for b, q in enumerate(qs):
        for a, k in enumerate(ks):
            others = [ks[j] for j in oracle.cohort(reference, b, a)]
            lists, both = held_oracle.left_out(q, k, others, most)
            codes = codes_of[b][a]
            assert (codes & 1).astype(bool).tolist() == [flag for sentence in lists for flag in sentence]
            assert (codes > 0).tolist() == [flag for sentence in both for flag in sentence]
    for kind, name in enumerate(("unlisted_cosine", "bare_cosine")):
        assert cosines[kind] == pytest.approx(np.array(expected[name], float), rel=1e-12, abs=1e-15)


def test_score_a_is_the_formula():
    rng = np.random.default_rng(3)
    texts = [[tuple(rng.choice(list("abc"), size=rng.integers(3, 9))) for _ in range(12)] for _ in range(10)]
    qs, ks, reference = texts[:5], texts[5:], range(4)
    scores = steady_scores(qs, ks, q_authors=range(5), reference=reference, table=TABLE)
    for b, q in enumerate(qs):
        for a, k in enumerate(ks):
            others = [ks[j] for j in oracle.cohort(reference, b, a)]
            assert scores[b, a] == pytest.approx(held_oracle.score_a(q, k, others, ROWS), rel=1e-10)


def test_the_matrix_has_all_scores_that_hold():
    rng = np.random.default_rng(4)
    texts = [[tuple(rng.choice(list("abcd"), size=6)) for _ in range(9)] for _ in range(12)]
    qs, ks, reference = texts[:6], texts[6:], range(5)
    everything = [sentence for text in texts for sentence in text]
    scores = {
        (b, a): [score(q=qs[b], k=ks[a], reference=everything, repetitions=2, seed=seed) for seed in (1, 2)]
        for b in range(6)
        for a in range(6)
    }  # fmt: skip
    matrix = matrix_of(token_n_grams([*qs, *ks]), scores, q_authors=range(6), reference=reference, hold=(qs, ks))
    expected = held_oracle.matrices(scores, qs, ks, reference, phrases.LISTED)
    assert set(HOLDING) <= set(matrix.scores)
    for name, values in expected.items():
        assert matrix.scores[name] == pytest.approx(np.array(values, float), rel=1e-9, abs=1e-12), name
    assert not np.allclose(matrix.scores["bare_distinct"], matrix.scores["distinct"])
    known = {name: matrix.scores[name][:5, :5] for name in ("distinct", "unlisted_distinct", "bare_distinct")}
    around = {cell: by_models for cell, by_models in scores.items() if 5 in cell}
    again = matrix_of(
        token_n_grams([*qs, *ks]), around, q_authors=range(6), reference=reference, hold=(qs, ks), known=known
    )
    for name in HOLDING:
        assert (again.scores[name] == matrix.scores[name]).all(), name


def test_n_grams_of_up_to_three_begin_before_a_sentence_and_end_after_it() -> None:
    start, end = "<s>", "</s>"
    assert list(n_grams_of(("a", "b"))) == [
        *(("a",), ("b",), (end,)),
        *((start, "a"), ("a", "b"), ("b", end)),
        *((start, "a", "b"), ("a", "b", end)),
    ]
