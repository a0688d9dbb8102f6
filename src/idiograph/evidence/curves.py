"""The curves behind Tippett, PAV and ECE plots, as arrays in log10; drawing them is another layer's work."""

from dataclasses import dataclass

import numpy as np

from idiograph.arithmetic import logistic, row_totals
from idiograph.evidence.llr import from_nats, to_nats
from idiograph.evidence.metrics import Counted, trial_costs
from idiograph.evidence.trials import FloatArray, Trials, Values


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
    (found,) = Counted.once(Trials.of(same=same, different=different)).pooled
    return PavCurve(from_nats(found.scores, "bans"), from_nats(found.nats, "bans"))


@dataclass(frozen=True, eq=False)
class EceCurve:
    """Empirical cross-entropy in bits over prior log10 odds: of the LLRs, after PAV, and of saying nothing."""

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
    (found,) = Counted.once(trials).pooled
    best = found.nats
    same_best, different_best = (best[np.searchsorted(found.scores, x)] for x in (trials.same, trials.different))
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
