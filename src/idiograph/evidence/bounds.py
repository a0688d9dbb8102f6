"""How far the data let an LLR go: empirical lower and upper bounds (ELUB, Vergeer et al. 2016), counted in authors.

Someone who acts on LLRs at a threshold θ pays for misses and, θ times as much, for false acceptances. Add one
misleading trial to each class: where acting on the LLRs then costs more than saying nothing (the normalised Bayes error
rate exceeds 1), the material does not support so large an LLR.

Trials that share an author are not independent, so a class counts as many trials as it has authors: every author
spreads a weight of 1 over the trials of the class in which he or she occurs, a trial's weight is the sum of what its
authors give it, and no trial weighs more than one. With a hundred trials of 14 authors the added misleading trial is
one in 15, not one in 101.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from idiograph.errors import InputError
from idiograph.evidence.llr import LLR, from_nats
from idiograph.evidence.two_classes import FloatArray, Values, two_classes


@dataclass(frozen=True)
class Bounded:
    """What the calculation gives and what the material lets be reported."""

    computed: LLR
    reported: LLR
    limited: bool


@dataclass(frozen=True)
class Bounds:
    """The lowest and highest LLR in nats (lower ≤ 0 ≤ upper) that the trials support.

    `n_same` and `n_different` are what the classes count for: authors, or trials where the authors were not given.
    """

    lower: float
    upper: float
    n_same: float
    n_different: float
    n_authors: int | None
    counted_in: Literal["authors", "trials"]

    def __call__(self, llr: LLR) -> Bounded:
        """The LLR moved to the nearer bound where it lies beyond one."""
        nats = min(max(llr.nats, self.lower), self.upper)
        if nats == llr.nats:
            return Bounded(llr, llr, limited=False)
        reported = LLR(nats=nats, how=llr.how, value=from_nats(nats, llr.unit), unit=llr.unit)
        return Bounded(llr, reported, limited=True)


def elub(
    *,
    same: Values,
    different: Values,
    same_authors: Sequence[str] | None = None,
    different_authors: Sequence[tuple[str, str]] | None = None,
) -> Bounds:
    """Bounds from LLRs in nats with known answers; counted in authors where the authors of all trials are given."""
    classes = two_classes(same, different, purpose="A bound")
    if (same_authors is None) != (different_authors is None):
        raise InputError(
            "The authors of one class are given and those of the other are not. Give both to count in authors, or "
            "none to count in trials."
        )
    n_authors = None
    same_weights, different_weights = classes.same_weights, classes.different_weights
    if same_authors is not None and different_authors is not None:
        if len(same_authors) != classes.same.size or len(different_authors) != classes.different.size:
            raise InputError(
                f"There are {classes.same.size} same-author and {classes.different.size} different-author trials, "
                f"and authors for {len(same_authors)} and {len(different_authors)}. Give the authors of each trial."
            )
        same_weights = author_weights([(author,) for author in same_authors])
        different_weights = author_weights(different_authors)
        n_authors = len(set(same_authors) | {author for pair in different_authors for author in pair})
    return Bounds(
        # Below 1 the roles of the classes are exchanged.
        lower=-_upper(-classes.different, different_weights, -classes.same, same_weights) + 0.0,
        upper=_upper(classes.same, same_weights, classes.different, different_weights),
        n_same=float(same_weights.sum()),
        n_different=float(different_weights.sum()),
        n_authors=n_authors,
        counted_in="trials" if n_authors is None else "authors",
    )


def author_weights(authors: Sequence[Sequence[str]]) -> FloatArray:
    """What each trial of a class counts: the sum of its authors' equal shares in their trials, at most 1."""
    occurrences = Counter(author for involved in authors for author in set(involved))
    return np.array([min(1.0, sum(1 / occurrences[author] for author in sorted(set(one)))) for one in authors])


def _upper(right: FloatArray, right_weights: FloatArray, wrong: FloatArray, wrong_weights: FloatArray) -> float:
    """The smallest t ≥ 0 at which acting on LLRs above t costs more than never acting.

        cost(t) = (W_right(≤ t) + 1)/(W_right + 1)  +  e^t · (W_wrong(> t) + 1)/(W_wrong + 1)   against   1

    Between two LLRs only e^t grows, so each stretch is solved exactly.
    """
    n_right, n_wrong = float(right_weights.sum()), float(wrong_weights.sum())
    corners = np.concatenate([[0.0], np.unique(np.concatenate([right[right > 0], wrong[wrong > 0]])), [np.inf]])
    for start, end in pairwise(corners):
        missed = (float(right_weights[right <= start].sum()) + 1) / (n_right + 1)
        accepted = (float(wrong_weights[wrong > start].sum()) + 1) / (n_wrong + 1)
        if missed >= 1:
            return float(start)
        even = float(np.log1p(-missed) - np.log(accepted))
        if even < end:
            return max(even, float(start))
    raise AssertionError("beyond the largest LLR every right trial is missed")
