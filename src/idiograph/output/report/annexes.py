"""What stands behind one comparison: the masked words, the strongest n-grams, the sensitivity of the number."""

from collections.abc import Iterator
from itertools import groupby

from idiograph.casework.verification import Comparison, Line, StrongNgram
from idiograph.evidence.llr import from_nats
from idiograph.evidence.methods import METHODS
from idiograph.output.document import Block, Bullets, Picture, Run, Table, paragraph, runs, strong
from idiograph.output.report import figures, heatmap
from idiograph.output.report.words import (
    ROLES,
    as_calculated,
    number,
    ratio_of,
)

# How many n-grams in each direction, lines of each role for one of them, characters on either side of it.
_NGRAMS, _LINES, _CONTEXT = 10, 2, 60


def masked_map(comparison: Comparison) -> Iterator[Block]:
    """The heat map on what was scored, and the strongest n-grams with the lines in which they occur."""
    told = comparison.explanation
    if heatmap.has_original(told):
        yield heatmap.on_masked(told)
    for ngram in _strongest(told.ngrams):
        yield paragraph(
            strong(" ".join(ngram.tokens)),
            f"   {heatmap.signed(ngram.lambda_g)}; {ngram.n_q:,} × in Q, {ngram.n_k:,} × in K, "
            f"{ngram.n_reference:,} × in the reference",
        )
        few = [line for role in ROLES for line in [one for one in ngram.lines if one.role == role][:_LINES]]
        yield Bullets(tuple(_line(line) for line in few), small=True)


def _strongest(ngrams: tuple[StrongNgram, ...]) -> list[StrongNgram]:
    for_candidate = sorted((one for one in ngrams if one.lambda_g > 0), key=lambda one: -one.lambda_g)
    against = sorted((one for one in ngrams if one.lambda_g <= 0), key=lambda one: one.lambda_g)
    return [*for_candidate[:_NGRAMS], *against[:_NGRAMS]]


def _line(line: Line) -> tuple[Run, ...]:
    before, after = (" ".join(part.split()) for part in (line.before, line.after))
    if len(before) > _CONTEXT:
        before = f"… {before[-_CONTEXT:].partition(' ')[2]}"
    if len(after) > _CONTEXT:
        after = f"{after[:_CONTEXT].rpartition(' ')[0]} …"
    return runs(f"{ROLES[line.role]}, {line.text_id}: {before} ", strong(line.match), f" {after}")


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
        "log10 LR with one thing changed at a time. The line is the primary method as calculated, before bounds.",
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
