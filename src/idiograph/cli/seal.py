"""idiograph seal and idiograph check: digests over a filed case in one file, signed if a key is given."""

import json
from pathlib import Path
from typing import Annotated

import typer

from idiograph.cli.app import app
from idiograph.errors import counted
from idiograph.printing import print

_Case = Annotated[Path, typer.Argument(metavar="CASE", help="The folder of a filed case.")]


@app.command()
def seal(
    case: _Case,
    key: Annotated[
        Path | None, typer.Option("--key", help="Your private SSH key: the seal is signed with it (ssh-keygen -Y).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Seal the case anew if it is sealed already.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Seal a filed case: digests of its inputs, case file, runs and reports in seal.json."""
    from idiograph.casework.result import plain
    from idiograph.casework.seal import INTEGRITY, NAMESPACE, SIGNATURE
    from idiograph.casework.seal import seal as seal_case

    made = seal_case(case, key=key, force=force)
    if as_json:
        print(json.dumps(plain(made), allow_nan=False))
        return
    for name in made.edited:
        print(f"{name} is not as its run wrote it, and is sealed as it is now.")
    print(f"Sealed {counted(made.n_files, 'file')} and {counted(made.n_inputs, 'input')}: {made.path}")
    signed = f"Signed: {case / SIGNATURE} (an SSH signature, namespace {NAMESPACE})."
    print(signed if made.signed else INTEGRITY)


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
    """Check a sealed case, offline and without writing anything; exit code 1 if anything is not as it was sealed."""
    from idiograph.casework.result import plain
    from idiograph.casework.seal import check_seal

    found = check_seal(case, key=key, inputs=inputs)
    if as_json:
        print(json.dumps({"holds": found.holds, **plain(found)}, allow_nan=False))
    else:
        for what in ("changed", "missing", "added"):
            for name in getattr(found, what):
                print(f"{what}: {name}")
        verdict = "is as it was sealed" if found.holds else "is not as it was sealed"
        print(
            f"The case {verdict} on {found.sealed}: {counted(found.n_files, 'file')} and "
            f"{counted(found.n_inputs, 'input')}, "
            f"{len(found.changed)} changed, {len(found.missing)} missing, {len(found.added)} added."
        )
        print(found.sentence)
    if not found.holds:
        raise typer.Exit(1)
