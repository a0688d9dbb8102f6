"""Cosines of weighted counts: what two texts share counts the more the rarer it is in the cohort. Scores, not LLRs.

    weight of an n-gram in a text = (1 + ln tf) · (ln((1 + n) / (1 + df)) + 1)

df is how many of n texts have the n-gram: the Ks of the trial's cohort and the K of the trial. An n-gram in none of
them is left out of both vectors, norms included.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from idiograph.arithmetic import FloatArray, log
from idiograph.compiling import compiled, run
from idiograph.evidence.cohort import following
from idiograph.evidence.n_grams import Counts, Numbers


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
