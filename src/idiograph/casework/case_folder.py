"""A case on disk: every run whole under `runs/NNNN`, the trail `runs.jsonl`, and at the top a copy of the latest run.

A run is filled aside and gets its number in one step, so it is there whole or not at all, and nothing ever changes it
again. Where particulars are corrected afterwards, the reports that are rendered again lie beside it, whole, under
`runs/NNNN-report-2` and so on. The copy at the top is for people; whatever a killed process left of it is completed by
the next one.

Each line of the trail carries the digest of the line before it, and the line that ends a run that of its manifest,
which has the digests of all its files. Such a chain has no key: whoever can write to the folder can write another one,
so it shows a run that was removed, moved or changed only where a signature or a printed digest fixes its end.
"""

import os
import platform
import stat
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from idiograph.casework.case import Case
from idiograph.casework.verification import Amendment, EarlierRun, Verification, plain
from idiograph.errors import IdiographError, InputError, cannot_read, machine_cause, some
from idiograph.files import (
    bytes_without_link,
    everything_below,
    is_link,
    refuse_links,
    remove_hidden,
    whole_folder,
    write_whole,
)
from idiograph.provenance import InputFile, digest, digest_or_none, now, renderers
from idiograph.records import LARGEST_RECORD, bytes_of_file, misfit, parsed_json, record_line, record_or_none
from idiograph.toml import relative

SCHEMA = 1
TRAIL = "runs.jsonl"
RUNS = "runs"
CASE = "case.toml"
MANIFEST = "manifest.json"
RESULT = "result.json"
FIGURES = "figures"
REPORT, ANNEXES = "report", "annexes"  # each in all of these forms:
FORMS = ("html", "docx", "pdf")
TOKENS, SENTENCES, FILES = "tokens.csv", "sentences.csv", "files.csv"
DOCUMENTS = "documents.json"  # report and annexes before they are printed, to be rendered again
SEAL, SIGNATURE, COVER = "seal.json", "seal.json.sig", "seal.txt"
# What a run writes; whatever else lies in the folder is the user's and stays as it is.
_REPORTS = tuple(f"{name}.{form}" for name in (REPORT, ANNEXES) for form in FORMS)
_OUTPUTS = (CASE, *_REPORTS, TOKENS, SENTENCES, FILES, FIGURES, DOCUMENTS, RESULT, MANIFEST)
KEPT = (*_OUTPUTS, TRAIL, RUNS)  # all that a case is read from and written to
_OUTCOMES = ("reported", "refused", "failed", "interrupted")
# Lines of the trail: a run has begun to read its texts, has fixed and hashed all and will score, has ended (one of the
# outcomes), and its report was rendered again with other particulars.
_BEGUN, _STARTED, _AMENDED = "begun", "started", "amended"


def run_folder(folder: Path, number: int, report: int = 1) -> Path:
    """Where a run is kept, or what was rendered of it the second time, the third, …"""
    return folder / RUNS / (f"{number:04}" if report == 1 else f"{number:04}-report-{report}")


def folders_of(run: Path) -> tuple[Path, ...]:
    """Where the paths of a run's inputs may begin: under runs/NNNN it lies two folders deeper than written."""
    return (run, run.parent.parent) if run.parent.name == RUNS else (run,)


def filed_reports(folder: Path, number: int) -> list[int]:
    """The numbers of the reports that a run has, first to last: 1 is its own, the others have other particulars."""
    start = f"{number:04}-report-"
    names = [name.removeprefix(start) for name in _names_in_runs(folder) if name.startswith(start)]
    return [1, *sorted(report for name in names if (report := _number(name, "")) is not None and report > 1)]


def latest_report(folder: Path, number: int) -> Path:
    """The folder of the latest report of a run: the run's own, or the one with the particulars corrected last."""
    return run_folder(folder, number, filed_reports(folder, number)[-1])


def settle(folder: Path) -> None:
    """Completes what a killed process had begun; the folder must be locked."""
    refuse_links(folder, KEPT)
    for path in (folder, folder / FIGURES, folder / RUNS):
        remove_hidden(path)
    _keep_unnumbered(folder)
    for run in earlier_runs(folder):
        if run.outcome == "unfinished" and (filed := _record(run_folder(folder, run.number) / MANIFEST)):
            outcome = filed.get("outcome")
            end_run(folder, run.number, outcome if outcome in _OUTCOMES else "reported")
    entries = filter(None, map(_entry_or_none, _trail_lines(folder)))
    told = {(entry["run"], entry["report"]) for entry in entries if entry["event"] == _AMENDED}
    for number in filed_runs(folder):
        for report in filed_reports(folder, number)[1:]:
            if (number, report) not in told:
                enter_amendment(folder, number, report)
    if not _is_complete(folder):
        publish(folder, latest_report(folder, filed_runs(folder)[-1]))


