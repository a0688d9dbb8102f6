"""Calibration: from scores with known answers to ln LR = α + β·score, by balanced logistic regression.

Maximum likelihood with equal class weights and no penalty. Where the classes hardly overlap the likelihood has no
maximum worth the name; that is detected, counted and said, and nothing is fitted unless a shrinkage is asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from idiograph.arguments import check, check_fields
from idiograph.errors import CalibrationError
from idiograph.evidence.llr import LLR
from idiograph.evidence.logistic import balanced_maxima, r_glm
from idiograph.evidence.scores import ScoreLike, Scores
from idiograph.evidence.trials import FloatArray, Trials, Values, as_values

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
        """perfect, near or none."""
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
    """ln LR = intercept + slope · score, with what it was learnt from."""

    slope: float
    intercept: float
    n_same: int
    n_different: int
    separation: Separation
    mode: Mode = "exact"
    shrinkage: float = 0.0
    iterations: int = 0

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def fit(cls, *, same: Values, different: Values, mode: Mode = "exact", shrinkage: float = 0.0) -> "Calibrator":
        """Learn from scores of both kinds of trial.

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
        """LLRs in nats of many scores."""
        return self.intercept + self.slope * as_values(scores, "scores")


def calibrate(trials: Trials, *, mode: Mode = "exact", shrinkage: float = 0.0) -> Calibrator:
    """The calibrator of trials, as `Calibrator.fit` learns it."""
    _refuse_unusable(trials, mode, shrinkage)
    found = separation(trials)
    if mode == "exact" and shrinkage == 0 and found.kind != "none":
        raise CalibrationError(_refusal(found, trials))
    n_same, n_different = trials.same.size, trials.different.size
    # Both classes weigh the same, whatever their sizes.
    weights = np.repeat([1 / n_same, 1 / n_different], (n_same, n_different))
    if mode == "glm":
        answers = np.repeat([1.0, 0.0], (n_same, n_different))
        intercept, slope, iterations = r_glm(trials.all, answers, weights)
    else:
        platt = (n_same + shrinkage) / (n_same + 2 * shrinkage), shrinkage / (n_different + 2 * shrinkage)
        targets = np.repeat(platt, (n_same, n_different))
        maxima = balanced_maxima(trials.all, targets=targets, weights=weights[None, :])
        intercept, slope, iterations = float(maxima.intercepts[0]), float(maxima.slopes[0]), int(maxima.steps[0])
        if not np.isfinite(slope):
            raise CalibrationError(
                f"The logistic regression did not reach its maximum in {iterations} steps. The classes are all but "
                "separated; ask for a fit with a stated shrinkage, or a larger one."
            )
    return Calibrator(
        slope=slope,
        intercept=intercept,
        n_same=n_same,
        n_different=n_different,
        separation=found,
        mode=mode,
        shrinkage=float(shrinkage),
        iterations=iterations,
    )


SEPARATED: Mapping[str, str] = {
    "perfect": "The scores of the two classes do not overlap (perfect separation), so the likelihood has no maximum.",
    "near": "The scores of the two classes overlap by a single trial (near separation), which alone holds the slope.",
}
"""What each kind of separation means."""


def _refusal(found: Separation, trials: Trials) -> str:
    return (
        f"{SEPARATED[found.kind]} Found {trials.same.size} same-author and {trials.different.size} "
        f"different-author trials, {found.crossing} of them crossing. An LR from such a fit is as large as one likes; "
        "add trials by more authors, or ask for a fit with a stated shrinkage (shrinkage=1)."
    )


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
