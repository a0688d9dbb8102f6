"""The commands about one case: plan, verify, replay, amend, seal and check."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from idiograph.casework.case import Case, PlanRequest
from idiograph.cli.app import app
from idiograph.cli.options import Workers, options, reads
from idiograph.errors import InputError, counted, print
from idiograph.files import refuse_to_overwrite
from idiograph.settings import changed, settings_from_options, settings_of
from idiograph.texts.reading.options import ReadingOptions

if TYPE_CHECKING:
    from idiograph.casework.verification import Comparison
    from idiograph.output.filing import Filed


_PANEL = "The case"
_INPUTS = ("questioned", "known")


def _input(name: str, help: str, metavar: str = "PATH") -> Any:
    return typer.Option(f"--{name}", metavar=metavar, help=help, rich_help_panel=_PANEL)


@app.command()
@options(Case, argument="given", panel=_PANEL, without=_INPUTS, raw=True)
@reads
def verify(
    case_file: Annotated[
        Path | None,
        typer.Argument(metavar="CASE.TOML", help="A case file; it cannot be combined with options under “The case”."),
    ] = None,
    questioned: Annotated[
        list[Path] | None,
        _input("questioned", "A questioned text, or a folder whose texts are one Q; repeat it for each further Q."),
    ] = None,
    known: Annotated[
        list[str] | None,
        _input(
            "known",
            "A candidate's own writings, as PATH or NAME=PATH; repeat it for each further candidate.",
            "[NAME=]PATH",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The folder of the case (default with a case file: named after it).")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out the validation; every page says so.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Run a filed case again; the earlier run is kept.")] = False,
    workers: Workers = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Mask every text again, and keep none of them in the cache.")
    ] = False,
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
    from idiograph.casework.verification import as_result
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
    filed = file_case(case, out, quick=quick, force=force, workers=workers, cache=not no_cache)
    if as_json:
        print(json.dumps(as_result(filed.verification), allow_nan=False))
    else:
        say_filed(filed)
    if filed.verification.refused:
        raise typer.Exit(1)


def say_filed(filed: "Filed") -> None:
    """Prints a verification on the terminal: propositions, audit, value with words, where the report is."""
    from idiograph.casework.sentences import QUICK
    from idiograph.output.report import OF_RATIOS, ratios, why_cllrs_differ

    verification, folder = filed.verification, filed.folder
    print(f"{counted(len(verification.comparisons), 'comparison')}; run {verification.run} of this case.")
    if verification.quick:
        print(QUICK)
    for comparison in verification.comparisons:
        _say_comparison(comparison)
    if why := why_cllrs_differ(verification):
        print(f"\n{why}")
    if between := list(ratios(verification)):
        print("\n" + "\n".join([*between, OF_RATIOS]))
    where = f"{folder / 'report.html'}, annexes: {folder / 'annexes.html'} (both also .docx and .pdf)"
    if all(comparison.reported is None for comparison in verification.comparisons):
        print(f"\nRefused. The report says why: {where}")
    else:
        print(f"\nThe report: {where}; every number: {folder / 'result.json'}")


def _say_comparison(comparison: "Comparison") -> None:
    from idiograph.casework.sentences import cllr_in_words, log10_ratio

    wording, reported = comparison.wording, comparison.reported
    print(f"\n{comparison.label} and {comparison.candidate}\n  Hp: {wording.hp}\n  Hd: {wording.hd}")
    for finding in comparison.audit:
        print(f"  [{finding.severity}] {finding.message} {finding.remedy}")
    if not comparison.audit:
        print("  The audit has no finding.")
    if comparison.validation is not None and comparison.claim is not None:
        authors, cllr = len(comparison.validation.authors), cllr_in_words(comparison.claim)
        print(f"  Validation on {authors} authors: Cllr {cllr}; 0 is perfect, 1 is no better than giving no evidence.")
    for sentence in wording.before:
        print(f"  {sentence}")
    print(f"  {wording.conclusion}" if reported is not None else f"  Refused. {wording.conclusion}")
    if reported is not None:
        words = f": {wording.verbal} ({wording.scale})" if wording.verbal else ""
        print(f"  LR {wording.value}, log10 LR {log10_ratio(reported.nats)} by {comparison.primary}{words}")
        more = (wording.bound, wording.range, *wording.topic, wording.published, wording.held, *comparison.outside)
        for sentence in filter(None, (*more, wording.also, wording.box)):
            print(f"  {sentence}")


def _refuse_both(case_file: Path, given: list[str]) -> None:
    if given:
        names = {setting.name: setting.option for setting in settings_of(Case)}
        raise InputError(
            f"{case_file} fixes the case, and {names.get(given[0], '--' + given[0].replace('_', '-'))} was given too. "
            "What a case rests on is kept in one place: write it into the case file, or leave the case file out."
        )


def _candidates(known: list[str]) -> dict[str, Path]:
    """Each --known by its name; a path that exists as it stands is not cut at its = sign."""
    candidates: dict[str, Path] = {}
    for named in known:
        name, _, after = named.partition("=")
        path = Path(after)
        if not name or not after or Path(named).exists():
            path = Path(named)
            name = path.resolve().stem if path.is_file() else path.resolve().name
        if name in candidates:
            raise InputError(f"Two --known are called {name}. Give them different names: --known NAME=PATH.")
        candidates[name] = path
    return candidates


@app.command()
@options(PlanRequest, argument="given", panel="The case to come", raw=True)
@reads
def plan(
    figure: Annotated[
        Path | None, typer.Option("--figure", help="Draw the plan into this file (.svg or .png).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the figure if it exists.")] = False,
    workers: Workers = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")] = False,
    *,
    given: dict[str, Any],
    reading: ReadingOptions,
) -> None:
    """How much text, and how many authors, would a case need? Nothing is scored.

    Give what is at hand as files or folders, and what is not there yet as numbers: tokens for Q and K, authors for the
    reference.
    """
    from idiograph.casework.plan import plan_case, plan_lines
    from idiograph.casework.verification import plain

    if figure is not None:
        if figure.suffix not in (".svg", ".png"):
            raise InputError(f"The figure {figure} must end in .svg or .png.")
        refuse_to_overwrite(figure, force=force)
    case_plan = plan_case(settings_from_options(PlanRequest, {**given, "reading": reading}), workers=workers)
    if figure is not None:
        from idiograph.output.case_figures import write_plan_figure

        write_plan_figure(case_plan, figure)
    if as_json:
        print(json.dumps(plain(case_plan), allow_nan=False))
    else:
        for line in plan_lines(case_plan):
            print(line)


_SHOWN = 20


@app.command()
def replay(
    manifest: Annotated[Path, typer.Argument(metavar="MANIFEST", help="The manifest.json of a filed case.")],
    inputs: Annotated[
        Path | None, typer.Option("--inputs", help="A folder with the case's texts, found by their SHA-256.")
    ] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Processes to use.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON.")] = False,
) -> None:
    """Run a filed case again and compare everything with it, digit by digit; exit code 1 if anything differs.

    The texts are masked again, the reports made again and compared byte by byte. The last sentence says what that shows
    and what it does not.
    """
    from idiograph.casework.verification import plain
    from idiograph.output.replaying import replay as replay_case

    again = replay_case(manifest, inputs=inputs, workers=workers)
    if as_json:
        print(json.dumps({"agrees": again.agrees, **plain(again), "sentence": again.sentence}, allow_nan=False))
    else:
        for package, (was, now) in again.other_versions.items():
            print(f"{package} was {was} and is {now}.", file=sys.stderr)
        for name in again.damaged:
            print(f"{name} is no longer what the manifest says.")
        for difference in again.differences[:_SHOWN]:
            digits = "" if difference.digits is None else f" ({difference.digits} digits agree)"
            print(f"{difference.where}: filed {difference.filed!r}, now {difference.now!r}{digits}")
        if len(again.differences) > _SHOWN:
            print(f"… and {len(again.differences) - _SHOWN:,} more.")
        if again.cause:
            print(again.cause)
        for problem in again.problems[:_SHOWN]:
            print(f"{problem}.")
        if len(again.problems) > _SHOWN:
            print(f"… and {len(again.problems) - _SHOWN:,} more.")
        print(f"Digest of inputs, case file and results, to compare with the printed report: {again.digest}")
        print(again.sentence)
    if not again.agrees:
        raise typer.Exit(1)


_Case = Annotated[Path, typer.Argument(metavar="CASE", help="The folder of a filed case.")]


@app.command()
def seal(
    case: _Case,
    key: Annotated[
        Path | None, typer.Option("--key", help="Your private SSH key: the seal is signed with it (ssh-keygen -Y).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Seal the case again if it is sealed already.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Seal a filed case: digests of everything in the folder and of its inputs in seal.json, and a cover sheet.

    The cover sheet, seal.txt, is to be printed: it has the digest of the whole.
    """
    from idiograph.casework.case_folder import COVER, SIGNATURE
    from idiograph.casework.seal import INTEGRITY, NAMESPACE
    from idiograph.casework.seal import seal as seal_case
    from idiograph.casework.verification import plain

    sealed = seal_case(case, key=key, force=force)
    if as_json:
        print(json.dumps(plain(sealed), allow_nan=False))
        return
    for name in sealed.edited:
        print(f"{name} is not as its run wrote it, and is sealed as it is now.")
    _say_of_runs(sealed.linked, sealed.trail)
    print(f"Sealed {counted(sealed.n_files, 'file')} and {counted(sealed.n_inputs, 'input')}: {sealed.path}")
    signed = f"Signed: {case / SIGNATURE} (an SSH signature, namespace {NAMESPACE})."
    print(signed if sealed.signed else INTEGRITY)
    print(f"Digest of everything, on the cover sheet to print ({case / COVER}): {sealed.digest}")


