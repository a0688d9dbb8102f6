"""Document: what a report says, before it is known on what it will be printed.

Built once and rendered three times, so that HTML, DOCX and PDF cannot say different things. Headings, tables and
figures get their numbers here: 1, 1.1, Table 1 in a report; Annex A, A.1, Table A1 in its annexes.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal, TypeVar, get_args

from idiograph.errors import visible
from idiograph.output.plot import DrawnPlot, Plot
from idiograph.output.scripts import isolated
from idiograph.showing import one_line

Style = Literal["plain", "strong", "code"]
BoxKind = Literal["finding", "warning", "refusal", "red", "amber", "note"]


Field = tuple[str, str]  # a label, and what is known; empty if nothing is
NARROW = 32  # characters that half of a line has room for
SHORT, FEW = 10, 1_200  # rows and characters of a table that a page break should not part


@dataclass(frozen=True)
class Run:
    """Words in one style."""

    text: str
    style: Style = "plain"


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 opens a part of the report, or one of its annexes."""

    level: Literal[1, 2]
    text: str


@dataclass(frozen=True)
class Contents:
    """The place for a list of the parts."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of runs; `keep` if no page may end after it."""

    runs: tuple[Run, ...]
    small: bool = False
    keep: bool = False


@dataclass(frozen=True)
class Bullets:
    """A list, an item a line."""

    items: tuple[tuple[Run, ...], ...]
    small: bool = False


