"""What python-docx has no words for: shading, borders, page numbers, repeated header rows."""

from typing import Any

from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_TAB_ALIGNMENT, WD_UNDERLINE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

COLOURS = {
    "finding": "004A7C",
    "warning": "000000",
    "refusal": "000000",
    "red": "A32A00",
    "amber": "C77700",
    "note": "767676",
}

# The schema wants a paragraph's properties in order; these follow its frame and shading.
_AFTER_SHADING = ("w:tabs", "w:spacing", "w:ind", "w:contextualSpacing", "w:jc", "w:outlineLvl", "w:rPr")

# Fill and underline of each step of a heat map.
_LOOKS = {
    1: ("E3EEF8", WD_UNDERLINE.SINGLE),
    2: ("B5D3EC", WD_UNDERLINE.THICK),
    3: ("7DB4DD", WD_UNDERLINE.THICK),
    -1: ("FDEBDB", WD_UNDERLINE.DOTTED),
    -2: ("FBCFA4", WD_UNDERLINE.DOTTED_HEAVY),
    -3: ("F4A259", WD_UNDERLINE.DOTTED_HEAVY),
}


def page_and_styles(made: Any) -> None:
    """A4 with generous margins, sober fonts, black headings."""
    section = made.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(25)
    section.top_margin, section.bottom_margin = Mm(28), Mm(25)
    for name, font, size in (
        ("Normal", "Cambria", 10.5),
        ("Title", "Calibri", 22),
        ("Subtitle", "Calibri", 12),
        ("Heading 1", "Calibri", 15),
        ("Heading 2", "Calibri", 12),
        ("Caption", "Calibri", 9),
        ("Header", "Calibri", 8.5),
        ("Footer", "Calibri", 8.5),
    ):
        style = made.styles[name]
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
    made.styles["Normal"].paragraph_format.space_after = Pt(6)
    _add_heat_styles(made)
    for name, font, size in (
        ("Table text", "Calibri", 9),
        ("Table number", "Calibri", 9),
        ("Table code", "Courier New", 7.5),
    ):
        style = made.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = made.styles["Normal"]
        style.font.name, style.font.size = font, Pt(size)
        style.paragraph_format.space_after = Pt(1)
    made.styles["Table number"].paragraph_format.alignment = WD_ALIGN_PARAGRAPH.RIGHT


def heat_styles() -> dict[int, str]:
    """The name of the character style of each step of a heat map."""
    return {level: f"Heat {'for' if level > 0 else 'against'} {abs(level)}" for level in _LOOKS}


def _add_heat_styles(made: Any) -> None:
    for level, name in heat_styles().items():
        style = made.styles.add_style(name, WD_STYLE_TYPE.CHARACTER)
        fill, underline = _LOOKS[level]
        style.font.underline = underline
        style.font.bold, style.font.italic = level == 3 or None, level == -3 or None
        style.element.get_or_add_rPr().append(_shading(fill))
    for name, font, size in (
        ("Heat map", "Cambria", 10.5),
        ("Heat map legend", "Calibri", 9),
        ("Heat map masked", "Courier New", 8.5),
    ):
        style = made.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = made.styles["Normal"]
        style.font.name, style.font.size = font, Pt(size)
        style.paragraph_format.line_spacing = 1.35


def shade(paragraph: Any, fill: str) -> None:
    """A background for a paragraph."""
    paragraph._p.get_or_add_pPr().insert_element_before(_shading(fill), *_AFTER_SHADING)


def _shading(fill: str) -> Any:
    shading = OxmlElement("w:shd")
    shading.set(qn("w:val"), "clear")
    shading.set(qn("w:color"), "auto")
    shading.set(qn("w:fill"), fill)
    return shading


def border(paragraph: Any, *, colour: str, left: int) -> None:
    """A frame around a paragraph, its left side `left` eighths of a point thick; equal neighbours share it."""
    frame = OxmlElement("w:pBdr")
    for side in ("top", "left", "bottom", "right"):
        line = OxmlElement(f"w:{side}")
        line.set(qn("w:val"), "single")
        line.set(qn("w:sz"), str(left if side == "left" else 6))
        line.set(qn("w:space"), "6")
        line.set(qn("w:color"), colour)
        frame.append(line)
    paragraph._p.get_or_add_pPr().insert_element_before(frame, "w:shd", *_AFTER_SHADING)


def cell_lines(table: Any) -> None:
    """Thin lines between the rows of a table."""
    lines = OxmlElement("w:tblBorders")
    for side in ("top", "bottom", "insideH"):
        line = OxmlElement(f"w:{side}")
        line.set(qn("w:val"), "single")
        line.set(qn("w:sz"), "4")
        line.set(qn("w:color"), "C9C9C9")
        lines.append(line)
    # The schema wants them before these.
    table._tbl.tblPr.insert_element_before(lines, "w:shd", "w:tblLayout", "w:tblCellMar", "w:tblLook")


def repeat_header(row: Any) -> None:
    """The row stands on every page that the table reaches."""
    mark = OxmlElement("w:tblHeader")
    mark.set(qn("w:val"), "true")
    row._tr.get_or_add_trPr().append(mark)


def keep_with_next(paragraph: Any) -> None:
    """No page break after this paragraph."""
    paragraph.paragraph_format.keep_with_next = True


def right_tab(paragraph: Any, position: int) -> None:
    """One tab stop, at the right margin, in place of the style's."""
    for style_stop in paragraph.style.paragraph_format.tab_stops:
        paragraph.paragraph_format.tab_stops.add_tab_stop(style_stop.position, WD_TAB_ALIGNMENT.CLEAR)
    paragraph.paragraph_format.tab_stops.add_tab_stop(position, WD_TAB_ALIGNMENT.RIGHT)


def add_field(paragraph: Any, instruction: str) -> None:
    """A number that the word processor computes, such as PAGE."""
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), instruction)
    paragraph._p.append(field)
