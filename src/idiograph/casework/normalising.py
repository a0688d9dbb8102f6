"""A case by the reference-normalised method: its Q with every reference author's K, and every such Q with its K.

The case is the row and the column after those of the reference authors. Their own scores are the validation's; a quick
run has none of them and goes by the constants alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from idiograph.arithmetic import FloatArray
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.comparison_texts import CaseTexts
from idiograph.casework.matrix import CaseMatrix, samples_of, typed_counts
from idiograph.casework.taking_part import Sample
from idiograph.casework.validation_design import ValidationPlan
from idiograph.errors import CalibrationError, ProblemError
from idiograph.evidence.constants import constants_for
from idiograph.evidence.llr import LLR
from idiograph.evidence.n_grams import Counts
from idiograph.evidence.ngram_cosine import part_n_grams
from idiograph.evidence.normalised import (
    LEAST_TO_NORMALISE,
    SCORES,
    Normalisation,
    Normalised,
    calibrate,
    judge,
    normalise_draws,
    over_draws,
    weighted_llr,
)
from idiograph.grammar.lambdag import Score
from idiograph.grammar.part import Part
from idiograph.grammar.vocabulary import Numbers
from idiograph.progress import progress
from idiograph.texts.problem import Problem

Matrices = list[FloatArray]  # distinct λG, n-gram cosine, and the typing score if the case asks for it


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The case's Q with the Ks of the reference authors (trace), and their Qs with its K (source), by draw."""

    authors: tuple[str, ...]
    samples: tuple[tuple[Sample, ...], ...]
    trace: tuple[tuple[Score, ...], ...]
    source: tuple[tuple[Score, ...], ...]


@dataclass(frozen=True, eq=False)
class NormalisedCase:
    """A case measured by its reference, and what that says of the case with one thing changed."""

    case_index: CaseIndex
    q: Part
    k: Part
    around: Surroundings
    draws: tuple[Matrices, ...]
    normalisation: Normalisation
    trial: Normalised
    counted: Counts  # of the first draw, by `_counted`
    _cosines_with: dict[bytes, list[FloatArray]] = field(default_factory=dict, repr=False)  # by K's sentences

    def llr(self, score: Score) -> LLR:
        """The LLR of the same Q and K by another score, as other seeds give it."""
        draws = [[distinct.copy(), *others] for distinct, *others in self.draws]
        for distinct, *_ in draws:
            distinct[-1, -1] = score.distinct
        return self._over(draws).llr

    def trace(self) -> list[LLR]:
        """The case's Q with the K of each reference author in place of the candidate's."""
        n = len(self.around.authors)
        return [one.llr for one in self._judge(self.draws[0], [(n, a) for a in range(n)])]

    def source(self) -> list[LLR]:
        """The Q of each reference author in place of the case's."""
        n = len(self.around.authors)
        return [one.llr for one in self._judge(self.draws[0], [(b, n) for b in range(n)])]

    def with_known(self, k: Part, score: Score, source: Sequence[Score]) -> LLR:
        """The LLR with less of K: its score, and those of the reference authors' Qs (of the first draw) with it."""
        draw = self.draw_with(k, score.distinct, source)
        return self._judge(draw, [(len(draw[0]) - 1,) * 2])[0].llr

    def draw_with(self, k: Part, distinct: float, source: Sequence[Score]) -> Matrices:
        """The scores of the first draw with less of K in the place of all of it."""
        matrix = self.draws[0][0].copy()
        matrix[:-1, -1] = [one.distinct for one in source]
        matrix[-1, -1] = distinct
        own = k.sentence_numbers.tobytes()
        if own not in self._cosines_with:
            samples, sentences = self.around.samples[0], self.k.sentence_numbers
            self._cosines_with[own] = _cosines(self.case_index, samples, self.q, k, self.counted, sentences)
        return [matrix, *self._cosines_with[own]]

    def resampled(self, draw: Matrices, weights: Sequence[float]) -> LLR:
        """The LLR of a draw with reference authors who count as often as said; calibrated anew if it was calibrated."""
        n = len(self.around.authors)
        normalisation = self.normalisation
        if normalisation.fitted is not None:
            constants, near = normalisation.constants, normalisation.fitted
            normalisation = calibrate([draw], reference=range(n), constants=constants, weights=weights, near=near)
        return weighted_llr(draw, (n, n), range(n), normalisation, weights)

    def _over(self, draws: Sequence[Matrices]) -> Normalised:
        n = len(self.around.authors)
        return over_draws([self._judge(draw, [(n, n)])[0] for draw in draws], self.normalisation)

    def _judge(self, draw: Matrices, trials: Sequence[tuple[int, int]]) -> list[Normalised]:
        return judge(draw, trials, range(len(self.around.authors)), self.normalisation)


