"""The kernels of Kneser-Ney: counts by hand, marks taken away again, and numbers at their limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from idiograph import Index, ProblemError, score
from idiograph.grammar.kneser_ney import (
    AROUND,
    BEFORE,
    FOLLOWERS,
    MAX_NODES,
    ROOT,
    START,
    count,
    mark_n_grams,
    unmark_n_grams,
)
from made_index import sentences, toy_index

SENTENCES = st.lists(st.lists(st.sampled_from("abc"), max_size=6), min_size=2, max_size=6)


def test_counts_by_hand():
    # Q is "a b"; the model "a b", "a a b", "b". Bigrams: <BOS>a ab b<EOS> aa <BOS>b.
    index = Index([["a", "b"], ["a", "b"], ["a", "a", "b"], ["b"]], order=3)
    types, marks = np.zeros(len(index.types) + 1, np.uint32), np.zeros(index.n_ids + 1, np.uint32)
    q, model = np.array([0]), np.array([1, 2, 3])
    nodes, before, n_nodes = mark_n_grams(index.stream, index.places, q, 3, types, marks)
    counts = np.empty((n_nodes, 3), np.int32)
    count(index.stream, index.places, model, 3, types, marks, 1, counts)
    assert before.tolist() == [-1, 0, 1, 2]
    a, b, ab = nodes[1, 1], nodes[1, 2], nodes[2, 2]
    assert counts[ROOT, FOLLOWERS] == 3  # a, b, <EOS>
    assert counts[ROOT, AROUND] == 5  # bigram types
    assert counts[START, [FOLLOWERS, AROUND]].tolist() == [2, 3]  # a and b start sentences; three sentences
    assert counts[a].tolist() == [2, 3, 2]  # aa ab; <BOS>aa <BOS>ab aab; <BOS>a aa
    assert counts[b, [FOLLOWERS, BEFORE]].tolist() == [1, 2]
    assert counts[ab, [FOLLOWERS, AROUND]].tolist() == [1, 2]  # <EOS> alone; ab twice as a full context


@given(SENTENCES, st.integers(1, 5))
def test_marks_are_taken_away_again(sentences, order):
    index = Index(sentences, order=order)
    types, marks = np.zeros(len(index.types) + 1, np.uint32), np.zeros(index.n_ids + 1, np.uint32)
    q = np.array([0, len(sentences) - 1])
    mark_n_grams(index.stream, index.places, q, order, types, marks)
    assert types.any()
    unmark_n_grams(index.stream, index.places, q, types, marks)
    assert not types.any()
    assert not marks.any()


def test_the_smallest_probabilities_do_not_underflow():
    k = [("a",) * 3000, ("b",) * 40]
    q = [("a",) * 29 + ("never",), ("b",) * 50 + ("a",)] * 30
    ours = score(q=q, k=k, reference=k, order=30, discount=0.001, repetitions=3)
    _, _, totals = oracle.score(q, k, k, order=30, discount=0.001, repetitions=3)
    assert ours.reference_totals == pytest.approx(totals, rel=1e-10)
    assert ours.reference_totals[0] < -2000
    assert np.isfinite(np.concatenate(ours.evidence)).all()


def test_more_models_than_their_numbers_last():
    # The working arrays tell 1,023 models apart and are then swept.
    q, k, reference = sentences([1], 4), sentences([2], 3), sentences([3], 9)
    ours = score(q=q, k=k, reference=reference, repetitions=2100, order=3)
    lambda_g, _, totals = oracle.score(q, k, reference, order=3, repetitions=2100)
    assert ours.lambda_g == pytest.approx(lambda_g, rel=1e-10)
    assert ours.reference_totals == pytest.approx(totals, rel=1e-10)


def test_an_index_used_again_and_again_gives_the_same_digits():
    index = toy_index()
    sides = {"q": index.text("ann-0"), "k": index.text("ann-1"), "reference": index.excluding("ann")}
    first = score(**sides, repetitions=30).lambda_g
    for order in range(1, 11):
        score(**sides, order=order, repetitions=40)
    assert score(**sides, repetitions=30).lambda_g == first


def test_a_q_beyond_the_working_arrays_is_refused(monkeypatch):
    assert MAX_NODES > 2_000_000
    monkeypatch.setattr("idiograph.grammar.kneser_ney.MAX_NODES", 5)
    with pytest.raises(
        ProblemError, match=r"Q has up to 6 different n-grams, and at most 5 can be told apart\. Score its texts"
    ):
        score(q=[["a", "b"]], k=[["c"]], reference=[["r"], ["s"]])
