"""docs/casework.md says what the code does: its tables come from the code, its commands and files exist."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from idiograph.casework import case as case_file
from idiograph.casework import findings as catalogue
from idiograph.cli import app

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "casework.md").read_text(encoding="utf-8")


def part(name: str) -> str:
    return PAGE.split(f"<!-- {name} -->\n")[1].split("<!-- end -->")[0]


def test_the_table_of_findings_is_the_catalogue() -> None:
    assert part("findings") == catalogue.as_markdown()


def test_the_table_of_keys_is_the_case_file() -> None:
    assert part("case file") == case_file.as_markdown()


@pytest.mark.parametrize("command", ["verify", "replay", "posterior", "demo"])
def test_every_option_named_exists(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).output
    named = set(re.findall(r"--[a-z0-9-]+", PAGE))
    own = {
        "verify": {"--questioned", "--known", "--reference", "--population", "--out", "--quick", "--force"},
        "replay": {"--inputs"},
        "posterior": set[str](),
        "demo": set[str](),
    }[command]
    assert own <= named
    for option in own:
        assert option in shown
