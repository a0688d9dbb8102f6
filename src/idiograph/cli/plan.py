"""idiograph plan: how much text and how many authors a case would need."""

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from idiograph.casework.plan_request import PlanRequest
from idiograph.cli.app import app
from idiograph.cli.options import options
from idiograph.cli.reading_options import reads
from idiograph.errors import InputError
from idiograph.files import refuse_to_overwrite
from idiograph.printing import print
from idiograph.settings.reading import settings_from_options
from idiograph.texts.reading.options import ReadingOptions


@app.command()
@options(PlanRequest, argument="given", panel="The case to come", raw=True)
@reads
def plan(
    figure: Annotated[
        Path | None, typer.Option("--figure", help="Draw the plan into this file (.svg or .png).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the figure if it exists.")] = False,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes to use (default: one per processor).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")] = False,
    *,
    given: dict[str, Any],
    reading: ReadingOptions,
) -> None:
    """How much text, and how many authors, would a case need? Nothing is scored.

    Give what is at hand as files or folders, and what is not there yet as numbers: tokens for Q and K, authors for the
    reference.
    """
    from idiograph.casework.plan import plan_case
    from idiograph.casework.planned import plan_lines
    from idiograph.casework.result import plain

    if figure is not None:
        if figure.suffix not in (".svg", ".png"):
            raise InputError(f"The figure {figure} must end in .svg or .png.")
        refuse_to_overwrite(figure, force=force)
    made = plan_case(
        settings_from_options(PlanRequest, {**given, "reading": reading}), workers=workers or os.cpu_count() or 1
    )
    if figure is not None:
        from idiograph.output.plan_figure import write_plan_figure

        write_plan_figure(made, figure)
    if as_json:
        print(json.dumps(plain(made), allow_nan=False))
    else:
        for line in plan_lines(made):
            print(line)
