"""The scores of a study besides λG: those that need all Qs and Ks of a fold at once, and the comparators'.

A comparator sees Q, K and, as its reference, the Ks of the other authors, each as one text: of a fold its reference
authors, elsewhere whoever else takes part. In folds it scores the judged trials alone.
"""

from collections.abc import Sequence

import numpy as np

from idiograph.arithmetic import FloatArray
from idiograph.errors import InputError, StudyError
from idiograph.evidence.comparators.features import as_text
from idiograph.evidence.comparators.table import COMPARATORS
from idiograph.evidence.ngram_cosine import ngram_cosines
from idiograph.evidence.overused import overuse, without
from idiograph.evidence.typing_score import typing_scores
from idiograph.grammar.lambdag import Score
from idiograph.grammar.settings import Seed
from idiograph.studies.design import Plan, Planned
from idiograph.studies.material import Numbers
from idiograph.studies.settings import Study


def more_scores(study: Study, plan: Plan, planned: Sequence[Planned], scores: Sequence[Score]) -> dict[str, FloatArray]:
    """Scores of these problems by name, NaN where one is not computed; `scores` are those by λG."""
    found: dict[str, FloatArray] = {}
    for number in sorted({one.fold for one in planned} - {-1}):
        places = [place for place, one in enumerate(planned) if one.fold == number]
        own = [planned[place] for place in places], [scores[place] for place in places]
        for name, values in _matrices(study, plan, *own).items():
            found.setdefault(name, np.full(len(planned), np.nan))[places] = values
    if study.comparators:
        found |= by_comparators(study, plan, planned)
    return found


def _matrices(study: Study, plan: Plan, planned: Sequence[Planned], scores: Sequence[Score]) -> dict[str, FloatArray]:
    """The n-gram cosine, and the typing score if it is wanted, of every Q with every K of a fold.

    Also both scores without what Q overuses (`kept_`).
    """
    fold = plan.folds[planned[0].fold]
    authors = fold.everyone
    number = {author: place for place, author in enumerate(authors)}
    reference = [number[author] for author in fold.reference]
    sides = [plan.sides[author] for author in authors]
    material, take = plan.material, plan.material.index.take
    qs, ks = [take(side.q).sentences for side in sides], [take(side.k).sentences for side in sides]
    everyone = range(len(authors))
    overused = overuse(qs, ks, q_authors=everyone, reference=reference)
    found = {
        "cosine": ngram_cosines(qs, ks, q_authors=everyone, reference=reference),
        "kept_cosine": ngram_cosines(qs, ks, q_authors=everyone, reference=reference, overused=overused),
    }
    if study.typing:
        found["typing"] = typing_scores(
            [material.written(side.q) for side in sides],
            [material.written(side.k) for side in sides],
            q_authors=everyone,
            reference=reference,
        )
    kept = [
        without(score, overused.left_out(number[one.q], number[one.k])).distinct
        for one, score in zip(planned, scores, strict=True)
    ]
    return {"kept_distinct": np.array(kept)} | {
        name: np.array([matrix[number[one.q], number[one.k]] for one in planned]) for name, matrix in found.items()
    }


def by_comparators(study: Study, plan: Plan, planned: Sequence[Planned]) -> dict[str, FloatArray]:
    """The scores of all comparators in use."""

    def text(sentences: Numbers) -> str:
        if study.original:
            return "\n".join(plan.material.written(sentences))
        return as_text(plan.material.index.take(sentences).sentences)

    ks = {author: text(side.k) for author, side in plan.sides.items()}
    qs = {author: text(side.q) for author, side in plan.sides.items()}
    found = {key: np.full(len(planned), np.nan) for key in study.comparators}
    for place, one in enumerate(planned):
        if plan.folds and one.half != "case":
            continue
        out = set(plan.not_in_reference(one))
        if plan.folds:
            others = [author for author in plan.folds[one.fold].reference if author not in out]
        else:
            writers = {one.k_author, one.q_author}
            others = [author for author in sorted(ks) if plan.material.writer(author) not in writers]
        for key, scores in found.items():
            scores[place] = compared(
                key, qs[one.q], ks[one.k], [ks[author] for author in others], plan.seed(one), one.id
            )
    return found


def compared(key: str, q: str, k: str, others: Sequence[str], seed: Seed, problem: str) -> float:
    """A comparator's score of a problem, which an error names."""
    try:
        return COMPARATORS[key].score(q, [k], others, seed)
    except InputError as error:
        raise StudyError(f"{key} cannot score {problem}: {error}") from error
