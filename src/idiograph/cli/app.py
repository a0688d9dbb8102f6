"""The command-line application that the command modules add their commands to."""

from typing import Annotated

import typer

from idiograph.errors import print
from idiograph.provenance import VERSION

app = typer.Typer(
    name="idiograph",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"idiograph {VERSION}")
        raise typer.Exit


@app.callback()
def idiograph(
    version: Annotated[
        bool,
        typer.Option(
            "--version", metavar=" ", callback=_print_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """How strongly does the language of a questioned text support that this person, not someone else, wrote it?"""
