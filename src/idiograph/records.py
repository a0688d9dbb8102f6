"""A JSON record: parsed strictly, checked against the shape it must have, and written with all its digits."""

import errno
import json
import math
import os
import re
import stat
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from idiograph.errors import IdiographError, InputError, cannot_read

# Text nested more deeply or with more brackets is nobody's data, and takes thirty times its size in memory.
_MOST_OBJECTS = 1_000_000
_MOST_LISTS = 8_000_000
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_WORDS: dict[type, str] = {
    bool: "true or false", int: "a whole number", float: "a number", str: "text", list: "a list", dict: "a table",
}  # fmt: skip


def bytes_of_file(path: Path, *, most: int | None = None, links: bool = True) -> bytes:
    """The bytes of a file; an OSError for a pipe or a device, which would block or never end.

    It is one as well for a file of more than `most` bytes, and without `links` for a link.
    """
    # Not waited for, should it be a pipe.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(path, flags | (0 if links else getattr(os, "O_NOFOLLOW", 0)))
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is a pipe, a socket or a device, not a file", str(path))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            if most is None:
                return file.read()
            # Memory is asked for by what it has, not by what it may have: `read` takes that at once.
            content = b"" if status.st_size > most else file.read(status.st_size + 1)
            while status.st_size < len(content) <= most and (more := file.read(_GROWN)):  # it grew, or tells no size
                content += more
    finally:
        os.close(descriptor)
    if max(status.st_size, len(content)) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes, far more than it should", str(path))
    return content


_GROWN = 1_000_000  # bytes
LARGEST_RECORD = 500_000_000  # bytes of a record: a case of a hundred comparisons has a tenth of it


def parsed_json(content: str | bytes, *, halves: bool = False) -> Any:
    """The value of JSON text; if there is none, a ValueError says why.

    Half a surrogate pair is no character; `halves` lets it pass, because a file's name may hold one.
    """
    text = content if isinstance(content, str) else content.decode()
    if text.count("{") > _MOST_OBJECTS or text.count("[") > _MOST_LISTS:
        raise ValueError(f"it has more than {_MOST_OBJECTS:,} objects or {_MOST_LISTS:,} lists")
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse_constant)
        if not halves and _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("its brackets are nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("it has half a surrogate pair, which is not a character") from None
    return value


def read_record(path: Path, *, damaged: str, error: type[IdiographError] = InputError, **wanted: Any) -> Any:
    """The record in a file, as `record_in` takes it."""
    try:
        return record_in(bytes_of_file(path, most=LARGEST_RECORD), path, damaged=damaged, error=error, **wanted)
    except OSError as cause:
        raise cannot_read(path, cause, error) from cause


def record_in(
    content: bytes,
    path: Path,
    *,
    damaged: str,
    other: str | None = None,
    newer: str | None = None,
    kind: str | None = None,
    schema: int | None = None,
    halves: bool = False,
    error: type[IdiographError] = InputError,
) -> Any:
    """The JSON object in the bytes of a file, of this kind and schema where they are given.

    The sentences about what else it may be name {path}: text that is `damaged` ({why}), something `other` (without
    this sentence any JSON value will do), and another {schema} where that has a sentence of its own, `newer`.
    """
    try:
        record = parsed_json(content, halves=halves)
    except ValueError as cause:
        raise error(damaged.format(path=path, why=cause)) from cause
    if other is None:
        return record
    if not isinstance(record, dict) or (kind is not None and record.get("kind") != kind):
        raise error(other.format(path=path))
    if schema is not None and record.get("schema") != schema:
        raise error((newer or other).format(path=path, schema=record.get("schema")))
    return record


def record_or_none(content: bytes, *, halves: bool = False) -> dict[str, Any] | None:
    """The JSON object in these bytes, None where there is none."""
    try:
        record = parsed_json(content, halves=halves)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


@dataclass(frozen=True)
class Maybe:
    """In a shape: a value of this shape, null, or nothing at all."""

    shape: Any


def misfit(value: Any, shape: Any, name: str = "") -> str:
    """What in a record is not of its shape, such as `inputs[2].path is missing`; nothing if all of it is.

    A shape is a type, a list with the shape of every item, or a table of the shapes of some keys, or of all (`str`);
    `float` is any number that is finite.

    >>> misfit({"run": 1, "inputs": [{"path": 2}]}, {"run": int, "inputs": [{"path": str}]})
    'inputs[0].path is not text'
    """
    if isinstance(shape, Maybe):
        return "" if value is None else misfit(value, shape.shape, name)
    kind: Any = shape if isinstance(shape, type) else type(shape)
    if not _is_of(value, kind):
        return f"{name} is {'missing' if value is None else f'not {_WORDS[kind]}'}"
    parts: list[tuple[str, Any, Any]] = []
    if isinstance(shape, list):
        parts = [(f"{name}[{number}]", item, shape[0]) for number, item in enumerate(value)]
    elif isinstance(shape, dict):
        shapes = dict.fromkeys(value, shape[str]) if str in shape else shape
        parts = [(f"{name}.{key}".lstrip("."), value.get(key), of_key) for key, of_key in shapes.items()]
    # The whole level before what is inside it: a key that is missing says more than an item of another.
    shallow = (misfit(part, _outside(of_part), at) for at, part, of_part in parts)
    deep = (misfit(part, of_part, at) for at, part, of_part in parts)
    return next(filter(None, (*shallow, *deep)), "")


def _is_of(value: Any, kind: type) -> bool:
    if kind is not float:
        return type(value) is kind  # True is not a whole number
    return (type(value) is float and math.isfinite(value)) or (type(value) is int and abs(value) < _LARGEST_NUMBER)


_LARGEST_NUMBER = 1 << 63


def _outside(shape: Any) -> Any:
    """A shape without what is inside it."""
    if isinstance(shape, Maybe):
        return Maybe(_outside(shape.shape))
    return shape if isinstance(shape, type) else type(shape)


def shipped_record(package: str, name: str) -> dict[str, Any]:
    """The record in a file that comes with the project."""
    return dict(parsed_json((files(package) / name).read_bytes()))


def record_text(record: Any, *, ascii: bool = False, sort: bool = False) -> str:
    """A record as JSON with all digits, readable, and an error rather than NaN or an infinity."""
    return json.dumps(record, ensure_ascii=ascii, allow_nan=False, indent=1, sort_keys=sort) + "\n"


def record_line(record: Any, *, compact: bool = False) -> str:
    """A record as JSON in one line without its end; `compact` has no blanks."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":") if compact else None)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a field occurs twice")
    return value


def _refuse_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON value")
