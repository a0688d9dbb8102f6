"""How good LLRs are, given trials with known answers: every metric takes both classes in nats.

Classes weigh the same whatever their sizes. Each formula stands here once, for trials that count in one way or in
many: intervals count them as often as their authors were drawn. METHOD.md's definitions.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idiograph.arithmetic import cumulative, log2, row_totals, softplus, total
from idiograph.evidence.llr import from_nats
from idiograph.evidence.logistic import balanced_maxima
from idiograph.evidence.pav import Grouped, Pooled, grouped, pooled
from idiograph.evidence.trials import BoolArray, FloatArray, Trials, Values


@dataclass(frozen=True, eq=False)
class Counted:
    """Trials, and how often each of them counts: one row of `same` and `different` per way of counting."""

    trials: Trials
    same: FloatArray
    different: FloatArray

    @classmethod
    def once(cls, trials: Trials) -> "Counted":
        """Every trial once."""
        return cls(trials, np.ones((1, trials.same.size)), np.ones((1, trials.different.size)))

    @cached_property
    def grouped(self) -> Grouped:
        """The trials of both classes, put together by score."""
        return grouped(self.trials.all, self.same, self.different)

    @cached_property
    def pooled(self) -> tuple[Pooled, ...]:
        """What pool-adjacent-violators makes of each row."""
        return tuple(pooled(self.grouped, row) for row in range(len(self.same)))

    @cached_property
    def refitted(self) -> tuple[FloatArray, FloatArray]:
        """α and β of ln LR = α + β·LLR refitted on each row; not a number where the row is separated."""
        shift, slope = np.full(len(self.same), np.nan), np.full(len(self.same), np.nan)
        fit = self._overlapping()
        if fit.any():
            maxima = balanced_maxima(
                self.trials.all,
                targets=np.repeat([1.0, 0.0], (self.trials.same.size, self.trials.different.size)),
                weights=np.concatenate(
                    [w[fit] / row_totals(w[fit])[:, None] for w in (self.same, self.different)], axis=1
                ),
            )
            shift[fit], slope[fit] = maxima.intercepts, maxima.slopes
        return shift, slope

    def _overlapping(self) -> BoolArray:
        """Whether the trials that count in a row overlap, so that its likelihood has a maximum."""

        def ends(weights: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
            there = weights > 0
            return np.where(there, scores, np.inf).min(axis=1), np.where(there, scores, -np.inf).max(axis=1)

        (low_s, high_s), (low_d, high_d) = (
            ends(self.same, self.trials.same),
            ends(self.different, self.trials.different),
        )
        return (low_s < high_d) & (low_d < high_s)


def trial_costs(llrs: FloatArray) -> FloatArray:
    """log2(1 + 1/LR) of LLRs in nats, from logs, so that nothing overflows; negate them for different-author trials."""
    return from_nats(softplus(-llrs), "bits")


def _mean(weights: FloatArray, values: FloatArray | BoolArray) -> FloatArray:
    return row_totals(weights * values) / row_totals(weights)


def _cllr(of: Counted) -> FloatArray:
    same, different = trial_costs(of.trials.same), trial_costs(-of.trials.different)
    return (_mean(of.same, same) + _mean(of.different, different)) / 2


def _cllr_min(of: Counted) -> FloatArray:
    return np.array([_pooled_cost(one) for one in of.pooled])


def _cllr_cal(of: Counted) -> FloatArray:
    return _cllr(of) - _cllr_min(of)


def _eer(of: Counted) -> FloatArray:
    return np.array([_hull_eer(one) for one in of.pooled])


def _auc(of: Counted) -> FloatArray:
    together = of.grouped
    below = np.add.accumulate(together.different, axis=1) - together.different / 2
    return row_totals(together.same * below) / (row_totals(together.same) * row_totals(together.different))


def _dev_pav(of: Counted) -> FloatArray:
    return np.array([_pav_distance(one.scores, one.nats) for one in of.pooled])


METRICS: Mapping[str, Callable[[Counted], FloatArray]] = {
    "cllr": _cllr,
    "cllr_min": _cllr_min,
    "cllr_cal": _cllr_cal,
    "eer": _eer,
    "auc": _auc,
    "dev_pav": _dev_pav,
    "same_right": lambda of: _mean(of.same, of.trials.same > 0),
    "different_right": lambda of: _mean(of.different, of.trials.different < 0),
    "shift": lambda of: of.refitted[0],
    "slope": lambda of: of.refitted[1],
}
"""Every metric that has an interval, of each way of counting; not a number where it is not defined.

