"""A document as DOCX that can be edited: a contents list, headings, tables and boxes by style, blanks to fill in."""

import io
import zipfile
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from docx import Document as new_document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Emu, Pt, RGBColor

from idiograph.output.document import (
    Block,
    Box,
    Bullets,
    Contents,
    Document,
    Form,
    Heading,
    HeatMap,
    Paragraph,
    Picture,
    Run,
    Table,
    all_visible,
)
from idiograph.output.leftward import runs_right_to_left
from idiograph.output.report.docx_shapes import (
    add_contents,
    add_field,
    bookmark,
    box_style,
    cell_lines,
    heat_styles,
    keep_whole,
    keep_with_next,
    page_and_styles,
    repeat_header,
    right_tab,
    same_in_complex_scripts,
)

_LONG_AGO = datetime(1980, 1, 1, tzinfo=UTC)  # the oldest date a zip file can hold


def docx(document: Document) -> bytes:
    """The document as a word processor's file, the same bytes every time."""
    document = all_visible(document)
    made = new_document()
    page_and_styles(made)
    core = made.core_properties
    core.title = document.title[:255]  # the format's limit
    core.author, core.comments, core.revision = "Idiograph", "", 1
    core.created = core.modified = _LONG_AGO
    core.last_modified_by = "Idiograph"
    _running_lines(made, document)
    made.add_paragraph(document.title, style="Title")
    made.add_paragraph(document.subtitle, style="Subtitle")
    parts = document.parts
    for block in document.blocks:
        if isinstance(block, Contents):
            add_contents(made, [part.text for part in parts])
        else:
            _add(made, block, mark=f"_Toc{parts.index(block) + 1}" if block in parts else None)
    for part in (made.styles.element, made.element):
        for properties in part.iter(qn("w:rPr")):
            same_in_complex_scripts(properties)
    written = io.BytesIO()
    made.save(written)
    return _without_dates(written.getvalue())


def _add(made: Any, block: Block, *, mark: str | None) -> None:
    match block:
        case Heading():
            heading = made.add_heading(block.text, level=block.level)
            if mark is not None:
                bookmark(heading, mark)
        case Paragraph():
            _write(made.add_paragraph(), block)
        case Bullets():
            for item in block.items:
                _write(made.add_paragraph(style="List Bullet"), Paragraph(item, small=block.small))
        case Box():
            _box(made, block)
        case Table():
            _table(made, block)
        case Form():
            _form(made, block)
        case Picture():
            _picture(made, block)
        case HeatMap():
            _heat_map(made, block.on_paper)


def _write(paragraph: Any, block: Paragraph) -> None:
    _runs(paragraph, block.runs)
    if block.small:
        for run in paragraph.runs:
            run.font.size = Pt(9)
    if block.keep:
        keep_with_next(paragraph)


def _runs(paragraph: Any, runs: tuple[Run, ...]) -> None:
    for run in runs:
        added = paragraph.add_run(run.text)
        added.bold = run.style == "strong" or None
        if run.style == "code":
            added.style = "Code"


def _box(made: Any, block: Box) -> None:
    inside = [made.add_paragraph(style=box_style(block.kind)) for _ in range(1 + len(block.paragraphs))]
    title = inside[0].add_run(block.title)
    title.bold = True
    for paragraph, content in zip(inside[1:], block.paragraphs, strict=True):
        _write(paragraph, content)
    # A summary may be long; a page break inside it is better than a page half empty before it.
    together = inside[:1] if block.kind in ("finding", "refusal") else inside[:-1]
    for paragraph in together:
        keep_with_next(paragraph)
    _gap(made)  # frames that look alike and touch would become one


