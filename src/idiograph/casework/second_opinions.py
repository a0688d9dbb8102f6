"""Second opinions: comparators that the case file names, scored on the validation problems and calibrated there.

A comparator sees Q, K and, as its reference, the Ks of the other authors, each as one masked text. Its score is not a
likelihood ratio; what stands in the annex is its calibrated value, with its own validation beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from idiograph.arithmetic import FloatArray
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.comparison_texts import CaseTexts
from idiograph.casework.matrix import CaseMatrix
from idiograph.errors import CalibrationError, InputError
from idiograph.evidence.comparators.features import as_text
from idiograph.evidence.comparators.table import COMPARATORS
from idiograph.evidence.left_out import Learnt
from idiograph.evidence.llr import LLR
from idiograph.evidence.scores import Scores
from idiograph.grammar.lambdag import Score
from idiograph.grammar.part import Part
from idiograph.progress import progress
from idiograph.texts.problem import problem_seed


@dataclass(frozen=True, eq=False)
class Opinions:
    """The scores of each comparator on the judged trials, in their order."""

    scores: dict[str, FloatArray]
    notes: dict[str, str]  # why one has none


def opinions(
    case_index: CaseIndex, matrix: CaseMatrix, judged: Sequence[tuple[int, int, int]], *, name: str
) -> Opinions:
    """What the comparators that the case names say of the judged trials."""
    keys = [key for key in case_index.case.second_opinions if key in COMPARATORS]
    found: dict[str, FloatArray] = {}
    notes: dict[str, str] = {}
    fold_of = {author: set(fold) for fold in matrix.folds for author in fold}
    texts = [_texts(case_index, matrix, draw) for draw in range(len(matrix.draws))]
    with progress(f"Second opinions on {name}", total=len(keys) * len(judged), unit="problems") as advance:
        for key in keys:
            scores = []
            try:
                for draw, b, a in judged:
                    qs, ks = texts[draw]
                    others = [k for author, k in enumerate(ks) if author not in fold_of[b]]
                    seed = problem_seed(case_index.case.seed, f"opinion/{draw}/{matrix.authors[a]}/{matrix.authors[b]}")
                    scores.append(COMPARATORS[key].score(qs[b], [ks[a]], others, seed))
                    advance()
                found[key] = np.array(scores)
            except InputError as error:
                notes[key] = f"{COMPARATORS[key].name} could not be computed. {error}"
    return Opinions(found, notes)


def opinion(case_index: CaseIndex, texts: CaseTexts, matrix: CaseMatrix, score: Score, key: str, learnt: Learnt) -> LLR:
    """A comparator's calibrated opinion of the case; a CalibrationError where it cannot read the case's texts."""
    _, ks = _texts(case_index, matrix, 0)
    q, k = (_text(case_index.part(side)) for side in (texts.q, texts.k))
    try:
        value = COMPARATORS[key].score(q, [k], ks, problem_seed(case_index.case.seed, f"opinion/{texts.name}"))
    except InputError as error:
        raise CalibrationError(f"{COMPARATORS[key].name} could not be computed. {error}") from error
    nats = float(learnt.nats(replace(Scores.of(score), scores={key: np.array([value])}))[0])
    return LLR(nats=nats, how=key, value=nats, unit="nats")


def _texts(case_index: CaseIndex, matrix: CaseMatrix, draw: int) -> tuple[list[str], list[str]]:
    """Each author's Q and K as masked text."""
    take, samples = case_index.index.take, matrix.draws[draw].samples
    return [_text(take(one.q)) for one in samples], [_text(take(one.k)) for one in samples]


def _text(part: Part) -> str:
    return as_text(part.sentences)
