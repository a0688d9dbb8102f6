"""`idiograph study`: a study file to trials, tables, figures and a page."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from idiograph.checking import n_workers
from idiograph.cli.app import app
from idiograph.errors import counted, print
from idiograph.files import as_path

if TYPE_CHECKING:
    from idiograph.studies.study import StudyResult


@app.command()
def study(
    file: Annotated[Path | None, typer.Argument(help="The study file, study.toml.", show_default=False)] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The results folder; a study that was interrupted resumes there, and more is added to it."),
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes to use (default: one per processor).")] = None,
    cluster: Annotated[
        str | None, typer.Option(help="The address of a dask scheduler, tcp://host:8786, to run on its workers.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done and how long it would take.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    bundle: Annotated[
        Path | None,
        typer.Option(help="Write the results to one file to share: no texts, and pseudonyms for authors and text ids."),
    ] = None,
    names: Annotated[bool, typer.Option("--names", help="Keep the names of authors and texts in the bundle.")] = False,
    check: Annotated[
        Path | None, typer.Option(help="Check a bundle: its digests, and its tables against its trials.")
    ] = None,
) -> None:
    """Run a study and print how well each method does; tables, figures and a page go into the results folder."""
    # Imported late: nothing else needs them.
    from idiograph.output.bundle import write_bundle
    from idiograph.output.forecast import forecast
    from idiograph.output.study_page import publish
    from idiograph.studies.settings import read_study
    from idiograph.studies.study import run_settings

    if check is not None:
        if file is not None or out is not None or dry_run or bundle is not None:
            raise typer.BadParameter(
                "it stands alone: leave out the study file and other options", param_hint="--check"
            )
        _check(check, as_json=as_json)
    if file is None:
        raise typer.BadParameter("a study file is needed, such as study.toml", param_hint="FILE")
    if names and bundle is None:
        raise typer.BadParameter("it belongs to --bundle, which says where to write", param_hint="--names")
    settings = read_study(file)
    if dry_run:
        ahead = forecast(settings, workers=workers)
        print(json.dumps(ahead.as_json(), indent=1, ensure_ascii=False) if as_json else ahead.words)
        raise typer.Exit((1 if ahead.problems else 2) if ahead.refused else 0)  # as the run would
    if out is None:
        raise typer.BadParameter("a results folder is needed, such as --out results", param_hint="--out")
    if cluster is not None and workers is not None:
        raise typer.BadParameter("the cluster has its own workers; leave out one of the two", param_hint="--workers")

    here = None if cluster else n_workers(workers)
    result = run_settings(settings, as_path(out, "The folder of the results"), file=file, workers=here, cluster=cluster)
    page = publish(result, out)
    if as_json:
        print(json.dumps(_as_json(result), indent=1))
    else:
        _say(result, page)
    if bundle is not None:
        content = write_bundle(result, bundle, names=names)
        print(f"idiograph: {bundle} holds the study (digest {content}).", file=sys.stderr)
    for (corpus, condition), reasons in result.left_out.items():
        for why, count in reasons.items():
            print(f"idiograph: {corpus}, {condition}: {counted(count, 'author')} left out ({why}).", file=sys.stderr)
    for why in result.refused.values():
        print(f"idiograph: refused: {why}", file=sys.stderr)
    if result.refused:
        raise typer.Exit(1)


def _check(bundle: Path, *, as_json: bool) -> NoReturn:
    """Says what is wrong with a bundle, and ends the command."""
    from idiograph.output.bundle import check_bundle

    wrong = check_bundle(bundle)
    if as_json:
        print(json.dumps({"schema": 1, "bundle": str(bundle), "wrong": list(wrong)}, indent=1, ensure_ascii=False))
    else:
        print("\n".join(wrong) or f"{bundle}: every file is as its digest says, and the tables follow from the trials.")
    raise typer.Exit(1 if wrong else 0)


def _as_json(result: "StudyResult") -> dict[str, Any]:
    rows = [
        {"corpus": corpus, "condition": condition, "method": method, "cllr": [float(value) for value in values]}
        for (corpus, condition), methods in result.summary.cllrs.runs.items()
        for method, values in methods.items()
    ]
    refused = [{"corpus": c, "condition": d, "why": why} for (c, d), why in result.refused.items()]
    return {"schema": 1, "signature": result.signature, "cllr": rows, "refused": refused}


def _say(result: "StudyResult", page: Path) -> None:
    from idiograph.output.study_tables import attack_table, markdown, spread_in_words, table3

    print(markdown(table3(result.summary.cllrs, spread_in_words(result.study))))
    if result.attacks:
        print(markdown(attack_table(result.attacks)))
    print(result.signature)
    print(f"The page: {page}")
