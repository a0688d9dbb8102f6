"""docs/casework.md says what the code does: its tables come from the code, its options exist."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from idiograph.casework.findings import CATALOGUE, finding, findings_table
from idiograph.cli import app

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "casework.md").read_text(encoding="utf-8")


def part(name: str) -> str:
    return PAGE.split(f"<!-- {name}:begin -->\n")[1].split(f"<!-- {name}:end -->")[0]


def test_the_table_of_findings_is_the_catalogue() -> None:
    assert part("findings") == findings_table()
    assert len(findings_table().splitlines()) == len(CATALOGUE) + 2


def test_every_option_that_the_page_names_exists() -> None:
    named = set(re.findall(r"(?<![-\w])--[a-z][a-z0-9-]*", PAGE))
    assert {
        "--questioned",
        "--known",
        "--reference",
        "--population",
        "--out",
        "--quick",
        "--force",
        "--inputs",
    } <= named
    help_texts = [
        CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200", "TERMINAL_WIDTH": "200"}).output
        for command in ("verify", "amend", "replay", "posterior", "demo", "plan", "seal", "check")
    ]
    for option in named:
        assert any(re.search(rf"{option}\b", shown) for shown in help_texts), option


def test_a_finding_has_the_remedy_and_the_severity_of_its_kind() -> None:
    made = finding("short-q", "red", ["q.txt"], label="Q1", n=1)
    assert made.message == "Q1 has 1 token after masking."
    assert made.remedy == CATALOGUE["short-q"].remedy
    assert made.where == ("q.txt",)
    with pytest.raises(AssertionError):
        finding("one-known-text", "red", id="k.txt")
