"""Runs a filed case again, here or elsewhere, and says exactly what that shows and what it does not.

Everything that the run vouches for is made anew from its inputs, masked again without the cache, and compared: every
value of the result and of the manifest, every report, figure and table by its bytes, the trail and the runs it tells
of.
"""

import io
import re
import stat
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from idiograph.casework import case_folder
from idiograph.casework.case import by_rules_of, read_case
from idiograph.casework.case_folder import CASE, FIGURES, MANIFEST, RESULT, RUNS, TrailState
from idiograph.casework.replay import (
    Difference,
    cause,
    differences,
    filed_rules,
    found_inputs,
    is_number,
    leaves,
    numbers_that_differ,
    read_manifest,
    rebuilt,
)
from idiograph.casework.verification import Verification, as_result
from idiograph.casework.verify import verify
from idiograph.checking import checks_arguments
from idiograph.errors import InputError, StudyError, counted, some
from idiograph.files import as_path, everything_below, scratch_folder
from idiograph.output.filing import write_reports
from idiograph.provenance import VERSION, digest_or_none, other_versions, renderers, versions
from idiograph.records import bytes_of_file, parsed_json, read_record, record_text
from idiograph.showing import one_line
from idiograph.texts.reading.documents import PageReader


@one_line
@dataclass(frozen=True)
class Replay:
    """How a replay compares with what was filed."""

    n_values: int  # of result.json that were compared
    n_numbers: int
    differences: tuple[Difference, ...]
    cause: str | None  # where differences of the result come from: reading, tagging or arithmetic
    other_versions: Mapping[str, tuple[str, str]]  # package or processor -> filed, now
    damaged: tuple[str, ...]  # outputs that are no longer what the manifest says
    problems: tuple[str, ...]  # files that do not come out the same, are missing or were added, and the trail
    n_files: int  # reports, figures and tables that were made again and are the same
    digest: str  # of inputs, case file and results, as the report prints it
    shown: tuple[str, ...]  # what the replay shows, where it agrees
    not_shown: tuple[str, ...]  # what it does not

    @property
    def agrees(self) -> bool:
        return not (self.differences or self.damaged or self.problems)

    @property
    def sentence(self) -> str:
        """What was shown and what was not."""
        if not self.agrees:
            n = len(self.differences) + len(self.damaged) + len(self.problems)
            return (
                f"The replay does not agree: {counted(n, 'thing')} did not come out as filed, as said above "
                f"({self.n_values:,} values of {RESULT} compared)."
            )
        return (
            f"The replay agrees to the last digit. It shows: {'; '.join(self.shown)}. It does not show: "
            f"{'; '.join(self.not_shown)}."
        )


@checks_arguments
def replay(manifest: Path | str, *, inputs: Path | str | None = None, workers: int | None = None) -> Replay:
    """Runs the case of a `manifest` again; inputs are looked for where they lay, or by their digests under `inputs`.

    `workers` processes are used (default: one per processor).
    """
    path = as_path(manifest, "The manifest")
    elsewhere = None if inputs is None else as_path(inputs, "The folder of the inputs")
    path = case_folder.filed_manifest(path)
    filed = read_manifest(path)
    run = path.parent
    damaged = tuple(name for name, sha256 in filed["outputs"].items() if digest_or_none(run / name) != sha256)
    if RESULT in damaged or RESULT not in filed["outputs"]:
        raise StudyError(
            f"{run / RESULT} is missing or not the one that {path} was written with, so there is nothing to compare "
            "with. Restore it from a copy."
        )
    stored = read_record(run / RESULT, damaged="{path} is not valid JSON ({why}). Restore the file from a copy.")
    case = by_rules_of(filed["settings"], read_case(run / CASE))
    files = found_inputs(filed["inputs"], run, elsewhere)
    content = case_folder.content_digest((run / CASE).read_bytes(), (run / RESULT).read_bytes(), filed["inputs"])
    folder = run.parent.parent if run.parent.name == RUNS else run
    trail = case_folder.trail_state(folder)
    # Versions that name no renderers name no rules either: one that does only claims to be of then.
    rules, by = filed_rules(stored), filed["versions"].get("idiograph")
    older = by not in (VERSION, *_WITHOUT_RENDERERS) if "renderers" in filed else rules == 1
    with scratch_folder() as scratch:
        (scratch / "inputs").mkdir()
        again = verify(
            rebuilt(case, filed["inputs"], files, scratch / "inputs"),
            quick=filed["quick"],
            workers=workers,
            cache=False,
            rules=rules,
        )
        again = _as_filed(again, filed, folder)
        result = parsed_json(record_text(as_result(again)), halves=True)
        compare = numbers_that_differ if older else differences
        differing = list(compare(stored, result))
        why = cause(filed["texts"], again) if differing else None
        rendered: dict[str, bytes] = {}
        if not older:
            write_reports(replace(again, content_digest=content), scratch / "run")
            rendered = {
                path.relative_to(scratch / "run").as_posix(): path.read_bytes()
                for path, status in everything_below(scratch / "run")
                if stat.S_ISREG(status.st_mode)
            }
        entries = _manifest(again, filed, scratch, rendered)
        differing += (
            replace(difference, where=f"{MANIFEST}: {difference.where}")
            for difference in compare(
                {name: value for name, value in filed.items() if not (older and name == "outputs")}, entries
            )
        )
    same, problems, drawn = _compared_files(run, filed, rendered)
    then, now = filed["versions"].get("processor"), versions()["processor"]
    other_processor = {"processor": (then, now)} if then is not None and then != now else {}
    problems += [*_copies(folder, run, filed), *trail.problems]
    compared = [value for _, value in leaves(stored) if not older or isinstance(value, int | float)]
    return Replay(
        n_values=len(compared),
        n_numbers=sum(map(is_number, compared)),
        differences=tuple(differing),
        cause=why,
        other_versions=other_versions(filed["versions"]) | other_processor,
        damaged=damaged,
        problems=tuple(problems),
        n_files=len(same),
        digest=content,
        shown=tuple(_shown(filed, compared, same, trail, older=older)),
        not_shown=tuple(_not_shown(folder, run, filed, drawn, older=older)),
    )


