"""The command-line application that the command modules add their commands to."""

from typing import Annotated, Any

import typer
from rich.text import Text
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from idiograph.errors import InputError, print
from idiograph.provenance import VERSION
from idiograph.settings import all_missing


class _Plain:
    """What the help of a command and that of all commands have in common: a switch has no type."""

    def get_help_option(self, ctx: Any) -> TyperOption | None:
        option: TyperOption | None = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.metavar = " "
        return option


class Commands(_Plain, TyperGroup):
    """All commands."""


class Command(_Plain, TyperCommand):
    """A command whose help says no type of Python, and which names all that is missing at once."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in (self.help or "").split("\n\n"))
        for parameter in self.params:
            if isinstance(parameter, TyperArgument):
                vars(parameter).update(display_type_rich=lambda ctx: None)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        wanted = [parameter for parameter in self.params if parameter.required and not given.get(parameter.name)]
        if wanted and not given.get("help"):
            names = (each.metavar if isinstance(each, TyperArgument) else each.opts[0] for each in wanted)
            meanings = (Text.from_markup(getattr(each, "help", None) or "").plain for each in wanted)
            raise InputError(all_missing(dict(zip(map(str, names), meanings, strict=True))))
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="idiograph",
    cls=Commands,
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
