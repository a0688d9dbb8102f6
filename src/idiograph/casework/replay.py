"""A filed case ready to run again: its manifest, its inputs wherever they lie now, and its values compared.

Inputs are found by their digests; what is changed is told from what is missing. Two results are compared node by node:
every key, every length, every type and every digit.
"""

import math
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from idiograph.casework.case import Case, is_recipe_file
from idiograph.casework.case_folder import MANIFEST, RESULT, SCHEMA, folders_of
from idiograph.casework.verification import Verification
from idiograph.errors import InputError, StudyError, some
from idiograph.files import everything_below, refuse_way_out
from idiograph.provenance import digest_of
from idiograph.records import misfit, read_record, record_line
from idiograph.texts.reading.folders import recorded_name


@dataclass(frozen=True)
class LocatedInput:
    """An input by its role and name; `path` is where it lies, None unless it was found as it was."""

    name: str
    path: Path | None
    state: Literal["found", "changed", "missing"]


def located(entries: Sequence[Mapping[str, Any]], folder: Path, inputs: Path | None = None) -> list[LocatedInput]:
    """Every input of a manifest, looked for where it lay and, if a folder is named, by its digest in there.

    A file there that is none of the inputs is a changed one if it has its name: the whole path as the case knows it,
    or else the last part of it.
    """
    elsewhere: dict[Path, str] = {}
    if inputs is not None:
        if not inputs.is_dir():
            raise InputError(f"{inputs} is not a folder. Name the folder that holds the case's texts.")
        lying_there = everything_below(inputs)
        elsewhere = {file: digest_of(file) for file, status in lying_there if stat.S_ISREG(status.st_mode)}
    by_digest = {sha256: file for file, sha256 in reversed(elsewhere.items())}
    wanted = {entry["sha256"] for entry in entries}
    others = [file for file, sha256 in elsewhere.items() if sha256 not in wanted]
    results: list[LocatedInput | None] = []
    children, starts = cache(_children), folders_of(folder)
    for entry in entries:
        lying = [path for start in starts for path in _lying(start, entry["path"], children)]
        readable = (path for path in lying if not any(_is_led_out(path, start) for start in starts))
        here = next((path for path in readable if digest_of(path) == entry["sha256"]), by_digest.get(entry["sha256"]))
        if here is not None:
            results.append(LocatedInput(_name(entry), here, "found"))
        else:
            results.append(LocatedInput(_name(entry), None, "changed") if lying else None)
    for whole in (True, False):
        for number, entry in enumerate(entries):
            if results[number] is None:
                changed = next((file for file in others if _is_called(file, entry["name"], whole=whole)), None)
                if changed is not None:
                    others.remove(changed)
                    results[number] = LocatedInput(_name(entry), None, "changed")
    return [file or LocatedInput(_name(entry), None, "missing") for file, entry in zip(results, entries, strict=True)]


def found_inputs(entries: Sequence[Mapping[str, Any]], folder: Path, inputs: Path | None = None) -> list[Path]:
    """Where each input lies now; an error names what is missing or changed."""
    all_ = located(entries, folder, inputs)
    wrong = [
        f"{file.name} ({'not found' if file.state == 'missing' else file.state})" for file in all_ if file.path is None
    ]
    if wrong:
        raise StudyError(
            f"{len(wrong)} of {len(entries)} inputs are not what the case was run with: {some(wrong, between='; ')}. "
            "Put them back, or name a folder that holds them with --inputs; they are found by their SHA-256."
        )
    return [file.path for file in all_ if file.path is not None]


def is_there(path: Path, what: Callable[[Path], bool] = Path.is_file) -> bool:
    """Whether there is such a file; a damaged manifest may give a name that none can have."""
    try:
        return what(path)
    except (OSError, ValueError):
        return False


def _is_led_out(path: Path, start: Path) -> bool:
    """Whether a path that lies in a folder by its name lies elsewhere by a link, so that it is not read."""
    try:
        refuse_way_out(path, start)
    except InputError:
        return True
    return False


def _children(path: Path) -> list[Path]:
    """What lies in a folder, in order; nothing where that may not be seen."""
    try:
        return sorted(path.iterdir())
    except OSError:
        return []


