"""Learning the constants of the reference-normalised and of the topic-controlled LR from the judged trials of a study.

Logistic regression of the normalised scores S and of their products with the logarithm of K's length. Corpora weigh the
same, within a corpus its conditions and runs do, within these both classes do.

How much each score leans on topic, from trials drawn near, random and far and from impostors:

    b = d + 0.75·(s − d)

d is the slope of S on g over different-author trials, the mean of each corpus, condition and run taken out; s that over
the draws of one author, the author's means taken out; each the mean over corpora.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from idiograph import StudyError
from idiograph.arithmetic import FloatArray, mean
from idiograph.evidence.closeness import freed, slope
from idiograph.evidence.constants import ConstantsByLength, Weights, fit_pulled, log_length
from idiograph.evidence.matrix import CLOSENESS
from idiograph.evidence.trials import BoolArray
from idiograph.studies.trial_table import TrialTable

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
        return cls._of_table(trials.where(trials.case & (trials.column("corpus") != (without or ""))), scores)

    @classmethod
    def freed(
        cls, trials: TrialTable, scores: Sequence[str], slopes: Sequence[float], *, without: str | None = None
    ) -> "NormedTrials":
        """The judged trials of all draws, impostors among them, with scores freed from topic."""
        kept = all_draws(trials, without=without)
        trials_read = cls._of_table(kept, scores)
        return replace(trials_read, normed=freed(trials_read.normed, kept.normed([CLOSENESS])[:, 0], slopes))

    @classmethod
    def _of_table(cls, kept: TrialTable, scores: Sequence[str]) -> "NormedTrials":
        if not len(kept):
            raise StudyError("No judged trial is left to learn constants from. Add corpora.")
        lengths = np.array([log_length(tokens) for tokens in kept.column("k_tokens").tolist()])
        return cls(tuple(scores), kept.normed(scores), kept.same, lengths, _weights(kept))


def all_draws(trials: TrialTable, *, without: str | None = None) -> TrialTable:
    """The judged trials of all draws and with impostors, of all corpora or of all but one."""
    return trials.where(
        np.isin(trials.column("half"), ("case", "drawn", "impostor")) & (trials.column("corpus") != (without or ""))
    )


@dataclass(frozen=True)
class Lean:
    """How much each normalised score rises with a unit of g: for different authors, and for one author's draws."""

    different: tuple[float, ...]
    same: tuple[float, ...]

    @property
    def slopes(self) -> tuple[float, ...]:
        """b of each score."""
        return tuple(d + TOWARDS_SAME * (s - d) for d, s in zip(self.different, self.same, strict=True))


TOWARDS_SAME = 0.75  # chosen on open corpora


def lean(trials: TrialTable, scores: Sequence[str], *, without: str | None = None) -> Lean:
    """The slopes of the judged trials of all corpora, or of all but one; corpora weigh the same."""
    kept = all_draws(trials, without=without)
    normed, g = kept.normed(scores), kept.normed([CLOSENESS])[:, 0]
    corpora = kept.column("corpus")
    by_class = []
    for same in (False, True):
        columns = ("corpus", "condition", "run", *(("k_author",) if same else ()))
        groups = [tuple(row) for row in zip(*(kept.column(name).tolist() for name in columns), strict=True)]
        of_class = np.flatnonzero(kept.same == same)
        by_corpus = [
            [slope(g, normed[:, k], groups, of_class[corpora[of_class] == corpus]) for k in range(len(scores))]
            for corpus in sorted(set(corpora))
        ]
        by_class.append(tuple(mean(values) for values in zip(*by_corpus, strict=True)))
    return Lean(*by_class)


def learn_controlled(
    trials: TrialTable, scores: Sequence[str], *, n_authors: int, without: str | None = None
) -> ConstantsByLength:
    """The constants of the topic-controlled LR, slopes among them."""
    slopes = lean(trials, scores, without=without).slopes
    line = learn(NormedTrials.freed(trials, scores, slopes, without=without), n_authors=n_authors)
    return replace(line, slopes=slopes)


def learn(trials: NormedTrials, *, n_authors: int) -> ConstantsByLength:
    """The constants that judge these trials best, for every length of K."""
    x = trials.log_lengths
    columns = [*trials.normed.T, x, *(column * x for column in trials.normed.T)]
    features = np.stack(columns, axis=1)
    n = len(trials.scores)
    same = trials.same
    fit = fit_pulled(
        same=features[same],
        different=features[~same],
        towards=Weights(0.0, (0.0,) * features.shape[1]),
        tau=_NEXT_TO_NOTHING,
        same_weights=trials.weights[same],
        different_weights=trials.weights[~same],
    )
    level = Weights(fit.alpha, fit.betas[:n])
    slope = Weights(fit.betas[n], fit.betas[n + 1 :])
    return ConstantsByLength(trials.scores, n_authors, level, slope)


def _weights(trials: TrialTable) -> FloatArray:
    groups = list(trials.groups())
    corpora = [corpus for (corpus, _, _), _ in groups]
    weights = np.zeros(len(trials))
    for (corpus, _, _), places in groups:
        for kind in (True, False):
            of_kind = places[trials.same[places] == kind]
            weights[of_kind] = 1.0 / (len(of_kind) * corpora.count(corpus)) if len(of_kind) else 0.0
    return weights
