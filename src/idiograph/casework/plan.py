"""Before a case: how much text, and how many authors, would it take? Nothing is scored.

What is at hand is read as a case would read it, and who could take part in its validation is found by the validation's
own plan; a side that is not there yet may be given as a number. The plan names the steps that would help most.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from idiograph.arithmetic import exp, quantile
from idiograph.casework.audit import repeated_lines, works_unknown
from idiograph.casework.case import CONTROLLED, PUBLISHED, SIDES, Case, PlanRequest
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.copies import find_copies
from idiograph.casework.inputs import CaseTexts, Inputs, Texts, n_tokens, read_sides
from idiograph.casework.published import Expected, expected, longer_text, nearest_lengths, published
from idiograph.casework.sentences import band_in_words, percent, worth_in_words
from idiograph.casework.taking_part import (
    ENOUGH_AUTHORS,
    OTHER_TEXTS,
    ValidationPlan,
    case_closeness,
    cut_sides,
    differing_field,
    draw_samples,
    fewest_authors,
    plan_at_length,
)
from idiograph.casework.verification import AuthorReason, Finding
from idiograph.checking import checks_arguments, n_workers
from idiograph.errors import InputError, counted
from idiograph.evidence.bounds import NearTrials, bounds_of, pooled_bounds
from idiograph.evidence.closeness import log_closeness
from idiograph.evidence.constants import MIDDLE
from idiograph.evidence.matching import FEWEST, WITHIN
from idiograph.evidence.methods import short_name
from idiograph.evidence.published_trials import read_published, shipped_path
from idiograph.evidence.strength import strength_table
from idiograph.evidence.trials import Trials
from idiograph.showing import one_line
from idiograph.studies.drawing import Condition
from idiograph.studies.topics import close_in_topic
from idiograph.texts.language import ENGLISH
from idiograph.texts.text import MaskedText

_RECURRING = ("repeated-k", "repeated-lines", "repeated-q", "repeated-reference")
_FAR = 2.0  # lengths more than twice or less than half of the published ones


@dataclass(frozen=True)
class AtLengths:
    """How many reference authors could take part in a validation at these lengths."""

    q_tokens: int
    k_tokens: int
    n_authors: int


@dataclass(frozen=True)
class AuthorsFor:
    """How many authors it takes at least for the bounds to support an LR."""

    lr: int
    n_authors: int


@dataclass(frozen=True)
class PlanStep:
    """Something that would make the case better, and why."""

    kind: str  # authors, recipe, works or text
    sentence: str


@dataclass(frozen=True)
class PlanTopics:
    """How close Q and K are in topic (c), and what the reference offers: its authors' Qs and Ks, drawn as close."""

    closeness: float
    same: tuple[float, ...]
    different: tuple[float, ...]

    @property
    def n_same(self) -> int:
        """Authors whose own Q and K are about as close as the case's."""
        return self._as_close(self.same)

    @property
    def n_different(self) -> int:
        """Pairs of different authors that are."""
        return self._as_close(self.different)

    def _as_close(self, among: tuple[float, ...]) -> int:
        case = log_closeness(np.array([self.closeness]))
        return int((np.abs(log_closeness(np.array(among)) - case) <= WITHIN).sum())


@one_line
@dataclass(frozen=True)
class CasePlan:
    """What a case with these texts could come to; None where too little is known to say."""

    q_tokens: int | None
    k_tokens: int | None
    q_texts: int | None
    k_texts: int | None
    n_reference: int | None  # authors of the reference
    n_taking_part: int | None  # of them, who could take part in the validation at these lengths
    given_up: tuple[str, ...]  # what the validation would have to give up
    left_out: tuple[AuthorReason, ...]
    at_lengths: tuple[AtLengths, ...]
    bound: float | None  # the highest LR that so many authors can support at best
    authors_for: tuple[AuthorsFor, ...]
    method: str
    register: str | None
    expected: tuple[Expected, ...]  # by published lengths
    nearest: Expected | None  # at the lengths nearest to these
    findings: tuple[Finding, ...]  # about the texts, as far as they bear on the plan
    steps: tuple[PlanStep, ...]  # the one that helps most first
    source: str  # the study that is quoted
    n_published: int | None = None  # authors of the published validation whom the bounds count, too
    topics: PlanTopics | None = None  # None where texts are not there yet, or came masked

    @property
    def able(self) -> int | None:
        """Who could take part as far as is known: all of the reference, where its texts are not there yet."""
        return self.n_reference if self.n_taking_part is None else self.n_taking_part


