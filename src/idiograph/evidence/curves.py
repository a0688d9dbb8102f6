"""The curves behind Tippett, PAV and ECE plots, as arrays in log10; drawing them is another layer's work."""

from dataclasses import dataclass

import numpy as np

from idiograph.evidence.metrics import trial_costs
from idiograph.evidence.pav import pav_of
from idiograph.evidence.two_classes import FloatArray, TwoClasses, Values, total, two_classes

_LN10 = float(np.log(10))


@dataclass(frozen=True)
class TippettCurve:
    """At each distinct log10 LR, ascending, the share of each class with that LR or a larger one."""

    log10_lr: FloatArray
    same: FloatArray
    different: FloatArray


def tippett_curve(
    *, same: Values, different: Values, same_weights: Values | None = None, different_weights: Values | None = None
) -> TippettCurve:
    """The shares of both classes at or above every LR that occurs."""
    classes = two_classes(same, different, same_weights, different_weights, purpose="A Tippett plot")
    points = np.unique(np.concatenate([classes.same, classes.different]))
    return TippettCurve(
        points / _LN10,
        _at_or_above(points, classes.same, classes.same_shares),
        _at_or_above(points, classes.different, classes.different_shares),
    )


def _at_or_above(points: FloatArray, llrs: FloatArray, shares: FloatArray) -> FloatArray:
    order = np.argsort(llrs, kind="stable")
    tail = np.concatenate([np.cumsum(shares[order][::-1])[::-1], [0.0]])
    return tail[np.searchsorted(llrs[order], points, "left")]


@dataclass(frozen=True)
class PavCurve:
    """Distinct log10 LRs, ascending, and the log10 LR that PAV gives each: −inf or inf where one class is alone."""

    log10_lr: FloatArray
    pav_log10_lr: FloatArray


def pav_curve(
    *, same: Values, different: Values, same_weights: Values | None = None, different_weights: Values | None = None
) -> PavCurve:
    """The PAV transform in log10; on the diagonal LLRs are calibrated."""
    transform = pav_of(two_classes(same, different, same_weights, different_weights, purpose="A PAV plot"))
    return PavCurve(transform.scores / _LN10, transform.nats / _LN10)


@dataclass(frozen=True)
class EceCurve:
    """Empirical cross-entropy in bits over prior log10 odds: of the LLRs, after PAV, and of saying nothing."""

    prior_log10_odds: FloatArray
    llrs: FloatArray
    calibrated: FloatArray
    neutral: FloatArray


def ece_curve(
    *,
    same: Values,
    different: Values,
    same_weights: Values | None = None,
    different_weights: Values | None = None,
    prior_log10_odds: Values | None = None,
) -> EceCurve:
    """ECE(o) = P(Hp)·mean_same log2(1 + 1/(LR·o)) + P(Hd)·mean_different log2(1 + LR·o) at prior odds o.

    At even odds the three curves are Cllr, Cllr_min and 1.
    """
    classes = two_classes(same, different, same_weights, different_weights, purpose="An ECE plot").counting()
    grid = np.linspace(-3, 3, 121) if prior_log10_odds is None else np.asarray(prior_log10_odds, np.float64)
    transform = pav_of(classes)
    ideal = TwoClasses(
        transform.nats[np.searchsorted(transform.scores, classes.same)],
        transform.nats[np.searchsorted(transform.scores, classes.different)],
        classes.same_weights,
        classes.different_weights,
    )
    silent = TwoClasses(
        np.zeros_like(classes.same), np.zeros_like(classes.different), classes.same_weights, classes.different_weights
    )
    return EceCurve(grid, _ece(classes, grid), _ece(ideal, grid), _ece(silent, grid))


def _ece(classes: TwoClasses, prior_log10_odds: FloatArray) -> FloatArray:
    values = []
    for prior in prior_log10_odds * _LN10:
        p = 1 / (1 + np.exp(-prior))
        same_cost = total(classes.same_shares, trial_costs(classes.same + prior))
        different_cost = total(classes.different_shares, trial_costs(-(classes.different + prior)))
        values.append(p * same_cost + (1 - p) * different_cost)
    return np.array(values)
