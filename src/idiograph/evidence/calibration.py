"""Calibration: from scores with known answers to ln LR = α + β·score, by balanced logistic regression.

Maximum likelihood with equal class weights and no penalty. Where the classes hardly overlap the likelihood has no
maximum worth the name; that is detected, counted and said, and nothing is fitted unless a shrinkage is asked for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from idiograph.errors import CalibrationError
from idiograph.evidence.corrections import ScoreLike
from idiograph.evidence.llr import LLR
from idiograph.evidence.logistic import balanced_maxima, r_glm, robust_covariance
from idiograph.evidence.two_classes import FloatArray, TwoClasses, Values, two_classes

Mode = Literal["exact", "glm"]
Z_95 = 1.959963984540054


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


def separation(*, same: Values, different: Values) -> Separation:
    """How many trials stand between these classes and perfect separation, in whichever direction is nearer."""
    classes = two_classes(same, different, purpose="Calibration")
    thresholds = np.unique(np.concatenate([classes.same, classes.different]))
    s, d = np.sort(classes.same), np.sort(classes.different)
    s_below, d_below = np.searchsorted(s, thresholds, "left"), np.searchsorted(d, thresholds, "left")
    s_above = s.size - np.searchsorted(s, thresholds, "right")
    d_above = d.size - np.searchsorted(d, thresholds, "right")
    return Separation(int(min((s_below + d_above).min(), (d_below + s_above).min())))


@dataclass(frozen=True)
class Calibrator:
    """ln LR = intercept + slope · score, with what it was learnt from.

    `covariance` is that of (intercept, slope), robust to the class weights; trials that share authors are not
    independent, so intervals from it are too narrow then and resampled authors are the honest ones. None where it
    would mislead: after shrinkage, and where R's glm was imitated.
    """

    slope: float
    intercept: float
    n_same: int
    n_different: int
    separation: Separation
    mode: Mode = "exact"
    shrinkage: float = 0.0
    iterations: int = 0
    covariance: tuple[tuple[float, float], tuple[float, float]] | None = field(default=None, repr=False)

    @classmethod
    def fit(
        cls,
        *,
        same: Values,
        different: Values,
        same_weights: Values | None = None,
        different_weights: Values | None = None,
        mode: Mode = "exact",
        shrinkage: float = 0.0,
    ) -> "Calibrator":
        """Learn from scores of both kinds of trial.

        `mode` "exact" finds the maximum and refuses perfect or near separation; with a `shrinkage` a > 0 it fits
        them too, towards Platt's (1999) targets: same-author trials count as (n + a)/(n + 2a) of a certain answer,
        different-author ones as a/(n + 2a), as if a trials of each class had also come out the other way. `mode`
        "glm" stops where R's glm stops, whatever the separation: only for comparison with published figures.
        """
        classes = two_classes(same, different, same_weights, different_weights, purpose="Calibration")
        _refuse_unusable(classes, mode, shrinkage)
        counting = classes.counting()
        found = separation(same=counting.same, different=counting.different)
        if mode == "exact" and shrinkage == 0 and found.kind != "none":
            raise CalibrationError(_refusal(found, classes))
        scores = np.concatenate([classes.same, classes.different])
        weights = np.concatenate([classes.same_shares, classes.different_shares])
        covariance = None
        if mode == "glm":
            answers = np.concatenate([np.ones(classes.same.size), np.zeros(classes.different.size)])
            intercept, slope, iterations = r_glm(scores, answers, weights)
        else:
            n_same, n_different = classes.same_weights.sum(), classes.different_weights.sum()
            platt = (n_same + shrinkage) / (n_same + 2 * shrinkage), shrinkage / (n_different + 2 * shrinkage)
            targets = np.repeat(platt, (classes.same.size, classes.different.size))
            maxima = balanced_maxima(scores, targets=targets, weights=weights[None, :])
            intercept, slope, iterations = float(maxima.intercepts[0]), float(maxima.slopes[0]), int(maxima.steps[0])
            if not np.isfinite(slope):
                raise CalibrationError(
                    f"The logistic regression did not reach its maximum in {iterations} steps. The classes are all "
                    "but separated; ask for a fit with a stated shrinkage, or a larger one."
                )
            if not shrinkage:
                covariance = robust_covariance(
                    scores, targets=targets, weights=weights, intercept=intercept, slope=slope
                )
        return cls(
            slope=slope,
            intercept=intercept,
            n_same=classes.same.size,
            n_different=classes.different.size,
            separation=found,
            mode=mode,
            shrinkage=float(shrinkage),
            iterations=iterations,
            covariance=covariance,
        )

    def __call__(self, score: ScoreLike) -> LLR:
        """The LLR of a score."""
        return LLR.of(self.intercept + self.slope * score.lambda_g, "nats", how="logistic")

    def nats(self, scores: Values) -> FloatArray:
        """LLRs in nats of many scores."""
        return self.intercept + self.slope * np.asarray(scores, np.float64)

    @property
    def intercept_interval(self) -> tuple[float, float] | None:
        """The 95 % interval of α, the shift that no scaling mends."""
        return self._interval(0, self.intercept)

    @property
    def slope_interval(self) -> tuple[float, float] | None:
        """The 95 % interval of β."""
        return self._interval(1, self.slope)

    def _interval(self, place: int, value: float) -> tuple[float, float] | None:
        if self.covariance is None:
            return None
        half = Z_95 * float(np.sqrt(self.covariance[place][place]))
        return value - half, value + half

    @property
    def words(self) -> str:
        """How it was made, in a sentence that a report can print."""
        trials = f"{self.n_same} same-author and {self.n_different} different-author trials"
        how = f"Logistic regression with equal class weights on {trials}"
        if self.mode == "glm":
            how += f", stopped where R's glm stops (iteration {self.iterations})"
        how += f", shrunk by {self.shrinkage:g} trials a class." if self.shrinkage else ", unregularised."
        if self.separation.kind == "none":
            return how
        return f"{how} {_SEPARATED[self.separation.kind]}"


_SEPARATED: Mapping[str, str] = {
    "perfect": "The scores of the two classes do not overlap (perfect separation), so the likelihood has no maximum.",
    "near": "The scores of the two classes overlap by a single trial (near separation), which alone holds the slope.",
}


def _refusal(found: Separation, classes: TwoClasses) -> str:
    return (
        f"{_SEPARATED[found.kind]} Found {classes.same.size} same-author and {classes.different.size} "
        f"different-author trials, {found.crossing} of them crossing. An LR from such a fit is as large as one likes; "
        "add trials by more authors, or ask for a fit with a stated shrinkage (shrinkage=1)."
    )


def _refuse_unusable(classes: TwoClasses, mode: str, shrinkage: float) -> None:
    if mode not in ("exact", "glm"):
        raise CalibrationError(f"There is no calibration mode {mode!r}. Choose exact or glm.")
    if not (shrinkage == 0 or 1e-6 <= shrinkage < np.inf):
        raise CalibrationError(
            f"The shrinkage is {shrinkage}. It is a number of trials a class: 0 for none, or a millionth and more."
        )
    if mode == "glm" and shrinkage:
        raise CalibrationError("R's glm knows no shrinkage. Leave out either mode glm or the shrinkage.")
    scores = np.concatenate([classes.same, classes.different])
    if scores.min() == scores.max():
        raise CalibrationError(
            f"All {scores.size} scores are {scores[0]:g}, so nothing can be learnt from them. Check how they were made."
        )


@dataclass(frozen=True)
class LeftOut:
    """LLRs in nats from calibrations that never saw the trial's authors, and how those calibrations went."""

    same: FloatArray
    different: FloatArray
    n_fits: int
    n_perfect: int
    n_near: int

    @property
    def words(self) -> str:
        """How many of the fits met separation."""
        return (
            f"{self.n_fits} calibrations, each without the trial's own; {self.n_perfect} of them perfectly "
            f"separated, {self.n_near} nearly."
        )


