"""The annexes of a report: every table and figure behind it, in a document of their own."""

from collections.abc import Callable, Iterator

from idiograph.casework.case import PRINTED_ONLY
from idiograph.casework.verification import Comparison, Verification
from idiograph.casework.wording import QUICK, ratio_of
from idiograph.evidence.constants import ENGLISH_CORPORA, HELD, NONE
from idiograph.evidence.scales import Scale, scale, scale_rows
from idiograph.output.document import Block, Contents, Document, Heading, Picture, Run, Table, bullets, code, paragraph
from idiograph.output.report import comparison as about
from idiograph.output.report import figures, heatmap, validation
from idiograph.output.report.anchors import anchors, known_texts
from idiograph.output.report.items import items
from idiograph.output.report.ngrams import ngrams
from idiograph.output.report.numbering import numbered
from idiograph.output.report.sensitivity import sensitivity
from idiograph.output.report.words import footer, name_of, number, numbers_of, plain_value, prefix_of

_SCORES = {"distinct": "λG in which each phrase of Q counts once", "cosine": "how alike Q and K are in short phrases"}
Section = Callable[[Comparison, str], Iterator[Block]]


def annexes(verification: Verification) -> Document:
    """Everything behind the report, numbered by letters."""
    name, pairs = name_of(verification)
    return Document(
        title=f"Annexes: {name}",
        subtitle=pairs,
        header=f"Annexes: {name}",
        banner=QUICK if verification.quick else None,
        footer=footer(verification),
        blocks=(Contents(), *numbered(_annexes(verification), annexes=True)),
    )


def _annexes(verification: Verification) -> Iterator[Block]:
    every = [(prefix_of(verification, place), one) for place, one in enumerate(verification.comparisons)]
    reported = [(prefix, one) for prefix, one in every if one.reported is not None]
    sections: tuple[tuple[str, Section, bool], ...] = (
        ("From the score to the likelihood ratio", _numbers, False),
        ("Checks of the texts", lambda one, _: about.all_checks(one.audit), False),
        ("Validation", validation.in_full, False),
        ("How many others score as high?", anchors, True),
        ("Are the known texts by one writer?", known_texts, True),
        ("Sensitivity", sensitivity, True),
        ("Where in the text the evidence lies", _evidence, True),
        ("The strongest n-grams", lambda one, _: ngrams(one), True),
    )
    for title, section, needs_value in sections:
        # After a refusal these would let the number out.
        shown = reported if needs_value else every
        if shown:
            yield Heading(1, title)
        for prefix, one in shown:
            if len(every) > 1:
                yield Heading(2, f"{one.label} and {one.candidate}")
            yield from section(one, prefix)
    yield Heading(1, "Limits")
    yield bullets(tuple(dict.fromkeys(limit for _, one in every for limit in one.wording.limits)))
    chosen = scale(verification.case.scale)
    # A value without validation gets no words, so there is no scale to explain.
    if chosen is not None and not verification.quick:
        yield Heading(1, "The verbal scale")
        yield from _scale(chosen)
    yield Heading(1, "Items examined")
    yield from items(verification)
    yield Heading(1, "Settings and versions")
    yield from _settings(verification)
    if verification.earlier:
        yield Heading(1, "Earlier runs of this case")
        yield _runs(verification)


def _numbers(comparison: Comparison, _: str) -> Iterator[Block]:
    yield Table(
        "From the score to the likelihood ratio" if comparison.reported else "What was compared",
        ("quantity", "value"),
        numbers_of(comparison),
        numeric=(1,),
        widths=(7, 3),
    )
    if comparison.normalised is None or comparison.reported is None:
        return
    trial, normalisation = comparison.normalised
    yield Table(
        "What the reference-normalised LR is made of",
        ("score", "value", "measured by the reference (S-norm)", "weight β"),
        tuple(
            (_SCORES.get(name, name), number(value), number(normed), number(beta))
            for name, value, normed, beta in zip(
                normalisation.constants.scores, trial.scores, trial.normed, normalisation.weights.betas, strict=True
            )
        ),
        numeric=(1, 2, 3),
        widths=(6, 3, 6, 3),
    )
    alone = f"By the constants alone the LR would be {ratio_of(trial.by_constants.nats)}."
    held = HELD[ENGLISH_CORPORA]
    if normalisation.constants.say_nothing:
        held, alone = HELD[NONE], "No constants learnt on other corpora were used."
    fitted = (
        f"fitted on {normalisation.n_same:,} same-author and {normalisation.n_different:,} different-author "
        f"comparisons of {normalisation.n_authors} reference authors and {held}"
        if normalisation.fitted is not None
        else f"constants learnt on other corpora, since {normalisation.n_authors} reference authors are too few to fit"
    )
    yield paragraph(
        f"ln LR = {number(normalisation.weights.alpha)} + Σ β·S-norm; the weights are {fitted}. {alone}",
        f" Its average with the reference authors lies outside theirs: {', '.join(trial.unusual)}."
        if trial.unusual
        else "",
    )


def _evidence(comparison: Comparison, prefix: str) -> Iterator[Block]:
    """The whole heat map on the words as written and as scored, and the tables that add up to λG."""
    told = comparison.explanation
    yield from about.how_to_read_it()
    if (original := heatmap.on_original(told)) is not None:
        yield original
    yield heatmap.on_masked(told)
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


def _scale(chosen: Scale) -> Iterator[Block]:
    yield paragraph(f"{chosen.name}. {chosen.citation}")
    yield Table(
        "The scale, fixed in the case file before scoring; for Hd it is read with 1/LR",
        ("likelihood ratio", "words"),
        tuple((edges, f"{support} support") for edges, support in scale_rows(chosen)),
    )


def _settings(verification: Verification) -> Iterator[Block]:
    provenance = verification.provenance
    yield paragraph("Signature: ", code(provenance.signature))
    for comparison in verification.comparisons:
        yield paragraph(f"{comparison.label} and {comparison.candidate}: ", code(comparison.score.signature))
    yield paragraph("Case file (SHA-256): ", code(verification.case_digest))
    shown = {name: value for name, value in provenance.settings.items() if name not in PRINTED_ONLY}
    yield Table(
        "Settings",
        ("setting", "value"),
        tuple((name, plain_value(value)) for name, value in shown.items()),
        widths=(3, 7),
    )
    yield Table("Versions", ("package", "version"), tuple(provenance.versions.items()), widths=(3, 7))
    yield paragraph(
        "manifest.json beside this report holds all of it; ",
        Run("idiograph replay manifest.json", "code"),
        " runs the case again and compares the numbers digit by digit.",
    )


def _runs(verification: Verification) -> Table:
    return Table(
        "Every earlier run, whatever its outcome",
        ("run", "started (UTC)", "outcome", "quick", "case file", "remark"),
        tuple(
            (str(run.number or "?"), run.started, run.outcome, "yes" if run.quick else "no", run.case_digest[:12],
             run.remark)
            for run in verification.earlier
        ),
        numeric=(0,),
        code=(4,),
        widths=(2, 6, 4, 2, 5, 6),
    )  # fmt: skip
