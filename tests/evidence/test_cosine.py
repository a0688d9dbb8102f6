"""Cosines of n-grams: counted and numbered, weighted, as a comparator, and of typing habits."""

from collections import Counter
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import idiograph
import normalised_oracle as oracle
from idiograph import ngram_cosine, typing_score
from idiograph.evidence.cosine import (
    WARNING,
    ngram_cosines,
    number_n_grams,
    part_n_grams,
    token_n_grams,
    typed,
    typed_n_grams,
    weighted_cosines,
)


def test_counts_by_hand():
    # 0 1 0 1 | 0: 0 three times, 1 twice, 01 twice, 10 once; a second text 1 1.
    counts = number_n_grams(np.array([0, 1, 0, 1, 0, 1, 1]), sizes=[[4, 1], [2]], lengths=range(1, 3)).counts()
    # 0, 1; 01, 10, 11
    assert counts.n_ids == 5
    assert counts.ids.tolist() == [0, 1, 2, 3, 1, 4]
    assert counts.times.tolist() == [3, 2, 2, 1, 2, 1]
    assert counts.starts.tolist() == [0, 4, 6]


def test_some_texts_put_together_as_the_last_one():
    # 0 1 | 1 1 | 0 | 1 1 0: the first alone, then the second and the last as one text.
    counts = number_n_grams(
        np.array([0, 1, 1, 1, 0, 1, 1, 0]), sizes=[[2], [2], [1], [3]], lengths=range(1, 3)
    ).counts()
    joined = counts.with_last(1, [1, 3])
    # 0, 1; 01, 10, 11
    assert joined.starts.tolist() == [0, 3, 7]
    assert joined.ids.tolist() == [0, 1, 2, 0, 1, 3, 4]
    assert joined.times.tolist() == [1, 1, 1, 1, 4, 1, 2]
    assert joined.n_ids == counts.n_ids == 5


@given(
    st.lists(st.lists(st.lists(st.integers(0, 3), max_size=6), max_size=3), min_size=1, max_size=3),
    st.sampled_from([range(1, 4), range(2, 6), range(1, 2)]),
)
def test_as_counters_would_count(texts, lengths):
    symbols = [symbol for text in texts for piece in text for symbol in piece]
    counts = number_n_grams(
        np.array(symbols, np.int64), sizes=[[len(p) for p in t] for t in texts], lengths=lengths
    ).counts()
    slow = [
        Counter(tuple(p[i : i + n]) for p in text for n in lengths for i in range(len(p) - n + 1)) for text in texts
    ]
    numbers = {gram: i for i, gram in enumerate(sorted({g for c in slow for g in c}, key=lambda g: (len(g), g)))}
    for number, expected in enumerate(slow):
        part = slice(counts.starts[number], counts.starts[number + 1])
        times_of = dict(zip(counts.ids[part].tolist(), counts.times[part].tolist(), strict=True))
        assert times_of == {numbers[gram]: times for gram, times in expected.items()}


TEXTS = st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=12), min_size=8, max_size=8)


def counted(texts):
    symbols = np.array([symbol for text in texts for symbol in text])
    return number_n_grams(symbols, sizes=[[len(text)] for text in texts], lengths=range(1, 3)).counts()


@given(TEXTS)
def test_from_0_to_1_and_1_with_itself(texts):
    qs, ks = texts[:4], texts[4:]
    matrix = weighted_cosines(counted([*qs, *ks]), q_authors=range(4), reference=range(3))
    assert (matrix >= 0).all()
    assert (matrix <= 1 + 1e-12).all()
    same = weighted_cosines(counted([*ks, *ks]), q_authors=range(4), reference=range(3))
    assert np.diag(same) == pytest.approx(1.0, rel=1e-12)


def test_nothing_in_common_is_0():
    assert weighted_cosines(counted([[0, 1], [2, 3], [4]]), q_authors=[0], reference=[1]).tolist() == [[0.0, 0.0]]