def steps_of(
    able: int | None,
    ten: int,
    findings: tuple[Finding, ...],
    near: Expected | None,
    *,
    prepared: bool,
    fewest: int,
    published: NearTrials | None = None,
    topics: PlanTopics | None = None,
) -> Iterator[PlanStep]:
    """What would help, the most important first: a validation at all, one that is true, one that supports an LR of 10.

    `able` authors can take part, `fewest` are the least that a validation takes, `ten` can support an LR of 10,
    together with the published trials where these count. After that comes what more text would bring.
    """
    codes = {entry.code for entry in findings}
    if able is not None and able < fewest:
        yield PlanStep(
            "authors",
            f"More authors with enough text. With {able} nothing can be reported: {fewest} are the least, and "
            f"{ten} can support an LR of 10.",
        )
    recurring = sorted(codes & set(_RECURRING))
    if recurring and not prepared:
        yield PlanStep(
            "recipe",
            f"A recipe that removes what recurs in the texts ({', '.join(recurring)}): --recipe email for mail, "
            "--recipe review for posts. What was copied counts as if it were a habit.",
        )
    if able is not None and fewest <= able < ten:
        best = f"{supported(able, published):,.0f}"
        yield PlanStep("authors", f"More authors with enough text. {able} can support an LR of {best} at best.")
    if "works-unknown" in codes:
        yield PlanStep(
            "works",
            "Naming the works or the dates of the reference's texts; without them the validation may look better than "
            "it is.",
        )
    if topics is not None:
        yield from _topic_steps(topics)
    longer = longer_text(near) if near is not None else None
    if longer is not None:
        now, then = longer
        yield PlanStep(
            "text",
            f"More text, of K above all. On the same corpora, Q {then.q_tokens:,} and K {then.k_tokens:,} tokens had a "
            f"Cllr of {then.cllr:.2f} instead of {now.cllr:.2f}, and {percent(then.share_above_10)} instead of "
            f"{percent(now.share_above_10)} of same-author LRs above 10.",
        )
    if able is not None and ten <= able < ENOUGH_AUTHORS:
        best, better = (f"{supported(n, published):,.0f}" for n in (able, ENOUGH_AUTHORS))
        yield PlanStep(
            "authors",
            f"More authors with enough text. {able} can support an LR of {best} at best, {ENOUGH_AUTHORS} one of "
            f"{better}, with narrower intervals.",
        )


def _topic_steps(topics: PlanTopics) -> Iterator[PlanStep]:
    """Which topics the reference's authors should have."""
    n, close = len(topics.same), topics.n_same
    if 2 * close < n:
        nearer = quantile(topics.same, 0.5) < topics.closeness
        whose = "with several texts on one matter each" if nearer else "with texts on different matters"
        yield PlanStep(
            "topic",
            f"Reference authors {whose}: the Q and K of {f'only {close:,}' if close else 'none'} of "
            f"{counted(n, 'author')} can be drawn as {'close in' if nearer else 'far apart in'} topic as the case's.",
        )
    if topics.n_different < FEWEST:
        yield PlanStep(
            "topic",
            "Reference authors who write about the matter of Q and K: "
            f"{f'only {topics.n_different}' if topics.n_different else 'none'} of "
            f"{counted(len(topics.different), 'pair')} of different authors "
            f"{'is' if topics.n_different < 2 else 'are'} as close in topic, so that what topic alone gives cannot be "
            "told.",
        )


def _which_reference(plan: CasePlan) -> Iterator[str]:
    """What to collect: register above all, then topics."""
    yield "Which reference to collect"
    yield (
        "  Of the register of Q and K, and from their time and medium: by one of another register nothing is reported, "
        "and one of a neighbouring register is not noticed. Name the registers of all three in the case file "
        "([register])."
    )
    if plan.topics is not None:
        topics = plan.topics
        below = percent(sum(c < topics.closeness for c in topics.different) / len(topics.different))
        yield (
            f"  Q and K are closer in topic than {below} of {counted(len(topics.different), 'pair')} of different "
            f"reference authors; {topics.n_same} of {counted(len(topics.same), 'author')} have a Q and a K that are "
            f"about as close, and so {'is' if topics.n_different == 1 else 'are'} {topics.n_different} of these pairs."
        )
    elif plan.method == CONTROLLED:
        yield (
            "  With authors who write about the matter of Q and K, and authors whose own texts are as close in topic "
            "as these two: how close that is can be told once the texts are here."
        )


