"""The reference-normalised LR: a score judged against the same Q with other Ks, and the same K with other Qs.

A score of Q and K leans with Q (how odd its topic and register are) and with K (how many n-grams it offers). The
reference that every case has shows by how much: its authors' Ks meet the same Q, and their Qs the same K.

Authors are numbered as in `cohort`: a matrix of scores has s(Q_b, K_a) in row b and column a.

The matrices that normalisation needs, and the whole way from masked texts to a reference-normalised LLR.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from idiograph.arithmetic import FloatArray, mean
from idiograph.checking import checks_arguments
from idiograph.errors import CalibrationError, ProblemError
from idiograph.evidence.constants import ENGLISH_CORPORA, MIDDLE, Constants, Weights, constants_for, fit_pulled, tau_for
from idiograph.evidence.cosine import ngram_cosines
from idiograph.evidence.llr import LLR, computed_llr
from idiograph.grammar.index import Part
from idiograph.grammar.lambdag import Score, score_many
from idiograph.grammar.vocabulary import Numbers
from idiograph.texts.problem import Problem, problem_seed

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
    k_tokens: float = MIDDLE,
    constants: Constants | None = None,
    tau: float | None = None,
) -> tuple[Normalisation, list[Normalised]]:
    """The LLRs of trials (b, a), of Q_b with K_a, by the reference alone; neither author may be one of it.

    One matrix per score, by default of distinct λG and of the n-gram cosine (and of the typing score, if there are
    three). The reference serves three times: it normalises, it is calibrated on, and λG's reference models and the
    cosine's df are to come from it. `k_tokens` is how long a K is: the constants go by it.
    """
    normalisation, (found,) = normalise_draws(
        [matrices], reference=reference, trials=trials, k_tokens=k_tokens, constants=constants, tau=tau
    )
    return normalisation, found


def normalise_draws(
    draws: Sequence[Sequence[FloatArray]],
    *,
    reference: Sequence[int],
    trials: Sequence[tuple[int, int]],
    k_tokens: float = MIDDLE,
    constants: Constants | None = None,
    origin: str = ENGLISH_CORPORA,
    tau: float | None = None,
) -> tuple[Normalisation, list[list[Normalised]]]:
    """The same for several draws of every author's Q and K, each with its matrices; all draws are calibrated on.

    `origin` is that of the constants, unless they are given.
    """
    for matrices in draws:
        _refuse(matrices, reference, trials)
    normalisation = calibrate(
        draws, reference=reference, k_tokens=k_tokens, constants=constants, origin=origin, tau=tau
    )
    return normalisation, [judge(matrices, trials, reference, normalisation) for matrices in draws]


def calibrate(
    draws: Sequence[Sequence[FloatArray]],
    *,
    reference: Sequence[int],
    k_tokens: float = MIDDLE,
    constants: Constants | None = None,
    origin: str = ENGLISH_CORPORA,
    tau: float | None = None,
    weights: Sequence[float] | None = None,
    near: Weights | None = None,
) -> Normalisation:
    """What the reference says, by its own trials in all draws.

    `weights` says how often each reference author counts, where authors are resampled; the fit is then sought from
    `near` on.
    """
    n = len(reference)
    if constants is None:
        scores = SCORES if len(draws[0]) == 3 else SCORES[:2]
        constants = constants_for(n, scores, k_tokens=k_tokens, origin=origin)
    if len(constants.weights.betas) != len(draws[0]):
        raise CalibrationError(
            f"There are {len(draws[0])} scores and constants for {len(constants.weights.betas)} "
            f"({', '.join(constants.scores)}). Give the matrix of each, in that order."
        )
    if constants.say_nothing and n < LEAST_TO_FIT:
        raise CalibrationError(
            f"There are {n} reference authors with a Q and a K of their own, and without constants the fit takes at "
            f'least {LEAST_TO_FIT}. Add reference authors, or let constants hold it (constants = "english").'
        )
    fitted = None
    if n >= LEAST_TO_FIT:
        own = np.array(reference, np.int64)
        pairs = np.stack([np.repeat(own, n), np.tile(own, n)], axis=1)
        normed = np.concatenate([features(matrices, pairs, reference, weights) for matrices in draws])
        counts = np.ones(n) if weights is None else np.array(weights, np.float64)
        each = np.tile(np.where(np.eye(n, dtype=bool), counts, counts[:, None] * counts).reshape(-1), len(draws))
        is_same = np.tile(pairs[:, 0] == pairs[:, 1], len(draws))
        fitted = fit_pulled(
            same=normed[is_same],
            different=normed[~is_same],
            towards=constants.weights,
            tau=tau_for(n) if tau is None else tau,
            same_weights=each[is_same],
            different_weights=each[~is_same],
            near=near,
        )
    return Normalisation(constants, fitted, n, n * len(draws), (n * n - n) * len(draws))


def over_draws(found: Sequence[Normalised], normalisation: Normalisation) -> Normalised:
    """One trial, measured by the cohort of each draw: its normalised scores are the means over the draws."""
    if len(found) == 1:
        return found[0]
    normed = tuple(mean(values) for values in zip(*(one.normed for one in found), strict=True))
    scores = tuple(mean(values) for values in zip(*(one.scores for one in found), strict=True))
    unusual = tuple(name for name in found[0].unusual if all(name in one.unusual for one in found))
    return Normalised(*_llrs(normed, normalisation), scores, normed, unusual)


def features(
    matrices: Sequence[FloatArray],
    trials: Sequence[tuple[int, int]] | Numbers,
    reference: Sequence[int],
    weights: Sequence[float] | None = None,
) -> FloatArray:
    """The normalised scores: one row per trial (b, a), one column per score."""
    # Imported late: Numba takes half a second.
    from idiograph.evidence.matrix import s_norms

    return np.stack([s_norms(matrix, trials, reference=reference, weights=weights) for matrix in matrices], axis=1)


def judge(
    matrices: Sequence[FloatArray],
    trials: Sequence[tuple[int, int]],
    reference: Sequence[int],
    normalisation: Normalisation,
) -> list[Normalised]:
    """Each trial (b, a) by what the reference says; of the matrices its own row and column are enough."""
    usual = {
        (name, side): _usual(turned, reference)
        for name, matrix in zip(normalisation.constants.scores, matrices, strict=True)
        for side, turned in (("Q", matrix), ("K", matrix.T))
    }
    found = []
    for (b, a), normed in zip(trials, features(matrices, trials, reference).tolist(), strict=True):
        unusual = tuple(
            f"{side} by {name}"
            for name, matrix in zip(normalisation.constants.scores, matrices, strict=True)
            for side, values in (("Q", matrix[b, list(reference)]), ("K", matrix[list(reference), a]))
            if not usual[name, side][0] <= mean(values) <= usual[name, side][1]
        )
        scores = tuple(float(matrix[b, a]) for matrix in matrices)
        found.append(Normalised(*_llrs(normed, normalisation), scores, tuple(normed), unusual))
    return found


def weighted_llr(
    matrices: Sequence[FloatArray],
    trial: tuple[int, int],
    reference: Sequence[int],
    normalisation: Normalisation,
    weights: Sequence[float],
) -> LLR:
    """The LLR of a trial by a reference whose authors count as often as said."""
    (normed,) = features(matrices, [trial], reference, weights).tolist()
    return _llrs(normed, normalisation)[0]


def _llrs(normed: Sequence[float], normalisation: Normalisation) -> tuple[LLR, LLR]:
    """By the weights, and by the constants alone."""
    llrs = []
    for weights, how in ((normalisation.weights, "normalised"), (normalisation.constants.weights, "constants")):
        nats = float(weights.nats(np.array([normed]))[0])
        llrs.append(computed_llr(nats, how=how, value=nats, unit="nats"))
    return llrs[0], llrs[1]


def _usual(scores: FloatArray, reference: Sequence[int]) -> tuple[float, float]:
    """The least and the largest mean of the reference's own rows; no limit where these were not scored."""
    if not np.isfinite(scores[np.ix_(list(reference), list(reference))]).all():
        return -np.inf, np.inf
    means = [mean(scores[i, [j for j in reference if j != i]]) for i in reference]
    return min(means), max(means)


