"""The commands that look at the texts of a case, without a score: concordance and map."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from idiograph.cli.app import app
from idiograph.errors import InputError, counted, print
from idiograph.files import refuse_to_overwrite

_CASE = typer.Argument(metavar="CASE.TOML", help="The case file.")
_WORKERS = typer.Option("--workers", min=1, help="Processes to use (default: one per processor).")


@app.command()
def concordance(
    case_file: Annotated[Path, _CASE],
    query: Annotated[str, typer.Argument(metavar="WORDS", help="A word or phrase, or with --masked a pattern.")],
    masked: Annotated[
        bool, typer.Option("--masked", help="Look in the masked tokens, as in 'the N of'; * is any one token.")
    ] = False,
    most: Annotated[int, typer.Option("--most", min=0, help="Lines of each side to print.")] = 40,
    workers: Annotated[int | None, _WORKERS] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Where do Q, K and the reference have a word or a masked pattern, and how often does each author?"""
    from idiograph.casework.case import read_case
    from idiograph.casework.concordance import concordance as look_up
    from idiograph.casework.inputs import read_inputs
    from idiograph.checking import n_workers

    answer = look_up(read_inputs(read_case(case_file), workers=n_workers(workers)), query, masked=masked, most=most)
    if as_json:
        print(json.dumps({**asdict(answer), "rates": [use.rate for use in answer.uses]}))
        return
    print(f"{answer.query}: {counted(answer.n, 'time')}, {'masked' if masked else 'as written'}")
    for use in answer.uses:
        name = use.side if use.author is None else f"  {use.author}"
        print(f"{name:24} {use.n:>7,}  {use.rate:8.2f} per 1,000 tokens, in {use.n_texts:,} of {use.of_texts:,} texts")
    for line in answer.lines:
        print(f"{line.text_id[-28:]:28} {line.before:>60} [{line.match}] {line.after:.60}")


@app.command("map")
def map_(
    case_file: Annotated[Path, _CASE],
    out: Annotated[Path, typer.Option("--out", help="The figure, .svg or .png; its numbers go beside it as .csv.")],
    questioned: Annotated[str, typer.Option("--questioned", help="The label of Q (default: the first).")] = "",
    candidate: Annotated[str, typer.Option("--candidate", help="The candidate (default: the first).")] = "",
    force: Annotated[bool, typer.Option("--force", help="Overwrite the figure.")] = False,
    workers: Annotated[int | None, _WORKERS] = None,
) -> None:
    """Draw all texts of a case by how alike they are to Q and to K in what masking leaves."""
    from idiograph.casework.case import read_case
    from idiograph.casework.inputs import read_inputs
    from idiograph.casework.text_map import text_map
    from idiograph.checking import n_workers
    from idiograph.output.case_figures import write_map_figure

    if out.suffix not in (".svg", ".png"):
        raise InputError(f"{out} does not end in .svg or .png. Name the figure by one of them.")
    refuse_to_overwrite(out, force=force)
    case = read_case(case_file)
    label, known = questioned or next(iter(case.questioned)), candidate or next(iter(case.known))
    for name, there in ((label, case.questioned), (known, case.known)):
        if name not in there:
            raise InputError(f"The case has no {name}. It has {', '.join(there)}.")
    points = text_map(read_inputs(case, workers=n_workers(workers)).texts(label, known))
    print(write_map_figure(points, out))
