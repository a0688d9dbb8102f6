"""TOML: read with a sentence for whatever is wrong with it, and written so that it reads back the same."""

import json
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date, time
from pathlib import Path
from typing import Any

from idiograph.errors import IdiographError, InputError, cannot_read
from idiograph.records import bytes_of_file


def read_toml(path: Path, *, error: type[IdiographError] = InputError, example: str) -> dict[str, Any]:
    """The content of a TOML file; `example` says where a good one is."""
    try:
        return parse_toml(bytes_of_file(path, most=LARGEST), where=str(path), error=error, example=example)
    except OSError as cause:
        raise cannot_read(path, cause, error) from cause


LARGEST = 1_000_000  # bytes: reading takes a hundred times as many, and no case or study comes near it


def parse_toml(content: bytes, *, where: str, error: type[IdiographError] = InputError, example: str) -> dict[str, Any]:
    """The tables in the bytes of a TOML file, which `where` names in messages."""
    if len(content) > LARGEST:
        raise error(
            f"{where} has more than {LARGEST:,} bytes, so it is not what it should be. Compare it with {example}."
        )
    try:
        text = content.decode("utf-8-sig")
        _refuse_endless_keys(text)
        table = tomllib.loads(text)
        _refuse_endless(table)
        return table
    except UnicodeDecodeError as cause:
        raise error(f"{where} is not UTF-8 (at byte {cause.start}). Save it as UTF-8.") from cause
    except (ValueError, RecursionError) as cause:  # numbers of thousands of digits and endless brackets included
        reason = "brackets are nested too deeply" if isinstance(cause, RecursionError) else str(cause)
        raise error(f"{where} is not valid TOML: {reason}. Compare it with {example}.") from cause


_MOST_PARTS = 100  # of a key: reading takes as long as the square of their number
_TEXTS = r'"{3}(?:[^\\]|\\.)*?"{3}', r"'{3}.*?'{3}", r'"(?:[^"\\\n]|\\.)*"', r"'[^'\n]*'"
_NO_KEYS = re.compile("|".join((*_TEXTS, r"#[^\n]*")), re.DOTALL)  # text in any of its forms, and comments


def _refuse_endless_keys(text: str) -> None:
    if text.count(".") > _MOST_PARTS and any(
        part.count(".") > _MOST_PARTS for part in re.split("[=,\n]", _NO_KEYS.sub("", text))
    ):
        raise ValueError(f"a key has more than {_MOST_PARTS} parts")


_LONGEST = 1_000  # digits of a number: it could not be said what is wrong with a longer one


def _refuse_endless(value: Any) -> None:
    if isinstance(value, int) and value.bit_length() > _LONGEST * 3:
        raise ValueError(f"a number has about {_LONGEST:,} digits or more")
    if isinstance(value, dict | list):
        for inside in value.values() if isinstance(value, dict) else value:
            _refuse_endless(inside)


def toml_value(value: Any, folder: Path | None = None) -> str:
    """A value as TOML writes it; a path as seen from `folder`."""
    if isinstance(value, Path):
        value = relative(value, folder) if folder is not None else value.as_posix()
    if isinstance(value, str):
        # JSON's escapes are TOML's; whatever is invisible is written as one.
        return "".join(c if c.isprintable() else _escape(ord(c)) for c in json.dumps(value, ensure_ascii=False))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(toml_entry(key, entry, folder) for key, entry in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(toml_value(item, folder) for item in value) + "]"
    return value.isoformat() if isinstance(value, date | time) else repr(value)


def toml_entry(key: str, value: Any, folder: Path | None = None) -> str:
    """A key and its value in one line."""
    return f"{toml_key(key)} = {toml_value(value, folder)}"


def toml_text(content: Mapping[str, Any], prefix: str = "") -> str:
    """Tables as TOML, what stands in none of them first; empty tables are left out. `prefix` is the name with a dot."""
    lines = [toml_entry(key, value) for key, value in content.items() if not _is_table(value)]
    for key, value in content.items():
        name = f"{prefix}{toml_key(key)}"
        if isinstance(value, dict) and value:
            lines += ["", f"[{name}]", toml_text(value, f"{name}.").rstrip("\n")]
        elif _is_table(value) and not isinstance(value, dict):
            for entry in value:
                lines += ["", f"[[{name}]]", toml_text(entry, f"{name}.").rstrip("\n")]
    return "\n".join(lines) + "\n"


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and isinstance(value[0], dict))


def toml_key(key: str) -> str:
    """A key as TOML writes it, in quotation marks where they are needed."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml_value(key)


def relative(path: Path, folder: Path) -> str:
    """`path` as seen from `folder`, with slashes; absolute where no relative path exists."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive
        return path.resolve().as_posix()


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
