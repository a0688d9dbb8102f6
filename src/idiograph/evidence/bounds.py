"""How far the data let an LLR go: empirical lower and upper bounds (ELUB, Vergeer et al. 2016), counted in authors.

Someone who acts on LLRs at a threshold θ pays for misses and, θ times as much, for false acceptances. Add one
misleading trial to each class: where acting on the LLRs then costs more than saying nothing (the normalised Bayes error
rate exceeds 1), the material does not support so large an LLR.

Trials that share an author are not independent, so a class counts as many trials as it has authors: every author
spreads a weight of 1 over the trials of the class in which they occur, a trial's weight is the sum of what its authors
give it, and no trial weighs more than one. With a hundred trials of 14 authors the added misleading trial is one in 15,
not one in 101.

With the published validation (`pooled_bounds`) its authors count too, but no more than 150 in each class, however many
they are; what a case's own trials contradict, they do not bear out.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from idiograph.arithmetic import FloatArray, cumulative, log, total
from idiograph.errors import InputError
from idiograph.evidence.llr import LLR, from_nats
from idiograph.evidence.trials import Pair, ScoredTrials, Trials, Values

PARTS = 5  # of the authors; trials of one part, or of two, are limited by the others


@dataclass(frozen=True)
class Bounds:
    """The lowest and highest LLR in nats (lower ≤ 0 ≤ upper) that the trials support.

    `n_authors` is None where the authors were not given and trials were counted.
    """

    lower: float
    upper: float
    n_authors: int | None
    n_published: int | None = None  # authors of the published validation who were counted together with these
    alone: tuple[float, float] | None = None  # lower and upper by these trials alone, where others were counted too

    def __post_init__(self) -> None:
        if not self.lower <= 0 <= self.upper:  # which nothing is that is not a number
            raise InputError(
                f"Bounds of {self.lower} and {self.upper} nats limit nothing: the lower one is at most 0, the upper "
                "one at least 0."
            )

    def limited(self, llr: LLR) -> LLR:
        """The LLR, at the nearer bound where it lies beyond one."""
        if self.lower <= llr.nats <= self.upper:
            return llr
        nats = min(max(llr.nats, self.lower), self.upper)
        return replace(llr, nats=nats, value=from_nats(nats, llr.unit))


def elub(
    *,
    same: Values,
    different: Values,
    same_authors: Sequence[str] | None = None,
    different_authors: Sequence[Pair] | None = None,
) -> Bounds:
    """Bounds from LLRs in nats with known answers; counted in authors where the authors of all trials are given.

    `same` and `different` are the LLRs of same-author and different-author trials; `same_authors` has a name for each
    of the former, `different_authors` a pair of names for each of the latter.
    """
    if (same_authors is None) != (different_authors is None):
        raise InputError(
            "The authors of one class are given and those of the other are not. Give both to count in authors, or "
            "none to count in trials."
        )
    return bounds_of(
        Trials.of(same=same, different=different, same_authors=same_authors, different_authors=different_authors)
    )


def bounds_of(trials: Trials) -> Bounds:
    """Bounds from trials, counted in authors where these are known."""
    same, different = _weighted(trials)
    return Bounds(
        # Below 1 the roles of the classes are exchanged.
        lower=-_upper(_turned(different), _turned(same)) + 0.0,
        upper=_upper(same, different),
        n_authors=len(trials.authors) if trials.same_authors is not None else None,
    )


Weighted = tuple[FloatArray, FloatArray]  # LLRs, and what each weighs


@dataclass(frozen=True, eq=False)
class NearTrials:
    """The published trials of a method that are near enough to a case, each with what it weighs within its corpus."""

    same: Weighted
    far: Weighted  # the same-author trials drawn far alone
    different: Weighted
    n_authors: int


KAPPA = 150
"""What a class of the published trials weighs in all, so that they count almost as one's own would."""


def pooled_bounds(trials: Trials, published: NearTrials) -> Bounds:
    """Bounds from trials together with the published ones; own trials are never overruled.

    To the pooled trials one misleading trial is added in each class, as in ELUB. The own trials alone, without an added
    one, may lower what comes out: U = min(U₁, U₀).
    """
    same, different = _weighted(trials)
    pooled = _joined(different, _scaled(published.different))
    upper = min(_upper(_joined(same, _scaled(published.same)), pooled), _upper(same, different, added=0.0))
    # Far is the hardest draw: what a low LR has to hold against.
    lower = min(
        _upper(_turned(pooled), _turned(_joined(same, _scaled(published.far)))),
        _upper(_turned(different), _turned(same), added=0.0),
    )
    alone = bounds_of(trials)
    return Bounds(-lower + 0.0, upper, alone.n_authors, published.n_authors, (alone.lower, alone.upper))


