"""The report as DOCX: headings by style, tables, blanks to fill in, pictures with their words."""

import json
from dataclasses import replace
from pathlib import Path

import docx
from docx.oxml.ns import qn

from idiograph.output.report import report
from made_up_case import verification
from seen_report import Page, docx_of


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


def test_docx_has_what_the_case_file_gives_and_blanks_to_fill_in() -> None:
    case = verification(title="R v " + "Example " * 60)
    exhibits = ("AB/1: letter", "AB/2: a very long description of the letters")
    given = replace(case.case.particulars, number="T2026/17", exhibits=exhibits)
    opened = docx_of(report(replace(case, case=replace(case.case, particulars=given))))
    fields = {}
    for cells in ([cell.text for cell in row.cells] for table in opened.tables for row in table.rows):
        fields |= dict(zip(cells[::2], cells[1::2], strict=False))
    assert fields["Case number"] == "T2026/17"
    # A long value has the rest of its line.
    assert fields["Exhibits"] == "AB/1: letter; AB/2: a very long description of the letters"
    blanks = {label for label, known in fields.items() if known == ""}
    assert blanks >= {"Commissioned by", "Date of report", "Expert", "Signature"}
    assert fields["Declaration"].startswith("I understand my duty")
    # The title is printed whole, and named as far as the format allows.
    assert opened.paragraphs[0].text == case.case.title
    assert opened.core_properties.title == case.case.title[:255]


def test_every_picture_has_its_words_in_html_docx_and_pdf(folder: Path, page: Page, annex_page: Page) -> None:
    documents = json.loads((folder / "documents.json").read_text(encoding="utf-8"))
    for name, seen, fewest in (("report", page, 1), ("annexes", annex_page, 6)):
        alts = [block["plot"]["alt"] for block in documents[name]["blocks"] if block["is"] == "Picture"]
        assert [value for tag, key, value in seen.attributes if (tag, key) == ("img", "alt")] == alts
        opened = docx.Document(str(folder / f"{name}.docx"))
        assert [shape._inline.docPr.get("descr") for shape in opened.inline_shapes] == alts
        assert len(alts) >= fewest
        assert b"/Alt" in (folder / f"{name}.pdf").read_bytes()


def test_the_contents_list_is_a_field_with_its_entries_and_leads_to_the_headings(folder: Path) -> None:
    for name in ("report", "annexes"):
        opened = docx.Document(str(folder / f"{name}.docx"))
        entries = [paragraph for paragraph in opened.paragraphs if paragraph.style.name == "toc 1"]
        headings = [paragraph for paragraph in opened.paragraphs if paragraph.style.name == "Heading 1"]
        assert [entry.text for entry in entries] == [heading.text for heading in headings]
        assert len(entries) >= 8
        anchors = [link.get(qn("w:anchor")) for entry in entries for link in entry._p.findall(qn("w:hyperlink"))]
        marks = [mark.get(qn("w:name")) for heading in headings for mark in heading._p.iter(qn("w:bookmarkStart"))]
        assert anchors == marks
        assert len(set(anchors)) == len(entries)
        kinds = [mark.get(qn("w:fldCharType")) for mark in opened.element.body.iter(qn("w:fldChar"))]
        assert kinds == ["begin", "separate", "end"]


def test_boxes_and_code_are_styles_that_can_be_edited(folder: Path) -> None:
    opened = docx.Document(str(folder / "report.docx"))
    used = {paragraph.style.name for paragraph in opened.paragraphs}
    assert {"Box finding", "Box warning", "Heat map", "List Bullet"} <= used
    frame = opened.styles["Box finding"].element.pPr.find(qn("w:pBdr"))
    assert [side.tag.rpartition("}")[2] for side in frame] == ["top", "left", "bottom", "right"]
    annexes_ = docx.Document(str(folder / "annexes.docx"))
    assert any(run.style.name == "Code" for paragraph in annexes_.paragraphs for run in paragraph.runs)


def test_no_row_of_a_table_is_parted_by_a_page_break(folder: Path) -> None:
    for name in ("report", "annexes"):
        for table in docx.Document(str(folder / f"{name}.docx")).tables:
            assert all(row._tr.trPr.find(qn("w:cantSplit")) is not None for row in table.rows)
