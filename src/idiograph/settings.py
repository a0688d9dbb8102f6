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
from functools import cache, cached_property
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

    @cached_property
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
    held = ((setting, getattr(settings, setting.name)) for setting in settings_of(type(settings)))
    return {setting.name: value for setting, value in held if value != setting.default}


def settings_of(kind: Any) -> tuple[Setting, ...]:
    """The settings of a dataclass, in order; its other fields are left out."""
    return _settings_of(kind)


@cache
def _settings_of(kind: Any) -> tuple[Setting, ...]:
    hints = typing.get_type_hints(kind)
    settings = []
    for field in dataclasses.fields(kind):
        if (described := field.metadata.get("setting")) is not None:
            default = REQUIRED if field.default is MISSING else field.default
            default = default if field.default_factory is MISSING else field.default_factory()
            key = described.key or field.name
            option = described.option or f"--{field.name.replace('_', '-')}"
            names = {"name": field.name, "key": key, "option": option}
            settings.append(replace(described, **names, kind=hints[field.name], default=default))
    return tuple(settings)


T = TypeVar("T")


def check_settings(settings: Any, *, error: type[IdiographError] = InputError) -> None:
    """Checks a dataclass being made, in its `__post_init__`; lists become tuples, and names of files paths."""
    reader = _Reader("", error)
    for setting in settings_of(type(settings)):
        object.__setattr__(settings, setting.name, reader.value(setting.name, setting, getattr(settings, setting.name)))


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
    settings = [setting for setting in settings_of(kind) if setting.name not in given]
    tables = {"": content} | {setting.table: content.get(setting.table, {}) for setting in settings if setting.table}
    top = [
        *(["schema"] if schema is not None else []),
        *(setting.key for setting in settings if not setting.table),
        *also,
    ]
    for table, values in tables.items():
        if not isinstance(values, Mapping):
            raise error(f"{where}: {table} must be a table, written [{table}], not {shown(values)}.")
        known = [*top, *(name for name in tables if name and name not in top)] if not table else []
        refuse_unknown(values, known or _keys(settings, table), where=_inside(where, table), error=error)
    if schema is not None and (type(content.get("schema")) is not int or content["schema"] != schema):
        wrong = (
            f"must be {schema}, not {shown(content['schema'])}" if content.get("schema") is not None else "is missing"
        )
        raise error(
            f"{where}: schema {wrong}. Write `schema = {schema}` if the "
            "file follows this version's documentation, or use the version of Idiograph that wrote it."
        )
    values_read = {}
    for setting in settings:
        if setting.key in tables[setting.table]:
            value = tables[setting.table][setting.key]
            if setting.key in tables and isinstance(value, Mapping):  # a table with settings that are kept outside it
                value = {key: value[key] for key in value if key in _keys(settings_of(setting.nested or kind), "")}
            values_read[setting.name] = _Reader(_inside(where, setting.table), error, folder).value(
                setting.key, setting, value
            )
        elif setting.default is REQUIRED:
            raise error(f"{_inside(where, setting.table)}: {setting.key} is missing. {setting.help}".rstrip())
    try:
        return kind(**values_read, **given)
    except IdiographError as contradiction:  # of two settings, which neither shows alone
        raise error(f"{where}: {contradiction}") from None


def read_tables(
    kind: type[T],
    content: Mapping[str, Any],
    key: str,
    *,
    where: str,
    error: type[IdiographError] = InputError,
) -> tuple[T, ...]:
    """The settings in every [[key]] of a parsed file."""
    setting = Setting(key=key, kind=types.GenericAlias(tuple, (kind, ...)))
    return tuple(_Reader(where, error).value(key, setting, content.get(key, ())))


def settings_from_options(kind: type[T], given: Mapping[str, Any]) -> T:
    """The settings that were given on the command line, by field name; messages name the options."""
    reader, values = _Reader("", InputError), {}
    for setting in settings_of(kind):
        if setting.name in given:
            values[setting.name] = reader.value(
                _option(setting), setting, _from_text(setting.kind, given[setting.name])
            )
    missing = [setting for setting in settings_of(kind) if setting.default is REQUIRED and setting.name not in values]
    if missing:
        raise InputError(all_missing({_option(setting): setting.help for setting in missing}))
    return kind(**values)


def all_missing(needed: Mapping[str, str]) -> str:
    """That these are missing, all of them at once, with what each is."""
    *others, last = needed
    if not others:
        return f"{last} is missing. {needed[last]}".rstrip()
    listed = "\n".join(f"  {name}: {meaning}" for name, meaning in needed.items())
    return f"{', '.join(others)} and {last} are missing:\n{listed}"


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
    nested = [
        setting.nested
        for setting in settings
        if setting.key == table and not setting.table and setting.nested is not None
    ]
    return [key for kind in nested for key in _keys(settings_of(kind), "")] + [
        setting.key for setting in settings if setting.table == table
    ]


def _option(setting: Setting) -> str:
    return setting.option.partition("/")[0]


def _inside(where: str, table: str) -> str:
    return f"{where}, [{table}]" if table else where


class _Unfit(Exception):
    """A value that a setting cannot hold; the message says what was found."""


