"""Settings to TOML that `read_settings` reads back."""

from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

from idiograph.settings.setting import Setting, settings_of
from idiograph.settings.toml import toml_key, toml_value


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
            yield from (f"{toml_key(key)} = {toml_value(entry, folder)}" for key, entry in held.items())
        elif one.nested is not None and not is_dataclass(held):
            for entry in held or ():
                yield from ("", f"[[{prefix}{one.key}]]", *_lines(entry, f"{prefix}{one.key}.", folder, explain))


def _line(one: Setting, held: Any, folder: Path | None, explain: bool) -> Iterable[str]:
    if explain and one.help:
        yield f"# {' '.join(one.help.split())}"
    if held is not None:
        yield f"{one.key} = {toml_value(held, folder)}"
    elif explain:
        yield f"# {one.key} is not set."


def _is_table(one: Setting, held: Any) -> bool:
    return one.nested is not None or isinstance(held, Mapping)
