"""Cosines of weighted counts: what two texts share counts the more the rarer it is in the cohort. Scores, not LLRs.

    weight of an n-gram in a text = (1 + ln tf) · (ln((1 + n) / (1 + df)) + 1)

df is how many of n texts have the n-gram: the Ks of the trial's cohort and the K of the trial. An n-gram in none of
them is left out of both vectors, norms included.

S-norm: a score measured by what the same Q gets with other Ks, and the same K with other Qs.

    S = ½·((x − mean_j s(Q_b, K_j)) / sd_j  +  (x − mean_i s(Q_i, K_a)) / sd_i),    x = s(Q_b, K_a)

i and j run over the trial's cohort (`cohort`), sd with n − 1. Row b and column a of a matrix hold s(Q_b, K_a).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from idiograph.arithmetic import FloatArray, log
from idiograph.compiling import compiled, run
from idiograph.errors import CalibrationError
from idiograph.evidence.n_grams import Counts
from idiograph.evidence.trials import following
from idiograph.grammar.vocabulary import Numbers


def s_norms(
    scores: FloatArray,
    trials: Sequence[tuple[int, int]] | Numbers,
    *,
    reference: Sequence[int],
    weights: Sequence[float] | None = None,
) -> FloatArray:
    """The S-norm of each trial (b, a), of Q_b with K_a; `weights` says how often each reference author counts."""
    chosen = np.array(reference, np.int64)
    counts = np.ones(len(chosen)) if weights is None else np.array(weights, np.float64)
    pairs = np.array(trials, np.int64).reshape(-1, 2)
    after = np.full(len(pairs), -1, np.int64)
    for place in np.flatnonzero(pairs[:, 0] == pairs[:, 1]):
        if (author := int(pairs[place, 0])) in reference:
            after[place] = following(reference, author)
    found: FloatArray = run(normed, scores, pairs, after, chosen, counts)
    if np.isnan(found).any():
        raise CalibrationError(
            "All scores of the cohort are the same and that of the trial is another, so it cannot be normalised. "
            "Check the reference for copies of one text."
        )
    return found


@compiled
def normed(scores: Any, pairs: Any, after: Any, reference: Any, weights: Any) -> Any:
    """See `s_norms`; the reference author `after` a trial is not in its cohort. Not a number: a spread of 0."""
    result = np.zeros(len(pairs))
    for place in range(len(pairs)):
        b, a = pairs[place, 0], pairs[place, 1]
        x = scores[b, a]
        for by_column in range(2):
            n, summed = 0.0, 0.0
            for member in range(len(reference)):
                i = reference[member]
                if i != a and i != b and i != after[place]:
                    n += weights[member]
                    summed += weights[member] * (scores[i, a] if by_column else scores[b, i])
            middle = summed / n
            squares = 0.0
            for member in range(len(reference)):
                i = reference[member]
                if i != a and i != b and i != after[place]:
                    away = (scores[i, a] if by_column else scores[b, i]) - middle
                    squares += weights[member] * away * away
            spread = np.sqrt(squares / (n - 1.0))
            if spread > 0.0:
                result[place] += 0.5 * (x - middle) / spread
            elif x != middle:
                result[place] = np.nan
    return result


def weighted_cosines(
    counts: Counts, *, q_authors: Sequence[int], reference: Sequence[int], versions: Numbers | None = None
) -> FloatArray:
    """The cosine of every Q with every K: one row per Q, one column per author.

    In `counts` stand first the Qs, of the authors `q_authors`, then the Ks of authors 0, 1, 2 …; `reference` names
    the authors that cohorts are taken from. `versions` says which text of `counts` stands for each Q with each K;
    those that are neither a Q nor a K come last.
    """
    if versions is None:
        n_ks = len(counts.starts) - 1 - len(q_authors)
        versions = np.repeat(np.arange(len(q_authors))[:, None], n_ks, axis=1)
    n_ks = versions.shape[1]
    is_reference = np.zeros(n_ks, np.bool_)
    is_reference[list(reference)] = True
    after = [following(reference, b) if b in reference else -1 for b in q_authors]
    tf_weights = 1.0 + log(np.arange(1, int(counts.times.max(initial=1)) + 1, dtype=np.float64))
    n = np.arange(n_ks + 2, dtype=np.float64)
    idf_weights = log((1.0 + n[:, None]) / (1.0 + n[None, :])) + 1.0
    found: FloatArray = run(
        cosines, counts.starts, counts.ids, tf_weights[counts.times - 1], counts.n_ids,
        np.array(q_authors, np.int64), versions, is_reference, np.array(after, np.int64), idf_weights,
    )  # fmt: skip
    return found


@compiled
def cosines(
    starts: Any,
    ids: Any,
    weights: Any,
    n_ids: int,
    q_authors: Any,
    versions: Any,
    is_reference: Any,
    after: Any,
    idf: Any,
) -> Any:
    """See `weighted_cosines`; row n and column df of `idf` hold a weight. Sums run in the order of the n-grams."""
    n_qs, n_ks = len(q_authors), len(is_reference)
    result = np.zeros((n_qs, n_ks))
    df = np.zeros(n_ids, np.int64)
    of_k = np.zeros(n_ids)
    n = 0
    for j in range(n_ks):
        if is_reference[j]:
            n += 1
            change(df, ids, starts, n_qs + j, 1)
    for row in range(n_qs):
        b = q_authors[row]
        without = b >= 0 and is_reference[b]  # Q's author is in no cohort
        if without:
            n -= 1
            change(df, ids, starts, n_qs + b, -1)
        for a in range(n_ks):
            own = a == b or not is_reference[a]
            dropped = after[row] if a == b else -1
            if own:
                n += 1
                change(df, ids, starts, n_qs + a, 1)
            if dropped >= 0 and dropped != a:
                n -= 1
                change(df, ids, starts, n_qs + dropped, -1)
            q_norm, k_norm, shared = 0.0, 0.0, 0.0
            for place in range(starts[n_qs + a], starts[n_qs + a + 1]):
                weight = weights[place] * idf[n, df[ids[place]]]
                of_k[ids[place]] = weight
                k_norm += weight * weight
            q = versions[row, a]
            for place in range(starts[q], starts[q + 1]):
                if df[ids[place]] > 0:
                    weight = weights[place] * idf[n, df[ids[place]]]
                    q_norm += weight * weight
                    shared += weight * of_k[ids[place]]
            if shared > 0.0:
                result[row, a] = shared / np.sqrt(q_norm * k_norm)
            for place in range(starts[n_qs + a], starts[n_qs + a + 1]):
                of_k[ids[place]] = 0.0
            if own:
                n -= 1
                change(df, ids, starts, n_qs + a, -1)
            if dropped >= 0 and dropped != a:
                n += 1
                change(df, ids, starts, n_qs + dropped, 1)
        if without:
            n += 1
            change(df, ids, starts, n_qs + b, 1)
    return result


@compiled
def change(df: Any, ids: Any, starts: Any, text: int, by: int) -> None:
    """Counts a text in, or out again."""
    for place in range(starts[text], starts[text + 1]):
        df[ids[place]] += by