def _refuse(matrices: Sequence[FloatArray], reference: Sequence[int], trials: Sequence[tuple[int, int]]) -> None:
    if len(set(reference)) < len(reference):
        raise CalibrationError("An author is twice in the reference. Name each once.")
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
    for matrix in matrices:
        if not np.isfinite(matrix[np.ix_(list(reference), list(reference))]).all():
            raise CalibrationError("A score of two reference authors is not a finite number. Score all of them.")


CASE = "(case)"


@dataclass(frozen=True)
class Pair:
    """A Q and a K of one author, parts of one index; in a case, the disputed Q and the candidate's K."""

    author: str
    q: Part
    k: Part


def lambda_g_matrix(
    pairs: Sequence[Pair],
    *,
    reference: Sequence[int],
    seed: int = 0,
    order: int = 10,
    repetitions: int = 30,
    discount: float = 0.75,
    workers: int | None = None,
) -> list[list[Score]]:
    """The score of every Q_b (rows) with every K_a (columns) of the pairs.

    The reference of each is all sentences in the index of the authors `reference` but a and b. A problem's
    id is "K's author/Q's author".
    """
    index = pairs[0].q.index
    if any(side.index is not index for pair in pairs for side in (pair.q, pair.k)):
        raise ProblemError("The Qs and Ks are parts of different indexes. Build one Index of all texts.")
    trials = list(product(range(len(pairs)), repeat=2))
    parts: dict[tuple[int, ...], Part] = {}
    problems, seeds = [], []
    for b, a in trials:
        others = tuple(author for author in reference if author not in (a, b))
        if others not in parts:
            parts[others] = index.by(*(pairs[author].author for author in others))
        name = f"{pairs[a].author}/{pairs[b].author}"
        problems.append(Problem(q=pairs[b].q, k=pairs[a].k, reference=parts[others], id=name))
        seeds.append(problem_seed(seed, name))
    scores = score_many(
        index, problems, seeds=seeds, order=order, repetitions=repetitions, discount=discount, workers=workers
    )
    return [scores[start : start + len(pairs)] for start in range(0, len(scores), len(pairs))]


