"""How far the value moves with what happened to be at hand: reference authors, seeds and known texts.

Reference authors are drawn anew, with replacement. With each draw go, in turn, one of five seeds and K whole or without
one of its texts, so that what they do together is seen. A correction is scored again with the authors drawn as its
reference; the reference-normalised LR is measured and calibrated by them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import log10, quantile
from idiograph.casework.case_index import CaseIndex, ToLLR
from idiograph.casework.comparison_texts import CaseTexts
from idiograph.casework.left_out_texts import LeftOutTexts
from idiograph.casework.normalising import NormalisedCase
from idiograph.casework.primary import Primary
from idiograph.casework.verification import ValueRange
from idiograph.casework.wording import ratio_of
from idiograph.errors import CalibrationError, ProblemError
from idiograph.evidence.llr import LLR, from_nats
from idiograph.grammar.lambdag import Score
from idiograph.grammar.part import Part
from idiograph.grammar.vocabulary import Numbers
from idiograph.progress import Advance, progress
from idiograph.studies.material import author_rng
from idiograph.texts.problem import Problem

RESAMPLES, SEEDS = 200, 5
_LOW, _HIGH = 0.05, 0.95
_FEWEST = 0.9  # of the resamples must give a value
_TRIES = 10  # of drawing authors who give one
_TWO_FIGURES = 2.0  # a range whose ends differ by no more than this factor supports two figures of the LR
_AT_ONCE = 64  # problems whose references are in memory together

Counts = npt.NDArray[np.int64]
Ways = list[tuple[int, int]]  # seed, place among the Ks


def value_range(
    case_index: CaseIndex,
    texts: CaseTexts,
    problem: Problem,
    computed: LLR,
    primary: Primary,
    left_out: Sequence[LeftOutTexts],
) -> ValueRange | None:
    """The range of the primary method's LLR; None where too few resamples give a value."""
    assert isinstance(problem.k, Part)
    ks = [problem.k, *(one.k for one in left_out)]
    normalised = primary.normalised
    n_authors = len(normalised.around.authors if normalised else case_index.authors)
    rng = author_rng(case_index.case.seed, "range", texts.name)
    every = [(case_index.case.seed + seed, k) for k in range(len(ks)) for seed in range(SEEDS)]
    ways = every * -(-RESAMPLES // len(every))  # each as often as any other
    scored = len(every) if normalised else 0
    with progress(f"Range of {texts.name}", total=len(ways) + scored, unit="problems") as advance:
        resamples = _Resamples(case_index, problem, ks, ways, n_authors, rng, advance)
        if normalised is None:
            nats = resamples.by_scores(primary.plain)
        else:
            sources = [normalised.around.source[0], *(one.source for one in left_out)]
            nats = resamples.by_matrix(computed, normalised, sources)
    if len(nats) < _FEWEST * len(ways):
        return None
    # The value itself belongs to its range.
    low, high = min(quantile(nats, _LOW), computed.nats), max(quantile(nats, _HIGH), computed.nats)
    figures = 2 if from_nats(high - low, "bans") <= log10(_TWO_FIGURES) else 1
    return ValueRange(
        low=low,
        high=high,
        n_resamples=len(nats),
        n_seeds=SEEDS,
        n_left_out=len(left_out),
        figures=figures,
        sentence=_said(computed.nats, low, high, figures, len(nats), len(left_out)),
    )


@dataclass(frozen=True, eq=False)
class _Resamples:
    """The case again and again, each time with reference authors drawn anew, one of the seeds and one of the Ks."""

    case_index: CaseIndex
    problem: Problem
    ks: list[Part]
    ways: Ways
    n_authors: int
    rng: np.random.Generator
    advance: Advance

    def by_scores(self, to_llr: ToLLR) -> list[float]:
        """The LLRs of the case scored again, each time with the authors drawn as its reference."""
        case_index = self.case_index
        own = [case_index.material.sentences(case_index.texts_by(author)) for author in case_index.authors]
        problems = ((seed, self._with_reference(k, own)) for seed, k in self.ways)
        made = ((seed, one) for seed, one in problems if one is not None)
        found: list[float] = []
        while batch := list(islice(made, _AT_ONCE)):
            scores = case_index.score_case(*(one for _, one in batch), seeds=[seed for seed, _ in batch])
            found += [to_llr(score).nats for score in scores]
        return found

    def by_matrix(self, computed: LLR, normalised: NormalisedCase, sources: Sequence[Sequence[Score]]) -> list[float]:
        """The LLRs of the case measured by the authors drawn; `sources` has their Qs with each K.

        Other Ks are scored with the first draw of the reference authors' Qs alone, so it is by how much this draw moves
        that the value of all draws together is moved.
        """
        places = sorted(set(self.ways))
        problems = (Problem(self.problem.q, self.ks[k], self.problem.reference) for _, k in places)
        scores = self.case_index.score_case(*problems, seeds=[seed for seed, _ in places])
        draws = {
            (seed, k): normalised.draw_with(self.ks[k], score.distinct, sources[k])
            for (seed, k), score in zip(places, scores, strict=True)
        }
        at_first = normalised.resampled(draws[self.case_index.case.seed, 0], [1.0] * self.n_authors).nats
        found = []
        for way in self.ways:
            for counts in self._draws():
                try:
                    moved = normalised.resampled(draws[way], counts.astype(np.float64).tolist()).nats - at_first
                except CalibrationError:  # all scores of the authors drawn are alike
                    continue
                found.append(computed.nats + moved)
                break
            self.advance()
        return found

    def _draws(self) -> Iterator[Counts]:
        """How often each author was drawn, with replacement; some draws more, for a draw that cannot be used."""
        for _ in range(_TRIES):
            yield np.bincount(self.rng.integers(self.n_authors, size=self.n_authors), minlength=self.n_authors)

    def _with_reference(self, k: int, own: Sequence[Numbers]) -> Problem | None:
        """The case with one of the Ks and the texts of the authors drawn as its reference."""
        for counts in self._draws():
            numbers = np.concatenate([one for one, n in zip(own, counts.tolist(), strict=True) for _ in range(n)])
            try:
                return Problem(self.problem.q, self.ks[k], self.case_index.index.take(numbers))
            except ProblemError:  # too short for K
                continue
        self.advance()
        return None


def _said(nats: float, low: float, high: float, figures: int, n_resamples: int, n_left_out: int) -> str:
    value, least, most = (ratio_of(one, figures) for one in (nats, low, high))
    texts = ", with each known text left out in turn" if n_left_out else ""
    return (
        f"The calculated LR of about {value} ranges from {least} to {most} (5th to 95th percentile of {n_resamples} "
        f"resamples of the reference authors, {SEEDS} seeds{texts})."
    )