def filed_manifest(path: Path) -> Path:
    """The manifest itself, or the latest run's where a killed process left the copy at the top of a case unfinished.

    Readers change nothing: the copy is completed by the next run, or before the case is sealed.
    """
    folder = path.parent
    refuse_links(folder, KEPT)
    with suppress(OSError):
        if path.name == MANIFEST and not _is_complete(folder):
            return latest_report(folder, filed_runs(folder)[-1]) / MANIFEST
    return path


def _is_complete(folder: Path) -> bool:
    """Whether the copy at the top is that of the latest run; its manifest, copied last, shows it.

    A manifest that no run has was changed by hand, and is nobody's to replace.
    """
    numbers = filed_runs(folder)
    top, latest = folder / MANIFEST, latest_report(folder, numbers[-1]) / MANIFEST if numbers else None
    if latest is None or not latest.is_file():
        return True
    return top.is_file() and (digest_or_none(top) == digest_or_none(latest) or not _is_kept(folder, Path(MANIFEST)))


def _keep_unnumbered(folder: Path) -> None:
    """Files a run that lies at the top alone, as version 0.1.0 left the latest one, under its number."""
    number = (_record(folder / MANIFEST) or {}).get("run")
    if not isinstance(number, int) or run_folder(folder, number).exists():
        return
    with whole_folder(run_folder(folder, number)) as part:
        for path in _outputs_in(folder):
            write_whole(part / path.relative_to(folder), path.read_bytes())


def refuse_filed(folder: Path, *, force: bool, own_case_file: bool) -> None:
    """An error if the folder holds a run, or a case file that is not the one being run, without `force`."""
    filed = [name for name in _OUTPUTS if (folder / name).exists() and not (name == CASE and own_case_file)]
    filed += [f"{RUNS}/{number:04}" for number in filed_runs(folder)]
    if filed and not force:
        raise InputError(
            f"{folder} already holds a run of a case ({filed[0]}) and is not overwritten. Name another place, or pass "
            "--force: the earlier run is then kept under runs/."
        )


def earlier_runs(folder: Path) -> tuple[EarlierRun, ...]:
    """The runs that the trail knows of, also those that were never finished; a damaged line is one of them."""
    runs = _runs_of(_trail_lines(folder), folder)
    damaged = [run for run in runs if not run.number]
    if damaged:
        warnings.warn(
            f"{folder / TRAIL}: {damaged[0].remark}. The other lines are used; restore the file from a copy if there "
            "is one.",
            stacklevel=2,
        )
    return runs


def runs_before(folder: Path, number: int) -> tuple[tuple[EarlierRun, ...], str] | None:
    """The runs that the trail knew of when it was told that run `number` began, and the digest of that line."""
    lines = _trail_lines(folder)
    for at, line in enumerate(lines):
        entry = _entry_or_none(line)
        if entry is not None and (entry["run"], entry["event"]) == (number, _STARTED):
            runs = _runs_of(lines[:at], folder)
            return tuple(run for run in runs if run.number != number), digest(line)
    return None


def _trail_lines(folder: Path) -> list[bytes]:
    trail = folder / TRAIL
    try:
        content = bytes_without_link(trail) if os.path.lexists(trail) else b""
    except OSError as error:
        raise cannot_read(trail, error) from error
    return [line.strip() for line in content.split(b"\n") if line.strip()]