def _say_of_runs(linked: Sequence[str], trail: Sequence[str]) -> None:
    for name in linked:
        print(f"{name} has a second name somewhere on this disk (a hard link): what is written there changes it here.")
    for problem in trail:
        print(f"The runs are not as they were written: {problem}.")


@app.command()
def amend(
    case: _Case,
    case_file: Annotated[
        Path | None, typer.Option("--case-file", help="The corrected case file (default: the case.toml in CASE).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Render a filed report again after particulars were corrected, without a new run.

    Correct names, court, exhibits, review or declaration in CASE/case.toml first, under expert, case and review.
    No number is computed again; the first report is kept, and the trail says what was changed.
    """
    from idiograph.casework.verification import plain
    from idiograph.output.filing import amend as amend_case

    done = amend_case(case, case_file)
    if as_json:
        print(json.dumps(plain(done), allow_nan=False))
        return
    print(f"Report {done.report} of run {done.run} was rendered with other particulars: {', '.join(done.changed)}.")
    print(f"No number was computed again. The report: {case / 'report.html'} (also .docx and .pdf).")
    if (case / "seal.json").exists():
        print(
            "The case was sealed before; it now counts as changed since it was sealed. Seal it again when it is done."
        )


@app.command()
def check(
    case: _Case,
    key: Annotated[
        Path | None, typer.Option("--key", help="The expert's public SSH key: the seal must be signed by it.")
    ] = None,
    inputs: Annotated[
        Path | None, typer.Option("--inputs", help="A folder with the case's texts, found by their SHA-256.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Check a sealed case, offline and without writing anything to it.

    Exit code 1 if anything is not as it was sealed, or if a run was removed, moved or changed before that.
    """
    from idiograph.casework.seal import check_seal
    from idiograph.casework.verification import plain

    checked = check_seal(case, key=key, inputs=inputs)
    if as_json:
        print(json.dumps({"holds": checked.holds, **plain(checked)}, allow_nan=False))
    else:
        for what in ("changed", "missing", "added"):
            for name in getattr(checked, what):
                print(f"{what}: {name}")
        _say_of_runs(checked.linked, checked.trail)
        for names in checked.twins:
            print(f"{names} are names that only some systems tell apart; a copy of the folder may have lost a file.")
        verdict = "is as it was sealed" if checked.is_unchanged else "was changed since it was sealed"
        print(
            f"The case {verdict} on {checked.sealed}: {counted(checked.n_files, 'file')} and "
            f"{counted(checked.n_inputs, 'input')}, "
            f"{len(checked.changed)} changed, {len(checked.missing)} missing, {len(checked.added)} added."
        )
        print(checked.sentence)
        print(f"Digest of everything, to compare with the printed cover sheet: {checked.digest}")
    if not checked.holds:
        raise typer.Exit(1)
