"""A case of files on its index."""

from pathlib import Path

import numpy as np

from idiograph.casework.case_index import CaseIndex
from idiograph.casework.case_matrix import Draw
from idiograph.casework.inputs import CaseTexts, read_inputs
from idiograph.grammar.vocabulary import Sentences
from made_texts import case_of


def index_of(folder: Path, **changed: object) -> tuple[CaseIndex, CaseTexts]:
    case = case_of(folder, **changed)
    inputs = read_inputs(case)
    return CaseIndex.of(case, inputs, workers=1), inputs.texts("Q1", "lee")


def text_ids(case_index: CaseIndex, numbers: np.ndarray) -> set[str]:
    """Whose sentences these are, told by the index's own arrays."""
    return {case_index.index.text_ids[int(case_index.index.sentence_text[number])] for number in numbers}


def with_the_case(case_index: CaseIndex, texts: CaseTexts, draw: Draw) -> tuple[list[Sentences], list[Sentences]]:
    """The sentences of every Q and of every K of a draw, the case's last."""
    take, part = case_index.index.take, case_index.part
    qs = [*(take(sample.q).sentences for sample in draw.samples), part(texts.q).sentences]
    ks = [*(take(sample.k).sentences for sample in draw.samples), part(texts.k).sentences]
    return qs, ks
