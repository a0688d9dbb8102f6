"""Runs a filed case again, here or elsewhere, and says digit by digit whether it comes out the same.

Its inputs are found by their digests, wherever they lie now; what is changed is told from what is missing.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from idiograph.casework.case import Case, is_recipe_file, read_case
from idiograph.casework.case_folder import CASE, MANIFEST, RESULT, RUNS, SCHEMA, filed_manifest
from idiograph.casework.verification import Verification, as_result
from idiograph.casework.verify import verify
from idiograph.checking import checks_arguments
from idiograph.errors import InputError, StudyError, cannot_read, some
from idiograph.files import as_path, scratch_folder
from idiograph.provenance import digest, other_versions, versions
from idiograph.records import misfit, parsed_json, read_record, record_text
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
        elsewhere = {file: digest_of(file) for file in sorted(inputs.rglob("*")) if file.is_file()}
    by_digest = {sha256: file for file, sha256 in reversed(elsewhere.items())}
    wanted = {entry["sha256"] for entry in entries}
    others = [file for file, sha256 in elsewhere.items() if sha256 not in wanted]
    found: list[LocatedInput | None] = []
    children = cache(_children)
    for entry in entries:
        # A run kept under runs/NNNN/ lies two folders deeper than when it was written.
        starts = [folder, *([folder.parent.parent] if folder.parent.name == RUNS else [])]
        lying = [one for start in starts for one in _lying(start, entry["path"], children)]
        here = next((one for one in lying if digest_of(one) == entry["sha256"]), by_digest.get(entry["sha256"]))
        if here is not None:
            found.append(LocatedInput(_name(entry), here, "found"))
        else:
            found.append(LocatedInput(_name(entry), None, "changed") if lying else None)
    for whole in (True, False):
        for place, entry in enumerate(entries):
            if found[place] is None:
                changed = next((file for file in others if _is_called(file, entry["name"], whole=whole)), None)
                if changed is not None:
                    others.remove(changed)
                    found[place] = LocatedInput(_name(entry), None, "changed")
    return [one or LocatedInput(_name(entry), None, "missing") for one, entry in zip(found, entries, strict=True)]


def found_inputs(entries: Sequence[Mapping[str, Any]], folder: Path, inputs: Path | None = None) -> list[Path]:
    """Where each input lies now; an error names what is missing or changed."""
    all_ = located(entries, folder, inputs)
    wrong = [f"{one.name} ({'not found' if one.state == 'missing' else one.state})" for one in all_ if one.path is None]
    if wrong:
        raise StudyError(
            f"{len(wrong)} of {len(entries)} inputs are not what the case was run with: {some(wrong, between='; ')}. "
            "Put them back, or name a folder that holds them with --inputs; they are found by their SHA-256."
        )
    return [one.path for one in all_ if one.path is not None]


def is_there(path: Path, what: Callable[[Path], bool] = Path.is_file) -> bool:
    """Whether there is such a file; a damaged manifest may give a name that none can have."""
    try:
        return what(path)
    except (OSError, ValueError):
        return False


def digest_of(path: Path) -> str:
    """SHA-256 of a file."""
    try:
        return digest(path.read_bytes())
    except OSError as error:
        raise cannot_read(path, error) from error


def _children(place: Path) -> list[Path]:
    """What lies in a folder, in order; nothing where that may not be seen."""
    try:
        return sorted(place.iterdir())
    except OSError:
        return []


def _lying(start: Path, path: str, children: Callable[[Path], list[Path]]) -> list[Path]:
    """The files that a recorded path can mean: records have names in one form, whatever the disk has them in."""
    if is_there(start / path):
        return [start / path]
    places = [start]
    for part in PurePosixPath(path).parts:
        named = [place / part for place in places if is_there(place / part, Path.exists)]
        if part not in ("..", "/"):
            others = (one for place in places for one in children(place) if one.name != part)
            named += [one for one in others if recorded_name(one.name) == part]
        places = named
    return [one for one in places if is_there(one)]


def _name(entry: Mapping[str, Any]) -> str:
    return f"{entry['role']} {entry['name']}"


def _is_called(file: Path, name: str, *, whole: bool) -> bool:
    parts = PurePosixPath(name).parts
    return file.parts[-len(parts) :] == parts if whole else file.name == parts[-1]


# What tells one run from another, not one result from another.
_NOT_COMPARED = ("run", "idiograph")
_DIGITS = 17  # enough to tell any two doubles apart


@dataclass(frozen=True)
class Difference:
    """A value that came out differently; `digits` is how many leading digits agree, None if it is not a number."""

    where: str
    filed: Any
    now: Any
    digits: int | None


@dataclass(frozen=True)
class Replay:
    """How a replay compares with what was filed."""

    n_values: int
    n_numbers: int
    differences: tuple[Difference, ...]
    cause: str | None  # where differences come from: reading, tagging or arithmetic
    other_versions: Mapping[str, tuple[str, str]]  # package or processor -> filed, now
    damaged: tuple[str, ...]  # outputs that are no longer what the manifest says

    @property
    def agrees(self) -> bool:
        return not self.differences and not self.damaged


@checks_arguments
def replay(manifest: Path | str, *, inputs: Path | str | None = None, workers: int = 1) -> Replay:
    """Runs the case of a manifest again; inputs are looked for where they lay, or by their digests under `inputs`."""
    path = as_path(manifest, "The manifest")
    elsewhere = None if inputs is None else as_path(inputs, "The folder of the inputs")
    path = filed_manifest(path)
    filed = read_manifest(path)
    result_path = path.parent / RESULT
    damaged = tuple(_damaged(filed, path.parent))
    if RESULT in damaged or RESULT not in filed["outputs"]:
        raise StudyError(
            f"{result_path} is missing or not the one that {path} was written with, so there is nothing to compare "
            "with. Restore it from a copy."
        )
    stored = read_record(result_path, damaged=_NOT_JSON)
    case = read_case(path.parent / CASE)
    files = found_inputs(filed["inputs"], path.parent, elsewhere)
    with scratch_folder() as folder:
        again = verify(_rebuilt(case, filed["inputs"], files, folder), quick=filed["quick"], workers=workers)
    values = dict(_leaves(stored, ""))
    now = parsed_json(record_text(as_result(again)), halves=True)
    differences = tuple(_differences(values, dict(_leaves(now, ""))))
    return Replay(
        n_values=len(values),
        n_numbers=sum(map(_is_number, values.values())),
        differences=differences,
        cause=_cause(filed["texts"], again) if differences else None,
        other_versions=_other_versions(filed["versions"]),
        damaged=damaged,
    )


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
    "quick": bool,
    "inputs": [{"role": str, "name": str, "path": str, "sha256": str, "alone": bool}],
    "texts": [{"id": str, "masked_sha256": str}],
    "outputs": {str: str},
    "versions": {str: str},
}


def _cause(texts: list[dict[str, str]], again: Verification) -> str:
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


def _other_versions(filed: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    was, now = filed.get("processor"), versions()["processor"]
    return other_versions(filed) | ({"processor": (was, now)} if was is not None and was != now else {})


def _damaged(filed: Mapping[str, Any], folder: Path) -> Iterator[str]:
    for name, sha256 in filed["outputs"].items():
        path = folder / name
        if not is_there(path) or digest_of(path) != sha256:
            yield name


def _rebuilt(case: Case, entries: list[dict[str, Any]], files: list[Path], folder: Path) -> Case:
    """The case on copies of its inputs, laid out as they lay when it was run."""
    roots: dict[str, Path] = {}
    for entry, file in zip(entries, files, strict=True):
        role, name = entry["role"], PurePosixPath(entry["name"])
        if name.is_absolute() or ".." in name.parts or not name.parts:
            raise StudyError(
                f"The manifest names an input {entry['name']!r}, which lies outside the case. Restore the manifest "
                "from a copy."
            )
        # A number, not the role: a candidate's name need not be a possible name of a folder.
        place = folder / str(sorted({one["role"] for one in entries}).index(role))
        target = place / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        except (OSError, ValueError) as error:
            raise StudyError(f"The input {entry['name']!r} could not be copied for the replay ({error}).") from error
        roots[role] = target if entry["alone"] else place

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


def _leaves(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    """Every plain value of a result with its place; what tells runs apart is left out."""
    if isinstance(value, dict):
        for key, one in value.items():
            if where or key not in _NOT_COMPARED:
                yield from _leaves(one, f"{where}.{key}" if where else key)
    elif isinstance(value, list):
        yield f"{where} (length)", len(value)
        for place, one in enumerate(value):
            yield from _leaves(one, f"{where}[{place}]")
    else:
        yield where, value


def _differences(filed: dict[str, Any], now: dict[str, Any]) -> Iterator[Difference]:
    for where in (*filed, *(key for key in now if key not in filed)):
        if where not in filed or where not in now or filed[where] != now[where]:
            one: Any = filed.get(where)
            other: Any = now.get(where)
            digits = agreeing_digits(one, other) if _is_number(one) and _is_number(other) else None
            yield Difference(where, one, other, digits)


def agreeing_digits(one: float, other: float) -> int:
    """How many leading significant digits two numbers have in common, 17 for the same double."""
    if one == other:
        return _DIGITS
    for digits in range(_DIGITS, 0, -1):
        if f"{one:.{digits - 1}e}" == f"{other:.{digits - 1}e}":
            return digits
    return 0


def _is_number(value: Any) -> bool:
    """Whether it is a number that a double can hold; whatever else a damaged file has is compared as it is."""
    return isinstance(value, float) or (type(value) is int and value.bit_length() < 1_000)
