"""Where the inputs of a filed case lie now: found by their digests, and what is changed told from what is missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from idiograph.casework.case_folder import RUNS
from idiograph.errors import InputError, StudyError, cannot_read, some
from idiograph.provenance import digest


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
    for entry in entries:
        # A run kept under runs/NNNN/ lies two folders deeper than when it was written.
        tried = [folder / entry["path"]]
        tried += [folder.parent.parent / entry["path"]] if folder.parent.name == RUNS else []
        lying = [one for one in tried if is_there(one)]
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


def is_there(path: Path) -> bool:
    """Whether there is such a file; a damaged manifest may give a name that none can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def digest_of(path: Path) -> str:
    """SHA-256 of a file."""
    try:
        return digest(path.read_bytes())
    except OSError as error:
        raise cannot_read(path, error) from error


def _name(entry: Mapping[str, Any]) -> str:
    return f"{entry['role']} {entry['name']}"


def _is_called(file: Path, name: str, *, whole: bool) -> bool:
    parts = PurePosixPath(name).parts
    return file.parts[-len(parts) :] == parts if whole else file.name == parts[-1]
