"""Whether the reference is of the case's kind: D², how far its Q and K lie from where the reference authors' own lie.

    z = (mean of the scores of Q with the reference authors' Ks − mean of these authors' own such means) / their sd,
        and the same of K with their Qs, by each score, and by closeness in topic where that is known
    D² = zᵀ·P·z

P is the inverse covariance of z, each cut to ±4, over honest same-author trials of open corpora, drawn at random: there
D² is seldom large, and its limits are such that 6 and 12 % of these trials lie beyond. By a reference of another
register everything in the case's looks like its author, so that beyond the higher limit no LR is reported, and beyond
the lower one none that is stronger than 3.

What it cannot see is a reference of a neighbouring register.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from idiograph.arithmetic import mean, solve, total
from idiograph.evidence.constants import for_size
from idiograph.evidence.matrix import Cell, Matrix
from idiograph.evidence.normalised import away_from_reference
from idiograph.provenance import shipped_file
from idiograph.showing import one_line

FILE = "kinds.json"
SCORES = ("distinct", "cosine")
SIDES = ("Q by λG", "K by λG", "Q by phrases", "K by phrases", "Q by content words", "K by content words")
LIMITED, REFUSED = 0.12, 0.06
"""The shares of honest trials whose D² lies beyond the limits: the price of finding a reference of another kind."""
FAR = 2.0  # sd beyond which a side of a case is named


@dataclass(frozen=True)
class Rule:
    """What is usual for so many numbers z and about so many reference authors, and the limits of D²."""

    n_authors: int
    covariance: tuple[tuple[float, ...], ...]
    limited: float
    refused: float

    def distance(self, z: Sequence[float]) -> float:
        """D², how far z lies from a reference of the same kind, by the covariance of its numbers."""
        solved = solve([list(row) for row in self.covariance], list(z))
        return total([left * right for left, right in zip(z, solved, strict=True)])


@one_line
@dataclass(frozen=True)
class Apart:
    """How far a case lies from its reference: D², the numbers z that it is made of, and the rule."""

    distance: float
    z: Mapping[str, float]
    rule: Rule
    source: str
    digest: str

    @property
    def is_refused(self) -> bool:
        """Whether the reference is of another kind than the case."""
        return self.distance > self.rule.refused

    @property
    def is_limited(self) -> bool:
        """Whether the reference may be of another kind than the case."""
        return self.distance > self.rule.limited

    @property
    def most(self) -> tuple[str, ...]:
        """Where the case lies furthest from the reference, the furthest first: beyond 2 sd, or the one furthest."""
        ordered = sorted(self.z, key=lambda side: -abs(self.z[side]))
        return tuple(side for side in ordered if abs(self.z[side]) > FAR) or tuple(ordered[:1])


def apart_from_reference(draws: Sequence[Matrix], case: Cell) -> Apart:
    """How far the case in this cell lies from the reference, on average over the draws of the reference's Qs and Ks.

    Where closeness in topic is not known, four numbers tell it and not six.
    """
    by_draw = [away_from_reference(matrix.only(*SCORES), [case])[0] for matrix in draws]
    z = [mean(values) for values in np.stack(by_draw).T]
    rule, source, file_digest = rule_for(len(draws[0].reference), len(z))
    return Apart(rule.distance(z), dict(zip(SIDES, z, strict=False)), rule, source, file_digest)


def rule_for(n_authors: int, n_numbers: int) -> tuple[Rule, str, str]:
    """The shipped rule for the nearest number of reference authors, its source, and the digest of the file."""
    rules, source, file_digest = shipped()
    able = [rule for rule in rules if len(rule.covariance) == n_numbers]
    return for_size(able, n_authors), source, file_digest


@cache
def shipped() -> tuple[tuple[Rule, ...], str, str]:
    """All rules that come with the project, their source, and the digest of the file."""
    table, file_digest = shipped_file("idiograph.evidence", FILE)
    rules = tuple(Rule(**row | {"covariance": tuple(map(tuple, row["covariance"]))}) for row in table["rules"])
    return rules, table["source"], file_digest
