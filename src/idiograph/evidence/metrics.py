"""How good LLRs are, given trials with known answers: all metrics take both classes in nats, with optional weights.

A weight says how often a trial counts; classes weigh the same whatever their sizes. METHOD.md's definitions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from idiograph.errors import InputError
from idiograph.evidence.pav import Blocks, Grouped, Pav, blocks, group, pav_of
from idiograph.evidence.two_classes import FloatArray, TwoClasses, Values, total, two_classes

_LN2 = float(np.log(2))
_LN10 = float(np.log(10))


def trial_costs(llrs: FloatArray) -> FloatArray:
    """log2(1 + 1/LR) of LLRs in nats, from logs, so that nothing overflows; negate them for different-author trials."""
    return np.logaddexp(0.0, -llrs) / _LN2


def cllr(
    *, same: Values, different: Values, same_weights: Values | None = None, different_weights: Values | None = None
) -> float:
    """Cost of LLRs (in nats) in bits: 0 is perfect, 1 is no better than silence.

        Cllr = ½ · ( mean_same log2(1 + 1/LR) + mean_different log2(1 + LR) )

    >>> cllr(same=np.array([0.0]), different=np.array([0.0]))
    1.0
    """
    classes = two_classes(same, different, same_weights, different_weights, purpose="Cllr")
    return _cllr(classes)


def _cllr(classes: TwoClasses) -> float:
    same_cost = total(classes.same_shares, trial_costs(classes.same))
    different_cost = total(classes.different_shares, trial_costs(-classes.different))
    return (same_cost + different_cost) / 2


def cllr_min(
    *,
    same: Values,
    different: Values,
    same_weights: Values | None = None,
    different_weights: Values | None = None,
    laplace: bool = False,
) -> float:
    """Cllr after pool-adjacent-violators: what remains when calibration is perfect, hence discrimination alone.

    With `laplace` one trial of each class is added at either end before pooling, as R's ROC package (and so
    idiolect) does; the cost is that of the real trials.
    """
    classes = two_classes(same, different, same_weights, different_weights, purpose="Cllr_min")
    return pooled_cost(_pooled(classes, laplace=laplace))


def cllr_cal(
    *,
    same: Values,
    different: Values,
    same_weights: Values | None = None,
    different_weights: Values | None = None,
    laplace: bool = False,
) -> float:
    """Cllr − Cllr_min: the part of the cost that better calibration would save (never negative without Laplace)."""
    classes = two_classes(same, different, same_weights, different_weights, purpose="Cllr_cal")
    return _cllr(classes) - pooled_cost(_pooled(classes, laplace=laplace))


def pooled_cost(pooled: Blocks) -> float:
    """Cllr of the trials in blocks, each with its block's LLR; a block of one class costs that class nothing."""
    cost = 0.0
    both = pooled.same + pooled.different
    for kept, own in ((pooled.kept_same, pooled.same), (pooled.kept_different, pooled.different)):
        there = kept > 0
        cost += total(kept[there], np.log2(both[there] / own[there]))
    return cost / 2


def _pooled(classes: TwoClasses, *, laplace: bool) -> Blocks:
    together = group(classes.counting())
    return blocks(together.same[0], together.different[0], laplace=laplace)


def eer(
    *,
    same: Values,
    different: Values,
    same_weights: Values | None = None,
    different_weights: Values | None = None,
    laplace: bool = False,
) -> float:
    """Equal error rate as a fraction: where the ROC convex hull meets the diagonal of equal errors."""
    classes = two_classes(same, different, same_weights, different_weights, purpose="The equal error rate")
    return hull_eer(_pooled(classes, laplace=laplace))


def hull_eer(pooled: Blocks) -> float:
    """The equal error rate of pooled blocks, whose cumulated shares are the corners of the ROC convex hull."""
    missed = np.concatenate([[0.0], np.cumsum(pooled.same)]) / pooled.same.sum()
    accepted = 1.0 - np.concatenate([[0.0], np.cumsum(pooled.different)]) / pooled.different.sum()
    gap = missed - accepted
    after = max(int(np.searchsorted(gap, 0.0)), 1)
    before = after - 1
    part = -gap[before] / (gap[after] - gap[before])
    return float(missed[before] + part * (missed[after] - missed[before]))


def auc(
    *, same: Values, different: Values, same_weights: Values | None = None, different_weights: Values | None = None
) -> float:
    """Chance that a same-author trial scores above a different-author one; ties count half, nothing is flipped."""
    classes = two_classes(same, different, same_weights, different_weights, purpose="AUC")
    together = group(classes)
    return float(rank_auc(together)[0])


def rank_auc(together: Grouped) -> FloatArray:
    """AUC of each row of grouped weights; not a number where a row has a class without weight."""
    below = np.cumsum(together.different, axis=1) - together.different / 2
    totals = together.same.sum(axis=1) * together.different.sum(axis=1)
    wins = (together.same * below).sum(axis=1)
    chance: FloatArray = np.divide(wins, totals, out=np.full(totals.shape, np.nan), where=totals > 0)
    return chance


def pav(
    *,
    same: Values,
    different: Values,
    same_weights: Values | None = None,
    different_weights: Values | None = None,
    laplace: bool = False,
) -> Pav:
    """The pool-adjacent-violators LLR of every distinct score; ±inf where only one class is left without Laplace."""
    classes = two_classes(same, different, same_weights, different_weights, purpose="Pool-adjacent-violators")
    return pav_of(classes, laplace=laplace)


