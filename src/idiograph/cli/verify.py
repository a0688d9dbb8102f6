"""idiograph verify: a case's texts to a likelihood ratio that can be filed."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from idiograph.casework.case import Case
from idiograph.cli.app import app
from idiograph.cli.options import options
from idiograph.cli.reading_options import reads
from idiograph.errors import InputError
from idiograph.printing import print
from idiograph.settings.reading import settings_from_options
from idiograph.settings.setting import changed, settings_of
from idiograph.texts.reading.options import ReadingOptions

if TYPE_CHECKING:
    from idiograph.casework.verification import Comparison
    from idiograph.output.filing import Filed

_PANEL = "The case"
_INPUTS = ("questioned", "known")


def _input(name: str, help: str) -> Any:
    return typer.Option(f"--{name}", help=help, rich_help_panel=_PANEL)


@app.command()
@options(Case, argument="given", panel=_PANEL, without=_INPUTS, raw=True)
@reads
def verify(
    case_file: Annotated[
        Path | None,
        typer.Argument(metavar="[CASE.TOML]", help="A case file; it cannot be combined with options under “The case”."),
    ] = None,
    questioned: Annotated[
        list[Path] | None,
        _input("questioned", "A questioned text, or a folder whose texts are one Q; repeat it for each further Q."),
    ] = None,
    known: Annotated[
        list[str] | None,
        _input("known", "A candidate's own writings, as PATH or NAME=PATH; repeat it for each further candidate."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The folder of the case (default with a case file: named after it).")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out the validation; every page says so.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Run a filed case again; the earlier run is kept.")] = False,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes to use (default: one per processor).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print result.json instead of sentences.")] = False,
    *,
    given: dict[str, Any],
    reading: ReadingOptions,
) -> None:
    """How much more likely are the findings if the candidate wrote Q than if another person did?

    Give a case file, or --questioned, --known, --reference and --population; a case file is then written. The texts
    are audited and the method is validated under the case's own conditions before Q is scored. Exit code 1 means that
    no likelihood ratio could be reported; the output says why.
    """
    from idiograph.casework.result import as_result
    from idiograph.output.filing import file_case

    if questioned:
        given["questioned"] = {f"Q{number}": path for number, path in enumerate(questioned, start=1)}
    if known:
        given["known"] = _candidates(known)
    case: Case | Path
    if case_file is not None:
        _refuse_both(case_file, [*given, *changed(reading)])
        case = case_file
    else:
        case = settings_from_options(Case, {**given, "reading": reading})
    filed = file_case(case, out, quick=quick, force=force, workers=workers)
    if as_json:
        print(json.dumps(as_result(filed.verification), allow_nan=False))
    else:
        say_filed(filed)
    if filed.verification.refused:
        raise typer.Exit(1)


def say_filed(filed: "Filed") -> None:
    """Prints a verification on the terminal: propositions, audit, value with words, where the report is."""
    from idiograph.casework.wording import QUICK
    from idiograph.output.report.summary import OF_RATIOS, ratios

    done, folder = filed.verification, filed.folder
    print(f"{len(done.comparisons)} comparison{'s' if len(done.comparisons) > 1 else ''}; run {done.run} of this case.")
    if done.quick:
        print(QUICK)
    for one in done.comparisons:
        _say_comparison(one)
    if between := list(ratios(done)):
        print("\n" + "\n".join([*between, OF_RATIOS]))
    print(
        f"\nThe report: {folder / 'report.html'}, annexes: {folder / 'annexes.html'} (both also .docx and .pdf); every "
        f"number: {folder / 'result.json'}"
    )


def _say_comparison(one: "Comparison") -> None:
    from idiograph.output.report.words import interval, number

    print(f"\n{one.label} and {one.candidate}\n  Hp: {one.wording.hp}\n  Hd: {one.wording.hd}")
    for found in one.audit:
        print(f"  [{found.severity}] {found.message} {found.remedy}")
    if not one.audit:
        print("  The audit has no finding.")
    if one.validation is not None and one.primary in one.validation.performance:
        cllr = one.validation.performance[one.primary].cllr
        between = "" if cllr.low is None else f" (95 % interval {interval(cllr)})"
        authors, value = len(one.validation.authors), number(cllr.value)
        print(f"  Validation on {authors} authors: Cllr {value}{between}; below 1 the method is informative.")
    for said in (*one.wording.before, one.wording.conclusion):
        print(f"  {said}")
    if one.reported is not None:
        words = f": {one.wording.verbal} ({one.wording.scale})" if one.wording.verbal else ""
        print(f"  LR {one.wording.value}, log10 LR {number(one.reported.log10)} by {one.primary}{words}")
        for also in (one.wording.bound, one.wording.range, *one.outside, one.wording.also, one.wording.box):
            if also:
                print(f"  {also}")


def _refuse_both(case_file: Path, given: list[str]) -> None:
    if given:
        names = {one.name: one.option for one in settings_of(Case)}
        raise InputError(
            f"{case_file} fixes the case, and {names.get(given[0], '--' + given[0].replace('_', '-'))} was given too. "
            "What a case rests on stands in one place: write it into the case file, or leave the case file out."
        )


def _candidates(known: list[str]) -> dict[str, Path]:
    candidates: dict[str, Path] = {}
    for one in known:
        name, path = _candidate(one)
        if name in candidates:
            raise InputError(f"Two --known are called {name}. Give them different names: --known NAME=PATH.")
        candidates[name] = path
    return candidates


def _candidate(known: str) -> tuple[str, Path]:
    """The name and the path of a --known; a path that exists as it stands is not cut at its = sign."""
    name, cut, path = known.partition("=")
    if cut and name and path and not Path(known).exists():
        return name, Path(path)
    return Path(known).resolve().stem if Path(known).is_file() else Path(known).resolve().name, Path(known)
