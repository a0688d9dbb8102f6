"""From trials to LLRs in nats: by the table of methods, by the matrix, by fusion, and by functions of one's own.

**Scores besides λG** are those that need all Qs and Ks of a fold at once, and the comparators'. A comparator sees Q, K
and, as its reference, the Ks of the other authors, each as one text: of a fold its reference authors, elsewhere whoever
else takes part. In folds it scores the judged trials alone.

**The reference-normalised LRs** judge each trial by the authors outside its fold, and by nobody else.

**Fusion** joins several scores by the regression that the reference-normalised LR uses, and pulls towards it:

    ln LR = α + Σ_k β_k·x_k

x are the normalised scores of the reference-normalised LR, which pull α and their β towards its constants, and the
scores of comparators and other systems, measured by the mean and sd of the training trials, which pull towards 0.
"""

import importlib.util
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import FloatArray, mean, quantile, sd
from idiograph.errors import CalibrationError, InputError, StudyError
from idiograph.evidence.calibration import Learn, leave_authors_out
from idiograph.evidence.character_ngrams import as_text
from idiograph.evidence.comparators import COMPARATORS
from idiograph.evidence.constants import ENGLISH_CORPORA, Constants, Weights, fit_pulled, tau_for
from idiograph.evidence.cosine import part_n_grams, typed_n_grams
from idiograph.evidence.matrix import KEPT, Matrix, matrix_of
from idiograph.evidence.methods import METHODS, calibrated_score
from idiograph.evidence.normalised import SCORES, Normalisation, normalise_draws
from idiograph.evidence.trials import NameArray, ScoredTrials
from idiograph.grammar.lambdag import Score
from idiograph.grammar.settings import Seed
from idiograph.grammar.vocabulary import Numbers
from idiograph.provenance import digest_json
from idiograph.studies.outside import read_outside
from idiograph.studies.problems import Fold, Plan, Planned
from idiograph.studies.settings import Study
from idiograph.studies.trial_table import Trial, TrialTable


def more_scores(study: Study, plan: Plan, planned: Sequence[Planned], scores: Sequence[Score]) -> dict[str, FloatArray]:
    """Scores of these problems by name, NaN where one is not computed; `scores` are those by λG."""
    found: dict[str, FloatArray] = {}
    for number in sorted({problem.fold for problem in planned} - {-1}):
        rows = [row for row, problem in enumerate(planned) if problem.fold == number]
        of_fold = {planned[row]: scores[row] for row in rows}
        for name, values in _of_fold(study, plan, plan.folds[number], of_fold).items():
            found.setdefault(name, np.full(len(planned), np.nan))[rows] = values
    if study.comparators:
        found |= by_comparators(study, plan, planned)
    return found


def _of_fold(study: Study, plan: Plan, fold: Fold, scores: Mapping[Planned, Score]) -> dict[str, FloatArray]:
    """The scores of a fold's problems, besides λG, by the matrix of all its Qs and Ks."""
    authors = fold.everyone
    number = {author: place for place, author in enumerate(authors)}
    cells = [(number[problem.q], number[problem.k]) for problem in scores]
    material, take = plan.material, plan.material.index.take
    sides = [*(plan.sides[author].q for author in authors), *(plan.sides[author].k for author in authors)]
    parts = [take(side) for side in sides]
    sentences = [part.sentences for part in parts]
    matrix = matrix_of(
        part_n_grams(parts),
        {cell: [score] for cell, score in zip(cells, scores.values(), strict=True)},
        q_authors=range(len(authors)),
        reference=[number[author] for author in fold.reference],
        typed=typed_n_grams([material.written(side) for side in sides]) if study.typing else None,
        guard=(sentences[: len(authors)], sentences[len(authors) :]),
    )
    names = ("kept_distinct", "cosine", "kept_cosine", *(("typing",) if study.typing else ()))  # as tables have them
    return matrix.only(*names).rows(cells)


def by_comparators(study: Study, plan: Plan, planned: Sequence[Planned]) -> dict[str, FloatArray]:
    """The scores of all comparators in use."""

    def text(sentences: Numbers) -> str:
        if study.original:
            return "\n".join(plan.material.written(sentences))
        return as_text(plan.material.index.take(sentences).sentences)

    ks = {author: text(side.k) for author, side in plan.sides.items()}
    qs = {author: text(side.q) for author, side in plan.sides.items()}
    found = {key: np.full(len(planned), np.nan) for key in study.comparators}
    for place, one in enumerate(planned):
        if plan.folds and one.half != "case":
            continue
        out = set(plan.not_in_reference(one))
        if plan.folds:
            others = [author for author in plan.folds[one.fold].reference if author not in out]
        else:
            writers = {one.k_author, one.q_author}
            others = [author for author in sorted(ks) if plan.material.writer(author) not in writers]
        for key, scores in found.items():
            scores[place] = compared(
                key, qs[one.q], ks[one.k], [ks[author] for author in others], plan.seed(one), one.id
            )
    return found


