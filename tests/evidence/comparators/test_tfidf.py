"""PAN's tf-idf baseline: its cosines, and one by hand."""

import re
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest

from golden_comparators import Enron, golden
from idiograph.evidence.character_ngrams import cosine
from idiograph.evidence.comparators import N_FEATURES, fitted_n_grams, tfidf, tfidf_weights

# 68 n-grams are as frequent as the 3,000th, and an unstable sort decided which four of them do not count.
LEFT_OUT = {"ed b", "y mo", "y mu", "y so"}


@pytest.mark.shared
def test_cosines_are_pans(shared: Path) -> None:
    enron, expected = Enron(shared), golden(shared, "pan_baselines_enron96")
    authors = list(enron.known)
    texts = ["\n".join(enron.of(enron.known[author])) for author in authors]
    texts += [enron.text[enron.unknown[author]] for author in authors]
    found = fitted_n_grams(texts)
    times = found.frequencies()
    cut = np.sort(times)[-N_FEATURES]
    characters = "\0".join(re.sub(r"\s\s+", " ", text.lower()) for text in texts)
    grams = {number: characters[found.firsts[number] :][:4] for number in np.flatnonzero(times >= cut)}
    chosen = [number for number, gram in grams.items() if gram not in LEFT_OUT]
    assert len(chosen) == N_FEATURES == expected["n_features"]
    assert sorted(grams[number] for number in chosen)[:20] == expected["features_first20"]
    weights = tfidf_weights(found, np.array(chosen))
    for row in expected["problems"]:
        one, other = weights[authors.index(row["K"])], weights[len(authors) + authors.index(row["Q"])]
        assert cosine(one, other) == pytest.approx(row["cosine_tfidf4"], rel=1e-9)


def test_by_hand() -> None:
    # abcd twice in Q and once in K, bcde in Q alone, zzzz in the reference; three texts.
    idf = {df: log(4 / (1 + df)) + 1 for df in (1, 2)}
    q, k = (2 * idf[2], idf[1], 3 * idf[1]), (idf[2], 0, 0)
    # Q: abcde abcd has abcd twice, bcde, "cde ", "de a", "e ab", " abc".
    norm = sqrt((2 * idf[2]) ** 2 + 5 * idf[1] ** 2)
    assert tfidf("abcde abcd", ["abcd"], ["zzzz"]) == pytest.approx(q[0] * k[0] / (norm * idf[2]), rel=1e-12)


def test_case_and_wide_blanks_do_not_matter() -> None:
    assert tfidf("The  Cat\n\nsat", ["the cat sat"], ["a dog ran"]) == pytest.approx(1.0, rel=1e-12)
    assert tfidf("abcdef", ["uvwxyz"], ["a dog ran"]) == 0.0