def _lying(start: Path, path: str, children: Callable[[Path], list[Path]]) -> list[Path]:
    """The files that a recorded path can mean: records have names in one form, whatever the disk has them in."""
    if is_there(start / path):
        return [start / path]
    places = [start]
    for part in PurePosixPath(path).parts:
        named = [at / part for at in places if is_there(at / part, Path.exists)]
        if part not in ("..", "/"):
            others = (path for at in places for path in children(at) if path.name != part)
            named += [path for path in others if recorded_name(path.name) == part]
        places = named
    return [path for path in places if is_there(path)]


def _name(entry: Mapping[str, Any]) -> str:
    return f"{entry['role']} {entry['name']}"


def _is_called(file: Path, name: str, *, whole: bool) -> bool:
    parts = PurePosixPath(name).parts
    return file.parts[-len(parts) :] == parts if whole else file.name == parts[-1]


_DIGITS = 17  # enough to tell any two doubles apart
_ABSENT = "absent"
Where = tuple[str | int, ...]


@dataclass(frozen=True)
class Difference:
    """A value that came out differently; `digits` is how many leading digits agree, None if it is not a number."""

    where: str
    filed: Any
    now: Any
    digits: int | None


def differences(filed: Any, now: Any) -> Iterator[Difference]:
    """Where two JSON values differ, node by node: in types, keys, lengths, texts or digits."""
    waiting: list[tuple[Where, Any, Any]] = [((), filed, now)]
    while waiting:
        where, value, other = waiting.pop()
        if isinstance(value, dict) and isinstance(other, dict):
            yield from (_difference((*where, key), value[key], _ABSENT) for key in value if key not in other)
            yield from (_difference((*where, key), _ABSENT, other[key]) for key in other if key not in value)
            waiting += [((*where, key), value[key], other[key]) for key in reversed(value) if key in other]
        elif isinstance(value, list) and isinstance(other, list):
            if len(value) != len(other):
                yield Difference(f"{_shown(where)} (length)", len(value), len(other), None)
            waiting += [((*where, at), *pair) for at, pair in enumerate(zip(value, other, strict=False))][::-1]
        elif type(value) is not type(other) or repr(value) != repr(other):  # 1 is not true, and −0.0 not 0.0
            yield _difference(where, value, other)


def numbers_that_differ(filed: Any, now: Any) -> Iterator[Difference]:
    """Where the numbers of one JSON value, each by its own path, are not those of another, and the digests too.

    This is how a result of an earlier version is compared: its sentences and what was added since are left out.
    """
    for where, value in leaves(filed):
        named = bool(where) and str(where[-1]).endswith(("sha256", "digest"))
        if isinstance(value, int | float) or (named and is_digest(value)):
            other = now
            for key in where:
                inside = isinstance(other, dict) and key in other
                inside = inside or (isinstance(other, list) and isinstance(key, int) and key < len(other))
                other = other[key] if inside else _ABSENT
            if type(value) is not type(other) or repr(value) != repr(other):
                yield _difference(where, value, other)


def leaves(value: Any) -> Iterator[tuple[Where, Any]]:
    """Every plain value inside a JSON value, with the keys and places that lead to it."""
    waiting: list[tuple[Where, Any]] = [((), value)]
    while waiting:
        where, part = waiting.pop()
        if isinstance(part, dict):
            waiting += [((*where, key), part[key]) for key in reversed(part)]
        elif isinstance(part, list):
            waiting += [((*where, at), item) for at, item in enumerate(part)][::-1]
        else:
            yield where, part


def _difference(where: Where, value: Any, other: Any) -> Difference:
    digits = agreeing_digits(value, other) if is_number(value) and is_number(other) else None
    return Difference(_shown(where), _in_brief(value), _in_brief(other), digits)


def _shown(where: Where) -> str:
    """A path that means one thing alone: a key that is not a plain word stands in quotes."""
    parts = [f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{record_line(key)}]" for key in where]
    return "".join(parts).removeprefix(".")


def _in_brief(value: Any) -> Any:
    """A value as a difference shows it: a table or a list by its size."""
    if isinstance(value, dict | list):
        return f"a {'table' if isinstance(value, dict) else 'list'} of {len(value)}"
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value


