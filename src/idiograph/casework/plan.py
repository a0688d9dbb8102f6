"""Before a case: how much text, and how many authors, would it take? Nothing is scored.

What is at hand is read as a case would read it, and who could take part in its validation is found by the validation's
own plan; a side that is not there yet may be given as a number.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from idiograph.arguments import checks_arguments
from idiograph.arithmetic import exp
from idiograph.casework.audit import works_unknown
from idiograph.casework.case import Case
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.comparison_texts import CaseTexts, Texts, n_tokens
from idiograph.casework.copies import find_copies
from idiograph.casework.inputs import Inputs, read_sides
from idiograph.casework.plan_request import SIDES, PlanRequest
from idiograph.casework.planned import AtLengths, AuthorsFor, CasePlan, steps_of
from idiograph.casework.published import Expected, expected, nearest_lengths, published
from idiograph.casework.repeated_lines import repeated_lines
from idiograph.casework.taking_part import draw_samples
from idiograph.casework.validation_design import differing_field, fewest_authors, plan_validation
from idiograph.casework.verification import AuthorReason, Finding
from idiograph.checks import n_workers
from idiograph.errors import InputError
from idiograph.evidence.bounds import bounds_of
from idiograph.evidence.trials import Trials
from idiograph.studies.drawing import Condition
from idiograph.texts.masking.languages import ENGLISH
from idiograph.texts.text import MaskedText

STRENGTHS = (10, 100, 1_000)  # LRs that people ask for
_SEPARATED = 100.0  # nats: beyond any bound that so many authors support
_LARGEST = 10_000_000


@checks_arguments
def plan_case(request: PlanRequest, *, workers: int = 1) -> CasePlan:
    """Who could take part in the validation of a case with these texts, what to expect of it, and what would help."""
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
    # What is published was measured on English texts.
    rows = expected(request.primary, request.register) if request.language == ENGLISH else ()
    if inputs is not None:
        index, texts, findings = _at_hand(request, inputs, q, k)
        if inputs.reference:
            n_reference, n_taking_part = len(index.authors), None
            at_lengths = tuple(_at_lengths(index, texts, rows, q, k))
            if q and k:
                plan = plan_validation(index, texts)
                n_taking_part, given_up, left_out = len(plan.authors), plan.given_up, plan.left_out
    lengths = n_tokens(q) or None, n_tokens(k) or None
    near = nearest_lengths(rows, *lengths) if any(lengths) else None
    able = n_taking_part if n_taking_part is not None else n_reference
    fewest = fewest_authors(request.primary)
    return CasePlan(
        q_tokens=lengths[0],
        k_tokens=lengths[1],
        q_texts=_n_texts(q, numbers["questioned"]),
        k_texts=_n_texts(k, numbers["known"]),
        n_reference=n_reference,
        n_taking_part=n_taking_part,
        given_up=given_up,
        left_out=left_out,
        at_lengths=at_lengths,
        bound=supported(able) if able and able >= fewest else None,
        authors_for=tuple(AuthorsFor(lr, authors_for(lr)) for lr in STRENGTHS),
        method=request.primary,
        register=request.register,
        expected=rows,
        nearest=near,
        findings=findings,
        steps=tuple(
            steps_of(able, authors_for(10), findings, near, prepared=request.recipe is not None, fewest=fewest)
        ),
        source=f"{published().source} (table {published().table_sha256[:12]})",
    )


def supported(n_authors: int) -> float:
    """The highest LR that ELUB allows with so many authors at best: if not one trial of any of them misleads."""
    names = [f"{number:08}" for number in range(n_authors)]
    # Each against the next is enough: bounds count authors, not pairs.
    pairs = [(one, names[place - 1]) for place, one in enumerate(names)]
    trials = Trials.of(
        same=[_SEPARATED] * n_authors,
        different=[-_SEPARATED] * n_authors,
        same_authors=names,
        different_authors=pairs,
    )
    return exp(bounds_of(trials).upper)


def authors_for(lr: float) -> int:
    """The smallest number of authors that can support an LR at best."""
    low, high = 1, 2
    while supported(high) < lr * (1 - 1e-9):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if supported(middle) >= lr * (1 - 1e-9) else (middle, high)
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


def _side(inputs: Inputs | None, name: str, number: int | None) -> Texts:
    """Q or K as it is at hand, or a text of so many tokens in its place; nothing where it is not known."""
    if number is not None:
        return (MaskedText(f"{name} to come", None, (("x",) * number,), "planned"),)
    if inputs is None:
        return ()
    return next(iter(getattr(inputs, name).values()), ())


def _n_texts(texts: Texts, number: int | None) -> int | None:
    return len(texts) if texts and number is None else None


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
        primary=request.primary,
        seed=request.seed,
        order=1,  # nothing is scored
    )
    return CaseIndex.of(case, inputs, copies=copies.reference), texts, findings


def _at_lengths(
    index: CaseIndex, texts: CaseTexts, rows: tuple[Expected, ...], q: Texts, k: Texts
) -> Iterator[AtLengths]:
    """Who could take part at the published lengths, and at the case's own."""
    lengths = {(row.q_tokens, row.k_tokens) for row in rows}
    if q and k:
        lengths.add((n_tokens(q), n_tokens(k)))
    across = differing_field(index.material, texts)
    for n_q, n_k in sorted(lengths):
        condition = Condition.like(n_q, n_k, across=across)
        samples = draw_samples(index.material, index.own_texts, condition, seed=index.case.seed)
        yield AtLengths(n_q, n_k, len(samples))
