"""CSV that a spreadsheet shows and never runs."""

import csv
import io
from dataclasses import replace

import numpy as np

from idiograph.errors import visible
from idiograph.output import heatmap
from idiograph.spreadsheet import csv_rows, csv_text, written
from made_up_case import HOSTILE, comparison


def test_cells_that_a_spreadsheet_would_run_are_inert_and_numbers_are_not_touched() -> None:
    odd = ["=cmd()", "+1", "-1", "@x", "\tx", "\rx", "＝1", "plain", HOSTILE]
    table = csv_text({"text": odd, "number": [-0.5] * len(odd)})
    rows = list(csv.reader(io.StringIO(table, newline="")))
    assert [row[0] for row in rows[1:8]] == [f"'{visible(cell)}" for cell in odd[:7]]
    assert [row[0] for row in rows[8:]] == ["plain", visible(HOSTILE)]
    assert "\x00" not in table
    assert {row[1] for row in rows[1:]} == {"-0.5"}


def test_a_formula_behind_another_separator_is_inert_and_no_number_is_touched() -> None:
    """Where spreadsheets separate by semicolons or tabs, quotes in the middle of a line protect nothing."""
    odd = ["Lee;=1+1", "Lee; =1+1", "a\t@b", "a\n-b", "x;'=1", ";＝1", 'x;"=1+1;y', 'a\t" "@b']
    numbers = [-0.5, -1, -1e-300, 0.1 + 0.2, float(np.float64(-2) / 3), -7, 0.0, 3]
    table = csv_text({"number": numbers, "text": odd})
    for separator in (";", "\t", "\n"):
        # Split at every separator, and as a spreadsheet reads quotes: those that end begin a cell, and more may follow.
        cells = [cell for row in csv.reader(io.StringIO(table), delimiter=separator) for cell in row[1:]]
        for piece in (*table.split(separator)[1:], *(cells if separator != "\n" else ())):
            text = piece.lstrip(" ")
            assert not text.startswith(("=", "+", "@", "＝"))
            if text.startswith("-"):
                float(text.split(",")[0])
    rows = list(csv.reader(io.StringIO(table, newline="")))[1:]
    assert [float(number) for number, _ in rows] == numbers
    assert [written(text) for _, text in rows] == odd


def test_a_hostile_word_is_inert_in_tokens_csv() -> None:
    hostile = comparison()
    told = hostile.explanation
    bad = replace(told.tokens[0], original="=cmd()|' /C calc'!A0", text_id="@evil.txt", masked="-")
    hostile = replace(hostile, candidate="+Lee", explanation=replace(told, tokens=(bad, *told.tokens[1:])))
    for row in csv.reader(io.StringIO(heatmap.tokens_csv([hostile]))):
        for cell in row:
            assert not cell.startswith(("=", "+", "@"))
            if cell.startswith("-"):
                float(cell)


def test_controls_are_written_out() -> None:
    assert csv_rows(["a\x1b[2J\x9bb\tc"], [[None, 0.1]]) == "a⟨U+001B⟩[2J⟨U+009B⟩b\tc\r\n,0.1\r\n"


def test_a_cell_reads_back_as_it_was() -> None:
    cells = ["=1+1", "-", "＋1", "'tis", "'", "plain", "'=1", "Lee;=1+1", "Lee;'=1+1", "a;\t=b", 'a;"=b"']
    rows = csv.reader(io.StringIO(csv_text({"cell": cells}), newline=""))
    assert [written(cell) for (cell,) in rows] == ["cell", *cells]