def _table(made: Any, block: Table) -> None:
    keep_with_next(made.add_paragraph(block.caption, style="Caption"))
    # All rows at once: python-docx finds a cell by walking the table, which a long one cannot afford.
    table = made.add_table(rows=1 + len(block.rows), cols=len(block.header))
    table.autofit = False
    cell_lines(table)
    repeat_header(table.rows[0])
    parts = block.widths or (1,) * len(block.header)
    widths = [Emu(_text_width(made) * part // sum(parts)) for part in parts]
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    # By id: python-docx would look a style up for every cell.
    styles = [made.styles[_cell_style(block, place)].style_id for place in range(len(block.header))]
    for number, (row, cells) in enumerate(zip(table.rows, (block.header, *block.rows), strict=True)):
        stands_out = number == 0 or (block.last_is_total and number == len(block.rows))
        for cell, text, width, style in zip(row.cells, cells, widths, styles, strict=True):
            cell.width = width
            paragraph = cell.paragraphs[0]
            paragraph._p.style = style
            run = paragraph.add_run(text)
            if stands_out:
                run.bold = True
            # A page does not end between the header and the first row.
            if number == 0 or (block.is_short and number < len(block.rows)):
                keep_with_next(paragraph)
        keep_whole(row)
    _gap(made)


def _gap(made: Any) -> None:
    """A narrow line after a table, without which the next would touch it."""
    between = made.add_paragraph().paragraph_format
    between.space_after, between.line_spacing = Pt(0), Pt(8)


def _cell_style(block: Table, place: int) -> str:
    if place in block.code:
        return "Table code"
    return "Table number" if place in block.numeric else "Table text"


def _form(made: Any, block: Form) -> None:
    table = made.add_table(rows=len(block.lines), cols=4)
    table.autofit = False
    cell_lines(table)
    widths = [Cm(2.9), Cm(5.1)] * 2
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    for row, fields in zip(table.rows, block.lines, strict=True):
        cells = list(row.cells)
        for cell, width in zip(cells, widths, strict=True):
            cell.width = width
        if len(fields) == 1:
            cells[1].merge(cells[3])
        if any(not known for _, known in fields):
            row.height = Cm(1.2 if block.high else 0.7)
        for cell, text in zip(cells, [text for field in fields for text in field], strict=False):
            cell.paragraphs[0].style = "Table text"
            cell.paragraphs[0].add_run(text)
            if fields is not block.lines[-1]:
                keep_with_next(cell.paragraphs[0])
        keep_whole(row)
    _gap(made)


def _picture(made: Any, block: Picture) -> None:
    paragraph = made.add_paragraph()
    keep_with_next(paragraph)
    width = Emu(round(_text_width(made) * block.plot.share_of_width))
    shape = paragraph.add_run().add_picture(io.BytesIO(block.plot.png), width=width)
    shape._inline.docPr.set("descr", block.plot.alt)
    made.add_paragraph(block.caption, style="Caption")


def _heat_map(made: Any, block: HeatMap) -> None:
    if block.caption:
        keep_with_next(made.add_paragraph(block.caption, style="Caption"))
    style = "Heat map" if block.caption else "Heat map legend"
    looks = {level: made.styles[name].style_id for level, name in heat_styles().items()}
    for line in block.lines:
        paragraph = made.add_paragraph(style="Heat map masked" if block.masked else style)
        if runs_right_to_left("".join(piece.text for piece in line)):
            paragraph._p.get_or_add_pPr().append(OxmlElement("w:bidi"))
        for level, pieces in groupby(line, key=lambda piece: piece.level or 0):
            for text in ["".join(piece.text for piece in pieces)] if not level else [piece.text for piece in pieces]:
                # By id: python-docx would look the style up for every word.
                paragraph.add_run(text)._r.style = looks.get(level)


def _running_lines(made: Any, document: Document) -> None:
    section = made.sections[0]
    header = section.header.paragraphs[0]
    if document.banner:
        notice = header.add_run(document.banner)
        notice.bold = True
        notice.font.color.rgb = RGBColor(0x7A, 0x1F, 0x00)
        header = section.header.add_paragraph()
    header.add_run(document.header)
    footer = section.footer.paragraphs[0]
    right_tab(footer, _text_width(made))
    footer.add_run(f"{document.footer}\tpage ")
    add_field(footer, "PAGE")
    footer.add_run(" of ")
    add_field(footer, "NUMPAGES")


def _text_width(made: Any) -> int:
    section = made.sections[0]
    return int(section.page_width - section.left_margin - section.right_margin)


def _without_dates(content: bytes) -> bytes:
    """The same zip with every entry dated long ago, so that a result made again is the same file."""
    rewritten = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(rewritten, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            entry = zipfile.ZipInfo(name, _LONG_AGO.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, old.read(name))
    return rewritten.getvalue()
