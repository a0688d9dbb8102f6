"""The report as PDF: long texts too, and the notice of a quick run on every page."""

import re
from dataclasses import replace

from idiograph.output.annexes import annexes
from idiograph.output.document import Heading
from idiograph.output.html import html
from idiograph.output.report import report
from made_up_case import PROSE, comparison, explanation, verification
from seen_report import Page, docx_of, page_of, pages_of, squeezed, three


def test_quick_is_said_on_every_page() -> None:
    quick = replace(comparison(), validation=None, as_strong=None)
    case = verification(replace(quick, wording=replace(quick.wording, verbal=None)), quick=True)
    notice = squeezed("Validation under the conditions of the case was left out")
    for document in (report(case), annexes(case)):
        for page in pages_of(document):
            assert notice in squeezed(page)
        header = docx_of(document).sections[0].header
        assert notice in squeezed("".join(paragraph.text for paragraph in header.paragraphs))
        source = html(document)
        assert notice in squeezed(Page(source).text)
        assert "@top-right" in source
        for text in three(document).values():
            assert not re.search(r"(no|weak|moderate|strong) support", text)
    assert "Nothing is known about how the method does here" in page_of(report(case)).text


def test_a_long_text_still_renders() -> None:
    told = explanation(PROSE.replace("\n", " ") * 290)
    assert len(told.tokens) > 20_000
    case = verification(replace(comparison(), explanation=told))
    document = annexes(case)
    source = html(document)
    assert source.count("<span class=") > 35_000
    pages = pages_of(document)
    assert len(pages) < 60
    assert squeezed("with the strongest evidence in either direction") in squeezed("".join(pages))
    assert len(docx_of(document).paragraphs) > 100
    assert len(pages_of(report(case))) <= 4


def test_no_heading_stands_last_on_its_page() -> None:
    told = explanation(PROSE * 30)
    case = verification(replace(comparison(), explanation=told))
    for document in (report(case), annexes(case)):
        headings = [squeezed(block.text) for block in document.blocks if isinstance(block, Heading)]
        pages = [squeezed(page) for page in pages_of(document)]
        assert len(pages) > 3
        for number, page in enumerate(pages, start=1):
            # The footer comes last.
            words, footer, rest = page.rpartition(squeezed(document.footer))
            assert (footer, rest) == (squeezed(document.footer), f"page{number}of{len(pages)}")
            assert not any(words.endswith(heading) for heading in headings), words[-60:]


def test_each_of_several_comparisons_begins_a_page_and_its_summary_stands_whole() -> None:
    every = [comparison(candidate=name) for name in ("Lee", "Kim", "Ona")]
    pages = [squeezed(page) for page in pages_of(report(verification(*every)))]
    for name in ("Lee", "Kim", "Ona"):
        (page,) = [page for page in pages if squeezed(f"times more likely if {name} wrote Q1") in page]
        for words in (f"Q1 and {name}", "Summary", f"written by {name}", "Before the number", "How not to read this"):
            assert squeezed(words) in page
