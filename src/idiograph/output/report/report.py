"""The report of a case: a few pages for the court and their annexes, each written as HTML, DOCX and PDF."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from idiograph.casework.case import BEST_VALIDATED
from idiograph.casework.verification import Comparison, Verification
from idiograph.casework.wording import QUICK
from idiograph.errors import InputError
from idiograph.evidence.methods import METHODS
from idiograph.files import as_path, write_whole
from idiograph.output.document import (
    Block,
    Bullets,
    Contents,
    Document,
    Heading,
    Picture,
    bullets,
    paragraph,
    runs,
    strong,
)
from idiograph.output.plot import drawing, save
from idiograph.output.report import comparison as about
from idiograph.output.report import heatmap, validation
from idiograph.output.report.annexes import annexes
from idiograph.output.report.case_form import declaration, particulars
from idiograph.output.report.items import FILES, files_csv
from idiograph.output.report.numbering import numbered
from idiograph.output.report.summary import all_comparisons, further_limits, summary
from idiograph.output.report.words import GLOSSARY, count, footer, method_in_lay_words, name_of, prefix_of, primaries_of


def write_reports(verification: Verification, folder: Path | str) -> tuple[Path, ...]:
    """Writes the report and its annexes as HTML, DOCX and PDF, their figures, and the tables of tokens and files."""
    from idiograph.output.report.docx import docx
    from idiograph.output.report.html import html
    from idiograph.output.report.pdf import pdf

    if not isinstance(verification, Verification):
        raise InputError(f"A report is written of a Verification, not of a {type(verification).__name__}.")
    folder = as_path(folder, "The folder of the report")
    with drawing(folder):
        contents: dict[str, bytes] = {}
        documents = {"report": report(verification), "annexes": annexes(verification)}
        for name, document in documents.items():
            contents[f"{name}.html"] = html(document).encode()
            contents[f"{name}.docx"] = docx(document)
            contents[f"{name}.pdf"] = pdf(document)
        contents["tokens.csv"] = heatmap.tokens_csv(verification.comparisons).encode()
        contents["sentences.csv"] = heatmap.sentences_csv(verification.comparisons).encode()
        contents[FILES] = files_csv(verification).encode()
        for name, content in contents.items():
            write_whole(folder / name, content)
        written = [folder / name for name in contents]
        for document in documents.values():
            for block in document.blocks:
                if isinstance(block, Picture):
                    written += save(block.plot, folder / "figures", block.name)
    return tuple(written)


def report(verification: Verification) -> Document:
    """What the court reads, numbered; the finding is on its first page."""
    name, pairs = name_of(verification)
    return Document(
        title=name,
        subtitle=pairs,
        header=name,
        banner=QUICK if verification.quick else None,
        footer=footer(verification),
        blocks=numbered(_body(verification)),
    )


def _body(verification: Verification) -> Iterator[Block]:
    every = verification.comparisons
    several = len(every) != 1
    yield from all_comparisons(verification) if several else summary(every[0], verification)
    yield Contents()
    yield Heading(1, "Particulars")
    yield from particulars(verification.case)
    yield paragraph(_how_made(verification), small=True)
    for place, one in enumerate(every):
        if several:
            yield Heading(1, f"{one.label} and {one.candidate}")
            yield from summary(one, verification)
        yield from _comparison(one, level=2 if several else 1, prefix=prefix_of(verification, place))
    yield Heading(1, "The method")
    for sentence in method_in_lay_words(verification):
        yield paragraph(sentence)
    if more := further_limits(verification):
        yield Heading(1, "Further limits")
        yield bullets(more)
    yield Heading(1, "Glossary")
    yield Bullets(tuple(runs(strong(word), f": {meaning}") for word, meaning in GLOSSARY), small=True)
    yield Heading(1, "Declaration (to be completed by the expert)")
    yield from declaration(verification.case)


def _comparison(comparison: Comparison, *, level: Literal[1, 2], prefix: str) -> Iterator[Block]:
    yield Heading(level, "The texts and their checks")
    yield from about.texts_compared(comparison)
    yield from about.checks(comparison)
    yield Heading(level, "Validation under the conditions of this case")
    yield from validation.in_brief(comparison, prefix)
    if comparison.reported is not None:
        yield Heading(level, "Where in the text the evidence lies")
        yield from about.evidence(comparison)


def _how_made(verification: Verification) -> str:
    case, n, earlier = verification.case, len(verification.comparisons), len(verification.earlier)
    methods = ", ".join(METHODS[key].name_and_source for key in primaries_of(verification))
    if case.primary == BEST_VALIDATED:
        methods += ", chosen by the validation among the methods named there"
    return (
        f"{count(n, 'comparison')} {'was' if n == 1 else 'were'} made "
        f"({count(len(case.questioned), 'questioned text')}, {count(len(case.known), 'candidate')}). "
        f"This is run {verification.run} of the case; it had {count(earlier, 'earlier run')}"
        + (", listed in the annexes. " if earlier else ". ")
        + f"The method ({methods}), the verbal scale, the bounds and the seed were fixed in the case file, which was "
        "hashed before the questioned text was scored. The annexes (annexes.html, .docx and .pdf) hold every table, "
        "figure and setting behind this report. A case is sealed after its report is written, so this one cannot say "
        "whether it was: the folder then holds seal.json with the digests of all files. Without a signature that shows "
        "that nothing has changed since, with one also whose key sealed it; the command “idiograph check” says which."
    )
