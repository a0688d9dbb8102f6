"""Learning the constants of the reference-normalised LR from the judged trials of a study.

Logistic regression of the normalised scores S and of their products with the logarithm of K's length. Corpora weigh the
same, within a corpus its conditions and runs do, within these both classes do.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from idiograph.arithmetic import FloatArray
from idiograph.errors import StudyError
from idiograph.evidence.constants import ConstantsByLength, Weights, fit_pulled, log_length
from idiograph.evidence.trials import BoolArray
from idiograph.studies.trial_table import NORMED_PREFIX, TrialTable

_NEXT_TO_NOTHING = 1e-6  # τ: the trials decide alone, and a fit that they leave open still has an end


@dataclass(frozen=True, eq=False)
class NormedTrials:
    """Judged trials with their normalised scores, and what each weighs within its class."""

    scores: tuple[str, ...]
    normed: FloatArray  # one column per score
    same: BoolArray
    log_lengths: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, trials: TrialTable, scores: Sequence[str], *, without: str | None = None) -> "NormedTrials":
        """The judged trials of all corpora, or of all but one."""
        kept = trials.where(trials.case & (trials.column("corpus") != (without or "")))
        if not len(kept):
            raise StudyError("No judged trial is left to learn constants from. Add corpora.")
        columns = [kept.column(NORMED_PREFIX + name).astype(np.float64) for name in scores]
        lengths = np.array([log_length(tokens) for tokens in kept.column("k_tokens").tolist()])
        return cls(tuple(scores), np.stack(columns, axis=1), kept.same, lengths, _weights(kept))


def learn(trials: NormedTrials, *, n_authors: int) -> ConstantsByLength:
    """The constants that judge these trials best, for every length of K."""
    x = trials.log_lengths
    columns = [*trials.normed.T, x, *(column * x for column in trials.normed.T)]
    features = np.stack(columns, axis=1)
    n = len(trials.scores)
    same = trials.same
    found = fit_pulled(
        same=features[same],
        different=features[~same],
        towards=Weights(0.0, (0.0,) * features.shape[1]),
        tau=_NEXT_TO_NOTHING,
        same_weights=trials.weights[same],
        different_weights=trials.weights[~same],
    )
    level = Weights(found.alpha, found.betas[:n])
    slope = Weights(found.betas[n], found.betas[n + 1 :])
    return ConstantsByLength(trials.scores, n_authors, level, slope)


def _weights(trials: TrialTable) -> FloatArray:
    groups = list(trials.groups())
    corpora = [corpus for (corpus, _, _), _ in groups]
    weights = np.zeros(len(trials))
    for (corpus, _, _), places in groups:
        for kind in (True, False):
            own = places[trials.same[places] == kind]
            weights[own] = 1.0 / (len(own) * corpora.count(corpus)) if len(own) else 0.0
    return weights
