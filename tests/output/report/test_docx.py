"""The report as DOCX: headings by style, tables, blanks to fill in."""

import io
from pathlib import Path

import docx

from idiograph.output.report.docx import docx as docx_of
from idiograph.output.report.report import report
from made_up_case import verification
from seen_report import Page


def test_docx_has_the_headings_by_style_and_every_table(folder: Path, page: Page) -> None:
    opened = docx.Document(str(folder / "report.docx"))
    styled = [
        paragraph.text for paragraph in opened.paragraphs if paragraph.style.name in ("Title", "Heading 1", "Heading 2")
    ]
    assert styled == page.headings
    assert len(styled) == 17
    tables = [[[cell.text for cell in row.cells] for row in table.rows] for table in opened.tables]
    assert len(page.tables) >= 10
    for table in page.tables:
        assert table in tables


def test_docx_has_blanks_to_fill_in(folder: Path) -> None:
    opened = docx.Document(str(folder / "report.docx"))
    blanks = {row.cells[0].text for table in opened.tables for row in table.rows if row.cells[-1].text == ""}
    assert blanks >= {
        "Exhibit numbers", "Instructions", "Date of instruction", "Date of report", "Declaration", "Signature",
    }  # fmt: skip


def test_a_title_longer_than_a_docx_may_name_is_printed_whole() -> None:
    title = "R v " + "Example " * 60
    document = report(verification(title=title))
    opened = docx.Document(io.BytesIO(docx_of(document)))
    assert opened.paragraphs[0].text == title
    assert opened.core_properties.title == title[:255]
