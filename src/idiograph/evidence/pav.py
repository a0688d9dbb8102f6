"""Pool-adjacent-violators: the best LLRs that keep the order of the scores, with both classes weighing the same."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idiograph.evidence.two_classes import FloatArray, TwoClasses

IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Grouped:
    """Trials put together by score: a column a distinct score, ascending, and weights in its rows' two classes.

    `same` and `different` have one row a set of weights, so that many resamples are grouped at once.
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


def group(classes: TwoClasses) -> Grouped:
    """The trials of both classes, put together by score."""
    scores = np.concatenate([classes.same, classes.different])
    return grouped(scores, classes.same_weights[None, :], classes.different_weights[None, :])


@dataclass(frozen=True)
class Blocks:
    """What pool-adjacent-violators pooled, in ascending order of score.

    `starts` are the first score of each block; `same` and `different` the share of each class in it (Laplace's
    points, where asked for, come on top); `kept_same` and `kept_different` its share of the real trials alone.
    """

    starts: IntArray
    same: FloatArray
    different: FloatArray
    kept_same: FloatArray
    kept_different: FloatArray

    @property
    def nats(self) -> FloatArray:
        """The LLR of each block: infinite where a block holds one class only."""
        with np.errstate(divide="ignore"):
            return np.log(self.same) - np.log(self.different)

    def nats_of_each(self, n_scores: int) -> FloatArray:
        """The LLR of each of the scores that were pooled."""
        return np.repeat(self.nats, np.diff(np.append(self.starts, n_scores)))


def blocks(same: FloatArray, different: FloatArray, *, laplace: bool = False) -> Blocks:
    """Blocks of weights by distinct score, ascending; every score must have some weight.

    Laplace's points are one trial of each class below all scores and one above, weighing what a real trial weighs:
    they keep every LLR finite.
    """
    from scipy.optimize import isotonic_regression

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
    return Blocks(starts, np.add.reduceat(s, starts), np.add.reduceat(d, starts), kept[0], kept[1])


@dataclass(frozen=True)
class Pav:
    """Distinct scores, ascending, and the LLR in nats that pool-adjacent-violators gives each (perhaps ±inf)."""

    scores: FloatArray
    nats: FloatArray


def pav_of(classes: TwoClasses, *, laplace: bool = False) -> Pav:
    """Pool-adjacent-violators over checked classes."""
    together = group(classes.counting())
    pooled = blocks(together.same[0], together.different[0], laplace=laplace)
    nats = pooled.nats_of_each(together.scores.size + 2 * laplace)
    return Pav(together.scores, nats[1:-1] if laplace else nats)
