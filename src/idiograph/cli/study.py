"""`idiograph study`: a study file to trials, tables, figures and a page."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from idiograph.checking import n_workers
from idiograph.cli.app import app
from idiograph.cli.options import Workers
from idiograph.errors import counted, print
from idiograph.files import as_path

if TYPE_CHECKING:
    from idiograph.studies.study import StudyResult


@app.command()
def study(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE", help="The study file, study.toml; with --join, results folders.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The results folder; a study that was interrupted resumes there, and more is added to it."),
    ] = None,
    paper: Annotated[
        Path | None,
        typer.Option(
            help="Run the protocol of Barlow, Nini & Manino 2026 on this folder, in which every table or folder is a "
            "corpus; the study file is put into the results folder, to be changed and run again."
        ),
    ] = None,
    join: Annotated[
        bool, typer.Option("--join", help="Join the results folders that are named into one study, scoring nothing.")
    ] = False,
    workers: Workers = None,
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
        Path | None, typer.Option(help="Check a bundle: its digests, and all that it holds against its trials.")
    ] = None,
) -> None:
    """Run a study and print how well each method does; tables, figures and a page go into the results folder."""
    # Imported late: nothing else needs them.
    from idiograph.output.forecast import forecast
    from idiograph.provenance import digest
    from idiograph.studies.joining import join_studies
    from idiograph.studies.llrs import read_programs
    from idiograph.studies.paper import paper_study
    from idiograph.studies.settings import read_study
    from idiograph.studies.study import run_settings

    files = files or []
    if check is not None:
        if files or out is not None or dry_run or bundle is not None or paper is not None or join:
            raise typer.BadParameter(
                "it is used alone: leave out the study file and other options", param_hint="--check"
            )
        _check(check, as_json=as_json)
    if names and bundle is None:
        raise typer.BadParameter("it belongs to --bundle, which says where to write", param_hint="--names")
    if join:
        if paper is not None or dry_run or workers is not None or cluster is not None:
            raise typer.BadParameter(
                "nothing is scored: name results folders and --out, and leave out --paper, --dry-run, --workers and "
                "--cluster",
                param_hint="--join",
            )
        _tell(join_studies(files, _needed(out)), _needed(out), bundle=bundle, names=names, as_json=as_json)
        return
    if paper is not None and files:
        raise typer.BadParameter("it makes the study file itself; leave out the file", param_hint="--paper")
    if paper is None and len(files) != 1:
        raise typer.BadParameter("a study file is needed, such as study.toml, and only one", param_hint="FILE")
    if paper is not None:
        settings, sentences = paper_study(paper, paper if dry_run else _needed(out))
        file = None
        for sentence in sentences:
            print(f"idiograph: {sentence}", file=sys.stderr)
    else:
        file = files[0]
        settings = read_study(file)
    if dry_run:
        ahead = forecast(settings, workers=workers)
        print(json.dumps(ahead.as_json(), indent=1, ensure_ascii=False) if as_json else ahead.words)
        raise typer.Exit((1 if ahead.problems else 2) if ahead.refused else 0)  # as the run would
    folder = _needed(out)
    if cluster is not None and workers is not None:
        raise typer.BadParameter("the cluster has its own workers; leave out one of the two", param_hint="--workers")

    programs = read_programs(settings)
    for name, content in programs.items():
        sentence = f"{settings.folder / name}, a program that comes with the study, is run (SHA-256 {digest(content)})"
        print(f"idiograph: {sentence}.", file=sys.stderr)
    here = None if cluster else n_workers(workers)
    result = run_settings(settings, folder, file=file, workers=here, cluster=cluster, programs=programs)
    _tell(result, folder, bundle=bundle, names=names, as_json=as_json)


def _needed(out: Path | None) -> Path:
    """The results folder, which must be named."""
    if out is None:
        raise typer.BadParameter("a results folder is needed, such as --out results", param_hint="--out")
    return as_path(out, "The folder of the results")


def _tell(result: "StudyResult", out: Path, *, bundle: Path | None, names: bool, as_json: bool) -> None:
    """Writes the page, prints the result, and ends the command with 1 where something was refused."""
    from idiograph.output.bundle import write_bundle
    from idiograph.output.study_page import publish
    from idiograph.studies.llrs import warned_fits

    page = publish(result, out)
    if as_json:
        print(json.dumps(_as_json(result), indent=1))
    else:
        _say(result, page)
    if bundle is not None:
        whole = write_bundle(result, bundle, names=names)
        print(f"idiograph: {bundle} holds the study (digest {whole}).", file=sys.stderr)
    for (corpus, condition), reasons in result.left_out.items():
        for why, count in reasons.items():
            print(f"idiograph: {corpus}, {condition}: {counted(count, 'author')} left out ({why}).", file=sys.stderr)
    if (warned := warned_fits(result.fits)) is not None:
        print(f"idiograph: {warned}", file=sys.stderr)
    for why in result.refused.values():
        print(f"idiograph: refused: {why}", file=sys.stderr)
    if result.refused:
        raise typer.Exit(1)


def _check(bundle: Path, *, as_json: bool) -> NoReturn:
    """Says what is wrong with a bundle, and ends the command."""
    from idiograph.casework.verification import plain
    from idiograph.output.bundle import check_bundle

    check = check_bundle(bundle)
    if as_json:
        record = {"schema": 1, "bundle": str(bundle), **plain(check)}
        print(json.dumps(record, indent=1, ensure_ascii=False))
    else:
        for sentence in check.wrong:
            print(sentence)
        if not check.wrong:
            print(
                f"{bundle}: every file is as its digest says, and all {check.n_files} of them follow from the trials. "
                f"It does not show: {'; '.join(check.not_shown)}."
            )
        print(f"Digest of the whole, to compare with what its author printed or published: {check.digest}")
    raise typer.Exit(1 if check.wrong else 0)


def _as_json(result: "StudyResult") -> dict[str, Any]:
    rows = [
        {"corpus": corpus, "condition": condition, "method": method, "cllr": [float(value) for value in values]}
        for (corpus, condition), methods in result.summary.cllrs.runs.items()
        for method, values in methods.items()
    ]
    refused = [{"corpus": c, "condition": d, "why": why} for (c, d), why in result.refused.items()]
    return {"schema": 1, "signature": result.signature, "cllr": rows, "refused": refused}


def _say(result: "StudyResult", page: Path) -> None:
    from idiograph.output.study_tables import (
        attack_table,
        lengths_table,
        markdown,
        paper_table,
        papers_grids,
        spread_in_words,
        table2,
        table3,
    )
    from idiograph.studies.summary import Cllrs, lengths_of

    summary, study = result.summary, result.study
    of_paper = papers_grids(summary.grids)
    # A grid of the paper's has a table of its own, as there: its hundred rows are on the page.
    runs = {where: row for where, row in summary.cllrs.runs.items() if not of_paper or lengths_of(where[1]) is None}
    if runs:
        varied = {where: summary.varied[where] for where in runs if where in summary.varied}
        print(markdown(table3(Cllrs(runs), spread_in_words(varied))))
    if of_paper or any(corpus.paper for corpus in study.corpora):
        print(markdown(table2(summary.wins)))
    if any(corpus.paper for corpus in study.corpora):
        print(markdown(paper_table(study, summary.cllrs)))
    if of_paper:
        print(markdown(lengths_table(summary.means, study.baseline)))
    if result.attacks:
        print(markdown(attack_table(result.attacks)))
    print(result.signature)
    print(f"The page: {page}")
