"""Pool-adjacent-violators: the best LLRs that keep the order of the scores, with both classes weighing the same."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
    same = np.zeros((same_weights.shape[0], scores.size))
    different = np.zeros_like(same)
    same[:, :n_same] = same_weights
    different[:, n_same:] = different_weights
    return Grouped(
        distinct,
        np.add.reduceat(same[:, order], starts, axis=1),
        np.add.reduceat(different[:, order], starts, axis=1),
    )


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
        with np.errstate(divide="ignore"):
            return (np.log(self.same) - np.log(self.different))[self.block]


def pooled(together: Grouped, row: int = 0, *, laplace: bool = False) -> Pooled:
    """The blocks under one row of weights; scores without weight are left out.

    Laplace's points are one trial of each class below all scores and one above, weighing what a real trial weighs:
    they keep every LLR finite.
    """
    from scipy.optimize import isotonic_regression

    present = (together.same[row] + together.different[row]) > 0
    same, different = together.same[row][present], together.different[row][present]
    # R's ROC package takes the odds of the classes from the real trials alone, so Laplace's points come on top of 1.
    s, d = (np.concatenate([[1.0], w, [1.0]]) / w.sum() if laplace else w / w.sum() for w in (same, different))
    found = isotonic_regression(s / (s + d), weights=s + d).blocks
    starts = np.asarray(found[:-1], np.intp)
    inner = slice(1, -1) if laplace else slice(None)
    kept = []
    for w in (same, different):
        padded = np.zeros(s.size)
        padded[inner] = w / w.sum()
        kept.append(np.add.reduceat(padded, starts))
    block = np.repeat(np.arange(starts.size), np.diff(np.append(starts, s.size)))[inner]
    return Pooled(
        together.scores[present], block, np.add.reduceat(s, starts), np.add.reduceat(d, starts), kept[0], kept[1]
    )