def is_digest(value: Any) -> bool:
    """Whether it is a SHA-256 in hexadecimal."""
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def filed_rules(result: Any) -> int:
    """The rules that a filed result was made by; what 0.3.0 filed does not name any."""
    settings = result.get("settings") if isinstance(result, dict) else None
    rules = settings.get("rules", 1) if isinstance(settings, dict) else 1
    if type(rules) is not int:
        raise StudyError(f"{RESULT} names the rules {rules!r}, which is no number. Restore it from a copy.")
    return rules


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a filed case, every key that a replay needs with the type it must have."""
    content: dict[str, Any] = read_record(
        path,
        kind="idiograph case",
        schema=SCHEMA,
        damaged=_NOT_JSON,
        other=f"{{path}} is not the manifest of a case. Name the {MANIFEST} that `idiograph verify` wrote.",
        newer=f"{{path}} has the schema {{schema!r}} and this version of Idiograph reads {SCHEMA}. "
        "Use the version that wrote it.",
    )
    if wrong := misfit(content, _SHAPE):
        raise InputError(f"{path} is damaged: {wrong}. Restore the file from a copy.")
    return content


_NOT_JSON = "{path} is not valid JSON ({why}). Restore the file from a copy."
_SHAPE = {
    "run": int,
    "quick": bool,
    "settings": dict,
    "inputs": [{"role": str, "name": str, "path": str, "sha256": str, "alone": bool}],
    "texts": [{"id": str, "masked_sha256": str}],
    "outputs": {str: str},
    "versions": {str: str},
}


def cause(texts: list[dict[str, str]], again: Verification) -> str:
    """Where differences come from: the digests of each text after reading and after masking tell."""
    filed = {text["id"]: text for text in texts}
    read = [text.id for text in again.texts if filed.get(text.id, {}).get("content_sha256") != text.content_sha256]
    masked = [text.id for text in again.texts if filed.get(text.id, {}).get("masked_sha256") != text.masked_sha256]
    n = len(again.texts)
    if read or len(filed) != n:
        return f"The difference comes from reading or preparing: {len(read)} of {n} texts were read differently."
    if masked:
        return (
            f"The difference comes from tagging: {len(masked)} of {n} texts were masked differently "
            f"({some(masked, 3)}), and numbers on different tokens cannot agree."
        )
    return f"The difference comes from arithmetic: all {n} texts were masked exactly as they were when filed."


def rebuilt(case: Case, entries: list[dict[str, Any]], files: list[Path], folder: Path) -> Case:
    """The case on copies of its inputs, laid out as they lay when it was run."""
    roots: dict[str, Path] = {}
    for entry, file in zip(entries, files, strict=True):
        role, name = entry["role"], Path(entry["name"])  # as this system reads it, which may know drives
        if name.anchor or ".." in name.parts or not name.parts:
            raise StudyError(
                f"The manifest names an input {entry['name']!r}, which lies outside the case. Restore the manifest "
                "from a copy."
            )
        # A number, not the role: a candidate's name need not be a possible name of a folder.
        beside = folder / str(sorted({entry["role"] for entry in entries}).index(role))
        target = beside / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        except (OSError, ValueError) as error:
            raise StudyError(f"The input {entry['name']!r} could not be copied for the replay ({error}).") from error
        roots[role] = target if entry["alone"] else beside

    def root(role: str) -> Path:
        if role not in roots:
            raise StudyError(f"The manifest names no input for {role}. Restore the manifest from a copy.")
        return roots[role]

    reading = case.reading
    if reading.metadata is not None:
        reading = replace(reading, metadata=root("metadata"))
    return replace(
        case,
        questioned={label: root(f"questioned/{label}") for label in case.questioned},
        known={name: root(f"known/{name}") for name in case.known},
        reference=root("reference"),
        word_list=None if case.word_list is None else root("word list"),
        recipe=str(root("recipe")) if is_recipe_file(case.recipe) else case.recipe,
        reading=reading,
    )


def agreeing_digits(value: float, other: float) -> int:
    """How many leading significant digits two numbers have in common, 17 for the same double."""
    if value == other:
        return _DIGITS
    for digits in range(_DIGITS, 0, -1):
        if f"{value:.{digits - 1}e}" == f"{other:.{digits - 1}e}":
            return digits
    return 0


def is_number(value: Any) -> bool:
    """Whether it is a number that a double can hold; whatever else a damaged file has is compared as it is."""
    return isinstance(value, float) or (type(value) is int and value.bit_length() < 1_000)
