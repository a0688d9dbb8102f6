"""The documentation says what the program does: generated pages are up to date, and every option is explained."""

import re
import runpy
from pathlib import Path

import typer

from idiograph.cli import app

ROOT = Path(__file__).resolve().parents[2]
BUILD = runpy.run_path(str(ROOT / "docs" / "build.py"))
GROUP = typer.main.get_command(app)
COMMANDS = {name: GROUP.get_command(None, name) for name in GROUP.list_commands(None)}


def test_the_command_reference_is_the_commands_own_help() -> None:
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == BUILD["cli_reference"]()


def test_the_readme_shows_what_its_example_prints_and_what_was_measured() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert BUILD["readme"](page) == page


def test_every_command_and_option_is_explained() -> None:
    assert all(command.help for command in COMMANDS.values())
    silent = [
        f"{name} {parameter.name}"
        for name, command in COMMANDS.items()
        for parameter in command.params
        if parameter.name != "help" and not getattr(parameter, "help", None)
    ]
    assert not silent


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    broken = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
        if not target.startswith("http") and not (page.parent / target).exists()
    ]
    assert len(pages) > 5
    assert not broken
