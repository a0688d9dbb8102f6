"""Intervals of metrics by resampling authors: trials that share an author rise and fall together.

Authors are drawn with replacement. A same-author trial counts as often as its author was drawn, a different-author
trial of (a, b) as often as a was, times as often as b was. Cllr_min and Cllr_cal, which trials drawn twice would
flatter, have their intervals from half samples instead (`half_samples`).

How far a value moves with another reference of the same kind, beyond what resampling the authors at hand shows:

    low = v − √((v − r₅)² + (1.645·e)²),   high likewise

v is the value, r₅ and r₉₅ are percentiles of its resamples, and e(n) is what n authors cannot show of others: the least
sd in log10 LR with which ranges by one half of a reference covered nine in ten values by the other half, learnt on the
open corpora and shipped as data with its source.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from idiograph.arithmetic import FloatArray, quantile
from idiograph.checking import check, whole_number
from idiograph.errors import InputError
from idiograph.evidence.constants import for_size
from idiograph.evidence.llr import to_nats
from idiograph.evidence.metrics import METRICS, Counted
from idiograph.evidence.trials import Pair, Trials, Values
from idiograph.records import shipped_record

_BY_HALF_SAMPLES = ("cllr_min", "cllr_cal")
_HALF_SAMPLED_LEVEL = 0.95  # the one that their width was found for
UNSEEN_FILE = "ranges.json"
TAIL = 1.645  # standard deviations on either side that hold nine tenths


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
    by_resamples = [metric for metric in metrics if metric not in _BY_HALF_SAMPLES]
    parts = [_values(drawn, by_resamples) for drawn in resampled(trials, resamples, seed)]
    halves = {}
    if resamples and level == _HALF_SAMPLED_LEVEL and len(by_resamples) < len(metrics):
        # Imported late: it needs Numba, which takes half a second.
        from idiograph.evidence.half_samples import half_sampled

        halves = half_sampled(trials, seed=seed)
    by_metric = {}
    for metric in metrics:
        value = float(once[metric][0])
        if parts and metric in by_resamples:
            by_metric[metric] = over_resamples(value, np.concatenate([part[metric] for part in parts]), level=level)
        else:
            low, high = halves.get(metric, (None, None))
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


def resampled(trials: Trials, resamples: int, seed: int) -> Iterator[Counted]:
    """The trials as often as their authors were drawn: some megabytes of weights at a time."""
    if resamples == 0:
        return
    n, n_same = len(trials.authors), trials.same.size
    first, second = trials.author_numbers
    rng = np.random.default_rng(seed)
    at_once = max(1, 1_000_000 // trials.all.size)
    for start in range(0, resamples, at_once):
        rows = min(at_once, resamples - start)
        # Whole numbers: NumPy's multinomial would use the C library's logarithm.
        places = rng.integers(n, size=(rows, n)) + n * np.arange(rows)[:, None]
        drawn = np.bincount(places.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)
        yield Counted(trials, drawn[:, first[:n_same]], drawn[:, first[n_same:]] * drawn[:, second[n_same:]])


def _values(of: Counted, metrics: Sequence[str]) -> dict[str, FloatArray]:
    """Each metric of every row; not a number where it is not defined, as where a class has no trial."""
    usable = (of.same > 0).any(axis=1) & (of.different > 0).any(axis=1)
    kept = Counted(of.trials, of.same[usable], of.different[usable])
    values = {metric: np.full(usable.size, np.nan) for metric in metrics}
    for metric in metrics if usable.any() else ():
        values[metric][usable] = METRICS[metric](kept)
    return values


@dataclass(frozen=True)
class Unseen:
    """e for about so many reference authors, and of how many values ranges covered how many on a corpus left out."""

    n_authors: int
    bans: float  # e, in log10 LR
    n_values: int
    n_covered: int

    @property
    def nats(self) -> float:
        """e in nats."""
        return to_nats(self.bans, "bans")


def unseen(n_authors: int) -> Unseen:
    """What ships for about so many reference authors."""
    rows = shipped_record("idiograph.evidence", UNSEEN_FILE)["rows"]
    return for_size((Unseen(**row) for row in rows), n_authors)


def widened(value: float, low: float, high: float, e: float) -> tuple[float, float]:
    """The range of resamples around a value, by e wider; all in one unit."""
    below, above = (sqrt((value - end) * (value - end) + TAIL * TAIL * e * e) for end in (low, high))
    return value - below, value + above
