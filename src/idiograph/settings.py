"""Settings: dataclasses whose fields say what they mean, what they may hold, their names, and how all of that is said.

    @dataclass(frozen=True, kw_only=True)
    class LambdaGSettings:
        order: int = setting(10, minimum=1, maximum=30, help="N: the longest n-gram.")

        def __post_init__(self) -> None:
            check_settings(self)

Values come from a file, from keywords or from the command line, with one kind of sentence for a mistake, and are
written as TOML that reads back the same.

`study.toml, [design]: calibration must be a number from 0 to 1, not "half".`
"""

import dataclasses
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

from idiograph.checking import LARGEST_SEED, Limits, choices, fits, shown, wanted
from idiograph.errors import IdiographError, InputError, nearest
from idiograph.files import refuse_way_out
from idiograph.toml import toml_entry, toml_key, toml_value

REQUIRED: Any = ...  # in place of a default


@dataclass(frozen=True, kw_only=True)
class Setting(Limits):
    """One setting: its meaning, its limits (both ends included) and its names.

    `table` and `key` say where it stands in a file, if not at the top under the field's own name; `option` is its name
    on the command line, if that differs (`--this/--not-this` for true and false). `allows` is a further check of the
    value, and `must` says in words what it asks for. Name, kind and default are filled in from the field.
    """

    help: str = ""
    must: str = ""
    allows: Callable[[Any], bool] | None = None
    table: str = ""
    option: str = ""
    also: str = ""  # another name of the option, from before
    name: str = ""
    kind: Any = None
    default: Any = REQUIRED

    @property
    def wanted(self) -> str:
        """What it must be: the rest of "order must be …"."""
        return self.must or wanted(self.kind, self)

    @property
    def nested(self) -> type | None:
        """The dataclass whose settings this one holds, once (a table) or several times (an array of tables)."""
        kinds: tuple[Any, ...] = (self.kind, *typing.get_args(self.kind))
        return next((kind for kind in kinds if isinstance(kind, type) and is_dataclass(kind)), None)

    @property
    def known(self) -> tuple[str, ...]:
        """The texts it may be, if they are known."""
        return choices(self.kind, self)

    @property
    def limits(self) -> str:
        """The limits it states, such as `1 to 30`, or the texts it may be, or nothing."""
        if self.known:
            return ", ".join(self.known)
        low, high = (None if limit is None else f"{limit:,}" for limit in (self.minimum, self.maximum))
        if self.maximum is None or self.maximum >= LARGEST_SEED:
            return "" if low is None else f"{low} or more"
        return f"at most {high}" if low is None else f"{low} to {high}"

    @property
    def usual(self) -> str:
        """The default as help and documentation show it; nothing if it is nothing."""
        if self.default is REQUIRED or self.nested is not None or self.default in (None, (), {}, ""):
            return ""
        return self.default if isinstance(self.default, str) else toml_value(self.default)


def setting(default: Any = REQUIRED, *, factory: Callable[[], Any] | None = None, **described: Any) -> Any:
    """A dataclass field that is a setting, described by the fields of `Setting`, `help` above all."""
    metadata = {"setting": Setting(**described)}
    if factory is not None:
        return dataclasses.field(default_factory=factory, metadata=metadata)
    return dataclasses.field(default=MISSING if default is REQUIRED else default, metadata=metadata)


def changed(settings: Any) -> dict[str, Any]:
    """The settings that are not at their default, by field name."""
    held = ((one, getattr(settings, one.name)) for one in settings_of(type(settings)))
    return {one.name: value for one, value in held if value != one.default}


def settings_of(kind: Any) -> tuple[Setting, ...]:
    """The settings of a dataclass, in order; its other fields are left out."""
    return _settings_of(kind)


@cache
def _settings_of(kind: Any) -> tuple[Setting, ...]:
    hints = typing.get_type_hints(kind)
    found = []
    for field in dataclasses.fields(kind):
        if (described := field.metadata.get("setting")) is not None:
            default = REQUIRED if field.default is MISSING else field.default
            default = default if field.default_factory is MISSING else field.default_factory()
            key = described.key or field.name
            option = described.option or f"--{field.name.replace('_', '-')}"
            names = {"name": field.name, "key": key, "option": option}
            found.append(replace(described, **names, kind=hints[field.name], default=default))
    return tuple(found)


