"""Values to settings: from a file, from keywords or from the command line, with one kind of sentence for a mistake.

`study.toml, [design]: calibration must be a number from 0 to 1, not "half".`
"""

import math
import numbers
import types
import typing
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from idiograph.errors import IdiographError, InputError, nearest
from idiograph.files import refuse_way_out
from idiograph.settings.setting import LARGEST, REQUIRED, Setting, choices, settings_of, shown
from idiograph.settings.toml import toml_key

T = TypeVar("T")


def check_settings(settings: Any, *, error: type[IdiographError] = InputError) -> None:
    """Checks a dataclass being made, in its `__post_init__`; lists become tuples, and names of files paths."""
    place = _Place("", error)
    for one in settings_of(type(settings)):
        value = getattr(settings, one.name)
        if not _is_plain(value, one):
            object.__setattr__(settings, one.name, place.value(one.name, one, value))


def read_settings(
    kind: type[T],
    content: Mapping[str, Any],
    *,
    where: str,
    error: type[IdiographError] = InputError,
    folder: Path | None = None,
    schema: int | None = None,
    also: Collection[str] = (),
    given: Mapping[str, Any] | None = None,
) -> T:
    """The settings in a parsed file, or in a table of one; `where` names it in messages.

    Paths start from `folder`; `schema` is the one that the file must have. `also` are keys at the top that the caller
    reads; the fields it makes of them, and the fields that are not settings, come as `given`.
    """
    if not isinstance(content, Mapping):
        raise error(f"{where} must be a table, not {shown(content)}.")
    given = given or {}
    settings = [one for one in settings_of(kind) if one.name not in given]
    tables = {"": content} | {one.table: content.get(one.table, {}) for one in settings if one.table}
    top = [*(["schema"] if schema is not None else []), *(one.key for one in settings if not one.table), *also]
    for table, values in tables.items():
        if not isinstance(values, Mapping):
            raise error(f"{where}: {table} must be a table, written [{table}], not {shown(values)}.")
        known = [*top, *(name for name in tables if name and name not in top)] if not table else []
        refuse_unknown(values, known or _keys(settings, table), where=_inside(where, table), error=error)
    if schema is not None and (type(content.get("schema")) is not int or content["schema"] != schema):
        raise error(
            f"{where}: schema must be {schema}, not {shown(content.get('schema'))}. Write `schema = {schema}` if the "
            "file follows this version's documentation, or use the version of Idiograph that wrote it."
        )
    found = {}
    for one in settings:
        if one.key in tables[one.table]:
            value = tables[one.table][one.key]
            if one.key in tables and isinstance(value, Mapping):  # a table with settings that are kept outside it
                value = {key: value[key] for key in value if key in _keys(settings_of(one.nested or kind), "")}
            found[one.name] = _Place(_inside(where, one.table), error, folder).value(one.key, one, value)
        elif one.default is REQUIRED:
            raise error(f"{_inside(where, one.table)}: {one.key} is missing. {one.help}".rstrip())
    try:
        return kind(**found, **given)
    except IdiographError as contradiction:  # of two settings, which neither shows alone
        raise error(f"{where}: {contradiction}") from None


def read_tables(
    kind: type[T],
    content: Mapping[str, Any],
    key: str,
    *,
    where: str,
    error: type[IdiographError] = InputError,
    folder: Path | None = None,
) -> tuple[T, ...]:
    """The settings in every [[key]] of a parsed file."""
    one = Setting(key=key, kind=types.GenericAlias(tuple, (kind, ...)))
    return tuple(_Place(where, error, folder).value(key, one, content.get(key, ())))


def settings_from_options(kind: type[T], given: Mapping[str, Any], *, error: type[IdiographError] = InputError) -> T:
    """The settings that were given on the command line, by field name; messages name the options."""
    place, found = _Place("", error), {}
    for one in settings_of(kind):
        if one.name in given:
            found[one.name] = place.value(_option(one), one, _from_text(one.kind, given[one.name]))
    for one in settings_of(kind):
        if one.default is REQUIRED and one.name not in found:
            raise error(f"{_option(one)} is missing. {one.help}".rstrip())
    return kind(**found)