@dataclass(frozen=True)
class Box:
    """What must not be overlooked."""

    kind: BoxKind
    title: str
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True)
class Table:
    """Cells of text under a header; columns named in `numeric` are set to the right."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[int, ...] = ()
    code: tuple[int, ...] = ()
    widths: tuple[int, ...] = ()  # in parts of the whole; equal shares of what is needed where empty
    last_is_total: bool = False

    @property
    def is_short(self) -> bool:
        """Whether no page break should part it."""
        return len(self.rows) <= SHORT and sum(len(cell) for row in self.rows for cell in row) <= FEW


@dataclass(frozen=True)
class Form:
    """What is known of a case, and blanks for what is not; high ones if there is more to write than a line."""

    fields: tuple[Field, ...]
    high: bool = False

    @property
    def lines(self) -> tuple[tuple[Field, ...], ...]:
        """The fields as they stand on a page: two side by side where both are short."""
        lines: list[tuple[Field, ...]] = []
        for field in self.fields:
            beside = lines[-1] if lines else ()
            if len(beside) == 1 and max(len(field[1]), len(beside[0][1])) <= NARROW:
                lines[-1] = (*beside, field)
            else:
                lines.append((field,))
        return tuple(lines)


@dataclass(frozen=True)
class Picture:
    """A plot with its number and caption; `name` is that of its files."""

    plot: Plot | DrawnPlot
    name: str
    caption: str


@dataclass(frozen=True)
class SmallCurves:
    """The curves of one method, as paths of SVG drawings of 200 by 100 units."""

    name: str
    facts: str
    same: str  # of a Tippett plot
    different: str
    pav: str
    llrs: str  # of empirical cross-entropy
    calibrated: str


@dataclass(frozen=True)
class Curves:
    """Small curves of several methods under a title, folded away until they are asked for; for pages only."""

    title: str
    low: str  # the ends of the axis, log10 LR
    high: str
    middle: int  # where LR 1 stands
    neutral: str  # the path of giving no evidence
    rows: tuple[SmallCurves, ...]


@dataclass(frozen=True)
class Piece:
    """A few characters of a heat map: a token with its level and numbers, or what stands between tokens."""

    text: str
    level: int | None = None  # −3 … 3; None: not scored
    title: str = ""


@one_line
@dataclass(frozen=True)
class HeatMap:
    """Lines of coloured pieces; `printed` is what paper gets where the whole would fill too much of it."""

    caption: str
    lines: tuple[tuple[Piece, ...], ...]
    masked: bool = False
    printed: "HeatMap | None" = None

    @property
    def on_paper(self) -> "HeatMap":
        """The map that is printed: the extract where there is one."""
        return self.printed or self


Block = Heading | Contents | Paragraph | Bullets | Box | Table | Form | Picture | Curves | HeatMap


@dataclass(frozen=True)
class Document:
    """A report: what stands on every page, and its blocks in order."""

    title: str
    subtitle: str
    header: str  # the running header
    banner: str | None  # a notice on every page
    footer: str  # the running footer: which version, which case file, which run
    blocks: tuple[Block, ...]
    wide: bool = False  # a page for a screen, with tables that take what room they need

    @property
    def parts(self) -> list[Heading]:
        """What a list of contents names."""
        return [block for block in self.blocks if isinstance(block, Heading) and block.level == 1]


def paragraph(*parts: str | Run, small: bool = False, keep: bool = False) -> Paragraph:
    """A paragraph from strings and runs."""
    return Paragraph(runs(*parts), small=small, keep=keep)


def runs(*parts: str | Run) -> tuple[Run, ...]:
    """Strings as plain runs, runs as they are."""
    return tuple(part if isinstance(part, Run) else Run(part) for part in parts)


def strong(text: str) -> Run:
    """Words that stand out."""
    return Run(text, "strong")


def code(text: str) -> Run:
    """A digest, a file name, a setting."""
    return Run(text, "code")


def bullets(items: Sequence[str]) -> Bullets:
    """A list of plain sentences."""
    return Bullets(tuple(runs(item) for item in items))


T = TypeVar("T")


def all_visible(value: T) -> T:
    """The same document with every text in it made `visible`, and words from right to left kept apart.

    The pieces of a heat map follow each other as they did in the text, so there nothing is kept apart.
    """
    if isinstance(value, str):
        return isolated(visible(value))  # type: ignore[return-value]
    if isinstance(value, tuple):
        seen = [all_visible(part) for part in value]
        return value if all(map(operator.is_, seen, value)) else tuple(seen)  # type: ignore[return-value]
    if isinstance(value, Piece):
        return replace(value, text=visible(value.text), title=visible(value.title))
    if is_dataclass(value) and not isinstance(value, (type, Plot, DrawnPlot)):
        parts = {name: (old, all_visible(old)) for name, old in vars(value).items()}
        changed: dict[str, Any] = {name: new for name, (old, new) in parts.items() if new is not old}
        return replace(value, **changed) if changed else value
    return value


def as_record(value: Any) -> Any:
    """A document as JSON has it, every part with its kind; of a picture what its files do not hold."""
    if isinstance(value, Plot | DrawnPlot):
        return {"alt": value.alt, "share_of_width": value.share_of_width}
    if is_dataclass(value) and not isinstance(value, type):
        told = {field.name: getattr(value, field.name) for field in fields(value)}
        kept = {field.name: as_record(told[field.name]) for field in fields(value) if told[field.name] != field.default}
        return {_KIND: type(value).__name__, **kept}
    return [as_record(part) for part in value] if isinstance(value, tuple) else value


def from_record(record: Any, picture: Callable[[str, str], bytes]) -> Any:
    """The document of a record; `picture` has the bytes of a figure by its name and form."""
    if isinstance(record, list):
        return tuple(from_record(part, picture) for part in record)
    if not isinstance(record, dict):
        return record
    if record[_KIND] == Picture.__name__:
        drawn = DrawnPlot(picture(record["name"], "svg"), picture(record["name"], "png"), **record["plot"])
        return Picture(drawn, record["name"], record["caption"])
    return _KINDS[record[_KIND]](**{name: from_record(part, picture) for name, part in record.items() if name != _KIND})


_KIND = "is"
_KINDS: dict[str, Any] = {kind.__name__: kind for kind in (Document, Run, Piece, SmallCurves, *get_args(Block))}


def numbered(blocks: Iterable[Block], *, annexes: bool = False) -> tuple[Block, ...]:
    """The blocks with their numbers; those of annexes start again in each."""
    part = sub = tables = pictures = 0
    result: list[Block] = []
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
        result.append(block)
    return tuple(result)


def _name(part: int, annexes: bool) -> str:
    return chr(ord("A") + part - 1) if annexes else str(part)


def _within(part: int, number: int, annexes: bool) -> str:
    return f"{_name(part, annexes)}{number}" if annexes else str(number)


def _with_number(block: HeatMap, number: str) -> HeatMap:
    printed = None if block.printed is None else _with_number(block.printed, number)
    return replace(block, caption=f"Figure {number}. {block.caption}.", printed=printed)
