"""The typing score: what stays of an original, and the oracle's cosines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import normalised_oracle as oracle
from idiograph.evidence.cosine import WARNING, typed, typing_score, typing_scores

PIECES = st.lists(st.text("abB Ä0'\n", max_size=12), min_size=1, max_size=3)


def test_letters_and_digits_become_runs_and_the_rest_stays():
    assert typed("Dear Mr O'Neil,  see you at 10:30!!") == "Aa Aa A'Aa,  a a a 0:0!!"
    assert typed("iPHONE ÄÖü 12a\r\n\t…") == "aA Aa 0a\r\n\t…"
    assert typed("") == ""


@given(st.lists(st.tuples(PIECES, PIECES), min_size=4, max_size=5), st.integers(0, 2))
def test_the_matrix_is_the_oracles(pairs, n_outside):
    qs, ks = [q for q, _ in pairs], [k for _, k in pairs]
    reference = range(len(pairs) - n_outside)
    found = typing_scores(qs, ks, q_authors=range(len(pairs)), reference=reference)
    counts = [[oracle.character_n_grams(text) for text in side] for side in (qs, ks)]
    assert found == pytest.approx(np.array(oracle.cosine_matrix(*counts, reference)), rel=1e-12, abs=1e-15)


def test_words_do_not_matter_and_habits_do():
    q = ["hello there,i am late !!"]
    alike, unlike, other = ["nobody knows,or cares !!"], ["Nobody knows, or cares."], ["What now? Yes."]
    assert typing_score(q, alike, cohort=[other]) > typing_score(q, unlike, cohort=[other])
    assert typing_score(["Abc Def"], ["Xyz Uvw"], cohort=[other]) == pytest.approx(1.0, rel=1e-12)


def test_no_n_gram_runs_from_one_piece_into_the_next():
    assert typing_score(["a-", "-a"], ["--"], cohort=[["A B"]]) == 0.0


def test_the_warning_names_devices():
    assert "device" in WARNING