def refuse_unknown(
    content: Mapping[str, Any], known: Sequence[str], *, where: str, error: type[IdiographError]
) -> None:
    """Refuses a key that is not known, because a misspelt one would silently change nothing."""
    for key in content:
        if key not in known:
            there = f"The settings here are {', '.join(known)}." if known else "There are no settings here."
            raise error(f"{where}: there is no setting {toml_key(str(key)[:60])}{nearest(str(key), known)}. {there}")


def _keys(settings: Sequence[Setting], table: str) -> list[str]:
    """The keys of a table: its own settings, and those of the dataclass that is written as this table."""
    nested = [one.nested for one in settings if one.key == table and not one.table and one.nested is not None]
    return [key for kind in nested for key in _keys(settings_of(kind), "")] + [
        one.key for one in settings if one.table == table
    ]


def _option(one: Setting) -> str:
    return one.option.partition("/")[0]


def _inside(where: str, table: str) -> str:
    return f"{where}, [{table}]" if table else where


_LONGEST_NAME = 255  # bytes: the limit of every common file system


class _Unfit(Exception):
    """A value that a setting cannot hold; the message says what was found."""


@dataclass(frozen=True)
class _Place:
    """Where values come from: what messages name, and what paths start from."""

    where: str
    error: type[IdiographError]
    folder: Path | None = None

    def value(self, name: str, one: Setting, value: Any) -> Any:
        """The value as the setting's type, or an error that gives the name of the setting and the place."""
        try:
            fitted = self.fitted(value, one.kind, one)
            if one.allows is not None and fitted is not None and not one.allows(fitted):
                raise _Unfit(shown(value))
        except _Unfit as unfit:
            hint = nearest(value, one.known) if isinstance(value, str) and value not in one.known else ""
            before = f"{self.where}: " if self.where else ""
            raise self.error(f"{before}{name} must be {one.wanted}, not {unfit}{hint}.") from None
        return fitted

    def fitted(self, value: Any, kind: Any, one: Setting) -> Any:
        origin, inner = typing.get_origin(kind), typing.get_args(kind)
        if origin in (typing.Union, types.UnionType):
            return self._first_that_fits(value, inner, one)
        if is_dataclass(kind):
            return self._nested(value, kind, one, f"[{one.key}]")
        if origin in (tuple, Sequence):
            return self._items(value, inner, one)
        if origin is Mapping:
            return self._entries(value, inner[1], one)
        if kind is Any:
            return self._anything(value, one)
        allowed = inner if origin is Literal else one.choices if kind is str else ()
        if not _FITS[str if origin is Literal else kind](value, one) or (allowed and value not in allowed):
            raise _Unfit(shown(value))
        if kind is Path:
            if self.folder is None:
                return Path(value)
            refuse_way_out(self.folder / value, self.folder, self.error)
            return self.folder / value
        return value if origin is Literal else kind(value)

    def _first_that_fits(self, value: Any, kinds: Sequence[Any], one: Setting) -> Any:
        # TOML has no null: nothing in quotation marks is nothing.
        if types.NoneType in kinds and (value is None or (isinstance(value, str) and not value)):
            return None
        unfit = _Unfit(shown(value))
        for kind in kinds:
            try:
                if kind is not types.NoneType:
                    return self.fitted(value, kind, one)
            except _Unfit as found:
                unfit = found
        raise unfit

    def _nested(self, value: Any, kind: Any, one: Setting, table: str) -> Any:
        if isinstance(value, kind):
            return value
        if not isinstance(value, Mapping):
            raise _Unfit(shown(value))
        where = f"{self.where}, {table}" if self.where else table
        return read_settings(kind, value, where=where, error=self.error, folder=self.folder)

    def _items(self, value: Any, kinds: Sequence[Any], one: Setting) -> tuple[Any, ...]:
        if not isinstance(value, Sequence) or isinstance(value, str | bytes | bytearray):
            raise _Unfit(shown(value))
        if is_dataclass(kinds[0]):
            places = (f"[[{one.key}]] {number}" for number in range(1, len(value) + 1))
            return tuple(self._nested(item, kinds[0], one, place) for item, place in zip(value, places, strict=True))
        if len(kinds) > 1 and kinds[1] is not Ellipsis and len(kinds) != len(value):
            raise _Unfit(f"a list of {len(value)}")
        found: list[Any] = []
        for item in value:
            try:
                found.append(self.fitted(item, kinds[0], one))
            except _Unfit as unfit:
                hint = nearest(item, choices(kinds[0], one)) if isinstance(item, str) else ""
                raise _Unfit(f"a list with {unfit}{hint}") from None
            if isinstance(item, str) and item in found[:-1]:
                raise _Unfit(f"a list with {shown(item)} twice")
        return tuple(found)

    def _entries(self, value: Any, kind: Any, one: Setting) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise _Unfit(shown(value))
        found = {}
        for key, entry in value.items():
            if not _is_text(key, one):
                raise _Unfit(f"a table with the key {shown(key)}")
            try:
                found[key] = self.fitted(entry, kind, one)
            except _Unfit as unfit:
                raise _Unfit(f"one in which {toml_key(key)} is {unfit}") from None
        return found

    def _anything(self, value: Any, one: Setting) -> Any:
        """Whatever TOML and JSON can both hold."""
        if isinstance(value, Mapping):
            return self._entries(value, Any, one)
        if isinstance(value, list | tuple):
            return [self._anything(item, one) for item in value]
        if not any(fits(value, Setting()) for kind, fits in _FITS.items() if kind is not Path):
            raise _Unfit(shown(value))
        return value


