"""The commands for a laboratory: is this installation what it should be, what is known to be wrong, is it fit."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from idiograph.checking import n_workers
from idiograph.cli.app import app
from idiograph.errors import counted, print
from idiograph.files import refuse_to_overwrite


@app.command()
def selftest(
    out: Annotated[Path, typer.Option("--out", help="The folder that the page is written to.")] = Path("selftest"),
    folder: Annotated[
        list[Path] | None,
        typer.Option(
            "--folder",
            help="A folder for cases, to be tried besides that of the cache. Can be given several times.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier page.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> None:
    """Check that this installation computes what was validated, offline, and write a page to file.

    Exit code 1 if anything is not as it should be. The page has the digest of the program's RECORD, to be compared
    outside.
    """
    from idiograph.laboratory.selftest import as_record, file_selftest
    from idiograph.laboratory.selftest import selftest as test_installation

    refuse_to_overwrite(out, force=force)
    test = test_installation([*(folder or []), out.resolve().parent])
    file_selftest(test, out, force=force)
    if as_json:
        print(json.dumps(as_record(test), indent=1))
    else:
        for check in test.checks:
            print(f"{check.what}: {check.state} ({check.outcome}).")
            for sentence in check.wrong:
                print(f"  {sentence}")
        print(f"Digest of the program's RECORD, to compare outside: {test.record or 'none, it is editable'}")
        print(test.sentence)
    print(f"idiograph: the page is in {out} (HTML, PDF and JSON).", file=sys.stderr)
    if not test.passed:
        raise typer.Exit(1)


@app.command()
def affected(
    folder: Annotated[
        Path, typer.Argument(help="A filed case, the results of a study, or a folder with many of them.")
    ],
    inputs: Annotated[
        Path | None, typer.Option("--inputs", help="A folder with texts, found by their SHA-256.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List which known faults concern filed cases and studies, which may, and which do not.

    Exit code 1 if one concerns a case or study, or if one of them is damaged. The register comes with the program.
    """
    from dataclasses import asdict

    from idiograph.laboratory.faults import affected as look
    from idiograph.laboratory.faults import register

    looked = look(folder, inputs=inputs)
    faults = {fault.id: fault for fault in register()}
    if as_json:
        print(json.dumps({"schema": 1, "entries": len(faults), "filed": [asdict(run) for run in looked]}, indent=1))
    else:
        for run in looked:
            if run.damaged:
                print(f"{run.name}: cannot be judged: {run.damaged}.")
                continue
            print(f"{run.name} ({run.kind}, filed by {' and '.join(run.versions)}):")
            for answer, words in (("concerned", "concerns it"), ("perhaps", "perhaps concerns it")):
                for entry in run.those(answer):  # type: ignore[arg-type]
                    print(f"  {entry} {words}: {faults[entry].title}. {faults[entry].todo}")
            print(f"  {len(run.those('not'))} of {len(faults)} entries do not concern it.")
        print(
            f"{counted(len(looked), 'filed run or study', 'filed runs and studies')} looked at; docs/faults.md has all."
        )
    if any(run.damaged or run.those("concerned") for run in looked):
        raise typer.Exit(1)


@app.command()
def validate(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, plan.toml, with the study file beside it.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="The folder of the validation; one that was interrupted goes on there.")
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Print the digest of plan and study file, to be signed, and run nothing.")
    ] = False,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Processes to use.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> None:
    """Validate Idiograph on the laboratory's own texts, by criteria that are fixed before anything is scored.

    Exit code 1 if a criterion is not met, or if plan or study file were changed once there were trials.
    """
    from idiograph.laboratory.acceptance import as_record, file_acceptance, read_plan
    from idiograph.laboratory.acceptance import validate as run_plan

    if fix:
        fixed = read_plan(plan)
        many = counted(len(fixed.plan.criteria), "criterion", "criteria")
        print(f"{many}; digest of plan and study file: {fixed.digest}")
        return
    if out is None:
        raise typer.BadParameter("a folder is needed, such as --out validation", param_hint="--out")
    done = run_plan(plan, out, workers=n_workers(workers))
    report = file_acceptance(done, out)
    if as_json:
        print(json.dumps(as_record(done), indent=1))
    else:
        for judged in done.judged:
            value = judged.remark or f"{judged.found.value:.3g}"
            where = f"{judged.criterion.method}, {judged.corpus}, {judged.condition}"
            outcome = "pass" if judged.passes else "FAIL"
            print(f"{outcome}: {judged.criterion.name} {judged.criterion.limit} ({where}): {value}")
        print(f"Digest of plan and study file: {done.fixed.digest}")
        print(done.sentence)
        print(f"The report: {report[0]} (also .docx, .pdf and .json)")
    if not done.passed:
        raise typer.Exit(1)
