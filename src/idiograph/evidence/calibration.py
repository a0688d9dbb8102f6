"""Calibration: from scores with known answers to ln LR = α + β·score, by balanced logistic regression.

Maximum likelihood with equal class weights and no penalty. Where the classes hardly overlap the likelihood has no
maximum worth the name; that is detected, counted and said, and nothing is fitted unless a shrinkage is asked for.

The two ways of finding the logistic regression of two classes: to its maximum, and as far as R's glm goes.

Leaving authors out: every trial is judged by what was learnt from trials of other authors.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import FloatArray, exp, log, mean, row_totals
from idiograph.checking import check, check_fields, unchecked
from idiograph.errors import CalibrationError
from idiograph.evidence.llr import LLR
from idiograph.evidence.trials import ScoredTrials, ScoreLike, Scores, Trials, Values, as_values

_EPSILON = float(np.finfo(float).eps)


def balanced_maxima(
    scores: FloatArray, *, targets: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, npt.NDArray[np.int64]]:
    """α and β of the largest likelihood under each row of weights, not a number where none was reached, and the steps.

    Newton's method with halved steps on Σ w·(t·ln p + (1 − t)·ln(1 − p)), p = 1/(1 + exp(−(α + β·x))).
    """
    # Imported late: Numba takes half a second, and most commands fit nothing.
    from idiograph.compiling import run
    from idiograph.evidence import kernels

    # Standardised, so that scores of ±10,000 and of ±0.001 are equally easy; undone at the end.
    middle = mean(scores)
    spread = float(np.abs(scores - middle).max())
    x = np.ascontiguousarray((scores - middle) / spread)
    a = b = 0.0
    if len(weights) > 1:
        # Resamples differ little from their mean, so its maximum is where each of them starts.
        together = row_totals(np.ascontiguousarray(weights.T))[None, :] / len(weights)
        first_a, first_b, _ = run(kernels.maxima, x, targets, together, 0.0, 0.0)
        if np.isfinite(first_b[0]):
            a, b = float(first_a[0]), float(first_b[0])
    intercepts, slopes, steps = run(kernels.maxima, x, targets, np.ascontiguousarray(weights), a, b)
    return intercepts - slopes * middle / spread, slopes / spread, steps


def r_glm(scores: FloatArray, answers: FloatArray, weights: FloatArray) -> tuple[float, float, int]:
    """α, β and the iteration at which R 4's `glm(family = binomial, weights)` stops with its default control.

    Iteratively reweighted least squares from μ = (w·y + ½)/(w + 1) until |dev − dev_old|/(|dev| + 0.1) < 1e-8, at most
    25 times, with R's guards at |η| = 30. The weights of a class must sum to 1: they decide when a divergent fit stops.
    1 − μ is 1/(1 + odds) throughout: subtracting would cancel its digits where the classes are separated.
    """
    mu = (weights * answers + 0.5) / (weights + 1.0)
    rest = (weights * (1.0 - answers) + 0.5) / (weights + 1.0)  # 1 − μ
    eta = log(mu / rest)
    slope_of_mu = mu * rest
    deviance = _deviance(mu, rest, answers, weights)
    alpha = beta = 0.0
    iterations = 0
    for _ in range(25):
        iterations += 1
        z = eta + np.where(answers == 1, rest, -mu) / slope_of_mu
        w = weights * (slope_of_mu * slope_of_mu) / (mu * rest)
        n, sum_x, sum_z = row_totals(np.stack([w, w * scores, w * z])).tolist()
        x, y = scores - sum_x / n, z - sum_z / n
        square, product = row_totals(np.stack([w * x * x, w * x * y])).tolist()
        beta = product / square
        alpha = sum_z / n - beta * (sum_x / n)
        eta = alpha + beta * scores
        odds = exp(np.clip(eta, -30, 30))
        far = np.abs(eta) > 30
        odds = np.where(far, np.where(eta > 0, 1 / _EPSILON, _EPSILON), odds)
        mu, rest = odds / (1.0 + odds), 1.0 / (1.0 + odds)
        slope_of_mu = np.where(far, _EPSILON, mu * rest)
        before, deviance = deviance, _deviance(mu, rest, answers, weights)
        if abs(deviance - before) / (abs(deviance) + 0.1) < 1e-8:
            break
    return alpha, beta, iterations


def _deviance(mu: FloatArray, rest: FloatArray, answers: FloatArray, weights: FloatArray) -> float:
    return -2.0 * float(row_totals((weights * log(np.where(answers == 1, mu, rest)))[None, :])[0])


Mode = Literal["exact", "glm"]


@dataclass(frozen=True)
class Separation:
    """How far the classes are from being split by one threshold.

    `crossing` is the smallest number of trials whose removal leaves no score of one class beyond one of the other:
    0 is perfect separation, where the likelihood grows for ever; 1 is near separation, where one trial holds the slope.
    """

    crossing: int

    @property
    def kind(self) -> Literal["perfect", "near", "none"]:
        """Whether no trial, one, or more stand between the classes and perfect separation."""
        return "perfect" if self.crossing == 0 else "near" if self.crossing == 1 else "none"


def separation(trials: Trials) -> Separation:
    """How many trials stand between these classes and perfect separation, in whichever direction is nearer."""
    thresholds = np.unique(trials.all)
    s, d = np.sort(trials.same), np.sort(trials.different)
    s_below, d_below = np.searchsorted(s, thresholds, "left"), np.searchsorted(d, thresholds, "left")
    s_above = s.size - np.searchsorted(s, thresholds, "right")
    d_above = d.size - np.searchsorted(d, thresholds, "right")
    return Separation(int(min((s_below + d_above).min(), (d_below + s_above).min())))


@dataclass(frozen=True)
class Calibrator:
    """ln LR = intercept + slope · score, with what it was learnt from.

    `Calibrator.fit(same=…, different=…)` learns it; `calibrator(score)` is the LLR of a Score, `calibrator.nats([…])`
    those of numbers.
    """

    slope: float
    intercept: float
    n_same: int  # trials it was learnt from
    n_different: int
    separation: Separation  # whether a threshold splits the classes, or nearly does
    mode: Mode = "exact"
    shrinkage: float = 0.0
    iterations: int = 0

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def fit(cls, *, same: Values, different: Values, mode: Mode = "exact", shrinkage: float = 0.0) -> "Calibrator":
        """Learn from scores of both kinds of trial, `same` author and `different` authors, by whatever system.

        `mode` "exact" finds the maximum and refuses perfect or near separation; with a `shrinkage` a > 0 it fits
        them too, towards Platt's (1999) targets: same-author trials count as (n + a)/(n + 2a) of a certain answer,
        different-author ones as a/(n + 2a), as if a trials of each class had also come out the other way. `mode`
        "glm" stops where R's glm stops, whatever the separation: only for comparison with published figures.
        """
        return calibrate(Trials.of(same=same, different=different), mode=mode, shrinkage=shrinkage)

    def __call__(self, score: ScoreLike) -> LLR:
        """The LLR of a score."""
        return LLR.of(self.intercept + self.slope * float(Scores.of(score).lambda_g[0]), "nats", how="logistic")

    def nats(self, scores: Values) -> FloatArray:
        """LLRs in nats of many scores.

        `scores` are of the system whose scores it was fitted on.
        """
        return self.intercept + self.slope * as_values(scores, "scores")


def calibrate(trials: Trials, *, mode: Mode = "exact", shrinkage: float = 0.0) -> Calibrator:
    """The calibrator of trials, as `Calibrator.fit` learns it."""
    _refuse_unusable(trials, mode, shrinkage)
    overlap = separation(trials)
    if mode == "exact" and shrinkage == 0 and overlap.kind != "none":
        raise CalibrationError(
            f"{SEPARATED[overlap.kind]} Found {trials.same.size} same-author and {trials.different.size} "
            f"different-author trials, {overlap.crossing} of them crossing. An LR from such a fit can be arbitrarily "
            "large; add trials by more authors, or ask for a fit with a stated shrinkage (shrinkage=1)."
        )
    n_same, n_different = trials.same.size, trials.different.size
    # Both classes weigh the same, whatever their sizes.
    weights = np.repeat([1 / n_same, 1 / n_different], (n_same, n_different))
    if mode == "glm":
        answers = np.repeat([1.0, 0.0], (n_same, n_different))
        intercept, slope, iterations = r_glm(trials.all, answers, weights)
    else:
        platt = (n_same + shrinkage) / (n_same + 2 * shrinkage), shrinkage / (n_different + 2 * shrinkage)
        targets = np.repeat(platt, (n_same, n_different))
        (alpha,), (beta,), (steps,) = balanced_maxima(trials.all, targets=targets, weights=weights[None, :])
        intercept, slope, iterations = float(alpha), float(beta), int(steps)
        if not np.isfinite(slope):
            raise CalibrationError(
                f"The logistic regression did not reach its maximum in {iterations} steps. The classes are all but "
                "separated; ask for a fit with a stated shrinkage, or a larger one."
            )
    return unchecked(
        Calibrator,
        slope=slope,
        intercept=intercept,
        n_same=n_same,
        n_different=n_different,
        separation=overlap,
        mode=mode,
        shrinkage=float(shrinkage),
        iterations=iterations,
    )


SEPARATED: Mapping[str, str] = {
    "perfect": "The scores of the two classes do not overlap (perfect separation), so the likelihood has no maximum.",
    "near": "The scores of the two classes overlap by a single trial (near separation), which alone holds the slope.",
}
"""What each kind of separation means."""


def _refuse_unusable(trials: Trials, mode: str, shrinkage: float) -> None:
    check(shrinkage, float, "shrinkage")
    if not isinstance(mode, str) or mode not in ("exact", "glm"):
        raise CalibrationError(f"There is no calibration mode {mode!r}. Choose exact or glm.")
    if not (shrinkage == 0 or 1e-6 <= shrinkage < np.inf):
        raise CalibrationError(
            f"The shrinkage is {shrinkage}. It is a number of trials per class: 0 for none, or at least a millionth."
        )
    if mode == "glm" and shrinkage:
        raise CalibrationError("R's glm has no shrinkage. Leave out either mode glm or the shrinkage.")
    scores = trials.all
    if scores.min() == scores.max():
        raise CalibrationError(
            f"All {scores.size} scores are {scores[0]:g}, so nothing can be learnt from them. Check how they were made."
        )


class Learnt(Protocol):
    """What a method learnt from a training set: it turns scores into LLRs."""

    @property
    def separation(self) -> Separation: ...

    def nats(self, scores: Scores) -> FloatArray:
        """LLRs in nats, one per score."""
        ...


Learn = Callable[[ScoredTrials], Learnt]


@dataclass(frozen=True, eq=False)
class LeftOut:
    """LLRs in nats, one per trial, each learnt without the trial's authors; and how the fits went."""

    nats: FloatArray
    n_fits: int
    n_perfect: int
    n_near: int


