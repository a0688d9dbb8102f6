"""Problems with known answers, made of the reference the way the case is made.

Everyone who has the text takes part (`taking_part`). Where they are too few, what the case asks for is given up step by
step, each step said: first the field (work, topic, date) in which Q and K differ, then half of the lengths, and only
then the rule that Q and K are different texts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isqrt

import numpy as np

from idiograph.casework.case_index import CaseIndex
from idiograph.casework.comparison_texts import CaseTexts, Texts, n_tokens
from idiograph.casework.taking_part import Sample, draw_samples, relaxed_terms, why_not
from idiograph.casework.verification import AuthorReason
from idiograph.studies import folds
from idiograph.studies.drawing import Condition
from idiograph.studies.material import Material, author_rng

# Below five authors a Cllr is hardly more than an anecdote; from twenty on nothing is given up to have more.
FEWEST_AUTHORS, ENOUGH_AUTHORS = 5, 20
# A step that keeps more of the case's conditions is preferred while it keeps this share of the authors.
_KEPT = 0.6
# About a minute of one core: tokens that the models of all problems read together.
_BUDGET = 400_000_000
_MOST_PROBLEMS = 1_600
_MOST_DRAWS = 5
HALF_K = "In the validation problems K is half as long as in the case."
HALF = "In the validation problems Q and K are half as long as in the case."
ONE_TEXT = "In the validation problems Q and K of an author come from the same text."
_NOT_DRAWN = "could take part, and is not among those drawn to limit the computing time"
_SAME_TRIALS = 60  # as many same-author trials are aimed at where authors are few


@dataclass(frozen=True)
class ValidationPlan:
    """How the problems are made, what had to be given up, and who takes no part."""

    condition: Condition
    one_text: bool  # Q and K of an author come from one text
    given_up: tuple[str, ...]
    draws: tuple[tuple[Sample, ...], ...]  # several ways to divide each author's texts
    relaxed: tuple[AuthorReason, ...] = ()  # whose problems are not made quite as the condition says
    left_out: tuple[AuthorReason, ...] = ()

    @property
    def authors(self) -> tuple[str, ...]:
        """Those who take part, sorted."""
        return tuple(sorted({sample.author for samples in self.draws for sample in samples}))

    @property
    def q_tokens(self) -> int:
        """What a Q has at least, unless its author's terms are relaxed: it passes the tokens with its last sentence."""
        return (self.condition.q_tokens or 0) + 1

    @property
    def k_tokens(self) -> int:
        """What a K has at least, likewise."""
        return (self.condition.k_tokens or 0) + 1


def fewest_authors(primary: str) -> int:
    """How many authors a validation of this method takes at least: what is normalised is judged by other folds."""
    return folds.FEWEST_AUTHORS if primary == "normalised" else FEWEST_AUTHORS


def plan_validation(case_index: CaseIndex, texts: CaseTexts) -> ValidationPlan:
    """The plan that keeps most of the case's conditions among those that enough authors can meet."""
    best = ValidationPlan(full_condition(case_index.material, texts), False, (), ((),))
    for tier in _tiers(case_index.material, texts):
        plans = []
        for condition, one_text, given_up in tier:
            samples = _samples(case_index, condition, one_text=one_text, draw=0)
            plans.append(ValidationPlan(condition, one_text, given_up, (samples,)))
            if len(samples) >= ENOUGH_AUTHORS:
                break
        most = max(len(plan.draws[0]) for plan in plans)
        wanted = min(ENOUGH_AUTHORS, max(fewest_authors(case_index.case.primary), _KEPT * most))
        found = next((plan for plan in plans if len(plan.draws[0]) >= wanted), None)
        if found is not None:
            best = found
            break
        best = max([best, *plans], key=lambda plan: len(plan.draws[0]))
    able = {sample.author for sample in best.draws[0]}
    best = _affordable_part(case_index, best)
    taking_part = best.draws[0]
    n_draws = _n_draws(case_index, best)
    more = [_samples(case_index, best.condition, one_text=False, draw=draw) for draw in range(1, n_draws)]
    kept = {sample.author for sample in taking_part}
    redrawn = [tuple(sample for sample in samples if sample.author in kept) for samples in more]
    draws = (taking_part, *redrawn)
    relaxed, said = relaxed_terms(
        [sample for samples in draws for sample in samples],
        best.condition,
        q_texts=len(texts.q),
        k_texts=len(texts.k),
    )
    left_out = tuple(
        AuthorReason(author, _NOT_DRAWN if author in able else _why_not(case_index, author, best))
        for author in case_index.authors
        if author not in kept
    )
    return replace(best, draws=draws, given_up=(*best.given_up, *said), relaxed=relaxed, left_out=left_out)


