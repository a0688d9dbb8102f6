"""What a report says about one comparison of a Q with a candidate, from the finding to the words behind it."""

from collections.abc import Iterator

from idiograph.casework.findings import CATALOGUE
from idiograph.casework.verification import Anchor, Comparison, Finding
from idiograph.errors import some
from idiograph.evidence.methods import METHODS
from idiograph.output.document import Block, Box, BoxKind, HeatMap, Picture, Table, paragraph, strong
from idiograph.output.report import figures, heatmap
from idiograph.output.report.words import (
    ROLES,
    SEVERITY,
    as_calculated,
    as_high,
    number,
    numbers_of,
    ratio_of,
)

_GRAVER: dict[BoxKind, str] = {"red": "serious points", "amber": "points of caution"}


def finding(comparison: Comparison) -> Iterator[Block]:
    """What was doubtful, then the conclusion or refusal in its box; the warning; the way from score to number."""
    yield from _doubts(comparison.audit)
    wording = comparison.wording
    if comparison.reported is None:
        yield Box("refusal", "No likelihood ratio is reported", (paragraph(wording.conclusion),))
    else:
        said = [paragraph(strong(wording.conclusion))]
        llr = comparison.reported
        said.append(paragraph("Likelihood ratio (LR) ", strong(ratio_of(llr.nats)), f"; log10 LR {number(llr.log10)}."))
        if wording.verbal:
            said.append(paragraph("Verbal equivalent: ", strong(wording.verbal), f" (scale: {wording.scale})."))
        if wording.bound:
            said.append(paragraph(wording.bound))
        yield Box("finding", "Finding", tuple(said))
    yield Box("warning", "How not to read this", (paragraph(wording.box),))
    yield Table(
        "From the score to the likelihood ratio" if comparison.reported else "What was compared",
        ("quantity", "value"),
        numbers_of(comparison),
        numeric=(1,),
        widths=(7, 3),
    )
    # After a refusal these sentences would let the number out; those about lengths are part of the refusal itself.
    if comparison.outside and comparison.reported:
        yield Box(
            "amber",
            "The case lies outside what was validated",
            tuple(paragraph(sentence) for sentence in comparison.outside),
        )


def _doubts(findings: tuple[Finding, ...]) -> Iterator[Block]:
    """The graver findings by name, so that nobody reads the number before them."""
    named = [
        (severity, tuple(dict.fromkeys(CATALOGUE[one.code].name for one in findings if one.severity == severity)))
        for severity in _GRAVER
    ]
    found = [(severity, names) for severity, names in named if names]
    if found:
        said = "; ".join(f"{_GRAVER[severity]}: {', '.join(names)}" for severity, names in found)
        sentence = f"The checks of the texts raised {said}. They are explained under “Checks of the texts”."
        yield Box(found[0][0], "Before the number", (paragraph(sentence),))


def audit(findings: tuple[Finding, ...]) -> Iterator[Block]:
    """What is wrong or doubtful about the texts, the serious first, each with a remedy."""
    if not findings:
        yield paragraph("The checks of the texts found nothing to report.")
        return
    order: tuple[BoxKind, ...] = ("red", "amber", "note")
    for severity in order:
        for one in findings:
            if one.severity == severity:
                unnamed = [id_ for id_ in one.where if id_ not in one.message and id_ not in ROLES]
                where = f" ({some(unnamed)})" if unnamed else ""
                said = (paragraph(one.message + where), paragraph(one.remedy, small=True))
                yield Box(severity, SEVERITY[severity], said)


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


def _anchored(rows: tuple[Anchor, ...], comparison: Comparison, xlabel: str) -> figures.Plot:
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
        "Each known text, treated as if it were questioned, against the other known texts.",
    )
    if found.known_low:
        yield Box(
            "amber",
            SEVERITY["amber"],
            (
                paragraph(
                    f"These known texts do not fit the rest of K: {', '.join(found.known_low)}. They may be by another "
                    "writer or of another kind; find out which before relying on the result."
                ),
            ),
        )
    else:
        yield paragraph("Every known text fits the others.")


def explanation(comparison: Comparison, prefix: str) -> Iterator[Block]:
    """Where in the text λG comes from, on the words as they were written."""
    told = comparison.explanation
    yield paragraph(
        "Blue with a solid line below: the candidate's model expects the token more than the reference models do. "
        "Orange with a dotted line below: less. The steps are the same in every report. ¶ is the end of a sentence, "
        "which is scored too. The strongest step is also bold (for the candidate) or italic (for the reference)."
    )
    yield HeatMap("", (heatmap.legend(),))
    yield heatmap.on_original(told) or heatmap.on_masked(told)
    yield heatmap.sentence_table(told)
    yield heatmap.token_table(told)
    if len(told.sentences) > 1:
        yield Picture(
            figures.growth(
                tokens=[row.n_tokens for row in told.sentences], lambda_g=[row.lambda_g for row in told.sentences]
            ),
            f"{prefix}growth",
            "λG as the questioned text is read. Evidence spread over the text rises or falls steadily; a jump is one "
            "sentence.",
        )
