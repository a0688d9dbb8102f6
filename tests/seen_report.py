"""What a reader sees of a report in each of its forms."""

import io
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import docx
import pypdfium2

from idiograph import Verification
from idiograph.casework.verification import as_result
from idiograph.output.annexes import annexes
from idiograph.output.document import Document
from idiograph.output.docx import docx as docx_bytes
from idiograph.output.html import html
from idiograph.output.pdf import pdf
from idiograph.output.report import report
from idiograph.records import record_text


class Page(HTMLParser):
    """What a reader sees of a page, and what it would load."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.text = ""
        self.headings: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self._open: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in ("meta", "img"):
            self._open.append(tag)
        if tag in ("h1", "h2", "h3"):
            self.headings.append("")
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        self.text += " "

    def rows(self, *header: str) -> list[list[str]]:
        """The cells of the one table whose header begins so, without the header."""
        (rows,) = [table[1:] for table in self.tables if tuple(table[0][: len(header)]) == header]
        return rows

    def handle_data(self, data: str) -> None:
        if "style" in self._open or "title" in self._open:
            return
        self.text += data
        if self._open and self._open[-1] in ("h1", "h2", "h3"):
            self.headings[-1] += data
        if "td" in self._open or "th" in self._open:
            self.tables[-1][-1][-1] += data


def squeezed(text: str) -> str:
    """The text without blanks and with nothing invisible, since a page breaks lines where it likes."""
    # The reader of the PDF's text layer puts these two in the place of a hyphen at the end of a line.
    return re.sub(r"[\s\u200b\u00ad]+", "", text.replace("\ufffe", "-").replace("\u0002", "-"))


def page_of(document: Document) -> Page:
    return Page(html(document))


def docx_of(document: Document) -> Any:
    """A document as the word processor opens it."""
    return docx.Document(io.BytesIO(docx_bytes(document)))


def pages_of(document: Document) -> list[str]:
    """The text of each page that is printed."""
    return list(pdf_pages(pdf(document)))


def pdf_pages(content: bytes) -> Iterator[str]:
    opened = pypdfium2.PdfDocument(content)
    for page in opened:
        yield page.get_textpage().get_text_range()
    opened.close()


def docx_text(opened: Any) -> str:
    section = opened.sections[0]
    paragraphs = [*opened.paragraphs, *section.header.paragraphs, *section.footer.paragraphs]
    cells = [cell.text for table in opened.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(paragraph.text for paragraph in paragraphs), *cells])


def three(document: Document) -> dict[str, str]:
    """The visible text of the document in each form."""
    return {
        "html": page_of(document).text,
        "docx": docx_text(docx_of(document)),
        "pdf": "".join(pages_of(document)),
    }


def report_page(verification: Verification) -> Page:
    return page_of(report(verification))


def annexes_page(verification: Verification) -> Page:
    return page_of(annexes(verification))


def filed_result(verification: Verification) -> dict[str, Any]:
    """What result.json holds."""
    return json.loads(record_text(as_result(verification)))
