"""How well a method's LLRs did on trials with known answers: what a study prints and a case rests on."""

from dataclasses import dataclass

from idiograph.evidence.intervals import Estimate, estimates
from idiograph.evidence.metrics import worst_share_of
from idiograph.evidence.misleading import Misleading, misleading_of
from idiograph.evidence.trials import Trials


@dataclass(frozen=True, kw_only=True)
class Performance:
    """The field's metrics, each with its 95 % interval over resampled authors where one was asked for."""

    n_authors: int
    n_same: int
    n_different: int
    resamples: int
    cllr: Estimate
    cllr_min: Estimate
    cllr_cal: Estimate
    eer: Estimate
    auc: Estimate
    dev_pav: Estimate
    same_right: Estimate  # share of same-author trials with an LR above 1
    different_right: Estimate  # share of different-author trials with an LR below 1
    shift: Estimate  # α of ln LR = α + β·LLR refitted on these trials: 0 where a mere scaling fits
    slope: Estimate  # β of the same fit: 1 where the scaling fits
    worst_share: float  # of Cllr, caused by the worst trial
    misleading: tuple[Misleading, ...]


def performance(trials: Trials, *, resamples: int, seed: int = 0) -> Performance:
    """The metrics of trials whose authors are known; no intervals if `resamples` is 0."""
    return Performance(
        n_authors=len(trials.authors),
        n_same=trials.same.size,
        n_different=trials.different.size,
        resamples=resamples,
        **estimates(trials, resamples=resamples, seed=seed),
        worst_share=worst_share_of(trials),
        misleading=misleading_of(trials),
    )
