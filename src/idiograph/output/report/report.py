"""The report of a case: one document from its Verification, written as HTML, DOCX and PDF with figures and tables."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

from idiograph.casework.verification import Comparison, Verification
from idiograph.casework.wording import QUICK
from idiograph.errors import InputError, some
from idiograph.evidence.methods import METHODS
from idiograph.evidence.scales import Scale, scale, scale_rows
from idiograph.files import as_path, write_whole
from idiograph.output.document import (
    Block,
    Contents,
    Document,
    Form,
    Heading,
    HeatMap,
    Picture,
    Run,
    Table,
    bullets,
    code,
    paragraph,
    strong,
)
from idiograph.output.plot import drawing, save
from idiograph.output.report import comparison as about
from idiograph.output.report import heatmap
from idiograph.output.report.annexes import masked_map, sensitivity
from idiograph.output.report.validation import validation
from idiograph.output.report.words import method_in_lay_words, number, plain_value, ratio_of
from idiograph.provenance import VERSION

TITLE = "Comparison of authorship"


def write_reports(verification: Verification, folder: Path | str) -> tuple[Path, ...]:
    """Writes report.html, report.docx, report.pdf, figures/ and the tables of tokens and sentences into `folder`."""
    from idiograph.output.report.docx import docx
    from idiograph.output.report.html import html
    from idiograph.output.report.pdf import pdf

    if not isinstance(verification, Verification):
        raise InputError(f"A report is written of a Verification, not of a {type(verification).__name__}.")
    folder = as_path(folder, "The folder of the report")
    with drawing(folder):
        document = report(verification)
        contents = {
            "report.html": html(document).encode(),
            "report.docx": docx(document),
            "report.pdf": pdf(document),
            "tokens.csv": heatmap.tokens_csv(verification.comparisons).encode(),
            "sentences.csv": heatmap.sentences_csv(verification.comparisons).encode(),
        }
        for name, content in contents.items():
            write_whole(folder / name, content)
        written = [folder / name for name in contents]
        for block in document.blocks:
            if isinstance(block, Picture):
                written += save(block.plot, folder / "figures", block.name)
    return tuple(written)


def report(verification: Verification) -> Document:
    """The whole report, numbered."""
    case = verification.case
    pairs = [f"{one.label} and {one.candidate}" for one in verification.comparisons]
    return Document(
        title=case.title or TITLE,
        subtitle=(f"{TITLE}: " if case.title else "") + some(pairs, 6, between="; "),
        header=case.title or TITLE,
        banner=QUICK if verification.quick else None,
        footer=f"Idiograph {VERSION} · case file {verification.case_digest[:12]} · run {verification.run}",
        blocks=_numbered([*_body(verification), *_annexes(verification)]),
    )


def _body(verification: Verification) -> Iterator[Block]:
    yield Heading(1, "The question")
    yield from _question(verification)
    yield Form(
        (
            ("Exhibit numbers", ""),
            ("Instructed by", ""),
            ("Instructions", ""),
            ("Date of instruction", ""),
            ("Dates of examination", ""),
            ("Date of report", ""),
        )
    )
    yield Contents()
    if len(verification.comparisons) == 1:
        yield from _comparison(verification.comparisons[0], level=1, prefix="")
    else:
        yield Heading(1, "All results")
        yield _results(verification)
        for place, comparison in enumerate(verification.comparisons, start=1):
            yield Heading(1, f"{comparison.label} and {comparison.candidate}")
            yield from _comparison(comparison, level=2, prefix=f"comparison{place}_")
    yield Heading(1, "The method")
    for sentence in method_in_lay_words(verification):
        yield paragraph(sentence)
    yield Heading(1, "Limits")
    yield bullets(tuple(dict.fromkeys(one for each in verification.comparisons for one in each.wording.limits)))
    yield Heading(1, "Declaration (to be completed by the expert)")
    yield Form((("Declaration", ""), ("Name and qualifications", ""), ("Signature", ""), ("Place and date", "")))


def _question(verification: Verification) -> Iterator[Block]:
    case = verification.case
    for comparison in verification.comparisons:
        yield paragraph(strong("Hp  "), comparison.wording.hp)
        yield paragraph(strong("Hd  "), comparison.wording.hd)
    yield paragraph(strong("Population  "), case.population or "not stated")
    n, earlier = len(verification.comparisons), len(verification.earlier)
    yield paragraph(
        f"{_count(n, 'comparison')} {'was' if n == 1 else 'were'} made "
        f"({_count(len(case.questioned), 'questioned text')}, {_count(len(case.known), 'candidate')}). "
        f"This is run {verification.run} of the case; it had {_count(earlier, 'earlier run')}"
        + (", listed in an annex. " if earlier else ". ")
        + f"The method ({METHODS[case.primary].name_and_source}), the verbal scale, the bounds and the seed were "
        "fixed in the case file, which was hashed before the questioned text was scored."
    )


def _results(verification: Verification) -> Table:
    rows = []
    for one in verification.comparisons:
        if one.reported is None:
            rows.append((one.label, one.candidate, "none reported", "", ""))
        else:
            llr = one.reported
            rows.append((one.label, one.candidate, ratio_of(llr.nats), number(llr.log10), one.wording.verbal or "none"))
    return Table(
        f"The {len(rows)} comparisons of this case. Each is a result of its own; they are not independent.",
        ("questioned", "candidate", "LR", "log10 LR", "verbal equivalent"),
        tuple(rows),
        numeric=(2, 3),
        widths=(3, 5, 3, 3, 6),
    )


def _comparison(comparison: Comparison, *, level: Literal[1, 2], prefix: str) -> Iterator[Block]:
    yield Heading(level, "Finding" if comparison.reported else "Refusal")
    yield from about.finding(comparison)
    yield Heading(level, "Checks of the texts")
    yield from about.audit(comparison.audit)
    yield Heading(level, "Validation under the conditions of this case")
    yield from validation(comparison, prefix)
    if comparison.reported is None:
        return
    yield Heading(level, "How many others score as high?")
    yield from about.anchors(comparison, prefix)
    yield Heading(level, "Are the known texts by one writer?")
    yield from about.known_texts(comparison, prefix)
    yield Heading(level, "Where in the text the evidence lies")
    yield from about.explanation(comparison, prefix)


def _annexes(verification: Verification) -> Iterator[Block]:
    several = len(verification.comparisons) > 1
    reported = [
        (f"comparison{place}_" if several else "", one)
        for place, one in enumerate(verification.comparisons, start=1)
        if one.reported is not None
    ]
    for title, section in (
        ("Sensitivity", sensitivity),
        ("The words as they were scored", lambda comparison, prefix: masked_map(comparison)),
    ):
        if reported:
            yield Heading(1, title, annex=True)
        for prefix, comparison in reported:
            if several:
                yield Heading(2, f"{comparison.label} and {comparison.candidate}")
            yield from section(comparison, prefix)
    chosen = scale(verification.case.scale)
    if chosen is not None:
        yield Heading(1, "The verbal scale", annex=True)
        yield from _scale(chosen)
    yield Heading(1, "Items examined", annex=True)
    yield Table(
        "Every input with its size and digest (SHA-256)",
        ("role", "name", "bytes", "SHA-256"),
        tuple((file.role, file.name, f"{file.size:,}", file.sha256) for file in verification.provenance.inputs),
        numeric=(2,),
        code=(3,),
        widths=(3, 6, 3, 9),
    )
    yield Heading(1, "Settings and versions", annex=True)
    yield from _settings(verification)
    if verification.earlier:
        yield Heading(1, "Earlier runs of this case", annex=True)
        yield Table(
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
    yield Table(
        "Settings",
        ("setting", "value"),
        tuple((name, plain_value(value)) for name, value in provenance.settings.items()),
        widths=(3, 7),
    )
    yield Table("Versions", ("package", "version"), tuple(provenance.versions.items()), widths=(3, 7))
    yield paragraph(
        "manifest.json beside this report holds all of it; ",
        Run("idiograph replay manifest.json", "code"),
        " runs the case again and compares the numbers digit by digit.",
    )


def _numbered(blocks: list[Block]) -> tuple[Block, ...]:
    """Headings, figures and tables with their numbers."""
    parts = sub = annexes = tables = pictures = 0
    numbered: list[Block] = []
    for block in blocks:
        match block:
            case Heading(level=1, annex=True):
                annexes, sub = annexes + 1, 0
                block = replace(block, text=f"Annex {_letters(annexes)}. {block.text}", new_page=annexes == 1)
            case Heading(level=1):
                parts, sub = parts + 1, 0
                block = replace(block, text=f"{parts}. {block.text}")
            case Heading(level=2):
                sub += 1
                block = replace(block, text=f"{_letters(annexes) if annexes else parts}.{sub} {block.text}")
            case Table():
                tables += 1
                block = replace(block, caption=f"Table {tables}. {block.caption}")
            case Picture():
                pictures += 1
                block = replace(block, caption=f"Figure {pictures}. {block.caption}")
            case HeatMap(caption=caption) if caption:
                pictures += 1
                block = _with_number(block, pictures)
        numbered.append(block)
    return tuple(numbered)


def _with_number(block: HeatMap, number: int) -> HeatMap:
    printed = None if block.printed is None else _with_number(block.printed, number)
    return replace(block, caption=f"Figure {number}. {block.caption}.", printed=printed)


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


def _letters(number: int) -> str:
    return chr(ord("A") + number - 1)