_WITHOUT_RENDERERS = ("0.1.0", "0.2.0", "0.3.0")


def _as_filed(again: Verification, filed: Mapping[str, Any], folder: Path) -> Verification:
    """The verification as the run that was filed: its number, its place in the trail and the versions it names."""
    earlier, line = case_folder.runs_before(folder, filed["run"]) or ((), "")
    trail = filed.get("trail")
    problems = trail.get("problems") if isinstance(trail, dict) else None
    known = [str(problem) for problem in problems] if isinstance(problems, list) else []
    return replace(
        again,
        run=filed["run"],
        earlier=earlier,
        trail=line,
        trail_problems=tuple(known),  # as found then: what is wrong now is said besides
        amendments=case_folder.amendments_in(filed),
        provenance=replace(again.provenance, versions=filed["versions"]),
    )


def _manifest(
    again: Verification, filed: Mapping[str, Any], folder: Path, files: Mapping[str, bytes]
) -> dict[str, Any]:
    """The manifest made again, with the filed one's word for what nothing here can tell: when, where and by what."""
    entries = case_folder.manifest(again, folder, folder / "run")
    entries |= {name: _own_word(filed[name], entries[name]) for name in _OWN_WORD if name in filed}
    places = {(entry["role"], entry["name"]): entry["path"] for entry in filed["inputs"]}
    for entry in entries["inputs"]:
        entry["path"] = places.get((entry["role"], entry["name"]), entry["path"])
    # Files are compared one by one: here it matters only that they are the same ones.
    names = {*files, CASE, RESULT}
    there = {name: sha256 for name, sha256 in filed["outputs"].items() if name in names}
    entries["outputs"] = there | dict.fromkeys(sorted(names - set(there)), "made again")
    return dict(parsed_json(record_text(entries), halves=True))


_OWN_WORD = ("written", "machine", "renderers")


def _own_word(filed: Any, now: Any) -> Any:
    """What a filed manifest says that is its own word, as far as it is what a manifest says there."""
    if isinstance(filed, dict) and isinstance(now, dict):
        return {name: _own_word(value, now[name]) for name, value in filed.items() if name in now}
    return filed if type(filed) is type(now) else now


def _compared_files(
    run: Path, filed: Mapping[str, Any], files: Mapping[str, bytes]
) -> tuple[list[str], list[str], list[str]]:
    """Names of the files that are the same, what is wrong with others, and which only have their pictures drawn anew.

    Packages that draw may differ between machines, and so may the bytes of a picture; the words may not.
    """
    same: list[str] = []
    problems: list[str] = []
    drawn: list[str] = []
    elsewhere = filed.get("renderers") != renderers() or filed["versions"].get("processor") != versions()["processor"]
    with closing(PageReader()) as reader:
        for name, content in files.items():
            try:
                lying = bytes_of_file(run / name, most=case_folder.LARGEST_OUTPUT)
            except OSError:
                continue  # which is named as damaged, or as none of the manifest's
            if lying == content:
                same.append(name)
            elif elsewhere and _words(name, lying, reader) == _words(name, content, reader) is not None:
                drawn.append(name)
            else:
                problems.append(f"{name} is not what the run gives when it is made again")
    return same, problems, drawn


def _words(name: str, content: bytes, reader: PageReader) -> Any:
    """What a file says without its pictures; None where that cannot be told."""
    ending = Path(name).suffix
    if ending == ".html":
        return re.sub(rb'src="data:image/svg\+xml;base64,[A-Za-z0-9+/=]*"', b"", content)
    if ending == ".docx":
        return {part: held for part, held in _parts(content).items() if not part.startswith("word/media/")} or None
    if ending == ".pdf":
        try:
            return reader.pages(content)
        except InputError:
            return None
    return "a picture" if ending in (".svg", ".png") else None  # its numbers are in the CSV file beside it


