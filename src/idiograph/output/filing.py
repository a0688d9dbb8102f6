"""One call from a case to its filed run, and one to render its report again with corrected particulars."""

import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from idiograph.casework import case_folder
from idiograph.casework.case import MASKED, PRINTED_ONLY, SIDES, Case, Side, as_case, case_from, read_case, written
from idiograph.casework.replay import read_manifest
from idiograph.casework.verification import Amendment, Verification, as_result
from idiograph.casework.verify import decide, make_ready
from idiograph.checking import check_fields, checks_arguments, n_workers
from idiograph.errors import IdiographError, InputError, some
from idiograph.files import as_path, locked, refuse_inside, whole_folder, write_whole
from idiograph.output import heatmap
from idiograph.output.annexes import annexes, files_csv
from idiograph.output.document import Document, Picture, as_record, from_record
from idiograph.output.plot import Plot, drawing, save
from idiograph.output.report import report, with_particulars
from idiograph.progress import progress
from idiograph.provenance import now, renderers
from idiograph.records import read_record, record_line, record_text
from idiograph.settings import settings_of
from idiograph.showing import one_line
from idiograph.texts.reading.memory import TextsInMemory
from idiograph.texts.reading.options import ReadingOptions

TEXTS = "texts"  # in the folder of a case: those that were in memory
_ROOM = 8_000_000  # bytes: the reports of a run and their copy at the top
_ROOM_EACH = 5_000_000  # bytes more for each further comparison: ten took 21 MB, and as much at the top


