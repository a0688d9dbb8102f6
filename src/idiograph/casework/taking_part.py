"""Problems with known answers, made of the reference the way the case is made: who can take part, and on which terms.

Everyone who has the text takes part, on the strictest terms that their texts meet: as many texts in Q and in K as the
case has, else as many as it takes; the lengths of the case, else up to a tenth less. Where they are too few, what the
case asks for is given up step by step, each step said: first the field (work, topic, date) in which Q and K differ,
then half of the lengths, and only then the rule that Q and K are different texts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isqrt

import numpy as np

from idiograph.casework.case_index import CaseIndex
from idiograph.casework.findings import FEWEST_TOKENS, GOOD_TOKENS, HALF, HALF_K, ONE_TEXT
from idiograph.casework.inputs import CaseTexts, Texts, n_tokens, shortened
from idiograph.casework.verification import AuthorReason
from idiograph.errors import counted, some
from idiograph.evidence.closeness import log_closeness
from idiograph.evidence.methods import METHODS, by_matrix
from idiograph.grammar.vocabulary import Numbers
from idiograph.studies import problems as folds
from idiograph.studies.drawing import Condition, Sample, draw_q_and_k
from idiograph.studies.material import Material, author_rng
from idiograph.studies.topics import candidates, close_in_topic

# Lengths that are tried, as shares of the case's; the last is the least that is accepted.
LENGTHS = (1.0, 0.95, 0.9)
# Orders of an author's texts that are tried where the first cannot be divided into a Q and a K.
_ORDERS = 50
OTHER_TEXTS = "any number of texts"  # given up: that Q and K are made of so many texts as in the case


def draw_sample(
    material: Material,
    author: str,
    texts: Numbers,
    condition: Condition,
    *,
    one_text: bool = False,
    seed: int,
    candidate: int = 0,
) -> Sample | None:
    """An author's Q and K on the strictest terms that these texts meet; None where they meet none.

    Another `candidate` is another draw on these terms.
    """
    tokens = int(material.text_tokens[texts].sum())
    for terms in _terms(condition):
        sample = None
        if one_text:
            sample = _of_one_text(material, author, texts, terms)
        elif len(texts) > 1 and tokens > (terms.q_tokens or 0) + (terms.k_tokens or 0) + 1:
            sample = draw_q_and_k(material, author, texts, terms, seed=seed, orders=_ORDERS, candidate=candidate)
        if sample is not None:
            return sample
    return None


def why_not(
    material: Material, texts: Numbers, condition: Condition, *, one_text: bool = False, n_copies: int = 0
) -> str:
    """Why an author of whom nothing could be drawn cannot take part; `n_copies` texts were kept out beforehand."""
    lengths = material.text_tokens[texts]
    least = [_shorter(tokens, LENGTHS[-1]) + 1 for tokens in (condition.q_tokens, condition.k_tokens)]
    takes = f"Q and K take at least {sum(least):,} ({least[0]:,} and {least[1]:,})"
    besides = f" (besides {n_copies} that repeat{'s' if n_copies == 1 else ''} another)" if n_copies else ""
    if one_text:
        return f"the longest text has {counted(int(lengths.max(initial=0)), 'token')}, and {takes}"
    if len(texts) < 2:
        return f"only one text{besides}, and Q and K must come from different texts"
    held = f"{counted(int(lengths.sum()), 'token')} in {len(texts)} texts{besides}"
    if int(lengths.sum()) < sum(least):
        return f"{held}, and {takes}"
    across = condition.across
    if across is not None:
        named = set(material.values(across, texts)) - {None}
        if len(named) < 2:
            which = f"are of one {across}" if named else f"name no {across}"
            return f"all texts {which}, and Q and K must differ in it"
    other = f" of another {across}" if across else ""
    return f"{held} that cannot be divided into {least[0]:,} for Q and {least[1]:,} in other texts{other} for K"


def relaxed_terms(
    samples: Sequence[Sample], condition: Condition, *, q_texts: int, k_texts: int
) -> tuple[tuple[AuthorReason, ...], tuple[str, ...]]:
    """Every author whose Q or K is not made as the condition says, with what differs; and the same in sentences."""
    n_authors = len({sample.author for sample in samples})
    remarks = (
        (
            f"{OTHER_TEXTS}, not {q_texts} for Q and {k_texts} for K as in the case",
            f"Q and K come from {OTHER_TEXTS}, not from {q_texts} and {k_texts} as in the case",
            [
                sample.author
                for sample in samples
                if (sample.condition.q_texts, sample.condition.k_texts) != (q_texts, k_texts)
            ],
        ),
        (
            "lengths that fall short by up to a tenth",
            "Q and K are up to a tenth shorter than in the case",
            [sample.author for sample in samples if sample.condition.q_tokens != condition.q_tokens],
        ),
    )
    notes, sentences = [], []
    for reason, sentence, among in remarks:
        authors = sorted(set(among))
        notes += [AuthorReason(author, reason) for author in authors]
        if authors:
            who = "all" if len(authors) == n_authors else f"{len(authors)} of the {n_authors}"
            named = "" if len(authors) == n_authors else f" ({some(authors)})"
            sentences.append(f"In the validation problems of {who} authors{named}, {sentence}.")
    return tuple(notes), tuple(sentences)


@cache
def _terms(condition: Condition) -> tuple[Condition, ...]:
    """The condition, and what an author may fall back on, strictest first: the same for every author."""
    loose = replace(condition, q_texts=None, k_texts=None)
    shorter = (
        replace(loose, q_tokens=_shorter(condition.q_tokens, share), k_tokens=_shorter(condition.k_tokens, share))
        for share in LENGTHS
    )
    return (*([condition] if condition != loose else []), *shorter)


def _shorter(tokens: int | None, share: float) -> int:
    """The tokens that a side passes with its last sentence, so that it has at least this share of its length."""
    assert tokens is not None, "sentences are drawn in a row"
    return max(1, -int(-share * (tokens + 1) // 1) - 1)


def _of_one_text(material: Material, author: str, texts: Numbers, terms: Condition) -> Sample | None:
    """Q from the start and K from the end of the longest text."""
    text = max(texts.tolist(), key=lambda number: (material.text_tokens[number], -number))
    first, last = int(material.starts[text]), int(material.starts[text + 1])
    before = material.tokens_before
    q_end = int(np.searchsorted(before, before[first] + (terms.q_tokens or 1), side="right"))
    k_start = int(np.searchsorted(before, before[last] - (terms.k_tokens or 1), side="left")) - 1
    if q_end > last or k_start < q_end:
        return None
    return Sample(author, np.arange(first, q_end), np.arange(k_start, last), np.array([text]), terms)


def draw_samples(
    material: Material, texts_by: Mapping[str, Numbers], condition: Condition, *, one_text: bool = False, seed: int
) -> tuple[Sample, ...]:
    """The samples of everyone who can take part, by author."""
    drawn = (
        draw_sample(material, author, texts_by[author], condition, one_text=one_text, seed=seed)
        for author in sorted(texts_by)
    )
    return tuple(sample for sample in drawn if sample is not None)


# Below five authors a Cllr is hardly more than an anecdote; from twenty on nothing is given up to have more.
FEWEST_AUTHORS, ENOUGH_AUTHORS = 5, 20
# A step that keeps more of the case's conditions is preferred while it keeps this share of the authors.
_KEPT = 0.6
# About a minute of one core: tokens that the models of all problems read together.
_BUDGET = 400_000_000
_MOST_PROBLEMS = 1_600
_MOST_DRAWS = 5
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
    return folds.FEWEST_AUTHORS if primary in METHODS and by_matrix(primary) else FEWEST_AUTHORS


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
        sufficient = next((plan for plan in plans if len(plan.draws[0]) >= wanted), None)
        if sufficient is not None:
            best = sufficient
            break
        best = max([best, *plans], key=lambda plan: len(plan.draws[0]))
    able = {sample.author for sample in best.draws[0]}
    best = _affordable_part(case_index, best)
    taking_part = best.draws[0]
    n_draws = _n_draws(case_index, best)
    kept = {sample.author for sample in taking_part}
    if case_index.compares_topic and not best.one_text:
        draws = _as_close_as_the_case(case_index, texts, best, n_draws)
    else:
        more = [_samples(case_index, best.condition, one_text=False, draw=draw) for draw in range(1, n_draws)]
        draws = (taking_part, *(tuple(sample for sample in samples if sample.author in kept) for samples in more))
    relaxed, remarks = relaxed_terms(
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
    return replace(best, draws=draws, given_up=(*best.given_up, *remarks), relaxed=relaxed, left_out=left_out)


def plan_at_length(case_index: CaseIndex, texts: CaseTexts) -> tuple[CaseTexts, ValidationPlan]:
    """The plan, and the texts as they are compared: cut where too few reference authors have as much.

    What is found at one length says little about others, so the case is then compared at the length there is. Where
    half will do, that matters to what the reference measures: scores of the case go by its length as theirs do. Where
    it will not, K is cut for every method.
    """
    plan, fewest = plan_validation(case_index, texts), fewest_authors(case_index.case.primary)
    if len(plan.authors) >= fewest and not plan.one_text:
        return _at_half(case_index, texts, plan) if by_matrix(case_index.case.primary) else (texts, plan)
    tokens = n_tokens(texts.k) // 4
    while tokens >= GOOD_TOKENS:
        shorter = replace(texts, k=shortened(texts.k, tokens))
        another = plan_validation(case_index, shorter)
        if len(another.authors) >= fewest and not another.one_text and not _is_halved(another):
            return shorter, another
        tokens //= 2
    return texts, plan


def cut_sides(whole: CaseTexts, texts: CaseTexts) -> list[tuple[str, Texts, Texts]]:
    """The sides of a comparison that `plan_at_length` cut: the name of each, all of it, and what is left."""
    sides = ((texts.label, whole.q, texts.q), ("K", whole.k, texts.k))
    return [(name, before, after) for name, before, after in sides if n_tokens(after) < n_tokens(before)]


def _at_half(case_index: CaseIndex, texts: CaseTexts, plan: ValidationPlan) -> tuple[CaseTexts, ValidationPlan]:
    """The texts cut to the lengths of the plan, and the plan for these; as they are where that cannot be."""
    if not _is_halved(plan) or min(plan.q_tokens, plan.k_tokens) < FEWEST_TOKENS:
        return texts, plan
    q = shortened(texts.q, plan.q_tokens) if HALF in plan.given_up else texts.q
    shorter = replace(texts, q=q, k=shortened(texts.k, plan.k_tokens))
    another = plan_validation(case_index, shorter)
    enough = len(another.authors) >= fewest_authors(case_index.case.primary)
    return (shorter, another) if enough and not another.one_text and not _is_halved(another) else (texts, plan)


def _is_halved(plan: ValidationPlan) -> bool:
    return HALF in plan.given_up or HALF_K in plan.given_up


def _as_close_as_the_case(
    case_index: CaseIndex, texts: CaseTexts, plan: ValidationPlan, n_draws: int
) -> tuple[tuple[Sample, ...], ...]:
    """Of each author's candidates those whose Q and K are as close in topic as the case's, the nearest first."""
    material, firsts = case_index.material, {sample.author: sample for sample in plan.draws[0]}
    aim = float(log_closeness(np.array(case_closeness(case_index, texts, firsts))))

    def draw_another(author: str, candidate: int) -> Sample | None:
        texts, seed = case_index.own_texts[author], case_index.case.seed
        return draw_sample(material, author, texts, plan.condition, seed=seed, candidate=candidate)

    ranked = []
    for _, samples, close in candidates(material, firsts, draw_another):
        away = np.abs(log_closeness(close) - aim)
        ranked.append([samples[at] for at in np.argsort(away, kind="stable").tolist()])
    return tuple(tuple(samples[draw] for samples in ranked if draw < len(samples)) for draw in range(n_draws))


def case_closeness(case_index: CaseIndex, texts: CaseTexts, firsts: Mapping[str, Sample]) -> float:
    """c of the case's own Q and K, in the cohort of these first samples."""
    q, k = (case_index.part(side).sentence_numbers for side in (texts.q, texts.k))
    return float(close_in_topic(case_index.material, firsts, len(firsts), qs=[q], ks=[k])[0, 0])


