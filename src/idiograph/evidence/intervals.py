"""Intervals of metrics by resampling authors: trials that share an author rise and fall together.

Authors are drawn with replacement. A same-author trial counts as often as its author was drawn, a different-author
trial of (a, b) as often as a was, times as often as b was. Cllr_min and Cllr_cal, which trials drawn twice would
flatter, have their intervals from half samples instead (`half_samples`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from idiograph.arithmetic import FloatArray, quantile
from idiograph.checking import check, whole_number
from idiograph.errors import InputError
from idiograph.evidence.metrics import METRICS, Counted
from idiograph.evidence.trials import Pair, Trials, Values

_BY_HALF_SAMPLES = ("cllr_min", "cllr_cal")
_HALF_SAMPLED_LEVEL = 0.95  # the one that their width was found for


@dataclass(frozen=True)
class Estimate:
    """A metric of the trials with its interval over authors, which contains it; None where it is not defined.

    `undefined` resamples drew no trial of one class, or left the metric without a value; they are not in the interval.
    Where they are more than half there is no interval.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    undefined: int = 0


def intervals(
    *,
    same: Values,
    different: Values,
    same_authors: Sequence[str],
    different_authors: Sequence[Pair],
    metrics: Sequence[str] = tuple(METRICS),
    resamples: int = 2_000,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """Each metric of LLRs in nats with its interval over resampled authors.

    `same` and `different` are the LLRs of same-author and different-author trials; `same_authors` has a name for each
    of the former, `different_authors` a pair of names, of Q's and K's author, for each of the latter. `metrics` names
    some of them (default: all), `resamples` says how often authors are drawn, by `seed`, and `level` how much the
    interval holds.
    """
    check(metrics, Sequence[str], "metrics")
    check(level, float, "level")
    unknown = [metric for metric in metrics if metric not in METRICS]
    if unknown:
        raise InputError(f"There is no interval for {unknown[0]!r}. Choose among {', '.join(METRICS)}.")
    if not 0 < level < 1:
        raise InputError(f"level must be a number between 0 and 1, both excluded, not {level}.")
    resamples = whole_number(resamples, "resamples", least=1, most=1_000_000)
    seed = whole_number(seed, "seed", least=0)
    trials = Trials.of(same=same, different=different, same_authors=same_authors, different_authors=different_authors)
    return estimates(trials, metrics=metrics, resamples=resamples, seed=seed, level=level)


def estimates(
    trials: Trials, *, metrics: Sequence[str] = tuple(METRICS), resamples: int, seed: int, level: float = 0.95
) -> dict[str, Estimate]:
    """Each metric of the trials; with its interval unless `resamples` is 0."""
    once = _values(Counted.once(trials), metrics)
    values = {metric: float(once[metric][0]) for metric in metrics}
    by_resamples = [metric for metric in metrics if metric not in _BY_HALF_SAMPLES]
    parts = [_values(drawn, by_resamples) for drawn in resampled(trials, resamples, seed)]
    by_metric = {}
    halves = _half_sampled(trials, metrics, seed) if resamples and level == _HALF_SAMPLED_LEVEL else {}
    for metric, value in values.items():
        low = high = None
        if metric in _BY_HALF_SAMPLES:
            low, high = halves.get(metric) or (None, None)
        elif parts:
            by_metric[metric] = over_resamples(value, np.concatenate([part[metric] for part in parts]), level=level)
            continue
        by_metric[metric] = _holding(value, low, high, 0)
    return by_metric


def over_resamples(value: float, drawn: FloatArray, *, level: float = 0.95) -> Estimate:
    """A metric with its interval by the values that resamples gave it; not a number where one gave none."""
    low = high = None
    defined = drawn[np.isfinite(drawn)]
    if 2 * defined.size >= drawn.size:
        tail = (1 - level) / 2
        low, high = quantile(defined, tail), quantile(defined, 1 - tail)
    return _holding(value, low, high, drawn.size - defined.size)


def _holding(value: float, low: float | None, high: float | None, undefined: int) -> Estimate:
    """The estimate; its interval contains it."""
    if low is not None and high is not None and np.isfinite(value):
        low, high = min(low, value), max(high, value)
    return Estimate(value if np.isfinite(value) else None, low, high, undefined)


def _half_sampled(trials: Trials, metrics: Sequence[str], seed: int) -> dict[str, tuple[float, float] | None]:
    if not set(_BY_HALF_SAMPLES) & set(metrics):
        return {}
    # Imported late: it needs Numba, which takes half a second.
    from idiograph.evidence.half_samples import half_sampled

    intervals = half_sampled(trials, seed=seed)
    return {"cllr_min": intervals.cllr_min, "cllr_cal": intervals.cllr_cal}


def resampled(trials: Trials, resamples: int, seed: int) -> Iterator[Counted]:
    """The trials as often as their authors were drawn: some megabytes of weights at a time."""
    if resamples == 0:
        return
    own_authors, pairs = trials.known_authors
    n = len(trials.authors)
    number_of = {author: i for i, author in enumerate(trials.authors)}
    of_same = np.array([number_of[author] for author in own_authors])
    first = np.array([number_of[a] for a, _ in pairs])
    second = np.array([number_of[b] for _, b in pairs])
    rng = np.random.default_rng(seed)
    at_once = max(1, 1_000_000 // trials.all.size)
    for start in range(0, resamples, at_once):
        rows = min(at_once, resamples - start)
        # Whole numbers: NumPy's multinomial would use the C library's logarithm.
        places = rng.integers(n, size=(rows, n)) + n * np.arange(rows)[:, None]
        drawn = np.bincount(places.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)
        yield Counted(trials, drawn[:, of_same], drawn[:, first] * drawn[:, second])


def _values(of: Counted, metrics: Sequence[str]) -> dict[str, FloatArray]:
    """Each metric of every row; not a number where it is not defined, as where a class has no trial."""
    usable = (of.same > 0).any(axis=1) & (of.different > 0).any(axis=1)
    kept = Counted(of.trials, of.same[usable], of.different[usable])
    values = {metric: np.full(usable.size, np.nan) for metric in metrics}
    for metric in metrics if usable.any() else ():
        values[metric][usable] = METRICS[metric](kept)
    return values
