"""How the primary method sees a case and what is put in its place: one interface for formulas and for the matrix."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from idiograph.casework.case_index import ToLLR
from idiograph.casework.normalising import NormalisedCase, Surroundings
from idiograph.evidence.llr import LLR
from idiograph.grammar.lambdag import Score
from idiograph.grammar.part import Part


@dataclass(frozen=True, eq=False)
class Primary:
    """The primary method of a case.

    `normalised` is the case by the reference-normalised method where that is the primary one. It speaks only of Qs and
    Ks as long as the case's, so `plain` then is the correction that stands in for it elsewhere.
    """

    plain: ToLLR
    around: Surroundings | None
    normalised: NormalisedCase | None = None

    @property
    def knows_others(self) -> bool:
        """Whether others can stand in the case's place: a quick run has no scores of the reference authors' own."""
        if self.around is None:
            return False
        return self.normalised is None or not np.isnan(self.normalised.draws[0][0]).any()

    def llr(self, score: Score) -> LLR:
        """The case itself, by a score that other draws or settings gave."""
        return self.plain(score) if self.normalised is None else self.normalised.llr(score)

    def trace(self) -> list[LLR]:
        """The case's Q with each reference author's K."""
        if self.normalised is not None:
            return self.normalised.trace()
        return [] if self.around is None else [self.plain(score) for score in self.around.trace[0]]

    def source(self) -> list[LLR]:
        """Each reference author's Q with the case's K."""
        if self.normalised is not None:
            return self.normalised.source()
        return [] if self.around is None else [self.plain(score) for score in self.around.source[0]]

    def with_known(self, k: Part, score: Score, source: Sequence[Score]) -> LLR:
        """The case with another K; `source` are the reference authors' Qs with it, which only the matrix asks for."""
        return self.plain(score) if self.normalised is None else self.normalised.with_known(k, score, source)
