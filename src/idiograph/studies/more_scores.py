"""The scores of a study besides λG: those that need all Qs and Ks of a fold at once, and the comparators'."""

from collections.abc import Sequence

import numpy as np

from idiograph.arithmetic import FloatArray
from idiograph.evidence.ngram_cosine import ngram_cosines
from idiograph.studies.design import Plan, Planned
from idiograph.studies.settings import Study


def more_scores(study: Study, plan: Plan, planned: Sequence[Planned]) -> dict[str, FloatArray]:
    """Scores of these problems by name, NaN where one is not computed: the cosine of every Q with every K of a fold."""
    found: dict[str, FloatArray] = {}
    if plan.folds and planned:
        found["cosine"] = _cosines(plan, planned)
    return found


def _cosines(plan: Plan, planned: Sequence[Planned]) -> FloatArray:
    fold = plan.folds[planned[0].fold]
    authors = sorted((*fold.left_out, *fold.reference))
    number = {author: place for place, author in enumerate(authors)}
    index = plan.material.index
    qs = [index.take(plan.sides[author].q).sentences for author in authors]
    ks = [index.take(plan.sides[author].k).sentences for author in authors]
    reference = [number[author] for author in fold.reference]
    cosines = ngram_cosines(qs, ks, q_authors=range(len(authors)), reference=reference)
    return np.array([cosines[number[one.q], number[one.k]] for one in planned])
