"""The reference-normalised LRs of a study: each trial by the authors outside its fold, and by nobody else."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import quantile
from idiograph.errors import CalibrationError, StudyError
from idiograph.evidence.constants import ENGLISH_CORPORA, Constants
from idiograph.evidence.normalised import SCORES, Normalisation, normalise_draws
from idiograph.evidence.scores import NameArray
from idiograph.evidence.trials import FloatArray
from idiograph.provenance import digest_json
from idiograph.studies.trials import TrialTable

Places = npt.NDArray[np.int64]
JUDGED = ("case", "attacked")  # the halves that are judged, and never learnt from
COHORT_PREFIX = "with_cohort_"  # a score of an attacked Q with the K of each reference author of its fold
Choose = Callable[[str, int, float], Constants]  # by corpus, number of reference authors and tokens of K


@dataclass(frozen=True, eq=False)
class NormalisedTrials:
    """LLRs of the judged trials (NaN elsewhere), the normalised scores they come from, and each trial's cohort."""

    nats: FloatArray
    normed: dict[str, FloatArray]
    cohorts: list[str | None]  # digest of the names of the reference authors
    fit_of: dict[int, Normalisation]  # by the place of a fold's first trial


def folds_of(trials: TrialTable) -> Iterator[tuple[tuple[str, str, int], int, Places]]:
    """The places of the trials of each fold of each corpus, condition and run; −1 where there are no folds."""
    folds = trials.column("fold")
    for cell, places in trials.groups():
        for fold in np.unique(folds[places]).tolist():
            yield cell, fold, places[folds[places] == fold]


def divisions(
    trials: TrialTable, *, by_judged: bool
) -> Iterator[tuple[tuple[str, str, int], int, Places, Places, Places]]:
    """Each fold with its places, those to learn from and those judged: by its reference, or by the calibration half.

    `by_judged` learns from the judged trials of the other folds: of scores that the reference's own problems lack.
    """
    halves = trials.column("half")
    cells = dict(trials.groups())
    for cell, fold, places in folds_of(trials):
        judged = places[np.isin(halves[places], JUDGED)]
        learnt_from = places[halves[places] == "calibration"]
        if by_judged and fold >= 0:
            learnt_from = np.setdiff1d(cells[cell][halves[cells[cell]] == "case"], judged)
        yield cell, fold, places, learnt_from, judged


def normalised_trials(
    trials: TrialTable,
    *,
    scores: Sequence[str] = SCORES[:2],
    constants: Choose | None = None,
    origin: str = ENGLISH_CORPORA,
) -> NormalisedTrials:
    """The LLRs of all judged trials; `constants` may choose others than the shipped ones by corpus, `origin` none."""
    halves, q_authors, k_authors = (trials.column(name) for name in ("half", "q_author", "k_author"))
    missing = [name for name in scores if name != "distinct" and name not in trials.scores]
    if missing or (trials.column("fold") < 0).any():
        raise StudyError(
            'The reference-normalised LR needs the score of every Q with every K. Set pairs = "all" in [design]'
            + (f", and let the study compute {missing[0]}." if missing and missing[0] != "cosine" else ".")
        )
    columns = [trials.score(name) for name in scores]
    own_scores = trials.column("lambda_g")
    nats = np.full(len(trials), np.nan)
    normed = {name: np.full(len(trials), np.nan) for name in scores}
    cohorts: list[str | None] = [None] * len(trials)
    fit_of: dict[int, Normalisation] = {}
    for (corpus, condition, run), fold, places in folds_of(trials):
        authors = _in_order(places, q_authors, k_authors, own_scores)
        number = {author: place for place, author in enumerate(authors)}
        rows = np.array([number[author] for author in q_authors[places]])
        places_of_k = np.array([number[author] for author in k_authors[places]])
        reference = sorted(set(rows[halves[places] == "calibration"].tolist()))
        judged = np.flatnonzero(np.isin(halves[places], JUDGED))
        # An attacked Q has a row of its own, below those of the authors.
        attacked = np.flatnonzero(halves[places] == "attacked")
        rows[attacked] = len(authors) + np.arange(len(attacked))
        matrices = []
        for name, column in zip(scores, columns, strict=True):
            matrix = np.full((len(authors) + len(attacked), len(authors)), np.nan)
            matrix[rows, places_of_k] = column[places]
            if len(attacked):
                matrix[np.ix_(rows[attacked], reference)] = trials.lists(COHORT_PREFIX + name, places[attacked])
            matrices.append(matrix)
        k_tokens = quantile(trials.column("k_tokens")[places[halves[places] != "attacked"]].tolist(), 0.5)
        chosen = None if constants is None else constants(corpus, len(reference), k_tokens)
        try:
            fit, (found,) = normalise_draws(
                [matrices],
                reference=reference,
                trials=[(int(rows[at]), int(places_of_k[at])) for at in judged],
                k_tokens=k_tokens,
                constants=chosen,
                origin=origin,
            )
        except CalibrationError as error:
            raise CalibrationError(f"{corpus}, {condition}, run {run}, fold {fold + 1}: {error}") from error
        fit_of[int(places[0])] = fit
        cohort = digest_json(sorted(authors[place] for place in reference))
        for at, one in zip(judged, found, strict=True):
            place = int(places[at])
            nats[place], cohorts[place] = one.llr.nats, cohort
            for name, value in zip(scores, one.normed, strict=True):
                normed[name][place] = value
    return NormalisedTrials(nats, normed, cohorts, fit_of)


def _in_order(places: Places, q_authors: NameArray, k_authors: NameArray, lambda_g: FloatArray) -> list[str]:
    """The authors of a fold in the order of λG of each one's own Q and K: who follows whom does not depend on names."""
    own = {q_authors[at]: float(lambda_g[at]) for at in places.tolist() if q_authors[at] == k_authors[at]}
    everyone = {*k_authors[places].tolist(), *q_authors[places].tolist()}
    return sorted(everyone, key=lambda author: (own.get(author, 0.0), author))
