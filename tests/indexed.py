"""A case of files on its index."""

from pathlib import Path

from idiograph.casework.case_index import CaseIndex
from idiograph.casework.inputs import CaseTexts, read_inputs
from made_texts import case_of


def index_of(folder: Path, **changed: object) -> tuple[CaseIndex, CaseTexts]:
    case = case_of(folder, **changed)
    inputs = read_inputs(case)
    return CaseIndex.of(case, inputs, workers=1), inputs.texts("Q1", "lee")