def _from_text(kind: Any, text: Any) -> Any:
    """A text of the command line as the number that it is, where the setting is a number."""
    kinds = typing.get_args(kind) or (kind,)
    for number in (int, float):
        if isinstance(text, str) and number in kinds and str not in kinds:
            try:
                return number(text)
            except ValueError:
                continue
    return text


def _is_plain(value: Any, one: Setting) -> bool:
    """Whether it is a number, or a tuple of numbers, that fits: settings are made for every problem that is scored."""
    if type(value) is tuple:
        return bool(value) and all(type(item) in one.plain_items and _FITS[type(item)](item, one) for item in value)
    return type(value) in one.plain and _FITS[type(value)](value, one)


def _is_bool(value: Any, _: Setting) -> bool:
    return isinstance(value, bool)


def _is_whole(value: Any, one: Setting) -> bool:
    return not isinstance(value, bool) and isinstance(value, numbers.Integral) and _is_within(value, one, LARGEST)


def _is_number(value: Any, one: Setting) -> bool:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    try:
        return math.isfinite(float(value)) and _is_within(value, one, math.inf)
    except OverflowError:
        return False


def _is_within(value: Any, one: Setting, largest: float) -> bool:
    least = -largest if one.minimum is None else one.minimum
    return bool(least <= value <= (largest if one.maximum is None else one.maximum))


def _is_text(value: Any, _: Setting) -> bool:
    """Whether it is a text that a file or a file's name can hold: no NUL, no half of a surrogate pair."""
    return isinstance(value, str) and "\0" not in value and not any("\ud800" <= c <= "\udfff" for c in value)


def _is_path(value: Any, one: Setting) -> bool:
    """Whether it is a path that a file can have: asking for a name that is too long is an error of its own."""
    if not isinstance(value, str | Path) or value == "" or not _is_text(str(value), one):
        return False
    return all(len(part.encode()) <= _LONGEST_NAME for part in Path(value).parts)


_FITS = {bool: _is_bool, int: _is_whole, float: _is_number, str: _is_text, Path: _is_path}
