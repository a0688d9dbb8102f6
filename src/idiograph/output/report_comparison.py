"""What a report says about one comparison of a Q with a candidate, from the finding to the words behind it."""

from collections.abc import Iterator
from itertools import groupby

from idiograph.casework.verification import Anchor, Bounds, Comparison, Finding, Validation
from idiograph.evidence.llr import from_nats
from idiograph.output import figures, heatmap
from idiograph.output.document import (
    Block,
    Box,
    Bullets,
    HeatMap,
    Kind,
    Picture,
    Run,
    Table,
    paragraph,
    runs,
    strong,
)
from idiograph.output.report_words import (
    MEANING,
    METHOD_NAMES,
    METRIC_NAMES,
    SEVERITY,
    as_high,
    interval,
    number,
    numbers_of,
    percent,
    ratio_of,
)


def finding(comparison: Comparison) -> Iterator[Block]:
    """The conclusion, or the refusal, in its box; the warning; the way from the score to the number."""
    wording = comparison.wording
    if comparison.reported is None:
        yield Box("refusal", "No likelihood ratio is reported", (paragraph(wording.conclusion),))
    else:
        said = [paragraph(strong(wording.conclusion))]
        llr = comparison.reported
        said.append(paragraph("Likelihood ratio (LR) ", strong(ratio_of(llr.nats)), f"; log10 LR {number(llr.log10)}."))
        if wording.verbal:
            said.append(paragraph("In words: ", strong(wording.verbal), f" (scale: {wording.scale})."))
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
    if comparison.outside:
        yield Box(
            "amber",
            "The case lies outside what was validated",
            tuple(paragraph(sentence) for sentence in comparison.outside),
        )


def audit(findings: tuple[Finding, ...]) -> Iterator[Block]:
    """What is wrong or doubtful about the texts, the serious first, each with a remedy."""
    if not findings:
        yield paragraph("The checks of the texts found nothing to report.")
        return
    order: dict[str, Kind] = {"red": "red", "amber": "amber", "note": "note"}
    for severity, kind in order.items():
        for one in findings:
            if one.severity == severity:
                where = f" ({', '.join(one.where[:5])}{' …' if len(one.where) > 5 else ''})" if one.where else ""
                yield Box(kind, SEVERITY[severity], (paragraph(one.message + where), paragraph(one.remedy, small=True)))


def validation(comparison: Comparison, prefix: str) -> Iterator[Block]:
    """How the method did on problems like this case whose answer is known."""
    result = comparison.validation
    if result is None:
        yield paragraph(strong("Validation was left out of this run. Nothing is known about how the method does here."))
        return
    yield paragraph(
        f"{result.n_same:,} same-author and {result.n_different:,} different-author problems were made from "
        f"{len(result.authors):,} reference authors. " + " ".join(result.how)
    )
    unsaid = tuple(flag for flag in result.red_flags if flag not in comparison.audit)
    if unsaid:
        yield from audit(unsaid)
    if result.missing:
        yield Box("amber", "What a full validation would need", tuple(paragraph(one) for one in result.missing))
    yield from _performance(comparison, result, prefix)
    if result.bounds is not None:
        yield paragraph(_bounds(result.bounds))


def _performance(comparison: Comparison, result: Validation, prefix: str) -> Iterator[Block]:
    primary = comparison.primary
    if result.trials is None or primary not in result.trials.nats or primary not in result.performance:
        return
    case = None if comparison.reported is None else _as_calculated(comparison)
    same, different = result.trials.same(primary), result.trials.different(primary)
    yield Picture(
        figures.tippett(same=same, different=different, case=case),
        f"{prefix}tippett",
        "Tippett plot of the validation trials. Same-author trials should lie right of zero, different-author trials "
        "left of it." + ("" if case is None else " The vertical line is the case as calculated, before bounds."),
    )
    performance = result.performance[primary]
    if comparison.as_strong is not None:
        yield paragraph(strong("How often evidence this strong misleads: "), comparison.as_strong.sentence)
    yield Table(
        f"Performance on the validation trials ({METHOD_NAMES[primary]})",
        ("measure", "value", "95 % interval (authors resampled)", "meaning"),
        (
            *(
                (METRIC_NAMES[name], number(estimate.value), interval(estimate), MEANING[name])
                for name in METRIC_NAMES
                for estimate in (getattr(performance, name),)
            ),
            ("same-author trials with LR above 1", percent(performance.same_on_right_side), "", ""),
            ("different-author trials with LR below 1", percent(performance.different_on_right_side), "", ""),
            ("share of Cllr due to the worst trial", percent(performance.worst_share), "", ""),
        ),
        numeric=(1, 2),
        widths=(5, 3, 4, 7),
    )
    yield paragraph(
        "A low Cllr is not by itself good calibration: Cllr_cal, devPAV, the shift and the slope stand beside it.",
        small=True,
    )
    yield Table(
        "Misleading evidence in the validation trials",
        ("trials", "LR on the wrong side beyond", "how many"),
        tuple(
            (
                "same author" if one.same_author else "different authors",
                f"{'1/' if one.same_author and one.lr > 1 else ''}{one.lr:,.0f}",
                one.sentence,
            )
            for one in performance.misleading
        ),
        widths=(4, 4, 8),
    )
    yield Picture(
        figures.pav(same=same, different=different, case=case),
        f"{prefix}pav",
        "Calibration of the validation trials: on the dotted diagonal the LRs are what they should be, above it they "
        "should be larger, below it smaller.",
    )