def shortage(case_index: CaseIndex, texts: CaseTexts, plan: ValidationPlan) -> str | None:
    """What the reference lacks for a full validation, and what it would take; None where it lacks nothing."""
    n, n_q, n_k = len(plan.authors), n_tokens(texts.q), n_tokens(texts.k)
    if n >= ENOUGH_AUTHORS:
        return None
    across = differing_field(case_index.material, texts)
    other = f"in other texts, of another {across}," if across else "in other texts"
    n_all = len(case_index.authors)
    return (
        f"{'All' if n == n_all else f'{n} of the'} {n_all} reference authors could take part. Narrower intervals and "
        f"wider bounds need {ENOUGH_AUTHORS} authors with {n_q:,} tokens for Q and {n_k:,} tokens {other} for K, from "
        "any number of texts; up to a tenth less will do."
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
    shuffled = sorted(samples, key=lambda sample: (author_rng(seed, "pair", sample.author).random(), sample.author))
    sentence = (
        f"Of the {len(samples)} authors who could take part, {most} were drawn at random to limit the computing time."
    )
    kept = tuple(sorted(shuffled[:most], key=lambda sample: sample.author))
    return replace(plan, draws=(kept,), given_up=(*plan.given_up, sentence))


def _n_draws(case_index: CaseIndex, plan: ValidationPlan) -> int:
    """How often each author's texts are divided anew: the more often the fewer authors there are."""
    n = max(1, len(plan.draws[0]))
    if plan.one_text:
        return 1
    return max(1, min(_MOST_DRAWS, _SAME_TRIALS // n, _affordable(case_index, plan) // (n * n)))


_Relaxed = tuple[Condition, bool, tuple[str, ...]]


def full_condition(material: Material, texts: CaseTexts) -> Condition:
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
        stated = bool(q and k) or name in ("work", "date")
        if name in material.fields and stated and not q & k:
            return name
    return None


def _values(texts: Texts, name: str) -> set[str]:
    return {str(text.metadata[name]) for text in texts if text.metadata.get(name) not in (None, "")}


def _samples(case_index: CaseIndex, condition: Condition, *, one_text: bool, draw: int) -> tuple[Sample, ...]:
    return draw_samples(
        case_index.material, case_index.own_texts, condition, one_text=one_text, seed=case_index.case.seed + draw
    )


def _why_not(case_index: CaseIndex, author: str, plan: ValidationPlan) -> str:
    texts = case_index.own_texts[author]
    n_copies = len(case_index.material.texts_by[author]) - len(texts)
    return why_not(case_index.material, texts, plan.condition, one_text=plan.one_text, n_copies=n_copies)


def may_meet(material: Material, condition: Condition, mine: Sample, other: Sample) -> bool:
    """Whether one author's Q and another's K differ in the field as the same-author problems do."""
    if condition.across is None:
        return True
    sentence_text = material.index.sentence_text
    q = set(material.values(condition.across, np.unique(sentence_text[mine.q]))) - {None}
    k = set(material.values(condition.across, np.unique(sentence_text[other.k]))) - {None}
    return not q & k
