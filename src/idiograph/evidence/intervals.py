"""Intervals of metrics by resampling authors: trials that share an author rise and fall together.

Authors are drawn with replacement. A same-author trial counts as often as its author was drawn, a different-author
trial of (a, b) as often as a was, times as often as b was.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from idiograph.errors import InputError
from idiograph.evidence.logistic import balanced_maxima
from idiograph.evidence.metrics import hull_eer, pav_distance, pooled_cost, rank_auc, trial_costs
from idiograph.evidence.pav import Grouped, blocks, grouped
from idiograph.evidence.two_classes import FloatArray, TwoClasses, Values, two_classes

METRICS = (
    "cllr",
    "cllr_min",
    "cllr_cal",
    "eer",
    "auc",
    "dev_pav",
    "same_right",
    "different_right",
    "shift",
    "slope",
)
"""The metrics that have intervals; `shift` and `slope` are α and β of ln LR = α + β·LLR refitted on the trials."""


@dataclass(frozen=True)
class Interval:
    """A metric of the trials with its interval over resamples; None where it is not defined.

    `undefined` of the `resamples` drew no trial of one class, or left the metric without a value; they are not in the
    interval. Where they are more than half there is no interval.
    """

    estimate: float | None
    lower: float | None
    upper: float | None
    resamples: int
    undefined: int
    counted_in: Literal["authors", "trials"]
    n: int


@dataclass(frozen=True)
class _Resample:
    """Weights of the trials, a row a resample."""

    same: FloatArray
    different: FloatArray


def intervals(
    *,
    same: Values,
    different: Values,
    same_authors: Sequence[str],
    different_authors: Sequence[tuple[str, str]],
    metrics: Sequence[str] = METRICS,
    resamples: int = 2_000,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, Interval]:
    """Each metric of LLRs in nats with its interval over resampled authors."""
    classes = two_classes(same, different, purpose="An interval")
    if len(same_authors) != classes.same.size or len(different_authors) != classes.different.size:
        raise InputError(
            f"There are {classes.same.size} same-author and {classes.different.size} different-author trials, and "
            f"authors for {len(same_authors)} and {len(different_authors)}. Give the authors of each trial."
        )
    # Sorted, so that the order of the files changes nothing.
    authors = sorted({*same_authors, *(author for pair in different_authors for author in pair)})
    place = {author: i for i, author in enumerate(authors)}
    own = np.array([place[author] for author in same_authors])
    first = np.array([place[a] for a, _ in different_authors])
    second = np.array([place[b] for _, b in different_authors])

    def draw(rng: np.random.Generator, rows: int) -> _Resample:
        drawn = rng.multinomial(len(authors), np.full(len(authors), 1 / len(authors)), size=rows).astype(np.float64)
        return _Resample(drawn[:, own], drawn[:, first] * drawn[:, second])

    return _intervals(classes, metrics, draw, resamples, seed, level, "authors", len(authors))


def pair_intervals(
    *,
    same: Values,
    different: Values,
    metrics: Sequence[str] = METRICS,
    resamples: int = 2_000,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, Interval]:
    """The same, resampling trials as if they were independent: too narrow where they share authors."""
    classes = two_classes(same, different, purpose="An interval")

    def draw(rng: np.random.Generator, rows: int) -> _Resample:
        weights = [
            rng.multinomial(size, np.full(size, 1 / size), size=rows).astype(np.float64)
            for size in (classes.same.size, classes.different.size)
        ]
        return _Resample(*weights)

    n = classes.same.size + classes.different.size
    return _intervals(classes, metrics, draw, resamples, seed, level, "trials", n)


def _intervals(
    classes: TwoClasses,
    metrics: Sequence[str],
    draw: Callable[[np.random.Generator, int], _Resample],
    resamples: int,
    seed: int,
    level: float,
    counted_in: Literal["authors", "trials"],
    n: int,
) -> dict[str, Interval]:
    unknown = [metric for metric in metrics if metric not in METRICS]
    if unknown:
        raise InputError(f"There is no interval for {unknown[0]!r}. Choose among {', '.join(METRICS)}.")
    if not (resamples >= 1 and 0 < level < 1):
        raise InputError(
            f"An interval needs one resample or more and a level between 0 and 1, not {resamples} and {level}."
        )
    once = _Resample(classes.same_weights[None, :], classes.different_weights[None, :])
    estimates = _values(classes, once, metrics)
    rng = np.random.default_rng(seed)
    parts = [_values(classes, draw(rng, rows), metrics) for rows in _chunks(resamples, classes)]
    tail = (1 - level) / 2
    results = {}
    for metric in metrics:
        values = np.concatenate([part[metric] for part in parts])
        defined = values[np.isfinite(values)]
        estimate = float(estimates[metric][0])
        enough = 2 * defined.size >= resamples
        lower, upper = np.quantile(defined, [tail, 1 - tail]).tolist() if enough else (None, None)
        results[metric] = Interval(
            estimate if np.isfinite(estimate) else None,
            lower,
            upper,
            resamples,
            resamples - defined.size,
            counted_in,
            n,
        )
    return results


def _chunks(resamples: int, classes: TwoClasses) -> Iterator[int]:
    """Numbers of resamples to hold at a time: weights of some megabytes, whatever the number of trials."""
    at_once = max(1, 1_000_000 // (classes.same.size + classes.different.size))
    for start in range(0, resamples, at_once):
        yield min(at_once, resamples - start)


def _values(classes: TwoClasses, weights: _Resample, metrics: Sequence[str]) -> Mapping[str, FloatArray]:
    """Each metric of every row of weights; not a number where it is not defined."""
    totals = weights.same.sum(axis=1), weights.different.sum(axis=1)
    usable = (totals[0] > 0) & (totals[1] > 0)
    values = {metric: np.full(usable.size, np.nan) for metric in metrics}
    same, different = weights.same[usable], weights.different[usable]
    found = _usable_values(classes, same, different, frozenset(metrics))
    for metric in metrics:
        values[metric][usable] = found[metric]
    return values


def _usable_values(
    classes: TwoClasses, same: FloatArray, different: FloatArray, wanted: frozenset[str]
) -> dict[str, FloatArray]:
    n_same, n_different = same.sum(axis=1), different.sum(axis=1)
    found: dict[str, FloatArray] = {
        "cllr": (
            (same * trial_costs(classes.same)).sum(axis=1) / n_same
            + (different * trial_costs(-classes.different)).sum(axis=1) / n_different
        )
        / 2,
        "same_right": (same * (classes.same > 0)).sum(axis=1) / n_same,
        "different_right": (different * (classes.different < 0)).sum(axis=1) / n_different,
    }
    if wanted & {"auc", "cllr_min", "cllr_cal", "eer", "dev_pav"}:
        together = grouped(np.concatenate([classes.same, classes.different]), same, different)
        found["auc"] = rank_auc(together)
        if wanted & {"cllr_min", "cllr_cal", "eer", "dev_pav"}:
            found["cllr_min"], found["eer"], found["dev_pav"] = _pooled_rows(together)
            found["cllr_cal"] = found["cllr"] - found["cllr_min"]
    if wanted & {"shift", "slope"}:
        found["shift"], found["slope"] = _refitted_rows(classes, same, different)
    return found


def _pooled_rows(together: Grouped) -> FloatArray:
    rows = np.empty((3, together.same.shape[0]))
    for row, (same, different) in enumerate(zip(together.same, together.different, strict=True)):
        present = (same + different) > 0
        pooled = blocks(same[present], different[present])
        distance = pav_distance(together.scores[present], pooled.nats_of_each(int(np.count_nonzero(present))))
        rows[:, row] = pooled_cost(pooled), hull_eer(pooled), distance
    return rows


def _refitted_rows(classes: TwoClasses, same: FloatArray, different: FloatArray) -> tuple[FloatArray, FloatArray]:
    """α and β of the balanced logistic regression of every row; not a number where the row is separated."""
    shift, slope = np.full(same.shape[0], np.nan), np.full(same.shape[0], np.nan)
    fit = _overlapping(classes, same, different)
    if not fit.any():
        return shift, slope
    shares = [w[fit] / w[fit].sum(axis=1, keepdims=True) for w in (same, different)]
    maxima = balanced_maxima(
        np.concatenate([classes.same, classes.different]),
        targets=np.repeat([1.0, 0.0], (classes.same.size, classes.different.size)),
        weights=np.concatenate(shares, axis=1),
    )
    shift[fit], slope[fit] = maxima.intercepts, maxima.slopes
    return shift, slope


def _overlapping(classes: TwoClasses, same: FloatArray, different: FloatArray) -> npt.NDArray[np.bool_]:
    """Whether the trials that count in a row overlap, so that its likelihood has a maximum."""

    def ends(weights: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        there = weights > 0
        return np.where(there, scores, np.inf).min(axis=1), np.where(there, scores, -np.inf).max(axis=1)

    (low_s, high_s), (low_d, high_d) = ends(same, classes.same), ends(different, classes.different)
    return (low_s < high_d) & (low_d < high_s)
