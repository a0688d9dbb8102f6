"""How a result looks in a console and in a notebook, and how its rows become a data frame.

A console gets one line, whatever a value holds. What a notebook shows is made by the output layer, which is asked for
it by name: nothing below imports it.
"""

import importlib
import reprlib
from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from idiograph.errors import IdiographError, InputError, visible

if TYPE_CHECKING:
    import pyarrow as pa

_WIDEST = 60  # characters of a value in a line
_LONGEST = 300  # characters of a line

Kind = TypeVar("Kind", bound=type)


def one_line(kind: Kind) -> Kind:
    """Gives a dataclass a repr of one line and a view of its own in a notebook.

    A class that says what it is in words, in a property `in_a_line`, is shown by these; any other by its fields.
    """
    for name, call in (("__repr__", _line), ("_repr_html_", _html)):
        setattr(kind, name, call)
    return kind


def _line(self: Any) -> str:
    name = type(self).__name__
    try:
        line = self.in_a_line if hasattr(type(self), "in_a_line") else ", ".join(_fields(self))
    except (AttributeError, IdiographError) as error:  # an object that is half made, or holds what it should not
        line = str(error)
    line = visible(" ".join(line.split()))
    return f"{name}({line if len(line) <= _LONGEST else line[: _LONGEST - 1] + '…'})"


def _fields(record: Any) -> Iterator[str]:
    for field in fields(record):
        value = getattr(record, field.name)
        if field.repr and value is not None:
            yield f"{field.name}={_brief(value)}"


def _brief(value: Any) -> str:
    """A value in a few characters; of many values, how many."""
    if isinstance(value, str | Path):
        return reprlib.repr(str(value))
    if isinstance(value, Sized) and not hasattr(type(value), "in_a_line") and len(value) > 3:
        return f"<{len(value):,} values>"
    shown = repr(value)
    return shown if len(shown) <= _WIDEST and "\n" not in shown else f"<{type(value).__name__}>"


def _html(self: Any) -> str:
    html: str = importlib.import_module("idiograph.output.notebook").html_of(self)
    return html


class Tabular:
    """Something with rows: `columns` has their values, name by name."""

    @property
    def columns(self) -> Mapping[str, Sequence[Any]]:
        """The values of each column."""
        raise NotImplementedError

    def to_arrow(self) -> "pa.Table":
        """The rows as an Arrow table, which polars, pandas, DuckDB and R take as it is."""
        import pyarrow as pa

        return pa.table(dict(self.columns))

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame; pandas must be installed."""
        try:
            return self.to_arrow().to_pandas()
        except ImportError as error:
            raise InputError(
                "pandas is not installed. Run pip install pandas, or take to_arrow(), which needs nothing more."
            ) from error

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows for whatever reads Arrow: polars.DataFrame(rows), pandas.DataFrame.from_arrow(rows)."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


@one_line
@dataclass(frozen=True)
class Rows(Tabular):
    """Rows that something else has, by their columns."""

    values: Mapping[str, Sequence[Any]]

    @property
    def columns(self) -> Mapping[str, Sequence[Any]]:
        """The values of each column."""
        return self.values

    @property
    def in_a_line(self) -> str:
        """How many rows there are, and of what."""
        return f"{len(self):,} rows: {', '.join(self.values)}"

    def __len__(self) -> int:
        return len(next(iter(self.values.values()), ()))
