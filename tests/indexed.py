"""A case of files on its index, and all that is scored for it."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from idiograph import Case, Problem, Score
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.case_matrix import CaseMatrix, Draw, score_matrix
from idiograph.casework.inputs import CaseTexts, read_inputs
from idiograph.casework.taking_part import ValidationPlan, plan_validation
from idiograph.casework.variants import Surroundings, surroundings
from idiograph.grammar.vocabulary import Sentences
from made_texts import case_of


def indexed(case: Case) -> tuple[CaseIndex, CaseTexts]:
    inputs = read_inputs(case)
    return CaseIndex.of(case, inputs, workers=1), inputs.texts("Q1", "lee")


def index_of(folder: Path, **changed: object) -> tuple[CaseIndex, CaseTexts]:
    return indexed(case_of(folder, **changed))


class ScoredCase(NamedTuple):
    """The matrix of a case's validation, its own score, and the scores of others in the place of Q and K."""

    case_index: CaseIndex
    texts: CaseTexts
    plan: ValidationPlan
    matrix: CaseMatrix
    score: Score
    around: Surroundings


def scored_case(folder: Path, **changed: object) -> ScoredCase:
    case_index, texts = index_of(folder, **changed)
    plan = plan_validation(case_index, texts)
    matrix = score_matrix(case_index, plan, name=texts.name)
    around = surroundings(case_index, texts, plan, quick=False)
    assert around is not None
    return ScoredCase(case_index, texts, plan, matrix, score_of(case_index, texts), around)


def score_of(case_index: CaseIndex, texts: CaseTexts) -> Score:
    """The score of the case itself."""
    problem = Problem(case_index.part(texts.q), case_index.part(texts.k), case_index.reference(), "case")
    return case_index.score_case(problem)[0]


def text_ids(case_index: CaseIndex, numbers: np.ndarray) -> set[str]:
    """Whose sentences these are, told by the index's own arrays."""
    return {case_index.index.text_ids[int(case_index.index.sentence_text[number])] for number in numbers}


def with_the_case(case_index: CaseIndex, texts: CaseTexts, draw: Draw) -> tuple[list[Sentences], list[Sentences]]:
    """The sentences of every Q and of every K of a draw, the case's last."""
    take, part = case_index.index.take, case_index.part
    qs = [*(take(sample.q).sentences for sample in draw.samples), part(texts.q).sentences]
    ks = [*(take(sample.k).sentences for sample in draw.samples), part(texts.k).sentences]
    return qs, ks


def scores_with_the_case(case: ScoredCase, matrix: CaseMatrix, number: int) -> dict[tuple[int, int], list[Score]]:
    """The scores of every Q with every K of a draw, the case's last."""
    scores, n = dict(matrix.draws[number].scores), len(matrix.authors)
    scores[n, n] = [case.score]
    for author, (trace, source) in enumerate(zip(case.around.trace[number], case.around.source[number], strict=True)):
        scores[n, author], scores[author, n] = [trace], [source]
    return scores