def _runs_of(lines: Sequence[bytes], folder: Path) -> tuple[EarlierRun, ...]:
    """The runs that some lines tell of, damaged lines first; values that no line has are those of the run's result."""
    runs: dict[int, EarlierRun] = {}
    damaged: list[EarlierRun] = []
    for number_of_line, line in enumerate(lines, start=1):
        entry = _entry_or_none(line)
        if entry is None:
            remark = f"line {number_of_line} of {TRAIL} is damaged; the run it tells of is not known"
            damaged.append(EarlierRun(0, "", "unknown", "", False, remark))
            continue
        number, event = entry["run"], entry["event"]
        run = runs.get(number, EarlierRun(number, "", "unfinished", "", False))
        if event in (_BEGUN, _STARTED):
            told = {"started": run.started or entry["time"], "case_digest": entry.get("case_digest", "")}
            runs[number] = replace(run, quick=entry["quick"], **told)
        elif event == _AMENDED:
            rendered = f"report rendered again on {entry['time']} ({entry['remark']})"
            runs[number] = replace(run, remark="; ".join(filter(None, (run.remark, rendered))))
        else:
            values = entry[_VALUES] if _VALUES in entry else filed_values(run_folder(folder, number))
            runs[number] = replace(run, outcome=event, remark=entry["remark"], values=tuple(values))
    return (*damaged, *(runs[number] for number in sorted(runs)))


def filed_values(run: Path) -> list[str]:
    """What a filed run reported, a line for each comparison; nothing where it reported nothing or cannot be read."""
    result = _record(run / RESULT, halves=True) or {}
    several = result.get("comparisons", [result])
    if misfit(several, [{"label": str, "candidate": str}]):
        return []
    return [f"{comparison['label']} and {comparison['candidate']}: {_value_of(comparison)}" for comparison in several]


def _value_of(comparison: Mapping[str, Any]) -> str:
    value, reported = comparison.get("value"), comparison.get("reported")
    if isinstance(value, str):
        return f"LR {value}"
    if isinstance(reported, dict) and isinstance(reported.get("log10"), float):  # as 0.2.0 wrote it
        return f"log10 LR {reported['log10']:.2f}"
    return "no LR"


def _entry_or_none(line: bytes) -> dict[str, Any] | None:
    """A line of the trail; None where it is damaged, or has not the types that it must have."""
    try:
        entry = parsed_json(line.decode("utf-8-sig", "surrogatepass"), halves=True)  # a remark may name a file
        event = entry["event"]
        texts = [event, entry["time"], *entry.get(_VALUES, ())]
        texts += [] if event == _BEGUN else [entry["case_digest" if event == _STARTED else "remark"]]
        texts += [entry[name] for name in (_BEFORE, _FILED) if name in entry]
        numbers = [entry["run"], *([entry["report"]] if event == _AMENDED else [])]
    except (ValueError, KeyError, TypeError):
        return None
    is_typed = all(isinstance(text, str) for text in texts) and all(type(number) is int for number in numbers)
    is_known = is_typed and event in (_BEGUN, _STARTED, _AMENDED, *_OUTCOMES)
    return {"quick": False, **entry} if is_known and isinstance(entry.get("quick", False), bool) else None


# In a line of the trail: digests of the line before it and of what was filed, and what was reported.
_BEFORE, _FILED, _VALUES = "before", "manifest", "values"


def _chained(lines: Sequence[bytes]) -> str:
    """What a line written after these carries: the digest of the last, or of all where they are not chained yet."""
    last = _entry_or_none(lines[-1]) if lines else None
    return digest(lines[-1] if last is not None and _BEFORE in last else b"\n".join(lines))


@dataclass(frozen=True)
class TrailState:
    """How the trail of a case, and the runs that it tells of, hang together."""

    n_runs: int
    problems: tuple[str, ...]  # what was removed, moved or changed, a sentence each
    not_chained: str  # "not chained before run 3", for a trail begun by an earlier version; else nothing