def plan_lines(plan: CasePlan) -> Iterator[str]:
    """The plan in words, a page of them."""
    yield "At hand"
    for name, tokens, texts in (("Q", plan.q_tokens, plan.q_texts), ("K", plan.k_tokens, plan.k_texts)):
        how = "" if texts is None else f" in {counted(texts, 'text')}"
        yield f"  {name}: " + ("not known yet" if tokens is None else f"{tokens:,} tokens{how}")
    known = plan.n_reference
    yield "  Reference: " + ("not known yet" if known is None else counted(known, "author"))
    for entry in plan.findings:
        yield f"  [{entry.severity}] {entry.message} {entry.remedy}"
    yield ""
    yield "Who can take part in the validation"
    if plan.n_taking_part is not None:
        yield f"  {plan.n_taking_part} of {counted(plan.n_reference or 0, 'author')} at these lengths"
    for sentence in plan.given_up:
        yield f"  {sentence}"
    for author in plan.left_out:
        yield f"  left out: {author.author}: {author.reason}"
    for row in plan.at_lengths:
        yield f"  Q {row.q_tokens:>6,}  K {row.k_tokens:>7,} tokens: {counted(row.n_authors, 'author')}"
    if plan.n_taking_part is None and not plan.at_lengths:
        yield "  That depends on the reference, which is not there yet."
    yield ""
    yield "How strong the evidence can become"
    if plan.bound is not None:
        most = "at most, if all can take part" if plan.n_taking_part is None else "at best"
        yield f"  {counted(plan.able or 0, 'author')} can support an LR of {plan.bound:,.0f} {most}."
    needed = ", ".join(f"{need.lr:,} takes {need.n_authors:,}" for need in plan.authors_for)
    yield f"  An LR of {needed} authors at least; one misleading trial makes it more."
    if plan.n_published is not None:
        yield (
            f"  They are counted together with {plan.n_published:,} authors of the published validation; what the "
            "case's own contradict, these cannot bear out."
        )
    yield ""
    yield from _expectation(plan)
    yield ""
    yield from _which_reference(plan)
    yield ""
    yield "What helps most"
    for number, step in enumerate(plan.steps, start=1):
        yield f"  {number}. {step.sentence}"
    if not plan.steps:
        yield "  Nothing can be told from this alone: make the case."
    yield ""
    yield f"Nothing was scored. Published validation: {plan.source}"


def _expectation(plan: CasePlan) -> Iterator[str]:
    where = f"in the register {plan.register}" if plan.register else "over all registers"
    yield f"What to expect of {short_name(plan.method)}, {where} (published validation, drawn as a case is made)"
    if not plan.expected:
        yield "  The published validation has no figures for it."
    for row in plan.expected:
        mark = "→" if row == plan.nearest else " "
        spread = f", {percent(row.share_low)} to {percent(row.share_high)}" if len(row.corpora) > 1 else ""
        yield (
            f"{mark} Q {row.q_tokens:>6,}  K {row.k_tokens:>7,}: Cllr {row.cllr:.2f} ({row.cllr_low:.2f} to "
            f"{row.cllr_high:.2f}), {percent(row.share_above_10)} of same-author LRs above 10{spread} "
            f"({counted(row.n_authors, 'author')}, {counted(len(row.corpora), 'corpus', 'corpora')})"
        )
    near = plan.nearest
    if near is not None:
        for name, tokens, there in (("Q", plan.q_tokens, near.q_tokens), ("K", plan.k_tokens, near.k_tokens)):
            if tokens is not None and not there / _FAR <= tokens <= there * _FAR:
                yield f"  {name} has {tokens:,} tokens, far from the nearest that was published ({there:,})."
    bands = [band for band in strength_table().methods.get(plan.method, ()) if band.n_true or band.n_wrong]
    if plan.expected and bands:
        yield "  What its reported values were worth against different authors as close in topic, over all registers:"
        for band in bands:
            yield f"    {band_in_words(band)}: {worth_in_words(band)}"


