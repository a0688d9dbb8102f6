"""A document as DOCX that can be edited: a contents list, headings, tables and boxes by style, blanks to fill in.

Much of it is written as XML, for python-docx has no words for shading, borders, page numbers, a contents list and
repeated header rows.
"""

import io
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from docx import Document as new_document
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_TAB_ALIGNMENT, WD_UNDERLINE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Emu, Mm, Pt, RGBColor

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
    Table,
    all_visible,
)
from idiograph.output.heatmap import LOOKS
from idiograph.output.scripts import runs_right_to_left

# Colour, thickness of the left edge in eighths of a point, and fill of each kind of box.
_BOXES = {
    "finding": ("004A7C", 24, "F2F7FB"),
    "warning": ("000000", 24, "FFFFFF"),
    "refusal": ("000000", 24, "F7F7F5"),
    "red": ("A32A00", 24, "F7F7F5"),
    "amber": ("C77700", 12, "F7F7F5"),
    "note": ("767676", 6, "F7F7F5"),
}

# The schema wants a paragraph's properties in order; these follow its frame and shading.
_AFTER_SHADING = ("w:tabs", "w:spacing", "w:ind", "w:contextualSpacing", "w:jc", "w:outlineLvl", "w:rPr")


def _page_and_styles(target: Any) -> None:
    """A4, black headings, and fonts of which every word processor has its own or one as wide."""
    section = target.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(25)
    section.top_margin, section.bottom_margin = Mm(25), Mm(20)
    for name, font, size in (
        ("Normal", "Times New Roman", 10),
        ("Title", "Arial", 18),
        ("Subtitle", "Arial", 11),
        ("Heading 1", "Arial", 13),
        ("Heading 2", "Arial", 11),
        ("Caption", "Arial", 9),
        ("Header", "Arial", 8.5),
        ("Footer", "Arial", 8.5),
    ):
        style = target.styles[name]
        style.font.name, style.font.size = font, Pt(size)
        # The template's themes would win over the name otherwise.
        fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
        for key in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
            fonts.attrib.pop(qn(f"w:{key}"), None)
        for key in ("ascii", "hAnsi", "cs"):
            fonts.set(qn(f"w:{key}"), font)
        if name != "Normal":
            grey = name in ("Subtitle", "Caption", "Header", "Footer")
            style.font.color.rgb = RGBColor(0x55, 0x55, 0x55) if grey else RGBColor(0x1A, 0x1A, 0x1A)
            style.font.italic = False
        if name == "Caption":
            style.font.bold = False
    target.styles["Normal"].paragraph_format.space_after = Pt(5)
    target.styles["Heading 1"].paragraph_format.space_before = Pt(14)
    target.styles["Heading 2"].paragraph_format.space_before = Pt(10)
    _add_heat_styles(target)
    _add_box_styles(target)
    code = target.styles.add_style("Code", WD_STYLE_TYPE.CHARACTER)
    code.font.name, code.font.size = "Courier New", Pt(8.5)
    contents = target.styles.add_style("toc 1", WD_STYLE_TYPE.PARAGRAPH, builtin=True)
    contents.base_style = target.styles["Normal"]
    contents.font.name, contents.font.size = "Arial", Pt(9)
    contents.paragraph_format.space_after = Pt(0)
    for name, font, size in (
        ("Table text", "Arial", 8.5),
        ("Table number", "Arial", 8.5),
        ("Table code", "Courier New", 7.5),
    ):
        _paragraph_style(target, name, font, size).paragraph_format.space_after = Pt(1)
    target.styles["Table number"].paragraph_format.alignment = WD_ALIGN_PARAGRAPH.RIGHT


def _same_in_complex_scripts(properties: Any) -> None:
    """Gives Hebrew, Arabic and Indic letters the weight, slope and size of the others: a word processor asks apart."""
    for name in ("w:b", "w:i", "w:sz"):
        for old in properties.findall(qn(f"{name}Cs")):
            properties.remove(old)
        if (plain := properties.find(qn(name))) is not None:
            copied = OxmlElement(f"{name}Cs")
            copied.attrib.update(plain.attrib)
            plain.addnext(copied)


