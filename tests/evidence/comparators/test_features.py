"""What the comparators count."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph.evidence.character_ngrams import as_text, cosine, most_frequent, n_grams, sentences_of, word_counts


def test_masked_sentences_become_lines():
    assert as_text([("the", "N", "."), ("V", "!")]) == "the N .\nV !"


def test_sentences_end_after_marks_and_at_line_ends():
    assert sentences_of("One. Two?! three\n four 4+4 = 8€ …") == "One.\nTwo?!\nthree\nfour    …"
    assert sentences_of(" \n\n") == ""


def test_words_are_in_lower_case_and_numbers_and_symbols_do_not_count():
    assert word_counts("Don't e.g. stop_it 12 a1 +, (x)") == Counter(
        ["don't", "e.g", ".", "stop", "_", "it", "a1", ",", "(", "x", ")"]
    )


@given(st.lists(st.text("abc\nÄ", max_size=15), min_size=1, max_size=4), st.integers(1, 4), st.booleans())
def test_n_grams_are_counted_in_order_of_appearance(texts, n, within_lines):
    found = n_grams(texts, n, within_lines=within_lines)
    lines = [text.split("\n") if within_lines else [text] for text in texts]
    slow = [Counter(line[i : i + n] for line in of_text for i in range(len(line) - n + 1)) for of_text in lines]
    order = list(dict.fromkeys(gram for counts in slow for gram in counts))
    characters = "\0".join([*texts, ""])
    assert [characters[first : first + n] for first in found.firsts] == order
    assert found.totals.tolist() == [counts.total() for counts in slow]
    assert found.document_frequencies().tolist() == [sum(gram in counts for counts in slow) for gram in order]
    assert found.frequencies().tolist() == [sum(counts[gram] for counts in slow) for gram in order]
    if all(found.totals) and order:
        chosen = np.arange(0, found.n_ids, 2)
        expected = [[counts[order[i]] / counts.total() for i in chosen] for counts in slow]
        assert found.relative_frequencies(chosen) == pytest.approx(np.array(expected), rel=1e-15)


def test_of_equally_frequent_ones_the_earlier_count():
    assert most_frequent(np.array([1, 3, 2, 3, 1]), 4).tolist() == [0, 1, 2, 3]


def test_cosine_by_hand():
    assert cosine(np.array([3.0, 4.0]), np.array([4.0, 3.0])) == pytest.approx(24 / 25, rel=1e-15)
    assert cosine(np.array([0.0, 0.0]), np.array([4.0, 3.0])) == 0.0