STRENGTHS = (10, 100, 1_000)  # LRs that people ask for
_SEPARATED = 100.0  # nats: beyond any bound that so many authors support
_LARGEST = 10_000_000


@checks_arguments
def plan_case(request: PlanRequest, *, workers: int | None = None) -> CasePlan:
    """Who could take part in the validation of a case with these texts, what to expect of it, and what would help.

    `request` is a PlanRequest: what is at hand as paths, what is not yet there as numbers. `workers` processes are
    used.
    """
    if all(getattr(request, side) is None for side in SIDES):
        raise InputError(
            "There is nothing to plan with. Give --questioned, --known or --reference, as texts or as numbers: "
            "idiograph plan --questioned 500 --known 2000 --reference 30."
        )
    numbers = {side: _number(getattr(request, side)) for side in SIDES}
    inputs = _read(request, numbers, workers=n_workers(workers))
    q, k = (_side(inputs, name, numbers[name]) for name in ("questioned", "known"))
    n_reference = numbers["reference"]
    n_taking_part: int | None = n_reference
    given_up: tuple[str, ...] = ()
    left_out: tuple[AuthorReason, ...] = ()
    at_lengths: tuple[AtLengths, ...] = ()
    findings: tuple[Finding, ...] = ()
    topics: PlanTopics | None = None
    # What is published was measured on English texts.
    rows = expected(request.primary, request.register) if request.language == ENGLISH else ()
    if inputs is not None:
        index, texts, findings = _at_hand(request, inputs, q, k)
        if inputs.reference:
            n_reference, n_taking_part = len(index.authors), None
            at_lengths = tuple(_at_lengths(index, texts, rows))
            if q and k:
                compared, plan = plan_at_length(index, texts)
                n_taking_part, left_out = len(plan.authors), plan.left_out
                topics = _topics(index, texts, plan)
                # How many texts a number of tokens will be is not known, so nothing is given up.
                counted = numbers["questioned"] is None and numbers["known"] is None
                given_up = tuple(sentence for sentence in plan.given_up if counted or OTHER_TEXTS not in sentence)
                if cut := cut_sides(texts, compared):
                    names = " and ".join(name for name, *_ in cut)
                    left = " and ".join(f"{n_tokens(after):,}" for *_, after in cut)
                    given_up = (f"{names} would be cut to {left} tokens, which they have.", *given_up)
    lengths = n_tokens(q) or None, n_tokens(k) or None
    near = nearest_lengths(rows, *lengths) if any(lengths) else None
    able = n_taking_part if n_taking_part is not None else n_reference
    fewest = fewest_authors(request.primary)
    shipped = read_published(shipped_path()) if request.bounds == PUBLISHED else None
    counted_too = shipped.near(request.primary, lengths[1] or MIDDLE) if shipped else None
    needed = {lr: max(fewest, authors_for(lr, counted_too)) for lr in STRENGTHS}
    return CasePlan(
        q_tokens=lengths[0],
        k_tokens=lengths[1],
        q_texts=len(q) if q and numbers["questioned"] is None else None,
        k_texts=len(k) if k and numbers["known"] is None else None,
        n_reference=n_reference,
        n_taking_part=n_taking_part,
        given_up=given_up,
        left_out=left_out,
        at_lengths=at_lengths,
        bound=supported(able, counted_too) if able and able >= fewest else None,
        authors_for=tuple(AuthorsFor(lr, n) for lr, n in needed.items()),
        method=request.primary,
        register=request.register,
        expected=rows,
        nearest=near,
        findings=findings,
        steps=tuple(
            steps_of(
                able,
                needed[10],
                findings,
                near,
                prepared=request.recipe is not None,
                fewest=fewest,
                published=counted_too,
                topics=topics,
            )
        ),
        source=f"{published().source} (table {published().table_sha256[:12]})",
        n_published=counted_too.n_authors if counted_too else None,
        topics=topics,
    )


def _topics(index: CaseIndex, texts: CaseTexts, plan: ValidationPlan) -> PlanTopics | None:
    """How close the case and the reference's draws are in topic; None where that is not known, or nobody is drawn."""
    if not index.compares_topic or len(plan.authors) < 2:
        return None
    samples = {sample.author: sample for sample in plan.draws[0]}
    case = case_closeness(index, texts, samples)
    ks = [sample.k for sample in samples.values()]
    same, different = [], []
    for number, sample in enumerate(samples.values()):
        close = close_in_topic(index.material, samples, number, qs=[sample.q], ks=ks)[0].tolist()
        same.append(close.pop(number))
        different += close
    return PlanTopics(case, tuple(same), tuple(different))


