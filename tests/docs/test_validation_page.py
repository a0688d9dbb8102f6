"""The published validation is what its stored trials say, and its trials hold no text."""

import math
import runpy
from csv import reader
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

HERE = Path(__file__).resolve().parents[2] / "docs" / "validation"


@pytest.fixture(scope="module")
def build() -> dict[str, Any]:
    return runpy.run_path(str(HERE / "build.py"))


def test_the_page_and_its_tables_are_made_from_the_stored_trials(build: dict[str, Any]) -> None:
    from idiograph.output.study.table import csv

    found = build["load"]()
    assert (HERE / "README.md").read_text(encoding="utf-8") == build["page"](found)
    tables = list(build["tables"](found))
    assert {f"{table.name}.csv" for table in tables} == {path.name for path in (HERE / "tables").iterdir()}
    for table in tables:
        kept = (HERE / "tables" / f"{table.name}.csv").read_text(encoding="utf-8")
        for one, other in zip(reader(kept.splitlines()), reader(csv(table).splitlines()), strict=True):
            assert all(_alike(cell, again) for cell, again in zip(one, other, strict=True))


def test_the_stored_trials_are_small_and_numbers_and_names_only() -> None:
    path = HERE / "trials.parquet"
    assert path.stat().st_size < 500_000
    table = pq.read_table(path)
    texts = [name for name in table.column_names if "string" in str(table.schema.field(name).type)]
    assert texts == ["corpus", "condition", "half", "k_author", "q_author"]


def _alike(one: str, other: str) -> bool:
    """Equal but for the last digits: another processor's logarithms may end otherwise."""
    try:
        return math.isclose(float(one), float(other), rel_tol=1e-9)
    except ValueError:
        return one == other
