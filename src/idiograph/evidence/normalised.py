"""The reference-normalised LR: a score judged against the same Q with other Ks, and the same K with other Qs.

A score of Q and K leans with Q (how odd its topic and register are) and with K (how many n-grams it offers). The
reference that every case has shows by how much: its authors' Ks meet the same Q, and their Qs the same K.

Authors are numbered as in `cohort`: a matrix of scores has s(Q_b, K_a) in row b and column a.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from idiograph.arguments import checks_arguments
from idiograph.arithmetic import FloatArray, mean, sd
from idiograph.errors import CalibrationError
from idiograph.evidence.cohort import cohort
from idiograph.evidence.constants import Constants, constants_for
from idiograph.evidence.llr import LLR
from idiograph.evidence.pulled import TAU, Weights, fit_pulled

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
        """Those that make the LLR."""
        return self.constants.weights if self.fitted is None else self.fitted


@checks_arguments
def normalise(
    matrices: Sequence[FloatArray],
    *,
    reference: Sequence[int],
    trials: Sequence[tuple[int, int]],
    constants: Constants | None = None,
    tau: float = TAU,
) -> tuple[Normalisation, list[Normalised]]:
    """The LLRs of trials (b, a), of Q_b with K_a, by the reference alone; neither author may be one of it.

    One matrix per score, by default of distinct λG and of the n-gram cosine (and of the typing score, if there are
    three). The reference serves three times: it
    normalises, it is calibrated on, and λG's reference models and the cosine's df are to come from it.
    """
    _refuse(matrices, reference, trials)
    if constants is None:
        constants = constants_for(len(reference), SCORES if len(matrices) == 3 else SCORES[:2])
    if len(constants.weights.betas) != len(matrices):
        raise CalibrationError(
            f"There are {len(matrices)} scores and constants for {len(constants.weights.betas)} "
            f"({', '.join(constants.scores)}). Give the matrix of each, in that order."
        )
    pairs = list(product(reference, reference))
    normed = np.array([[s_norm(matrix, b, a, reference) for matrix in matrices] for b, a in pairs])
    is_same = np.array([b == a for b, a in pairs])
    fitted = None
    if len(reference) >= LEAST_TO_FIT:
        fitted = fit_pulled(same=normed[is_same], different=normed[~is_same], towards=constants.weights, tau=tau)
    n = len(reference)
    normalisation = Normalisation(constants, fitted, n, n, n * n - n)
    return normalisation, [_judged(matrices, b, a, reference, normalisation) for b, a in trials]


def s_norm(scores: FloatArray, b: int, a: int, reference: Sequence[int]) -> float:
    """The S-norm of x = s(Q_b, K_a), i and j running over the trial's cohort.

    ½·((x − mean_j s(Q_b, K_j)) / sd_j  +  (x − mean_i s(Q_i, K_a)) / sd_i)
    """
    others = cohort(reference, b, a)
    x = float(scores[b, a])
    return 0.5 * (standardised(x, scores[b, others].tolist()) + standardised(x, scores[others, a].tolist()))


def standardised(x: float, values: Sequence[float]) -> float:
    """(x − mean) / sd of the values, sd with n − 1; 0 where all are alike and x is like them."""
    middle, spread = mean(values), sd(values)
    if spread == 0.0:
        if x == middle:
            return 0.0
        raise CalibrationError(
            "All scores of the cohort are the same and that of the trial is another, so it cannot be normalised. "
            "Check the reference for copies of one text."
        )
    return (x - middle) / spread


def _judged(
    matrices: Sequence[FloatArray], b: int, a: int, reference: Sequence[int], normalisation: Normalisation
) -> Normalised:
    normed = tuple(s_norm(matrix, b, a, reference) for matrix in matrices)
    llrs = []
    for weights, how in ((normalisation.weights, "normalised"), (normalisation.constants.weights, "constants")):
        nats = float(weights.nats(np.array([normed]))[0])
        llrs.append(LLR(nats=nats, how=how, value=nats, unit="nats"))
    unusual = tuple(
        f"{side} by {name}"
        for name, matrix in zip(normalisation.constants.scores, matrices, strict=True)
        for side, turned, own in (("Q", matrix, b), ("K", matrix.T, a))
        if not _is_usual(turned, own, reference)
    )
    return Normalised(llrs[0], llrs[1], tuple(float(matrix[b, a]) for matrix in matrices), normed, unusual)


def _is_usual(scores: FloatArray, row: int, reference: Sequence[int]) -> bool:
    """Whether the mean score of a row with the reference lies among the means of the reference's own rows."""
    means = [mean(scores[i, [j for j in reference if j != i]]) for i in reference]
    return min(means) <= mean(scores[row, list(reference)]) <= max(means)


def _refuse(matrices: Sequence[FloatArray], reference: Sequence[int], trials: Sequence[tuple[int, int]]) -> None:
    if len(set(reference)) < len(reference):
        raise CalibrationError("An author is twice in the reference. Name each once.")
    if len(reference) < LEAST_TO_NORMALISE:
        raise CalibrationError(
            f"The reference has {len(reference)} authors with a Q and a K of their own, and a score is normalised "
            f"with at least {LEAST_TO_NORMALISE}. Add reference authors, or use a correction."
        )
    inside = sorted({author for trial in trials for author in trial} & set(reference))
    if inside:
        raise CalibrationError(
            f"Author {inside[0]} of a trial is in the reference too, so the trial would judge itself. "
            "Leave the authors of every trial out of the reference."
        )
    for matrix in matrices:
        if not np.isfinite(matrix[np.ix_(list(reference), list(reference))]).all():
            raise CalibrationError("A score of two reference authors is not a finite number. Score all of them.")
