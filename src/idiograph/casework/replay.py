"""Runs a filed case again, here or elsewhere, and says digit by digit whether it comes out the same."""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from idiograph.casework.case import Case, read_case
from idiograph.casework.case_folder import CASE, MANIFEST, RESULT, RUNS, SCHEMA
from idiograph.casework.result import as_result
from idiograph.casework.verify import verify
from idiograph.errors import InputError, StudyError
from idiograph.files import scratch_folder
from idiograph.provenance import digest, versions

# What tells one run from another, not one result from another.
_NOT_COMPARED = ("run", "idiograph")
_DIGITS = 17  # enough to tell any two doubles apart


@dataclass(frozen=True)
class Difference:
    """A value that came out otherwise; `digits` is how many leading digits agree, None where it is no number."""

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
    other_versions: Mapping[str, tuple[str, str]]  # package -> filed, now
    damaged: tuple[str, ...]  # outputs that are no longer what the manifest says

    @property
    def agrees(self) -> bool:
        return not self.differences and not self.damaged


def replay(manifest: Path | str, *, inputs: Path | str | None = None, workers: int = 1) -> Replay:
    """Runs the case of a manifest again; inputs are looked for where they lay, or by their digests under `inputs`."""
    path = Path(manifest)
    filed = _read(path)
    result_path = path.parent / RESULT
    damaged = tuple(_damaged(filed, path.parent))
    if RESULT in damaged or not result_path.is_file():
        raise StudyError(
            f"{result_path} is missing or not the one that {path} was written with, so there is nothing to compare "
            "with. Restore it from a copy."
        )
    stored = json.loads(result_path.read_text(encoding="utf-8"))
    case = read_case(path.parent / CASE)
    files = _find(filed["inputs"], path.parent, Path(inputs) if inputs is not None else None)
    with scratch_folder() as folder:
        again = verify(_rebuilt(case, filed["inputs"], files, folder), quick=filed["quick"], workers=workers)
    now = json.loads(json.dumps(as_result(again), allow_nan=False))
    values = dict(_leaves(stored, ""))
    used = versions()
    return Replay(
        n_values=len(values),
        n_numbers=sum(map(_is_number, values.values())),
        differences=tuple(_differences(values, dict(_leaves(now, "")))),
        other_versions={
            name: (was, used.get(name, "absent")) for name, was in filed["versions"].items() if used.get(name) != was
        },
        damaged=damaged,
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} could not be read ({error.strerror or error}). Check its name and rights.") from error
    except ValueError as error:
        raise InputError(f"{path} is no manifest: it is not JSON ({error}). Name a case's {MANIFEST}.") from error
    if not isinstance(content, dict) or content.get("kind") != "idiograph case":
        raise InputError(f"{path} is not the manifest of a case. Name the {MANIFEST} that `idiograph verify` wrote.")
    if content.get("schema") != SCHEMA:
        raise InputError(
            f"{path} has the schema {content.get('schema')!r} and this version of Idiograph reads {SCHEMA}. "
            "Use the version that wrote it."
        )
    return content


def _damaged(filed: Mapping[str, Any], folder: Path) -> Iterator[str]:
    for name, sha256 in filed["outputs"].items():
        path = folder / name
        if not path.is_file() or digest(path.read_bytes()) != sha256:
            yield name


def _find(entries: list[dict[str, Any]], folder: Path, inputs: Path | None) -> list[Path]:
    """Where each input lies now, told by its digest; an error names what is missing or changed."""
    by_digest: dict[str, Path] = {}
    if inputs is not None:
        if not inputs.is_dir():
            raise InputError(f"{inputs} is not a folder. Name the folder that holds the case's texts.")
        for file in sorted(inputs.rglob("*")):
            if file.is_file():
                by_digest.setdefault(digest(file.read_bytes()), file)
    found, missing = [], []
    for entry in entries:
        # A run kept under runs/NNNN/ lies two folders deeper than when it was written.
        tried = [folder / entry["path"], folder.parent.parent / entry["path"] if folder.parent.name == RUNS else None]
        here = next(
            (one for one in tried if one and one.is_file() and digest(one.read_bytes()) == entry["sha256"]), None
        )
        here = here or by_digest.get(entry["sha256"])
        if here is None:
            changed = any(one is not None and one.is_file() for one in tried)
            missing.append(f"{entry['role']} {entry['name']} ({'changed since' if changed else 'not found'})")
        else:
            found.append(here)
    if missing:
        some = "; ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
        raise StudyError(
            f"{len(missing)} of {len(entries)} inputs are not what the case was run with: {some}. Put them back, or "
            "name a folder that holds them with --inputs; they are found by their SHA-256."
        )
    return found


def _rebuilt(case: Case, entries: list[dict[str, Any]], files: list[Path], folder: Path) -> Case:
    """The case on copies of its inputs, laid out as they lay when it was run."""
    roots: dict[str, Path] = {}
    for entry, file in zip(entries, files, strict=True):
        role, name = entry["role"], PurePosixPath(entry["name"])
        if name.is_absolute() or ".." in name.parts:
            raise StudyError(f"The manifest names an input {entry['name']}, which lies outside the case. Restore it.")
        # A number, not the role: a candidate's name need not be a possible name of a folder.
        place = folder / str(sorted({one["role"] for one in entries}).index(role))
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
        roots[role] = target if entry["alone"] else place
    reading = case.reading
    if reading.metadata is not None:
        reading = replace(reading, metadata=roots["metadata"])
    return replace(
        case,
        questioned={label: roots[f"questioned/{label}"] for label in case.questioned},
        known={name: roots[f"known/{name}"] for name in case.known},
        reference=roots["reference"],
        recipe=str(roots["recipe"]) if "recipe" in roots else case.recipe,
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
    return isinstance(value, int | float) and not isinstance(value, bool)