def leave_one_out(*, same: Values, different: Values, mode: Mode = "exact", shrinkage: float = 0.0) -> LeftOut:
    """The LLR of every trial from a calibration on all other trials."""
    names = [f"{i}" for i in range(len(same) + len(different))]
    return leave_authors_out(
        same=same,
        different=different,
        same_authors=names[: len(same)],
        different_authors=[(name, name) for name in names[len(same) :]],
        mode=mode,
        shrinkage=shrinkage,
    )


def leave_authors_out(
    *,
    same: Values,
    different: Values,
    same_authors: Sequence[str],
    different_authors: Sequence[tuple[str, str]],
    mode: Mode = "exact",
    shrinkage: float = 0.0,
) -> LeftOut:
    """The LLR of every trial from a calibration without any trial of either of its authors."""
    classes = two_classes(same, different, purpose="Calibration")
    if len(same_authors) != classes.same.size or len(different_authors) != classes.different.size:
        raise CalibrationError(
            f"There are {classes.same.size} same-author and {classes.different.size} different-author trials, and "
            f"authors for {len(same_authors)} and {len(different_authors)}. Give the authors of each trial."
        )
    authors = [frozenset([author]) for author in same_authors] + [frozenset(pair) for pair in different_authors]
    places: dict[str, list[int]] = {}
    for place, involved in enumerate(authors):
        for author in involved:
            places.setdefault(author, []).append(place)
    scores = np.concatenate([classes.same, classes.different])
    is_same = np.arange(scores.size) < classes.same.size
    fits: dict[frozenset[str], Calibrator] = {}
    llrs = np.empty(scores.size)
    for place, involved in enumerate(authors):
        if involved not in fits:
            kept = np.ones(scores.size, bool)
            for author in involved:
                kept[places[author]] = False
            fits[involved] = _fit_without(involved, scores[kept & is_same], scores[kept & ~is_same], mode, shrinkage)
        llrs[place] = fits[involved].nats(scores[place : place + 1])[0]
    kinds = [fit.separation.kind for fit in fits.values()]
    return LeftOut(llrs[is_same], llrs[~is_same], len(fits), kinds.count("perfect"), kinds.count("near"))


def _fit_without(
    authors: frozenset[str], same: FloatArray, different: FloatArray, mode: Mode, shrinkage: float
) -> Calibrator:
    without = " and ".join(sorted(authors))
    if not (same.size and different.size):
        raise CalibrationError(
            f"Without {without} there remain {same.size} same-author and {different.size} different-author trials. "
            "Calibration needs both kinds, so add trials by other authors."
        )
    try:
        return Calibrator.fit(same=same, different=different, mode=mode, shrinkage=shrinkage)
    except CalibrationError as error:
        raise CalibrationError(f"Calibrating without {without}: {error}") from error


def fitted_shift(*, same: Values, different: Values) -> Calibrator | None:
    """ln LR = α + β·LLR refitted on LLRs in nats: α is the shift, 0 where a scaling fits; None where separated."""
    if separation(same=same, different=different).kind != "none":
        return None
    return Calibrator.fit(same=same, different=different)