def settings_table(kind: type, *, brief: Collection[type] = ()) -> str:
    """Every key with its meaning and default, in Markdown for the documentation.

    Nested settings are listed too, but those of the types in `brief` in one row.
    """
    return "\n".join(["| key | meaning | default |", "|---|---|---|", *_rows(kind, "", brief)]) + "\n"


def _rows(kind: type, table: str, brief: Collection[type]) -> Iterable[str]:
    for one in settings_of(kind):
        if one.nested is not None and one.nested not in brief:
            name = f"[{one.key}]" if is_dataclass(one.kind) else f"[[{one.key}]]"
            yield from _rows(one.nested, f"{table} {name}".strip(), brief)
            continue
        inside = f"`[{one.table}]` " if one.table else f"`{table}` " if table else ""
        meaning = " ".join(f"{one.help} ({one.limits})".split() if one.limits else one.help.split())
        usual = "required" if one.default is REQUIRED else f"`{one.usual}`" if one.usual else ""
        yield f"| {inside}`{one.key}` | {meaning.replace('|', chr(92) + '|')} | {usual} |"


T = TypeVar("T")


def check_settings(settings: Any, *, error: type[IdiographError] = InputError) -> None:
    """Checks a dataclass being made, in its `__post_init__`; lists become tuples, and names of files paths."""
    place = _Place("", error)
    for one in settings_of(type(settings)):
        object.__setattr__(settings, one.name, place.value(one.name, one, getattr(settings, one.name)))


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
    missing = [one for one in settings_of(kind) if one.default is REQUIRED and one.name not in found]
    if len(missing) == 1:
        raise error(f"{_option(missing[0])} is missing. {missing[0].help}".rstrip())
    if missing:
        listed = "\n".join(f"  {_option(one)}: {one.help}" for one in missing)
        raise error(f"{', '.join(map(_option, missing[:-1]))} and {_option(missing[-1])} are missing:\n{listed}")
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
        if not fits(value, str if origin is Literal else kind, one) or (allowed and value not in allowed):
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
            if not fits(key, str, one):
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
        if not any(fits(value, kind, Limits()) for kind in (bool, int, float, str)):
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


def to_toml(
    settings: Any, *, schema: int | None = None, heading: str = "", folder: Path | None = None, explain: bool = True
) -> str:
    """Settings as the content of a file, each with its meaning above it if `explain`.

    Paths are written as seen from `folder`. What is not set (None) has no value in TOML and becomes a comment.
    """
    lines = [f"# {heading}"] if heading else []
    lines += [f"schema = {schema}"] if schema is not None else []
    return "\n".join([*lines, *_lines(settings, "", folder, explain)]).lstrip("\n") + "\n"


def _lines(settings: Any, prefix: str, folder: Path | None, explain: bool) -> Iterable[str]:
    """The lines of a table and then those of the tables in it; `prefix` is its own name with a dot."""
    values = [(one, getattr(settings, one.name)) for one in settings_of(type(settings))]
    tables = dict.fromkeys(one.table for one, _ in values) | {
        one.key: None for one, held in values if is_dataclass(held)
    }
    for table in sorted(tables, key=bool):  # what stands in no table comes first
        if table:
            yield from ("", f"[{prefix}{table}]")
        for one, held in values:
            if one.table == table and not _is_table(one, held):
                yield from _line(one, held, folder, explain)
        for one, held in values:
            if one.key == table and is_dataclass(held):
                yield from _lines(held, f"{prefix}{table}.", folder, explain)
    for one, held in values:
        if isinstance(held, Mapping):
            yield from ("", f"[{prefix}{one.key}]", *([f"# {one.help}"] if explain and one.help else []))
            yield from (toml_entry(key, entry, folder) for key, entry in held.items())
        elif one.nested is not None and not is_dataclass(held):
            for entry in held or ():
                yield from ("", f"[[{prefix}{one.key}]]", *_lines(entry, f"{prefix}{one.key}.", folder, explain))


def _line(one: Setting, held: Any, folder: Path | None, explain: bool) -> Iterable[str]:
    if explain and one.help:
        yield f"# {' '.join(one.help.split())}"
    if held is not None:
        yield toml_entry(one.key, held, folder)
    elif explain:
        yield f"# {one.key} is not set."


def _is_table(one: Setting, held: Any) -> bool:
    return one.nested is not None or isinstance(held, Mapping)
