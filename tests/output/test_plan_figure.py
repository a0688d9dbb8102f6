"""The figure of a plan shows the published figures and the authors, and says so in words."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from idiograph.casework.case import PlanRequest
from idiograph.casework.plan import plan_case
from idiograph.output.case_figures import plan_figure, write_plan_figure
from made_texts import write_case


def test_the_data_and_the_words_are_those_of_the_plan(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=7)
    request = PlanRequest(
        reference=str(tmp_path / "reference"), known="400", questioned="200", masking="masked", primary="hapax"
    )
    plan = plan_case(request)
    plot = plan_figure(plan)
    rows = list(csv.DictReader(io.StringIO(plot.csv)))
    assert [float(row["cllr"]) for row in rows] == [row.cllr for row in plan.expected]
    assert "1,000/3,000 0" in plot.alt
    assert plot.alt.endswith("for this case: 7.")
    few = plan_figure(plan_case(replace(request, primary="normalised")))  # which takes eight
    assert few.alt.endswith("for this case: none, for they are too few.")


@pytest.mark.parametrize(
    "request_", [PlanRequest(known="500"), PlanRequest(reference="2000"), PlanRequest(reference="3")]
)
@pytest.mark.parametrize(("suffix", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_a_file_of_either_kind(tmp_path: Path, request_: PlanRequest, suffix: str, start: bytes) -> None:
    path = tmp_path / f"plan.{suffix}"
    write_plan_figure(plan_case(request_), path)
    assert path.read_bytes().startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [path.name]
