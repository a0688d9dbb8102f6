"""idiograph replay: what it prints, and its exit codes."""

import json
from pathlib import Path

import pytest

from filed_case import refile
from made_texts import command


def test_a_replay_agrees_to_the_last_digit(filed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("replay", filed / "case" / "manifest.json") == 0
    assert "agrees to the last digit" in capsys.readouterr().out


def test_a_digit_that_differs_is_named_and_ends_with_one(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As if another machine had filed other digits: result and manifest agree with each other, not with the replay."""
    case = copied / "case"
    result = json.loads((case / "result.json").read_text(encoding="utf-8"))
    result["lambda_g"] += 1e-9
    result["audit"] = []
    refile(case, result)
    assert command("replay", case / "manifest.json", "--json") == 1
    record = json.loads(capsys.readouterr().out)
    assert record["agrees"] is False
    by_place = {difference["where"]: difference for difference in record["differences"]}
    assert 8 <= by_place["lambda_g"]["digits"] <= 12
    assert by_place["audit (length)"]["filed"] == 0
    assert command("replay", case / "manifest.json") == 1
    record = capsys.readouterr().out
    assert "lambda_g: filed" in record
    assert "The difference comes from arithmetic: all 18 texts were masked exactly as they were" in record
    assert "does not agree" in record


def test_a_changed_report_is_said_and_ends_with_one(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (copied / "case" / "report.html").open("a", encoding="utf-8") as lines:
        lines.write(" ")
    assert command("replay", copied / "case" / "manifest.json") == 1
    assert "report.html is no longer what the manifest says" in capsys.readouterr().out
