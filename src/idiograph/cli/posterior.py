"""idiograph posterior: what a prior probability becomes with a likelihood ratio."""

import json
import math
from dataclasses import asdict
from typing import Annotated

import typer

from idiograph.arithmetic import log
from idiograph.cli.app import app
from idiograph.errors import InputError
from idiograph.evidence.llr import to_nats
from idiograph.printing import print


@app.command()
def posterior(
    prior: Annotated[float, typer.Option("--prior", help="The probability of Hp before this evidence, 0 to 1.")],
    lr: Annotated[float | None, typer.Option("--lr", help="The likelihood ratio.")] = None,
    log10_lr: Annotated[float | None, typer.Option("--log10-lr", help="Its logarithm, in place of --lr.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """What a prior probability of Hp becomes with a likelihood ratio: for those who decide, never part of a report."""
    from idiograph.evidence.posterior import posterior as posterior_of

    if (lr is None) == (log10_lr is None):
        raise InputError("Give either --lr or --log10-lr, and not both.")
    if lr is not None and not (lr > 0 and math.isfinite(lr)):
        raise InputError(f"The likelihood ratio is {lr}. It must be a finite number above 0.")
    nats = log(lr) if lr is not None else to_nats(log10_lr or 0.0, "bans")
    found = posterior_of(nats, prior)
    if as_json:
        print(json.dumps({**asdict(found), "complement": found.complement}, allow_nan=False))
        return
    print(f"Prior probability of Hp {found.prior:g}, posterior {found.probability:.6g} (of Hd {found.complement:.3g}).")
    print("The prior is not the expert's to choose: it depends on the other evidence, which is for the court.")
