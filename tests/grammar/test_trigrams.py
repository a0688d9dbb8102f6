"""Distinct λG: an event counts if the trigram that ends with it is new in Q."""

from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph import score

TOKENS = st.sampled_from(["a", "b", "c", "<s>", "</s>"])
SENTENCES = st.lists(st.lists(TOKENS, max_size=6), min_size=1, max_size=6).filter(any)
K = [["a", "b", "c"], ["c", "a"]]
REFERENCE = [["b", "b"], ["a", "c", "c"], ["c"]]


def slow_flags(sentences):
    start, end = object(), object()
    met, flags = set(), []
    for sentence in sentences:
        events = [start, start, *sentence, end]
        of_sentence = []
        for place in range(2, len(events)):
            trigram = tuple(events[place - 2 : place + 1])
            of_sentence.append(trigram not in met)
            met.add(trigram)
        flags.append(of_sentence)
    return flags


@given(SENTENCES)
def test_an_event_counts_where_its_trigram_is_new(q):
    found = score(q=q, k=K, reference=REFERENCE, repetitions=1)
    assert [flags.tolist() for flags in found.counted] == slow_flags(q)


def test_by_hand():
    # a b </s>: all new. a b a </s>: <s><s>a and <s>ab were there; aba and ba</s> are new. Empty: <s><s></s> is new.
    found = score(q=[["a", "b"], ["a", "b", "a"], []], k=K, reference=REFERENCE, repetitions=2)
    assert [flags.tolist() for flags in found.counted] == [[True] * 3, [False, False, True, True], [True]]
    first, second, third = found.evidence
    assert found.distinct == fsum([*first, second[2], second[3], third[0]])


@given(SENTENCES)
def test_saying_it_all_again_adds_nothing(q):
    once = score(q=q, k=K, reference=REFERENCE, repetitions=2, seed=4)
    twice = score(q=q + q, k=K, reference=REFERENCE, repetitions=2, seed=4)
    assert twice.distinct == pytest.approx(once.distinct, rel=1e-12, abs=1e-12)
    assert not np.concatenate(twice.counted[len(q) :]).any()


def test_what_counts_is_read_only():
    found = score(q=[["a"]], k=K, reference=REFERENCE, repetitions=1)
    with pytest.raises(ValueError, match="read-only"):
        found.counted[0][0] = False
