"""The first page: both propositions, what was found, what it rests on, how well the method does, its limits."""

from collections.abc import Iterator
from itertools import combinations

from idiograph.casework.findings import CATALOGUE
from idiograph.casework.verification import Comparison, Finding, Verification
from idiograph.casework.wording import between_candidates, percent
from idiograph.evidence.methods import METHODS
from idiograph.output.document import Block, Box, Paragraph, Table, bullets, paragraph, strong
from idiograph.output.report.words import (
    NOT_VALIDATED,
    as_calculated,
    as_strong,
    count,
    cut,
    interval,
    number,
    range_of,
)

_IN_SUMMARY = 5  # sentences of the limits
OF_RATIOS = (
    "The ratio of two candidates is the quotient of their LRs as calculated, before bounds: both have the same "
    "questioned text, method, reference and population. It says nothing about a third person; ratios were not "
    "validated, and no bound limits them."
)
_GRAVER = {"red": "serious points", "amber": "points of caution"}


def summary(comparison: Comparison, verification: Verification) -> Iterator[Block]:
    """One comparison in a box, and how not to read it."""
    wording, reported = comparison.wording, comparison.reported is not None
    before = [*_doubts(comparison.audit), *wording.before]
    said = [
        paragraph(strong("Hp: "), wording.hp),
        paragraph(strong("Hd: "), wording.hd),
        paragraph(strong("Population: "), verification.case.population),
        *([paragraph(strong("Before the number: "), " ".join(before))] if before else []),
        *(_finding(comparison) if reported else [paragraph(strong(f"Finding: {wording.conclusion}"))]),
        paragraph(strong("What it rests on: "), _rests_on(comparison)),
        paragraph(strong("How well the method does here: "), _how_well(comparison)),
        paragraph(strong("Limits: "), " ".join(wording.limits[:_IN_SUMMARY])),
    ]
    yield Box("finding" if reported else "refusal", "Summary", tuple(said))
    yield Box("warning", "How not to read this", (paragraph(wording.box),))


def further_limits(verification: Verification) -> tuple[str, ...]:
    """The limits that the summaries leave out, each once."""
    every = (cut(one) for each in verification.comparisons for one in each.wording.limits[_IN_SUMMARY:])
    return tuple(dict.fromkeys(every))


def _finding(comparison: Comparison) -> Iterator[Paragraph]:
    wording, llr = comparison.wording, comparison.reported
    assert llr is not None
    assert wording.value is not None
    yield paragraph(strong(f"Finding: {wording.conclusion}"))
    scale = f" In the words of the scale {wording.scale}: {wording.verbal}." if wording.verbal else ""
    more = [one for one in (wording.bound, wording.range, *comparison.outside, wording.also) if one]
    yield paragraph(
        "Likelihood ratio (LR) ",
        strong(wording.value),
        f"; log10 LR {number(llr.log10)}.{scale}",
        "".join(f" {one}" for one in more),
    )


def _doubts(findings: tuple[Finding, ...]) -> Iterator[str]:
    """The graver findings by name, so that nobody reads the number before them."""
    found = []
    for severity, called in _GRAVER.items():
        names = dict.fromkeys(CATALOGUE[one.code].name for one in findings if one.severity == severity)
        if names:
            found.append(f"{called}: {', '.join(names)}")
    if found:
        yield f"The checks of the texts raised {'; '.join(found)}."


def _rests_on(comparison: Comparison) -> str:
    q, k, reference = comparison.q, comparison.k, comparison.reference
    return (
        f"{comparison.label} ({q.n_tokens:,} tokens), {count(len(k.texts), 'known text')} of {comparison.candidate} "
        f"({k.n_tokens:,} tokens) and {count(len(reference.texts), 'reference text')} by "
        f"{count(len(reference.authors), 'other author')} ({reference.n_tokens:,} tokens), compared by the "
        f"{METHODS[comparison.primary].name_and_source}."
    )


def _how_well(comparison: Comparison) -> str:
    validation = comparison.validation
    if validation is None:
        return NOT_VALIDATED
    performance = validation.performance.get(comparison.primary)
    if performance is None:
        return "The method could not be validated under the conditions of the case."
    cllr = performance.cllr
    between = f", 95 % interval {interval(cllr)}" if cllr.low is not None else ""
    said = (
        f"On problems with known answers, made like this case from {len(validation.authors):,} reference authors, its "
        f"Cllr was {number(cllr.value)} (0 is perfect, 1 is what saying nothing costs{between}). "
        f"{percent(performance.same_right.value)} of the same-author problems gave an LR above 1 and "
        f"{percent(performance.different_right.value)} of the others one below 1."
    )
    if comparison.as_strong is not None and comparison.wording.also is not None:  # the findings help to choose
        said += f" Evidence as strong as this misled in {as_strong(comparison.as_strong)}."
    return said


def all_comparisons(verification: Verification) -> Iterator[Block]:
    """Every comparison in one table, and how candidates for the same Q compare with each other."""
    rows = []
    for one in verification.comparisons:
        performance = one.validation.performance.get(one.primary) if one.validation else None
        cllr = number(performance.cllr.value) if performance else "none"
        rows.append((one.label, one.candidate, *_valued(one), cllr))
    yield paragraph(strong("Population: "), verification.case.population)
    yield Table(
        f"The {len(rows)} comparisons of this case. Each is a result of its own; they are not independent.",
        ("questioned", "candidate", "LR", "range as calculated", "log10 LR", "verbal equivalent", "Cllr"),
        tuple(rows),
        numeric=(2, 4, 6),
        widths=(3, 4, 2, 4, 2, 5, 2),
    )
    if said := tuple(ratios(verification)):
        yield bullets(said)
        yield paragraph(OF_RATIOS, small=True)


def _valued(one: Comparison) -> tuple[str, str, str, str]:
    """The LR with its range, its logarithm and its words, or that there is none."""
    if one.reported is None:
        return "none", "", "", "none is reported"
    value, verbal = one.wording.value or "", one.wording.verbal or "none"
    return value, range_of(one) or "none", number(one.reported.log10), verbal


def ratios(verification: Verification) -> Iterator[str]:
    """How many times more likely the findings are under one candidate than under another, for every pair of one Q."""
    for one, other in combinations(verification.comparisons, 2):
        both = one.reported is not None and other.reported is not None
        if both and one.label == other.label and one.primary == other.primary:
            yield between_candidates(
                as_calculated(one),
                as_calculated(other),
                label=one.label,
                candidate=one.candidate,
                other=other.candidate,
                figures=min(each.range.figures if each.range else 2 for each in (one, other)),
            )
