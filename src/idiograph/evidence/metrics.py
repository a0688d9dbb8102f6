"""How good LLRs are, given trials with known answers: every metric takes both classes in nats.

Classes weigh the same whatever their sizes. Each formula stands here once, for trials that count in one way or in
many: intervals count them as often as their authors were drawn. METHOD.md's definitions.

Pool-adjacent-violators: the best LLRs that keep the order of the scores, with both classes weighing the same.

The curves behind Tippett, PAV and ECE plots, as arrays in log10; drawing them is another layer's work.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import FloatArray, log, log2, logistic, row_totals, softplus, total
from idiograph.checking import check
from idiograph.evidence.calibration import balanced_maxima
from idiograph.evidence.llr import from_nats, to_nats
from idiograph.evidence.trials import BoolArray, Trials, Values


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
    distinct, number = np.unique(scores, return_inverse=True)
    order = np.argsort(number, kind="stable")
    starts = np.searchsorted(number[order], np.arange(distinct.size))
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


def hulls(together: Grouped, *, laplace: bool = False) -> tuple[FloatArray, FloatArray]:
    """Of every row of weights the equal error rate by its ROC convex hull, and how far PAV moves its LLRs.

    The latter is the mean |PAV − identity| in log10 LR along the finite part of the PAV transform; not a number where
    there is none.
    """
    # Imported late: Numba takes half a second, and most commands pool nothing.
    from idiograph.compiling import run
    from idiograph.evidence import kernels

    rates, areas, n_areas, ranges = run(kernels.hulls, together.scores, together.same, together.different, int(laplace))
    parts = zip(areas, n_areas.tolist(), ranges.tolist(), strict=True)
    moved = [total(of_row[:n]) / scores_range if n else np.nan for of_row, n, scores_range in parts]
    return rates, from_nats(np.array(moved), "bans")


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
    def hulls(self) -> tuple[FloatArray, FloatArray]:
        """The equal error rate of each row, and how far pool-adjacent-violators moves its LLRs."""
        return hulls(self.grouped)

    @cached_property
    def refitted(self) -> tuple[FloatArray, FloatArray]:
        """α and β of ln LR = α + β·LLR refitted on each row; not a number where the row is separated."""
        shift, slope = np.full(len(self.same), np.nan), np.full(len(self.same), np.nan)
        fit = self._overlapping()
        if fit.any():
            shift[fit], slope[fit], _ = balanced_maxima(
                self.trials.all,
                targets=np.repeat([1.0, 0.0], (self.trials.same.size, self.trials.different.size)),
                weights=np.concatenate(
                    [w[fit] / row_totals(w[fit])[:, None] for w in (self.same, self.different)], axis=1
                ),
            )
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
    return np.array([_pooled_cost(blocks) for blocks in of.pooled])


def _auc(of: Counted) -> FloatArray:
    together = of.grouped
    below = np.add.accumulate(together.different, axis=1) - together.different / 2
    return row_totals(together.same * below) / (row_totals(together.same) * row_totals(together.different))


METRICS: Mapping[str, Callable[[Counted], FloatArray]] = {
    "cllr": _cllr,
    "cllr_min": _cllr_min,
    "cllr_cal": lambda of: _cllr(of) - _cllr_min(of),
    "eer": lambda of: of.hulls[0],
    "auc": _auc,
    "dev_pav": lambda of: of.hulls[1],
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
    for kept, of_class in ((blocks.kept_same, blocks.same), (blocks.kept_different, blocks.different)):
        there = kept > 0
        cost += total(kept[there] * log2(both[there] / of_class[there]))
    return cost / 2


def _once(same: Values, different: Values) -> Counted:
    return Counted.once(Trials.of(same=same, different=different))


def cllr(*, same: Values, different: Values) -> float:
    """Cost of LLRs (in nats) in bits: 0 is perfect, 1 is no better than giving no evidence.

        Cllr = ½ · ( mean_same log2(1 + 1/LR) + mean_different log2(1 + LR) )

    `same` and `different` are those of same-author and different-author trials.

    >>> cllr(same=np.array([0.0]), different=np.array([0.0]))
    1.0
    """
    return float(_cllr(_once(same, different))[0])


def cllr_min(*, same: Values, different: Values, laplace: bool = False) -> float:
    """Cllr after pool-adjacent-violators: what remains when calibration is perfect, hence discrimination alone.

    `same` and `different` are the LLRs, or scores, of same-author and different-author trials. With `laplace` one trial
    of each class is added at either end before pooling, as R's ROC package (and so idiolect) does; the cost is that of
    the real trials.
    """
    together = _once(same, different).grouped
    check(laplace, bool, "laplace")
    return _pooled_cost(pooled(together, laplace=laplace))


def cllr_cal(*, same: Values, different: Values, laplace: bool = False) -> float:
    """Cllr − Cllr_min: the part of the cost that better calibration would save (never negative without Laplace).

    `same` and `different` are the LLRs of same-author and different-author trials in nats. `laplace`: see `cllr_min`.
    """
    return cllr(same=same, different=different) - cllr_min(same=same, different=different, laplace=laplace)


def eer(*, same: Values, different: Values, laplace: bool = False) -> float:
    """Equal error rate as a fraction: where the ROC convex hull meets the diagonal of equal errors.

    `same` and `different` are LLRs or scores of both kinds of trial. `laplace`: see `cllr_min`.
    """
    check(laplace, bool, "laplace")
    return float(hulls(_once(same, different).grouped, laplace=laplace)[0][0])


def auc(*, same: Values, different: Values) -> float:
    """Chance that a same-author trial scores above a different-author one; ties count half, nothing is flipped.

    `same` and `different` are LLRs or scores of same-author and different-author trials.
    """
    return float(_auc(_once(same, different))[0])


def dev_pav(*, same: Values, different: Values) -> float | None:
    """Mean distance in log10 LR between the PAV transform and the identity (Vergeer et al. 2021).

    `same` and `different` are the LLRs of same-author and different-author trials in nats. The result is the area
    between the two lines over the range of LLRs where PAV is finite, divided by that range; None where PAV
    is finite nowhere, as with perfectly separated classes.
    """
    distance = float(_once(same, different).hulls[1][0])
    return None if np.isnan(distance) else distance


def worst_share(*, same: Values, different: Values) -> float:
    """The share of Cllr that the single worst trial causes; 0 where Cllr is 0.

    `same` and `different` are the LLRs of same-author and different-author trials in nats.
    """
    return worst_share_of(Trials.of(same=same, different=different))


def worst_share_of(trials: Trials) -> float:
    """The share of Cllr that the single worst of these trials causes."""
    parts = np.concatenate(
        [trial_costs(trials.same) / trials.same.size, trial_costs(-trials.different) / trials.different.size]
    )
    cost = total(parts)
    return float(parts.max()) / cost if cost > 0 else 0.0


@dataclass(frozen=True, eq=False)
class TippettCurve:
    """At each distinct log10 LR, ascending, the share of each class with that LR or a larger one."""

    log10_lr: FloatArray
    same: FloatArray
    different: FloatArray


def tippett_curve(*, same: Values, different: Values) -> TippettCurve:
    """The shares of both classes at or above every LR that occurs."""
    trials = Trials.of(same=same, different=different)
    points = np.unique(trials.all)
    return TippettCurve(
        from_nats(points, "bans"), _at_or_above(points, trials.same), _at_or_above(points, trials.different)
    )


def _at_or_above(points: FloatArray, llrs: FloatArray) -> FloatArray:
    shares: FloatArray = (llrs.size - np.searchsorted(np.sort(llrs), points, "left")) / llrs.size
    return shares


@dataclass(frozen=True, eq=False)
class PavCurve:
    """Distinct log10 LRs, ascending, and the log10 LR that PAV gives each: −inf or inf where one class is alone."""

    log10_lr: FloatArray
    pav_log10_lr: FloatArray


def pav_curve(*, same: Values, different: Values) -> PavCurve:
    """The PAV transform in log10; on the diagonal LLRs are calibrated."""
    (blocks,) = _once(same, different).pooled
    return PavCurve(from_nats(blocks.scores, "bans"), from_nats(blocks.nats, "bans"))


@dataclass(frozen=True, eq=False)
class EceCurve:
    """Empirical cross-entropy in bits over prior log10 odds: of the LLRs, after PAV, and of giving no evidence."""

    prior_log10_odds: FloatArray
    llrs: FloatArray
    calibrated: FloatArray
    neutral: FloatArray


def ece_curve(*, same: Values, different: Values, prior_log10_odds: Values | None = None) -> EceCurve:
    """ECE(o) = P(Hp)·mean_same log2(1 + 1/(LR·o)) + P(Hd)·mean_different log2(1 + LR·o) at prior odds o.

    At even odds the three curves are Cllr, Cllr_min and 1.
    """
    trials = Trials.of(same=same, different=different)
    grid = np.linspace(-3, 3, 121) if prior_log10_odds is None else np.asarray(prior_log10_odds, np.float64)
    (blocks,) = Counted.once(trials).pooled
    best = blocks.nats
    same_best, different_best = (best[np.searchsorted(blocks.scores, x)] for x in (trials.same, trials.different))
    return EceCurve(
        grid,
        _ece(trials.same, trials.different, grid),
        _ece(same_best, different_best, grid),
        _ece(np.zeros(1), np.zeros(1), grid),
    )


def _ece(same: FloatArray, different: FloatArray, prior_log10_odds: FloatArray) -> FloatArray:
    priors = to_nats(prior_log10_odds, "bans")[:, None]
    same_costs, different_costs = trial_costs(same + priors), trial_costs(-(different + priors))
    for_hp, for_hd = logistic(priors[:, 0]), logistic(-priors[:, 0])
    return for_hp * row_totals(same_costs) / same.size + for_hd * row_totals(different_costs) / different.size
