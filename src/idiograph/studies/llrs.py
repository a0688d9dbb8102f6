"""From trials to LLRs in nats: by the table of methods, by the matrix, by fusion, and by functions of one's own.

**Scores besides λG** are those that need all Qs and Ks of a fold at once, and the comparators'. A comparator sees Q, K
and, as its reference, the Ks of the other authors, each as one text: of a fold its reference authors, elsewhere whoever
else takes part. In folds it scores the judged trials alone.

**The reference-normalised LRs** judge each trial by the authors outside its fold, and by nobody else; where there are
halves, by the cohort of calibration authors.

**Fusion** joins several scores by the regression that the reference-normalised LR uses, and pulls towards it:

    ln LR = α + Σ_k β_k·x_k

x are the normalised scores of the reference-normalised LR, which pull α and their β towards its constants, and the
scores of comparators and other systems, measured by the mean and sd of the training trials, which pull towards 0.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import FloatArray, mean, quantile, sd
from idiograph.errors import CalibrationError, InputError, StudyError, some
from idiograph.evidence.calibration import Learn, leave_authors_out
from idiograph.evidence.comparators import COMPARATORS, as_text
from idiograph.evidence.constants import ENGLISH_CORPORA, Constants, Weights, fit_pulled, tau_for
from idiograph.evidence.cosine import part_n_grams, typed_n_grams
from idiograph.evidence.held import FLAGGING, LIMITING, held_nats
from idiograph.evidence.matrix import BY_LAMBDA_G, CLOSENESS, HOLDING, KEPT, Cell, Matrix, matrix_of
from idiograph.evidence.methods import METHODS, calibrated_score
from idiograph.evidence.normalised import SCORES, Normalisation, normalise_draws, normed_scores
from idiograph.evidence.trials import ScoredTrials
from idiograph.grammar.lambdag import Score
from idiograph.grammar.settings import Seed
from idiograph.grammar.vocabulary import Numbers
from idiograph.provenance import digest, digest_json
from idiograph.records import bytes_of_file
from idiograph.studies.outside import read_outside
from idiograph.studies.problems import Plan, Planned
from idiograph.studies.settings import Study
from idiograph.studies.trial_table import AMONG, COLUMN, ROW, Trial, TrialTable


def more_scores(study: Study, plan: Plan, planned: Sequence[Planned], scores: Sequence[Score]) -> dict[str, FloatArray]:
    """Scores of these problems by name, NaN where one is not computed; `scores` are those by λG."""
    by_matrix = matrix_scores(study, plan, planned, scores)
    return by_matrix | by_comparators(study, plan, planned) if study.comparators else by_matrix


def matrix_scores(
    study: Study, plan: Plan, planned: Sequence[Planned], scores: Sequence[Score]
) -> dict[str, FloatArray]:
    """The scores that need all Qs and Ks of a fold, or of a cohort and the case problems, at once."""
    by_name: dict[str, FloatArray] = {}
    names = ("kept_distinct", "cosine", "kept_cosine", *(("typing",) if study.typing else ()))  # as tables have them
    names += HOLDING if study.holds else ()
    material = plan.material
    for number in sorted({problem.fold for problem in planned}):
        rows = [row for row, problem in enumerate(planned) if problem.fold == number]
        if number >= 0:
            authors, reference = plan.folds[number].everyone, plan.folds[number].reference
        else:
            rows = [row for row in rows if planned[row].half in ("case", "cohort") and plan.cohort]
            reference = plan.cohort
            authors = sorted({*reference, *(label for row in rows for label in (planned[row].k, planned[row].q))})
        if not rows:
            continue
        number_of = {author: rank for rank, author in enumerate(authors)}
        cells = [(number_of[planned[row].q], number_of[planned[row].k]) for row in rows]
        sides = [*(plan.sides[author].q for author in authors), *(plan.sides[author].k for author in authors)]
        parts = [material.index.take(side) for side in sides]
        sentences = [part.sentences for part in parts]
        both = sentences[: len(authors)], sentences[len(authors) :]
        matrix = matrix_of(
            part_n_grams(parts),
            {cell: [scores[row]] for cell, row in zip(cells, rows, strict=True)},
            q_authors=range(len(authors)),
            reference=[number_of[author] for author in reference],
            typed=typed_n_grams([material.written(side) for side in sides]) if study.typing else None,
            content=material.content.counts(sides) if material.content is not None else None,
            guard=both,
            hold=both if study.holds else None,
        )
        for name, values in matrix.only(*names).rows(cells).items():
            by_name.setdefault(name, np.full(len(planned), np.nan))[rows] = values
    return by_name


def by_comparators(study: Study, plan: Plan, planned: Sequence[Planned]) -> dict[str, FloatArray]:
    """The scores of all comparators in use."""

    def text(sentences: Numbers) -> str:
        if study.original:
            return "\n".join(plan.material.written(sentences))
        return as_text(plan.material.index.take(sentences).sentences)

    ks = {author: text(side.k) for author, side in plan.sides.items()}
    qs = {author: text(side.q) for author, side in plan.sides.items()}
    by_key = {key: np.full(len(planned), np.nan) for key in study.comparators}
    for row, problem in enumerate(planned):
        if problem.half == "cohort" or (plan.folds and problem.half != "case"):
            continue
        out = set(plan.not_in_reference(problem))
        if plan.folds:
            others = [author for author in plan.folds[problem.fold].reference if author not in out]
        else:
            writers = {problem.k_author, problem.q_author}
            others = [author for author in sorted(ks) if plan.material.writer(author) not in writers]
        for key, scores in by_key.items():
            scores[row] = compared(
                key, qs[problem.q], ks[problem.k], [ks[author] for author in others], plan.seed(problem), problem.id
            )
    return by_key


def compared(key: str, q: str, k: str, others: Sequence[str], seed: Seed, problem: str) -> float:
    """A comparator's score of a problem, which an error names."""
    try:
        return COMPARATORS[key].score(q, [k], others, seed)
    except InputError as error:
        raise StudyError(f"{key} cannot score {problem}: {error}") from error


