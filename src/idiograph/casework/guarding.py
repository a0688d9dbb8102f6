"""A case by the guarded method: the reference-normalised LR without what each Q overuses, as a second opinion.

What is overused in a trial goes by the authors that judge it: in the validation those outside its fold, in the case all
of the reference.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from idiograph.arithmetic import FloatArray
from idiograph.casework.case import GUARDED
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.inputs import CaseTexts
from idiograph.casework.matrix import CaseMatrix, Draw, Judged
from idiograph.casework.variants import Surroundings
from idiograph.evidence.cosine import ngram_cosines
from idiograph.evidence.llr import LLR
from idiograph.evidence.matrix import Matrix
from idiograph.evidence.normalised import normalise_draws, over_draws
from idiograph.evidence.repetition import Overuse, overuse, without
from idiograph.grammar.lambdag import Score
from idiograph.grammar.vocabulary import Sentences
from idiograph.progress import progress
from idiograph.studies.drawing import Sample


def guarded_trials(case_index: CaseIndex, matrix: CaseMatrix, *, name: str) -> Judged:
    """Each judged trial of the validation by the guarded method."""
    with progress(f"Guarding {name}", total=len(matrix.folds) * len(matrix.draws), unit="matrices") as advance:

        def scores(draw: Draw, group: int, reference: list[int]) -> list[FloatArray]:
            qs, ks = _sentences(case_index, draw.samples)
            overused, cosines = _guarded(qs, ks, reference)
            advance()
            return [_distinct(draw, overused, [group]), cosines]

        return matrix.judged_by(scores)


def guarded_case(
    case_index: CaseIndex, texts: CaseTexts, score: Score, around: Surroundings, matrix: CaseMatrix
) -> LLR:
    """The case by the guarded method; a CalibrationError where too few authors take part."""
    n = len(around.authors)
    own = [case_index.part(side).sentences for side in (texts.q, texts.k)]
    draws = []
    for draw, trace, source in zip(matrix.draws, around.trace, around.source, strict=True):
        qs, ks = ([*side, mine] for side, mine in zip(_sentences(case_index, draw.samples), own, strict=True))
        overused, cosines = _guarded(qs, ks, range(n))
        distinct = np.empty((n + 1, n + 1))
        distinct[:n, :n] = _distinct(draw, overused, range(len(draw.distinct_by_group)))
        for author, (with_k, of_q) in enumerate(zip(trace, source, strict=True)):
            distinct[n, author] = without(with_k, overused.left_out(n, author)).distinct
            distinct[author, n] = without(of_q, overused.left_out(author, n)).distinct
        distinct[n, n] = without(score, overused.left_out(n, n)).distinct
        draws.append(Matrix({"distinct": distinct, "cosine": cosines}, range(n)))
    normalisation, by_draw = normalise_draws(
        draws,
        trials=[(n, n)],
        k_tokens=case_index.part(texts.k).n_tokens,
        origin=matrix.constants,
    )
    return replace(over_draws([draw[0] for draw in by_draw], normalisation).llr, how=GUARDED)


def _sentences(case_index: CaseIndex, samples: Sequence[Sample]) -> tuple[list[Sentences], list[Sentences]]:
    """The Qs and the Ks of all authors."""
    take = case_index.index.take
    return [take(one.q).sentences for one in samples], [take(one.k).sentences for one in samples]


def _guarded(qs: list[Sentences], ks: list[Sentences], reference: Sequence[int]) -> tuple[Overuse, FloatArray]:
    """What each Q overuses with each K, and the n-gram cosines without it."""
    overused = overuse(qs, ks, q_authors=range(len(qs)), reference=reference)
    cosines = ngram_cosines(qs, ks, q_authors=range(len(qs)), reference=reference, overused=overused)
    return overused, cosines


def _distinct(draw: Draw, overused: Overuse, groups: Sequence[int]) -> FloatArray:
    """Distinct λG of the reference authors' Qs and Ks without what is overused, by the models of these groups."""
    assert draw.scores is not None, "kept where the case names the guarded method"
    n = len(draw.samples)
    summed = np.zeros((n, n))
    for b, a in np.ndindex(n, n):
        for group in groups:
            summed[b, a] += without(draw.scores[group, b, a], overused.left_out(b, a)).distinct
    mean: FloatArray = summed / len(groups)
    return mean
