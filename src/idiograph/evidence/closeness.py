"""How close two texts are in topic: c, the cosine of their content words, which masking hides from every other score.

    c(Q, K) = cosine with weights (1 + ln tf) · (ln((1 + n) / (1 + df)) + 1)

df and n go by the Ks of the trial's cohort and the K of the trial, as in the n-gram cosine, with one difference: words
of Q that none of these Ks has (df 0) stay in Q's norm, for a Q about something else altogether is far from all.

    g(Q, K) = S-norm of ln(c + 0.02), by the cohort that its scores are normalised by; between −3 and 6
    S′_k = S_k − b_k·g

g is 0 for what a different author of the reference has on average. Both classes of trial lean on it in a straight line;
b takes the lean out of each normalised score S_k, in one function, which whatever uses normalised scores goes through.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from idiograph.arithmetic import FloatArray, log, mean, total
from idiograph.checking import checks_arguments
from idiograph.evidence.cosine import Counts, number_n_grams, weighted_cosines
from idiograph.grammar.vocabulary import Numbers, Tokens, token_numbers

ADDED = 0.02  # to c before its logarithm is taken: two texts may share no content word at all
LEAST, MOST = -3.0, 6.0  # g beyond is taken for this: below nothing was measured, above no different author comes near
Words = Sequence[str]


@dataclass(frozen=True, eq=False)
class ContentWords:
    """The content words of many sentences, numbered in alphabetical order; `starts` is where each sentence's begin."""

    words: tuple[str, ...]
    numbers: Tokens
    starts: Numbers  # and where the last one's end

    @classmethod
    def of(cls, sentences: Iterable[Words]) -> "ContentWords":
        """The content words of sentences, which come in the order of an index."""
        listed = list(sentences)
        words = tuple(sorted(set(chain.from_iterable(listed))))
        number = {word: rank for rank, word in enumerate(words)}
        numbers = np.array([number[word] for sentence in listed for word in sentence], np.int32)
        return cls(words, numbers, np.cumsum([0, *map(len, listed)], dtype=np.int64))

    def counts(self, sides: Sequence[Numbers]) -> Counts:
        """How often each word occurs in each side, which is given by the numbers of its sentences."""
        texts = [token_numbers(self.numbers, self.starts, side) for side in sides]
        sizes = [[len(text)] for text in texts]
        return number_n_grams(np.concatenate(texts), sizes=sizes, lengths=range(1, 2)).counts()


def closenesses(counts: Counts, *, q_authors: Sequence[int], reference: Sequence[int]) -> FloatArray:
    """c of every Q with every K, by the cohort of each trial: one row per Q, one column per K.

    `counts` has the content words of the Qs, of the authors `q_authors`, then those of the Ks of authors 0, 1, 2 …
    """
    return weighted_cosines(counts, q_authors=q_authors, reference=reference, unseen=True)


@checks_arguments
def closeness(q: Words, k: Words, *, cohort: Sequence[Words]) -> float:
    """c of the content words of Q and K, each word weighted by how many of the cohort's Ks and K have it."""
    sides = ContentWords.of([q, k, *cohort])
    counts = sides.counts([np.array([number]) for number in range(len(cohort) + 2)])
    return float(closenesses(counts, q_authors=[0], reference=range(1, len(cohort) + 1))[0, 0])


def log_closeness(c: FloatArray) -> FloatArray:
    """ln(c + 0.02), in which closeness is measured."""
    return log(c + ADDED)


def clipped(g: FloatArray) -> FloatArray:
    """g between −3 and 6."""
    return np.minimum(np.maximum(g, LEAST), MOST)


def freed(normed: FloatArray, g: FloatArray, slopes: Sequence[float]) -> FloatArray:
    """S′: the normalised scores (one row per trial) without what topic gives them, by the slope of each."""
    return normed - np.array(slopes)[None, :] * g[:, None]


def slope(x: FloatArray, y: FloatArray, groups: Sequence[object], places: Numbers) -> float:
    """The slope of y on x over these places, the means of each group taken out."""
    members: dict[object, list[int]] = {}
    for row in places.tolist():
        members.setdefault(groups[row], []).append(row)
    products, squares = [], []
    for group in members.values():
        away = x[group] - mean(x[group])
        products += (away * y[group]).tolist()
        squares += (away * away).tolist()
    return total(products) / total(squares)
