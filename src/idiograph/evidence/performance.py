"""How well a method's LLRs did on trials with known answers: what a study prints and a case rests on.

Misleading evidence: how many trials speak for the wrong proposition, and how strongly.

Metrics of decisions, as idiolect and the PAN shared tasks print them: for comparison with published tables.

An LLR is not a decision: these metrics cut at LR = 1 and forget how strong the evidence was.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from idiograph.arithmetic import exp, log, logistic, mean, total
from idiograph.errors import InputError
from idiograph.evidence.intervals import Estimate, estimates
from idiograph.evidence.llr import from_nats
from idiograph.evidence.metrics import auc, worst_share_of
from idiograph.evidence.trials import Pair, Trials, Values, as_values
from idiograph.showing import one_line

_LARGEST = 700.0  # nats: the LR is still a double


@dataclass(frozen=True)
class Misleading:
    """How many trials of one class mislead by more than `lr` (same-author trials by less than 1/`lr`).

    `n_authors` counts the authors of that class, `n_misled` those with a trial that misleads: trials that share an
    author are not independent. `upper` is the 95 % upper limit of a rate of 0, by the rule of three over authors.
    """

    same_author: bool
    lr: float
    count: int
    n_trials: int
    n_authors: int | None
    rate: float
    upper: float | None  # where none was found; otherwise the rate speaks
    sentence: str
    n_misled: int | None = None


def misleading(
    *,
    same: Values,
    different: Values,
    same_authors: Sequence[str] | None = None,
    different_authors: Sequence[Pair] | None = None,
    above: Sequence[float] = (1, 10, 100),
) -> tuple[Misleading, ...]:
    """Misleading evidence beyond each LR in `above`, for same-author and for different-author trials.

    `same` and `different` are the LLRs of same-author and different-author trials in nats.
    With `same_authors` (a name a trial) and `different_authors` (a pair of names a trial) authors are counted, too.
    """
    trials = Trials.of(same=same, different=different, same_authors=same_authors, different_authors=different_authors)
    return misleading_of(trials, above=above)


def misleading_of(trials: Trials, *, above: Sequence[float] = (1, 10, 100)) -> tuple[Misleading, ...]:
    """How often the LRs of these trials mislead, beyond each of these LRs."""
    for lr in (lrs := as_values(above, "LRs above which to count").tolist()):
        if not 1 <= lr < np.inf:
            raise InputError(f"Misleading evidence is counted above an LR of at least 1, not {lr}.")
    return tuple(_counted(trials, lr, log(lr), same_author=same_author) for lr in lrs for same_author in (True, False))


def misleading_beyond(trials: Trials, nats: float) -> Misleading:
    """How often a trial of the class that would be misled by it is as strong as an LLR of `nats`."""
    size = abs(nats)
    return _counted(trials, exp(min(size, _LARGEST)), size, same_author=nats < 0)


def _counted(trials: Trials, lr: float, nats: float, *, same_author: bool) -> Misleading:
    wrong = trials.same < -nats if same_author else trials.different > nats
    count, n = int(np.count_nonzero(wrong)), wrong.size
    names = trials.same_authors if same_author else trials.different_authors
    if names is None:
        no_limit = "" if count else "; the number of authors is not known, so no upper limit"
        return Misleading(same_author, lr, count, n, None, count / n, None, f"{count:,} of {n:,} trials{no_limit}")
    by_trial = [{named} if isinstance(named, str) else {*named} for named in names]
    n_authors = len(set().union(*by_trial))
    n_misled = len(set().union(*compress(by_trial, wrong.tolist())))
    upper = None if count else min(1.0, 3 / n_authors)
    words = f"{count:,} of {n:,} trials, with {n_misled} of {n_authors} authors"
    if upper is not None:
        words = f"none of {n_authors} authors; 95 % upper limit: about 3 in {n_authors}"
    return Misleading(same_author, lr, count, n, n_authors, count / n, upper, words, n_misled)


@dataclass(frozen=True)
class Decisions:
    """What idiolect's `performance` prints besides Cllr, EER and AUC; "same author" is decided where LLR > 0.

    balanced accuracy = ½·(TP/(TP + FN) + TN/(TN + FP));  precision = TP/(TP + FP), None where nothing was decided
    "same";  recall = TP/(TP + FN);  F1 = 2·TP/(2·TP + FP + FN);  the mean LLR of each class is in log10.
    """

    true_positives: int
    false_negatives: int
    false_positives: int
    true_negatives: int
    mean_same_log10: float
    mean_different_log10: float

    @property
    def recall(self) -> float:
        """TP/(TP + FN)."""
        return self.true_positives / (self.true_positives + self.false_negatives)

    @property
    def precision(self) -> float | None:
        """TP/(TP + FP)."""
        positive = self.true_positives + self.false_positives
        return self.true_positives / positive if positive else None

    @property
    def f1(self) -> float:
        """2·TP/(2·TP + FP + FN)."""
        return 2 * self.true_positives / (2 * self.true_positives + self.false_positives + self.false_negatives)

    @property
    def balanced_accuracy(self) -> float:
        """The mean of both classes' shares of right decisions."""
        return (self.recall + self.true_negatives / (self.true_negatives + self.false_positives)) / 2


