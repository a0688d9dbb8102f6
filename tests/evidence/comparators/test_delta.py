"""Cosine Delta: idiolect's cosines, and a table by hand."""

from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from golden_comparators import Enron, golden
from idiograph import InputError
from idiograph.evidence.character_ngrams import cosine
from idiograph.evidence.comparators import delta, z_scores


@pytest.mark.shared
@pytest.mark.parametrize(("part", "name"), [("small", "unrounded"), ("full", "cosine")])
def test_cosines_are_idiolects(shared: Path, part: str, name: str) -> None:
    expected = golden(shared, "delta")[part]
    z = z_scores(Enron(shared).of(expected["q"] + expected["k"]))
    n = len(expected["q"])
    rows = range(n) if part == "small" else range(0, n, 6)
    for row in rows:
        found = [cosine(z[row], z[n + column]) for column in range(len(expected["k"]))]
        assert found == pytest.approx(expected[name][row], rel=1e-9, abs=1e-12)


def test_by_hand() -> None:
    # Shares of (a, b): 1, 0 · 0, 1 · ½, ½. Mean ½, sd ½: z is ±1 or 0.
    z = z_scores(["a a", "B", "a b"])
    assert z.tolist() == [[1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]]
    assert delta("a a", ["a"], ["b"]) == pytest.approx(1.0, rel=1e-15)
    assert delta("a a", ["b"], ["a b"]) == pytest.approx(-1.0, rel=1e-15)
    assert delta("a b", ["b"], ["a a"]) == 0.0


def test_the_mean_over_the_texts_of_k() -> None:
    reference = ["the cat sat .", "a dog ran , and ran .", "some cat , some dog ."]
    z = z_scores([*reference, "the dog .", "the cat ran .", "a cat , and ."])
    both = [float(np.dot(z[3], row) / sqrt(np.dot(z[3], z[3]) * np.dot(row, row))) for row in z[4:]]
    assert delta("the dog .", ["the cat ran .", "a cat , and ."], reference) == pytest.approx(sum(both) / 2, rel=1e-12)


def test_a_text_without_words_is_refused() -> None:
    with pytest.raises(InputError, match="Text 2 of 3 has no word"):
        delta("12", ["a"], ["b"])
