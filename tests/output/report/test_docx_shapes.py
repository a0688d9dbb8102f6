"""Pictures keep their words in every form."""

from pathlib import Path

import docx

from idiograph.casework.verification import Verification
from idiograph.output.document import Picture
from idiograph.output.report.report import report
from seen_report import Page


def test_every_picture_has_its_words_in_html_docx_and_pdf(case: Verification, folder: Path, page: Page) -> None:
    alts = [block.plot.alt for block in report(case).blocks if isinstance(block, Picture)]
    assert [value for tag, name, value in page.attributes if (tag, name) == ("img", "alt")] == alts
    opened = docx.Document(str(folder / "report.docx"))
    assert [shape._inline.docPr.get("descr") for shape in opened.inline_shapes] == alts
    assert len(alts) >= 5
    assert b"/Alt" in (folder / "report.pdf").read_bytes()