Places = npt.NDArray[np.int64]
JUDGED = ("case", "attacked", "drawn", "impostor")  # the halves that are judged, and never learnt from
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


@dataclass(frozen=True, eq=False)
class JudgedBy:
    """Trials that one reference judges: the matrix, and which of its cells they are.

    A trial with an impostor has one of its own, without the impostor among the reference authors.
    """

    where: tuple[str, str, int, int]  # corpus, condition, run, fold
    first: int  # the place of the fold's first trial
    names: Sequence[str]  # of the reference authors
    matrix: Matrix
    places: Sequence[int]
    cells: Sequence[Cell]
    k_tokens: float


def judgements(trials: TrialTable, scores: Sequence[str]) -> Iterator[JudgedBy]:
    """The matrices of these scores, by which all judged trials are normalised; draws without such scores have none."""
    missing = [name for name in scores if name != "distinct" and name not in trials.scores]
    if missing:
        let = "" if missing[0] == "cosine" else f", and let the study compute {missing[0]}"
        raise StudyError(
            "The reference-normalised LR needs the score of every Q with every K. Name the method when the study is "
            f"run{let}."
        )
    columns = {name: trials.score(name) for name in scores}
    for cell, fold, places in folds_of(trials):
        if fold >= 0:
            yield from _by_fold(trials, (*cell, fold), places, columns)
        else:
            yield from _by_cohort(trials, (*cell, fold), places, columns)


def normalised_trials(
    trials: TrialTable,
    *,
    scores: Sequence[str] = SCORES[:2],
    constants: Choose | None = None,
    origin: str = ENGLISH_CORPORA,
    controlled: bool = False,
) -> NormalisedTrials:
    """The LLRs of all judged trials; `constants` may choose others than the shipped ones by corpus, `origin` none.

    `controlled` frees them from topic.
    """
    names = (*scores, CLOSENESS) if controlled else tuple(scores)
    nats = np.full(len(trials), np.nan)
    normed = {name: np.full(len(trials), np.nan) for name in names}
    cohorts: list[str | None] = [None] * len(trials)
    fit_of: dict[int, Normalisation] = {}
    for by in judgements(trials, names):
        corpus, condition, run, fold = by.where
        chosen = None if constants is None else constants(corpus, len(by.names), by.k_tokens)
        try:
            fit, (judged,) = normalise_draws(
                [by.matrix],
                trials=by.cells,
                k_tokens=by.k_tokens,
                constants=chosen,
                origin=origin,
                controlled=controlled,
            )
        except CalibrationError as error:
            number = f", fold {fold + 1}" if fold >= 0 else ""
            raise CalibrationError(f"{corpus}, {condition}, run {run}{number}: {error}") from error
        fit_of.setdefault(by.first, fit)  # that of the whole reference comes first
        cohort = digest_json(sorted(by.names))
        for row, trial in zip(by.places, judged, strict=True):
            nats[row], cohorts[row] = trial.llr.nats, cohort
            values = trial.normed if trial.topic is None else (*trial.normed, trial.topic)
            for name, value in zip(names, values, strict=True):
                normed[name][row] = value
    return NormalisedTrials(nats, normed, cohorts, fit_of)


