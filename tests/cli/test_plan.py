"""idiograph plan: a page, JSON or a figure."""

import json
from pathlib import Path

import pytest

from made_texts import command, write_case


def test_a_page_a_figure_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_case(tmp_path, n_authors=6)
    at_hand = [
        "--questioned", tmp_path / "q.txt", "--known", tmp_path / "known", "--reference", tmp_path / "reference",
        "--masking", "masked",
    ]  # fmt: skip
    figure = tmp_path / "plan.svg"
    assert command("plan", *at_hand, "--figure", figure) == 0
    text = capsys.readouterr().out
    assert "6 of 6 authors at these lengths" in text
    assert "What helps most" in text
    assert figure.read_bytes().startswith(b"<?xml")
    assert command("plan", *at_hand, "--json", "--workers", 1) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["n_taking_part"] == 6
    assert plan["authors_for"] == [{"lr": lr, "n_authors": lr} for lr in (10, 100, 1_000)]
    assert command("plan", *at_hand, "--figure", figure) == 2
    assert "already exists and is not overwritten" in capsys.readouterr().err
    assert command("plan", *at_hand, "--figure", figure, "--force") == 0


def test_mistakes_get_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("plan") == 2
    assert "nothing to plan with" in capsys.readouterr().err
    assert command("plan", "--known", "300", "--figure", tmp_path / "plan.gif") == 2
    assert "must end in .svg or .png" in capsys.readouterr().err
    assert command("plan", "--known", tmp_path / "none") == 2
    assert "none" in capsys.readouterr().err
