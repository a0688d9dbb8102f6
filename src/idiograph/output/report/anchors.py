"""How many others score as high: the case against every reference author, and the known texts against each other."""

from collections.abc import Iterator

from idiograph.casework.verification import Anchor, Comparison
from idiograph.evidence.methods import METHODS
from idiograph.output.document import Block, Picture, paragraph
from idiograph.output.plot import Plot, undrawn
from idiograph.output.report import figures
from idiograph.output.report.words import as_calculated, as_high


def anchors(comparison: Comparison, prefix: str) -> Iterator[Block]:
    """The case's Q against others' writings, others' writings against the case's K."""
    found = comparison.anchors
    if found is None:
        yield paragraph("This comparison with the reference authors was not made.")
        return
    yield paragraph(" ".join(found.how))
    for kind, rows, count, sentence, xlabel in (
        (
            "trace",
            found.trace,
            found.trace_as_high,
            f"{comparison.label} against samples of the reference authors, each as long as the known texts",
            f"log10 LR of {comparison.label} against each author",
        ),
        (
            "source",
            found.source,
            found.source_as_high,
            f"samples of the reference authors, each as long as {comparison.label}, against the candidate's known "
            "texts",
            "log10 LR of each sample against K",
        ),
    ):
        if rows:
            yield Picture(
                _anchored(rows, comparison, xlabel),
                f"{prefix}{kind}_anchored",
                f"{sentence[0].upper()}{sentence[1:]}. As high as the case or higher: {as_high(count, len(rows))}.",
            )


def _anchored(rows: tuple[Anchor, ...], comparison: Comparison, xlabel: str) -> Plot:
    return figures.anchored(
        names=[row.name for row in rows],
        llrs=[row.nats for row in rows],
        case=as_calculated(comparison),
        xlabel=f"{xlabel} ({METHODS[comparison.primary].name})",
        case_name="this case",
        others_name="reference authors",
    )


def known_texts(comparison: Comparison, prefix: str) -> Iterator[Block]:
    """Every known text against the others: is K one writer?"""
    found = comparison.anchors
    if found is None or not found.known:
        yield paragraph("The known texts could not be compared with each other: at least two are needed.")
        return
    yield Picture(
        figures.dots(
            rows=[(row.name, [row.nats]) for row in found.known],
            xlabel="log10 LR of each known text against the other known texts",
        ),
        f"{prefix}known_texts",
        "Each known text, treated as if it were questioned, against the other known texts."
        + undrawn(row.name for row in found.known),
    )
    yield paragraph(fit_of_known(comparison))


def fit_of_known(comparison: Comparison) -> str:
    """Whether the known texts fit each other, in a sentence; empty where that could not be seen."""
    found = comparison.anchors
    if found is None or not found.known:
        return ""
    if not found.known_low:
        return "Each known text, compared with the other known texts, fits them."
    one = len(found.known_low) == 1
    return (
        f"{'This known text does' if one else 'These known texts do'} not fit the rest of K: "
        f"{', '.join(found.known_low)}. {'It' if one else 'They'} may be by another writer or of another kind, which "
        "must be known before the result is relied on."
    )


def others_as_high(comparison: Comparison) -> str:
    """How many of the reference authors score as high as the case, in a sentence; empty where it was not tried."""
    found = comparison.anchors
    if found is None or not (found.trace and found.source):
        return ""
    return (
        f"{comparison.label} was also compared with as much text of each reference author as K has: "
        f"{as_high(found.trace_as_high, len(found.trace))} scored as high as the case or higher. Samples of the "
        f"reference authors, as long as {comparison.label}, were compared with K: "
        f"{as_high(found.source_as_high, len(found.source))} scored as high or higher."
    )
