"""The report of a case, a few pages for the court: what was found, what it rests on, and how well the method does.

First the report as a whole, then its parts in their order: the first page, the particulars, and of each comparison the
texts and their checks, the validation (here also as the annexes have it, in full) and where the evidence lies.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

from idiograph.casework.case import BEST_VALIDATED, Case
from idiograph.casework.findings import CATALOGUE, before_the_number, by_name, first_sentence
from idiograph.casework.sentences import (
    AS_CLOSE,
    UNCONTROLLED,
    better_method,
    between_candidates,
    cllr_figure,
    cllr_in_words,
    interval,
    log10_ratio,
    number,
    percent,
    ratio,
)
from idiograph.casework.validation import REPORTED
from idiograph.casework.verification import (
    KNOWN_APART,
    Amendment,
    Comparison,
    Finding,
    SideSummary,
    TopicControl,
    Validation,
    Verification,
)
from idiograph.errors import counted, some
from idiograph.evidence.bounds import Bounds
from idiograph.evidence.intervals import Estimate
from idiograph.evidence.llr import scale
from idiograph.evidence.methods import METHODS
from idiograph.evidence.performance import Misleading, Performance
from idiograph.output import figures, heatmap
from idiograph.output.document import (
    Block,
    Box,
    Bullets,
    Contents,
    Document,
    Form,
    Heading,
    HeatMap,
    Paragraph,
    Picture,
    Table,
    bullets,
    code,
    numbered,
    paragraph,
    runs,
    strong,
)
from idiograph.output.glossary import IN_REPORT
from idiograph.output.report_text import (
    MEASURES,
    NOT_VALIDATED,
    SEVERITY,
    as_calculated,
    as_document,
    as_high,
    as_strong,
    cut,
    method_in_lay_words,
    prefix_of,
    primaries_of,
    range_of,
    report_named,
)


def report(verification: Verification) -> Document:
    """What the court reads, numbered; the finding is on its first page."""
    return as_document(verification, numbered(_body(verification)))


def _body(verification: Verification) -> Iterator[Block]:
    every = verification.comparisons
    several = len(every) != 1
    yield from all_comparisons(verification) if several else summary(every[0], verification)
    yield Contents()
    yield Heading(1, "Particulars")
    yield from particulars(verification.case)
    yield paragraph(_how_made(verification), small=True)
    if verification.content_digest is not None:
        yield from _fixed(verification.content_digest, verification.amendments)
    for n, comparison in enumerate(every):
        if several:
            yield Heading(1, f"{comparison.label} and {comparison.candidate}")
            yield from summary(comparison, verification, prefix_of(verification, n))
        level: Literal[1, 2] = 2 if several else 1
        yield Heading(level, "The texts and their checks")
        yield from texts_compared(comparison)
        yield from checks(comparison)
        yield Heading(level, "Validation under the conditions of this case")
        yield from in_brief(comparison, prefix_of(verification, n))
        if comparison.reported is not None:
            yield Heading(level, "Where in the text the evidence lies")
            yield from evidence(comparison)
    yield Heading(1, "The method")
    for sentence in method_in_lay_words(verification):
        yield paragraph(sentence)
    if more := further_limits(verification):
        yield Heading(1, "Further limits")
        yield bullets(more)
    yield Heading(1, "Glossary")
    yield Bullets(tuple(runs(strong(word), f": {meaning}") for word, meaning in IN_REPORT), small=True)
    yield Heading(1, "Declaration (to be completed by the expert)")
    yield from declaration(verification.case)


OF_RATIOS = (
    "The ratio of two candidates is the quotient of their LRs as calculated, before bounds: both have the same "
    "questioned text, method, reference and population. It says nothing about a third person; ratios were not "
    "validated, and no bound limits them."
)


OF_CLLRS = (
    "One reference gives a different Cllr in each comparison: its problems are made as long as the texts compared, as "
    "close in topic where topic is controlled, and by the authors who have that much text."
)
_PROPOSED = 6  # comparisons whose propositions stand on the first page


def all_comparisons(verification: Verification) -> Iterator[Block]:
    """Every comparison in one table, and how candidates for the same Q compare with each other."""
    rows = []
    for comparison in verification.comparisons:
        wording, lr = comparison.wording, ("none", "", "", "refused")
        if comparison.reported is not None:
            log10_lr, moves = log10_ratio(comparison.reported.nats), range_of(comparison) or "none"
            lr = (wording.value or "", moves, log10_lr, wording.verbal or "none")
        cllr = cllr_figure(comparison.claim.cllr.value) if comparison.claim else "none"
        rows.append((comparison.label, comparison.candidate, *lr, cllr))
    yield paragraph(strong("Population: "), verification.case.population)
    yield Bullets(
        tuple(
            runs(
                strong(f"{comparison.label} and {comparison.candidate}: "),
                f"Hp: {comparison.wording.hp} Hd: {comparison.wording.hd}",
            )
            for comparison in verification.comparisons[:_PROPOSED]
        )
    )
    yield Table(
        f"The {len(rows)} comparisons of this case. Each is a result of its own; they are not independent.",
        ("questioned", "candidate", "LR", "range as calculated", "log10 LR", "verbal equivalent", "Cllr"),
        tuple(rows),
        numeric=(2, 4, 6),
        widths=(3, 4, 2, 4, 2, 5, 2),
    )
    if why := why_cllrs_differ(verification):
        yield paragraph(why, small=True)
    if sentences := tuple(ratios(verification)):
        yield bullets(sentences)
        yield paragraph(OF_RATIOS, small=True)


def why_cllrs_differ(verification: Verification) -> str:
    """Why one reference gives several Cllrs, and which of them are not of different authors as close in topic; empty
    where it gives one."""
    claims = [(comparison, comparison.claim) for comparison in verification.comparisons]
    if len({cllr_figure(claim.cllr.value) if claim else "none" for _, claim in claims}) < 2:
        return ""
    plain = [
        f"{comparison.label} and {comparison.candidate}" for comparison, claim in claims if claim and claim.because
    ]
    return f"{OF_CLLRS} That of {some(plain, between='; ')} is over all problems." if plain else OF_CLLRS


def ratios(verification: Verification) -> Iterator[str]:
    """How many times more likely the findings are under one candidate than under another, for every pair of one Q."""
    for comparison, other in combinations(verification.comparisons, 2):
        both = comparison.reported is not None and other.reported is not None
        if both and comparison.label == other.label and comparison.primary == other.primary:
            yield between_candidates(
                as_calculated(comparison),
                as_calculated(other),
                label=comparison.label,
                candidate=comparison.candidate,
                other=other.candidate,
                scale_key=verification.case.scale,
            )


_IN_SUMMARY = 5  # sentences of the limits


def summary(comparison: Comparison, verification: Verification, prefix: str = "") -> Iterator[Block]:
    """One comparison: the number with what must be read before it, where it lies, what it rests on; how not to read it.

    The first box and the picture stand on the first page, whatever else there is to say.
    """
    wording = comparison.wording
    if comparison.reported is None:
        yield Box("refusal", "Refused", tuple(_refused(comparison, verification)))
        yield Box("warning", "How not to read this", (paragraph(wording.box),))
        return
    yield Box("finding", "Summary", tuple(_reported(comparison, verification)))
    if (picture := _value(comparison, verification, prefix)) is not None:
        yield picture
    yield Box("warning", "How not to read this", (paragraph(wording.box),))
    # The value in which topic counts stands in the annexes.
    told = [sentence for sentence in wording.topic if not sentence.startswith(UNCONTROLLED)]
    topic = (paragraph(strong("Topic: "), " ".join(told)),) if told else ()
    behind = (
        *topic,
        paragraph(strong("What it rests on: "), _rests_on(comparison)),
        paragraph(strong("How well the method does here: "), _how_well(comparison)),
        paragraph(strong("Limits: "), " ".join(wording.limits[:_IN_SUMMARY])),
    )
    yield Box("note", "Behind the number", behind)


def _propositions(comparison: Comparison, verification: Verification) -> Iterator[Paragraph]:
    """Hp and Hd, and the population where Hd does not name it."""
    wording, population = comparison.wording, verification.case.population
    yield paragraph(strong("Hp: "), wording.hp)
    yield paragraph(strong("Hd: "), wording.hd)
    if population not in wording.hd:
        yield paragraph(strong("Population: "), population)


def _value(comparison: Comparison, verification: Verification, prefix: str) -> Picture | None:
    """Where the value lies on its scale and among the trials of the validation; None without one."""
    result, reported = comparison.validation, comparison.reported
    if reported is None or result is None or result.trials is None or comparison.primary not in result.trials.nats:
        return None
    trials, moves, bounds = result.trials.by(comparison.primary), comparison.range, result.bounds
    return Picture(
        figures.scale_figure(
            same=trials.same,
            different=trials.different,
            reported=reported.nats,
            calculated=as_calculated(comparison),
            moves=(moves.low, moves.high) if moves else None,
            bounds=(bounds.lower, bounds.upper) if bounds else None,
            scale=scale(verification.case.scale),
        ),
        f"{prefix}value",
        "Where the value lies: on its verbal scale, with range and bounds, among problems whose answer is known.",
    )


def _in_brief(comparison: Comparison, entry: Finding) -> str:
    """A finding as the first page says it: its first sentence, without the folders of its files."""
    return by_name(first_sentence(entry), label=comparison.label, candidate=comparison.candidate)


def _refused(comparison: Comparison, verification: Verification) -> Iterator[Paragraph]:
    """Why no LR is reported, in the first sentence; and what it would take."""
    wording, grave = comparison.wording, [entry for entry in comparison.audit if entry.severity == "red"]
    yield paragraph(strong(wording.conclusion))
    if grave:
        yield paragraph(strong("What it would take: "), " ".join(dict.fromkeys(entry.remedy for entry in grave)))
    elif comparison.validation and comparison.validation.missing:
        yield paragraph(strong("What the validation lacked: "), " ".join(comparison.validation.missing))
    yield from _propositions(comparison, verification)
    yield paragraph(strong("What was to be compared: "), _rests_on(comparison))
    if comparison.claim is not None:
        yield paragraph(strong("How well the method does here: "), _how_well(comparison))


def _reported(comparison: Comparison, verification: Verification) -> Iterator[Paragraph]:
    """What was compared with what, what must be read before the number, and the number."""
    wording, llr = comparison.wording, comparison.reported
    assert llr is not None
    assert wording.value is not None
    yield from _propositions(comparison, verification)
    findings = [(entry.code, entry.severity, _in_brief(comparison, entry)) for entry in comparison.audit]
    if told := before_the_number(findings, wording.before):
        yield paragraph(strong("Before the number: "), " ".join(sentence for _, sentence in told))
    yield paragraph(strong(f"Finding: {wording.conclusion}"))
    words = f" In the words of the scale {wording.scale}: {wording.verbal}." if wording.verbal else ""
    sentences = (wording.bound, wording.range, wording.published, wording.held, *comparison.outside, wording.also)
    yield paragraph(
        "Likelihood ratio (LR) ",
        strong(wording.value),
        f"; log10 LR {log10_ratio(llr.nats)}.{words}",
        "".join(f" {sentence}" for sentence in sentences if sentence),
    )


def _rests_on(comparison: Comparison) -> str:
    q, k, reference = comparison.q, comparison.k, comparison.reference
    return (
        f"{comparison.label} ({_files(q)}; {q.n_tokens:,} tokens), {counted(len(k.texts), 'known text')} of "
        f"{comparison.candidate} ({_files(k)}; {k.n_tokens:,} tokens) and "
        f"{counted(len(reference.texts), 'reference text')} by {counted(len(reference.authors), 'other author')} "
        f"({reference.n_tokens:,} tokens), compared by the "
        f"{METHODS[comparison.primary].name_and_source}."
    )


def _files(side: SideSummary) -> str:
    """The files of Q or K by name, so that the page says what was compared."""
    return some([id_.split("/", 2)[-1] for id_ in side.texts], 6)


def _how_well(comparison: Comparison) -> str:
    validation = comparison.validation
    if validation is None:
        return NOT_VALIDATED
    claim = comparison.claim
    if claim is None:
        return "The method could not be validated under the conditions of the case."
    performance = validation.performance[comparison.primary]
    cllr = cllr_in_words(claim, meaning="0 is perfect, 1 is no better than giving no evidence")
    sentences = (
        f"On problems with known answers, made like this case from {len(validation.authors):,} reference authors, its "
        f"Cllr was {cllr}. "
        f"{percent(performance.same_right.value)} of the same-author problems gave an LR above 1 and "
        f"{percent(performance.different_right.value)} of the others one below 1."
    )
    if comparison.as_strong is not None and comparison.wording.also is not None:  # the findings help to choose
        sentences += f" {as_strong(comparison.as_strong)}"
    if comparison.wording.strength:
        sentences += f" {comparison.wording.strength}"
    return sentences


def further_limits(verification: Verification) -> tuple[str, ...]:
    """The limits that the summaries leave out, each once."""
    every = (
        cut(limit) for each in verification.comparisons for limit in each.wording.limits_with_changes[_IN_SUMMARY:]
    )
    return tuple(dict.fromkeys(every))


def particulars(case: Case) -> Iterator[Block]:
    """Which case and which report it is, who reports and who reviewed it."""
    told, expert, review = case.particulars, case.expert, case.review
    yield Form(
        (
            ("Case number", told.number),
            ("Court", told.court),
            *_given(("Parties", told.parties)),
            ("Commissioned by", told.commissioned_by),
            *_given(("Instructions", told.instructions)),
            ("Exhibits", "; ".join(told.exhibits)),
            ("Texts received", told.received),
            *_given(("Examined", told.examined)),
            ("Report number", told.report_number),
            ("Date of report", told.issued),
            *_given(("Amends", told.amends)),
            ("Expert", _joined(expert.name, expert.qualifications)),
            ("Laboratory", _joined(expert.laboratory, expert.address, expert.contact)),
            ("Reviewed by", _joined(review.reviewer, review.date)),
            *_given(("Remarks of the review", review.remarks)),
        )
    )


def declaration(case: Case) -> Iterator[Block]:
    """Words that the expert can adopt or change in the case file, and what is completed by hand."""
    fields = (
        ("Declaration", case.expert.declaration),
        ("Name", case.expert.name),
        ("Place and date", ""),
        ("Signature", ""),
    )
    yield Form(fields, high=True)


def _given(*fields: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """The fields that have a value: nobody need fill in the others."""
    return tuple(field for field in fields if field[1])


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


_OF_DIGEST = (
    "The inputs, the case file and the results, with the list of earlier runs, are fixed by their digest (SHA-256), "
    "which “idiograph replay” prints for the folder at hand: "
)


_AMENDED = "Rendered again with other particulars: "


def _fixed(content_digest: str, amendments: Sequence[Amendment]) -> Iterator[Paragraph]:
    """What the digest fixes, and that the particulars were changed afterwards."""
    yield paragraph(_OF_DIGEST, code(content_digest), small=True)
    times = []
    for amendment in amendments:
        # case.report_number is called "case: report number".
        fields = [key.replace(".", ": ").replace("_", " ") for key in amendment.changed]
        times.append(f"on {amendment.time.replace('T', ' at ').removesuffix('Z')} UTC ({'; '.join(fields)})")
    if times:
        yield paragraph(
            strong(_AMENDED),
            f"{'; '.join(times)}. Nothing was computed again: every value is that of the run, which is kept with its "
            "first report.",
            small=True,
        )


def with_particulars(
    document: Document, then: Case, now: Case, content_digest: str, amendments: Sequence[Amendment]
) -> Document:
    """A report or its annexes with other particulars, `then` and `now`, and with what the new case file makes of it."""
    blocks: list[Block] = []
    for block in document.blocks:
        first = block.runs[0].text if isinstance(block, Paragraph) and block.runs else ""
        if isinstance(block, Form):
            blocks += declaration(now) if block.high else particulars(now)
        elif first == _OF_DIGEST:
            blocks += _fixed(content_digest, amendments)
        elif first != _AMENDED:
            blocks.append(block)
    footer = document.footer.removeprefix(report_named(then))
    return replace(document, footer=f"{report_named(now)}{footer}", blocks=tuple(blocks))


def _how_made(verification: Verification) -> str:
    case, n, earlier = verification.case, len(verification.comparisons), len(verification.earlier)
    methods = ", ".join(METHODS[key].name_and_source for key in primaries_of(verification))
    if case.primary == BEST_VALIDATED:
        methods += ", chosen by the validation among the methods named there"
    problems = some(verification.trail_problems, between="; ")
    return (
        (f"{n} comparisons were made. " if n > 1 else "")
        + f"This is run {verification.run} of the case file {verification.case_digest[:12]}; it had "
        + (f"{counted(earlier, 'earlier run')}, listed in the annexes. " if earlier else "no earlier runs. ")
        + (f"The record of earlier runs is not as it was written: {problems}. " if problems else "")
        + f"The method ({methods}), the verbal scale, the bounds and the seed were fixed in the case file, which was "
        "hashed before anything was scored. The annexes (annexes.html, .docx and .pdf) hold every table, "
        "figure and setting behind this report. Whether the folder was sealed afterwards, and is unchanged since, is "
        "checked with the file seal.json in it (“idiograph check”)."
    )


def texts_compared(comparison: Comparison) -> Iterator[Block]:
    """Q, K and the reference in numbers, and which registers the case file names."""

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
    registers = "The case file does not name the registers of Q, K and the reference"
    sides = ((comparison.label, comparison.q), ("K", comparison.k), ("the reference", reference))
    if any(side.register for _, side in sides):
        named = ", ".join(f"{name}: {side.register or 'not named'}" for name, side in sides)
        registers = f"Registers as the case file names them: {named}"
    yield paragraph(f"{registers}. No check finds a reference whose register is merely close to the case's own.")


_SHOWN = 6  # findings in the body of a report


def checks(comparison: Comparison) -> Iterator[Block]:
    """What is doubtful about the texts and not on the first page yet; notes by name alone."""
    findings = comparison.audit
    fits = comparison.anchors is not None and not comparison.anchors.known_apart
    if fits and (fit := fit_of_known(comparison)):
        yield paragraph(fit)
    grave = [entry for entry in findings if entry.severity == "amber"] if comparison.reported is None else []
    notes = tuple(dict.fromkeys(CATALOGUE[entry.code].name for entry in findings if entry.severity == "note"))
    if not findings:
        yield paragraph("The checks of the texts found nothing to report.")
        return
    if grave:
        shown = grave[:_SHOWN]
        yield Bullets(
            tuple(runs(strong(f"{SEVERITY[entry.severity]}: "), _in_brief(comparison, entry)) for entry in shown)
        )
    more = len(grave) - _SHOWN
    left_out = [counted(more, "more point")] if more > 0 else []
    left_out += [f"notes on {', '.join(notes)}"] if notes else []
    left = f", together with {' and '.join(left_out)}" if left_out else ""
    where = "" if grave else "What was found is in the summary. "
    yield paragraph(f"{where}The annexes say what to do about each{left}.", small=True)


def fit_of_known(comparison: Comparison) -> str:
    """Whether the known texts fit each other, in a sentence; empty where that could not be seen."""
    anchors = comparison.anchors
    if anchors is None or not anchors.known:
        return ""
    if not anchors.known_apart:
        return f"No known text, compared with the others, has an LR below 1/{KNOWN_APART:g}."
    single = len(anchors.known_apart) == 1
    return (
        f"{'This known text does' if single else 'These known texts do'} not fit the rest of K: "
        f"{', '.join(anchors.known_apart)}. {'It' if single else 'They'} may be by another writer or of another kind, "
        "which must be known before the result is relied on."
    )


def others_as_high(comparison: Comparison) -> str:
    """How many of the reference authors score as high as the case, in a sentence; empty where it was not tried."""
    anchors = comparison.anchors
    if anchors is None or not (anchors.trace and anchors.source):
        return ""
    return (
        f"{comparison.label} was also compared with as much text of each reference author as K has: "
        f"{as_high(anchors.trace_as_high, len(anchors.trace))} scored as high as the case or higher. Samples of the "
        f"reference authors, as long as {comparison.label}, were compared with K: "
        f"{as_high(anchors.source_as_high, len(anchors.source))} scored as high or higher. The fewer they are, the "
        "more the case stands out among other writers."
    )


_BRIEFLY = ("cllr", "cllr_min")


def in_brief(comparison: Comparison, prefix: str) -> Iterator[Block]:
    """How the method did on problems like this case whose answer is known: the plot, the main figures, the bounds."""
    result = comparison.validation
    if result is None:
        yield paragraph(strong(NOT_VALIDATED))
        return
    yield paragraph(" ".join((_how_validated(result), *result.missing)))
    sentences = [_bounds(result.bounds)] if result.bounds is not None else []
    if comparison.reported is not None and (others := others_as_high(comparison)):
        sentences.append(others)
    if sentences:
        yield paragraph(" ".join(sentences))
    performance = _judged(comparison, result)
    if performance is not None:
        if comparison.reported is None:  # else the trials are in the figure of the value, and this one in the annexes
            yield _tippett(comparison, result, prefix)
        # How close a refused case's texts are would be evidence.
        if result.topic is not None and comparison.reported is not None and not _is_crowded(comparison):
            yield _closeness(result.topic, prefix)
        rows = [
            *_of_topic(comparison),
            *_measured(performance, _BRIEFLY),
            *(
                (f"{_kind(misleading)}: LR {_beyond(misleading)}", _how_many(misleading), "authors with such a problem")
                for misleading in performance.misleading
                if misleading.lr == 10
            ),
        ]
        yield _performance("Performance on the validation problems", comparison, rows)


def in_full(comparison: Comparison, prefix: str) -> Iterator[Block]:
    """Every condition of the validation and every measure, for every method."""
    result = comparison.validation
    if result is None:
        yield paragraph("Validation was left out of this run.")
        return
    yield paragraph(_how_validated(result))
    yield bullets((*result.how, *result.missing))
    for caption, reasons in (
        ("Reference authors who take no part in the validation, and why", result.left_out),
        ("Reference authors whose problems are not made quite as the case is", result.relaxed),
    ):
        authors_of: dict[str, list[str]] = {}
        for reason in reasons:
            authors_of.setdefault(reason.reason, []).append(reason.author)
        rows = [(reason, str(len(authors)), ", ".join(authors)) for reason, authors in authors_of.items()]
        if rows:
            yield Table(caption, ("reason", "number", "authors"), tuple(rows), numeric=(1,), widths=(7, 2, 8))
    performance = _judged(comparison, result)
    if performance is None or result.trials is None:
        return
    worst = ("worst problem", percent(performance.worst_share), "share of Cllr that it causes")
    rows = [*_of_topic(comparison), *_measured(performance, MEASURES), worst]
    yield _performance("Performance of the primary method", comparison, rows)
    if comparison.reported is not None:
        among = AS_CLOSE if comparison.claim and comparison.claim.controlled else ""
        cllrs = result.cllrs(comparison.primary)
        if better := better_method(comparison.primary, cllrs, chosen=result.choice is not None, among=among):
            yield paragraph(better)
    yield paragraph(
        "A low Cllr is not by itself good calibration: Cllr_cal, devPAV, the shift and the slope stand beside it. "
        "Cllr_min and Cllr_cal have no interval where the authors are too few, or Cllr_min too low for their number, "
        "for an interval to hold the true value as often as it should.",
        small=True,
    )
    by_topic = result.topic.cllr if result.topic is not None else {}
    if by_topic:
        yield Table(
            f"All methods {AS_CLOSE}: each same-author problem with its nearest different-author ones, impostors among "
            "them",
            ("method", "topic-controlled Cllr (95 % interval)"),
            tuple((_method(key), _estimate(estimate)) for key, estimate in by_topic.items()),
            widths=(6, 5),
        )
    yield Table(
        "All methods on the same problems",
        ("method", "Cllr (95 % interval)", "Cllr_min", "Cllr_cal", "shift α", "slope β"),
        tuple(
            (
                _method(key),
                _with_interval(measured, "cllr"),
                *(number(getattr(measured, name).value) for name in ("cllr_min", "cllr_cal", "shift", "slope")),
            )
            for key, measured in result.performance.items()
        ),
        numeric=(2, 3, 4, 5),
        widths=(6, 5, 2, 2, 2, 2),
    )
    yield Table(
        "Misleading evidence. Authors are counted who took part in such a problem; they, not problems, are independent",
        ("problems", "LR", "misleading problems", "authors"),
        tuple(
            (
                _kind(misleading),
                _beyond(misleading),
                f"{misleading.count:,} of {misleading.n_trials:,}",
                _how_many(misleading),
            )
            for misleading in performance.misleading
        ),
        widths=(4, 4, 4, 8),
    )
    if comparison.reported is not None:
        yield _tippett(comparison, result, prefix)
    if result.topic is not None and comparison.reported is not None and _is_crowded(comparison):
        yield _closeness(result.topic, prefix)
    trials = result.trials.by(comparison.primary)
    yield Picture(
        figures.pav(same=trials.same, different=trials.different, case=_case(comparison)),
        f"{prefix}pav",
        "Calibration of the validation problems: on the dotted diagonal the LRs are what they should be, above it they "
        "should be larger, below it smaller.",
    )


def _method(key: str) -> str:
    if key == REPORTED:
        return "as reported, after bounds"
    return METHODS[key].name_and_source if key in METHODS else key.replace("_", " ")


def _how_validated(result: Validation) -> str:
    if result.trials is None:
        return "No problems with known answers could be made of the reference the way the case is made."
    return (
        f"Problems with known answers were made from {len(result.authors):,} reference authors the way the case is "
        f"made: {result.n_same:,} same-author and {result.n_different:,} different-author problems."
    )


def _judged(comparison: Comparison, result: Validation) -> Performance | None:
    """How the primary method did, None where there are no problems to tell."""
    if result.trials is None or comparison.primary not in result.trials.nats:
        return None
    return result.performance.get(comparison.primary)


def _case(comparison: Comparison) -> float | None:
    return None if comparison.reported is None else as_calculated(comparison)


def _tippett(comparison: Comparison, result: Validation, prefix: str) -> Picture:
    assert result.trials is not None
    trials, case = result.trials.by(comparison.primary), _case(comparison)
    return Picture(
        figures.tippett(same=trials.same, different=trials.different, case=case),
        f"{prefix}tippett",
        "Tippett plot of the validation problems, each a trial. Same-author problems should lie right of zero, "
        "different-author ones left of it."
        + ("" if case is None else " The vertical line is the case as calculated, before bounds."),
    )


def _closeness(topic: TopicControl, prefix: str) -> Picture:
    ends = len(topic.different) - topic.n_impostors
    return Picture(
        figures.closeness(
            rows=(
                ("same author", topic.same),
                ("different authors", topic.different[:ends]),
                ("impostors", topic.different[ends:]),
            ),
            case=topic.closeness,
        ),
        f"{prefix}closeness",
        "How close the Qs and Ks of the validation problems are in topic (c, the likeness of their content words), and "
        "where the case lies among them. Impostors are Ks of other authors made to be close to a Q.",
    )


def _performance(title: str, comparison: Comparison, rows: Sequence[tuple[str, ...]]) -> Table:
    return Table(
        f"{title} ({METHODS[comparison.primary].name_and_source}); intervals by resampling authors",
        ("measure", "value (95 % interval)", "meaning"),
        tuple(rows),
        widths=(5, 5, 8),
    )


def _measured(performance: Performance, names: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """The metrics of these names, and the shares of problems whose LR points the right way."""
    for name in names:
        measure, meaning = MEASURES[name]
        yield measure, _with_interval(performance, name), meaning
    same, different = performance.same_right.value, performance.different_right.value
    yield "same author: LR above 1", percent(same), "share of these problems"
    yield "different authors: LR below 1", percent(different), "share of these problems"


def _of_topic(comparison: Comparison) -> Iterator[tuple[str, str, str]]:
    """The topic-controlled Cllr, where it is claimed."""
    if comparison.claim is not None and comparison.claim.controlled:
        yield "topic-controlled Cllr", _estimate(comparison.claim.cllr), f"Cllr {AS_CLOSE}"


def _with_interval(performance: Performance, name: str) -> str:
    return _estimate(getattr(performance, name), in_words=cllr_figure if name == "cllr" else number)


def _estimate(estimate: Estimate, in_words: Callable[[float | None], str] = cllr_figure) -> str:
    """A measure, by default a Cllr, with its interval."""
    return in_words(estimate.value) + (f" ({interval(estimate)})" if estimate.low is not None else "")


def _kind(misleading: Misleading) -> str:
    return "same author" if misleading.same_author else "different authors"


def _beyond(misleading: Misleading) -> str:
    if misleading.lr == 1:
        return "below 1" if misleading.same_author else "above 1"
    return f"below 1/{misleading.lr:,.0f}" if misleading.same_author else f"above {misleading.lr:,.0f}"


def _how_many(misleading: Misleading) -> str:
    if misleading.upper is not None or misleading.n_misled is None:
        return misleading.sentence
    return f"{misleading.n_misled} of {misleading.n_authors} authors"


def _bounds(bounds: Bounds) -> str:
    if bounds.n_published is not None and bounds.alone is not None:
        lower, upper = bounds.alone
        return (
            f"Bounds: in the published validation ({bounds.n_published:,} authors of other corpora) and in this one "
            f"({bounds.n_authors} authors) together, values of this method are borne out up to about "
            f"{ratio(bounds.upper)} for Hp and down to about {ratio(bounds.lower)} for Hd; by this one alone it would "
            f"be {ratio(upper)} and {ratio(lower)} (the criterion of ELUB, Vergeer et al. 2016, counted in authors)."
        )
    sides = [
        f"more than about {ratio(bounds.upper)} for Hp" if bounds.upper else "anything for Hp",
        f"less than about {ratio(bounds.lower)} for Hd" if bounds.lower else "anything for Hd",
    ]
    return (
        f"Bounds: the validation material ({bounds.n_authors} authors) cannot support {sides[0]}, nor {sides[1]} "
        "(empirical lower and upper bounds: ELUB, Vergeer et al. 2016, counted in authors)."
    )


# Tokens of the heat map in the body, so that a comparison takes four pages: fewer the more else there is to say.
_EXTRACT, _LEAST, _USUAL, _PER_TOKEN = 260, 60, 1_100, 8
_FIGURE = 800  # characters that the figure of closeness takes the room of
_CROWDED = 3_500  # characters beyond which there is no room for it


def evidence(comparison: Comparison) -> Iterator[Block]:
    """The words with the strongest evidence, as they were written."""
    characters = _characters(comparison)
    if comparison.validation and comparison.validation.topic and not _is_crowded(comparison):
        characters += _FIGURE
    yield from how_to_read_it()
    yield heatmap.extract(
        comparison.explanation, min(_EXTRACT, max(_LEAST, _EXTRACT - (characters - _USUAL) // _PER_TOKEN))
    )


def _is_crowded(comparison: Comparison) -> bool:
    """Whether so much must be said that the figure of closeness stands in the annexes."""
    return _characters(comparison) > _CROWDED


def _characters(comparison: Comparison) -> int:
    """How much is said of a comparison beyond what is said of each."""
    sentences = [_in_brief(comparison, entry) for entry in comparison.audit if entry.severity != "note"]
    missing = comparison.validation.missing if comparison.validation else ()
    wording = comparison.wording
    more = (*missing, *comparison.outside, *wording.topic, *wording.limits_with_changes)
    return sum(map(len, sentences)) + sum(len(cut(limit)) for limit in more)


def how_to_read_it() -> Iterator[Block]:
    """What the colours of a heat map mean."""
    yield paragraph(
        "Blue with a solid line below: the candidate's model expects the token more than the reference models do. "
        "Orange with a dotted line: less. The strongest step is also bold (candidate) or italic (reference). ¶ is the "
        "end of a sentence, which is scored too. A colour is not a reason: that a word is blue does not make it a "
        "habit of the candidate."
    )
    yield HeatMap("", (heatmap.legend(),))
