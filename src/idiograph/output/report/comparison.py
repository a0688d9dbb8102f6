"""What a report says about one comparison of a Q with a candidate: the texts, their checks, where the evidence lies."""

from collections.abc import Iterator

from idiograph.casework.findings import CATALOGUE
from idiograph.casework.verification import Comparison, Finding, SideSummary
from idiograph.errors import some
from idiograph.output.document import Block, Bullets, HeatMap, Table, paragraph, runs, strong
from idiograph.output.report import heatmap
from idiograph.output.report.anchors import fit_of_known
from idiograph.output.report.words import SEVERITY, cut

_SHOWN = 6  # findings in the body of a report
# Tokens of the heat map in the body, so that a comparison takes four pages: fewer the more else there is to say.
_EXTRACT, _LEAST, _USUAL, _PER_TOKEN = 260, 60, 1_100, 8


def texts_compared(comparison: Comparison) -> Iterator[Block]:
    """Q, K and the reference in numbers."""

    def row(name: str, side: SideSummary, authors: str) -> tuple[str, ...]:
        return (name, authors, *(f"{n:,}" for n in (len(side.texts), side.n_sentences, side.n_tokens)))

    reference = comparison.reference
    yield Table(
        "What was compared (sentences and tokens after masking)",
        ("", "written by", "texts", "sentences", "tokens"),
        (
            row(f"{comparison.label} (questioned)", comparison.q, "in question"),
            row("K (known)", comparison.k, comparison.candidate),
            row("reference", reference, f"{len(reference.authors):,} other authors"),
        ),
        numeric=(2, 3, 4),
        widths=(5, 5, 2, 3, 3),
    )


def checks(comparison: Comparison) -> Iterator[Block]:
    """What is doubtful about the texts, the serious first; notes by name alone."""
    findings = comparison.audit
    # After a refusal no number of the case is shown, and this one rests on its K.
    if comparison.reported is not None and (fit := fit_of_known(comparison)):
        yield paragraph(fit)
    grave = [one for severity in ("red", "amber") for one in findings if one.severity == severity]
    notes = tuple(dict.fromkeys(CATALOGUE[one.code].name for one in findings if one.severity == "note"))
    if not findings:
        yield paragraph("The checks of the texts found nothing to report.")
        return
    if grave:
        shown = (runs(strong(f"{SEVERITY[one.severity]}: "), cut(one.message)) for one in grave[:_SHOWN])
        yield Bullets(tuple(shown))
    more = len(grave) - _SHOWN
    said = [f"{more} more point{'' if more == 1 else 's'}"] if more > 0 else []
    said += [f"notes on {', '.join(notes)}"] if notes else []
    left = f", together with {' and '.join(said)}" if said else ""
    yield paragraph(f"What to do about each of them stands in the annexes{left}.", small=True)


def all_checks(findings: tuple[Finding, ...]) -> Iterator[Block]:
    """Every finding whole, with the texts it is about and what to do."""
    if not findings:
        yield paragraph("The checks of the texts found nothing to report.")
        return
    rows = []
    for severity in SEVERITY:
        for one in findings:
            if one.severity == severity:
                unnamed = [id_ for id_ in one.where if id_ not in one.message and id_ not in ("q", "k", "reference")]
                where = f" ({some(unnamed)})" if unnamed else ""
                rows.append((SEVERITY[severity], one.message + where, one.remedy))
    yield Table(
        "The checks of the texts, the most serious first",
        ("", "what was found", "what to do"),
        tuple(rows),
        widths=(2, 9, 6),
    )


def evidence(comparison: Comparison) -> Iterator[Block]:
    """The words with the strongest evidence, as they were written."""
    yield from how_to_read_it()
    yield heatmap.extract(comparison.explanation, _room(comparison))


def _room(comparison: Comparison) -> int:
    """How many tokens the heat map of the body may have."""
    said = [one.message for one in comparison.audit if one.severity != "note"]
    missing = comparison.validation.missing if comparison.validation else ()
    characters = sum(len(cut(one)) for one in (*said, *missing, *comparison.outside, *comparison.wording.limits))
    return min(_EXTRACT, max(_LEAST, _EXTRACT - (characters - _USUAL) // _PER_TOKEN))


def how_to_read_it() -> Iterator[Block]:
    """What the colours of a heat map mean."""
    yield paragraph(
        "Blue with a solid line below: the candidate's model expects the token more than the reference models do. "
        "Orange with a dotted line: less. The strongest step is also bold (candidate) or italic (reference). ¶ is the "
        "end of a sentence, which is scored too. A colour is not a reason: that a word is blue does not make it a "
        "habit of the candidate."
    )
    yield HeatMap("", (heatmap.legend(),))