@one_line
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
    Texts in memory are written to `texts` in the folder, and the case file names them there. A folder that holds a run
    is refused unless `force`; the earlier runs stay. `quick` leaves the validation out; without `cache` every text is
    masked anew, and none is kept.
    """
    file = None if isinstance(case, Case) else as_path(case, "The case")
    case = as_case(case) if file is None else read_case(file)
    folder = _folder_of(file) if out is None else as_path(out, "The folder of the case")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, and a case is a folder. Name another place.")
    refuse_inside(folder, (side for side in case.sides if isinstance(side, Path)))
    in_place = file is not None and file.resolve() == (folder / case_folder.CASE).resolve()
    # Locked, and so written to, before the long work.
    with locked(folder):
        _refuse_little_room(folder, len(case.questioned) * len(case.known))
        case_folder.settle(folder)
        case_folder.refuse_filed(folder, force=force, own_case_file=in_place)
        case = _in_files(case, folder / TEXTS)
        text = file.read_text(encoding="utf-8") if file is not None and in_place else written(case, folder=folder)
        problems = case_folder.trail_state(folder).problems
        number = case_folder.begin_run(folder, quick=quick)
        try:
            ready = make_ready(case, quick=quick, workers=n_workers(workers), cache=cache)
            case_folder.start_run(folder, number, ready.digest, ready.inputs.files, quick=quick)
            earlier, trail = case_folder.runs_before(folder, number) or ((), "")
            done = decide(ready, run=number, earlier=earlier, trail=trail, trail_problems=problems)
            _keep(done, folder, text)
        except BaseException as error:
            case_folder.end_run_after(folder, number, error)
            raise
        case_folder.end_run(folder, number, "refused" if done.refused else "reported")
        try:
            case_folder.publish(folder, case_folder.run_folder(folder, number))
        except (IdiographError, OSError) as error:
            raise InputError(
                f"Run {number} is filed, whole, in {case_folder.run_folder(folder, number)}. Its copy at the top of "
                f"{folder} could not be completed, so that some files there are still those of an earlier run: {error} "
                "The next run or seal completes the copy."
            ) from error
    return Filed(folder, done)


def _in_files(case: Case, folder: Path) -> Case:
    """The case with the texts that were in memory written to files, so that it can be replayed."""
    if not any(isinstance(side, TextsInMemory) for side in case.sides):
        return case

    def path_of(side: Side, name: str) -> Side:
        if isinstance(side, Path):
            raise InputError(f"Some texts of the case are in memory and others at {side}. Give all of them in one way.")
        return side.write(folder, name, case.reading, masked=case.masking == MASKED)

    return replace(
        case,
        questioned={label: path_of(side, f"q{n}") for n, (label, side) in enumerate(case.questioned.items(), start=1)},
        known={who: path_of(side, f"k{n}") for n, (who, side) in enumerate(case.known.items(), start=1)},
        reference=path_of(case.reference, "reference"),
        # They have been read, so nothing is to be found out or joined again.
        reading=ReadingOptions(unwrap="never", rules=case.reading.rules),
    )


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
    if not isinstance(verification, Verification):
        raise InputError(f"A report is written of a Verification, not of a {type(verification).__name__}.")
    folder = as_path(folder, "The folder of the report")
    with drawing(folder):
        documents = {case_folder.REPORT: report(verification), case_folder.ANNEXES: annexes(verification)}
        contents = _rendered(documents)
        contents[case_folder.TOKENS] = heatmap.tokens_csv(verification.comparisons).encode()
        contents[case_folder.SENTENCES] = heatmap.sentences_csv(verification.comparisons).encode()
        contents[case_folder.FILES] = files_csv(verification).encode()
        for name, content in contents.items():
            write_whole(folder / name, content)
        written = [folder / name for name in contents]
        for document in documents.values():
            for block in document.blocks:
                if isinstance(block, Picture) and isinstance(block.plot, Plot):
                    written += save(block.plot, folder / case_folder.FIGURES, block.name)
    return tuple(written)


def _rendered(documents: Mapping[str, Document]) -> dict[str, bytes]:
    """The files of a report and its annexes: each in all forms, and both as they can be rendered again."""
    from idiograph.output.docx import docx
    from idiograph.output.html import html
    from idiograph.output.pdf import pdf

    kept = {"schema": case_folder.SCHEMA, "kind": _DOCUMENTS}
    kept |= {name: as_record(document) for name, document in documents.items()}
    contents = {case_folder.DOCUMENTS: f"{record_line(kept, compact=True)}\n".encode("utf-8", "surrogatepass")}
    for name, document in documents.items():
        forms = (html(document).encode(), docx(document), pdf(document))
        contents |= {f"{name}.{form}": content for form, content in zip(case_folder.FORMS, forms, strict=True)}
    return contents


_DOCUMENTS = "idiograph documents"


@dataclass(frozen=True)
class Amended:
    """A report that was rendered again with other particulars."""

    folder: Path  # of the case
    run: int
    report: int  # 2 where it is the run's second report
    changed: tuple[str, ...]  # the keys of the case file, such as expert.name


@checks_arguments
def amend(folder: Path | str, case: Case | Path | str | None = None) -> Amended:
    """Renders the report of the latest run in `folder` again with the particulars that its case file has now.

    Particulars are what stands under [expert], [case] and [review] in case.toml: names, court, exhibits, review, the
    declaration. Correct them there and call `amend("case")`; or give the changed `case`, as a Case or as the path of a
    case file. Nothing is read, scored or validated again, and every number stays. The run is kept as it was; what is
    rendered lies beside it (runs/0001-report-2) and at the top of the folder, the trail says so, and so does the
    report. A case file in which anything else differs is refused: that takes a new run.
    """
    folder = as_path(folder, "The folder of the case")
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder. Name the folder of a filed case.")
    with locked(folder):
        case_folder.settle(folder)
        numbers = case_folder.filed_runs(folder)
        if not numbers:
            raise InputError(f"{folder} holds no filed run, so there is no report to render again. Run the case first.")
        number = numbers[-1]
        last = case_folder.latest_report(folder, number)
        if wrong := (*case_folder.trail_state(folder).problems, *case_folder.run_problems(last)):
            raise InputError(
                f"The runs of {folder} are not as they were filed ({wrong[0]}), and a report is only rendered again "
                "from one that is. Restore the folder from a copy, or run the case again."
            )
        filed = read_manifest(last / case_folder.MANIFEST)
        text, now_ = _particulars_now(folder, case)
        then = case_from(last / case_folder.CASE, folder=folder)
        changed_ = _changed_particulars(then, now_)
        amendments = (*case_folder.amendments_in(filed), Amendment(now(), changed_))
        result = (last / case_folder.RESULT).read_bytes()
        content = case_folder.content_digest(text.encode(), result, filed["inputs"])
        documents = {
            name: with_particulars(document, then, now_, content, amendments)
            for name, document in _documents(last).items()
        }
        report_number = case_folder.filed_reports(folder, number)[-1] + 1
        with whole_folder(case_folder.run_folder(folder, number, report_number)) as part:
            for name in filed["outputs"]:
                write_whole(part / name, (last / name).read_bytes())
            write_whole(part / case_folder.CASE, text)
            with drawing(part):
                for name, rendered in _rendered(documents).items():
                    write_whole(part / name, rendered)
            manifest = filed | {
                "written": now(),
                "renderers": renderers(),
                case_folder.AMENDED: [asdict(amendment) for amendment in amendments],
                "outputs": case_folder.output_digests(part),
            }
            write_whole(part / case_folder.MANIFEST, record_text(manifest))
        case_folder.enter_amendment(folder, number, report_number)
        case_folder.publish(folder, case_folder.latest_report(folder, number))
    return Amended(folder, number, report_number, changed_)


def _particulars_now(folder: Path, case: Case | Path | str | None) -> tuple[str, Case]:
    """The case with its corrected particulars, and the text of its file."""
    if isinstance(case, Case):
        return written(case, folder=folder), case
    file = folder / case_folder.CASE if case is None else as_path(case, "The case file")
    now_ = read_case(file)
    in_place = file.resolve() == (folder / case_folder.CASE).resolve()
    return file.read_text(encoding="utf-8") if in_place else written(now_, folder=folder), now_


def _changed_particulars(then: Case, now_: Case) -> tuple[str, ...]:
    """The keys of the particulars that differ; an error where none does, or anything else."""
    kept = {name: getattr(then, name) for name in PRINTED_ONLY}
    rest = replace(now_, **kept, **{name: getattr(then, name) for name in SIDES})
    labels = [(list(case.questioned), list(case.known)) for case in (then, now_)]
    other = [setting.key for setting in settings_of(Case) if getattr(rest, setting.name) != getattr(then, setting.name)]
    other += ["the names of Q or K"] if labels[0] != labels[1] else []
    if other:
        raise InputError(
            f"The case file differs from that of the run in more than its particulars ({some(other)}), and a value "
            "belongs to the settings that it was computed with. Put these back, or run the case again."
        )
    tables = {setting.name: setting.key for setting in settings_of(Case) if setting.name in PRINTED_ONLY}
    changed_ = tuple(
        f"{tables[name]}.{setting.key}"
        for name in PRINTED_ONLY
        for setting in settings_of(type(kept[name]))
        if getattr(getattr(now_, name), setting.name) != getattr(kept[name], setting.name)
    )
    if not changed_:
        raise InputError(
            "The particulars are those of the latest report, so there is nothing to render again. Correct them under "
            f"[expert], [case] or [review] in {case_folder.CASE} first."
        )
    return changed_


def _documents(run: Path) -> dict[str, Document]:
    """Report and annexes of a run as they can be rendered again."""
    if not (run / case_folder.DOCUMENTS).is_file():
        raise InputError(
            f"{run} was filed by a version of Idiograph that kept nothing to render a report again from. Run the case "
            "again with the corrected particulars."
        )
    kept = read_record(
        run / case_folder.DOCUMENTS,
        kind=_DOCUMENTS,
        schema=case_folder.SCHEMA,
        damaged="{path} is not valid JSON ({why}). Restore the file from a copy.",
        other="{path} is not what a report is rendered from. Restore the file from a copy.",
        halves=True,
    )

    def picture(name: str, form: str) -> bytes:
        return (run / case_folder.FIGURES / f"{name}.{form}").read_bytes()

    return {name: from_record(kept[name], picture) for name in (case_folder.REPORT, case_folder.ANNEXES)}
