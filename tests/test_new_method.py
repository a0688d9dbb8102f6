"""A new method is one entry in one table: a study, its tables and figures, and a case's annex find it there."""

import csv
from pathlib import Path

import numpy as np
import pytest

import idiograph
from idiograph import write_reports
from idiograph.evidence.methods import METHODS, OWN, Method
from idiograph.output.study_page import publish
from idiograph.studies.study import run_study
from made_study import folder_with_study
from made_texts import case_of, write_case

HALF = Method(
    key="half",
    name="Half Correction",
    short="Half",
    formula="ln LR = λG / 2",
    source=OWN,
    explained="it is halved",
    values=lambda scores: scores.lambda_g / 2,
)


@pytest.fixture(autouse=True)
def _half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "half", HALF)


def column(path: Path, name: str) -> set[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row[name] for row in csv.DictReader(file)}


def test_a_study_its_tables_and_its_figures_have_it(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path, extra='use = ["hapax", "half", "logistic"]\n')
    out = tmp_path / "out"
    result = run_study(path, out)
    np.testing.assert_array_equal(result.trials.llr("half"), result.trials.column("lambda_g") / 2)
    publish(result, out)
    for table in ("cllr", "metrics", "performance", "table3", "methods"):
        assert "half" in column(out / f"tables/{table}.csv", "method")
    for table, name in (("table2", "against"), ("decisions", "method"), ("baseline_split", "method")):
        assert "Half" in column(out / f"tables/{table}.csv", name)
    assert "Half" in column(out / "figures/lengths_toy_random.csv", "method")
    assert "<th" in (out / "index.html").read_text(encoding="utf-8")


def test_a_case_and_its_annex_have_it(tmp_path: Path) -> None:
    verified = idiograph.verify(case_of(write_case(tmp_path / "texts", n_authors=6)))
    comparison = verified.comparisons[0]
    assert comparison.llrs["half"].nats == comparison.lambda_g / 2
    assert comparison.validation is not None
    assert "half" in comparison.validation.performance
    assert "half" in {row.label for row in comparison.sensitivity.of("correction")} if comparison.sensitivity else False
    write_reports(verified, tmp_path / "report")
    page = next((tmp_path / "report").rglob("annexes.html")).read_text(encoding="utf-8")
    assert page.count("Half Correction") >= 2  # in the table of corrections, and in the figure above it
