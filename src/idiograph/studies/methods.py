"""From trials to LLRs in nats: corrections, logistic regression on other authors, and plain functions of one's own."""

import importlib.util
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from idiograph.errors import CalibrationError, StudyError
from idiograph.evidence.calibration import Calibrator, separation
from idiograph.studies.settings import Study
from idiograph.studies.trials import Trial, Trials

FloatArray = npt.NDArray[np.float64]
OwnMethod = Callable[[Trial], float]

# A separated fit has no maximum. The guarded method then counts one trial of each class as answered the other way.
_SHRINKAGE = 1.0


@dataclass(frozen=True)
class Fits:
    """How the logistic fits of one corpus, condition and run went."""

    method: str
    corpus: str
    condition: str
    run: int
    n_fits: int
    n_perfect: int
    n_near: int


def add_llrs(study: Study, trials: Trials) -> tuple[Trials, tuple[Fits, ...]]:
    """The trials with an LLR a method in nats, and how the fits went.

    A trial that a logistic regression was trained on has none by it: the corrections alone speak of the calibration
    half.
    """
    llrs: dict[str, FloatArray] = {}
    fits: list[Fits] = []
    for method in study.methods:
        if method.startswith("logistic"):
            llrs[method], went = _logistic(study, trials, method)
            fits += went
        else:
            llrs[method] = trials.stored.nats(method, unit=study.unit)
    for entry in study.own:
        file, _, name = entry.partition(":")
        llrs[name] = _own(load_own(study.folder, file, name), name, trials)
    return trials.with_llrs(llrs), tuple(fits)


def groups(trials: Trials) -> Iterator[tuple[tuple[str, str, int], npt.NDArray[np.int64]]]:
    """The places of the trials of each corpus, condition and run, in the order in which these first appear."""
    places: dict[tuple[str, str, int], list[int]] = {}
    columns = (trials.column(name) for name in ("corpus", "condition", "run"))
    for place, (corpus, condition, run) in enumerate(zip(*columns, strict=True)):
        places.setdefault((corpus, condition, int(run)), []).append(place)
    for key, found in places.items():
        yield key, np.array(found, np.int64)


def _logistic(study: Study, trials: Trials, method: str) -> tuple[FloatArray, list[Fits]]:
    scores, same = trials.column("lambda_g"), trials.same
    calibration = trials.column("half") == "calibration"
    k_authors, q_authors = trials.column("k_author"), trials.column("q_author")
    llrs = np.full(len(trials), np.nan)
    went = []
    for (corpus, condition, run), places in groups(trials):
        case = places[~calibration[places]]
        training = case if study.leave_authors_out else places[calibration[places]]
        trained_on: dict[str, list[int]] = {}
        for number, place in enumerate(training):
            for author in {k_authors[place], q_authors[place]}:
                trained_on.setdefault(author, []).append(number)
        fitted: dict[tuple[str, ...], Calibrator] = {}
        for place in case:
            # Whoever is at hand is never in the training data: nobody is, where the halves share no author.
            involved = tuple(sorted({k_authors[place], q_authors[place]} & trained_on.keys()))
            if involved not in fitted:
                kept = np.ones(len(training), bool)
                for author in involved:
                    kept[trained_on[author]] = False
                chosen = training[kept]
                where = f"{corpus}, {condition}, run {run}"
                fitted[involved] = _fit(scores[chosen[same[chosen]]], scores[chosen[~same[chosen]]], method, where)
            llrs[place] = fitted[involved].nats(scores[[place]])[0]
        kinds = [fit.separation.kind for fit in fitted.values()]
        went.append(Fits(method, corpus, condition, run, len(kinds), kinds.count("perfect"), kinds.count("near")))
    return llrs, went


def _fit(same: FloatArray, different: FloatArray, method: str, where: str) -> Calibrator:
    try:
        if method == "logistic_glm":
            return Calibrator.fit(same=same, different=different, mode="glm")
        separated = separation(same=same, different=different).kind != "none"
        return Calibrator.fit(same=same, different=different, shrinkage=_SHRINKAGE if separated else 0.0)
    except CalibrationError as error:
        raise CalibrationError(f"{where}: {error}") from error


def load_own(folder: Path, file: str, name: str) -> OwnMethod:
    """A function of one's own: a Trial in, an LLR in nats out."""
    path = folder / file
    if not path.is_file():
        raise StudyError(f"The method {file}:{name} is in no file {path}. Put it into the study's folder.")
    spec = importlib.util.spec_from_file_location(f"idiograph_own_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise StudyError(
            f"{path} could not be run: {type(error).__name__}: {error}. Try it with python alone."
        ) from error
    function = getattr(module, name, None)
    if not callable(function):
        raise StudyError(f"{path} has no function {name}. A method is a function of a trial that returns nats.")
    return function  # type: ignore[no-any-return]


def _own(function: OwnMethod, name: str, trials: Trials) -> FloatArray:
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
