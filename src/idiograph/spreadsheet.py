"""CSV that a spreadsheet shows and never runs."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence

from idiograph.errors import visible

Cell = str | int | float | None

# What spreadsheets take for the start of a formula; a full-width sign counts as a plain one in some of them.
_STARTS = "=+\\-@\t\r\n＝＋－＠"
# A text cell begins at its own beginning; where a spreadsheet separates by semicolons, tabs or lines, it also begins
# after one of these, for the quotes around a cell mean nothing there. Apostrophes before the sign are counted in, so
# that one more can be told from those that were written.
_BEGINS = rf"""(^|[;\t\r\n][ "]*)(?='*[{_STARTS}])"""
_COULD_RUN = re.compile(_BEGINS)
_MADE_INERT = re.compile(_BEGINS + "'")


def _inert(cell: Cell) -> str:
    """The cell as text: numbers to their last digit, controls as codes, what could run after an apostrophe."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return visible(_COULD_RUN.sub(r"\1'", cell))
    return repr(float(cell)) if isinstance(cell, float) else str(cell)


def written(cell: str) -> str:
    """What a cell of such a file was before apostrophes were put in front of what could run."""
    return _MADE_INERT.sub(r"\1", cell)


def csv_text(columns: Mapping[str, Sequence[Cell]]) -> str:
    """A table as CSV: a header line, then a line for every row."""
    return csv_rows(columns.keys(), zip(*columns.values(), strict=True))


def csv_rows(header: Iterable[str], rows: Iterable[Iterable[Cell]]) -> str:
    """A table as CSV from its rows."""
    written = io.StringIO()
    # The line end of RFC 4180; with another one a carriage return inside a cell would not be quoted.
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(_inert(name) for name in header)
    writer.writerows([_inert(cell) for cell in row] for row in rows)
    return written.getvalue()
