"""The documentation says what the program does: generated pages are up to date, and every option is explained."""

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import typer

from idiograph.cli import app

ROOT = Path(__file__).resolve().parents[2]
BUILD = runpy.run_path(str(ROOT / "docs" / "build.py"))
GROUP = typer.main.get_command(app)
COMMANDS = {name: GROUP.get_command(None, name) for name in GROUP.list_commands(None)}


def test_make_docs_runs_to_the_end_and_changes_nothing(tmp_path: Path) -> None:
    for folder in ("docs", "benchmarks"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    for name in ("README.md", "pyproject.toml", "requirements.lock", "requirements-spanish.lock"):
        shutil.copy(ROOT / name, tmp_path)
    subprocess.run([sys.executable, "-B", tmp_path / "docs" / "build.py"], check=True, cwd=tmp_path)
    made = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    assert {Path("README.md"), Path("docs/cli.md"), Path("docs/validation/tables/table3.csv")} <= made
    # A picture may differ in its last digits where the processor does.
    made = {path for path in made if path.suffix != ".svg"}
    made.remove(Path("docs/validation/developmental_validation.pdf"))  # made when it is needed, and not kept
    changed = [path for path in made if (tmp_path / path).read_bytes() != (ROOT / path).read_bytes()]
    assert changed == []


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