def _as_calculated(comparison: Comparison) -> float:
    computed = comparison.computed
    assert computed is not None, "an LR is reported only where one was computed"
    return computed.nats


def _bounds(bounds: Bounds) -> str:
    sides = [
        f"more than about {ratio_of(bounds.upper)} for Hp" if bounds.upper else "anything for Hp",
        f"less than about {ratio_of(bounds.lower)} for Hd" if bounds.lower else "anything for Hd",
    ]
    return (
        f"Bounds: the validation material ({bounds.n_authors} authors) cannot support {sides[0]}, nor {sides[1]} "
        f"({bounds.how})."
    )


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
        case=_as_calculated(comparison),
        xlabel=f"{xlabel} ({METHOD_NAMES[comparison.primary].split(' (')[0]})",
        case_name="this case",
        others_name="reference authors",
    )


def known_texts(comparison: Comparison, prefix: str) -> Iterator[Block]:
    """Every known text against the others: is K one writer?"""
    found = comparison.anchors
    if found is None or not found.known:
        yield paragraph("The known texts could not be compared with each other: there are fewer than two of them.")
        return
    yield Picture(
        figures.dots(
            rows=[(row.name, [row.nats]) for row in found.known],
            xlabel="log10 LR of each known text against the other known texts",
        ),
        f"{prefix}known_texts",
        "Every known text as if it were questioned, against the other known texts.",
    )
    if found.known_low:
        yield Box(
            "amber",
            SEVERITY["amber"],
            (
                paragraph(
                    f"These known texts speak against the rest of K: {', '.join(found.known_low)}. They may be by "
                    "another writer or of another kind; find out which before relying on the result."
                ),
            ),
        )
    else:
        yield paragraph("No known text speaks against the others.")


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


def masked_map(comparison: Comparison) -> Iterator[Block]:
    """The heat map on what was scored, and the strongest n-grams with the lines in which they occur."""
    told = comparison.explanation
    if heatmap.has_original(told):
        yield heatmap.on_masked(told)
    for ngram in told.ngrams:
        yield paragraph(
            strong(" ".join(ngram.tokens)),
            f"   {heatmap.signed(ngram.lambda_g)}; {ngram.n_q:,} × in Q, {ngram.n_k:,} × in K, "
            f"{ngram.n_reference:,} × in the reference",
        )
        roles = {"q": "Q", "k": "K", "reference": "Reference"}
        yield Bullets(
            tuple(
                runs(
                    f"{roles[line.role]}, {line.text_id}{f' ({line.author})' if line.author else ''}: {line.before} ",
                    Run(line.match, "strong"),
                    f" {line.after}",
                )
                for line in ngram.lines
            )
        )


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
        f"Over the {len(comparison.reference_totals)} reference models λG has a standard deviation of "
        f"{number(told.spread)}; the error of λG, their mean, is {number(told.standard_error)} (sd/√r)"
        + (f", and over the seeds tried it has a standard deviation of {number(told.seed_spread)}" if told.seed_spread
           is not None else "")
        + ". All in log10 units."
    )  # fmt: skip
    rows = [
        (_label(one.kind, one.label), [one.nats])
        for one in told.alternatives
        if one.kind != "seed"
    ]  # fmt: skip
    seeds = [one.nats for one in told.of("seed")]
    yield Picture(
        figures.dots(rows=[*rows, *([("other seeds", seeds)] if seeds else [])], primary=_as_calculated(comparison)),
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
        return METHOD_NAMES.get(label, label)
    return {"known_text": "without {}", "seed": "seed {}", "order": "N = {}", "repetitions": "r = {}"}[kind].format(
        label
    )