def trail_state(folder: Path) -> TrailState:
    """Whether the trail is whole and the runs are as it says: every run in order, each line after the one before it."""
    refuse_links(folder, (TRAIL, RUNS))
    lines = _trail_lines(folder)
    entries = [_entry_or_none(line) for line in lines]
    problems = [run.remark for run in _runs_of(lines, folder) if not run.number]
    started = [entry["run"] for entry in entries if entry is not None and entry["event"] == _STARTED]
    kept = filed_runs(folder)
    top = (_record(folder / MANIFEST) or {}).get("run")
    if not lines and (kept or top is not None):
        problems.append(f"{TRAIL} is missing or empty, and there are runs")
    first = next((at for at, entry in enumerate(entries) if entry is not None and _BEFORE in entry), None)
    for at, entry in enumerate(entries):
        if entry is None or first is None or at < first:
            continue
        if entry.get(_BEFORE) != _chained(lines[:at]):
            problems.append(
                f"line {at + 1} of {TRAIL} (run {entry['run']}, {entry['event']}) was not written after the line "
                "that stands before it: one was removed, moved or changed there"
            )
    known = {entry["run"] for entry in entries if entry is not None}
    problems += [
        f"run {number} is missing from {TRAIL}"
        for number in range(1, min(max((*known, *kept), default=0), _MOST_RUNS) + 1)
        if number not in known
    ]
    if started != sorted(set(started)):
        problems.append(f"the runs of {TRAIL} are not in the order of their numbers")
    for entry in entries:
        if entry is None or entry["event"] not in ("reported", "refused"):
            continue
        number = entry["run"]
        if number not in kept:
            # Version 0.1.0 left the latest run at the top alone.
            if number != top or kept:
                problems.append(f"run {number} was {entry['event']}, and {RUNS}/{number:04} is gone")
        elif entry.get(_FILED, manifest := _manifest_digest(folder, number)) != manifest:
            problems.append(f"{RUNS}/{number:04}/{MANIFEST} is not the one that run {number} was filed with")
        elif _FILED in entry and (otherwise := _told_otherwise(entry, run_folder(folder, number))):
            problems.append(f"{TRAIL} says of run {number} what its files do not ({some(otherwise)})")
    ended = {entry["run"] for entry in entries if entry is not None and entry["event"] in _OUTCOMES}
    problems += [
        f"run {number} was filed, and {TRAIL} does not say how it ended: the line was removed, or the process killed "
        "before it was written; the next run or seal completes it"
        for number in sorted({*kept} & known - ended)
    ]
    told = {
        (entry["run"], entry["report"]): entry.get(_FILED)
        for entry in entries
        if entry is not None and entry["event"] == _AMENDED
    }
    reports = {(number, report) for number in kept for report in filed_reports(folder, number)}
    for number, report in sorted(told):
        name = run_folder(folder, number, report).name
        if (number, report) not in reports:
            problems.append(f"run {number} has a report {report}, and {RUNS}/{name} is gone")
        elif told[number, report] != _manifest_digest(folder, number, report):
            problems.append(f"{RUNS}/{name}/{MANIFEST} is not the one that the report was filed with")
    for number, report in sorted(reports):
        run = run_folder(folder, number, report)
        if report > 1 and (number, report) not in told:
            problems.append(f"{RUNS}/{run.name} is missing from {TRAIL}")
        problems += [f"{RUNS}/{run.name}/{problem}" for problem in run_problems(run)]
    return TrailState(len(known), tuple(problems), _not_chained(entries, first))


def _told_otherwise(entry: Mapping[str, Any], run: Path) -> list[str]:
    """What the line that ends a run says besides what was filed, or otherwise, by its keys."""
    follows = {name: entry[name] for name in ("run", "time", _FILED, _BEFORE) if name in entry}
    manifest = _record(run / MANIFEST) or {}
    follows |= {"event": manifest.get("outcome"), "remark": "", "quick": False}
    # Of a result that was changed it is said elsewhere that it was.
    outputs = manifest.get("outputs")
    changed = not isinstance(outputs, dict) or outputs.get(RESULT) != digest_or_none(run / RESULT)
    follows[_VALUES] = entry.get(_VALUES) if changed else filed_values(run)
    return sorted(name for name in {*entry, *follows} if entry.get(name) != follows.get(name))


_MOST_RUNS = 10_000  # a forged number must not make a list without end


def _not_chained(entries: Sequence[Mapping[str, Any] | None], first: int | None) -> str:
    if not entries or first == 0:
        return ""
    if first is None:
        return "not chained, as an earlier version wrote it"
    return f"not chained before run {(entries[first] or {})['run']}, as an earlier version wrote it"


LARGEST_OUTPUT = 2_000_000_000  # bytes of a file that is looked through; no run writes one like that


def run_problems(run: Path) -> Iterator[str]:
    """What in a filed run is not as its manifest says: files changed, missing or added, after their path."""
    outputs = (_record(run / MANIFEST) or {}).get("outputs")
    if not isinstance(outputs, dict):
        yield f"{MANIFEST} is missing or damaged"
        return
    below = {path.relative_to(run).as_posix(): status for path, status in everything_below(run)}
    there = {name: status.st_size for name, status in below.items() if stat.S_ISREG(status.st_mode)}
    for name, sha256 in outputs.items():
        if name not in there:
            yield f"{name} is missing"
        elif there[name] > LARGEST_OUTPUT:
            yield f"{name} has more than {LARGEST_OUTPUT:,} bytes, which no run writes"
        elif digest_or_none(run / name) != sha256:
            yield f"{name} is not as its run wrote it"
    folders = {str(path) for name in outputs for path in PurePosixPath(name).parents}
    for name in sorted(below.keys() - {*outputs, MANIFEST, *folders}):
        yield f"{name} was added"


