"""Arguments and fields checked against their annotations: what a public call takes is said once, in its signature.

A list is taken where a sequence or a tuple is wanted, a set never: it has no order. NumPy's numbers are numbers,
True and False are not.

What a public call or a file gives, checked once where it comes in: a wrong type is a sentence, not a traceback.
"""

import inspect
import os
import reprlib
import types
import typing
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache, wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, get_args

import numpy as np

from idiograph.errors import InputError

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


def _described(value: object) -> str:
    """A value for a message: short and harmless, whatever it is."""
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return reprlib.repr(value)
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


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


def check_fields(made: Any) -> None:
    """Refuses a dataclass with a field that its annotation does not allow; to be called in `__post_init__`."""
    kind: Any = type(made)
    for name in _names(kind):
        check(getattr(made, name), _hints(kind)[name], f"{name} of a {kind.__name__}")


def check(value: Any, kind: Any, what: str) -> None:
    """Refuses a value that an annotation does not allow; `what` names it.

    >>> check([1, 2], Sequence[float], "above")
    """
    if not _fits(value, kind):
        raise wrong_type(what, value, wanted(kind))


def wanted(kind: Any, *, several: bool = False) -> str:
    """What an annotation allows: `a list of numbers`.

    >>> wanted(Sequence[Sequence[str]] | None)
    'a list of lists of strings or None'
    """
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in _UNIONS:
        return " or ".join(dict.fromkeys(wanted(part, several=several) for part in inner))
    if origin is Literal:
        return " or ".join(map(str, inner))
    if origin in _LISTS:
        pair = origin is tuple and Ellipsis not in inner
        name = ("pair", "pairs") if pair else ("list", "lists")
        return f"{name[1] if several else f'a {name[0]}'} of {wanted(inner[0], several=True)}"
    if origin is np.ndarray:
        return "arrays" if several else "an array"
    plain = getattr(origin or kind, "__name__", str(kind))
    return WORDS.get(origin or kind, (f"a {plain}", f"{plain} objects"))[several]


def _fits(value: Any, kind: Any) -> bool:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in _UNIONS:
        return any(_fits(value, part) for part in inner)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if origin in _LISTS:
        if origin is tuple and Ellipsis not in inner:
            return isinstance(value, list | tuple) and len(value) == len(inner) and all(map(_fits, value, inner))
        return isinstance(value, list | tuple | range) and _all_fit(value, inner[0])
    if origin is Mapping:
        return isinstance(value, Mapping) and _all_fit(value.keys(), inner[0]) and _all_fit(value.values(), inner[1])
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and value.dtype.kind in _kinds(kind)
    if kind is Any or isinstance(kind, TypeVar) or getattr(kind, "_is_protocol", False):
        return True
    if kind in _NUMBERS:
        return isinstance(value, _NUMBERS[kind]) and not isinstance(value, bool)
    return isinstance(value, origin or kind)


def _all_fit(values: Iterable[Any], kind: Any) -> bool:
    # There may be many tokens, numbers and arrays, and a score is made in two milliseconds.
    if kind in _PLAIN and set(map(type, values)) <= _PLAIN[kind]:
        return True
    if typing.get_origin(kind) is np.ndarray:
        allowed = _kinds(kind)
        return all(isinstance(value, np.ndarray) and value.dtype.kind in allowed for value in values)
    return kind is Any or all(_fits(value, kind) for value in values)


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