def supported(n_authors: int, published: NearTrials | None = None) -> float:
    """The highest LR that bounds allow with so many authors at best: if not one trial of any of them misleads.

    By ELUB, or, with the published trials, by these authors and those of the trials together.
    """
    names = [f"{number:08}" for number in range(n_authors)]
    # Each against the next is enough: bounds count authors, not pairs.
    pairs = [(name, names[at - 1]) for at, name in enumerate(names)]
    trials = Trials.of(
        same=[_SEPARATED] * n_authors,
        different=[-_SEPARATED] * n_authors,
        same_authors=names,
        different_authors=pairs,
    )
    bounds = bounds_of(trials) if published is None else pooled_bounds(trials, published)
    return exp(bounds.upper)


def authors_for(lr: float, published: NearTrials | None = None) -> int:
    """The smallest number of authors that can support an LR at best, counted with the published trials if given."""
    low, high = 1, 2
    while supported(high, published) < lr * (1 - 1e-9):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if supported(middle, published) >= lr * (1 - 1e-9) else (middle, high)
    return high


def _number(given: str | None) -> int | None:
    """The number that was given in place of texts; None for a path."""
    if given is None:
        return None
    plain = given.replace(",", "")
    if not (plain.isascii() and plain.isdecimal()) or Path(given).exists():
        return None
    if not 1 <= int(plain) <= _LARGEST:
        raise InputError(f"{given} is given in place of texts. Give a number from 1 to {_LARGEST:,}, or a path.")
    return int(plain)


def _read(request: PlanRequest, numbers: Mapping[str, int | None], *, workers: int) -> Inputs | None:
    """The texts that are at hand; None where all sides are numbers."""
    paths = {side: Path(given) for side in SIDES if (given := getattr(request, side)) and numbers[side] is None}
    if not paths:
        return None
    return read_sides(
        request,
        questioned={"Q": paths["questioned"]} if "questioned" in paths else {},
        known={"K": paths["known"]} if "known" in paths else {},
        reference=paths.get("reference"),
        workers=workers,
    )


_PLANNED = "planned"  # the masking of what is not there yet


def _side(inputs: Inputs | None, name: str, number: int | None) -> Texts:
    """Q or K as it is at hand, or a text of so many tokens in its place; nothing where it is not known."""
    if number is not None:
        return (MaskedText(f"{name} to come", None, (("x",) * number,), _PLANNED),)
    if inputs is None:
        return ()
    return next(iter(getattr(inputs, name).values()), ())


def _at_hand(
    request: PlanRequest, inputs: Inputs, q: Texts, k: Texts
) -> tuple[CaseIndex, CaseTexts, tuple[Finding, ...]]:
    """The reference on an index, the texts as a comparison, and the findings that bear on a plan."""
    texts = CaseTexts("Q", "K", q, k, inputs.reference, inputs.originals)
    copies = find_copies(texts)
    findings = (*copies.findings(), *repeated_lines(texts), *(works_unknown(texts) if inputs.reference else ()))
    case = Case(
        questioned={"Q": Path("Q")},
        known={"K": Path("K")},
        reference=Path("reference"),
        population="that of the case to come",
        # Of texts that are not there yet nobody knows the topic.
        primary=request.primary if all(side and side[0].masking != _PLANNED for side in (q, k)) else "normalised",
        seed=request.seed,
        order=1,  # nothing is scored
    )
    return CaseIndex.of(case, inputs, copies=copies.reference), texts, findings


def _at_lengths(index: CaseIndex, texts: CaseTexts, rows: tuple[Expected, ...]) -> Iterator[AtLengths]:
    """Who could take part at the published lengths, and at the case's own."""
    lengths = {(row.q_tokens, row.k_tokens) for row in rows}
    if texts.q and texts.k:
        lengths.add((n_tokens(texts.q), n_tokens(texts.k)))
    across = differing_field(index.material, texts)
    for n_q, n_k in sorted(lengths):
        condition = Condition.like(n_q, n_k, across=across)
        samples = draw_samples(index.material, index.own_texts, condition, seed=index.case.seed)
        yield AtLengths(n_q, n_k, len(samples))
