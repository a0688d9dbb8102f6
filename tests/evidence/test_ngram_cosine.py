"""The n-gram cosine: by hand, as the oracle has it, and whatever other texts stand beside it."""

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import idiograph
import normalised_oracle as oracle
from idiograph.evidence.cosine import ngram_cosine, ngram_cosines, part_n_grams, token_n_grams

TEXT = st.lists(st.lists(st.sampled_from("abcd"), max_size=5).map(tuple), min_size=1, max_size=4)


def test_by_hand():
    # Q: <s> a </s>; K: <s> b </s>; two more Ks like K. n is 3, df of each n-gram of K 3: idf is ln(4/4) + 1 = 1.
    # Of Q's n-grams only <s> and </s> are in a K. K has <s>, b, </s>, <s>b, b</s>, <s>b</s>. 2/sqrt(2·6).
    b = [("b",)]
    assert ngram_cosine([("a",)], b, cohort=[b, b]) == pytest.approx(2 / sqrt(12), rel=1e-15)
    # a twice in a row: <s>, a (twice), </s>, <s>a, aa, a</s>, <s>aa, aa</s>, K alone in df of n = 1.
    tf = (1 + log(2)) ** 2
    assert ngram_cosine([("a",)], [("a", "a")], cohort=[]) == pytest.approx(
        (1 + 1 + (1 + log(2)) + 1 + 1) / sqrt(5 * (7 + tf)), rel=1e-14
    )


def test_what_is_in_no_k_does_not_count():
    k = [("a", "b")]
    cohort = [[("c",)]]
    assert ngram_cosine([("a", "b"), ("x", "y", "x")], k, cohort=cohort) == ngram_cosine(
        [("a", "b"), ("z",)], k, cohort=cohort
    )
    assert ngram_cosine([("a", "b")], k, cohort=[]) == pytest.approx(1.0, rel=1e-15)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=4, max_size=6), st.integers(0, 2))
def test_the_matrix_is_the_oracles(pairs, n_outside):
    qs, ks = [q for q, _ in pairs], [k for _, k in pairs]
    reference = range(len(pairs) - n_outside)
    found = ngram_cosines(qs, ks, q_authors=range(len(pairs)), reference=reference)
    expected = oracle.cosine_matrix([oracle.n_grams(q) for q in qs], [oracle.n_grams(k) for k in ks], reference)
    assert found == pytest.approx(np.array(expected), rel=1e-12, abs=1e-15)


@given(TEXT, TEXT, st.lists(TEXT, min_size=1, max_size=4))
def test_one_cosine_has_the_digits_of_the_matrix_whatever_the_order(q, k, cohort):
    one = ngram_cosine(q, k, cohort=cohort)
    n = len(cohort)
    matrix = ngram_cosines([*cohort, q], [*cohort, k], q_authors=range(n + 1), reference=range(n))
    assert matrix[n, n] == one
    assert ngram_cosine(q, k, cohort=cohort[::-1]) == one


def test_parts_of_an_index_have_the_n_grams_of_their_sentences_in_the_same_order():
    texts = [[["b", "a", "c"], ["a"]], [["c", "c"], [], ["z", "b", "a"]], [["a", "b"]]]
    index = idiograph.Index([sentence for text in texts for sentence in text])
    parts = [index.take(np.array(numbers)) for numbers in ([0, 1], [2, 3, 4], [5])]
    one, other = token_n_grams(texts), part_n_grams(parts)
    for name in ("starts", "ids", "times"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
