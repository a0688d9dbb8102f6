"""The reference-normalised LR: a score judged against the same Q with other Ks, and the same K with other Qs.

A score of Q and K leans with Q (how odd its topic and register are) and with K (how many n-grams it offers). The
reference that every case has shows by how much: its authors' Ks meet the same Q, and their Qs the same K.

Constants with slopes make it the topic-controlled LR: each normalised score is first freed from what the closeness of
Q and K in topic gives it (`closeness`), in the reference's own trials and in the one that is judged alike.

Authors are numbered as in a `Matrix`, which has s(Q_b, K_a) in row b and column a.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from idiograph.arithmetic import FloatArray, mean, sd
from idiograph.checking import checks_arguments
from idiograph.errors import CalibrationError
from idiograph.evidence.closeness import freed
from idiograph.evidence.constants import ENGLISH_CORPORA, MIDDLE, Constants, Weights, constants_for, fit_pulled, tau_for
from idiograph.evidence.llr import LLR, computed_llr
from idiograph.evidence.matrix import HOLDING, Cell, Matrix, s_norms, topic_norms
from idiograph.grammar.vocabulary import Numbers
from idiograph.showing import one_line

SCORES = ("distinct", "cosine", "typing")
LEAST_TO_NORMALISE = 5
"""Reference authors below which a score is not normalised: a cohort of two or fewer has no spread to speak of."""
LEAST_TO_FIT = 8
"""Reference authors below which the constants alone turn normalised scores into an LLR."""


@dataclass(frozen=True)
class Normalised:
    """One trial: its normalised scores, its LLR, and the LLR that the constants alone would give."""

    llr: LLR
    by_constants: LLR
    scores: tuple[float, ...]
    normed: tuple[float, ...]
    unusual: tuple[str, ...]  # which means of its scores lie outside those of all reference authors
    topic: float | None = None  # g, where the LLR is freed from it

    @property
    def unusual_in_words(self) -> str:
        """Which means are unusual, as the distance from a reference of another kind names them."""
        return ", ".join(self.unusual).replace("distinct", "λG").replace("cosine", "phrases")


@one_line
@dataclass(frozen=True)
class Normalisation:
    """What the reference says: the constants, and the weights fitted on its own matrix (None: too few authors)."""

    constants: Constants
    fitted: Weights | None
    n_authors: int
    n_same: int
    n_different: int

    @property
    def weights(self) -> Weights:
        """Those fitted on the reference; of the constants, where it has too few authors for a fit."""
        return self.constants.weights if self.fitted is None else self.fitted


@checks_arguments
def normalise(
    matrices: Sequence[FloatArray],
    *,
    reference: Sequence[int],
    trials: Sequence[tuple[int, int]],
    k_tokens: float = MIDDLE,
    constants: Constants | None = None,
    tau: float | None = None,
) -> tuple[Normalisation, list[Normalised]]:
    """The LLRs of `trials` (b, a), of Q_b with K_a, by the `reference` alone; neither author may be one of it.

    `matrices` has one per score, with a row for each Q and a column for each K, by default of distinct λG and of the
    n-gram cosine (and of the typing score, if there are three). The reference serves three times: it normalises, it is
    calibrated on, and λG's reference models and the cosine's df are to come from it. `k_tokens` is how long a K is: the
    `constants` go by it; they are those that are shipped unless others are given, and `tau` the prior variance of what
    is learnt.
    """
    matrix = Matrix({str(number): scores for number, scores in enumerate(matrices)}, reference)
    normalisation, (judged,) = normalise_draws([matrix], trials=trials, k_tokens=k_tokens, constants=constants, tau=tau)
    return normalisation, judged


def normalise_draws(
    draws: Sequence[Matrix],
    *,
    trials: Sequence[Cell],
    k_tokens: float = MIDDLE,
    constants: Constants | None = None,
    origin: str = ENGLISH_CORPORA,
    tau: float | None = None,
    controlled: bool = False,
) -> tuple[Normalisation, list[list[Normalised]]]:
    """The fit and the judged trials by all scores of a matrix; with several draws of every Q and K, fitted on all.

    `origin` is that of the constants, and `controlled` frees scores from topic, unless constants are given.
    """
    for matrix in draws:
        _refuse(matrix, trials)
    if constants is None:
        # Scores without what Q overuses have the constants of the others.
        names = tuple(draws[0].scores)
        constants = constants_for(
            len(draws[0].reference),
            names if set(names) <= set(HOLDING) else SCORES if len(names) == 3 else SCORES[:2],
            k_tokens=k_tokens,
            origin=origin,
            controlled=controlled,
        )
    normalisation = fit_normalisation(draws, constants=constants, tau=tau)
    return normalisation, [judge(matrix, trials, normalisation) for matrix in draws]


def fit_normalisation(
    draws: Sequence[Matrix],
    *,
    constants: Constants,
    tau: float | None = None,
    weights: Sequence[float] | None = None,
    near: Weights | None = None,
) -> Normalisation:
    """What the reference says, by its own trials in all draws.

    `weights` says how often each reference author counts, where authors are resampled; the fit is then sought from
    `near` on.
    """
    reference, n_scores = draws[0].reference, len(draws[0].scores)
    n = len(reference)
    if len(constants.weights.betas) != n_scores:
        raise CalibrationError(
            f"There are {n_scores} scores and constants for {len(constants.weights.betas)} "
            f"({', '.join(constants.scores)}). Give the matrix of each, in that order."
        )
    if constants.say_nothing and n < LEAST_TO_FIT:
        raise CalibrationError(
            f"There are {n} reference authors with a Q and a K of their own, and without constants the fit takes at "
            f'least {LEAST_TO_FIT}. Add reference authors, or use constants (constants = "english").'
        )
    fitted = None
    if n >= LEAST_TO_FIT:
        pairs = np.array(list(product(reference, repeat=2)), np.int64)
        normed = np.concatenate([features(matrix, pairs, constants.slopes, weights=weights) for matrix in draws])
        counts = np.ones(n) if weights is None else np.array(weights, np.float64)
        each = np.tile(np.where(np.eye(n, dtype=bool), counts, counts[:, None] * counts).reshape(-1), len(draws))
        is_same = np.tile(pairs[:, 0] == pairs[:, 1], len(draws))
        fitted = fit_pulled(
            same=normed[is_same],
            different=normed[~is_same],
            towards=constants.weights,
            tau=tau_for(n, controlled=constants.controlled) if tau is None else tau,
            same_weights=each[is_same],
            different_weights=each[~is_same],
            near=near,
        )
    return Normalisation(constants, fitted, n, n * len(draws), (n * n - n) * len(draws))


def over_draws(by_draw: Sequence[Normalised], normalisation: Normalisation) -> Normalised:
    """One trial, measured by the cohort of each draw: its normalised scores are the means over the draws."""
    if len(by_draw) == 1:
        return by_draw[0]
    normed = tuple(mean(values) for values in zip(*(trial.normed for trial in by_draw), strict=True))
    scores = tuple(mean(values) for values in zip(*(trial.scores for trial in by_draw), strict=True))
    unusual = tuple(name for name in by_draw[0].unusual if all(name in trial.unusual for trial in by_draw))
    closenesses = [trial.topic for trial in by_draw if trial.topic is not None]
    topic = mean(closenesses) if closenesses else None
    return Normalised(*_llrs(normed, topic, normalisation), scores, normed, unusual, topic)


def normed_scores(
    matrix: Matrix, trials: Sequence[Cell] | Numbers, *, weights: Sequence[float] | None = None
) -> FloatArray:
    """The normalised scores S: one row per trial (b, a), one column per score."""
    columns = [
        s_norms(scores, trials, reference=matrix.reference, weights=weights) for scores in matrix.scores.values()
    ]
    return np.stack(columns, axis=1)


def features(
    matrix: Matrix,
    trials: Sequence[Cell] | Numbers,
    slopes: Sequence[float],
    *,
    weights: Sequence[float] | None = None,
) -> FloatArray:
    """What an LLR is made of, one row per trial: the normalised scores, freed from topic where there are slopes."""
    normed = normed_scores(matrix, trials, weights=weights)
    return freed(normed, topic_norms(matrix, trials, weights=weights), slopes) if slopes else normed


def judge(matrix: Matrix, trials: Sequence[Cell], normalisation: Normalisation) -> list[Normalised]:
    """Each trial (b, a) by what the reference says; of the matrix its own row and column are enough."""
    reference = list(matrix.reference)
    # By the names of the constants, which the scores without what is overused have none of.
    by_name = list(zip(normalisation.constants.scores, matrix.scores.items(), strict=True))
    usual = {}
    for name, (key, scores) in by_name:
        for side, turned in (("Q", scores), ("K", scores.T)):
            means = [-np.inf, np.inf] if key in matrix.incomplete else _own_means(turned, reference)
            usual[name, side] = (min(means), max(means))
    judged = []
    controlled = normalisation.constants.controlled
    topics = topic_norms(matrix, trials).tolist() if controlled else [None] * len(trials)
    for (b, a), normed, topic in zip(trials, normed_scores(matrix, trials).tolist(), topics, strict=True):
        unusual = tuple(
            f"{side} by {name}"
            for name, (_, scores) in by_name
            for side, values in (("Q", scores[b, reference]), ("K", scores[reference, a]))
            if not usual[name, side][0] <= mean(values) <= usual[name, side][1]
        )
        scores_of_trial = tuple(float(scores[b, a]) for scores in matrix.scores.values())
        judged.append(Normalised(*_llrs(normed, topic, normalisation), scores_of_trial, tuple(normed), unusual, topic))
    return judged


def weighted_nats(matrix: Matrix, trial: Cell, normalisation: Normalisation, weights: Sequence[float]) -> float:
    """The LLR in nats of a trial by a reference whose authors count as often as said."""
    row = features(matrix, [trial], normalisation.constants.slopes, weights=weights)
    return float(normalisation.weights.nats(row)[0])


def _llrs(normed: Sequence[float], topic: float | None, normalisation: Normalisation) -> tuple[LLR, LLR]:
    """The LLRs of a trial by its normalised scores and g: by the weights, and by the constants alone."""
    row = np.array([normed])
    if topic is not None:
        row = freed(row, np.array([topic]), normalisation.constants.slopes)
    method = "controlled" if normalisation.constants.controlled else "normalised"
    llrs = []
    for weights, how in ((normalisation.weights, method), (normalisation.constants.weights, "constants")):
        nats = float(weights.nats(row)[0])
        llrs.append(computed_llr(nats, how=how, value=nats, unit="nats"))
    return llrs[0], llrs[1]


def _own_means(scores: FloatArray, reference: Sequence[int]) -> list[float]:
    """The mean of each reference author's row, with the other reference authors."""
    return [mean(scores[i, [j for j in reference if j != i]]) for i in reference]


