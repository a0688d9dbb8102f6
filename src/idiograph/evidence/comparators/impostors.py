"""Impostors: is K nearer to Q than texts by others, whatever features are looked at? Scores, not likelihood ratios.

Rank-based (Potha & Stamatatos 2017, as in R's idiolect) and General Impostors (Koppel & Winter 2014, idiolect's KGI).
The texts of the reference are the impostors.
"""

from collections.abc import Sequence

import numpy as np

from idiograph.arithmetic import FloatArray, log10, mean
from idiograph.errors import InputError
from idiograph.evidence.comparators.features import NGrams, Numbers, most_frequent, n_grams, sentences_of
from idiograph.grammar.settings import Seed

RANK_BASED_N, RANK_BASED_FEATURES = 5, 1500
GENERAL_N, GENERAL_ROUNDS = 4, 100
MOST_IMPOSTORS = 100


def rank_based_impostors(
    q: str, k: Sequence[str], reference: Sequence[str], *, n_impostors: int = MOST_IMPOSTORS, seed: Seed = 0
) -> float:
    """The mean of 1/rank of K's texts among impostors by their distance to Q: 1 is always the nearest.

    For each text of K the `n_impostors` texts of the reference most like it are the pool; a fifth as many rounds are
    made, each with a tenth as many impostors and half the features, drawn by [seed, text of K, which].
    """
    from idiograph.grammar.drawing import draw

    _refuse(reference, n_impostors)
    size = min(n_impostors, len(reference))
    rounds, n_drawn = max(1, size // 5), max(1, size // 10)
    shares = rank_based_shares([*reference, q, *k])
    impostors, of_q, known = np.split(shares, [len(reference), len(reference) + 1])
    n_features = shares.shape[1]
    seeds = list(seed) if isinstance(seed, Sequence) else [seed]
    scores = []
    for number, text in enumerate(known):
        pool = impostors[nearest(text, impostors, size)]
        features = draw([*seeds, number, 0], n_features, size=n_features // 2, repetitions=rounds)
        drawn = draw([*seeds, number, 1], size, size=n_drawn, repetitions=rounds)
        scores.append(mean(1.0 / rank for rank in ranks_of(of_q[0], text, pool, features, drawn)))
    return mean(scores)


def general_impostors(
    q: str, k: Sequence[str], reference: Sequence[str], *, rounds: int = GENERAL_ROUNDS, seed: Seed = 0
) -> float:
    """The share of rounds, each with half the features and half the impostors, in which a text of K is nearest to Q."""
    from idiograph.compiling import run
    from idiograph.evidence.comparators.kernels import rounds_won
    from idiograph.grammar.drawing import draw

    _refuse(reference, 2)
    weights = general_weights([*reference, q, *k])
    impostors, of_q, known = np.split(weights, [len(reference), len(reference) + 1])
    seeds = list(seed) if isinstance(seed, Sequence) else [seed]
    n_features, half = weights.shape[1], max(1, len(reference) // 2)
    features = np.sort(draw([*seeds, 0], n_features, size=n_features // 2, repetitions=rounds), axis=1)
    drawn = draw([*seeds, 1], len(reference), size=half, repetitions=rounds)
    return int(run(rounds_won, of_q[0], known, impostors, features, drawn)) / rounds


def rank_based_shares(texts: Sequence[str]) -> FloatArray:
    """One row per text: the relative frequencies of the 1,500 character 5-grams most frequent by their sum."""
    from idiograph.compiling import run
    from idiograph.evidence.comparators.kernels import summed_shares

    found = _n_grams(texts, RANK_BASED_N)
    summed = run(summed_shares, found.starts, found.ids, found.times, found.totals, found.n_ids)
    return found.relative_frequencies(most_frequent(summed, RANK_BASED_FEATURES))


def general_weights(texts: Sequence[str]) -> FloatArray:
    """One row per text: the relative frequency of each character 4-gram times log10(texts / texts that have it)."""
    found = _n_grams(texts, GENERAL_N)
    idf = log10(len(texts) / found.document_frequencies().astype(np.float64))
    return found.relative_frequencies(np.arange(found.n_ids)) * idf


def nearest(text: FloatArray, others: FloatArray, n: int) -> Numbers:
    """The numbers of the `n` rows with the smallest min-max distance to the text, ascending."""
    from idiograph.compiling import run
    from idiograph.evidence.comparators.kernels import distances

    found: FloatArray = run(distances, text, others)
    return most_frequent(-found, n)


def ranks_of(of_q: FloatArray, known: FloatArray, pool: FloatArray, features: Numbers, impostors: Numbers) -> list[int]:
    """The rank of a known text in each round; a row of `features` and of `impostors` (of the pool) per round."""
    from idiograph.compiling import run
    from idiograph.evidence.comparators.kernels import ranks

    found: list[int] = run(ranks, of_q, known, pool, features, impostors).tolist()
    return found


def _n_grams(texts: Sequence[str], n: int) -> NGrams:
    found = n_grams([sentences_of(text) for text in texts], n, within_lines=True)
    if not found.totals.all():
        number = int(np.flatnonzero(found.totals == 0)[0])
        raise InputError(
            f"Text {number + 1} of {len(texts)} has no sentence of {n} characters, so it cannot be compared."
        )
    return found


def _refuse(reference: Sequence[str], n_impostors: int) -> None:
    if len(reference) < 2 or n_impostors < 2:
        raise InputError(
            f"There are {min(len(reference), n_impostors)} impostors, and at least 2 are needed. Add reference texts."
        )
