"""Numbers of headings, tables and figures: 1, 1.1, Table 1 in a report; Annex A, A.1, Table A1 in its annexes."""

from collections.abc import Iterable
from dataclasses import replace

from idiograph.output.document import Block, Heading, HeatMap, Picture, Table


def numbered(blocks: Iterable[Block], *, annexes: bool = False) -> tuple[Block, ...]:
    """The blocks with their numbers; those of annexes start again in each."""
    part = sub = tables = pictures = 0
    made: list[Block] = []
    for block in blocks:
        match block:
            case Heading(level=1):
                part, sub = part + 1, 0
                if annexes:
                    tables = pictures = 0
                block = replace(block, text=f"{'Annex ' if annexes else ''}{_name(part, annexes)}. {block.text}")
            case Heading(level=2):
                sub += 1
                block = replace(block, text=f"{_name(part, annexes)}.{sub} {block.text}")
            case Table():
                tables += 1
                block = replace(block, caption=f"Table {_within(part, tables, annexes)}. {block.caption}")
            case Picture():
                pictures += 1
                block = replace(block, caption=f"Figure {_within(part, pictures, annexes)}. {block.caption}")
            case HeatMap(caption=caption) if caption:
                pictures += 1
                block = _with_number(block, _within(part, pictures, annexes))
        made.append(block)
    return tuple(made)


def _name(part: int, annexes: bool) -> str:
    return chr(ord("A") + part - 1) if annexes else str(part)


def _within(part: int, number: int, annexes: bool) -> str:
    return f"{_name(part, annexes)}{number}" if annexes else str(number)


def _with_number(block: HeatMap, number: str) -> HeatMap:
    printed = None if block.printed is None else _with_number(block.printed, number)
    return replace(block, caption=f"Figure {number}. {block.caption}.", printed=printed)
