"""From trials to LLRs in nats: by the table of methods, and by plain functions of one's own."""

import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from idiograph.errors import CalibrationError, StudyError
from idiograph.evidence.left_out import Learn, leave_authors_out
from idiograph.evidence.methods import METHODS, calibrated_score
from idiograph.evidence.scores import ScoredTrials
from idiograph.evidence.trials import FloatArray
from idiograph.studies.fusing import fused_trials
from idiograph.studies.normalising import Choose, NormalisedTrials, divisions, normalised_trials
from idiograph.studies.outside import read_outside
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


def add_llrs(
    study: Study, trials: TrialTable, *, constants: Choose | None = None
) -> tuple[TrialTable, tuple[Fits, ...]]:
    """The trials with their LLRs in nats by each method, and how the fits went.

    A trial that a method was trained on has none by it: the other methods alone speak of the calibration half.
    `constants` may choose others than the shipped ones, such as those learnt without the corpus that is judged.
    """
    llrs: dict[str, FloatArray] = {}
    fits: list[Fits] = []
    normalised: NormalisedTrials | None = None
    normed: dict[str, FloatArray] = {}
    outside = _outside(study, trials)
    scored = replace(trials.scored, scores={**trials.scored.scores, **outside})
    for key in (*study.methods, *outside):
        method = METHODS[key] if key in METHODS else calibrated_score(key, key, "another system")
        if method.values is not None:
            llrs[key] = method.nats(scored, unit=study.unit)
        elif method.learn is not None:
            others = key in study.comparators or key in outside
            llrs[key], went = _learnt(study, trials, scored, key, method.learn, by_judged=others)
            fits += went
        elif key == "normalised":
            normalised = normalised_trials(
                trials,
                scores=("distinct", "cosine", *(("typing",) if study.typing else ())),
                constants=constants,
                origin=study.constants,
            )
            llrs[key] = normalised.nats
        elif key == "guarded":
            kept = ("kept_distinct", "kept_cosine")
            guarded = normalised_trials(trials, scores=kept, constants=constants, origin=study.constants)
            llrs[key], normed = guarded.nats, guarded.normed
    if "fusion" in study.methods:
        joined = {name: scored.scores[name] for name in study.fused if name != "normalised"}
        by_matrix = normalised if "normalised" in study.fused else None
        llrs["fusion"] = fused_trials(trials, joined, by_matrix)
    for entry in study.own:
        name = entry.partition(":")[2]
        llrs[name] = _own(load_own(study.folder, entry), name, trials)
    if normalised is None:
        return trials.with_llrs(llrs, normed=normed), tuple(fits)
    return trials.with_llrs(llrs, normed=normalised.normed | normed, cohorts=normalised.cohorts), tuple(fits)


def _outside(study: Study, trials: TrialTable) -> dict[str, FloatArray]:
    """The scores of other systems, one per trial; NaN for those that only normalise others."""
    if study.outside is None:
        return {}
    path = study.folder / study.outside
    found = {}
    needed = (trials.column("fold") < 0) | trials.case
    for name, scores in read_outside(path).items():
        values = np.full(len(trials), np.nan)
        for place, problem in enumerate(trials.column("problem")):
            if not needed[place]:
                continue
            if problem not in scores:
                raise StudyError(
                    f"{path} has no score of {name} for {problem}. Every problem of the study needs one: run the study "
                    "without the file first and score the problems that trials.parquet lists."
                )
            values[place] = scores[problem]
        found[name] = values
    return found


def _learnt(
    study: Study, trials: TrialTable, scored: ScoredTrials, key: str, learn: Learn, *, by_judged: bool
) -> tuple[FloatArray, list[Fits]]:
    """By the calibration half, by all other authors' trials, or, where there are folds, by each fold's reference.

    `by_judged` goes by the judged trials of the other folds: scores that the reference's own problems do not have.
    """
    llrs = np.full(len(trials), np.nan)
    went: dict[tuple[str, str, int], Fits] = {}
    for (corpus, condition, run), fold, _, learnt_from, case in divisions(trials, by_judged=by_judged):
        by_others = study.leave_authors_out and fold < 0
        training = None if by_others else scored.take(learnt_from)
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


def load_own(folder: Path, entry: str) -> OwnMethod:
    """A function of one's own, as file.py:function: a Trial in, an LLR in nats out."""
    file, _, name = entry.partition(":")
    path = folder / file
    if not path.is_file():
        raise StudyError(f"The method {entry} was not found: there is no file {path}. Put it there.")
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