def compared(key: str, q: str, k: str, others: Sequence[str], seed: Seed, problem: str) -> float:
    """A comparator's score of a problem, which an error names."""
    try:
        return COMPARATORS[key].score(q, [k], others, seed)
    except InputError as error:
        raise StudyError(f"{key} cannot score {problem}: {error}") from error


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
    columns = {name: trials.score(name) for name in scores}
    own_scores = trials.column("lambda_g")
    nats = np.full(len(trials), np.nan)
    normed = {name: np.full(len(trials), np.nan) for name in scores}
    cohorts: list[str | None] = [None] * len(trials)
    fit_of: dict[int, Normalisation] = {}
    for (corpus, condition, run), fold, places in folds_of(trials):
        authors = _in_order(places, q_authors, k_authors, own_scores)
        number = {author: place for place, author in enumerate(authors)}
        rows = np.array([number[author] for author in q_authors[places]])
        of_k = np.array([number[author] for author in k_authors[places]])
        reference = sorted(set(rows[halves[places] == "calibration"].tolist()))
        judged = np.flatnonzero(np.isin(halves[places], JUDGED))
        # An attacked Q has a row of its own, below those of the authors.
        attacked = np.flatnonzero(halves[places] == "attacked")
        rows[attacked] = len(authors) + np.arange(len(attacked))
        cells = list(zip(rows.tolist(), of_k.tolist(), strict=True))
        kept = {name: column[places] for name, column in columns.items()}
        if len(attacked):
            with_cohort = {name: trials.lists(COHORT_PREFIX + name, places[attacked]).reshape(-1) for name in kept}
            kept = {name: np.concatenate([values, with_cohort[name]]) for name, values in kept.items()}
        matrix = Matrix.of_rows(
            [*cells, *product(rows[attacked].tolist(), reference)],
            kept,
            n_authors=len(authors),
            reference=reference,
        )
        k_tokens = quantile(trials.column("k_tokens")[places[halves[places] != "attacked"]].tolist(), 0.5)
        chosen = None if constants is None else constants(corpus, len(reference), k_tokens)
        try:
            fit, (found,) = normalise_draws(
                [matrix],
                trials=[cells[at] for at in judged],
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


def fused_trials(
    trials: TrialTable, scores: Mapping[str, FloatArray], normalised: NormalisedTrials | None
) -> FloatArray:
    """The LLRs of judged trials, NaN elsewhere; each learnt from trials of other authors."""
    nats = np.full(len(trials), np.nan)
    same = trials.same
    for (corpus, condition, run), _, places, training, judged in divisions(trials, by_judged=True):
        name = f"{corpus}, {condition}, run {run}"
        pull = Weights(0.0, ())
        columns: list[FloatArray] = []
        if normalised is not None:
            pull = normalised.fit_of[int(places[0])].constants.weights
            columns += normalised.normed.values()
        for values in scores.values():
            columns.append(_standardised(values, training, name))
        pull = Weights(pull.alpha, (*pull.betas, *[0.0] * len(scores)))
        features = np.stack(columns, axis=1)
        try:
            weights = fit_pulled(
                same=features[training[same[training]]],
                different=features[training[~same[training]]],
                towards=pull,
                tau=tau_for(len(set(trials.column("k_author")[training]))),
            )
        except CalibrationError as error:
            raise CalibrationError(f"{name}: fusion could not be fitted. {error}") from error
        nats[judged] = weights.nats(features[judged])
    return nats


def _standardised(values: FloatArray, training: Places, name: str) -> FloatArray:
    learnt = values[training]
    if len(learnt) < 2 or not np.isfinite(learnt).all():
        raise CalibrationError(f"{name}: fusion needs the scores of at least two trials by other authors.")
    middle, spread = mean(learnt), sd(learnt)
    if spread == 0.0:
        raise CalibrationError(f"{name}: a score to be joined is the same for all trials. Leave its method out.")
    standardised: FloatArray = (values - middle) / spread
    return standardised


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
            guarded = normalised_trials(trials, scores=KEPT, constants=constants, origin=study.constants)
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
