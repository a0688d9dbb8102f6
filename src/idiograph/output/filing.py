"""One call from a case to its filed run: read, verify, report and keep, the same for every front end."""

import shutil
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from idiograph.casework import case_folder
from idiograph.casework.case import Case, as_case, read_case, written
from idiograph.casework.verification import Verification, as_result
from idiograph.casework.verify import decide, make_ready
from idiograph.checking import check_fields, checks_arguments, n_workers
from idiograph.errors import IdiographError, InputError
from idiograph.files import as_path, locked, refuse_inside, whole_folder, write_whole
from idiograph.output import heatmap
from idiograph.output.annexes import annexes, files_csv
from idiograph.output.document import Picture
from idiograph.output.plot import drawing, save
from idiograph.output.report import report
from idiograph.progress import progress
from idiograph.records import record_text

_ROOM = 8_000_000  # bytes: the reports of a run and their copy at the top
_ROOM_EACH = 5_000_000  # bytes more for each further comparison: ten took 21 MB, and as much at the top


@dataclass(frozen=True)
class Filed:
    """A case that was run, and the folder it is filed in."""

    folder: Path
    verification: Verification

    def __post_init__(self) -> None:
        check_fields(self)


@checks_arguments
def file_case(
    case: Case | Path | str,
    out: Path | str | None = None,
    *,
    quick: bool = False,
    force: bool = False,
    workers: int | None = None,
    cache: bool = True,
) -> Filed:
    """Runs a `case`, given as a Case or as the path of its file, by `workers` processes; files it in the folder `out`.

    A case file may do without `out`: the folder is then named after it, or is its own if the case was filed there.
    A folder that holds a run is refused unless `force`; the earlier runs stay. `quick` leaves the validation out;
    without `cache` every text is masked anew, and none is kept.
    """
    file = None if isinstance(case, Case) else as_path(case, "The case")
    case = as_case(case) if file is None else read_case(file)
    folder = _folder_of(file) if out is None else as_path(out, "The folder of the case")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, and a case is a folder. Name another place.")
    refuse_inside(folder, (*case.questioned.values(), *case.known.values(), case.reference))
    in_place = file is not None and file.resolve() == (folder / case_folder.CASE).resolve()
    # Locked, and so written to, before the long work.
    with locked(folder):
        text = file.read_text(encoding="utf-8") if file is not None and in_place else written(case, folder=folder)
        _refuse_little_room(folder, len(case.questioned) * len(case.known))
        case_folder.settle(folder)
        case_folder.refuse_filed(folder, force=force, own_case_file=in_place)
        ready = make_ready(case, quick=quick, workers=n_workers(workers), cache=cache)
        problems = case_folder.trail_state(folder).problems
        number = case_folder.begin_run(folder, ready.digest, ready.inputs.files, quick=quick)
        try:
            earlier, trail = case_folder.runs_before(folder, number) or ((), "")
            done = decide(ready, run=number, earlier=earlier, trail=trail, trail_problems=problems)
            _keep(done, folder, text)
        except BaseException as error:
            case_folder.end_run_after(folder, number, error)
            raise
        case_folder.end_run(folder, number, "refused" if done.refused else "reported")
        try:
            case_folder.publish(folder, number)
        except (IdiographError, OSError) as error:
            raise InputError(
                f"Run {number} is filed, whole, in {case_folder.run_folder(folder, number)}. Its copy at the top of "
                f"{folder} could not be completed, so that some files there are still those of an earlier run: {error} "
                "The next run or seal completes the copy."
            ) from error
    return Filed(folder, done)


def _refuse_little_room(folder: Path, n_comparisons: int) -> None:
    free, room = shutil.disk_usage(folder).free, _ROOM + (n_comparisons - 1) * _ROOM_EACH
    if free < room:
        what = "a case" if n_comparisons == 1 else f"a case of {n_comparisons} comparisons"
        raise InputError(
            f"{folder} could not take a filed case: its disk has {free / 1e6:.1f} MB left, and {what} takes up to "
            f"{room / 1e6:.0f}. Free some space or name another folder; nothing was begun."
        )


def _keep(verification: Verification, folder: Path, case_text: str) -> None:
    """Files a run whole under its number."""
    with whole_folder(case_folder.run_folder(folder, verification.run)) as part:
        result = record_text(as_result(verification))
        inputs = [asdict(file) for file in verification.provenance.inputs]
        content = case_folder.content_digest(case_text.encode(), result.encode(), inputs)
        write_whole(part / case_folder.CASE, case_text)
        with progress("Writing the reports", total=None, unit="files") as advance:
            advance(len(write_reports(replace(verification, content_digest=content), part)))
        write_whole(part / case_folder.RESULT, result)
        manifest = case_folder.manifest(verification, folder, part)
        write_whole(part / case_folder.MANIFEST, record_text(manifest))


def _folder_of(case_file: Path | None) -> Path:
    """The folder of a case file's case: its own if the case was filed there, else one named after it."""
    if case_file is None:
        raise InputError("No folder for the case was named. Pass --out case/ to say where it is filed.")
    if case_file.name == case_folder.CASE and (case_file.parent / case_folder.TRAIL).is_file():
        return case_file.parent
    return case_file.with_suffix("")


def write_reports(verification: Verification, folder: Path | str) -> tuple[Path, ...]:
    """Writes the reports of a `verification` into `folder`: HTML, DOCX, PDF, figures, tables of tokens and files."""
    from idiograph.output.docx import docx
    from idiograph.output.html import html
    from idiograph.output.pdf import pdf

    if not isinstance(verification, Verification):
        raise InputError(f"A report is written of a Verification, not of a {type(verification).__name__}.")
    folder = as_path(folder, "The folder of the report")
    with drawing(folder):
        contents: dict[str, bytes] = {}
        documents = {
            case_folder.REPORT: report(verification),
            case_folder.ANNEXES: annexes(verification),
        }
        for name, document in documents.items():
            made = (html(document).encode(), docx(document), pdf(document))
            contents |= {f"{name}.{form}": content for form, content in zip(case_folder.FORMS, made, strict=True)}
        contents[case_folder.TOKENS] = heatmap.tokens_csv(verification.comparisons).encode()
        contents[case_folder.SENTENCES] = heatmap.sentences_csv(verification.comparisons).encode()
        contents[case_folder.FILES] = files_csv(verification).encode()
        for name, content in contents.items():
            write_whole(folder / name, content)
        written = [folder / name for name in contents]
        for document in documents.values():
            for block in document.blocks:
                if isinstance(block, Picture):
                    written += save(block.plot, folder / case_folder.FIGURES, block.name)
    return tuple(written)
