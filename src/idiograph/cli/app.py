"""The command-line application that the command modules add their commands to."""

import sys
from typing import Annotated

import typer

from idiograph.provenance import VERSION
from idiograph.settings.toml import printable

app = typer.Typer(name="idiograph", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


def say(text: str, *, to_stderr: bool = False) -> None:
    """Prints text in which nothing acts on the terminal: names of files and texts may hold anything."""
    lines = (printable(line.replace("\u00a0", " ")) for line in text.split("\n"))
    print("\n".join(lines), file=sys.stderr if to_stderr else sys.stdout)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"idiograph {VERSION}")
        raise typer.Exit


@app.callback()
def idiograph(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """How strongly does the language of a questioned text support that this person, not someone else, wrote it?"""
