"""Cosine Delta (Burrows 2002; Smith & Aldridge 2011): Q and K in their most frequent words. A score, not an LR."""

from collections.abc import Sequence

import numpy as np

from idiograph.arithmetic import FloatArray, mean, sd, total
from idiograph.errors import InputError
from idiograph.evidence.comparators.features import cosine, most_frequent, word_counts

N_WORDS = 150


def delta(q: str, k: Sequence[str], reference: Sequence[str]) -> float:
    """The mean cosine of Q with each of K's texts; words and z-scores come from these texts and the reference."""
    z = z_scores([*reference, q, *k])
    of_q = z[len(reference)]
    return mean([cosine(of_q, row) for row in z[len(reference) + 1 :]])


def z_scores(texts: Sequence[str], *, n_words: int = N_WORDS) -> FloatArray:
    """One row per text: how far each of the most frequent words is from its mean relative frequency, in sd (n − 1)."""
    counts = [word_counts(text) for text in texts]
    totals = [sum(words.values()) for words in counts]
    if not all(totals):
        raise InputError(f"Text {totals.index(0) + 1} of {len(texts)} has no word, so it cannot be compared.")
    words = list(dict.fromkeys(word for of_text in counts for word in of_text))
    shares = [{word: times / n for word, times in of_text.items()} for of_text, n in zip(counts, totals, strict=True)]
    summed = np.array([total(of_text.get(word, 0.0) for of_text in shares) for word in words])
    chosen = [words[number] for number in most_frequent(summed, n_words)]
    z = np.zeros((len(texts), len(chosen)))
    for column, word in enumerate(chosen):
        values = [of_text.get(word, 0.0) for of_text in shares]
        middle, spread = mean(values), sd(values)
        if spread > 0.0:
            z[:, column] = [(value - middle) / spread for value in values]
    return z
