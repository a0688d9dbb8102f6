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


def test_every_generated_page_is_what_the_code_makes_of_it() -> None:
    made = BUILD["pages"]()
    names = {path.name for path in made}
    assert names == {"README.md", "cli.md", "casework.md", "evidence.md", "preparing.md", "reading.md", "studies.md"}
    assert [path.name for path, content in made.items() if path.read_text(encoding="utf-8") != content] == []


def test_square_brackets_survive_in_the_command_reference() -> None:
    assert "[Q], [candidate] and [population]" in BUILD["cli_reference"]()


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
