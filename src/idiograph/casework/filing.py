"""A case on disk: `case.toml`, the latest run's outputs, every earlier run under `runs/`, and the trail `runs.jsonl`.

New outputs are written aside and moved in when they are complete; outputs that were there move to `runs/NNNN/`
first. `manifest.json` moves last, so a folder with a manifest holds a whole run.
"""

import json
import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from idiograph.casework.case_file import relative, written
from idiograph.casework.result import as_result, plain
from idiograph.casework.verification import Case, Run, Verification
from idiograph.errors import InputError, StudyError, cannot_write
from idiograph.files import write_whole
from idiograph.provenance import InputFile, digest

SCHEMA = 1
TRAIL = "runs.jsonl"
RUNS = "runs"
CASE = "case.toml"
MANIFEST = "manifest.json"
RESULT = "result.json"
# What a run writes; whatever else lies in the folder is the user's and stays where it is.
_OUTPUTS = (
    CASE,
    "report.html",
    "report.docx",
    "report.pdf",
    "tokens.csv",
    "sentences.csv",
    "figures",
    RESULT,
    MANIFEST,
)
_ASIDE = ".run-"

WriteReports = Callable[[Verification, Path], object]


def refuse_filed(folder: Path, *, force: bool, own_case_file: bool) -> None:
    """An error in words if the folder holds a run, or a case file that is not the one being run, without `force`."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, and a case is a folder. Name another place.")
    filed = [name for name in _OUTPUTS if (folder / name).exists() and not (name == CASE and own_case_file)]
    if filed and not force:
        raise InputError(
            f"{folder} already holds a run of a case ({filed[0]}) and nothing is overwritten unasked. Name another "
            "place, or pass --force: the earlier run is then kept under runs/."
        )


def earlier_runs(folder: Path) -> tuple[Run, ...]:
    """The runs that the trail knows of, also those that were never finished."""
    found: dict[int, Run] = {}
    trail = folder / TRAIL
    if not trail.is_file():
        return ()
    for place, line in enumerate(trail.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            entry = json.loads(line)
            number = entry["run"]
            if entry["event"] == "started":
                found[number] = Run(number, entry["time"], "unfinished", entry["case_digest"], entry["quick"])
            else:
                found[number] = replace(found[number], outcome=entry["event"], remark=entry["remark"])
        except (ValueError, KeyError, TypeError) as error:
            raise StudyError(
                f"{trail} is damaged at line {place}. It is the record of this case's runs; restore it from a copy, "
                "or start the case in a new folder and say so."
            ) from error
    return tuple(found[number] for number in sorted(found))


def begin_run(folder: Path, case: Case, files: Sequence[InputFile], *, quick: bool) -> int:
    """Enters a run into the trail before anything is scored, and returns its number; the digest covers all inputs."""
    number = max((run.number for run in earlier_runs(folder)), default=0) + 1
    entry = {"run": number, "event": "started", "time": now(), "quick": quick, "n_inputs": len(files)}
    _enter(folder, {**entry, "case_digest": case.digest})
    return number


def end_run(folder: Path, number: int, outcome: str, remark: str = "") -> None:
    """Enters how a run ended."""
    _enter(folder, {"run": number, "event": outcome, "time": now(), "remark": remark})


def end_run_if_possible(folder: Path, number: int, outcome: str, remark: str) -> None:
    """The same where the disk may be full or gone: the run then stays unfinished in the trail."""
    with suppress(InputError):
        end_run(folder, number, outcome, remark)


def file_case(verification: Verification, folder: Path, *, case_text: str | None, write_reports: WriteReports) -> None:
    """Writes every output of a run into the case's folder, whole or not at all.

    `case_text` is the user's own case file where it already lies there; otherwise one is written.
    """
    _remove_remains(folder)
    try:
        aside = Path(tempfile.mkdtemp(prefix=_ASIDE, suffix=".part", dir=folder))
    except OSError as error:
        raise cannot_write(folder, error) from error
    try:
        text = written(verification.case, folder=folder) if case_text is None else case_text
        write_whole(aside / CASE, text)
        write_reports(verification, aside)
        write_whole(aside / RESULT, json_text(as_result(verification)))
        write_whole(aside / MANIFEST, json_text(manifest(verification, folder, aside)))
        _move_in(aside, folder)
    except OSError as error:
        raise cannot_write(folder, error) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def manifest(verification: Verification, folder: Path, outputs: Path) -> dict[str, Any]:
    """Everything needed to make the run again and to see whether it came out the same."""
    case, provenance = verification.case, verification.provenance
    files = sorted(path for path in outputs.rglob("*") if path.is_file())
    return {
        "schema": SCHEMA,
        "kind": "idiograph case",
        "run": verification.run,
        "written": now(),
        "quick": verification.quick,
        "case_digest": case.digest,
        "signature": provenance.signature,
        "settings": plain(provenance.settings),
        "versions": dict(provenance.versions),
        "machine": {"system": platform.system(), "processor": platform.machine()},
        "inputs": [_input(case, file, folder) for file in provenance.inputs],
        "texts": [asdict(text) for text in verification.texts],
        "outputs": {path.relative_to(outputs).as_posix(): digest(path.read_bytes()) for path in files},
    }


def _input(case: Case, file: InputFile, folder: Path) -> dict[str, Any]:
    """An input with where it lies, and whether the case names it alone or with the folder it is in."""
    kind, _, name = file.role.partition("/")
    if kind == "metadata":
        root = Path(case.reading["metadata"])
    elif kind == "recipe":
        root = Path(case.recipe or "")
    else:
        root = {"questioned": case.questioned, "known": case.known}[kind][name] if name else case.reference
    alone = root.is_file()
    return {**asdict(file), "path": relative(root if alone else root / file.name, folder), "alone": alone}


def json_text(value: Any) -> str:
    """JSON with all digits, readable, and an error rather than NaN or an infinity."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _enter(folder: Path, entry: dict[str, Any]) -> None:
    trail = folder / TRAIL
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with trail.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n")
            lines.flush()
            os.fsync(lines.fileno())
    except OSError as error:
        raise cannot_write(trail, error) from error


def _move_in(aside: Path, folder: Path) -> None:
    there = [name for name in _OUTPUTS if (folder / name).exists()]
    if MANIFEST in there:
        number = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["run"]
        kept = folder / RUNS / f"{number:04}"
        kept.mkdir(parents=True)
        # The manifest leaves first: without it the folder does not pass for a whole run.
        for name in (MANIFEST, *(name for name in there if name != MANIFEST)):
            (folder / name).rename(kept / name)
    for name in _OUTPUTS:
        if (aside / name).exists():
            target = folder / name
            if target.is_dir():
                shutil.rmtree(target)
            (aside / name).replace(target)


def _remove_remains(folder: Path) -> None:
    """What a killed run left aside."""
    for path in folder.glob(f"{_ASIDE}*.part"):
        shutil.rmtree(path, ignore_errors=True)