def surroundings(case_index: CaseIndex, texts: CaseTexts, plan: ValidationPlan, *, quick: bool) -> Surroundings | None:
    """Scores the case's Q and K with those of every reference author who takes part; None where nobody does.

    A quick run does so for the first draw alone.
    """
    samples = samples_of(plan)[: 1 if quick else None]
    if not samples or not samples[0]:
        return None
    q, k = case_index.part(texts.q), case_index.part(texts.k)
    authors = tuple(sample.author for sample in samples[0])
    trace, source = [], []
    with progress(f"Others in place of {texts.name}", total=2 * len(authors) * len(samples), unit="problems"):
        try:
            for number, drawn in enumerate(samples):
                name = f"{texts.label}/{texts.candidate}/{number}"
                trace.append(_trace(case_index, q, drawn, f"trace/{name}"))
                source.append(source_scores(case_index, k, drawn, f"source/{name}"))
        except ProblemError:
            return None
    return Surroundings(authors, tuple(samples), tuple(trace), tuple(source))


def _trace(case_index: CaseIndex, q: Part, samples: Sequence[Sample], name: str) -> tuple[Score, ...]:
    problems = [
        Problem(q, case_index.index.take(one.k), case_index.reference(one.author), f"{name}/{one.author}")
        for one in samples
    ]
    return tuple(case_index.score(problems))


def source_scores(case_index: CaseIndex, k: Part, samples: Sequence[Sample], name: str) -> tuple[Score, ...]:
    """The Qs of reference authors with one K; the other reference authors are the reference."""
    problems = [
        Problem(case_index.index.take(one.q), k, case_index.reference(one.author), f"{name}/{one.author}")
        for one in samples
    ]
    return tuple(case_index.score(problems))


def normalise_case(
    case_index: CaseIndex, texts: CaseTexts, score: Score, around: Surroundings, matrix: CaseMatrix | None
) -> NormalisedCase:
    """The case measured by its reference; a CalibrationError where too few authors take part."""
    n = len(around.authors)
    if n < LEAST_TO_NORMALISE:
        raise CalibrationError(
            f"{n} reference authors have a Q and a K like the case's, and the reference-normalised LR takes at least "
            f"{LEAST_TO_NORMALISE}. Add reference authors, or choose a correction as the primary method."
        )
    q, k = case_index.part(texts.q), case_index.part(texts.k)
    draws: list[Matrices] = []
    counts = [_counted(case_index, samples, q, k) for samples in around.samples]
    for number, samples in enumerate(around.samples):
        distinct = np.full((n + 1, n + 1), np.nan)
        if matrix is not None:
            distinct[:n, :n] = matrix.draws[number].distinct
        distinct[n, :n] = [one.distinct for one in around.trace[number]]
        distinct[:n, n] = [one.distinct for one in around.source[number]]
        distinct[n, n] = score.distinct
        draws.append([distinct, *_cosines(case_index, samples, q, k, counts[number], k.sentence_numbers)])
    origin = case_index.case.constants
    constants = constants_for(n, SCORES[: len(draws[0])], k_tokens=k.n_tokens, origin=origin)
    if matrix is None:
        if constants.say_nothing:
            raise CalibrationError("A quick run goes by the constants alone, and the case goes without them.")
        normalisation = Normalisation(constants, None, n, 0, 0)
        by_draw = [judge(draw, [(n, n)], range(n), normalisation) for draw in draws]
    else:
        normalisation, by_draw = normalise_draws(draws, reference=range(n), trials=[(n, n)], constants=constants)
    trial = over_draws([draw[0] for draw in by_draw], normalisation)
    # The score itself is the one that the heat map shows.
    trial = replace(trial, scores=(score.distinct, *trial.scores[1:]))
    return NormalisedCase(case_index, q, k, around, tuple(draws), normalisation, trial, counts[0])


def _counted(case_index: CaseIndex, samples: Sequence[Sample], q: Part, k: Part) -> Counts:
    """The n-grams of all Qs and of the reference authors' Ks, then of each sentence of the case's K."""
    sides = [*(one.q for one in samples), q.sentence_numbers, *(one.k for one in samples)]
    sides += [k.sentence_numbers[place : place + 1] for place in range(k.n_sentences)]
    return part_n_grams([case_index.index.take(side) for side in sides])


def _cosines(
    case_index: CaseIndex, samples: Sequence[Sample], q: Part, k: Part, counted: Counts, sentences: Numbers
) -> list[FloatArray]:
    """The n-gram cosine, and the typing score if it is wanted, of every Q with every K, the case's being the last.

    K is some of the `sentences` whose n-grams are counted one by one.
    """
    from idiograph.evidence.weighted_cosine import weighted_cosines

    first = 2 * len(samples) + 1
    chosen = np.flatnonzero(np.isin(sentences, k.sentence_numbers)) + first
    sides = [*(one.q for one in samples), q.sentence_numbers, *(one.k for one in samples), k.sentence_numbers]
    both = [counted.with_last(first, chosen.tolist()), typed_counts(case_index, sides)]
    everyone = range(len(samples) + 1)
    return [
        weighted_cosines(counts, q_authors=everyone, reference=range(len(samples)))
        for counts in both
        if counts is not None
    ]
