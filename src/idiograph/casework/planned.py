"""What a plan says: the types, the steps that would help, and the page in words."""

from collections.abc import Iterator
from dataclasses import dataclass

from idiograph.casework.published import Expected, longer_text
from idiograph.casework.validation_design import ENOUGH_AUTHORS
from idiograph.casework.verification import AuthorReason, Finding
from idiograph.casework.wording import percent
from idiograph.errors import counted
from idiograph.evidence.methods import short_name

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

    @property
    def able(self) -> int | None:
        """Who could take part as far as is known: all of the reference, where its texts are not there yet."""
        return self.n_reference if self.n_taking_part is None else self.n_taking_part


def steps_of(
    able: int | None, ten: int, findings: tuple[Finding, ...], near: Expected | None, *, prepared: bool, fewest: int
) -> Iterator[PlanStep]:
    """What would help, the most important first: a validation at all, one that is true, one that supports an LR of 10.

    `able` authors can take part, `fewest` are the least that a validation takes, `ten` can support an LR of 10.
    After that comes what more text would bring.
    """
    codes = {one.code for one in findings}
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
        yield PlanStep("authors", f"More authors with enough text. {able} can support an LR of {able} at best.")
    if "works-unknown" in codes:
        yield PlanStep(
            "works",
            "Naming the works or the dates of the reference's texts; without them the validation may look better than "
            "it is.",
        )
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
        yield PlanStep(
            "authors",
            f"More authors with enough text. {able} can support an LR of {able} at best, {ENOUGH_AUTHORS} one of "
            f"{ENOUGH_AUTHORS}, with narrower intervals.",
        )


def plan_lines(plan: CasePlan) -> Iterator[str]:
    """The plan in words, a page of them."""
    yield "At hand"
    for name, tokens, texts in (("Q", plan.q_tokens, plan.q_texts), ("K", plan.k_tokens, plan.k_texts)):
        how = "" if texts is None else f" in {counted(texts, 'text')}"
        yield f"  {name}: " + ("not known yet" if tokens is None else f"{tokens:,} tokens{how}")
    known = plan.n_reference
    yield "  Reference: " + ("not known yet" if known is None else counted(known, "author"))
    for found in plan.findings:
        yield f"  [{found.severity}] {found.message} {found.remedy}"
    yield ""
    yield "Who can take part in the validation"
    if plan.n_taking_part is not None:
        yield f"  {plan.n_taking_part} of {counted(plan.n_reference or 0, 'author')} at these lengths"
    for said in plan.given_up:
        yield f"  {said}"
    for one in plan.left_out:
        yield f"  left out: {one.author}: {one.reason}"
    for row in plan.at_lengths:
        yield f"  Q {row.q_tokens:>6,}  K {row.k_tokens:>7,} tokens: {counted(row.n_authors, 'author')}"
    if plan.n_taking_part is None and not plan.at_lengths:
        yield "  That depends on the reference, which is not there yet."
    yield ""
    yield "How strong the evidence can become"
    if plan.bound is not None:
        most = "at most, if all can take part" if plan.n_taking_part is None else "at best"
        yield f"  {counted(plan.able or 0, 'author')} can support an LR of {plan.bound:,.0f} {most}."
    needed = ", ".join(f"{one.lr:,} takes {one.n_authors:,}" for one in plan.authors_for)
    yield f"  An LR of {needed} authors at least; one misleading trial makes it more."
    yield ""
    yield from _expectation(plan)
    yield ""
    yield "What helps most"
    for number, step in enumerate(plan.steps, start=1):
        yield f"  {number}. {step.sentence}"
    if not plan.steps:
        yield "  Nothing that could be told from this: make the case."
    yield ""
    yield f"Nothing was scored. Published validation: {plan.source}"


def _expectation(plan: CasePlan) -> Iterator[str]:
    where = f"in the register {plan.register}" if plan.register else "over all registers"
    yield f"What to expect of {short_name(plan.method)}, {where} (published validation, drawn as a case is made)"
    if not plan.expected:
        yield "  The published validation has no figures for it."
    for row in plan.expected:
        mark = "→" if row == plan.nearest else " "
        yield (
            f"{mark} Q {row.q_tokens:>6,}  K {row.k_tokens:>7,}: Cllr {row.cllr:.2f} ({row.cllr_low:.2f} to "
            f"{row.cllr_high:.2f}), {percent(row.share_above_10)} of same-author LRs above 10{_range(row)} "
            f"({counted(row.n_authors, 'author')}, {counted(len(row.corpora), 'corpus', 'corpora')})"
        )
    near = plan.nearest
    if near is not None:
        for name, tokens, there in (("Q", plan.q_tokens, near.q_tokens), ("K", plan.k_tokens, near.k_tokens)):
            if tokens is not None and not there / _FAR <= tokens <= there * _FAR:
                yield f"  {name} has {tokens:,} tokens, far from the nearest that was published ({there:,})."


def _range(row: Expected) -> str:
    """The spread over corpora, where there is more than one."""
    return f", {percent(row.share_low)} to {percent(row.share_high)}" if len(row.corpora) > 1 else ""
