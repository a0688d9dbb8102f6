"""The annexes of a report, a document of their own: every table and figure behind it.

First the annexes in their order, then each: from the score to the likelihood ratio, the checks of the texts, how many
others score as high, what the number rests on, where the evidence lies, what was examined, settings and runs.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import groupby

from idiograph.casework.case import CONTROLLED
from idiograph.casework.case_folder import FILES
from idiograph.casework.findings import by_name
from idiograph.casework.sentences import (
    BY_HAPAX,
    alternative,
    band_in_words,
    log10_ratio,
    number,
    percent,
    ratio,
    signed,
    worth_in_words,
)
from idiograph.casework.verification import Comparison, Finding, Line, Verification
from idiograph.errors import counted, some
from idiograph.evidence.constants import ENGLISH_CORPORA, HELD, NONE
from idiograph.evidence.kinds import LIMITED, REFUSED
from idiograph.evidence.llr import scale, scale_rows
from idiograph.evidence.methods import METHODS
from idiograph.evidence.normalised import SCORES, Normalisation, Normalised
from idiograph.evidence.strength import strength_table
from idiograph.output import figures, heatmap
from idiograph.output.document import (
    Block,
    Bullets,
    Contents,
    Document,
    Heading,
    Picture,
    Run,
    Table,
    bullets,
    code,
    numbered,
    paragraph,
    runs,
    strong,
)
from idiograph.output.plot import undrawn
from idiograph.output.report import fit_of_known, how_to_read_it, in_full
from idiograph.output.report_text import (
    ROLES,
    SEVERITY,
    as_calculated,
    as_document,
    as_high,
    numbers_of,
    plain_value,
    prefix_of,
)
from idiograph.provenance import InputFile, digest
from idiograph.spreadsheet import csv_rows

Section = Callable[[Comparison, str], Iterator[Block]]


def annexes(verification: Verification) -> Document:
    """Everything behind the report, numbered by letters."""
    blocks = (Contents(), *numbered(_annexes(verification), annexes=True))
    return as_document(verification, blocks, before="Annexes: ")


def _annexes(verification: Verification) -> Iterator[Block]:
    every = [(prefix_of(verification, n), comparison) for n, comparison in enumerate(verification.comparisons)]
    reported = [(prefix, comparison) for prefix, comparison in every if comparison.reported is not None]
    sections: tuple[tuple[str, Section, bool], ...] = (
        ("From the score to the likelihood ratio", _numbers, False),
        ("Checks of the texts", lambda comparison, _: all_checks(comparison.audit), False),
        ("Validation", in_full, False),
        ("What values of this method were worth", lambda comparison, _: strength(comparison), False),
        ("Is the reference of the case's kind?", lambda comparison, _: kind_of_reference(comparison), False),
        ("How many others score as high?", anchors, True),
        ("Are the known texts by one writer?", known_texts, True),
        ("Sensitivity", sensitivity, True),
        ("Where in the text the evidence lies", _evidence, True),
        ("The strongest n-grams", lambda comparison, _: ngrams(comparison), True),
    )
    for title, section, needs_value in sections:
        # After a refusal these would let the number out.
        shown = reported if needs_value else every
        if shown:
            yield Heading(1, title)
        for prefix, comparison in shown:
            if len(every) > 1:
                yield Heading(2, f"{comparison.label} and {comparison.candidate}")
            yield from section(comparison, prefix)
    yield Heading(1, "Limits")
    yield bullets(tuple(dict.fromkeys(limit for _, each in every for limit in each.wording.limits)))
    if verification.changes:
        yield Heading(2, "What reading and preparation changed or noticed")
        yield bullets(verification.changes)
    chosen = scale(verification.case.scale)
    # A value without validation gets no words, so there is no scale to explain.
    if chosen is not None and not verification.quick:
        yield Heading(1, "The verbal scale")
        open_ = "" if chosen.checked else " Whether its bands are those of the publication could not be looked up here."
        yield paragraph(f"{chosen.name}. {chosen.citation}{open_}")
        yield Table(
            "The scale, fixed in the case file before scoring; for Hd it is read with 1/LR",
            ("likelihood ratio", "words"),
            tuple((edges, f"{support} support") for edges, support in scale_rows(chosen)),
        )
    yield Heading(1, "Items examined")
    yield from items(verification)
    yield Heading(1, "Settings and versions")
    yield from _settings(verification)
    if verification.earlier or verification.trail_problems:
        yield Heading(1, "Earlier runs of this case")
        yield Table(
            "Every earlier run, whatever its outcome, with the value that it reported",
            ("run", "begun (UTC)", "outcome", "value", "case file", "remark"),
            tuple(
                (
                    str(run.number or "?"),
                    run.started,
                    f"{run.outcome}, quick" if run.quick else run.outcome,
                    "; ".join(run.values) or "none",
                    run.case_digest[:12] or "not read",
                    run.remark,
                )
                for run in verification.earlier
            ),
            numeric=(0,),
            code=(4,),
            widths=(2, 5, 4, 5, 5, 5),
        )
        if verification.trail_problems:
            yield paragraph("The record of these runs was not as it was written when this run began:")
            yield bullets(verification.trail_problems)


_SCORES = {
    "distinct": "λG in which each phrase of Q counts once",
    "cosine": "how alike Q and K are in short phrases",
    "typing": "how alike Q and K are typed",
}


def _numbers(comparison: Comparison, _: str) -> Iterator[Block]:
    yield Table(
        "From the score to the likelihood ratio" if comparison.reported else "What was compared",
        ("quantity", "value"),
        numbers_of(comparison),
        numeric=(1,),
        widths=(7, 3),
    )
    if comparison.reported is None:
        return
    for key in sorted((CONTROLLED, "normalised"), key=lambda key: key != comparison.primary):
        if (measured := getattr(comparison, key)) is not None:
            yield from _made_of(key, *measured)


def _made_of(key: str, trial: Normalised, normalisation: Normalisation) -> Iterator[Block]:
    """What an LR that is measured by the reference is made of."""
    constants, topic = normalisation.constants, trial.topic
    by_score = zip(constants.scores, trial.scores, trial.normed, normalisation.weights.betas, strict=True)
    columns = {"score": 6, "value": 3, "measured by the reference (S-norm)": 6, "weight β": 3}
    if topic is not None:
        names = ("value", "S-norm S", "closeness g", "lean b", "S′ = S − b·g", "weight β")
        columns = {"score": 6, **dict.fromkeys(names, 3)}
    rows = []
    for index, (name, value, normed, beta) in enumerate(by_score):
        numbers = [value, normed, beta]
        if topic is not None:
            lean = constants.slopes[index]
            numbers[2:2] = [topic, lean, normed - lean * topic]
        rows.append((_SCORES.get(name, name), *map(number, numbers)))
    yield Table(
        f"What the {METHODS[key].name} is made of",
        tuple(columns),
        tuple(rows),
        numeric=tuple(range(1, len(columns))),
        widths=tuple(columns.values()),
    )
    alone = f"By the constants alone the LR would be {ratio(trial.by_constants.nats)}."
    held = HELD[ENGLISH_CORPORA]
    if constants.say_nothing:
        held, alone = HELD[NONE], "No constants learnt on other corpora were used."
    fitted = (
        f"fitted on {normalisation.n_same:,} same-author and {normalisation.n_different:,} different-author "
        f"comparisons of {normalisation.n_authors} reference authors and {held}"
        if normalisation.fitted is not None
        else f"constants learnt on other corpora, since {normalisation.n_authors} reference authors are too few to fit"
    )
    source = "" if topic is None else f" b and the constants: {constants.source} (SHA-256 {constants.digest[:16]})."
    yield paragraph(
        f"ln LR = {number(normalisation.weights.alpha)} + Σ β·{'S-norm' if topic is None else 'S′'}; LR as "
        f"calculated {ratio(trial.llr.nats)}; the weights are {fitted}. {alone}{source}",
        f" Its average with the reference authors lies outside theirs: {trial.unusual_in_words}."
        if trial.unusual
        else "",
    )


def all_checks(findings: tuple[Finding, ...]) -> Iterator[Block]:
    """Every finding whole, with the texts it is about and what to do."""
    if not findings:
        yield paragraph("The checks of the texts found nothing to report.")
        return
    rows = []
    for finding in sorted(findings, key=lambda finding: list(SEVERITY).index(finding.severity)):
        unnamed = [id_ for id_ in finding.where if id_ not in finding.message and id_ not in ROLES]
        where = f" ({some(unnamed)})" if unnamed else ""
        rows.append((SEVERITY[finding.severity], finding.message + where, finding.remedy))
    yield Table(
        "The checks of the texts, the most serious first",
        ("", "what was found", "what to do"),
        tuple(rows),
        widths=(2, 9, 6),
    )


def strength(comparison: Comparison) -> Iterator[Block]:
    """What reported values of the primary method were worth in the published validation, by bands."""
    table, method = strength_table(), METHODS[comparison.primary]
    bands = table.methods.get(comparison.primary, ())
    made_of = getattr(comparison, comparison.primary, None)
    typed = made_of is not None and SCORES[-1] in made_of[1].constants.scores
    if not bands or typed:
        with_typing = " with the typing score" if typed else ""
        yield paragraph(f"The published validation has no such table for the {method.name}{with_typing}.")
        return
    yield Table(
        f"What reported values of the {method.name} were worth in the published validation, against different authors "
        "as close in topic",
        ("reported LR", "same-author trials", "different-author trials", "worth (95 % interval)"),
        tuple((band_in_words(band), f"{band.n_true:,}", f"{band.n_wrong:,}", worth_in_words(band)) for band in bands),
        numeric=(1, 2),
        widths=(4, 3, 3, 8),
    )
    yield paragraph(f"{table.source} (SHA-256 {table.digest[:16]})", small=True)


def kind_of_reference(comparison: Comparison) -> Iterator[Block]:
    """D²: the numbers it is made of, the rule with its limits, and where they come from."""
    kind = comparison.apart
    if kind is None:
        could_not = (
            "could not be measured, or was not asked for" if comparison.reported else "is not shown without an LR"
        )
        yield paragraph(f"How far the case lies from its reference {could_not}.")
        return
    yield Table(
        "How far the mean scores of Q and K with the reference authors lie from these authors' own, in their standard "
        "deviations",
        ("side and score", "z"),
        tuple((side, signed(z)) for side, z in kind.z.items()),
        numeric=(1,),
        widths=(7, 3),
    )
    conclusion = "this case lies below both"
    if kind.is_refused:
        conclusion = "the reference is taken to be of another kind than the case"
    elif kind.is_limited:
        conclusion = "the reference may be of another kind than the case"
    yield paragraph(
        f"D² = zᵀ·P·z = {number(kind.distance)}, where P is the inverse covariance of z with about "
        f"{kind.rule.n_authors} reference authors. Beyond {number(kind.rule.refused, 1)} ({percent(REFUSED)} of honest "
        f"cases) no LR that is measured by the reference is reported, beyond {number(kind.rule.limited, 1)} "
        f"({percent(LIMITED)}) none above 3 or below 1/3: {conclusion}. What this cannot see is a "
        "reference of a neighbouring register.",
    )
    if len(kind.z) < _WITH_TOPIC:
        yield paragraph("The texts came masked, so content words are not known, and the rule goes by the others alone.")
    yield paragraph(f"{kind.source} (SHA-256 {kind.digest[:16]})", small=True)


_WITH_TOPIC = 6  # numbers z, where content words are known


def anchors(comparison: Comparison, prefix: str) -> Iterator[Block]:
    """The case's Q against others' writings, others' writings against the case's K."""
    around = comparison.anchors
    if around is None:
        yield paragraph("This comparison with the reference authors was not made.")
        return
    yield paragraph(" ".join(sentence for sentence in around.how if sentence != BY_HAPAX))  # said of known texts
    for kind, rows, n_as_high, sentence, xlabel in (
        (
            "trace",
            around.trace,
            around.trace_as_high,
            f"{comparison.label} against samples of the reference authors, each as long as the known texts",
            f"log10 LR of {comparison.label} against each author",
        ),
        (
            "source",
            around.source,
            around.source_as_high,
            f"samples of the reference authors, each as long as {comparison.label}, against the candidate's known "
            "texts",
            "log10 LR of each sample against K",
        ),
    ):
        if rows:
            yield Picture(
                figures.anchored(
                    names=[row.name for row in rows],
                    llrs=[row.nats for row in rows],
                    case=as_calculated(comparison),
                    xlabel=f"{xlabel} ({METHODS[comparison.primary].name})",
                ),
                f"{prefix}{kind}_anchored",
                f"{sentence[0].upper()}{sentence[1:]}. As high as the case or higher: {as_high(n_as_high, len(rows))}.",
            )


def known_texts(comparison: Comparison, prefix: str) -> Iterator[Block]:
    """Every known text against the others: is K one writer?"""
    around = comparison.anchors
    if around is None or not around.known:
        yield paragraph("The known texts could not be compared with each other: at least two are needed.")
        return
    yield Picture(
        figures.dots(
            rows=[(_of_k(comparison, row.name), [row.nats]) for row in around.known],
            xlabel="log10 LR of each known text against the other known texts",
        ),
        f"{prefix}known_texts",
        "Each known text, treated as if it were questioned, against the other known texts."
        + undrawn(row.name for row in around.known),
    )
    yield paragraph(" ".join((fit_of_known(comparison), *(how for how in around.how if how == BY_HAPAX))))


# What was changed: the caption of the table of its variants, and what one of them is called.
_KINDS = {
    "correction": ("Corrections and calibration", "{}"),
    "known_text": ("Each known text left out in turn", "without {}"),
    "seed": ("Other random draws of the reference (seeds)", "seed {}"),
    "order": ("Other lengths of n-gram (N)", "N = {}"),
    "repetitions": ("Other numbers of reference models (r)", "r = {}"),
}


def sensitivity(comparison: Comparison, prefix: str) -> Iterator[Block]:
    """What the number would be with one thing changed; no words of the scale here."""
    told, score = comparison.sensitivity, comparison.score
    if told is None or score is None:
        yield paragraph("The sensitivity of the result was not examined.")
        return
    yield paragraph(told.sentence)
    if comparison.range is not None:
        yield paragraph(comparison.range.sentence)
    yield paragraph(
        f"Over the {len(score.reference_totals)} reference models λG has a standard deviation of "
        f"{number(told.spread)}; the error of λG, their mean, is {number(told.standard_error)} (sd/√r)"
        + (f", and over the seeds tried it has a standard deviation of {number(told.seed_spread)}" if told.seed_spread
           is not None else "")
        + ". All in log10 units."
    )  # fmt: skip
    rows = [
        (
            METHODS[variant.label].name
            if variant.kind == "correction"
            else _of_k(comparison, _label(variant.kind, variant.label)),
            [variant.nats],
        )
        for variant in told.alternatives
        if variant.kind != "seed"
    ]  # fmt: skip
    seeds = [variant.nats for variant in told.of("seed")]
    yield Picture(
        figures.dots(rows=[*rows, *([("other seeds", seeds)] if seeds else [])], primary=as_calculated(comparison)),
        f"{prefix}sensitivity",
        "log10 LR with one thing changed at a time. The line is the primary method as calculated, before bounds."
        + undrawn(name for name, _ in rows),
    )
    for kind, same_kind in groupby(told.alternatives, key=lambda variant: variant.kind):
        yield Table(
            _KINDS[kind][0],
            ("what was changed", "λG", "LR", "log10 LR"),
            tuple(
                (_label(kind, variant.label), signed(variant.lambda_g), ratio(variant.nats), log10_ratio(variant.nats))
                for variant in same_kind
            ),
            numeric=(1, 2, 3),
            widths=(8, 3, 3, 3),
        )  # fmt: skip


def _of_k(comparison: Comparison, name: str) -> str:
    """A known text as a figure names it, which has no room for its folder."""
    return by_name(name, label=comparison.label, candidate=comparison.candidate)


def _label(kind: str, label: str) -> str:
    return _KINDS[kind][1].format(METHODS[label].name_and_source if kind == "correction" else label)


def _evidence(comparison: Comparison, prefix: str) -> Iterator[Block]:
    """The whole heat map on the words as written and as scored, and the tables that add up to λG."""
    told = comparison.explanation
    yield from how_to_read_it()
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


# How many n-grams in each direction, lines of each role for one of them, characters on either side of it.
_NGRAMS, _LINES, _CONTEXT = 10, 2, 60


def ngrams(comparison: Comparison) -> Iterator[Block]:
    """The strongest n-grams in a table with their rates, then each with lines of Q, K and the reference."""
    rated = comparison.explanation.ngrams
    for_candidate = sorted((ngram for ngram in rated if ngram.lambda_g > 0), key=lambda ngram: -ngram.lambda_g)
    against = sorted((ngram for ngram in rated if ngram.lambda_g <= 0), key=lambda ngram: ngram.lambda_g)
    strongest = [*for_candidate[:_NGRAMS], *against[:_NGRAMS]]
    if not strongest:
        yield paragraph("No n-gram of Q carries evidence.")
        return
    n_tokens = [side.n_tokens for side in (comparison.q, comparison.k, comparison.reference)]
    yield Table(
        "The strongest n-grams in each direction: their part of λG (log10 units, over all occurrences in Q), and how "
        "often they occur per 1,000 tokens, with the number of occurrences in brackets",
        ("n-gram as scored", "part of λG", *ROLES.values()),
        tuple(
            (
                " ".join(ngram.tokens),
                signed(ngram.lambda_g),
                *map(_rate, (ngram.n_q, ngram.n_k, ngram.n_reference), n_tokens),
            )
            for ngram in strongest
        ),
        numeric=(1, 2, 3, 4),
        widths=(6, 3, 3, 3, 4),
    )
    for ngram in strongest:
        few = [line for role in ROLES for line in [each for each in ngram.lines if each.role == role][:_LINES]]
        if few:
            yield paragraph(strong(" ".join(ngram.tokens)), f"  {signed(ngram.lambda_g)}", keep=True)
            yield Bullets(tuple(_line(line) for line in few), small=True)


def _rate(n: int, tokens: int) -> str:
    return f"{1_000 * n / tokens:.2f} ({n:,})" if tokens else f"({n:,})"


def _line(line: Line) -> tuple[Run, ...]:
    before, after = (" ".join(part.split()) for part in (line.before, line.after))
    if len(before) > _CONTEXT:
        before = f"… {before[-_CONTEXT:].partition(' ')[2]}"
    if len(after) > _CONTEXT:
        after = f"{after[:_CONTEXT].rpartition(' ')[0]} …"
    return runs(f"{ROLES[line.role]}, {line.text_id}: {before} ", strong(line.match), f" {after}")


def files_csv(verification: Verification) -> str:
    """Every input file: its role, the author of its texts, name, size and SHA-256."""
    authors = _authors(verification)
    return csv_rows(
        ("role", "author", "name", "bytes", "sha256"),
        ((file.role, authors[file.role, file.name], file.name, file.size, file.sha256)
         for file in verification.provenance.inputs),
    )  # fmt: skip


_NAMED = 20  # files of Q, or of K, that have a row each


def items(verification: Verification) -> Iterator[Block]:
    """A row for each file of Q and K, unless they are many, and each author of the reference; where all are listed."""
    authors = _authors(verification)
    groups: dict[tuple[str, str], list[InputFile]] = defaultdict(list)
    for file in verification.provenance.inputs:
        groups[file.role, authors[file.role, file.name]].append(file)
    rows = []
    for (role, author), files in groups.items():
        each_named = not role.startswith("reference") and len(files) <= _NAMED
        for of_row in [[file] for file in files] if each_named else [files]:
            what, sha256 = of_row[0].name, of_row[0].sha256
            if len(of_row) > 1:
                what = counted(len(of_row), "file")
                sha256 = digest("".join(f"{file.sha256}\n" for file in of_row))
            rows.append((role, author, what, f"{sum(file.size for file in of_row):,}", sha256))
    yield Table(
        "Who wrote what was examined, with the SHA-256 of the file or, where there are several, of the list of their "
        f"digests in the order of {FILES}, one a line",
        ("role", "author", "files", "bytes", "SHA-256"),
        tuple(rows),
        numeric=(3,),
        code=(4,),
        widths=(4, 4, 4, 3, 9),
    )
    n, size = len(verification.provenance.inputs), sum(file.size for file in verification.provenance.inputs)
    yield paragraph(
        f"{FILES} lists the {counted(n, 'file')} ({size:,} bytes) one by one. Its own SHA-256 is ",
        code(digest(files_csv(verification))),
        ".",
    )


def _authors(verification: Verification) -> dict[tuple[str, str], str]:
    """Who wrote the texts of each file, by its role and name."""
    files = verification.provenance.inputs
    texts = {text.id: str(text.author) for text in verification.texts if text.id.startswith("reference/")}
    alone = {f"reference/{file.name}" for file in files if file.role == "reference"} & texts.keys()
    # What has not the name of its file is a row of a table, or one of several messages in a file.
    rows = sorted({author for id_, author in texts.items() if id_ not in alone})
    named: dict[tuple[str, str], str] = {}
    for file in files:
        kind, _, name = file.role.partition("/")
        if kind == "reference":
            file_id = f"reference/{file.name}"
            wrote = texts[file_id] if file_id in alone else some(rows, 3) or "not used"
        else:
            wrote = {"questioned": "in question", "known": name}.get(kind, "")
        named[file.role, file.name] = wrote
    return named


def _settings(verification: Verification) -> Iterator[Block]:
    provenance = verification.provenance
    yield paragraph("Signature: ", code(provenance.signature))
    for comparison in verification.comparisons:
        if comparison.score is not None:
            yield paragraph(f"{comparison.label} and {comparison.candidate}: ", code(comparison.score.signature))
    yield paragraph("Case file (SHA-256): ", code(verification.case_digest))
    yield Table(
        "Settings",
        ("setting", "value"),
        tuple(
            (name, plain_value(alternative(verification.case) if name == "hd" else value))
            for name, value in provenance.settings.items()
        ),
        widths=(3, 7),
    )
    yield Table("Versions", ("package", "version"), tuple(provenance.versions.items()), widths=(3, 7))
    yield paragraph(
        "manifest.json beside this report holds all of it; ",
        Run("idiograph replay manifest.json", "code"),
        " runs the case again, compares every number digit by digit and makes this report again.",
    )