def _by_fold(
    trials: TrialTable, where: tuple[str, str, int, int], in_fold: Places, columns: Mapping[str, FloatArray]
) -> Iterator[JudgedBy]:
    """The trials of a fold, by the authors outside it."""
    halves, q_authors, k_authors = (trials.column(name) for name in ("half", "q_author", "k_author"))
    drawn, impostors = (in_fold[halves[in_fold] == half] for half in ("drawn", "impostor"))
    places = np.setdiff1d(in_fold, [*drawn, *impostors])
    if ROW + next(iter(columns)) not in trials.table.column_names:
        drawn, impostors = drawn[:0], impostors[:0]
    # In the order of λG of each author's own Q and K: who follows whom does not depend on names.
    lambda_g = trials.column("lambda_g")
    own_lambda_g = {q_authors[at]: float(lambda_g[at]) for at in places.tolist() if q_authors[at] == k_authors[at]}
    everyone = {*k_authors[places].tolist(), *q_authors[places].tolist()}
    authors = sorted(everyone, key=lambda author: (own_lambda_g.get(author, 0.0), author))
    number = {author: position for position, author in enumerate(authors)}
    rows = np.array([number[author] for author in q_authors[places]])
    of_k = np.array([number[author] for author in k_authors[places]])
    reference = sorted(set(rows[halves[places] == "calibration"].tolist()))
    by_name = sorted(reference, key=authors.__getitem__)
    judged = np.flatnonzero(np.isin(halves[places], JUDGED))
    # An attacked Q has a row of its own, below those of the authors.
    attacked = np.flatnonzero(halves[places] == "attacked")
    n = len(authors)
    rows[attacked] = n + np.arange(len(attacked))
    cells = list(zip(rows.tolist(), of_k.tolist(), strict=True))
    with_cohort = {name: trials.lists(COHORT_PREFIX + name, places[attacked]).reshape(-1) for name in columns}
    around, drawn_scores = _around(trials, drawn, columns, [by_name] * len(drawn), first=n)
    matrix = Matrix.of_rows(
        [*cells, *product(rows[attacked].tolist(), reference), *around],
        {
            name: np.concatenate([column[places], with_cohort[name], drawn_scores[name]])
            for name, column in columns.items()
        },
        n_authors=n,
        reference=reference,
    )
    of_fold = JudgedBy(
        where=where,
        first=int(places[0]),
        names=[authors[position] for position in reference],
        matrix=matrix,
        places=[*places[judged].tolist(), *drawn.tolist()],
        cells=[*(cells[at] for at in judged), *((n + at, n + at) for at in range(len(drawn)))],
        k_tokens=quantile(trials.column("k_tokens")[places[halves[places] != "attacked"]].tolist(), 0.5),
    )
    yield of_fold
    for position in impostors.tolist():
        others = [author for author in by_name if authors[author] != k_authors[position]]
        alone = _without_impostor(trials, position, matrix, columns, others, n_authors=n)
        names = [authors[author] for author in others]
        yield replace(of_fold, names=names, matrix=alone, places=[position], cells=[(n, n)])


