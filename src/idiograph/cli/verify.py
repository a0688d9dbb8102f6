"""idiograph verify: a case's texts to a likelihood ratio that can be filed."""

import json
import os
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from idiograph.cli.app import app
from idiograph.cli.reading_options import reads
from idiograph.errors import IdiographError, InputError
from idiograph.texts.reading.options import ReadingOptions

if TYPE_CHECKING:
    from idiograph.casework.case import Case
from idiograph.casework.verification import Verification

_CASE = "The case"


def _fixed(*names: str, help: str) -> Any:
    """An option that the case file would fix."""
    return typer.Option(*names, help=help, rich_help_panel=_CASE)


@app.command()
@reads
def verify(
    case_file: Annotated[
        Path | None, typer.Argument(metavar="[CASE.TOML]", help="A case file; then no option under “The case” is.")
    ] = None,
    questioned: Annotated[
        list[Path] | None,
        _fixed("--questioned", help="A questioned text, or a folder that is one Q; again for each further Q."),
    ] = None,
    known: Annotated[
        list[str] | None,
        _fixed("--known", help="A candidate's writings, as PATH or NAME=PATH; again for each further candidate."),
    ] = None,
    reference: Annotated[
        Path | None, _fixed("--reference", help="Texts by others from the population, a folder for each author.")
    ] = None,
    population: Annotated[
        str | None, _fixed("--population", help="Whom the other writer of Hd comes from. It has no default.")
    ] = None,
    hp: Annotated[
        str | None, _fixed("--hp", help="The first proposition, with [Q], [candidate], [population].")
    ] = None,
    hd: Annotated[str | None, _fixed("--hd", help="The second proposition, which excludes the first.")] = None,
    primary: Annotated[
        str | None, _fixed("--primary", help="The one method reported: hapax, square_root, sentence, logistic.")
    ] = None,
    scale: Annotated[str | None, _fixed("--scale", help="The verbal scale: enfsi, marquis or numbers.")] = None,
    bounds: Annotated[str | None, _fixed("--bounds", help="What limits the reported value: elub or none.")] = None,
    masking: Annotated[
        str | None, _fixed("--masking", help="posnoise, frames, textdistortion, or masked (they are already).")
    ] = None,
    recipe: Annotated[str | None, _fixed("--recipe", help="Prepare all texts by a recipe: its name or file.")] = None,
    exclude_author: Annotated[
        list[str] | None, _fixed("--exclude-author", help="A reference author to leave out; may be given again.")
    ] = None,
    order: Annotated[int | None, _fixed("--order", help="N, the longest n-gram (10).")] = None,
    repetitions: Annotated[int | None, _fixed("--repetitions", help="r, the number of reference models (30).")] = None,
    discount: Annotated[float | None, _fixed("--discount", help="D of the models (0.75).")] = None,
    seed: Annotated[int | None, _fixed("--seed", help="Decides every draw (1).")] = None,
    title: Annotated[str | None, _fixed("--title", help="A name for the case.")] = None,
    caveat: Annotated[
        list[str] | None, _fixed("--caveat", help="A sentence of your own for the report's limits; may be given again.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The folder of the case (default with a case file: named after it).")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out the validation; every page says so.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Run a filed case again; the earlier run is kept.")] = False,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes to use (default: one a processor).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print result.json instead of words.")] = False,
    *,
    reading: ReadingOptions,
) -> None:
    """How much more likely are the findings if the candidate wrote Q than if another person did?

    Give a case file, or --questioned, --known, --reference and --population; a case file is then written. The texts
    are audited and the method is validated under the case's own conditions before Q is scored. Exit code 1 means that
    no likelihood ratio could be reported, and why is said.
    """
    from idiograph.casework.case import read_case

    given: dict[str, Any] = {
        "population": population,
        "hp": hp,
        "hd": hd,
        "primary": primary,
        "scale": scale,
        "bounds": bounds,
        "masking": masking,
        "recipe": recipe,
        "order": order,
        "repetitions": repetitions,
        "discount": discount,
        "seed": seed,
        "title": title,
        "exclude_authors": tuple(exclude_author) if exclude_author else None,
        "caveats": tuple(caveat) if caveat else None,
        "reading": _changed(reading) or None,
    }
    given = {name: value for name, value in given.items() if value is not None}
    inputs = {"questioned": questioned, "known": known, "reference": reference}
    if case_file is not None:
        also = [name for name, value in {**inputs, **given, **given.get("reading", {})}.items() if value]
        also = [name for name in also if name != "reading"]
        if also:
            raise InputError(
                f"{case_file} fixes the case, and --{also[0].replace('_', '-')} was given beside it. What a case rests "
                "on stands in one place: write it into the case file, or leave the case file out."
            )
        case = read_case(case_file)
        folder = out or _folder_of(case_file)
    else:
        case = _case_of(questioned, known, reference, given)
        if out is None:
            raise InputError("No folder for the case was named. Pass --out case/ to say where it is filed.")
        folder = out
    done = run_case(case, folder, case_file=case_file, quick=quick, force=force, workers=workers)
    if as_json:
        from idiograph.casework.result import as_result

        print(json.dumps(as_result(done), ensure_ascii=False, allow_nan=False))
    else:
        say(done, folder)
    if done.refused:
        raise typer.Exit(1)


