"""A document says the same in every form, and nothing in it acts."""

from collections.abc import Iterator
from dataclasses import replace

from idiograph import Verification
from idiograph.errors import visible
from idiograph.output.annexes import annexes
from idiograph.output.document import Block, Form, Heading, HeatMap, Picture, Piece, Table, numbered
from idiograph.output.html import html
from idiograph.output.report import report
from made_up_case import HOSTILE, PROSE, comparison, explanation, verification
from seen_report import Page, docx_of, squeezed, three


def test_every_paragraph_box_and_cell_is_in_all_three(
    case: Verification, texts: dict[str, str], annex_texts: dict[str, str]
) -> None:
    for document, by_form in ((report(case), texts), (annexes(case), annex_texts)):
        seen = {form: squeezed(text) for form, text in by_form.items()}
        for block in document.blocks:
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
        yield from (text for field in block.fields for text in field)
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
    expert = replace(case.case.expert, name=HOSTILE.replace("\0", ""))
    case = replace(
        case,
        case=replace(case.case, population=HOSTILE.replace("\0", ""), expert=expert),
        provenance=replace(case.provenance, inputs=(replace(case.provenance.inputs[0], name=HOSTILE),)),
    )
    assert visible(HOSTILE).count("⟨U+0000⟩") == 1
    shown = visible(HOSTILE.replace("\0", ""))
    assert shown.count("⟨U+202E⟩") == shown.count("⟨U+0007⟩") == 1
    for document in (report(case), annexes(case)):
        source = html(document)
        assert "script" not in Page(source).tags
        assert "<script" not in source
        assert "\u202e" not in source
        assert "\x00" not in source
        for form, text in three(document).items():
            assert squeezed(shown) in squeezed(text), form
            assert squeezed(visible(HOSTILE)) in squeezed(text), form
            assert "\u202e" not in text
        opened = docx_of(document)
        fields = opened.element.body.xpath(".//w:instrText | .//w:fldSimple")
        assert [field.text for field in fields] == ['TOC \\o "1-1" \\n \\h \\z']
        assert opened.paragraphs[0].text.endswith(shown)


def test_two_short_fields_share_a_line_and_a_long_one_has_its_own() -> None:
    long = "x" * 40
    form = Form((("a", ""), ("b", "short"), ("c", long), ("d", ""), ("e", "")))
    assert form.lines == ((("a", ""), ("b", "short")), (("c", long),), (("d", ""), ("e", "")))
    assert Form((("a", ""), ("c", long))).lines == ((("a", ""),), (("c", long),))


def test_a_page_break_parts_long_tables_only() -> None:
    assert Table("", ("a",), (("x",),) * 10).is_short
    assert not Table("", ("a",), (("x",),) * 11).is_short
    assert not Table("", ("a",), (("x" * 601,),) * 2).is_short


TABLE = Table("a table", ("a",), ())
MAP = HeatMap("a map", ((Piece("x"),),), printed=HeatMap("an extract", ((Piece("x"),),)))
LEGEND = HeatMap("", ((Piece("x"),),))
BLOCKS = (
    TABLE, Heading(1, "one"), Heading(2, "first"), TABLE, MAP, LEGEND, Heading(1, "two"), Heading(2, "second"), TABLE,
)  # fmt: skip


def names(blocks: tuple[Block, ...]) -> list[str]:
    return [block.text if isinstance(block, Heading) else block.caption for block in blocks]  # type: ignore[union-attr]


def test_a_report_counts_through() -> None:
    assert names(numbered(BLOCKS)) == [
        "Table 1. a table", "1. one", "1.1 first", "Table 2. a table", "Figure 1. a map.", "", "2. two", "2.1 second",
        "Table 3. a table",
    ]  # fmt: skip
    drawn = numbered(BLOCKS)[4]
    assert isinstance(drawn, HeatMap)
    assert drawn.printed is not None
    assert drawn.printed.caption == "Figure 1. an extract."


def test_annexes_count_within_each() -> None:
    assert names(numbered(BLOCKS[1:], annexes=True)) == [
        "Annex A. one", "A.1 first", "Table A1. a table", "Figure A1. a map.", "", "Annex B. two", "B.1 second",
        "Table B1. a table",
    ]  # fmt: skip
