"""The report as DOCX: headings by style, tables, blanks to fill in."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import docx

from idiograph.casework.case import Particulars
from idiograph.output.docx import docx as docx_of
from idiograph.output.report import report
from made_up_case import verification
from seen_report import Page


def test_docx_has_the_headings_by_style_and_every_table(folder: Path, page: Page, annex_page: Page) -> None:
    for name, seen, n_headings, fewest in (("report", page, 9, 2), ("annexes", annex_page, 16, 10)):
        opened = docx.Document(str(folder / f"{name}.docx"))
        styles = ("Title", "Heading 1", "Heading 2")
        styled = [paragraph.text for paragraph in opened.paragraphs if paragraph.style.name in styles]
        assert styled == seen.headings
        assert len(styled) == n_headings
        tables = [[[cell.text for cell in row.cells] for row in table.rows] for table in opened.tables]
        assert len(seen.tables) >= fewest
        for table in seen.tables:
            assert table in tables


def test_docx_has_blanks_to_fill_in(folder: Path) -> None:
    opened = docx.Document(str(folder / "report.docx"))
    fields = [pair for table in opened.tables for row in table.rows for pair in pairs(row.cells)]
    blanks = {label for label, known in fields if known == ""}
    assert blanks >= {"Exhibits", "Commissioned by", "Date of report", "Expert", "Signature"}
    assert any(label == "Declaration" and known.startswith("I understand my duty") for label, known in fields)


def test_docx_has_what_the_case_file_gives_in_place_of_blanks() -> None:
    case = verification()
    given = Particulars(number="T2026/17", exhibits=("AB/1: letter", "AB/2: a very long description of the letters"))
    document = report(replace(case, case=replace(case.case, particulars=given)))
    opened = docx.Document(io.BytesIO(docx_of(document)))
    fields = {pair for table in opened.tables for row in table.rows for pair in pairs(row.cells)}
    assert ("Case number", "T2026/17") in fields
    # A long value has the rest of its line.
    assert ("Exhibits", "AB/1: letter; AB/2: a very long description of the letters") in fields


def pairs(cells: Any) -> list[tuple[str, str]]:
    """The labels of a row with what stands beside them."""
    texts = [cell.text for cell in cells]
    return list(zip(texts[::2], texts[1::2], strict=False))


def test_a_title_longer_than_a_docx_may_name_is_printed_whole() -> None:
    title = "R v " + "Example " * 60
    document = report(verification(title=title))
    opened = docx.Document(io.BytesIO(docx_of(document)))
    assert opened.paragraphs[0].text == title
    assert opened.core_properties.title == title[:255]