def _weighted(trials: Trials) -> tuple[Weighted, Weighted]:
    """Both classes; a trial weighs 1 where authors are not known."""
    if trials.same_authors is None or trials.different_authors is None:
        return (trials.same, np.ones(trials.same.size)), (trials.different, np.ones(trials.different.size))
    return (
        (trials.same, author_weights([(author,) for author in trials.same_authors])),
        (trials.different, author_weights(trials.different_authors)),
    )


def _turned(weighted: Weighted) -> Weighted:
    return -weighted[0], weighted[1]


def _joined(ours: Weighted, theirs: Weighted) -> Weighted:
    return np.concatenate([ours[0], theirs[0]]), np.concatenate([ours[1], theirs[1]])


def _scaled(weighted: Weighted) -> Weighted:
    return weighted[0], weighted[1] * (KAPPA / total(weighted[1]))


def cross_limited(
    trials: ScoredTrials, nats: FloatArray, *, by: Callable[[Trials], Bounds] = bounds_of
) -> FloatArray | None:
    """The LLRs, each limited by bounds from trials of authors in other parts; None where a part leaves no class."""
    authors = sorted({*trials.q_authors, *trials.k_authors})
    part_of = {author: number % PARTS for number, author in enumerate(authors)}
    q_part = np.array([part_of[author] for author in trials.q_authors])
    k_part = np.array([part_of[author] for author in trials.k_authors])
    limited = np.empty(len(trials))
    for part in range(PARTS):
        for other_part in range(part, PARTS):
            mine = ((q_part == part) & (k_part == other_part)) | ((q_part == other_part) & (k_part == part))
            if not mine.any():
                continue
            rest = ~np.isin(q_part, (part, other_part)) & ~np.isin(k_part, (part, other_part))
            if not (rest & trials.same_author).any() or not (rest & ~trials.same_author).any():
                return None
            bounds = by(trials.take(rest).trials(nats[rest]))
            limited[mine] = np.clip(nats[mine], bounds.lower, bounds.upper)
    return limited


def author_weights(authors: Sequence[Sequence[str]]) -> FloatArray:
    """What each trial of a class counts: the sum of its authors' equal shares in their trials, at most 1."""
    occurrences = Counter(author for involved in authors for author in set(involved))
    return np.array(
        [min(1.0, total(1 / occurrences[author] for author in sorted(set(of_trial)))) for of_trial in authors]
    )


def _upper(right: Weighted, wrong: Weighted, *, added: float = 1.0) -> float:
    """The smallest t ≥ 0 at which acting on LLRs above t costs more than never acting; infinite where it never does.

        cost(t) = (W_right(≤ t) + a)/(W_right + a)  +  e^t · (W_wrong(> t) + a)/(W_wrong + a)   against   1

    a is the weight of the misleading trial that is added to each class. Between two LLRs only e^t grows, so each
    stretch is solved exactly.
    """
    both = np.concatenate([right[0], wrong[0]])
    corners = np.concatenate([[0.0], np.unique(both[both > 0]), [np.inf]])
    starts, ends = corners[:-1], corners[1:]
    everywhere = np.concatenate([[-np.inf], starts])
    right_above, wrong_above = _weight_above(right, everywhere), _weight_above(wrong, everywhere)
    n_right, n_wrong = right_above[0], wrong_above[0]
    kept = right_above[1:]  # what is not missed: 1 − (W_right(≤ t) + a)/(W_right + a) without cancellation
    misled = wrong_above[1:] + added
    told = (kept > 0) & (misled > 0)
    even = np.full(len(starts), -np.inf)  # where acting and not acting cost the same, were there no end to the stretch
    even[told] = log(kept[told] / (n_right + added)) - log(misled[told] / (n_wrong + added))
    first = int(np.flatnonzero(even < ends)[0])  # beyond the largest LLR every right trial is missed
    return np.inf if misled[first] == 0 else max(float(even[first]), float(starts[first]))


def _weight_above(weighted: Weighted, thresholds: FloatArray) -> FloatArray:
    """W(> t) of each threshold t."""
    values, weights = weighted
    order = np.argsort(-values, kind="stable")
    ascending, sums = values[order][::-1], np.concatenate([[0.0], cumulative(weights[order])])
    above: FloatArray = sums[values.size - np.searchsorted(ascending, thresholds, "right")]
    return above