def begin_run(folder: Path, *, quick: bool) -> int:
    """Enters a run into the trail before any text is read, and returns its number."""
    known = (run.number for run in earlier_runs(folder))
    number = max((*known, *filed_runs(folder)), default=0) + 1
    _enter(folder, number, _BEGUN, quick=quick)
    return number


def start_run(folder: Path, number: int, case_digest: str, files: Sequence[InputFile], *, quick: bool) -> None:
    """Enters what a run is of, before anything is scored: the digest covers all that the case fixes and all inputs."""
    _enter(folder, number, _STARTED, quick=quick, n_inputs=len(files), case_digest=case_digest)


def end_run(folder: Path, number: int, outcome: str, remark: str = "") -> None:
    """Enters what became of a run, with what it reported and the digest of what was filed."""
    filed = _manifest_digest(folder, number)
    more: dict[str, Any] = {} if filed is None else {_VALUES: filed_values(run_folder(folder, number)), _FILED: filed}
    _enter(folder, number, outcome, remark=remark, **more)


def enter_amendment(folder: Path, number: int, report: int) -> None:
    """Enters that the report of a run was rendered again, with what was changed and the digest of what was filed."""
    run = run_folder(folder, number, report)
    amendments = amendments_in(_record(run / MANIFEST) or {})
    time = amendments[-1].time if amendments else None
    remark = f"changed: {', '.join(amendments[-1].changed)}" if amendments else ""
    filed = {_FILED: _manifest_digest(folder, number, report) or ""}
    _enter(folder, number, _AMENDED, time=time, report=report, remark=remark, **filed)


def amendments_in(manifest: Mapping[str, Any]) -> tuple[Amendment, ...]:
    """How often, when and in what the particulars of a run were changed after it, as a manifest says."""
    listed = manifest.get(AMENDED, [])
    if misfit(listed, [{"time": str, "changed": [str]}]):
        return ()
    return tuple(Amendment(amendment["time"], tuple(amendment["changed"])) for amendment in listed)


AMENDED = "amended"  # in a manifest: every time that the reports were rendered again


def end_run_after(folder: Path, number: int, error: BaseException) -> None:
    """Enters that a run ended with an error, where that is still possible."""
    stopped = isinstance(error, KeyboardInterrupt)  # which "interrupted" says
    cause = str(error) if isinstance(error, IdiographError) else machine_cause(error) or type(error).__name__
    remark = "" if stopped else cause
    with suppress(OSError):
        (folder / RUNS).rmdir()  # where it was the first run
    with suppress(IdiographError, OSError):
        end_run(folder, number, "interrupted" if stopped else "failed", remark)


def publish(folder: Path, run: Path) -> None:
    """Copies a run to the top of its case, the manifest last; a file that the user has changed is kept beside it."""
    paths = sorted(_outputs_in(run), key=lambda path: path.name == MANIFEST)
    names = {path.relative_to(run) for path in paths}
    for path in _outputs_in(folder):
        name = path.relative_to(folder)
        if name not in names and _is_kept(folder, name):
            path.unlink()
    for path in paths:
        name = path.relative_to(run)
        content, target = path.read_bytes(), folder / name
        if target.exists():
            if target.read_bytes() == content:
                continue
            if not _is_kept(folder, name):
                _set_aside(target)
        write_whole(target, content)


def content_digest(case_text: bytes, result: bytes, inputs: Iterable[Mapping[str, Any]]) -> str:
    """The digest that a report prints: of all inputs, the case file and the results, and not of the reports.

    It is the SHA-256 of a list such as `sha256sum` makes: a line for each input by its role and name, then two more.
    """
    lines = sorted(f"{file['sha256']}  {file['role']}/{file['name']}\n" for file in inputs)
    return digest("".join([*lines, f"{digest(case_text)}  {CASE}\n", f"{digest(result)}  {RESULT}\n"]))


