"""Writes the generated pages again: python docs/build.py. A test fails while a page differs from what this writes."""

import runpy
from pathlib import Path

import typer

from idiograph.cli import app
from idiograph.evidence.scales import SCALES, scale_table

DOCS = Path(__file__).resolve().parent


def cli_reference() -> str:
    """docs/cli.md: every command with its arguments and options, from the help texts themselves."""
    pages = [
        "# Command line",
        "",
        "Made from the commands' own help by `make docs`. Exit codes: 0 done, 1 finished with a refusal or a failed",
        "replay, 2 the user's mistake, 130 interrupted. Results go to standard output, messages and progress to standard",
        "error.",
        "",
    ]
    group = typer.main.get_command(app)
    context = typer.Context(group)
    for name in sorted(group.list_commands(context)):  # type: ignore[attr-defined]
        command = group.get_command(context, name)  # type: ignore[attr-defined]
        pages += [f"## `idiograph {name}`", "", (command.help or "").strip(), ""]
        rows = [_row(parameter) for parameter in command.params if parameter.name != "help"]
        if rows:
            pages += ["| argument or option | default | meaning |", "|---|---|---|", *rows, ""]
    return "\n".join(pages)


def _row(parameter: typer.core.TyperArgument | typer.core.TyperOption) -> str:
    if parameter.param_type_name == "argument":
        name = f"`{(parameter.metavar or parameter.name or '').upper()}`"
    else:
        name = ", ".join(f"`{option}`" for option in [*parameter.opts, *parameter.secondary_opts])
    default = parameter.default
    shown = "" if default is None or default is False or callable(default) or default == () else f"`{default}`"
    shown = "required" if parameter.required else shown
    meaning = " ".join((getattr(parameter, "help", None) or "").split()).replace("|", "\\|")
    return f"| {name} | {shown} | {meaning} |"


def with_scales(page: str) -> str:
    """docs/evidence.md with the tables of the verbal scales as the program holds them."""
    for chosen in SCALES.values():
        start, end = f"<!-- scale {chosen.key} -->\n", "<!-- end -->"
        before, rest = page.split(start, 1)
        page = before + start + scale_table(chosen) + end + rest.split(end, 1)[1]
    return page


def main() -> None:
    """Writes every generated page."""
    (DOCS / "cli.md").write_text(cli_reference(), encoding="utf-8")
    evidence = DOCS / "evidence.md"
    evidence.write_text(with_scales(evidence.read_text(encoding="utf-8")), encoding="utf-8")
    runpy.run_path(str(DOCS / "validation" / "build.py"))["build"]()


if __name__ == "__main__":
    main()