def away_from_reference(matrix: Matrix, trials: Sequence[Cell]) -> FloatArray:
    """How far the means of each trial's row and column lie from those of the reference authors, in their sd (n − 1).

    One row per trial; columns: Q and K by each score, then, where it is known, by closeness in topic (c). 0 where the
    reference authors' means are all the same, which measure nothing.
    """
    reference = list(matrix.reference)
    by_score = [*matrix.scores.values(), *([] if matrix.closeness is None else [matrix.closeness])]
    columns = []
    for scores in by_score:
        for turned, side in ((scores, 0), (scores.T, 1)):
            usual = _own_means(turned, reference)
            middle, spread = mean(usual), sd(usual)
            away = [mean(turned[trial[side], reference]) - middle for trial in trials]
            columns.append([distance / spread if spread else 0.0 for distance in away])
    return np.array(columns, np.float64).T


def _refuse(matrix: Matrix, trials: Sequence[Cell]) -> None:
    reference = list(matrix.reference)
    if len(set(reference)) < len(reference):
        raise CalibrationError("An author occurs twice in the reference. Name each once.")
    if len(reference) < LEAST_TO_NORMALISE:
        raise CalibrationError(
            f"{len(reference)} reference authors have a Q and a K of their own, and a score is normalised with at "
            f"least {LEAST_TO_NORMALISE}. Add reference authors, or use a correction."
        )
    inside = sorted({author for trial in trials for author in trial} & set(reference))
    if inside:
        raise CalibrationError(
            f"Author {inside[0]} of a trial is in the reference too, so the trial would judge itself. "
            "Leave the authors of every trial out of the reference."
        )
    for scores in matrix.scores.values():
        if not np.isfinite(scores[np.ix_(reference, reference)]).all():
            raise CalibrationError("A score of two reference authors is not a finite number. Score all of them.")
