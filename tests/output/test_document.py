"""A document says the same in every form, and nothing in it acts."""

import io
from collections.abc import Iterator
from dataclasses import replace

import docx

from idiograph.casework.verification import Verification
from idiograph.errors import visible
from idiograph.output.document import Picture, Table
from idiograph.output.report.docx import docx as docx_of
from idiograph.output.report.html import html as html_of
from idiograph.output.report.report import report
from made_up_case import HOSTILE, PROSE, comparison, explanation, verification
from seen_report import Page, squeezed, three


def test_every_paragraph_box_and_cell_is_in_all_three(case: Verification, texts: dict[str, str]) -> None:
    seen = {form: squeezed(text) for form, text in texts.items()}
    for block in report(case).blocks:
        for text in strings(block):
            for form, whole in seen.items():
                assert squeezed(text) in whole, f"{text!r} is not in the {form}"


def strings(block: object) -> Iterator[str]:
    """Every text of a block that a reader must see."""
    if isinstance(block, Picture):
        yield block.caption
    elif isinstance(block, Table):
        yield block.caption
        yield from block.header
        for row in block.rows:
            yield from row
    elif hasattr(block, "runs"):
        yield "".join(run.text for run in block.runs)
    elif hasattr(block, "paragraphs"):
        yield block.title
        for paragraph in block.paragraphs:
            yield from strings(paragraph)
    elif hasattr(block, "items"):
        for item in block.items:
            yield "".join(run.text for run in item)
    elif hasattr(block, "fields"):
        yield from (label for label, _ in block.fields)
    elif hasattr(block, "level"):
        yield block.text
    elif hasattr(block, "lines"):
        yield block.caption
        yield from ("".join(piece.text for piece in line) for line in block.lines)


def test_markup_and_formulas_in_texts_and_names_are_inert() -> None:
    hostile = comparison(label=HOSTILE.replace("\0", ""), candidate=HOSTILE.replace("\0", ""))
    told = explanation(f"{HOSTILE} and more. {PROSE}", text_id=HOSTILE)
    hostile = replace(hostile, explanation=told, audit=(replace(hostile.audit[0], message=HOSTILE, where=(HOSTILE,)),))
    case = verification(hostile, title=HOSTILE.replace("\0", ""))
    case = replace(
        case,
        case=replace(case.case, population=HOSTILE.replace("\0", "")),
        provenance=replace(case.provenance, inputs=(replace(case.provenance.inputs[0], name=HOSTILE),)),
    )
    document = report(case)
    source = html_of(document)
    page = Page(source)
    assert "script" not in page.tags
    assert "<script" not in source
    assert visible(HOSTILE).count("⟨U+0000⟩") == 1
    shown = visible(HOSTILE.replace("\0", ""))
    assert shown.count("⟨U+202E⟩") == shown.count("⟨U+0007⟩") == 1
    assert "\u202e" not in source
    assert "\x00" not in source
    for form, text in three(document).items():
        assert squeezed(shown) in squeezed(text), form
        assert squeezed(visible(HOSTILE)) in squeezed(text), form
        assert "\u202e" not in text
    opened = docx.Document(io.BytesIO(docx_of(document)))
    assert not opened.element.body.xpath(".//w:instrText | .//w:fldSimple")
    assert opened.paragraphs[0].text == shown
