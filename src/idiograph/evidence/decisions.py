"""Metrics of decisions, as idiolect and the PAN shared tasks print them: for comparison with published tables.

An LLR is not a decision: these metrics cut at LR = 1 and forget how strong the evidence was.
"""

from dataclasses import dataclass

import numpy as np

from idiograph.arithmetic import logistic, mean, total
from idiograph.evidence.llr import from_nats
from idiograph.evidence.metrics import auc
from idiograph.evidence.trials import Trials, Values


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
    """Decisions at LR = 1 from LLRs in nats, counted as idiolect counts them."""
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
    """PAN's five measures from LLRs in nats; every problem counts once, whatever the sizes of the trials."""
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
