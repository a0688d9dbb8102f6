"""What the number rests on: every change in its table and its figure, or that none was tried."""

from dataclasses import replace

from idiograph.casework.verification import ValueRange
from idiograph.output.annexes import sensitivity
from idiograph.output.document import Paragraph, Picture, Table
from made_up_case import comparison


def test_every_change_has_its_row() -> None:
    blocks = list(sensitivity(comparison(), "p_"))
    tables = {block.caption: block for block in blocks if isinstance(block, Table)}
    assert [row[0] for row in tables["Corrections and calibration"].rows] == [
        "Hapax Correction", "Square Root Correction"
    ]  # fmt: skip
    assert tables["Each known text left out in turn"].rows[0][0] == "without k1.txt"
    assert [row[0] for row in tables["Other random draws of the reference (seeds)"].rows] == ["seed 2", "seed 3"]
    assert tables["Other lengths of n-gram (N)"].rows[0][0] == "N = 8"
    assert [block.name for block in blocks if isinstance(block, Picture)] == ["p_sensitivity"]


def test_the_range_is_said() -> None:
    moves = ValueRange(0.0, 3.0, 200, 5, 3, 1, "It ranges from 1 to 20.")
    blocks = sensitivity(replace(comparison(), range=moves), "")
    text = " ".join(run.text for block in blocks if isinstance(block, Paragraph) for run in block.runs)
    assert "It ranges from 1 to 20." in text


def test_what_was_not_examined_is_said() -> None:
    blocks = list(sensitivity(replace(comparison(), sensitivity=None), ""))
    assert [block.runs[0].text for block in blocks if isinstance(block, Paragraph)] == [
        "The sensitivity of the result was not examined."
    ]