def decisions(*, same: Values, different: Values) -> Decisions:
    """Decisions at LR = 1 from LLRs in nats, counted as idiolect counts them.

    `same` and `different` are the LLRs of same-author and different-author trials in nats.
    """
    trials = Trials.of(same=same, different=different)
    right, wrong = int((trials.same > 0).sum()), int((trials.different > 0).sum())
    return Decisions(
        true_positives=right,
        false_negatives=trials.same.size - right,
        false_positives=wrong,
        true_negatives=trials.different.size - wrong,
        mean_same_log10=from_nats(mean(trials.same), "bans"),
        mean_different_log10=from_nats(mean(trials.different), "bans"),
    )


@dataclass(frozen=True)
class PanMetrics:
    """The measures of PAN's authorship verification tasks, on p = LR/(1 + LR), the probability at equal priors.

    p > 0.5 answers "same", p < 0.5 "different", p = 0.5 leaves the problem unanswered (u of n; c answered rightly).
    AUC    ties count half;
    c@1    (c + u·c/n)/n;
    F1     of the answered problems, None where there is none to count;
    F0.5u  1.25·TP/(1.25·TP + 0.25·(FN + u) + FP), unanswered problems counting as missed;
    Brier  1 − mean (p − answer)², the complement that PAN prints, so that 1 is best.
    """

    auc: float
    c_at_1: float
    f1: float | None
    f05_u: float | None
    brier: float


def pan_metrics(*, same: Values, different: Values) -> PanMetrics:
    """PAN's five measures from LLRs in nats; every problem counts once, whatever the sizes of the trials.

    `same` and `different` are the LLRs of same-author and different-author trials in nats.
    """
    trials = Trials.of(same=same, different=different)
    p_same, p_different = logistic(trials.same), logistic(trials.different)
    n = p_same.size + p_different.size
    tp, fn = int((p_same > 0.5).sum()), int((p_same < 0.5).sum())
    fp, tn = int((p_different > 0.5).sum()), int((p_different < 0.5).sum())
    wrong = np.concatenate([logistic(-trials.same), p_different])
    unanswered = n - tp - fn - fp - tn
    correct = tp + tn
    f1_base = 2 * tp + fp + fn
    f05_base = 1.25 * tp + 0.25 * (fn + unanswered) + fp
    return PanMetrics(
        auc=auc(same=trials.same, different=trials.different),
        c_at_1=(correct + unanswered * correct / n) / n,
        f1=2 * tp / f1_base if f1_base else None,
        f05_u=1.25 * tp / f05_base if f05_base else None,
        brier=1 - total(wrong * wrong) / n,
    )


@one_line
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
