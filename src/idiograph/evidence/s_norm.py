"""S-norm: a score measured by what the same Q gets with other Ks, and the same K with other Qs.

    S = ½·((x − mean_j s(Q_b, K_j)) / sd_j  +  (x − mean_i s(Q_i, K_a)) / sd_i),    x = s(Q_b, K_a)

i and j run over the trial's cohort (`cohort`), sd with n − 1. Row b and column a of a matrix hold s(Q_b, K_a).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from idiograph.arithmetic import FloatArray
from idiograph.compiling import compiled, run
from idiograph.errors import CalibrationError
from idiograph.evidence.cohort import following
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