@given(TEXTS)
def test_a_subset_of_the_qs_has_the_same_digits(texts):
    qs, ks = texts[:4], texts[4:]
    whole = weighted_cosines(counted([*qs, *ks]), q_authors=range(4), reference=range(3))
    part = weighted_cosines(counted([qs[3], qs[1], *ks]), q_authors=[3, 1], reference=range(3))
    assert part.tolist() == whole[[3, 1]].tolist()


TEXT = st.lists(st.lists(st.sampled_from("abcd"), max_size=5).map(tuple), min_size=1, max_size=4)


def test_a_cosine_by_hand():
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
def test_the_matrix_of_texts_is_the_oracles(pairs, n_outside):
    qs, ks = [q for q, _ in pairs], [k for _, k in pairs]
    reference = range(len(pairs) - n_outside)
    matrix = ngram_cosines(qs, ks, q_authors=range(len(pairs)), reference=reference)
    expected = oracle.cosine_matrix([oracle.n_grams(q) for q in qs], [oracle.n_grams(k) for k in ks], reference)
    assert matrix == pytest.approx(np.array(expected), rel=1e-12, abs=1e-15)


@given(TEXT, TEXT, st.lists(TEXT, min_size=1, max_size=4))
def test_one_cosine_has_the_digits_of_the_matrix_whatever_the_order(q, k, cohort):
    cosine = ngram_cosine(q, k, cohort=cohort)
    n = len(cohort)
    matrix = ngram_cosines([*cohort, q], [*cohort, k], q_authors=range(n + 1), reference=range(n))
    assert matrix[n, n] == cosine
    assert ngram_cosine(q, k, cohort=cohort[::-1]) == cosine


def test_parts_of_an_index_have_the_n_grams_of_their_sentences_in_the_same_order():
    texts = [[["b", "a", "c"], ["a"]], [["c", "c"], [], ["z", "b", "a"]], [["a", "b"]]]
    index = idiograph.Index([sentence for text in texts for sentence in text])
    parts = [index.take(np.array(numbers)) for numbers in ([0, 1], [2, 3, 4], [5])]
    of_texts, of_parts = token_n_grams(texts), part_n_grams(parts)
    for name in ("starts", "ids", "times"):
        assert getattr(of_texts, name).tolist() == getattr(of_parts, name).tolist()


PIECES = st.lists(st.text("abB Ä0'\n", max_size=12), min_size=1, max_size=3)


def test_letters_and_digits_become_runs_and_the_rest_stays():
    assert typed("Dear Mr O'Neil,  see you at 10:30!!") == "Aa Aa A'Aa,  a a a 0:0!!"
    assert typed("iPHONE ÄÖü 12a\r\n\t…") == "aA Aa 0a\r\n\t…"
    assert typed("") == ""


@given(st.lists(st.tuples(PIECES, PIECES), min_size=4, max_size=5), st.integers(0, 2))
def test_the_matrix_of_typing_is_the_oracles(pairs, n_outside):
    qs, ks = [q for q, _ in pairs], [k for _, k in pairs]
    reference = range(len(pairs) - n_outside)
    matrix = weighted_cosines(typed_n_grams([*qs, *ks]), q_authors=range(len(pairs)), reference=reference)
    counts = [[oracle.character_n_grams(text) for text in side] for side in (qs, ks)]
    assert matrix == pytest.approx(np.array(oracle.cosine_matrix(*counts, reference)), rel=1e-12, abs=1e-15)


def test_words_do_not_matter_and_habits_do():
    q = ["hello there,i am late !!"]
    alike, unlike, other = ["nobody knows,or cares !!"], ["Nobody knows, or cares."], ["What now? Yes."]
    assert typing_score(q, alike, cohort=[other]) > typing_score(q, unlike, cohort=[other])
    assert typing_score(["Abc Def"], ["Xyz Uvw"], cohort=[other]) == pytest.approx(1.0, rel=1e-12)


def test_no_n_gram_runs_from_one_piece_into_the_next():
    assert typing_score(["a-", "-a"], ["--"], cohort=[["A B"]]) == 0.0


def test_the_warning_names_devices():
    assert "device" in WARNING
