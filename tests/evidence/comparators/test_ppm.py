"""PAN's compression baseline: its cross-entropies, toy strings and enough e-mails, and one by hand."""

from collections import Counter
from math import log2
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golden_comparators import Enron, golden
from idiograph import InputError
from idiograph.evidence.comparators import cross_entropy, ppm


@pytest.mark.shared
def test_cross_entropies_are_pans(shared: Path) -> None:
    enron, expected = Enron(shared), golden(shared, "pan_baselines_enron96")
    for toy in expected["toy_ppm"]:
        assert cross_entropy(toy["text2"], toy["text1"]) == pytest.approx(toy["h2given1"], rel=1e-12)
        assert cross_entropy(toy["text1"], toy["text2"]) == pytest.approx(toy["h1given2"], rel=1e-12)
    for row in expected["problems"]:
        k, q = enron.of(enron.known[row["K"]]), enron.text[enron.unknown[row["Q"]]]
        assert cross_entropy(q, "\n".join(k)) == pytest.approx(row["h_Q_given_K"], rel=1e-9)
        assert cross_entropy("\n".join(k), q) == pytest.approx(row["h_K_given_Q"], rel=1e-9)
        assert ppm(q, k) == pytest.approx(-(row["h_Q_given_K"] + row["h_K_given_Q"]) / 2, rel=1e-9)


def test_by_hand() -> None:
    # By "aab": a is 2 of 3; after a, b is 1 of 2; c was never seen.
    assert cross_entropy("abc", "aab") == pytest.approx(-(log2(2 / 3) + log2(1 / 2) + log2(1 / 256)) / 3, rel=1e-14)


def slow(text, model, order=5):
    after = {}
    for place, character in enumerate(model):
        for n in range(min(place, order) + 1):
            after.setdefault(model[place - n : place], Counter())[character] += 1
    bits = 0.0
    for place, character in enumerate(text):
        prob = 1 / 256
        for n in range(min(place, order), -1, -1):
            counts = after.get(text[place - n : place], Counter())
            if counts[character]:
                prob = counts[character] / sum(counts.values())
                break
        bits -= log2(prob)
    return bits / len(text)


@given(st.text("ab\nc", min_size=1, max_size=40), st.text("abd\n", min_size=1, max_size=40))
def test_as_a_dictionary_of_contexts_would_say(text, model):
    assert cross_entropy(text, model) == pytest.approx(slow(text, model), rel=1e-12)


def test_an_empty_text_is_refused() -> None:
    with pytest.raises(InputError, match="without a character"):
        ppm("", ["abc"])
