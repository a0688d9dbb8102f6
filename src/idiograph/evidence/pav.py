"""Pool-adjacent-violators: the best LLRs that keep the order of the scores, with both classes weighing the same."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import log, total
from idiograph.checks import checked
from idiograph.evidence.trials import FloatArray


@dataclass(frozen=True, eq=False)
class Grouped:
    """Trials put together by score: one column per distinct score, ascending, and how much of each class is there.

    `same` and `different` have one row per set of weights, so that many resamples are grouped at once.
    """

    scores: FloatArray
    same: FloatArray
    different: FloatArray


def grouped(scores: FloatArray, same_weights: FloatArray, different_weights: FloatArray) -> Grouped:
    """Weights (rows: sets of weights; columns: same-author, then different-author trials) summed by score."""
    distinct, place = np.unique(scores, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(distinct.size))
    n_same = same_weights.shape[1]
    same = np.zeros((same_weights.shape[0], scores.size), np.int64)
    different = np.zeros_like(same)
    same[:, :n_same] = same_weights
    different[:, n_same:] = different_weights
    # Trials count a whole number of times, so these sums are exact in any order.
    same, different = (np.add.reduceat(w[:, order], starts, axis=1, dtype=np.int64) for w in (same, different))
    return Grouped(distinct, same.astype(np.float64), different.astype(np.float64))


@dataclass(frozen=True, eq=False)
class Pooled:
    """What pool-adjacent-violators made of trials: blocks in ascending order of score.

    `scores` are the distinct scores and `block` the block of each; `same` and `different` the share of each class in a
    block (Laplace's points, where asked for, come on top); `kept_same` and `kept_different` its share of the real
    trials alone.
    """

    scores: FloatArray
    block: npt.NDArray[np.intp]
    same: FloatArray
    different: FloatArray
    kept_same: FloatArray
    kept_different: FloatArray

    @property
    def nats(self) -> FloatArray:
        """The LLR of each distinct score: infinite where its block holds one class only."""
        return (log(self.same) - log(self.different))[self.block]


def pooled(together: Grouped, row: int = 0, *, laplace: bool = False) -> Pooled:
    """The blocks under one row of weights; scores without weight are left out.

    Laplace's points are one trial of each class below all scores and one above, weighing what a real trial weighs:
    they keep every LLR finite.
    """
    # Imported late: Numba takes half a second, and most commands pool nothing.
    from idiograph.compiling import run
    from idiograph.evidence import kernels

    checked(laplace, bool, "laplace")
    present = (together.same[row] + together.different[row]) > 0
    same, different = together.same[row][present], together.different[row][present]
    ends = [1.0] if laplace else []
    starts = run(kernels.pool, np.concatenate([ends, same, ends]), np.concatenate([ends, different, ends]))
    block = np.repeat(np.arange(starts.size), np.diff(np.append(starts, same.size + 2 * laplace)))
    if laplace:
        block = block[1:-1]
    shares, kept = [], []
    for counts in (same, different):
        in_block = np.bincount(block, counts, starts.size)  # of whole numbers, hence exact
        # R's ROC package takes the odds of the classes from the real trials alone, so Laplace's points come on top.
        points = np.zeros(starts.size)
        if laplace:
            points[0] += 1
            points[-1] += 1
        n = total(counts)
        shares.append((in_block + points) / n)
        kept.append(in_block / n)
    return Pooled(together.scores[present], block, shares[0], shares[1], kept[0], kept[1])