# The character style of each step of a heat map.
_HEAT_STYLES = {level: f"Heat {'for' if level > 0 else 'against'} {abs(level)}" for level in LOOKS}


def _add_heat_styles(target: Any) -> None:
    for level, name in _HEAT_STYLES.items():
        style = target.styles.add_style(name, WD_STYLE_TYPE.CHARACTER)
        look, slight = LOOKS[level], abs(level) == 1
        underline = WD_UNDERLINE.SINGLE if slight else WD_UNDERLINE.THICK
        if look.dotted:
            underline = WD_UNDERLINE.DOTTED if slight else WD_UNDERLINE.DOTTED_HEAVY
        style.font.underline = underline
        style.font.bold, style.font.italic = look.letters == "bold" or None, look.letters == "italic" or None
        style.element.get_or_add_rPr().append(_shading(look.fill.removeprefix("#").upper()))
    for name, font, size in (
        ("Heat map", "Times New Roman", 10),
        ("Heat map legend", "Arial", 8.5),
        ("Heat map masked", "Courier New", 8.5),
    ):
        _paragraph_style(target, name, font, size).paragraph_format.line_spacing = 1.35


def _paragraph_style(target: Any, name: str, font: str, size: float) -> Any:
    style = target.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
    style.base_style = target.styles["Normal"]
    style.font.name, style.font.size = font, Pt(size)
    return style


def _shading(fill: str) -> Any:
    return _element("w:shd", val="clear", color="auto", fill=fill)


