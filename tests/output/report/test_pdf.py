"""The report as PDF: long texts too, and the notice of a quick run on every page."""

import io
from dataclasses import replace

import docx

from idiograph.output.report.docx import docx as docx_of
from idiograph.output.report.html import html as html_of
from idiograph.output.report.pdf import pdf as pdf_of
from idiograph.output.report.report import report
from made_up_case import PROSE, comparison, explanation, verification
from seen_report import Page, pdf_pages, squeezed


def test_quick_is_said_on_every_page() -> None:
    document = report(verification(replace(comparison(), validation=None, as_strong=None), quick=True))
    notice = squeezed("Validation under the conditions of the case was left out")
    for page in pdf_pages(pdf_of(document)):
        assert notice in squeezed(page)
    opened = docx.Document(io.BytesIO(docx_of(document)))
    assert notice in squeezed("".join(paragraph.text for paragraph in opened.sections[0].header.paragraphs))
    source = html_of(document)
    assert notice in squeezed(Page(source).text)
    assert "@top-right" in source
    assert "Nothing is known about how the method does here" in Page(source).text


def test_a_long_text_still_renders() -> None:
    told = explanation(PROSE.replace("\n", " ") * 290)
    assert len(told.tokens) > 20_000
    document = report(verification(replace(comparison(), explanation=told)))
    source = html_of(document)
    assert source.count("<span class=") > 35_000
    pages = list(pdf_pages(pdf_of(document)))
    assert len(pages) < 60
    assert squeezed("sentences with the strongest evidence") in squeezed("".join(pages))
    assert docx_of(document).startswith(b"PK")
