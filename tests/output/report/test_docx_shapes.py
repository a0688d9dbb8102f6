"""Pictures keep their words; contents, boxes and rows are the word processor's own."""

from pathlib import Path

import docx
from docx.oxml.ns import qn

from idiograph.casework.verification import Verification
from idiograph.output.annexes import annexes
from idiograph.output.document import Picture
from idiograph.output.report import report
from seen_report import Page


def test_every_picture_has_its_words_in_html_docx_and_pdf(
    case: Verification, folder: Path, page: Page, annex_page: Page
) -> None:
    for name, document, seen, fewest in (
        ("report", report(case), page, 1),
        ("annexes", annexes(case), annex_page, 6),
    ):
        alts = [block.plot.alt for block in document.blocks if isinstance(block, Picture)]
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
