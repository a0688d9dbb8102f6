"""Where the inputs of a filed case lie now: found by their digests, and what is changed told from what is missing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from idiograph.casework.case_folder import RUNS
from idiograph.errors import InputError, StudyError, cannot_read, some
from idiograph.provenance import digest
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
