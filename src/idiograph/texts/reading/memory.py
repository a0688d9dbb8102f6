"""Texts that are in memory already: a list of strings, or a data frame of any kind that speaks Arrow.

They are read as files are: line ends, wrapped lines and characters that nobody sees, with a record of each change.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from idiograph.errors import InputError, nearest
from idiograph.provenance import digest
from idiograph.texts.reading.decoding import Encoding
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.report import RECORD, Origin, ReadingLog, make_text, normal_name, unwrap_step
from idiograph.texts.reading.tables import masked_text
from idiograph.texts.text import MaskedText, Text

if TYPE_CHECKING:
    import pyarrow as pa

IN_MEMORY = "memory"  # what stands for the file in the record of such a text


def is_in_memory(source: Any) -> bool:
    """Whether it is a list of strings or a data frame rather than a path."""
    return isinstance(source, list | tuple) or _is_frame(source)


def _is_frame(source: Any) -> bool:
    return any(hasattr(type(source), name) for name in ("__arrow_c_stream__", "__dataframe__"))


def texts_in_memory(
    source: Any, options: ReadingOptions, log: ReadingLog, *, text: str | None, author: str | None, masked: bool
) -> Iterator[Text | MaskedText]:
    """The texts of a list of strings, or of the rows of a data frame, one after the other."""
    rows = _of_frame(source, options, text, author) if _is_frame(source) else _of_list(source, text, author, options)
    for place, (id_, content, by, metadata) in enumerate(rows, start=1):
        encoded = content.encode("utf-8", "surrogatepass")
        origin = Origin(IN_MEMORY, digest(encoded), len(encoded), Encoding("utf-8", "certain"))
        try:
            made: Text | MaskedText = make_text(
                id_,
                content,
                author=by,
                metadata=metadata,
                source=origin,
                options=options,
                steps=[] if masked else [unwrap_step(options)],
                place=f"text {place}",
            )
            made = masked_text(made, options.sentences) if masked and isinstance(made, Text) else made
        except InputError as error:
            log.refuse(id_, str(error))
            continue
        if log.takes(made.id, made.author, made.metadata[RECORD]) and (options.skip_bad or not log.bad):
            yield made
    if log.bad and (not options.skip_bad or not log.seen):
        raise log.error()
    if not log.seen:
        raise InputError("There is no text to read: the list or the data frame has no rows.")


_Row = tuple[str, str, str | None, dict[str, Any]]


def _of_list(source: Sequence[Any], text: str | None, author: str | None, options: ReadingOptions) -> Iterator[_Row]:
    if text is not None:
        raise InputError("text names a column of a data frame, and a list of strings has none. Leave it out.")
    for number, content in enumerate(source, start=1):
        if not isinstance(content, str):
            raise InputError(
                f"A list to be read has texts, each a string, and item {number} is a {type(content).__name__}."
            )
    if source and all(len(content) < 1_000 and "\n" not in content and _is_file(content) for content in source):
        raise InputError(
            "Every string of the list is the path of a file. A list is read as texts; read each path by itself and add "
            "the corpora: idiograph.read(one) + idiograph.read(other)."
        )
    by = author if author is not None else options.author
    for number, content in enumerate(source, start=1):
        yield f"text {number}", content, by, {}


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _of_frame(source: Any, options: ReadingOptions, text: str | None, author: str | None) -> Iterator[_Row]:
    table = _arrow(source)
    names = [str(name) for name in table.column_names]
    text_column = _column(text or options.text_column, "text", names, needed=True)
    author_column = _column(author or options.author_column, "author", names)
    id_column = _column(options.id_column, "id", names)
    others = [name for name in names if name not in (text_column, author_column, id_column)]
    columns = {name: table.column(place).to_pylist() for place, name in enumerate(names)}
    for number in range(table.num_rows):
        content = columns[str(text_column)][number]
        if not isinstance(content, str):
            raise InputError(f"Row {number + 1} has no text: its {text_column} is {content!r}. Leave such rows out.")
        by = options.author if author_column is None else columns[author_column][number]
        id_ = f"row {number + 1}" if id_column is None else str(columns[id_column][number])
        metadata = {name: columns[name][number] for name in others if columns[name][number] is not None}
        # A missing name is None, and in pandas' older columns not a number.
        known = by is not None and by == by and str(by) != ""
        yield normal_name(id_), content, normal_name(str(by)) if known else None, metadata


def _arrow(source: Any) -> "pa.Table":
    import pyarrow as pa

    try:
        if hasattr(type(source), "__arrow_c_stream__"):
            return pa.table(source)
        from pyarrow.interchange import from_dataframe

        return from_dataframe(source)
    except (TypeError, ValueError, NotImplementedError, RuntimeError, ImportError, pa.ArrowException) as error:
        raise InputError(
            f"The {type(source).__name__} could not be read as a table ({str(error).splitlines()[0]}). Give columns of "
            "one type each."
        ) from error


def _column(named: str | None, usual: str, names: list[str], *, needed: bool = False) -> str | None:
    if named is None and usual not in names and not needed:
        return None
    wanted = named or usual
    if wanted not in names:
        raise InputError(
            f"The data frame has no column {wanted}{nearest(wanted, names)}. Its columns are {', '.join(names)}; name "
            f"the right one with {usual}=."
        )
    return wanted