def run_case(
    case: "Case", folder: Path, *, case_file: Path | None, quick: bool, force: bool, workers: int | None
) -> "Verification":
    """Runs a case and files it; the trail has the run whatever becomes of it."""
    from idiograph.casework import filing
    from idiograph.casework.verify import verify as verify_case
    from idiograph.output.report.report import write_reports

    in_place = case_file is not None and case_file.resolve() == (folder / filing.CASE).resolve()
    filing.refuse_filed(folder, force=force, own_case_file=in_place)
    earlier = filing.earlier_runs(folder)
    number: int | None = None

    def announce(fixed: "Case", files: Any) -> None:
        nonlocal number
        number = filing.begin_run(folder, fixed, files, quick=quick)

    try:
        done = verify_case(case, quick=quick, workers=workers or os.cpu_count() or 1, announce=announce)
        assert number is not None
        done = replace(done, run=number, earlier=earlier)
        text = case_file.read_text(encoding="utf-8") if case_file is not None and in_place else None
        filing.file_case(done, folder, case_text=text, write_reports=write_reports)
    except BaseException as error:
        if number is not None:
            outcome = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
            remark = str(error) if isinstance(error, IdiographError) else type(error).__name__
            filing.end_run_if_possible(folder, number, outcome, remark)
        raise
    filing.end_run(folder, number, "refused" if done.refused else "reported")
    return done


def say(done: "Verification", folder: Path) -> None:
    """Prints a verification on the terminal: propositions, audit, value with words, where the report is."""
    from idiograph.casework.wording import QUICK

    print(f"{len(done.comparisons)} comparison{'s' if len(done.comparisons) > 1 else ''}; run {done.run} of this case.")
    if done.quick:
        print(QUICK)
    for one in done.comparisons:
        print(f"\n{one.label} and {one.candidate}\n  Hp: {one.wording.hp}\n  Hd: {one.wording.hd}")
        for found in one.audit:
            print(f"  [{found.severity}] {found.message} {found.remedy}")
        if not one.audit:
            print("  The audit has no finding.")
        print(f"  {one.wording.conclusion}")
        for said in one.outside if one.reported is not None else ():
            print(f"  {said}")
        if one.reported is not None:
            lr = "" if one.reported.lr is None else f"LR {one.reported.lr:.2g}, "
            words = f": {one.wording.verbal} ({one.wording.scale})" if one.wording.verbal else ""
            print(f"  {lr}log10 LR {one.reported.log10:.2f} by {one.primary}{words}")
            if one.wording.bound:
                print(f"  {one.wording.bound}")
            print(f"  {one.wording.box}")
        if one.validation is not None and one.primary in one.validation.performance:
            cllr = one.validation.performance[one.primary].cllr
            interval = "" if cllr.low is None else f" (95 % interval {cllr.low:.2f} to {cllr.high:.2f})"
            authors = len(one.validation.authors)
            print(f"  Validation on {authors} authors: Cllr {cllr.value:.2f}{interval}; below 1 is of use.")
    print(f"\nThe report: {folder / 'report.html'} (also .docx and .pdf); every number: {folder / 'result.json'}")


def _changed(reading: ReadingOptions) -> dict[str, Any]:
    """The reading options that were given."""
    usual = ReadingOptions()
    names = (field.name for field in fields(reading))
    return {name: value for name in names if (value := getattr(reading, name)) != getattr(usual, name)}


def _folder_of(case_file: Path) -> Path:
    """The folder of a case file's case: its own if the case was filed there, else one named after it."""
    from idiograph.casework.filing import CASE, TRAIL

    if case_file.name == CASE and (case_file.parent / TRAIL).is_file():
        return case_file.parent
    return case_file.with_suffix("")


def _case_of(
    questioned: list[Path] | None, known: list[str] | None, reference: Path | None, given: dict[str, Any]
) -> "Case":
    from idiograph.casework.case import Case, check

    if not questioned or not known or reference is None:
        missing = [
            name
            for name, value in (("--questioned", questioned), ("--known", known), ("--reference", reference))
            if not value
        ]
        raise InputError(f"A case needs a case file, or {', '.join(missing)} too. See idiograph verify --help.")
    candidates: dict[str, Path] = {}
    for one in known:
        name, path = _candidate(one)
        if name in candidates:
            raise InputError(f"Two --known are called {name}. Name them apart: --known NAME=PATH.")
        candidates[name] = path
    given.setdefault("population", "")
    return check(
        Case(
            questioned={f"Q{number}": path for number, path in enumerate(questioned, start=1)},
            known=candidates,
            reference=reference,
            **given,
        ),
        where="The command line",
    )


def _candidate(known: str) -> tuple[str, Path]:
    """The name and the path of a --known; a path that exists as it stands is not cut at its = sign."""
    name, cut, path = known.partition("=")
    if cut and name and path and not Path(known).exists():
        return name, Path(path)
    return Path(known).resolve().stem if Path(known).is_file() else Path(known).resolve().name, Path(known)
