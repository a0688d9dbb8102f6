"""A setting: what it means, what it may hold, its names, and how all of that is said.

@dataclass(frozen=True, kw_only=True)
class LambdaGSettings:
    order: int = setting(10, minimum=1, maximum=30, help="N: the longest n-gram.")

    def __post_init__(self) -> None:
        check_settings(self)
"""

import dataclasses
import numbers
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, is_dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

from idiograph.settings.toml import toml_value

# A whole number beyond it is a slip of the finger or an attack, wherever no other limit is stated.
LARGEST = 1_000_000_000
LARGEST_SEED = 2**63 - 1
REQUIRED: Any = ...  # in place of a default


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting: its meaning, its limits (both ends included) and its names.

    `table` and `key` say where it stands in a file, if not at the top under the field's own name; `option` is its name
    on the command line, if that differs (`--this/--not-this` for true and false). `allows` is a further check of the
    value, and `must` says in words what it asks for. Name, kind and default are filled in from the field.
    """

    help: str = ""
    choices: Collection[str] = ()
    minimum: float | None = None
    maximum: float | None = None
    must: str = ""
    allows: Callable[[Any], bool] | None = None
    table: str = ""
    key: str = ""
    option: str = ""
    name: str = ""
    kind: Any = None
    default: Any = REQUIRED

    @property
    def wanted(self) -> str:
        """What it must be: the rest of "order must be …"."""
        return self.must or _wanted(self.kind, self)

    @cached_property
    def plain(self) -> frozenset[Any]:
        """The types of values that need no look beyond their limits: numbers, true and false."""
        return frozenset({bool, int, float} & set(_parts(self.kind))) if self.allows is None else frozenset()

    @cached_property
    def plain_items(self) -> frozenset[Any]:
        """The same for the items of a list."""
        lists = [typing.get_args(part) for part in _parts(self.kind) if typing.get_origin(part) in (tuple, Sequence)]
        items = {inner[0] for inner in lists if len(inner) == 1 or inner[1] is Ellipsis}
        return frozenset({bool, int, float} & items) if self.allows is None else frozenset()

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


def choices(kind: Any, one: Setting) -> tuple[str, ...]:
    """The texts that a value, or an item of a list, may be."""
    for part in (kind, *typing.get_args(kind)):
        if typing.get_origin(part) is Literal:
            return typing.get_args(part)
    return tuple(one.choices)


def settings_table(kind: type, *, brief: Collection[type] = ()) -> str:
    """Every key with its meaning and default, in Markdown for the documentation.

    Nested settings are listed too, but those of the types in `brief` in one row.
    """
    return "\n".join(["| key | meaning | default |", "|---|---|---|", *_rows(kind, "", brief)]) + "\n"


def shown(value: Any) -> str:
    """A value in a message, short and harmless to a terminal: `"half"`, `3`, `true`, `a list`, `nothing`."""
    if value is None:
        return "nothing"
    if isinstance(value, str | Path):
        text = str(value)
        return toml_value(text if len(text) <= 60 else f"{text[:59]}…")
    if isinstance(value, bool):
        return toml_value(value)
    if isinstance(value, int):
        return str(value) if value.bit_length() <= 128 else "a number of more than 38 digits"
    if isinstance(value, numbers.Number):
        return str(value)
    names: dict[Any, str] = {list: "a list", tuple: "a list", dict: "a table"}
    return names.get(type(value), f"a value of type {type(value).__name__}")


def _parts(kind: Any) -> tuple[Any, ...]:
    """The types of a union, or the type itself."""
    return typing.get_args(kind) if typing.get_origin(kind) in (typing.Union, types.UnionType) else (kind,)


def _wanted(kind: Any, one: Setting, *, several: bool = False) -> str:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_wanted(part, one, several=several) for part in inner if part is not types.NoneType)
    if origin in (tuple, Sequence):
        if is_dataclass(inner[0]):
            return f"a list of tables, each written [[{one.key}]]"
        if len(inner) > 1 and inner[1] is not Ellipsis:
            return f"{'pairs' if several else 'a pair'} of {_wanted(inner[0], one, several=True)}"
        return f"a list of {_wanted(inner[0], one, several=True)}"
    if origin is Mapping or is_dataclass(kind):
        return f"a table, written [{one.key}]"
    if texts := choices(kind, one):
        return f"{'any' if several else 'one'} of {', '.join(texts)}"
    words = {
        bool: ("true or false", "true or false"),
        int: ("a whole number", "whole numbers"),
        float: ("a number", "numbers"),
        str: ("text in quotation marks", "texts in quotation marks"),
        Path: ("a path in quotation marks", "paths in quotation marks"),
    }
    low, high = one.minimum, one.maximum
    if kind is int:
        low, high = -LARGEST if low is None else low, LARGEST if high is None else high
    if kind not in (int, float) or (low is None and high is None):
        return words[kind][several]
    said = words[kind][several]
    return f"{said}, {low:,} or more" if high is None or high >= LARGEST_SEED else f"{said} from {low:,} to {high:,}"


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
