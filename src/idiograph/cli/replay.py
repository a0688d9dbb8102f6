"""idiograph replay: a filed case run again and compared digit by digit."""

import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from idiograph.cli.app import app
from idiograph.printing import print

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
    """Run a filed case again and say digit by digit whether it comes out the same; exit code 1 if it does not."""
    from idiograph.casework.replay import replay as replay_case
    from idiograph.casework.result import plain

    again = replay_case(manifest, inputs=inputs, workers=workers or os.cpu_count() or 1)
    if as_json:
        print(json.dumps({"agrees": again.agrees, **plain(again)}, allow_nan=False))
    else:
        for package, (was, now) in again.other_versions.items():
            print(f"{package} was {was} and is {now}.", file=sys.stderr)
        for name in again.damaged:
            print(f"{name} is no longer what the manifest says.")
        for one in again.differences[:_SHOWN]:
            digits = "" if one.digits is None else f" ({one.digits} digits agree)"
            print(f"{one.where}: filed {one.filed!r}, now {one.now!r}{digits}")
        if len(again.differences) > _SHOWN:
            print(f"… and {len(again.differences) - _SHOWN:,} more.")
        if again.cause:
            print(again.cause)
        verdict = "agrees to the last digit" if again.agrees else "does not agree"
        print(
            f"The replay {verdict}: {again.n_values:,} values compared, {again.n_numbers:,} of them numbers, "
            f"{len(again.differences)} different."
        )
    if not again.agrees:
        raise typer.Exit(1)
