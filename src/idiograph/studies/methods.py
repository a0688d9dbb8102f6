"""From trials to LLRs in nats: by the table of methods, and by plain functions of one's own."""

import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from idiograph.errors import CalibrationError, StudyError
from idiograph.evidence.left_out import Learn, leave_authors_out
from idiograph.evidence.methods import METHODS
from idiograph.evidence.trials import FloatArray
from idiograph.studies.normalising import NormalisedTrials, folds_of, normalised_trials
from idiograph.studies.settings import Study
from idiograph.studies.trials import Trial, TrialTable

OwnMethod = Callable[[Trial], float]


@dataclass(frozen=True)
class Fits:
    """How the fits of a method that learns went, on one corpus, condition and run."""

    method: str
    corpus: str
    condition: str
    run: int
    n_fits: int
    n_perfect: int
    n_near: int


def add_llrs(study: Study, trials: TrialTable) -> tuple[TrialTable, tuple[Fits, ...]]:
    """The trials with their LLRs in nats by each method, and how the fits went.

    A trial that a method was trained on has none by it: the other methods alone speak of the calibration half.
    """
    llrs: dict[str, FloatArray] = {}
    fits: list[Fits] = []
    normalised: NormalisedTrials | None = None
    for key in study.methods:
        method = METHODS[key]
        if method.values is not None:
            llrs[key] = method.nats(trials.scored, unit=study.unit)
        elif method.learn is not None:
            llrs[key], went = _learnt(study, trials, key, method.learn)
            fits += went
        else:
            normalised = normalised_trials(trials)
            llrs[key] = normalised.nats
    for entry in study.own:
        file, _, name = entry.partition(":")
        llrs[name] = _own(load_own(study.folder, file, name), name, trials)
    if normalised is None:
        return trials.with_llrs(llrs), tuple(fits)
    return trials.with_llrs(llrs, normed=normalised.normed, cohorts=normalised.cohorts), tuple(fits)


def _learnt(study: Study, trials: TrialTable, key: str, learn: Learn) -> tuple[FloatArray, list[Fits]]:
    """By the calibration half, by all other authors' trials, or, where there are folds, by each fold's reference."""
    scored, halves = trials.scored, trials.column("half")
    llrs = np.full(len(trials), np.nan)
    went: dict[tuple[str, str, int], Fits] = {}
    for (corpus, condition, run), fold, places in folds_of(trials):
        case = places[halves[places] == "case"]
        by_others = study.leave_authors_out and fold < 0
        training = None if by_others else scored.take(places[halves[places] == "calibration"])
        try:
            found = leave_authors_out(scored.take(case), learn, training=training)
        except CalibrationError as error:
            raise CalibrationError(f"{corpus}, {condition}, run {run}: {error}") from error
        llrs[case] = found.nats
        before = went.get((corpus, condition, run), Fits(key, corpus, condition, run, 0, 0, 0))
        went[corpus, condition, run] = replace(
            before,
            n_fits=before.n_fits + found.n_fits,
            n_perfect=before.n_perfect + found.n_perfect,
            n_near=before.n_near + found.n_near,
        )
    return llrs, list(went.values())


def load_own(folder: Path, file: str, name: str) -> OwnMethod:
    """A function of one's own: a Trial in, an LLR in nats out."""
    path = folder / file
    if not path.is_file():
        raise StudyError(f"The method {file}:{name} was not found: there is no file {path}. Put it there.")
    spec = importlib.util.spec_from_file_location(f"idiograph_own_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise StudyError(
            f"{path} could not be run: {type(error).__name__}: {error}. Try it with python alone."
        ) from error
    function = getattr(module, name, None)
    if not callable(function):
        raise StudyError(f"{path} has no function {name}. A method is a function of a trial that returns nats.")
    return function  # type: ignore[no-any-return]


def _own(function: OwnMethod, name: str, trials: TrialTable) -> FloatArray:
    llrs = np.empty(len(trials))
    for place, trial in enumerate(trials.rows()):
        try:
            value = float(function(trial))
        except Exception as error:
            raise StudyError(
                f"The method {name} failed on {trial.problem}: {type(error).__name__}: {error}."
            ) from error
        if not math.isfinite(value):
            raise StudyError(f"The method {name} gave {value} for {trial.problem}. An LLR in nats is a finite number.")
        llrs[place] = value
    return llrs
