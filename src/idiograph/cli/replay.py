"""idiograph replay: a filed case run again; idiograph posterior: what a prior becomes with a likelihood ratio."""

import json
import math
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from idiograph.cli.app import app
from idiograph.cli.printing import print
from idiograph.errors import InputError


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
        for one in again.differences[:20]:
            digits = "" if one.digits is None else f" ({one.digits} digits agree)"
            print(f"{one.where}: filed {one.filed!r}, now {one.now!r}{digits}")
        if len(again.differences) > 20:
            print(f"… and {len(again.differences) - 20} more.")
        verdict = "agrees to the last digit" if again.agrees else "does not agree"
        print(
            f"The replay {verdict}: {again.n_values} values compared, {again.n_numbers} of them numbers, "
            f"{len(again.differences)} different."
        )
    if not again.agrees:
        raise typer.Exit(1)


@app.command()
def posterior(
    prior: Annotated[float, typer.Option("--prior", help="The probability of Hp before this evidence, 0 to 1.")],
    lr: Annotated[float | None, typer.Option("--lr", help="The likelihood ratio.")] = None,
    log10_lr: Annotated[float | None, typer.Option("--log10-lr", help="Its logarithm, in place of --lr.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """What a prior probability of Hp becomes with a likelihood ratio: for those who decide, never part of a report."""
    from idiograph.evidence.llr import to_nats
    from idiograph.evidence.posterior import posterior as posterior_of

    if (lr is None) == (log10_lr is None):
        raise InputError("Give either --lr or --log10-lr, and not both.")
    if lr is not None and not (lr > 0 and math.isfinite(lr)):
        raise InputError(f"The likelihood ratio is {lr}. It must be a finite number above 0.")
    nats = math.log(lr) if lr is not None else to_nats(log10_lr or 0.0, "bans")
    found = posterior_of(nats, prior)
    if as_json:
        print(json.dumps({**asdict(found), "complement": found.complement}, allow_nan=False))
        return
    print(f"Prior probability of Hp {found.prior:g}, posterior {found.probability:.6g} (of Hd {found.complement:.3g}).")
    print("The prior is not the expert's to choose: it depends on the other evidence, which is for the court.")