def shortage(case_index: CaseIndex, texts: CaseTexts, plan: ValidationPlan) -> str | None:
    """What the reference lacks for a full validation, and what it would take; None where it lacks nothing."""
    n, n_q, n_k = len(plan.authors), n_tokens(texts.q), n_tokens(texts.k)
    if n >= ENOUGH_AUTHORS:
        return None
    across = full_condition(case_index.material, texts).across
    other = f"in other texts, of another {across}," if across else "in other texts"
    n_all = len(case_index.authors)
    return (
        f"{'All' if n == n_all else f'{n} of the'} {n_all} reference authors could take part. Narrower intervals and "
        f"wider bounds need {ENOUGH_AUTHORS} authors with {n_q:,} tokens for Q and {n_k:,} tokens {other} for K, in as "
        "many texts as it takes; a tenth less is enough."
    )


def _affordable(case_index: CaseIndex, plan: ValidationPlan) -> int:
    """How many problems there is time for."""
    return min(_MOST_PROBLEMS, _BUDGET // (plan.k_tokens * (case_index.case.repetitions + 1)))


def _affordable_part(case_index: CaseIndex, plan: ValidationPlan) -> ValidationPlan:
    """The plan with no more authors than can all meet each other in the time there is."""
    samples, most = plan.draws[0], max(ENOUGH_AUTHORS, isqrt(_affordable(case_index, plan)))
    if len(samples) <= most:
        return plan
    seed = case_index.case.seed
    shuffled = sorted(samples, key=lambda one: (author_rng(seed, "pair", one.author).random(), one.author))
    said = (
        f"Of the {len(samples)} authors who could take part, {most} were drawn at random to limit the computing time."
    )
    kept = tuple(sorted(shuffled[:most], key=lambda one: one.author))
    return replace(plan, draws=(kept,), given_up=(*plan.given_up, said))


def _n_draws(case_index: CaseIndex, plan: ValidationPlan) -> int:
    """How often each author's texts are divided anew: the more often the fewer authors there are."""
    n = max(1, len(plan.draws[0]))
    if plan.one_text:
        return 1
    return max(1, min(_MOST_DRAWS, _SAME_TRIALS // n, _affordable(case_index, plan) // (n * n)))


_Relaxed = tuple[Condition, bool, tuple[str, ...]]


def full_condition(material: Material, texts: CaseTexts) -> Condition:
    """The case's own conditions."""
    return Condition.like(
        n_tokens(texts.q),
        n_tokens(texts.k),
        q_texts=len(texts.q),
        k_texts=len(texts.k),
        across=differing_field(material, texts),
    )


def _tiers(material: Material, texts: CaseTexts) -> Iterator[list[_Relaxed]]:
    """What may be given up: within a tier little by little, from tier to tier only in need."""
    condition = full_condition(material, texts)
    steps: list[_Relaxed] = [(condition, False, ())]
    given_up: tuple[str, ...] = ()
    if condition.across is not None:
        given_up += (f"In the validation problems Q and K of an author may have the same {condition.across}.",)
        condition = replace(condition, across=None)
        steps.append((condition, False, given_up))
    yield steps
    half_k = replace(condition, k_tokens=max(1, (condition.k_tokens or 1) // 2))
    half = replace(half_k, q_tokens=max(1, (condition.q_tokens or 1) // 2))
    yield [
        (half_k, False, (*given_up, HALF_K)),
        (half, False, (*given_up, HALF)),
    ]
    yield [
        (condition, True, (*given_up, ONE_TEXT)),
        (half, True, (*given_up, HALF, ONE_TEXT)),
    ]


def differing_field(material: Material, texts: CaseTexts) -> str | None:
    """The field in which the problems' Q and K are to differ.

    Q and K are different works of different dates unless the texts say otherwise; topics and registers differ only
    where the texts say so.
    """
    for name in ("work", "topic", "register", "date"):
        q, k = _values(texts.q, name), _values(texts.k, name)
        said = bool(q and k) or name in ("work", "date")
        if name in material.fields and said and not q & k:
            return name
    return None


def _values(texts: Texts, name: str) -> set[str]:
    return {str(text.metadata[name]) for text in texts if text.metadata.get(name) not in (None, "")}


def _samples(case_index: CaseIndex, condition: Condition, *, one_text: bool, draw: int) -> tuple[Sample, ...]:
    return draw_samples(
        case_index.material, case_index.own_texts, condition, one_text=one_text, seed=case_index.case.seed + draw
    )


def _why_not(case_index: CaseIndex, author: str, plan: ValidationPlan) -> str:
    own = case_index.own_texts[author]
    n_copies = len(case_index.texts_by(author)) - len(own)
    return why_not(case_index.material, own, plan.condition, one_text=plan.one_text, n_copies=n_copies)


def may_meet(material: Material, condition: Condition, mine: Sample, other: Sample) -> bool:
    """Whether one author's Q and another's K differ in the field as the same-author problems do."""
    if condition.across is None:
        return True
    sentence_text = material.index.sentence_text
    q = set(material.values(condition.across, np.unique(sentence_text[mine.q]))) - {None}
    k = set(material.values(condition.across, np.unique(sentence_text[other.k]))) - {None}
    return not q & k
