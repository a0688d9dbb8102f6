"""Command-line options made from settings: one per setting, with its meaning, limits and default."""

import inspect
import sys
import typing
from collections.abc import Callable, Collection, Sequence
from functools import wraps
from typing import Annotated, Any

import typer
from rich.markup import escape

from idiograph.errors import print
from idiograph.settings import Setting, settings_from_options, settings_of
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.report import ReadingReport

Command = Callable[..., None]
Workers = Annotated[int | None, typer.Option("--workers", min=1, help="Processes to use (default: one per processor).")]


def options(
    kind: type, *, argument: str, panel: str, without: Collection[str] = (), raw: bool = False
) -> Callable[[Command], Command]:
    """Gives a command an option for each setting of `kind`; it receives the settings as its keyword `argument`.

    If `raw`, it receives a dict of those that were given instead, for `settings_from_options`. Settings that hold
    settings of their own have no option, nor do those in `without`.
    """
    settings = [setting for setting in settings_of(kind) if setting.nested is None and setting.name not in without]

    def with_options(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        others = [parameter for name, parameter in signature.parameters.items() if name != argument]
        parameters = [*others, *(_parameter(setting, panel) for setting in settings)]

        @wraps(command)
        def received(*arguments: Any, **named: Any) -> None:
            values = {setting.name: named.pop(setting.name) for setting in settings}
            given = {name: value for name, value in values.items() if value is not None and value != []}
            command(*arguments, **named, **{argument: given if raw else settings_from_options(kind, given)})

        received.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        received.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        del received.__wrapped__
        return received

    return with_options


def help_of(setting: Setting) -> str:
    """The meaning of a setting, then its limits and its default."""
    default = f"default: {setting.usual}" if setting.usual and setting.kind is not bool else ""
    notes = "; ".join(part for part in (setting.limits, default) if part)
    return f"{setting.help} ({notes})" if notes else setting.help


def _parameter(setting: Setting, panel: str) -> inspect.Parameter:
    several = typing.get_origin(setting.kind) in (tuple, Sequence)
    # Numbers come as text too, so that a wrong one gets the same sentence as in a file.
    kind = bool | None if setting.kind is bool else list[str] | None if several else str | None
    option = typer.Option(
        *((setting.option, setting.also) if setting.also else (setting.option,)),
        help=escape(f"{help_of(setting)} Can be given several times." if several else help_of(setting)),
        rich_help_panel=panel,
        show_default=False,
        metavar="CHOICE" if setting.known else _type_in_words(setting.kind),
    )
    return inspect.Parameter(
        setting.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option]
    )


def _type_in_words(kind: Any) -> str:
    """What people call the values of a type: NUMBER, TEXT or PATH; nothing for a switch."""
    kinds = {kind, *typing.get_args(kind)}
    kinds |= {inner for outer in kinds for inner in typing.get_args(outer)}
    named = ((bool, " "), (int, "NUMBER"), (float, "NUMBER"), (str, "TEXT"))
    return next((words for type_, words in named if type_ in kinds), "PATH")


def name_types(command: Command | None) -> None:
    """Lets the help of a command say its types as people do, where it does not name them itself."""
    for parameter in inspect.signature(command, eval_str=True).parameters.values() if command else ():
        if typing.get_origin(parameter.annotation) is Annotated:
            kind, *about = typing.get_args(parameter.annotation)
            for parameter_info in about:
                if isinstance(parameter_info, typer.models.ParameterInfo) and parameter_info.metavar is None:
                    parameter_info.metavar = _type_in_words(kind)


# Gives a command the reading options; it receives them as one argument `reading: ReadingOptions`.
reads = options(ReadingOptions, argument="reading", panel="Reading")


def say(report: ReadingReport) -> None:
    """Prints how a reading went on standard error."""
    for line in report.lines():
        print(line, file=sys.stderr)