def _parts(content: bytes) -> dict[str, bytes]:
    """The parts of a DOCX file; none where it is not one, has a part twice, or holds anything else."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            alone = len(set(names)) == len(names) and _holds_parts_alone(archive, content)
            return {name: archive.read(name) for name in names} if alone else {}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, struct.error):
        return {}


def _holds_parts_alone(archive: zipfile.ZipFile, content: bytes) -> bool:
    """Whether a zip is its parts, their list and its end, with no byte before, between or after them."""
    end = 0
    for part in sorted(archive.infolist(), key=lambda part: part.header_offset):
        signature, name, extra = struct.unpack_from("<4s22xHH", content, end)
        if part.header_offset != end or signature != b"PK\3\4" or extra or part.extra or part.comment:
            return False
        end += 30 + name + part.compress_size
    listed = sum(46 + len(part.orig_filename.encode()) for part in archive.infolist())
    return end == archive.start_dir and end + listed + 22 == len(content)


def _copies(folder: Path, run: Path, filed: Mapping[str, Any]) -> Iterator[str]:
    """What at the top of a case is not the copy of its run, and what was added to the figures there."""
    if run != folder:
        return
    kept = case_folder.run_folder(folder, filed["run"], len(case_folder.amendments_in(filed)) + 1)
    for name in (MANIFEST, *filed["outputs"]) if kept.is_dir() else ():
        if digest_or_none(kept / name) != digest_or_none(folder / name):
            yield f"{name} at the top is not that of {RUNS}/{kept.name}"
    for path, status in everything_below(folder / FIGURES):
        name = path.relative_to(folder).as_posix()
        if stat.S_ISREG(status.st_mode) and name not in filed["outputs"]:
            yield f"{name} was added"


def _shown(
    filed: Mapping[str, Any], compared: list[Any], same: list[str], trail: TrailState, *, older: bool
) -> Iterator[str]:
    n = sum(map(is_number, compared))
    yield f"{counted(len(filed['inputs']), 'input')} are those of the manifest, by their SHA-256"
    masked = "" if all(text.get("content_sha256") is None for text in filed["texts"]) else ", masked again,"
    if older:
        yield (
            f"all {n:,} numbers of {RESULT}, each by its own path, follow from them{masked} by the settings of {CASE}"
        )
    else:
        yield (
            f"all {len(compared):,} values of {RESULT}, {n:,} of them numbers, follow from them{masked} by the "
            f"settings of {CASE}"
        )
        yield f"{counted(len(same), 'file')} (reports, figures, tables) came out the same, byte by byte"
        yield f"{MANIFEST} has no field that does not follow, but for those named next"
    chained = f" ({trail.not_chained})" if trail.not_chained else ""
    yield f"the trail tells of {counted(trail.n_runs, 'run')} in order{chained}, and what was filed is as it says"


def _not_shown(folder: Path, run: Path, filed: Mapping[str, Any], drawn: list[str], *, older: bool) -> Iterator[str]:
    if older:
        then = "; replay it with that version to compare them, too" if "renderers" in filed else ""
        yield (
            f"sentences, reports and fields added since: the case was filed by Idiograph "
            f"{filed['versions'].get('idiograph', 'of an unknown version')} and this is {VERSION}{then}"
        )
    if drawn:
        yield (
            f"pictures, which are drawn by other packages or another processor here ({some(drawn, 3)}); the words "
            "around them agree"
        )
    amended = ", and when its particulars were changed" if case_folder.amendments_in(filed) else ""
    yield f"when, on which machine and with which versions it was run{amended}, which is the manifest's own word"
    if b"#" in (run / CASE).read_bytes():
        yield f"comments in {CASE}"
    if others := [number for number in case_folder.filed_runs(folder) if number != filed["run"]]:
        yield f"the numbers of the other runs ({some([str(number) for number in others])}): replay their manifests"
    if unknown := sorted(_not_looked_at(folder)):
        yield f"other files in the folder ({some(unknown, 3)})"
    yield (
        "runs that were made elsewhere and kept back, or taken from the end of the trail: only a signed seal or a "
        "printed digest fixes that end"
    )
    yield "who filed it, which `idiograph check` says where the folder is sealed and signed"


def _not_looked_at(folder: Path) -> Iterator[str]:
    """What lies at the top of a case, or among its runs, and is neither of a run, nor the seal."""
    ours = {*case_folder.KEPT, case_folder.SEAL, case_folder.SIGNATURE, case_folder.COVER}
    for number in case_folder.filed_runs(folder):
        reports = case_folder.filed_reports(folder, number)
        ours |= {f"{RUNS}/{case_folder.run_folder(folder, number, report).name}" for report in reports}
    runs = folder / RUNS
    for path in (*folder.iterdir(), *(runs.iterdir() if runs.is_dir() else ())):
        if (name := path.relative_to(folder).as_posix()) not in ours:
            yield name
