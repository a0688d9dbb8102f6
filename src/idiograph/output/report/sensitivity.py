"""What the number rests on: the score with its error, and the LR with one thing changed at a time."""

from collections.abc import Iterator
from itertools import groupby

from idiograph.casework.verification import Comparison
from idiograph.casework.wording import ratio_of
from idiograph.evidence.llr import from_nats
from idiograph.evidence.methods import METHODS
from idiograph.output.document import Block, Picture, Table, paragraph
from idiograph.output.plot import undrawn
from idiograph.output.report import figures, heatmap
from idiograph.output.report.words import as_calculated, number

_KINDS = {
    "correction": "Corrections and calibration",
    "known_text": "Each known text left out in turn",
    "seed": "Other random draws of the reference (seeds)",
    "order": "Other lengths of n-gram (N)",
    "repetitions": "Other numbers of reference models (r)",
}


def sensitivity(comparison: Comparison, prefix: str) -> Iterator[Block]:
    """What the number would be with one thing changed; no words of the scale here."""
    told = comparison.sensitivity
    if told is None:
        yield paragraph("The sensitivity of the result was not examined.")
        return
    yield paragraph(told.sentence)
    if comparison.range is not None:
        yield paragraph(
            comparison.range.sentence,
            " Its ends differ by more than a factor of two, so one figure of the LR is given."
            if comparison.range.figures == 1
            else "",
        )
    yield paragraph(
        f"Over the {len(comparison.score.reference_totals)} reference models λG has a standard deviation of "
        f"{number(told.spread)}; the error of λG, their mean, is {number(told.standard_error)} (sd/√r)"
        + (f", and over the seeds tried it has a standard deviation of {number(told.seed_spread)}" if told.seed_spread
           is not None else "")
        + ". All in log10 units."
    )  # fmt: skip
    rows = [
        (METHODS[one.label].name if one.kind == "correction" else _label(one.kind, one.label), [one.nats])
        for one in told.alternatives
        if one.kind != "seed"
    ]  # fmt: skip
    seeds = [one.nats for one in told.of("seed")]
    yield Picture(
        figures.dots(rows=[*rows, *([("other seeds", seeds)] if seeds else [])], primary=as_calculated(comparison)),
        f"{prefix}sensitivity",
        "log10 LR with one thing changed at a time. The line is the primary method as calculated, before bounds."
        + undrawn(name for name, _ in rows),
    )
    for kind, same_kind in groupby(told.alternatives, key=lambda one: one.kind):
        yield Table(
            _KINDS[kind],
            ("what was changed", "λG", "LR", "log10 LR"),
            tuple(
                (_label(kind, one.label), heatmap.signed(one.lambda_g), ratio_of(one.nats),
                 heatmap.signed(from_nats(one.nats, "bans")))
                for one in same_kind
            ),
            numeric=(1, 2, 3),
            widths=(8, 3, 3, 3),
        )  # fmt: skip


def _label(kind: str, label: str) -> str:
    if kind == "correction":
        return METHODS[label].name_and_source
    return {"known_text": "without {}", "seed": "seed {}", "order": "N = {}", "repetitions": "r = {}"}[kind].format(
        label
    )