def manifest(verification: Verification, folder: Path, outputs: Path) -> dict[str, Any]:
    """Everything needed to make the run again and to see whether it came out the same."""
    case, provenance = verification.case, verification.provenance
    return {
        "schema": SCHEMA,
        "kind": "idiograph case",
        "run": verification.run,
        "outcome": "refused" if verification.refused else "reported",
        "written": now(),
        "quick": verification.quick,
        "case_digest": verification.case_digest,
        "signature": provenance.signature,
        "settings": plain(provenance.settings),
        "versions": dict(provenance.versions),
        "machine": {"system": platform.system(), "processor": platform.machine()},
        "renderers": renderers(),
        **({AMENDED: [asdict(amendment) for amendment in verification.amendments]} if verification.amendments else {}),
        "trail": {"line": verification.trail, "problems": list(verification.trail_problems)},
        "inputs": [_input(case, file, folder) for file in provenance.inputs],
        "texts": [asdict(text) for text in verification.texts],
        "outputs": output_digests(outputs),
    }


def output_digests(run: Path) -> dict[str, str]:
    """The digest of every file that a run wrote, by its path."""
    return {path.relative_to(run).as_posix(): digest(path.read_bytes()) for path in _outputs_in(run)}


def _input(case: Case, file: InputFile, folder: Path) -> dict[str, Any]:
    """An input with where it lies, and whether the case names it alone or with the folder it is in."""
    kind, _, name = file.role.partition("/")
    if kind == "metadata":
        root = Path(case.reading.metadata or "")
    elif kind == "word list":
        root = Path(case.word_list or "")
    elif kind == "recipe":
        root = Path(case.recipe or "")
    else:
        side = {"questioned": case.questioned, "known": case.known}[kind][name] if name else case.reference
        assert isinstance(side, Path)  # texts in memory are written to files first
        root = side
    alone = root.is_file()
    return {**asdict(file), "path": relative(root if alone else root / file.name, folder), "alone": alone}


def _enter(folder: Path, number: int, event: str, *, time: str | None = None, **more: object) -> None:
    """Adds a line to the trail; the whole file is written again, so that no line is ever half there."""
    trail = folder / TRAIL
    before = trail.read_bytes() if trail.exists() else b""
    if before and not before.endswith(b"\n"):
        before += b"\n"
    chained = _chained(_trail_lines(folder))
    entry = {"run": number, "event": event, "time": now() if time is None else time, **more, _BEFORE: chained}
    write_whole(trail, before + record_line(entry).encode("utf-8", "backslashreplace") + b"\n")


def filed_runs(folder: Path) -> list[int]:
    """The numbers of the runs that are kept, first to last; links are left out."""
    return sorted(number for name in _names_in_runs(folder) if (number := _number(name, "04")) is not None)


def _number(name: str, form: str) -> int | None:
    """The number that a name is, as we write it: 00001 would be another name for run 1, and is none of ours."""
    number = int(name) if name.isascii() and name.isdecimal() else None
    return number if number is not None and name == format(number, form) else None


def _names_in_runs(folder: Path) -> list[str]:
    runs = folder / RUNS
    there = runs.iterdir() if runs.is_dir() and not is_link(runs) else ()
    return [path.name for path in there if not is_link(path)]


def _record(path: Path, *, halves: bool = False) -> dict[str, Any] | None:
    """A manifest or result of a run, None where there is none that can be read."""
    try:
        return record_or_none(bytes_of_file(path, most=LARGEST_RECORD), halves=halves)
    except OSError:
        return None


def _manifest_digest(folder: Path, number: int, report: int = 1) -> str | None:
    return digest_or_none(run_folder(folder, number, report) / MANIFEST, most=LARGEST_RECORD)


def _outputs_in(folder: Path) -> list[Path]:
    """The files of a run in a folder."""
    named = (folder / name for name in _OUTPUTS)
    return [file for path in named for file in (sorted(path.rglob("*")) if path.is_dir() else [path]) if file.is_file()]


def _is_kept(folder: Path, name: Path) -> bool:
    """Whether the file of this name at the top is a copy of one that a run has."""
    sha256 = digest_or_none(folder / name)
    copies = (
        run_folder(folder, number, report) / name
        for number in reversed(filed_runs(folder))
        for report in reversed(filed_reports(folder, number))
    )
    return sha256 is not None and any(digest_or_none(copy) == sha256 for copy in copies)


def _set_aside(path: Path) -> None:
    """Renames a file that the user has changed since it was written."""
    number = 1
    while (aside := path.with_name(f"{path.stem}.changed{number}{path.suffix}")).exists():
        number += 1
    path.rename(aside)
    warnings.warn(f"{path} had been changed since it was written, so it was kept as {aside.name}.", stacklevel=2)
