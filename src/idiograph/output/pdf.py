"""A document as PDF, typeset by typst from data: no text of a case is ever part of the source."""

import dataclasses
import json
from importlib.resources import files
from typing import Any

import typst

from idiograph.output.document import (
    Block,
    Box,
    Document,
    Form,
    HeatMap,
    Paragraph,
    Picture,
    Piece,
    Run,
    Table,
    all_visible,
)
from idiograph.output.heatmap import LOOKS
from idiograph.output.scripts import foreign_letters, printable, runs_right_to_left, unshown, without_font


def pdf(document: Document) -> bytes:
    """The document on A4 pages, the same bytes every time."""
    document = all_visible(document)
    foreign = foreign_letters(_text_of(document))
    missing = without_font(foreign)
    if sentences := unshown(_by_place(document, missing)):
        note = Box(
            "warning", "Letters that are not shown well", tuple(Paragraph((Run(sentence),)) for sentence in sentences)
        )
        document = dataclasses.replace(document, blocks=(note, *document.blocks))
    plain = vars(document) | {"blocks": [_block(block) for block in document.blocks]}
    looks = {
        level: {
            "fill": look.fill,
            "line": {"paint": look.line, "thickness": look.thickness, "dash": "dotted" if look.dotted else None},
            "letters": look.letters,
        }
        for level, look in LOOKS.items()
    }
    source = files("idiograph.output").joinpath("templates/report.typ").read_bytes()
    content: bytes = typst.compile(
        source,
        format="pdf",
        # The fonts inside typst are the same everywhere; the system's are not, and serve letters of other scripts.
        ignore_system_fonts=not foreign,
        sys_inputs={
            "document": printable(json.dumps(plain, ensure_ascii=False), missing),
            "looks": json.dumps(looks),
        },
    )
    return content


def _by_place(document: Document, letters: frozenset[str]) -> dict[str, frozenset[str]]:
    """Which of the letters stand in what part of a document."""
    kinds = {HeatMap: "the heat map", Table: "tables"}
    texts = {"names and sentences": [document.title, document.subtitle, document.header, document.footer]}
    for block in document.blocks:
        texts.setdefault(kinds.get(type(block), "names and sentences"), []).append(_text_of(block))
    return {where: letters & frozenset("".join(parts)) for where, parts in texts.items()}


def _block(block: Block) -> dict[str, Any]:
    kind: dict[str, Any] = {"kind_of_block": type(block).__name__}
    match block:
        case Picture(plot=plot, caption=caption):
            return kind | {"svg": plot.svg.decode(), "alt": plot.alt, "caption": caption, "width": plot.share_of_width}
        case HeatMap(on_paper=paper):
            lines = [_merged(line) for line in paper.lines]
            leftward = runs_right_to_left("".join(text for line in lines for _, text in line))
            return kind | {"caption": paper.caption, "masked": paper.masked, "lines": lines, "leftward": leftward}
        case Table(is_short=short):
            kind["short"] = short
        case Form(lines=form_lines):
            kind["lines"] = form_lines
    return kind | dataclasses.asdict(block)


def _text_of(value: Any) -> str:
    """Every text of a document in one, but for the pictures, which are drawn elsewhere."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple | list):
        return "".join(map(_text_of, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, (type, Picture)):
        return "".join(_text_of(part) for part in vars(value).values())
    return ""


def _merged(line: tuple[Piece, ...]) -> list[list[str]]:
    """[level, text] of each piece; neighbours without a colour are one, for a page has no tooltips."""
    merged: list[list[str]] = []
    for piece in line:
        level = str(piece.level or 0)
        if merged and level == merged[-1][0] == "0":
            merged[-1][1] += piece.text
        else:
            merged.append([level, piece.text])
    return merged
