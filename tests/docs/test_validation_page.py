"""The published validation's trials are small and hold no text, and what ships was learnt from them."""

import runpy
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "validation"


@pytest.mark.parametrize("name", ["trials", "matrix", "ten", "forty", "typing", "others", "attack", "languages"])
def test_the_stored_trials_are_small_and_numbers_and_names_only(name: str) -> None:
    path = FOLDER / f"{name}.parquet"
    assert path.stat().st_size < 500_000
    table = pq.read_table(path)
    texts = [column for column in table.column_names if "string" in str(table.schema.field(column).type)]
    assert set(texts) <= {"corpus", "condition", "half", "k_author", "q_author", "attack"}


def test_the_constants_that_ship_are_learnt_from_the_stored_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    stored = runpy.run_path(str(FOLDER / "stored.py"))
    assert stored["CONSTANTS"].read_text(encoding="utf-8") == stored["constants_text"]()


def test_the_default_of_a_case_is_what_the_rule_says(monkeypatch: pytest.MonkeyPatch) -> None:
    from idiograph.casework.case import Case
    from idiograph.settings import settings_of

    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    holds, why = runpy.run_path(str(FOLDER / "worth.py"))["default_holds"]()
    default = next(one.default for one in settings_of(Case) if one.name == "primary")
    assert default == ("normalised" if holds else "hapax")
    assert "236 of them" in why


def test_the_cost_of_going_without_constants_is_measured_on_the_stored_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    without = runpy.run_path(str(FOLDER / "without.py"))
    made = without["shipped_text"](without["rows"](), source="docs/validation/without.py")
    assert without["SHIPPED"].read_text(encoding="utf-8") == made
