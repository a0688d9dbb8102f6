"""Choosing the primary method by the validation: only among those the case file names, and before Q is scored.

A method that is chosen because it did well looks better than it is. So the choice is made again for each fold of
authors from the trials of the others, and what that gives on the fold is what the choosing itself is worth.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from idiograph.casework.case import BEST_VALIDATED, Case
from idiograph.casework.verification import MethodChoice, Validation, ValidationTrials
from idiograph.errors import some
from idiograph.evidence.intervals import estimates
from idiograph.evidence.methods import short_name
from idiograph.evidence.metrics import cllr

Folds = npt.NDArray[np.int64]


def choose(
    trials: ValidationTrials, folds: Folds, candidates: Sequence[str], *, resamples: int, seed: int
) -> MethodChoice | None:
    """The candidate with the lowest Cllr, each trial being judged by other authors; None where none has LLRs.

    `folds` has the fold of each trial. Of candidates with the same Cllr the one named first is taken.
    """
    able = [method for method in candidates if method in trials.nats]
    if not able:
        return None
    everywhere = np.ones(len(trials), bool)
    cllrs = {method: _cllr(trials, method, everywhere) for method in able}
    chosen = min(able, key=lambda method: cllrs[method])
    nats = np.empty(len(trials))
    again = []
    for fold in np.unique(folds).tolist():
        others, own = folds != fold, folds == fold
        both = trials.same_author[others].any() and not trials.same_author[others].all()
        best = min(able, key=lambda method: _cllr(trials, method, others)) if both else chosen
        nats[own] = trials.nats[best][own]
        again.append(best)
    found = estimates(trials.trials(nats), metrics=("cllr",), resamples=resamples, seed=seed)["cllr"]
    return MethodChoice(
        method=chosen,
        cllrs=cllrs,
        cllr=found,
        n_folds=len(again),
        n_agreeing=again.count(chosen),
        sentence=_said(chosen, cllrs, found.value, len(again), again.count(chosen)),
    )


def settled_primary(case: Case, choice: MethodChoice | None) -> str:
    """The primary method: the one that the case names or that its validation chose; else the first candidate."""
    if case.primary != BEST_VALIDATED:
        return case.primary
    return choice.method if choice else case.candidates[0]


def settled(case: Case, validation: Validation | None) -> Case:
    """The case with the method that its validation chose as the primary one."""
    choice = validation.choice if validation else None
    return replace(case, primary=settled_primary(case, choice), candidates=())


def _cllr(trials: ValidationTrials, method: str, where: npt.NDArray[np.bool_]) -> float:
    nats, same = trials.nats[method][where], trials.same_author[where]
    return cllr(same=nats[same], different=nats[~same])


def _said(chosen: str, cllrs: Mapping[str, float], own: float | None, n_folds: int, n_agreeing: int) -> str:
    others = [f"{short_name(method)} {value:.2f}" for method, value in cllrs.items() if method != chosen]
    against = f" (others named: {some(others)})" if others else ""
    worth = "" if own is None else f" has a Cllr of {own:.2f} and"
    return (
        "The method was chosen by the validation, before the questioned text was scored, among those that the case "
        f"file names: {short_name(chosen)}, Cllr {cllrs[chosen]:.2f}{against}. The choice itself, made anew in each of "
        f"{n_folds} folds from the other authors,{worth} came out the same in {n_agreeing}."
    )