def _by_cohort(
    trials: TrialTable, where: tuple[str, str, int, int], places: Places, columns: Mapping[str, FloatArray]
) -> Iterator[JudgedBy]:
    """The case trials of halves, by the cohort without the authors of the trial."""
    halves, q_authors, k_authors = (trials.column(name) for name in ("half", "q_author", "k_author"))
    taking = places[np.isin(halves[places], ("case", "cohort"))]
    in_cohort = halves[taking] == "cohort"
    # A writer of ready-made problems may have several Qs and Ks, so these go by their own names.
    q_names = trials.column("q_id")[taking].tolist()
    problems = trials.column("problem")[taking].tolist()  # an id ends in K's and Q's names
    k_names = [id_.removesuffix(f"/{q}") for id_, q in zip(problems, q_names, strict=True)]
    self_trials = np.flatnonzero(in_cohort & trials.same[taking])
    self_trials = self_trials[
        np.lexsort((q_authors[taking[self_trials]].astype(str), trials.column("lambda_g")[taking[self_trials]]))
    ]
    if not len(self_trials):
        raise StudyError(
            "The reference-normalised LR needs the score of every Q with every K, which these trials do not have. Run "
            "the study with the method into another folder."
        )
    writers = [str(q_authors[taking[at]]) for at in self_trials]
    rows, of_k = (  # the cohort's first: row and column i are those of its author i
        {name: number for number, name in enumerate(dict.fromkeys([*(names[at] for at in self_trials), *names]))}
        for names in (q_names, k_names)
    )
    cells = [(rows[q], of_k[k]) for q, k in zip(q_names, k_names, strict=True)]
    kept = {name: column[taking] for name, column in columns.items()}
    k_tokens = quantile(trials.column("k_tokens")[taking].tolist(), 0.5)
    by_reference: dict[tuple[int, ...], list[int]] = {}
    for at in np.flatnonzero(~in_cohort).tolist():
        pair = (q_authors[taking[at]], k_authors[taking[at]])
        reference = tuple(number for number, writer in enumerate(writers) if writer not in pair)
        by_reference.setdefault(reference, []).append(at)
    for reference, judged in by_reference.items():
        yield JudgedBy(
            where=where,
            first=int(places[0]),
            names=[writers[number] for number in reference],
            matrix=Matrix.of_rows(cells, kept, n_authors=max(len(rows), len(of_k)), reference=reference),
            places=taking[judged].tolist(),
            cells=[cells[at] for at in judged],
            k_tokens=k_tokens,
        )


def _around(
    trials: TrialTable, places: Places, scores: Iterable[str], references: Sequence[Sequence[int]], *, first: int
) -> tuple[list[Cell], dict[str, FloatArray]]:
    """The cells of trials in the rows and columns from `first` on, each with its own and those with its reference."""
    cells: list[Cell] = []
    for at, reference in zip(range(first, first + len(places)), references, strict=True):
        cells += [(at, at), *((at, a) for a in reference), *((b, at) for b in reference)]
    values = {}
    for name in scores:
        single = trials.score(name)[places].tolist()
        with_others = (trials.lists(prefix + name, places) for prefix in (ROW, COLUMN))
        values[name] = np.array(
            [x for at, row, column in zip(single, *with_others, strict=True) for x in (at, *row, *column)], np.float64
        )
    return cells, values


def _without_impostor(
    trials: TrialTable, trial: int, fold: Matrix, scores: Iterable[str], reference: Sequence[int], *, n_authors: int
) -> Matrix:
    """The matrix of a trial with an impostor, by the reference without them; its row and column follow the authors'."""
    at = np.array([trial])
    around, values = _around(trials, at, scores, [reference], first=n_authors)
    pairs = [(b, a) for b in reference for a in reference]
    b, a = np.array(pairs, np.int64).T
    for name, around_it in values.items():
        # λG of two reference authors is that of the fold; what goes by df was counted without the impostor.
        among = fold.scores[name][b, a] if name in BY_LAMBDA_G else trials.lists(AMONG + name, at)[0]
        values[name] = np.concatenate([among, around_it])
    return Matrix.of_rows([*pairs, *around], values, n_authors=n_authors, reference=sorted(reference))


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
Programs = Mapping[str, bytes]  # the files of a study's own methods by name, as they were read


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
    fewest_authors: int  # whose trials a fit was learnt from


FEW_AUTHORS = 30
"""Authors below which a logistic fit can do worse than saying nothing: of the runs of docs/validation/study.toml that
learnt from fewer, one in five had a Cllr above 1 (53 of 260), of the others none (of 65)."""


def warned_fits(fits: Sequence[Fits]) -> str | None:
    """A sentence about fits that were learnt from few authors; None where there are none."""
    few = [fit for fit in fits if fit.fewest_authors < FEW_AUTHORS]
    if not few:
        return None
    corpora = dict.fromkeys(fit.corpus for fit in few)
    fewest = min(fit.fewest_authors for fit in few)
    return (
        f"Logistic fits on {some(list(corpora))} were learnt from fewer than {FEW_AUTHORS} authors, {fewest} at the "
        "fewest. On the open corpora such fits did worse than giving no evidence (Cllr above 1) in one run in five, "
        "and never with more authors. Trust a correction instead, or name a larger corpus as training."
    )