`same_right` and `different_right` are the shares of each class whose LLR points the right way (an LLR of exactly 0
points nowhere), `shift` and `slope` α and β of ln LR = α + β·LLR refitted on the trials.
"""


def _pooled_cost(blocks: Pooled) -> float:
    """Cllr of the trials in blocks, each with its block's LLR; a block of one class costs that class nothing."""
    cost = 0.0
    both = blocks.same + blocks.different
    for kept, own in ((blocks.kept_same, blocks.same), (blocks.kept_different, blocks.different)):
        there = kept > 0
        cost += total(kept[there] * log2(both[there] / own[there]))
    return cost / 2


def _hull_eer(blocks: Pooled) -> float:
    """The equal error rate of blocks, whose cumulated shares are the corners of the ROC convex hull."""
    same, different = cumulative(blocks.same), cumulative(blocks.different)
    missed = np.concatenate([[0.0], same / same[-1]])
    accepted = 1.0 - np.concatenate([[0.0], different / different[-1]])
    gap = missed - accepted
    after = max(int(np.searchsorted(gap, 0.0)), 1)
    before = after - 1
    part = -gap[before] / (gap[after] - gap[before])
    return float(missed[before] + part * (missed[after] - missed[before]))


def _pav_distance(scores: FloatArray, nats: FloatArray) -> float:
    """Mean |PAV − identity| in log10 LR along the finite part of a PAV transform; not a number where there is none."""
    finite = np.isfinite(nats)
    x, gap = scores[finite], (nats - scores)[finite]
    if x.size == 0:
        return float("nan")
    if x.size == 1:
        return from_nats(float(abs(gap[0])), "bans")
    width, left, right = np.diff(x), gap[:-1], gap[1:]
    # Where the line crosses the identity the area is two triangles, else one trapezium.
    crossing = left * right < 0
    span = np.abs(left) + np.abs(right)
    triangles = np.divide(left * left + right * right, 2 * span, out=np.zeros_like(span), where=crossing)
    area = width * np.where(crossing, triangles, span / 2)
    return from_nats(total(area) / float(x[-1] - x[0]), "bans")


def _once(same: Values, different: Values) -> Counted:
    return Counted.once(Trials.of(same=same, different=different))


def cllr(*, same: Values, different: Values) -> float:
    """Cost of LLRs (in nats) in bits: 0 is perfect, 1 is no better than silence.

        Cllr = ½ · ( mean_same log2(1 + 1/LR) + mean_different log2(1 + LR) )

    >>> cllr(same=np.array([0.0]), different=np.array([0.0]))
    1.0
    """
    return float(_cllr(_once(same, different))[0])


def cllr_min(*, same: Values, different: Values, laplace: bool = False) -> float:
    """Cllr after pool-adjacent-violators: what remains when calibration is perfect, hence discrimination alone.

    With `laplace` one trial of each class is added at either end before pooling, as R's ROC package (and so
    idiolect) does; the cost is that of the real trials.
    """
    return _pooled_cost(pooled(_once(same, different).grouped, laplace=laplace))


def cllr_cal(*, same: Values, different: Values, laplace: bool = False) -> float:
    """Cllr − Cllr_min: the part of the cost that better calibration would save (never negative without Laplace)."""
    return cllr(same=same, different=different) - cllr_min(same=same, different=different, laplace=laplace)


def eer(*, same: Values, different: Values, laplace: bool = False) -> float:
    """Equal error rate as a fraction: where the ROC convex hull meets the diagonal of equal errors."""
    return _hull_eer(pooled(_once(same, different).grouped, laplace=laplace))


def auc(*, same: Values, different: Values) -> float:
    """Chance that a same-author trial scores above a different-author one; ties count half, nothing is flipped."""
    return float(_auc(_once(same, different))[0])


def dev_pav(*, same: Values, different: Values) -> float | None:
    """Mean distance in log10 LR between the PAV transform and the identity (Vergeer et al. 2021).

    The area between the two lines over the range of LLRs where PAV is finite, divided by that range; None where PAV
    is finite nowhere, as with perfectly separated classes.
    """
    distance = float(_dev_pav(_once(same, different))[0])
    return None if np.isnan(distance) else distance


def worst_share(*, same: Values, different: Values) -> float:
    """The share of Cllr that the single worst trial causes; 0 where Cllr is 0."""
    return worst_share_of(Trials.of(same=same, different=different))


def worst_share_of(trials: Trials) -> float:
    """The same, of trials."""
    parts = np.concatenate(
        [trial_costs(trials.same) / trials.same.size, trial_costs(-trials.different) / trials.different.size]
    )
    cost = total(parts)
    return float(parts.max()) / cost if cost > 0 else 0.0
