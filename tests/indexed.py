"""A case of files on its index."""

from pathlib import Path

from idiograph.casework.case import Case
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.comparison_texts import CaseTexts
from idiograph.casework.inputs import read_inputs


def index_of(folder: Path, **changed: object) -> tuple[CaseIndex, CaseTexts]:
    case = Case(
        questioned={"Q1": folder / "q.txt"},
        known={"lee": folder / "known"},
        reference=folder / "reference",
        population="made-up people",
        masking="masked",
        repetitions=5,
        **{"primary": "hapax", **changed},
    )
    inputs = read_inputs(case)
    return CaseIndex.of(case, inputs, workers=1), inputs.texts("Q1", "lee")
