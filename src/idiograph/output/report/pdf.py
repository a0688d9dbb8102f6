"""A document as PDF, typeset by typst from data: no text of a case is ever part of the source."""

import dataclasses
import json
from importlib.resources import files
from typing import Any

import typst

from idiograph.output.document import Block, Document, Form, HeatMap, Picture, Piece, Table, all_visible


def pdf(document: Document) -> bytes:
    """The document on A4 pages, the same bytes every time."""
    source = files("idiograph.output").joinpath("templates/report.typ").read_bytes()
    made: bytes = typst.compile(
        source,
        format="pdf",
        # The fonts inside typst are the same everywhere; the system's are not.
        ignore_system_fonts=True,
        sys_inputs={"document": json.dumps(_plain(all_visible(document)), ensure_ascii=False)},
    )
    return made


def _plain(document: Document) -> dict[str, Any]:
    named = {field.name: getattr(document, field.name) for field in dataclasses.fields(document)}
    return named | {"blocks": [_block(block) for block in document.blocks]}


def _block(block: Block) -> dict[str, Any]:
    kind: dict[str, Any] = {"kind_of_block": type(block).__name__}
    if isinstance(block, Picture):
        plot = block.plot
        return kind | {
            "svg": plot.svg.decode(),
            "alt": plot.alt,
            "caption": block.caption,
            "width": plot.share_of_width,
        }
    if isinstance(block, HeatMap):
        paper = block.on_paper
        lines = [_merged(line) for line in paper.lines]
        return kind | {"caption": paper.caption, "masked": paper.masked, "lines": lines}
    if isinstance(block, Table):
        kind |= {"short": block.is_short}
    if isinstance(block, Form):
        kind |= {"lines": block.lines}
    return kind | dataclasses.asdict(block)


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