@dataclass(frozen=True)
class _Reader:
    """Where values come from: what messages name, and what paths start from."""

    where: str
    error: type[IdiographError]
    folder: Path | None = None

    def value(self, name: str, setting: Setting, value: Any) -> Any:
        """The value as the setting's type, or an error that gives the name of the setting and the place."""
        try:
            fitted = self.fitted(value, setting.kind, setting)
            if setting.allows is not None and fitted is not None and not setting.allows(fitted):
                raise _Unfit(shown(value))
        except _Unfit as unfit:
            hint = nearest(value, setting.known) if isinstance(value, str) and value not in setting.known else ""
            before = f"{self.where}: " if self.where else ""
            raise self.error(f"{before}{name} must be {setting.wanted}, not {unfit}{hint}.") from None
        return fitted

    def fitted(self, value: Any, kind: Any, setting: Setting) -> Any:
        origin, inner = typing.get_origin(kind), typing.get_args(kind)
        if origin in (typing.Union, types.UnionType):
            return self._first_that_fits(value, inner, setting)
        if is_dataclass(kind):
            return self._nested(value, kind, f"[{setting.key}]")
        if origin in (tuple, Sequence):
            return self._items(value, inner, setting)
        if origin is Mapping:
            return self._entries(value, inner[1], setting)
        if kind is Any:
            return self._anything(value, setting)
        allowed = inner if origin is Literal else setting.choices if kind is str else ()
        if not fits(value, str if origin is Literal else kind, setting) or (allowed and value not in allowed):
            raise _Unfit(shown(value))
        if kind is Path:
            if self.folder is None:
                return Path(value)
            refuse_way_out(self.folder / value, self.folder, self.error)
            return self.folder / value
        return value if origin is Literal else kind(value)

    def _first_that_fits(self, value: Any, kinds: Sequence[Any], setting: Setting) -> Any:
        # TOML has no null: nothing in quotation marks is nothing.
        if types.NoneType in kinds and (value is None or (isinstance(value, str) and not value)):
            return None
        unfit = _Unfit(shown(value))
        for kind in kinds:
            try:
                if kind is not types.NoneType:
                    return self.fitted(value, kind, setting)
            except _Unfit as latest:
                unfit = latest
        raise unfit

    def _nested(self, value: Any, kind: Any, table: str) -> Any:
        if isinstance(value, kind):
            return value
        if not isinstance(value, Mapping):
            raise _Unfit(shown(value))
        where = f"{self.where}, {table}" if self.where else table
        return read_settings(kind, value, where=where, error=self.error, folder=self.folder)

    def _items(self, value: Any, kinds: Sequence[Any], setting: Setting) -> tuple[Any, ...]:
        if not isinstance(value, Sequence) or isinstance(value, str | bytes | bytearray):
            raise _Unfit(shown(value))
        if is_dataclass(kinds[0]):
            tables = (f"[[{setting.key}]] {number}" for number in range(1, len(value) + 1))
            return tuple(self._nested(item, kinds[0], table) for item, table in zip(value, tables, strict=True))
        if len(kinds) > 1 and kinds[1] is not Ellipsis and len(kinds) != len(value):
            raise _Unfit(f"a list of {len(value)}")
        items: list[Any] = []
        for item in value:
            try:
                items.append(self.fitted(item, kinds[0], setting))
            except _Unfit as unfit:
                hint = nearest(item, choices(kinds[0], setting)) if isinstance(item, str) else ""
                raise _Unfit(f"a list with {unfit}{hint}") from None
            if isinstance(item, str) and item in items[:-1]:
                raise _Unfit(f"a list with {shown(item)} twice")
        return tuple(items)

    def _entries(self, value: Any, kind: Any, setting: Setting) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise _Unfit(shown(value))
        entries = {}
        for key, entry in value.items():
            if not fits(key, str, setting):
                raise _Unfit(f"a table with the key {shown(key)}")
            try:
                entries[key] = self.fitted(entry, kind, setting)
            except _Unfit as unfit:
                raise _Unfit(f"one in which {toml_key(key)} is {unfit}") from None
        return entries

    def _anything(self, value: Any, setting: Setting) -> Any:
        """Whatever TOML and JSON can both hold."""
        if isinstance(value, Mapping):
            return self._entries(value, Any, setting)
        if isinstance(value, list | tuple):
            return [self._anything(item, setting) for item in value]
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
    values = [(setting, getattr(settings, setting.name)) for setting in settings_of(type(settings))]
    tables = dict.fromkeys(setting.table for setting, _ in values) | {
        setting.key: None for setting, held in values if is_dataclass(held)
    }
    for table in sorted(tables, key=bool):  # what stands in no table comes first
        if table:
            yield from ("", f"[{prefix}{table}]")
        for setting, held in values:
            if setting.table == table and not (setting.nested is not None or isinstance(held, Mapping)):
                if explain and setting.help:
                    yield f"# {' '.join(setting.help.split())}"
                if held is not None:
                    yield toml_entry(setting.key, held, folder)
                elif explain:
                    yield f"# {setting.key} is not set."
        for setting, held in values:
            if setting.key == table and is_dataclass(held):
                yield from _lines(held, f"{prefix}{table}.", folder, explain)
    for setting, held in values:
        if isinstance(held, Mapping):
            yield from ("", f"[{prefix}{setting.key}]", *([f"# {setting.help}"] if explain and setting.help else []))
            yield from (toml_entry(key, entry, folder) for key, entry in held.items())
        elif setting.nested is not None and not is_dataclass(held):
            for entry in held or ():
                yield from (
                    "",
                    f"[[{prefix}{setting.key}]]",
                    *_lines(entry, f"{prefix}{setting.key}.", folder, explain),
                )
