"""The results folder of a study: what it holds, what may be added to it, and how it outlives a kill at any moment.

Trials are kept by cell: one run of one condition on one corpus. The manifest names the cells with a digest of all that
decided their scores, and the digest of `trials.parquet`. New trials are written beside the old ones, then the manifest,
then the new trials take their place: whichever step was the last, the next process ends up with one or the other.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from idiograph.errors import InputError, StudyError, cannot_write
from idiograph.files import refuse_links, whole_file, write_whole
from idiograph.provenance import digest
from idiograph.records import read_record, record_text
from idiograph.showing import one_line
from idiograph.studies.trial_table import TrialTable, read_trials, to_bytes

SCHEMA = 3
TRIALS = "trials.parquet"
MANIFEST = "manifest.json"
PARTS = "parts"
_NEXT = ".trials.next"


class Cell(NamedTuple):
    """One run of one condition on one corpus."""

    corpus: str
    condition: str
    run: int


@dataclass(frozen=True)
class Addition:
    """Trials that came to a study at one time."""

    when: str
    versions: Mapping[str, str]


@one_line
@dataclass(frozen=True)
class CorpusFacts:
    """What is remembered of a corpus: enough to show its results, and to keep them, without its texts."""

    settings: Mapping[str, Any]
    inputs: tuple[Mapping[str, Any], ...]
    index: str
    masking: str
    writers: str


@one_line
@dataclass(frozen=True)
class Results:
    """What a results folder holds."""

    scored: Mapping[str, Any]  # the settings of the study that decide scores
    signature: str = ""
    cells: Mapping[Cell, str] = field(default_factory=dict)  # those in trials.parquet, with what decided them
    begun: Mapping[Cell, str] = field(default_factory=dict)  # those of which there may be parts
    added: Mapping[Cell, int] = field(default_factory=dict)  # the addition that a cell came with
    additions: tuple[Addition, ...] = ()  # the last one may be begun and not finished
    corpora: Mapping[str, CorpusFacts] = field(default_factory=dict)
    refused: Mapping[tuple[str, str], str] = field(default_factory=dict)  # (corpus, condition) -> why
    left_out: Mapping[tuple[str, str], Mapping[str, int]] = field(default_factory=dict)  # -> why -> authors
    trials: str | None = None  # digest of trials.parquet
    joined: tuple[Mapping[str, str], ...] = ()  # of each study that was joined: name, signature, digests of its files

    def as_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "kind": "study",
            "scored": dict(self.scored),
            "signature": self.signature,
            "cells": [[*cell, decided, self.added[cell]] for cell, decided in self.cells.items()],
            "begun": [[*cell, decided] for cell, decided in self.begun.items()],
            "additions": [asdict(addition) for addition in self.additions],
            "corpora": {name: asdict(facts) for name, facts in self.corpora.items()},
            "refused": [[*key, why] for key, why in self.refused.items()],
            "left_out": [[*key, dict(reasons)] for key, reasons in self.left_out.items()],
            "trials": self.trials,
            **({"joined": [dict(study) for study in self.joined]} if self.joined else {}),
        }


def open_results(out: Path) -> Results | None:
    """What an earlier run left in a folder that this process has locked; None where the folder is new or empty."""
    refuse_links(out)
    if not any(path.name != ".lock" for path in out.iterdir()):
        return None
    path = out / MANIFEST
    if not path.is_file():
        if all(entry.name.startswith(".") for entry in out.iterdir()):
            return None  # killed before the manifest was there
        raise StudyError(
            f"{out} is not empty and holds no study (there is no {MANIFEST}). Name another folder for the results."
        )
    results = read_results(path)
    waiting = out / _NEXT
    try:
        if waiting.is_file():
            if digest(waiting.read_bytes()) == results.trials:
                waiting.replace(out / TRIALS)
            else:
                waiting.unlink()
    except OSError as error:
        raise cannot_write(out / TRIALS, error) from error
    return results


def read_results(path: Path) -> Results:
    """The content of a manifest; anything else is refused."""
    content = read_record(
        path,
        kind="study",
        schema=SCHEMA,
        damaged="{path} is damaged ({why}), so the study cannot be resumed. Name another folder.",
        other="{path} is not the manifest of a study that this version reads. Name another folder.",
        error=StudyError,
    )
    try:
        return Results(
            scored=dict(content["scored"]),
            signature=str(content["signature"]),
            cells={Cell(c, d, int(run)): str(decided) for c, d, run, decided, _ in content["cells"]},
            begun={Cell(c, d, int(run)): str(decided) for c, d, run, decided in content["begun"]},
            added={Cell(c, d, int(run)): int(number) for c, d, run, _, number in content["cells"]},
            additions=tuple(Addition(str(added["when"]), dict(added["versions"])) for added in content["additions"]),
            corpora={
                name: CorpusFacts(**{**facts, "inputs": tuple(facts["inputs"])})
                for name, facts in content["corpora"].items()
            },
            refused={(c, d): str(why) for c, d, why in content["refused"]},
            left_out={(c, d): dict(reasons) for c, d, reasons in content["left_out"]},
            trials=content["trials"],
            joined=tuple({str(key): str(value) for key, value in study.items()} for study in content.get("joined", ())),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StudyError(
            f"{path} is damaged (at {error}), so the study cannot be resumed. Name another folder."
        ) from error


def kept_trials(out: Path, results: Results) -> TrialTable | None:
    """The trials of finished cells, checked against the manifest; None where there are none."""
    if results.trials is None:
        return None
    path = out / TRIALS
    if not path.is_file() or digest(path.read_bytes()) != results.trials:
        raise StudyError(
            f"{path} is damaged or gone: it is not what {MANIFEST} says. Restore it, or delete the folder and run the "
            "study again."
        )
    return read_trials(path)


def write_manifest(out: Path, results: Results) -> None:
    """Writes the manifest, whole or not at all."""
    write_whole(out / MANIFEST, record_text(results.as_json(), sort=True))


def commit(out: Path, results: Results, trials: TrialTable) -> Results:
    """Puts trials and their manifest into the folder, both or neither."""
    content = to_bytes(trials)
    results = replace(results, trials=digest(content))
    try:
        with whole_file(out / _NEXT) as part:
            part.write_bytes(content)
        write_manifest(out, results)
        (out / _NEXT).replace(out / TRIALS)
    except InputError as error:
        if isinstance(error.__cause__, OSError) and not (out / _NEXT).exists():
            raise cannot_write(out / TRIALS, error.__cause__) from error
        raise
    except OSError as error:
        raise cannot_write(out / TRIALS, error) from error
    return results