def add_llrs(
    study: Study,
    trials: TrialTable,
    *,
    constants: Choose | None = None,
    controlled: Choose | None = None,
    limiting: Mapping[str, Choose] | None = None,
    programs: Programs | None = None,
) -> tuple[TrialTable, tuple[Fits, ...]]:
    """The trials with their LLRs in nats by each method, and how the fits went.

    A trial that a method was trained on has none by it: the other methods alone speak of the calibration half.
    `constants` may choose others than the shipped ones, such as those learnt without the corpus that is judged;
    `controlled` those of that method, and `limiting` those of the methods by which held limits it. `programs` are those
    of one's own methods where they were read before.
    """
    programs = read_programs(study) if programs is None else programs
    llrs: dict[str, FloatArray] = {}
    fits: list[Fits] = []
    normalised: NormalisedTrials | None = None
    normed: dict[str, FloatArray] = {}
    cohorts: list[str | None] | None = None
    judge = partial(normalised_trials, trials, origin=study.constants)
    outside = outside_scores(study, trials)
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
            normalised = judge(scores=_scores(study), constants=constants)
            llrs[key] = normalised.nats
        elif key == "controlled":
            freed = judge(scores=_scores(study), constants=controlled, controlled=True)
            llrs[key] = freed.nats
            normed |= freed.normed
            cohorts = freed.cohorts
        elif key == "guarded":
            # Freed from topic in a study that frees the reference-normalised LR from it.
            free = "controlled" in study.methods
            guarded = judge(scores=KEPT, constants=controlled if free else constants, controlled=free)
            llrs[key] = guarded.nats
            normed |= guarded.normed
    if study.holds:
        chosen = dict(limiting or {}) | {None: controlled if study.compares_topics else constants}
        of_limits, of_flag = _limited(study, trials, chosen)
        llrs |= of_limits
        normed |= of_flag
    matrix = study.by_matrix or study.design.pairs == "all"
    if study.compares_topics and "controlled" not in study.methods and matrix:
        # How close Q and K are is told of every study that measures it, whatever its methods.
        normed[CLOSENESS] = normalised_trials(trials, controlled=True).normed[CLOSENESS]
    if "fusion" in study.methods:
        joined = {name: scored.scores[name] for name in study.fused if name != "normalised"}
        by_matrix = normalised if "normalised" in study.fused else None
        llrs["fusion"] = fused_trials(trials, joined, by_matrix)
    for entry in study.own:
        name = entry.partition(":")[2]
        llrs[name] = _nats_of(load_own(study.folder, entry, programs), name, trials)
    if normalised is not None:
        normed, cohorts = normalised.normed | normed, normalised.cohorts
    return trials.with_llrs(llrs, normed=normed, cohorts=cohorts), tuple(fits)


def _scores(study: Study) -> tuple[str, ...]:
    """The scores of the methods that measure Q and K by the reference."""
    return SCORES if study.typing else SCORES[:2]


def _limited(
    study: Study, trials: TrialTable, chosen: Mapping[str | None, Choose | None]
) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """LLRs by the methods that limit and by the ceiling, as far as they are in use; and normalised scores of the flag.

    They are freed from topic where the study compares topics. `chosen` has constants by method, those of what is held
    under None.
    """
    judge = partial(normalised_trials, trials, origin=study.constants, controlled=study.compares_topics)
    by_method = {key: judge(scores=scores, constants=chosen.get(key)).nats for key, scores in LIMITING.items()}
    if "held" in study.methods:
        by_method["held"] = held_nats(judge(scores=_scores(study), constants=chosen[None]).nats, **by_method)
    normed = {name: np.full(len(trials), np.nan) for name in dict.fromkeys((*FLAGGING, *HOLDING))}
    for by in judgements(trials, tuple(normed)):
        for name, values in zip(normed, normed_scores(by.matrix, by.cells).T, strict=True):
            normed[name][list(by.places)] = values
    return {key: values for key, values in by_method.items() if key in study.methods}, normed