def _add_box_styles(target: Any) -> None:
    for kind, (colour, left, fill) in _BOXES.items():
        style = target.styles.add_style(f"Box {kind}", WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = target.styles["Normal"]
        style.paragraph_format.space_after = Pt(4)
        frame = OxmlElement("w:pBdr")
        for side in ("top", "left", "bottom", "right"):
            thick = left if side == "left" else 6
            frame.append(_element(f"w:{side}", val="single", sz=str(thick), space="6", color=colour))
        properties = style.element.get_or_add_pPr()
        properties.insert_element_before(frame, "w:shd", *_AFTER_SHADING)
        properties.insert_element_before(_shading(fill), *_AFTER_SHADING)


def _paragraph(target: Any, style: str, text: str = "") -> Any:
    """A paragraph of a style at the end of the document."""
    paragraph = target.add_paragraph(text)
    paragraph._p.style = _style_id(style)
    return paragraph


def _style_id(name: str) -> str:
    """The id of a style: by its name python-docx would look it up, and the default beside it, in every paragraph."""
    return name.replace(" ", "")


def _element(tag: str, /, **attributes: str) -> Any:
    """An element of the word processor's own, with its attributes."""
    element = OxmlElement(tag)
    for key, value in attributes.items():
        element.set(qn(f"w:{key}"), value)
    return element


def _add_contents(target: Any, parts: Sequence[Heading]) -> None:
    """A contents list that the word processor can renew, with its entries there already.

    It has no page numbers: only the word processor knows them, and it does not look before it is asked to.
    """
    for number, part in enumerate(parts, start=1):
        paragraph = _paragraph(target, "toc 1")
        if number == 1:
            _field_mark(paragraph, "begin")
            instruction = OxmlElement("w:instrText")
            instruction.set(qn("xml:space"), "preserve")
            instruction.text = 'TOC \\o "1-1" \\n \\h \\z'
            paragraph.add_run()._r.append(instruction)
            _field_mark(paragraph, "separate")
        link = _element("w:hyperlink", anchor=f"_Toc{number}", history="1")
        link.append(paragraph.add_run(part.text)._r)
        paragraph._p.append(link)
        if number == len(parts):
            _field_mark(paragraph, "end")
            paragraph.paragraph_format.space_after = Pt(6)


def _field_mark(paragraph: Any, kind: str) -> None:
    paragraph.add_run()._r.append(_element("w:fldChar", fldCharType=kind))


def _new_table(target: Any, n_rows: int, widths: Sequence[int]) -> Any:
    """A table of columns of these widths, with thin lines between its rows."""
    table = target.add_table(rows=n_rows, cols=len(widths))
    table.autofit = False
    lines = OxmlElement("w:tblBorders")
    for side in ("top", "bottom", "insideH"):
        lines.append(_element(f"w:{side}", val="single", sz="4", color="C9C9C9"))
    # The schema wants them before these.
    table._tbl.tblPr.insert_element_before(lines, "w:shd", "w:tblLayout", "w:tblCellMar", "w:tblLook")
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    return table


def _keep_whole(row: Any) -> None:
    """No page break inside the row."""
    row._tr.get_or_add_trPr().insert(0, _element("w:cantSplit", val="true"))


def keep_with_next(paragraph: Any) -> None:
    """No page break after this paragraph."""
    paragraph.paragraph_format.keep_with_next = True


_LONG_AGO = datetime(1980, 1, 1, tzinfo=UTC)  # the oldest date a zip file can hold


def docx(document: Document) -> bytes:
    """The document as a word processor's file, the same bytes every time."""
    try:
        return _written(all_visible(document))
    except SyntaxError as error:  # in parts that have no mistake: their reader had too little memory
        raise MemoryError(str(error)) from error


def _written(document: Document) -> bytes:
    target = new_document()
    _page_and_styles(target)
    core = target.core_properties
    core.title = document.title[:255]  # the format's limit
    core.author, core.comments, core.revision = "Idiograph", "", 1
    core.created = core.modified = _LONG_AGO
    core.last_modified_by = "Idiograph"
    _running_lines(target, document)
    _paragraph(target, "Title", document.title)
    _paragraph(target, "Subtitle", document.subtitle)
    parts = document.parts
    for block in document.blocks:
        if isinstance(block, Contents):
            _add_contents(target, parts)
        else:
            _add(target, block, number=parts.index(block) + 1 if block in parts else None)
    for part in (target.styles.element, target.element):
        for properties in part.iter(qn("w:rPr")):
            _same_in_complex_scripts(properties)
    written = io.BytesIO()
    target.save(written)
    return _without_dates(written.getvalue())


def _add(target: Any, block: Block, *, number: int | None) -> None:
    """A block at the end of the document; `number` is that of a heading in the contents list, which leads there."""
    match block:
        case Heading():
            heading = target.add_heading(block.text, level=block.level)._p
            if number is not None:
                heading.insert(1, _element("w:bookmarkStart", id=str(number), name=f"_Toc{number}"))
                heading.append(_element("w:bookmarkEnd", id=str(number)))
        case Paragraph():
            _write(target.add_paragraph(), block)
        case Bullets():
            for item in block.items:
                _write(_paragraph(target, "List Bullet"), Paragraph(item, small=block.small))
        case Box():
            _box(target, block)
        case Table():
            _table(target, block)
        case Form():
            _form(target, block)
        case Picture():
            _picture(target, block)
        case HeatMap():
            _heat_map(target, block.on_paper)


def _write(paragraph: Any, block: Paragraph) -> None:
    for run in block.runs:
        added = paragraph.add_run(run.text)
        added.bold = run.style == "strong" or None
        if run.style == "code":
            added.style = "Code"
    if block.small:
        for run in paragraph.runs:
            run.font.size = Pt(9)
    if block.keep:
        keep_with_next(paragraph)


def _box(target: Any, block: Box) -> None:
    inside = [_paragraph(target, f"Box {block.kind}") for _ in range(1 + len(block.paragraphs))]
    inside[0].add_run(block.title).bold = True
    for paragraph, content in zip(inside[1:], block.paragraphs, strict=True):
        _write(paragraph, content)
    # A summary may be long; a page break inside it is better than a page half empty before it.
    together = inside[:1] if block.kind in ("finding", "refusal") else inside[:-1]
    for paragraph in together:
        keep_with_next(paragraph)
    _gap(target)  # frames that look alike and touch would become one


def _table(target: Any, block: Table) -> None:
    keep_with_next(_paragraph(target, "Caption", block.caption))
    parts = block.widths or (1,) * len(block.header)
    widths = [Emu(_text_width(target) * part // sum(parts)) for part in parts]
    # All rows at once: python-docx finds a cell by walking the table, which a long one cannot afford.
    table = _new_table(target, 1 + len(block.rows), widths)
    # The header stands on every page that the table reaches.
    table.rows[0]._tr.get_or_add_trPr().append(_element("w:tblHeader", val="true"))
    styles = [
        _style_id("Table code" if column in block.code else "Table number" if column in block.numeric else "Table text")
        for column in range(len(block.header))
    ]
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
        _keep_whole(row)
    _gap(target)


def _gap(target: Any) -> None:
    """A narrow line after a table, without which the next would touch it."""
    between = target.add_paragraph().paragraph_format
    between.space_after, between.line_spacing = Pt(0), Pt(8)


def _form(target: Any, block: Form) -> None:
    widths = [Cm(2.9), Cm(5.1)] * 2
    table = _new_table(target, len(block.lines), widths)
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
        _keep_whole(row)
    _gap(target)


def _picture(target: Any, block: Picture) -> None:
    paragraph = target.add_paragraph()
    keep_with_next(paragraph)
    width = Emu(round(_text_width(target) * block.plot.share_of_width))
    shape = paragraph.add_run().add_picture(io.BytesIO(block.plot.png), width=width)
    shape._inline.docPr.set("descr", block.plot.alt)
    _paragraph(target, "Caption", block.caption)


def _heat_map(target: Any, block: HeatMap) -> None:
    if block.caption:
        keep_with_next(_paragraph(target, "Caption", block.caption))
    style = "Heat map" if block.caption else "Heat map legend"
    for line in block.lines:
        paragraph = _paragraph(target, "Heat map masked" if block.masked else style)
        if runs_right_to_left("".join(piece.text for piece in line)):
            paragraph._p.get_or_add_pPr().append(OxmlElement("w:bidi"))
        for level, pieces in groupby(line, key=lambda piece: piece.level or 0):
            for text in ["".join(piece.text for piece in pieces)] if not level else [piece.text for piece in pieces]:
                # By id: python-docx would look the style up for every word.
                paragraph.add_run(text)._r.style = _style_id(_HEAT_STYLES[level]) if level else None


def _running_lines(target: Any, document: Document) -> None:
    section = target.sections[0]
    header = section.header.paragraphs[0]
    if document.banner:
        notice = header.add_run(document.banner)
        notice.bold = True
        notice.font.color.rgb = RGBColor(0x7A, 0x1F, 0x00)
        header = section.header.add_paragraph()
    header.add_run(document.header)
    footer = section.footer.paragraphs[0]
    # One tab stop, at the right margin, in place of the style's.
    for stop in footer.style.paragraph_format.tab_stops:
        footer.paragraph_format.tab_stops.add_tab_stop(stop.position, WD_TAB_ALIGNMENT.CLEAR)
    footer.paragraph_format.tab_stops.add_tab_stop(_text_width(target), WD_TAB_ALIGNMENT.RIGHT)
    footer.add_run(f"{document.footer}\tpage ")
    footer._p.append(_element("w:fldSimple", instr="PAGE"))
    footer.add_run(" of ")
    footer._p.append(_element("w:fldSimple", instr="NUMPAGES"))


def _text_width(target: Any) -> int:
    section = target.sections[0]
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
