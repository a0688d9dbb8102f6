"""Cosines of weighted counts: bounds and symmetries that hold for any counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph.evidence.cosine import count_n_grams, weighted_cosines

TEXTS = st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=12), min_size=8, max_size=8)


def counted(texts):
    symbols = np.array([symbol for text in texts for symbol in text])
    return count_n_grams(symbols, sizes=[[len(text)] for text in texts], lengths=range(1, 3))


@given(TEXTS)
def test_from_0_to_1_and_1_with_itself(texts):
    qs, ks = texts[:4], texts[4:]
    found = weighted_cosines(counted([*qs, *ks]), q_authors=range(4), reference=range(3))
    assert (found >= 0).all()
    assert (found <= 1 + 1e-12).all()
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