def outside_scores(study: Study, trials: TrialTable) -> dict[str, FloatArray]:
    """The scores of other systems, one per trial; NaN for those that only normalise others."""
    if study.outside is None:
        return {}
    path = study.folder / study.outside
    by_system = {}
    needed = ((trials.column("fold") < 0) & (trials.column("half") != "cohort")) | trials.case
    for name, scores in read_outside(path).items():
        values = np.full(len(trials), np.nan)
        for row, problem in enumerate(trials.column("problem")):
            if not needed[row]:
                continue
            if problem not in scores:
                raise StudyError(
                    f"{path} has no score of {name} for {problem}. Every problem of the study needs one: run the study "
                    "without the file first and score the problems that trials.parquet lists."
                )
            values[row] = scores[problem]
        by_system[name] = values
    return by_system


def _learnt(
    study: Study, trials: TrialTable, scored: ScoredTrials, key: str, learn: Learn, *, by_judged: bool
) -> tuple[FloatArray, list[Fits]]:
    """LLRs learnt from the calibration half, from all other authors' trials or, in folds, from each fold's reference.

    `by_judged` goes by the judged trials of the other folds: scores that the reference's own problems do not have.
    """
    llrs = np.full(len(trials), np.nan)
    went: dict[tuple[str, str, int], Fits] = {}
    for (corpus, condition, run), fold, _, learnt_from, case in divisions(trials, by_judged=by_judged):
        by_others = study.leave_authors_out and fold < 0
        training = None if by_others else scored.take(learnt_from)
        try:
            left_out = leave_authors_out(scored.take(case), learn, training=training)
        except CalibrationError as error:
            raise CalibrationError(f"{corpus}, {condition}, run {run}: {error}") from error
        llrs[case] = left_out.nats
        # Left out are the two of a different-author trial.
        n_authors = len(_authors(scored.take(case))) - 2 if training is None else len(_authors(training))
        before = went.get((corpus, condition, run), Fits(key, corpus, condition, run, 0, 0, 0, n_authors))
        went[corpus, condition, run] = replace(
            before,
            fewest_authors=min(n_authors, before.fewest_authors),
            n_fits=before.n_fits + left_out.n_fits,
            n_perfect=before.n_perfect + left_out.n_perfect,
            n_near=before.n_near + left_out.n_near,
        )
    return llrs, list(went.values())


def _authors(scored: ScoredTrials) -> set[str]:
    return {*scored.q_authors.tolist(), *scored.k_authors.tolist()}


_LARGEST_PROGRAM = 10_000_000  # bytes


def read_programs(study: Study) -> Programs:
    """The programs of a study's own methods. What runs is what was read here, whatever else lies beside the files."""
    programs = {}
    for entry in study.own:
        file = entry.partition(":")[0]
        try:
            programs[file] = bytes_of_file(study.folder / file, most=_LARGEST_PROGRAM)
        except OSError as error:
            why = f"there is no file {study.folder / file}" if isinstance(error, FileNotFoundError) else error.strerror
            raise StudyError(f"The method {entry} was not found: {why}. Put it there.") from error
    return programs


def programs_digest(programs: Programs) -> str:
    """What names these programs, for whoever has read them and lets them run."""
    return digest("".join(f"{digest(content)}  {file}\n" for file, content in sorted(programs.items())))


def load_own(folder: Path, entry: str, programs: Programs) -> OwnMethod:
    """A function of one's own, as file.py:function: a Trial in, an LLR in nats out."""
    file, _, name = entry.partition(":")
    path = folder / file
    module = ModuleType(f"idiograph_own_{path.stem}")
    module.__file__ = str(path)
    try:
        # Never by an import, which may take compiled code that lies beside the file in place of what was read.
        exec(compile(programs[file], str(path), "exec", dont_inherit=True), module.__dict__)
    except (Exception, SystemExit) as error:
        raise StudyError(
            f"{path} could not be run: {type(error).__name__}: {error}. Try it with python alone."
        ) from error
    function = getattr(module, name, None)
    if not callable(function):
        raise StudyError(f"{path} has no function {name}. A method is a function of a trial that returns nats.")
    return function  # type: ignore[no-any-return]


def _nats_of(function: OwnMethod, name: str, trials: TrialTable) -> FloatArray:
    llrs = np.empty(len(trials))
    for row, trial in enumerate(trials.rows()):
        try:
            value = float(function(trial))
        except Exception as error:
            raise StudyError(
                f"The method {name} failed on {trial.problem}: {type(error).__name__}: {error}."
            ) from error
        if not math.isfinite(value):
            raise StudyError(f"The method {name} gave {value} for {trial.problem}. An LLR in nats is a finite number.")
        llrs[row] = value
    return llrs