def distinct_matrix(scores: Sequence[Sequence[Score]]) -> FloatArray:
    """Distinct λG of a matrix of scores."""
    return np.array([[score.distinct for score in row] for row in scores])


def cosine_matrix(pairs: Sequence[Pair], *, reference: Sequence[int]) -> FloatArray:
    """The n-gram cosine of every Q_b (rows) with every K_a (columns) of the pairs."""
    qs, ks = [pair.q.sentences for pair in pairs], [pair.k.sentences for pair in pairs]
    return ngram_cosines(qs, ks, q_authors=range(len(pairs)), reference=reference)


@dataclass(frozen=True)
class ReferenceNormalised:
    """A case by the reference-normalised method: the trial, what the reference says, and the score of Q and K."""

    trial: Normalised
    normalisation: Normalisation
    score: Score


@checks_arguments
def reference_normalised(
    *,
    q: Part,
    k: Part,
    pairs: Mapping[str, tuple[Part, Part]],
    seed: int = 0,
    tau: float | None = None,
    workers: int | None = None,
) -> ReferenceNormalised:
    """The LLR of a case, by a Q and a K of each reference author, made the way the case's are.

    All of them are parts of one index, in which the reference authors may have more texts than these; those serve
    as λG's reference.
    """
    made = [Pair(author, *pairs[author]) for author in sorted(pairs)]
    everyone = [*made, Pair(CASE, q, k)]
    reference = range(len(made))
    scores = lambda_g_matrix(everyone, reference=reference, seed=seed, workers=workers)
    matrices = [distinct_matrix(scores), cosine_matrix(everyone, reference=reference)]
    case = len(made)
    normalisation, (trial,) = normalise(
        matrices, reference=reference, trials=[(case, case)], k_tokens=k.n_tokens, tau=tau
    )
    return ReferenceNormalised(trial, normalisation, scores[case][case])
