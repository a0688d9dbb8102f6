"""The study under the case's own conditions, made before Q is scored.

In reading order: the choice among the methods that the case file names, made again for each fold of authors by the
others, for a method that is chosen because it did well looks better than it is; the second opinions, scores of other
methods that are calibrated on the same trials; the trials themselves, what they show and what may be reported by them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from itertools import chain

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import FloatArray, quantile
from idiograph.casework.case import BEST_VALIDATED, CONTROLLED, GUARDED, PUBLISHED, Case
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.case_matrix import CaseMatrix, Judged, score_matrix
from idiograph.casework.findings import HALF, HALF_K, finding
from idiograph.casework.inputs import CaseTexts, n_tokens
from idiograph.casework.sentences import AS_CLOSE, cllr_figure, lean, number, ratio
from idiograph.casework.taking_part import ValidationPlan, case_closeness, fewest_authors, may_meet, shortage
from idiograph.casework.verification import (
    Claim,
    MethodChoice,
    TopicControl,
    Validation,
    ValidationTrials,
    claimed,
)
from idiograph.errors import CalibrationError, InputError, ProblemError, counted, some
from idiograph.evidence.bounds import Bounds, bounds_of, cross_limited, pooled_bounds
from idiograph.evidence.calibration import Learnt, leave_authors_out
from idiograph.evidence.closeness import log_closeness, slope
from idiograph.evidence.comparators import COMPARATORS, as_text
from idiograph.evidence.intervals import estimates
from idiograph.evidence.llr import LLR
from idiograph.evidence.matching import controlled_estimate, matched
from idiograph.evidence.methods import METHODS, case_methods, short_name
from idiograph.evidence.metrics import cllr
from idiograph.evidence.normalised import Normalised
from idiograph.evidence.performance import Performance, performance
from idiograph.evidence.published_trials import read_published, shipped_path
from idiograph.evidence.trials import ScoredTrials, Scores, Trials
from idiograph.grammar.index import Part
from idiograph.grammar.lambdag import Score
from idiograph.progress import progress
from idiograph.studies.drawing import CANDIDATES
from idiograph.texts.problem import problem_seed

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
        others, inside = folds != fold, folds == fold
        both = trials.same_author[others].any() and not trials.same_author[others].all()
        best = min(able, key=lambda method: _cllr(trials, method, others)) if both else chosen
        nats[inside] = trials.nats[best][inside]
        again.append(best)
    estimate = estimates(trials.trials(nats), metrics=("cllr",), resamples=resamples, seed=seed)["cllr"]
    return MethodChoice(
        method=chosen,
        cllrs=cllrs,
        cllr=estimate,
        n_folds=len(again),
        n_agreeing=again.count(chosen),
        sentence=_choice_in_words(chosen, cllrs, estimate.value, len(again), again.count(chosen)),
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


def _choice_in_words(chosen: str, cllrs: Mapping[str, float], cllr: float | None, n_folds: int, n_agreeing: int) -> str:
    others = [f"{short_name(method)} {value:.2f}" for method, value in cllrs.items() if method != chosen]
    against = f" (others named: {some(others)})" if others else ""
    worth = "" if cllr is None else f" has a Cllr of {cllr:.2f} and"
    return (
        "The method was chosen by the validation, before the questioned text was scored, among those that the case "
        f"file names: {short_name(chosen)}, Cllr {cllrs[chosen]:.2f}{against}. The choice itself, made again in each "
        f"of {n_folds} folds from the other authors,{worth} came out the same in {n_agreeing}."
    )


def opinions(
    case_index: CaseIndex, matrix: CaseMatrix, judged: Sequence[tuple[int, int, int]], *, name: str
) -> tuple[dict[str, FloatArray], dict[str, str]]:
    """The scores that the comparators which the case names give the judged trials; why one gives none."""
    keys = [key for key in case_index.case.second_opinions if key in COMPARATORS]
    scores_by: dict[str, FloatArray] = {}
    notes: dict[str, str] = {}
    fold_of = {author: set(fold) for fold in matrix.folds for author in fold}
    compared = matrix.draws if keys else ()
    texts = [([_text(q) for q in draw.qs], [_text(k) for k in draw.ks]) for draw in compared]
    with progress(f"Second opinions on {name}", total=len(keys) * len(judged), unit="problems") as advance:
        for key in keys:
            scores = []
            try:
                for draw, b, a in judged:
                    qs, ks = texts[draw]
                    others = [k for author, k in enumerate(ks) if author not in fold_of[b]]
                    seed = problem_seed(case_index.case.seed, f"opinion/{draw}/{matrix.authors[a]}/{matrix.authors[b]}")
                    scores.append(COMPARATORS[key].score(qs[b], [ks[a]], others, seed))
                    advance()
                scores_by[key] = np.array(scores)
            except InputError as error:
                notes[key] = f"{COMPARATORS[key].name} could not be computed. {error}"
    return scores_by, notes


def opinion(case_index: CaseIndex, texts: CaseTexts, matrix: CaseMatrix, score: Score, key: str, learnt: Learnt) -> LLR:
    """A comparator's calibrated opinion of the case; a CalibrationError where it cannot read the case's texts."""
    ks = [_text(k) for k in matrix.draws[0].ks]
    q, k = (_text(case_index.part(side)) for side in (texts.q, texts.k))
    try:
        value = COMPARATORS[key].score(q, [k], ks, problem_seed(case_index.case.seed, f"opinion/{texts.name}"))
    except InputError as error:
        raise CalibrationError(f"{COMPARATORS[key].name} could not be computed. {error}") from error
    nats = float(learnt.nats(replace(Scores.of(score), scores={key: np.array([value])}))[0])
    return LLR(nats=nats, how=key, value=nats, unit="nats")


def _text(part: Part) -> str:
    return as_text(part.sentences)


_RESAMPLES = 1_000
_NOT_LEFT_OUT = (
    "The reference is too small to keep the authors of a validation problem's fold out of its reference models; only "
    "its own two authors are."
)
REPORTED = "reported"  # the primary method after bounds: what the case would have been told


@dataclass(frozen=True, eq=False)
class Validated:
    """A validation, what the methods that learn from it have learnt for the case, and the scores behind it."""

    validation: Validation
    learnt: Mapping[str, Learnt]
    matrix: CaseMatrix | None


def same_problems(plans: Sequence[ValidationPlan]) -> list[list[int]]:
    """The places of plans whose problems are the same, together."""
    places: dict[tuple[object, ...], list[int]] = {}
    for at, plan in enumerate(plans):
        drawn = (
            (sample.author, sample.q.tobytes(), sample.k.tobytes(), sample.condition) for sample in chain(*plan.draws)
        )
        places.setdefault((plan.condition, len(plan.draws), *drawn), []).append(at)
    return list(places.values())


@dataclass(frozen=True, eq=False)
class Judging:
    """The problems of a plan, scored and judged once for all comparisons that have them in common."""

    case_index: CaseIndex
    plan: ValidationPlan
    name: str
    _performances: dict[bytes, Performance] = field(default_factory=dict, repr=False)

    @cached_property
    def matrix(self) -> CaseMatrix:
        """The scores; a ProblemError where the reference is too small for them."""
        return score_matrix(self.case_index, self.plan, name=self.name)

    @cached_property
    def judged(self) -> list[tuple[int, int, int]]:
        """The trials that are judged and whose texts may meet: draw, Q's author, K's author."""
        material, condition, draws = self.case_index.material, self.plan.condition, self.matrix.draws
        return [
            (draw, b, a)
            for draw, b, a in self.matrix.judged
            if may_meet(material, condition, draws[draw].samples[b], draws[draw].samples[a])
        ]

    @cached_property
    def trials(self) -> tuple[ValidationTrials, dict[str, str], dict[str, Judged]]:
        """The judged trials with the LLRs of all methods that learn from no trials; why one has none.

        And what the methods that measure by the matrix make of each, impostors included.
        """
        case_index, matrix, judged = self.case_index, self.matrix, self.judged
        scored = matrix.scored.take(np.array([matrix.row_of(*trial) for trial in judged]))
        opinion_scores, notes = opinions(case_index, matrix, judged, name=self.name)
        scored = replace(scored, scores={**scored.scores, **opinion_scores})
        ids = [
            f"validation/{draw}/{self.plan.condition.name}/{matrix.authors[a]}/{matrix.authors[b]}"
            for draw, b, a in judged
        ]
        trials = ValidationTrials(
            **{field.name: getattr(scored, field.name) for field in fields(scored)},
            problem_ids=np.array(ids, object),
            n_sentences=np.array([matrix.draws[draw].qs[b].n_sentences for draw, b, _ in judged]),
            k_tokens=np.array([matrix.draws[draw].ks[a].n_tokens for draw, _, a in judged]),
            nats={},
        )
        nats = {key: method.nats(trials) for key, method in case_methods().items() if method.values is not None}
        measure = {"normalised": matrix.normalised}
        if case_index.material.content is not None:
            measure[CONTROLLED] = partial(matrix.normalised, controlled=True)
        if GUARDED in case_index.case.second_opinions:
            measure[GUARDED] = partial(matrix.guarded, name=self.name, controlled=case_index.compares_topic)
        measured: dict[str, Judged] = {}
        for key, of_matrix in measure.items():
            try:
                measured[key] = of_matrix()
                nats[key] = np.array([measured[key][trial].llr.nats for trial in judged])
            except CalibrationError as error:
                n, fewest = len(matrix.authors), fewest_authors("normalised")
                few = (
                    f"{n} reference authors have enough text, and at least {fewest} are needed to judge each by others."
                )
                notes[key] = f"{METHODS[key].short} was not computed. {few if n < fewest else error}"
        return replace(trials, nats=nats), notes, measured

    @cached_property
    def learnt(self) -> tuple[ValidationTrials, dict[str, Learnt], dict[str, str]]:
        """The trials with the methods that learn, too, and what these learnt for the case; why a method has no LLRs."""
        trials, notes, _ = self.trials
        trials, learnt, more = with_learnt(trials, self.matrix.scored, opinions=self.case_index.case.second_opinions)
        return trials, learnt, notes | more

    def performance(self, trials: Trials, nats: FloatArray) -> Performance:
        """How these LLRs did, resampled once."""
        key = nats.tobytes()
        if key not in self._performances:
            seed = self.case_index.case.seed
            self._performances[key] = performance(trials, resamples=_RESAMPLES, seed=seed)
        return self._performances[key]

    def topic(self, texts: CaseTexts) -> TopicControl:
        """How close the case and the trials are in topic, and topic-controlled Cllr, impostors among the different."""
        matrix, judged, (_, _, measured) = self.matrix, self.judged, self.trials
        trials, *_ = self.learnt
        close = np.array([matrix.closeness(*trial) for trial in judged])
        impostors, met = matrix.draws[0].impostors, matrix.impostors
        same = trials.same_author
        same_c = close[same]
        different_c = np.concatenate([close[~same], [matrix.closeness(0, *cell) for cell in met]])
        pairs = matched(same=same_c, different=different_c)
        others = [trial for trial, is_same in zip(judged, same.tolist(), strict=True) if not is_same]
        others += [(0, *cell) for cell in met]
        cllrs = {}
        for method, nats in trials.nats.items():
            if method in measured:
                more = [measured[method][0, *cell].llr.nats for cell in met]
            elif METHODS[method].values is not None:
                more = [METHODS[method].llr(impostor.scores[impostor.q]).nats for impostor in impostors]
            else:
                continue
            plain = trials.trials(nats)
            same_authors, different_authors = plain.known_authors
            with_impostors = Trials.of(
                same=plain.same,
                different=np.concatenate([plain.different, more]),
                same_authors=same_authors,
                different_authors=[
                    *different_authors,
                    *((matrix.authors[impostor.q], matrix.authors[impostor.author]) for impostor in impostors),
                ],
            )
            cllrs[method] = controlled_estimate(
                pairs, with_impostors, resamples=_RESAMPLES, seed=self.case_index.case.seed
            )
        firsts = {sample.author: sample for sample in matrix.draws[0].samples}
        case_c = case_closeness(self.case_index, texts, firsts)
        return TopicControl(
            closeness=case_c,
            same=tuple(same_c.tolist()),
            different=tuple(different_c.tolist()),
            n_impostors=len(met),
            n_matched=len(pairs.same),
            away=quantile(np.abs(log_closeness(same_c) - log_closeness(np.array(case_c))), 0.5),
            rise=_rise([measured[CONTROLLED][trial] for trial in others]) if CONTROLLED in measured else (),
            cllr=cllrs,
        )


def validate(
    case_index: CaseIndex,
    texts: CaseTexts,
    plan: ValidationPlan,
    judging: Judging | None = None,
    *,
    hold: bool = False,
) -> Validated:
    """Makes, scores and judges the problems; what could not be done is said, never skipped in silence.

    `judging` has what another comparison with the same problems had of them already. `hold` keeps what it takes to hold
    the case's value against imitators.
    """
    judging = judging or Judging(case_index, plan, texts.name)
    lack = shortage(case_index, texts, plan)
    missing = [*plan.given_up, *([lack] if lack else [])]
    matrix = None
    if len(plan.authors) >= 2:
        try:
            matrix = judging.matrix
        except ProblemError as error:
            missing.append(f"Some problems could not be made: {error}")
    if matrix is not None and not matrix.leaves_out:
        missing.append(_NOT_LEFT_OUT)
    if matrix is None or judging.trials[0].same_author.all():
        return Validated(_without_trials(case_index, texts, plan, missing), {}, None)
    trials, learnt, notes = judging.learnt
    missing += notes.values()
    case = case_index.case
    choice = None
    if case.primary == BEST_VALIDATED:
        fold_of = {matrix.authors[author]: number for number, fold in enumerate(matrix.folds) for author in fold}
        folds = np.array([fold_of[author] for author in trials.q_authors], np.int64)
        choice = choose(trials, folds, case.candidates, resamples=_RESAMPLES, seed=case.seed)
    primary = settled_primary(case, choice)
    judged = dict(trials.nats)
    bounds = None
    if case.bounds != "none" and primary in judged:
        limit = _limit(case, primary, n_tokens(texts.k), missing)
        bounds = limit(trials.by(primary))
        if (limited := cross_limited(trials, judged[primary], by=limit)) is not None:
            judged[REPORTED] = limited
    performances = {}
    with progress(f"Resampling authors for {texts.name}", total=len(judged), unit="methods") as advance:
        for name, nats in judged.items():
            performances[name] = judging.performance(trials.trials(nats), nats)
            advance()
    topic = judging.topic(texts) if case_index.compares_topic else None
    validation = replace(
        _without_trials(case_index, texts, plan, missing),
        how=(
            *_how(plan, trials),
            *([_AS_CLOSE_AS_THE_CASE] if topic else []),
            *([choice.sentence] if choice else []),
        ),
        n_same=int(trials.same_author.sum()),
        n_different=int((~trials.same_author).sum()),
        trials=trials,
        performance=performances,
        bounds=bounds,
        refusal=_refusal(primary, claimed(primary, performances, topic), len(plan.authors), notes.get(primary)),
        choice=choice,
        topic=topic,
        lean=lean(performances[primary].shift) if primary in performances else None,
    )
    return Validated(validation, learnt, matrix.for_the_case(guard=GUARDED in case.second_opinions, hold=hold))


def _limit(case: Case, primary: str, k_tokens: int, missing: list[str]) -> Callable[[Trials], Bounds]:
    """What makes bounds of trials, as the case says; what it wants and cannot have is added to what is missing."""
    if case.bounds != PUBLISHED:
        return bounds_of
    shipped = read_published(shipped_path())
    typed = case.goes_by_typing
    published = shipped.near(primary, k_tokens) if shipped and not typed else None
    if published is None:
        lacking = "with the typing score" if typed else f"with a K of about {k_tokens:,} tokens"
        missing.append(
            f"The published validation has no trials of the {METHODS[primary].name} {lacking}, so the bounds come from "
            "the reference of this case alone."
        )
        return bounds_of
    return partial(pooled_bounds, published=published)


def with_learnt(
    trials: ValidationTrials, training: ScoredTrials, *, opinions: Sequence[str] = ()
) -> tuple[ValidationTrials, dict[str, Learnt], dict[str, str]]:
    """The trials with LLRs by the methods that learn, each from other authors; what they learnt for the case; why not.

    They learn from all problems of the matrix, in which the case's own authors take no part; second opinions from
    the judged trials alone, since they have no scores of the others.
    """
    nats = dict(trials.nats)
    learnt: dict[str, Learnt] = {}
    notes: dict[str, str] = {}
    for key in (*case_methods(), *(key for key in opinions if key in trials.scores)):
        method = METHODS[key]
        if method.learn is None:
            continue
        name, trained_on = method.short, trials if key in opinions else training
        try:
            left_out, whole = leave_authors_out(trials, method.learn, training=trained_on), method.learn(trained_on)
        except CalibrationError as error:
            notes[key] = f"{name} was not fitted. {error}"
            continue
        separated = left_out.n_perfect + left_out.n_near + (whole.separation.kind != "none")
        if separated:
            notes[key] = (
                f"{name} was not fitted. In {separated} of {left_out.n_fits + 1} fits the scores of the two classes "
                "do not overlap, or overlap by a single trial alone (separation), and an LR from such a fit can be "
                "arbitrarily large. Add texts by more authors to the reference."
            )
            continue
        nats[key], learnt[key] = left_out.nats, whole
    return replace(trials, nats=nats), learnt, notes


def outside_lengths(trials: ValidationTrials, *, n_q: int, n_k: int, rules: int) -> tuple[str, ...]:
    """In which lengths a case lies outside what was validated, a sentence each: nothing is reported there.

    Twice as long is what the design may give up. Shorter by more than a tenth is not covered by trials that do better
    for being longer; until 0.3.0 a half was allowed there, too.
    """
    least = 0.5 if rules == 1 else _LEAST_VALIDATED
    told = []
    for name, n, tried in (("Q", n_q, trials.n_tokens), ("K", n_k, trials.k_tokens)):
        if not least * tried.min() <= n <= tried.max() * 2:
            has = f"{name} has {counted(n, 'token')}"
            told.append(f"{has}; in the validation problems it had {tried.min():,} to {tried.max():,}.")
    return tuple(told)


_LEAST_VALIDATED = 0.9  # of the shortest validated length


def outside_sizes(trials: ValidationTrials, *, nats: float, lambda_g: float, primary: str) -> tuple[str, ...]:
    """In which respects a value lies beyond those of the validation, a sentence each; bounds limit such a value."""
    sizes = []
    least, most = float(trials.nats[primary].min()), float(trials.nats[primary].max())
    if not least <= nats <= most:
        sizes.append(
            f"The calculated LR of {ratio(nats)} lies beyond those of the validation problems ({ratio(least)} to "
            f"{ratio(most)})."
        )
    least, most = float(trials.lambda_g.min()), float(trials.lambda_g.max())
    if not least <= lambda_g <= most:
        sizes.append(
            f"The raw score λG of {number(lambda_g, 1)} lies beyond those of the validation problems "
            f"({number(least, 1)} to {number(most, 1)})."
        )
    return tuple(sizes)


def _rise(trials: Sequence[Normalised]) -> tuple[float, ...]:
    """How much each normalised score of these trials rises with a unit of g."""
    g = np.array([trial.topic for trial in trials], np.float64)
    normed = np.array([trial.normed for trial in trials])
    groups, places = [None] * len(trials), np.arange(len(trials))
    return tuple(slope(g, normed[:, k], groups, places) for k in range(normed.shape[1]))


def _refusal(primary: str, claim: Claim | None, n_authors: int, note: str | None) -> str | None:
    """Why no LR may be reported, to follow "because"; None where one may be."""
    fewest = fewest_authors(primary)
    if n_authors < fewest:
        able = {0: "no reference author has", 1: "only 1 reference author has"}
        return (
            f"{able.get(n_authors, f'only {n_authors} reference authors have')} enough text to validate the method "
            f"under the conditions of the case, and at least {fewest} are needed"
        )
    if claim is None:
        return f"the primary method could not be fitted: {(note or '').rstrip('.')}"
    cllr = claim.cllr.value
    assert cllr is not None, "both classes have trials"
    if cllr >= 1:
        among = f" {AS_CLOSE}, {cllr_figure(claim.plain.value)} over all" if claim.controlled else ""
        return (
            "on problems with known answers, made like this case, the method did no better than giving no evidence "
            f"(Cllr {cllr:.2f}{among}; 0 would be perfect)"
        )
    return None


_AS_CLOSE_AS_THE_CASE = (
    f"Of {CANDIDATES} ways to divide an author's texts those were taken whose Q and K are as close in topic as the "
    "case's. Each author's Q also met an impostor: of the others in its fold the one whose texts come closest to its "
    "topic."
)


def _how(plan: ValidationPlan, trials: ValidationTrials) -> tuple[str, ...]:
    condition = plan.condition
    q, k = trials.n_tokens, trials.k_tokens
    unless = ", unless said otherwise" if plan.relaxed else ""
    across = f", which differ in {condition.across}" if condition.across else ""
    where = "the same text of an author" if plan.one_text else f"different texts of an author{across}"
    return (
        f"Q and K are consecutive sentences from {where}, each made of as many texts as in the case{unless}.",
        f"Q has {q.min():,} to {q.max():,} tokens, K {k.min():,} to {k.max():,}.",
        f"{counted(len(plan.draws), 'Q')} and {counted(len(plan.draws), 'K')} were drawn from each author.",
        "Every author's Q was scored with every author's K. Authors were left out by folds: a trial has both its "
        "authors in one fold, and what normalises and calibrates it comes from authors outside.",
        "The reference of a problem holds texts of the reference's other authors: never those of its own two authors, "
        "and no text of the case.",
        "The logistic regression and the bounds that a trial is judged with were learnt from trials of other authors.",
    )


def _without_trials(case_index: CaseIndex, texts: CaseTexts, plan: ValidationPlan, missing: list[str]) -> Validation:
    red_flags = [finding("validated-within-one-text", "red", ["reference"])] if plan.one_text else []
    if cut := [sentence for sentence in plan.given_up if sentence in (HALF, HALF_K)]:
        red_flags.append(finding("validated-shorter", "amber", ["reference"], sentence=cut[0]))
    return Validation(
        how=(),
        q_tokens=plan.q_tokens,
        k_tokens=plan.k_tokens,
        q_texts=len(texts.q),
        k_texts=len(texts.k),
        authors=plan.authors,
        n_same=0,
        n_different=0,
        trials=None,
        performance={},
        bounds=None,
        red_flags=tuple(red_flags),
        missing=tuple(missing),
        refusal=_refusal(case_index.case.primary, None, len(plan.authors), None)
        or "no problems with known answers could be made of the reference under the conditions of the case",
        relaxed=plan.relaxed,
        left_out=plan.left_out,
    )
