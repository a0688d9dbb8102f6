"""The study under the case's own conditions, made before Q is scored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np

from idiograph.casework.case import BEST_VALIDATED, GUARDED
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.choosing import Folds, choose, settled_primary
from idiograph.casework.comparison_texts import CaseTexts
from idiograph.casework.findings import finding
from idiograph.casework.guarding import guarded_trials
from idiograph.casework.matrix import CaseMatrix, score_matrix
from idiograph.casework.second_opinions import opinions
from idiograph.casework.validation_design import (
    HALF,
    HALF_K,
    ONE_TEXT,
    ValidationPlan,
    fewest_authors,
    may_meet,
    shortage,
)
from idiograph.casework.verification import Finding, Validation, ValidationTrials
from idiograph.casework.wording import lean
from idiograph.errors import CalibrationError, ProblemError, counted
from idiograph.evidence.bounds import bounds_of, cross_limited
from idiograph.evidence.left_out import Learnt, leave_authors_out
from idiograph.evidence.llr import from_nats
from idiograph.evidence.methods import METHODS, case_methods
from idiograph.evidence.performance import Performance, performance
from idiograph.evidence.scores import ScoredTrials
from idiograph.progress import progress

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


def validate(case_index: CaseIndex, texts: CaseTexts, plan: ValidationPlan) -> Validated:
    """Makes, scores and judges the problems; what could not be done is said, never skipped in silence."""
    lack = shortage(case_index, texts, plan)
    missing = [*plan.given_up, *([lack] if lack else [])]
    matrix = None
    if len(plan.authors) >= 2:
        try:
            matrix = score_matrix(case_index, plan, name=texts.name)
        except ProblemError as error:
            missing.append(f"Some problems could not be made: {error}")
    if matrix is None:
        return Validated(_without_trials(case_index, texts, plan, missing), {}, None)
    if not matrix.leaves_out:
        missing.append(_NOT_LEFT_OUT)
    trials, notes = _trials(case_index, texts, plan, matrix)
    if trials.same_author.all():
        return Validated(_without_trials(case_index, texts, plan, missing), {}, None)
    trials, learnt, more = with_learnt(trials, matrix.scored, opinions=case_index.case.second_opinions)
    notes |= more
    missing += notes.values()
    case = case_index.case
    choice = None
    if case.primary == BEST_VALIDATED:
        folds = _folds_of(trials, matrix)
        choice = choose(trials, folds, case.candidates, resamples=_RESAMPLES, seed=case.seed)
    primary = settled_primary(case, choice)
    judged = dict(trials.nats)
    bounds = None
    if case.bounds == "elub" and primary in judged:
        bounds = bounds_of(trials.by(primary))
        if (limited := cross_limited(trials, judged[primary])) is not None:
            judged[REPORTED] = limited
    found = {}
    with progress(f"Resampling authors for {texts.name}", total=len(judged), unit="methods") as advance:
        for name, nats in judged.items():
            found[name] = performance(trials.trials(nats), resamples=_RESAMPLES, seed=case.seed)
            advance()
    validation = replace(
        _without_trials(case_index, texts, plan, missing),
        how=(*_how(plan, trials), *([choice.sentence] if choice else [])),
        n_same=int(trials.same_author.sum()),
        n_different=int((~trials.same_author).sum()),
        trials=trials,
        performance=found,
        bounds=bounds,
        refusal=_refusal(primary, found, len(plan.authors), notes.get(primary)),
        choice=choice,
        lean=lean(found[primary].shift) if primary in found else None,
    )
    return Validated(validation, learnt, matrix)


def _folds_of(trials: ValidationTrials, matrix: CaseMatrix) -> Folds:
    """The fold of each trial, in which both its authors are."""
    fold_of = {matrix.authors[author]: place for place, fold in enumerate(matrix.folds) for author in fold}
    return np.array([fold_of[author] for author in trials.q_authors], np.int64)


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
        name, own = method.short, trials if key in opinions else training
        try:
            left_out, whole = leave_authors_out(trials, method.learn, training=own), method.learn(own)
        except CalibrationError as error:
            notes[key] = f"{name} was not fitted. {error}"
            continue
        separated = left_out.n_perfect + left_out.n_near + (whole.separation.kind != "none")
        if separated:
            notes[key] = (
                f"{name} was not fitted. In {separated} of {left_out.n_fits + 1} fits the scores of the two classes "
                "do not overlap, or by a single trial (separation), and an LR from such a fit is as large as one "
                "likes. Add texts by more authors to the reference."
            )
            continue
        nats[key], learnt[key] = left_out.nats, whole
    return replace(trials, nats=nats), learnt, notes


@dataclass(frozen=True)
class Outside:
    """In which respects a case lies outside what was validated, a sentence each.

    Outside in length there is no validation to speak of, so nothing is reported; a value beyond those validated is
    limited by the bounds.
    """

    lengths: tuple[str, ...]
    sizes: tuple[str, ...]


def outside(trials: ValidationTrials, *, n_q: int, n_k: int, nats: float, lambda_g: float, primary: str) -> Outside:
    """Compares a case with the trials it was validated by."""
    lengths, sizes = [], []
    for name, n, tried in (("Q", n_q, trials.n_tokens), ("K", n_k, trials.k_tokens)):
        # A factor of two is what the design may give up, and what one sentence can make of a short text.
        if not tried.min() / 2 <= n <= tried.max() * 2:
            has = f"{name} has {counted(n, 'token')}"
            lengths.append(f"{has}; in the validation problems it had {tried.min():,} to {tried.max():,}.")
    least, most = float(trials.nats[primary].min()), float(trials.nats[primary].max())
    if not least <= nats <= most:
        own, low, high = (from_nats(value, "bans") for value in (nats, least, most))
        sizes.append(
            f"The calculated log10 LR of {own:.1f} lies beyond those of the validation problems ({low:.1f} to "
            f"{high:.1f})."
        )
    least, most = float(trials.lambda_g.min()), float(trials.lambda_g.max())
    if not least <= lambda_g <= most:
        sizes.append(f"λG is {lambda_g:.1f}; in the validation problems it was {least:.1f} to {most:.1f}.")
    return Outside(tuple(lengths), tuple(sizes))


def _trials(
    case_index: CaseIndex, texts: CaseTexts, plan: ValidationPlan, matrix: CaseMatrix
) -> tuple[ValidationTrials, dict[str, str]]:
    """The judged trials of the matrix with the LLRs of all methods that learn from no trials; why one has none."""
    judged = [
        (draw, b, a)
        for draw, b, a in matrix.judged
        if may_meet(case_index.material, plan.condition, *(matrix.draws[draw].samples[one] for one in (b, a)))
    ]
    scored = matrix.scored.take(np.array([matrix.place(*trial) for trial in judged]))
    second = opinions(case_index, matrix, judged, name=texts.name)
    scored = replace(scored, scores={**scored.scores, **second.scores})
    made = [matrix.draws[draw] for draw, _, _ in judged]
    ids = [f"validation/{draw}/{plan.condition.name}/{matrix.authors[a]}/{matrix.authors[b]}" for draw, b, a in judged]
    trials = ValidationTrials(
        **{one.name: getattr(scored, one.name) for one in fields(scored)},
        problem_ids=np.array(ids, object),
        n_sentences=np.array([draw.n_sentences[b] for draw, (_, b, _) in zip(made, judged, strict=True)]),
        k_tokens=np.array([draw.k_tokens[a] for draw, (_, _, a) in zip(made, judged, strict=True)]),
        nats={},
    )
    nats = {key: method.nats(trials) for key, method in case_methods().items() if method.values is not None}
    notes = dict(second.notes)
    by_matrix = {"normalised": matrix.normalised}
    if GUARDED in case_index.case.second_opinions:
        by_matrix[GUARDED] = partial(guarded_trials, case_index, matrix, name=texts.name)
    for key, of_matrix in by_matrix.items():
        try:
            found = of_matrix()
            nats[key] = np.array([found[trial].llr.nats for trial in judged])
        except CalibrationError as error:
            n, fewest = len(matrix.authors), fewest_authors("normalised")
            few = f"{n} reference authors have enough text, and at least {fewest} are needed: others judge each fold."
            notes[key] = f"{METHODS[key].short} was not computed. {few if n < fewest else error}"
    return replace(trials, nats=nats), notes


def _refusal(primary: str, performance: dict[str, Performance], n_authors: int, note: str | None) -> str | None:
    """Why no LR may be reported, to follow "because"; None where one may be."""
    fewest = fewest_authors(primary)
    if n_authors < fewest:
        able = {0: "no reference author has", 1: "only 1 reference author has"}
        return (
            f"{able.get(n_authors, f'only {n_authors} reference authors have')} enough text to validate the method "
            f"under the conditions of the case, and at least {fewest} are needed"
        )
    if primary not in performance:
        return f"the primary method could not be fitted: {(note or '').rstrip('.')}"
    cllr = performance[primary].cllr.value
    assert cllr is not None, "both classes have trials"
    if cllr >= 1:
        return (
            f"validation under the conditions of the case gave a Cllr of {cllr:.2f} for the primary method; 1 is what "
            "saying nothing costs"
        )
    return None


def _red_flags(plan: ValidationPlan) -> tuple[Finding, ...]:
    found = []
    if plan.one_text:
        found.append(finding("validated-within-one-text", "red", ONE_TEXT, ["reference"]))
    cut = [sentence for sentence in plan.given_up if sentence in (HALF, HALF_K)]
    if cut:
        found.append(finding("validated-shorter", "amber", cut[0], ["reference"]))
    return tuple(found)


def _how(plan: ValidationPlan, trials: ValidationTrials) -> tuple[str, ...]:
    condition = plan.condition
    q, k = trials.n_tokens, trials.k_tokens
    unless = ", unless said otherwise" if plan.relaxed else ""
    across = f", which differ in {condition.across}" if condition.across else ""
    where = "the same text of an author" if plan.one_text else f"different texts of an author{across}"
    return (
        f"Q and K are consecutive sentences from {where}, each made of as many texts as in the case{unless}.",
        f"Q has {q.min():,} to {q.max():,} tokens, K {k.min():,} to {k.max():,}.",
        f"Each author gives {len(plan.draws)} Q{'s' if len(plan.draws) > 1 else ''} and as many Ks.",
        "Every author's Q was scored with every author's K. Authors were left out by folds: a trial has both its "
        "authors in one fold, and what normalises and calibrates it comes from authors outside.",
        "The reference of a problem holds texts of the reference's other authors: never those of its own two authors, "
        "and no text of the case.",
        "The logistic regression and the bounds that a trial is judged with were learnt from trials of other authors.",
    )


def _without_trials(case_index: CaseIndex, texts: CaseTexts, plan: ValidationPlan, missing: list[str]) -> Validation:
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
        red_flags=_red_flags(plan),
        missing=tuple(missing),
        refusal=_refusal(case_index.case.primary, {}, len(plan.authors), None)
        or "no problems with known answers could be made of the reference under the conditions of the case",
        relaxed=plan.relaxed,
        left_out=plan.left_out,
    )
