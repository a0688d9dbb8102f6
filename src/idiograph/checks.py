"""What a public call or a file gives, checked once where it comes in: a wrong type is a sentence, not a traceback."""

import errno
import json
import os
import re
import reprlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args

import numpy as np

from idiograph.errors import InputError

# Text nested more deeply or with more brackets is nobody's data, and takes thirty times its size in memory.
_MOST_OBJECTS = 1_000_000
_MOST_LISTS = 8_000_000
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

# What a value of a type, and several of them, are called.
WORDS: dict[Any, tuple[str, str]] = {
    str: ("a string", "strings"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    bool: ("True or False", "True or False"),
    NoneType: ("None", "None"),
    Path: ("a path", "paths"),
    Mapping: ("a dictionary", "dictionaries"),
}


def checked(value: Any, wanted: Any, what: str) -> Any:
    """The value, if it is of the wanted type or one of several; True and False are not numbers.

    >>> checked("a", str | None, "The author")
    'a'
    """
    types = get_args(wanted) if isinstance(wanted, UnionType) else (wanted,)
    if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in types):
        names = (WORDS[type_][0] if type_ in WORDS else f"a {type_.__name__}" for type_ in types)
        raise wrong_type(what, value, " or ".join(names))
    return value


def wrong_type(what: str, value: object, wanted: str) -> InputError:
    """The error for a value of another kind than is needed: `what` names it."""
    return InputError(f"{what} must be {wanted}, not {_described(value)}.")


def whole_number(value: Any, what: str, *, least: int, most: int | None = None) -> int:
    """A whole number within its limits, NumPy's included."""
    span = f"a whole number from {least} to {most:,}" if most is not None else f"a whole number, {least} or more"
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        raise wrong_type(what, value, span)
    if value < least or (most is not None and value > most):
        raise InputError(f"{what} must be {span}, not {value}.")
    return int(value)


def n_workers(workers: int | None) -> int:
    """How many workers there are to be; None is one per core."""
    return (os.cpu_count() or 1) if workers is None else whole_number(workers, "workers", least=1, most=1_000)


def one_of(value: Any, choices: tuple[str, ...], what: str) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise wrong_type(what, value, f"{', '.join(choices[:-1])} or {choices[-1]}")
    return value


def in_order(value: Any, what: str, wanted: str, fits: Callable[[Any], bool] = lambda item: True) -> tuple[Any, ...]:
    """The items of a list, a tuple or a generator, each of which `fits`; a set is refused: it has no order.

    >>> in_order(["a", "b"], "The words", "strings", lambda item: isinstance(item, str))
    ('a', 'b')
    """
    if isinstance(value, set | frozenset):
        raise InputError(f"{what} must be {wanted} in a list, not a set: a set has no order. Sort it first.")
    if not isinstance(value, list | tuple | Iterator):
        raise wrong_type(what, value, f"{wanted} in a list")
    items = tuple(value)
    for number, item in enumerate(items, start=1):
        if not fits(item):
            raise wrong_type(f"{what} must be {wanted} in a list: item {number}", item, "one of them")
    return items


def bytes_of_file(path: Path) -> bytes:
    """The bytes of a file; an OSError for a pipe or a device, which would block or never end."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "it is a pipe, a socket or a device, not a file")
    return path.read_bytes()


def parsed_json(content: str | bytes) -> Any:
    """The value of JSON text; if there is none, a ValueError says why."""
    text = content if isinstance(content, str) else content.decode()
    if text.count("{") > _MOST_OBJECTS or text.count("[") > _MOST_LISTS:
        raise ValueError(f"it has more than {_MOST_OBJECTS:,} objects or {_MOST_LISTS:,} lists")
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse_constant)
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("its brackets are nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("it has half a surrogate pair, which is not a character") from None
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a field occurs twice")
    return value


def _refuse_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON value")


def _described(value: object) -> str:
    """A value for a message: short and harmless, whatever it is."""
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return reprlib.repr(value)
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
