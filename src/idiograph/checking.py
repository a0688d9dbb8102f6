"""Is this value what is wanted? Asked once, where it comes in: a wrong type is a sentence, not a traceback.

What a public call takes is said in its signature. A list is taken where a sequence or a tuple is wanted, a set never:
it has no order. NumPy's numbers are numbers, True and False are not. A setting has limits too, and TOML's words.
"""

import inspect
import math
import numbers
import os
import reprlib
import sys
import types
import typing
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, wraps
from pathlib import Path
from types import NoneType
from typing import Any, Literal, ParamSpec, TypeVar

import numpy as np

from idiograph.errors import InputError
from idiograph.toml import toml_value

# A whole number beyond it is a slip of the finger or an attack, wherever no other limit is stated.
LARGEST = 1_000_000_000
LARGEST_SEED = 2**63 - 1
_LONGEST_NAME = 255  # bytes: the limit of every common file system

# What a value of a type and several of them are called: in Python, and where that differs in TOML.
_WORDS: dict[Any, tuple[str, ...]] = {
    str: ("a string", "strings", "text in quotation marks", "texts in quotation marks"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    bool: ("True or False", "True or False", "true or false", "true or false"),
    NoneType: ("None", "None"),
    Path: ("a path", "paths", "a path in quotation marks", "paths in quotation marks"),
    Mapping: ("a dictionary", "dictionaries"),
}


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a value may be beyond its type (both ends included), and the key under which it stands in a file."""

    choices: Collection[str] = ()
    minimum: float | None = None
    maximum: float | None = None
    key: str = ""


def wrong_type(what: str, value: object, wanted: str) -> InputError:
    """The error for a value of another kind than is needed: `what` names it."""
    return InputError(f"{what} must be {wanted}, not {shown(value, toml=False)}.")


def whole_number(value: Any, what: str, *, least: int, most: int | None = None) -> int:
    """A whole number within its limits, NumPy's included."""
    limits = Limits(minimum=least, maximum=math.inf if most is None else most)
    if not fits(value, int, limits):
        if not fits(value, int):
            raise wrong_type(what, value, wanted(int, limits))
        raise InputError(f"{what} must be {wanted(int, limits)}, not {value}.")
    return int(value)


def n_workers(workers: int | None) -> int:
    """How many workers there are to be; None is one per core."""
    return (os.cpu_count() or 1) if workers is None else whole_number(workers, "workers", least=1, most=1_000)


def one_of(value: Any, choices: tuple[str, ...], what: str) -> str:
    """The word, if it is one of these."""
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


def shown(value: Any, *, toml: bool = True) -> str:
    """A value in a message, short and harmless to a terminal, in TOML's words or in Python's.

    >>> shown("half"), shown(None), shown([1]), shown("half", toml=False)
    ('"half"', 'nothing', 'a list', "'half'")
    """
    name = type(value).__name__
    if not toml:
        plain = value is None or isinstance(value, bool | int | float | str | bytes)
        return reprlib.repr(value) if plain else f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
    if isinstance(value, str | Path):
        text = str(value)
        return toml_value(text if len(text) <= 60 else f"{text[:59]}…")
    if isinstance(value, bool):
        return toml_value(value)
    if isinstance(value, int) and value.bit_length() > 128:
        return "a number of more than 38 digits"
    if isinstance(value, numbers.Number):
        return str(value)
    names: dict[Any, str] = {NoneType: "nothing", list: "a list", tuple: "a list", dict: "a table"}
    return names.get(type(value), f"a value of type {name}")


P = ParamSpec("P")
R = TypeVar("R")


def checks_arguments(call: Callable[P, R]) -> Callable[P, R]:
    """The call, which refuses an argument that its annotation does not allow."""
    signature = inspect.signature(call)

    @wraps(call)
    def checked_call(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            check(value, _hints(call).get(name, Any), name)
        return call(*args, **kwargs)

    return checked_call


def check_fields(instance: Any) -> None:
    """Refuses a dataclass with a field that its annotation does not allow; to be called in `__post_init__`."""
    kind: Any = type(instance)
    for name in _names(kind):
        check(getattr(instance, name), _hints(kind)[name], f"{name} of a {kind.__name__}")


def unchecked(kind: type[R], **values: Any) -> R:
    """A dataclass of all its values, without its `__post_init__`: the engine makes thousands of some kinds."""
    instance = object.__new__(kind)
    vars(instance).update(values)
    return instance


def check(value: Any, kind: Any, what: str) -> Any:
    """The value, if an annotation allows it; `what` names it.

    >>> check("a", str | None, "The author")
    'a'
    """
    if type(value) is not kind and not fits(value, kind):
        raise wrong_type(what, value, wanted(kind))
    return value


def wanted(kind: Any, limits: Limits | None = None, *, several: bool = False) -> str:
    """What an annotation allows: `a list of numbers`; with limits, how to write it in TOML.

    >>> wanted(Sequence[Sequence[str]] | None)
    'a list of lists of strings or None'
    >>> wanted(int | None, Limits(minimum=1, maximum=30))
    'a whole number from 1 to 30'
    """
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in _UNIONS:
        parts = [part for part in inner if limits is None or part is not NoneType]  # TOML has no null
        return " or ".join(dict.fromkeys(wanted(part, limits, several=several) for part in parts))
    if origin in _LISTS:
        if limits is not None and is_dataclass(inner[0]):
            return f"a list of tables, each written [[{limits.key}]]"
        names = ("a pair", "pairs") if origin is tuple and Ellipsis not in inner else ("a list", "lists")
        return f"{names[several]} of {wanted(inner[0], limits, several=True)}"
    if limits is not None and (origin is Mapping or is_dataclass(kind)):
        return f"a table, written [{limits.key}]"
    if limits is not None and (texts := choices(kind, limits)):
        return f"{'any' if several else 'one'} of {', '.join(texts)}"
    if origin is Literal:
        return " or ".join(map(str, inner))
    if origin is np.ndarray:
        return "arrays" if several else "an array"
    plain = getattr(origin or kind, "__name__", str(kind))
    words = _WORDS.get(origin or kind, (f"a {plain}", f"{plain} objects"))
    return words[several] if limits is None else words[-2:][several] + _span(kind, limits)


def choices(kind: Any, limits: Limits) -> tuple[str, ...]:
    """The texts that a value, or an item of a list, may be."""
    for part in (kind, *typing.get_args(kind)):
        if typing.get_origin(part) is Literal:
            return typing.get_args(part)
    return tuple(limits.choices)


def _span(kind: Any, limits: Limits) -> str:
    low, high = limits.minimum, limits.maximum
    if kind is int:
        low, high = -LARGEST if low is None else low, LARGEST if high is None else high
    if kind not in _NUMBERS or (low is None and high is None):
        return ""
    return f", {low:,} or more" if high is None or high >= LARGEST_SEED else f" from {low:,} to {high:,}"


def fits(value: Any, kind: Any, limits: Limits | None = None) -> bool:
    """Whether an annotation allows a value; with limits, whether it is within them and a file can hold it."""
    if kind in _NUMBERS:
        number = isinstance(value, _NUMBERS[kind]) and not isinstance(value, bool)
        return number and (limits is None or _is_within(value, kind, limits))
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in _UNIONS:
        return any(fits(value, part, limits) for part in inner)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if origin in _LISTS:
        if origin is tuple and Ellipsis not in inner:
            return isinstance(value, list | tuple) and len(value) == len(inner) and all(map(fits, value, inner))
        return isinstance(value, list | tuple | range) and _all_fit(value, inner[0])
    if origin is Mapping:
        return isinstance(value, Mapping) and _all_fit(value.keys(), inner[0]) and _all_fit(value.values(), inner[1])
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and value.dtype.kind in _kinds(kind)
    if kind is Any or isinstance(kind, TypeVar) or getattr(kind, "_is_protocol", False):
        return True
    if limits is not None and kind in (str, Path):
        return _is_path(value) if kind is Path else _is_text(value)
    return isinstance(value, origin or kind)


def _is_within(value: Any, kind: Any, limits: Limits) -> bool:
    largest = LARGEST if kind is int else sys.float_info.max  # beyond which there is only infinity
    least = -largest if limits.minimum is None else limits.minimum
    return bool(least <= value <= (largest if limits.maximum is None else limits.maximum))


def _is_text(value: Any) -> bool:
    """Whether it is a text that a file or a file's name can hold: no NUL, no half of a surrogate pair."""
    return isinstance(value, str) and "\0" not in value and not any("\ud800" <= c <= "\udfff" for c in value)


def _is_path(value: Any) -> bool:
    """Whether it is a path that a file can have: asking for a name that is too long is an error of its own."""
    if not isinstance(value, str | Path) or value == "" or not _is_text(str(value)):
        return False
    return all(len(part.encode()) <= _LONGEST_NAME for part in Path(value).parts)


def _all_fit(values: Iterable[Any], kind: Any) -> bool:
    # There may be many tokens, numbers and arrays, and a score is made in two milliseconds.
    if kind in _PLAIN and set(map(type, values)) <= _PLAIN[kind]:
        return True
    if typing.get_origin(kind) is np.ndarray:
        allowed = _kinds(kind)
        return all(isinstance(value, np.ndarray) and value.dtype.kind in allowed for value in values)
    return kind is Any or all(fits(value, kind) for value in values)


_UNIONS = (typing.Union, types.UnionType)
_LISTS = (Sequence, list, tuple)
_NUMBERS: dict[Any, Any] = {int: (int, np.integer), float: (int, float, np.integer, np.floating)}
_KINDS: dict[Any, str] = {np.float64: "fiu", np.int64: "iu", np.int32: "iu", np.bool_: "b", np.object_: "O"}
_PLAIN: dict[Any, set[type]] = {str: {str, np.str_}, float: {float}}


@cache
def _kinds(array: Any) -> str:
    """What NumPy calls the kinds of numbers that an array's annotation allows."""
    return _KINDS[typing.get_args(typing.get_args(array)[1])[0]]


@cache
def _hints(of: Hashable) -> dict[str, Any]:
    return typing.get_type_hints(of)


@cache
def _names(kind: Hashable) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))  # type: ignore[arg-type]