def dev_pav(
    *, same: Values, different: Values, same_weights: Values | None = None, different_weights: Values | None = None
) -> float | None:
    """Mean distance in log10 LR between the PAV transform and the identity (Vergeer et al. 2021).

    The area between the two lines over the range of LLRs where PAV is finite, divided by that range; None where PAV
    is finite nowhere, as with perfectly separated classes.
    """
    classes = two_classes(same, different, same_weights, different_weights, purpose="devPAV")
    transform = pav_of(classes)
    distance = pav_distance(transform.scores, transform.nats)
    return None if np.isnan(distance) else distance


def pav_distance(scores: FloatArray, nats: FloatArray) -> float:
    """Mean |PAV − identity| in log10 LR along the finite part of a PAV transform; not a number where there is none."""
    finite = np.isfinite(nats)
    x, gap = scores[finite], (nats - scores)[finite]
    if x.size == 0:
        return float("nan")
    if x.size == 1:
        return float(abs(gap[0]) / _LN10)
    width, left, right = np.diff(x), gap[:-1], gap[1:]
    # Where the line crosses the identity the area is two triangles, else one trapezium.
    crossing = left * right < 0
    span = np.abs(left) + np.abs(right)
    triangles = np.divide(left**2 + right**2, 2 * span, out=np.zeros_like(span), where=crossing)
    area = width * np.where(crossing, triangles, span / 2)
    return float(area.sum() / (x[-1] - x[0]) / _LN10)


def worst_share(
    *, same: Values, different: Values, same_weights: Values | None = None, different_weights: Values | None = None
) -> float:
    """The share of Cllr that the single worst trial causes; 0 where Cllr is 0."""
    classes = two_classes(same, different, same_weights, different_weights, purpose="The worst trial's share")
    parts = np.concatenate(
        [
            classes.same_shares * trial_costs(classes.same),
            classes.different_shares * trial_costs(-classes.different),
        ]
    )
    cost = float(parts.sum())
    return float(parts.max()) / cost if cost > 0 else 0.0


@dataclass(frozen=True)
class RightSide:
    """The share of each class whose LLR points the right way; an LLR of exactly 0 points nowhere."""

    same: float
    different: float


def right_side(
    *, same: Values, different: Values, same_weights: Values | None = None, different_weights: Values | None = None
) -> RightSide:
    """The share of same-author LLRs above 0 and of different-author LLRs below 0."""
    classes = two_classes(same, different, same_weights, different_weights, purpose="The right side of zero")
    return RightSide(
        total(classes.same_shares, classes.same > 0), total(classes.different_shares, classes.different < 0)
    )


@dataclass(frozen=True)
class Misleading:
    """How many trials of one class mislead by more than LR `above` (below 1/`above` for same-author trials).

    `n_authors` counts the authors of that class: trials that share one are not independent.
    """

    kind: Literal["same", "different"]
    above: float
    count: int
    n: int
    rate: float
    n_authors: int | None

    @property
    def upper_limit(self) -> float | None:
        """The 95 % upper limit of the rate when nothing misled, by the rule of three over authors."""
        if self.count or self.n_authors is None:
            return None
        return min(1.0, 3 / self.n_authors)

    @property
    def words(self) -> str:
        """The count in words; none found is not none possible."""
        if self.count:
            return f"{self.count} of {self.n}"
        if self.n_authors is None:
            return f"0 of {self.n} trials; the number of authors is not known, so no upper limit"
        return f"0 of {self.n_authors}; 95 % upper limit about 3/{self.n_authors}"


def misleading(
    *,
    same: Values,
    different: Values,
    same_authors: Sequence[str] | None = None,
    different_authors: Sequence[tuple[str, str]] | None = None,
    above: Sequence[float] = (1, 10, 100),
    same_weights: Values | None = None,
    different_weights: Values | None = None,
) -> tuple[Misleading, ...]:
    """Misleading evidence beyond each LR in `above`, for same-author and for different-author trials."""
    classes = two_classes(same, different, same_weights, different_weights, purpose="Misleading evidence")
    n_same_authors = n_different_authors = None
    if same_authors is not None:
        _one_a_trial(len(same_authors), classes.same.size, "same-author")
        n_same_authors = len(set(same_authors))
    if different_authors is not None:
        _one_a_trial(len(different_authors), classes.different.size, "different-author")
        n_different_authors = len({author for pair in different_authors for author in pair})
    found = []
    for threshold in above:
        if not threshold >= 1:
            raise InputError(f"Misleading evidence is counted above LR 1 or more, not {threshold}.")
        wrong_same = classes.same < -np.log(threshold)
        wrong_different = classes.different > np.log(threshold)
        found += [
            Misleading(
                "same",
                threshold,
                int(wrong_same.sum()),
                wrong_same.size,
                total(classes.same_shares, wrong_same),
                n_same_authors,
            ),
            Misleading(
                "different",
                threshold,
                int(wrong_different.sum()),
                wrong_different.size,
                total(classes.different_shares, wrong_different),
                n_different_authors,
            ),
        ]
    return tuple(found)


def _one_a_trial(n_authors: int, n_trials: int, name: str) -> None:
    if n_authors != n_trials:
        raise InputError(f"There are {n_trials} {name} trials and the authors of {n_authors}. Give those of each.")