def leave_authors_out(judged: ScoredTrials, learn: Learn, *, training: ScoredTrials | None = None) -> LeftOut:
    """The LLR of each trial by what `learn` makes of the training trials that share no author with it.

    Without a training set of their own, the trials train each other.
    """
    training = judged if training is None else training
    places: dict[str, list[int]] = {}
    for number, involved in enumerate(zip(training.k_authors, training.q_authors, strict=True)):
        for author in set(involved):
            places.setdefault(author, []).append(number)
    # Trials with the same authors are judged together: by nobody's absence, where none of them is in the training set.
    together: dict[tuple[str, ...], list[int]] = {}
    for number, involved in enumerate(zip(judged.k_authors, judged.q_authors, strict=True)):
        together.setdefault(tuple(sorted({*involved} & places.keys())), []).append(number)
    nats = np.empty(len(judged))
    kinds = []
    for authors, of_authors in together.items():
        kept = np.ones(len(training), bool)
        for author in authors:
            kept[places[author]] = False
        learnt = _learnt_without(authors, training.take(kept), learn)
        nats[of_authors] = learnt.nats(judged.take(np.array(of_authors)))
        kinds.append(learnt.separation.kind)
    return LeftOut(nats, len(kinds), kinds.count("perfect"), kinds.count("near"))


def _learnt_without(authors: tuple[str, ...], training: ScoredTrials, learn: Learn) -> Learnt:
    n_same = int(np.count_nonzero(training.same_author))
    n_different = len(training) - n_same
    without = f"Without {' and '.join(authors)} there" if authors else "There"
    if not (n_same and n_different):
        raise CalibrationError(
            f"{without} remain {n_same} same-author and {n_different} different-author trials to learn from. "
            "Calibration needs both kinds, so add trials by other authors."
        )
    try:
        return learn(training)
    except CalibrationError as error:
        if not authors:
            raise
        raise CalibrationError(f"Calibrating without {' and '.join(authors)}: {error}") from error
