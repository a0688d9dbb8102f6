"""The published validation is what its stored trials say, and its trials hold no text."""

import runpy
from csv import reader
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

HERE = Path(__file__).resolve().parents[1] / "docs" / "validation"


@pytest.fixture(scope="module")
def build() -> dict[str, Any]:
    return runpy.run_path(str(HERE / "build.py"))


def test_the_page_and_its_tables_are_made_from_the_stored_trials(build: dict[str, Any]) -> None:
    from idiograph.output.tables import csv

    found = build["load"]()
    assert (HERE / "README.md").read_text(encoding="utf-8") == build["page"](found)
    tables = list(build["tables"](found))
    assert {f"{table.name}.csv" for table in tables} == {path.name for path in (HERE / "tables").iterdir()}
    for table in tables:
        kept = (HERE / "tables" / f"{table.name}.csv").read_text(encoding="utf-8")
        for one, other in zip(reader(kept.splitlines()), reader(csv(table).splitlines()), strict=True):
            # To the last digits: another processor's logarithms may end otherwise.
            assert [_number(cell) for cell in one] == [pytest.approx(_number(cell), rel=1e-9) for cell in other]


def test_the_stored_trials_are_small_and_numbers_and_names_only() -> None:
    path = HERE / "trials.parquet"
    assert path.stat().st_size < 500_000
    table = pq.read_table(path)
    texts = [name for name in table.column_names if "string" in str(table.schema.field(name).type)]
    assert texts == ["corpus", "condition", "half", "k_author", "q_author"]


def _number(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell
