"""The same comparison with one thing changed: what the number rests on, and how far it moves.

Two ways lead from a score to the primary method's LLR, and `verify` chooses one: `ByFormula` by λG alone, `ByMatrix` by
the scores of the reference authors, beside which the case is a row and a column. Both answer the same questions.

In reading order: who stands around the case; the two ways; the list of variants (K without each of its texts, other
seeds, N and r); the range of the value, over reference authors drawn anew; how many others score as high.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import FloatArray, log10, quantile, sd
from idiograph.casework.case import GUARDED
from idiograph.casework.case_index import CaseIndex, ToLLR
from idiograph.casework.case_matrix import CaseMatrix, content_counts, samples_of, typed_counts
from idiograph.casework.inputs import CaseTexts
from idiograph.casework.sentences import BY_HAPAX, number, ratio
from idiograph.casework.taking_part import ValidationPlan
from idiograph.casework.verification import Alternative, Anchor, Anchors, Changed, Sensitivity, ValueRange
from idiograph.errors import CalibrationError, ProblemError, some
from idiograph.evidence.closeness import closenesses
from idiograph.evidence.constants import constants_for
from idiograph.evidence.cosine import Counts, part_n_grams
from idiograph.evidence.intervals import Unseen, unseen, widened
from idiograph.evidence.llr import LLR, from_nats
from idiograph.evidence.matrix import KEPT, Cell, Matrix, cosines, matrix_of
from idiograph.evidence.methods import hapax, short_name
from idiograph.evidence.normalised import (
    LEAST_TO_NORMALISE,
    SCORES,
    Normalisation,
    Normalised,
    fit_normalisation,
    judge,
    normalise_draws,
    over_draws,
    weighted_nats,
)
from idiograph.grammar.index import Part
from idiograph.grammar.lambdag import Score
from idiograph.grammar.vocabulary import Numbers
from idiograph.progress import Advance, progress
from idiograph.studies.drawing import Sample
from idiograph.studies.material import author_rng
from idiograph.texts.problem import Problem


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The case's Q with the Ks of the reference authors (trace), and their Qs with its K (source), by draw."""

    authors: tuple[str, ...]
    samples: tuple[tuple[Sample, ...], ...]
    trace: tuple[tuple[Score, ...], ...]
    source: tuple[tuple[Score, ...], ...]


@dataclass(frozen=True, eq=False)
class ByFormula:
    """The primary method by λG alone: a correction, or one that was calibrated on the validation."""

    case_index: CaseIndex
    llr: ToLLR
    others: Surroundings | None  # the reference authors who can stand in for the case's Q or K

    by_reference: ClassVar[bool] = False

    @property
    def n_authors(self) -> int:
        """How many reference authors the range draws from."""
        return len(self.case_index.authors)

    def trace(self) -> list[LLR]:
        """The case's Q with the K of each reference author in place of the candidate's."""
        return [] if self.others is None else [self.llr(score) for score in self.others.trace[0]]

    def source(self) -> list[LLR]:
        """The Q of each reference author in place of the case's."""
        return [] if self.others is None else [self.llr(score) for score in self.others.source[0]]


Changes = tuple[dict[str, FloatArray], FloatArray | None]  # the scores by counts, and closeness


@dataclass(frozen=True, eq=False)
class ByMatrix:
    """The primary method by the scores of the reference authors, where these are known as the validation's.

    A quick run has none of their own scores and goes by the constants alone.
    """

    case_index: CaseIndex
    q: Part
    k: Part
    around: Surroundings
    draws: tuple[Matrix, ...]
    normalisation: Normalisation
    trial: Normalised
    by_reference: ClassVar[bool] = True
    _changed_by: dict[bytes, Changes] = field(default_factory=dict, repr=False)  # by K's sentences

    @property
    def n_authors(self) -> int:
        return len(self.around.authors)

    @property
    def others(self) -> Surroundings | None:
        """The matrix speaks of others only where it holds their own scores."""
        return None if self.draws[0].incomplete else self.around

    def llr(self, score: Score) -> LLR:
        """The case itself, by a score that other draws or settings gave."""
        n = self.n_authors
        by_draw = [self._judge(draw.with_case(score.distinct), [(n, n)])[0] for draw in self.draws]
        return over_draws(by_draw, self.normalisation).llr

    def trace(self) -> list[LLR]:
        n = self.n_authors
        return [normalised.llr for normalised in self._judge(self.draws[0], [(n, a) for a in range(n)])]

    def source(self) -> list[LLR]:
        n = self.n_authors
        return [normalised.llr for normalised in self._judge(self.draws[0], [(b, n) for b in range(n)])]

    def with_known(self, k: Part, score: Score, source: Sequence[Score]) -> LLR:
        """The case with less of K, by its score and those of the reference authors' Qs (of the first draw) with it."""
        n = self.n_authors
        return self._judge(self.draw_with(k, score.distinct, source), [(n, n)])[0].llr

    def draw_with(self, k: Part, distinct: float, source: Sequence[Score]) -> Matrix:
        """The scores of the first draw with less of K in the place of all of it."""
        matrix = self.draws[0].with_case(distinct, [score.distinct for score in source])
        key = k.sentence_numbers.tobytes()
        if key not in self._changed_by:
            n, first = self.n_authors, len(self._others)
            chosen = np.flatnonzero(np.isin(self.k.sentence_numbers, k.sentence_numbers)) + first
            counts = self._counted.with_last(first, chosen.tolist())
            sides = [*self._others, k.sentence_numbers]
            content, typed = content_counts(self.case_index, sides), typed_counts(self.case_index, sides)
            self._changed_by[key] = (
                cosines(counts, typed, q_authors=range(n + 1), reference=range(n)),
                None if content is None else closenesses(content, q_authors=range(n + 1), reference=range(n)),
            )
        by_counts, close = self._changed_by[key]
        return replace(matrix, scores={**matrix.scores, **by_counts}, closeness=close)

    @cached_property
    def _counted(self) -> Counts:
        """The n-grams of all Qs and of the reference authors' Ks, then of each sentence of the case's K."""
        by_sentence = [self.k.sentence_numbers[number : number + 1] for number in range(self.k.n_sentences)]
        return part_n_grams([self.case_index.index.take(side) for side in (*self._others, *by_sentence)])

    @property
    def _others(self) -> list[Numbers]:
        """The sentences of all Qs and of the reference authors' Ks, of the first draw."""
        samples = self.around.samples[0]
        return [*(sample.q for sample in samples), self.q.sentence_numbers, *(sample.k for sample in samples)]

    def weighted(self, draw: Matrix, weights: Sequence[float]) -> float:
        """The LLR in nats of a draw whose reference authors count as often as said, calibrated anew if it was."""
        n, normalisation = self.n_authors, self.normalisation
        if normalisation.fitted is not None:
            constants, near = normalisation.constants, normalisation.fitted
            normalisation = fit_normalisation([draw], constants=constants, weights=weights, near=near)
        return weighted_nats(draw, (n, n), normalisation, weights)

    def _judge(self, draw: Matrix, trials: Sequence[tuple[int, int]]) -> list[Normalised]:
        return judge(draw, trials, self.normalisation)


Primary = ByFormula | ByMatrix


def surroundings(case_index: CaseIndex, texts: CaseTexts, plan: ValidationPlan, *, quick: bool) -> Surroundings | None:
    """Scores the case's Q and K with those of every reference author who takes part; None where nobody does.

    A quick run does so for the first draw alone.
    """
    samples = samples_of(plan)[: 1 if quick else None]
    if not samples or not samples[0]:
        return None
    q, k = case_index.part(texts.q), case_index.part(texts.k)
    authors, take = tuple(sample.author for sample in samples[0]), case_index.index.take
    trace, source = [], []
    with progress(f"Others in place of {texts.name}", total=2 * len(authors) * len(samples), unit="problems"):
        try:
            for draw, drawn in enumerate(samples):
                name = f"{texts.label}/{texts.candidate}/{draw}"
                with_q = [
                    Problem(q, take(sample.k), case_index.reference(sample.author), f"trace/{name}/{sample.author}")
                    for sample in drawn
                ]
                trace.append(tuple(case_index.score(with_q)))
                source.append(source_scores(case_index, k, drawn, f"source/{name}"))
        except ProblemError:
            return None
    return Surroundings(authors, tuple(samples), tuple(trace), tuple(source))


def source_scores(case_index: CaseIndex, k: Part, samples: Sequence[Sample], name: str) -> tuple[Score, ...]:
    """The Qs of reference authors with one K; the other reference authors are the reference."""
    problems = [
        Problem(case_index.index.take(sample.q), k, case_index.reference(sample.author), f"{name}/{sample.author}")
        for sample in samples
    ]
    return tuple(case_index.score(problems))


def normalise_case(
    case_index: CaseIndex,
    texts: CaseTexts,
    score: Score,
    around: Surroundings,
    draws: tuple[Matrix, ...],
    *,
    controlled: bool,
) -> ByMatrix:
    """The case measured by its reference in these draws; a CalibrationError where too few authors take part."""
    n = len(around.authors)
    if n < LEAST_TO_NORMALISE:
        raise CalibrationError(
            f"{n} reference authors have a Q and a K like the case's, and the reference-normalised LR takes at least "
            f"{LEAST_TO_NORMALISE}. Add reference authors, or choose a correction as the primary method."
        )
    q, k = case_index.part(texts.q), case_index.part(texts.k)
    if draws[0].incomplete:  # a quick run
        scores, origin = SCORES[: len(draws[0].scores)], case_index.case.constants
        constants = constants_for(n, scores, k_tokens=k.n_tokens, origin=origin, controlled=controlled)
        if constants.say_nothing:
            raise CalibrationError("A quick run goes by the constants alone, and the case goes without them.")
        normalisation = Normalisation(constants, None, n, 0, 0)
        trial = over_draws([judge(draw, [(n, n)], normalisation)[0] for draw in draws], normalisation)
    else:
        trial, normalisation = by_its_reference(case_index, texts, draws, controlled=controlled)
    # The score itself is the one that the heat map shows.
    trial = replace(trial, scores=(score.distinct, *trial.scores[1:]))
    return ByMatrix(case_index, q, k, around, draws, normalisation, trial)


def by_its_reference(
    case_index: CaseIndex, texts: CaseTexts, draws: Sequence[Matrix], *, controlled: bool
) -> tuple[Normalised, Normalisation]:
    """The case, which is the last row and column of these draws, measured by its reference; and the fit."""
    n = len(draws[0].reference)
    normalisation, by_draw = normalise_draws(
        draws,
        trials=[(n, n)],
        k_tokens=case_index.part(texts.k).n_tokens,
        origin=case_index.case.constants,
        controlled=controlled,
    )
    return over_draws([judged[0] for judged in by_draw], normalisation), normalisation


def guarded_case(
    case_index: CaseIndex, texts: CaseTexts, score: Score, around: Surroundings, matrix: CaseMatrix
) -> LLR:
    """The case without what each Q overuses by all of the reference; a CalibrationError where too few take part.

    Freed from topic where the case is judged given how close its texts are in it.
    """
    draws = [draw.only(*KEPT) for draw in case_matrices(case_index, texts, score, around, matrix, guard=True)]
    trial, _ = by_its_reference(case_index, texts, draws, controlled=case_index.compares_topic)
    return replace(trial.llr, how=GUARDED)


def case_matrices(
    case_index: CaseIndex,
    texts: CaseTexts,
    score: Score,
    around: Surroundings,
    matrix: CaseMatrix | None,
    *,
    guard: bool = False,
    hold: bool = False,
) -> tuple[Matrix, ...]:
    """The matrix of each draw with the case as its last row and column."""
    n, take = len(around.authors), case_index.index.take
    draws = []
    for draw, samples in enumerate(around.samples):
        scores: dict[Cell, Sequence[Score]] = dict(matrix.draws[draw].scores) if matrix and guard else {}
        scores |= {(n, a): [with_k] for a, with_k in enumerate(around.trace[draw])}
        scores |= {(b, n): [of_q] for b, of_q in enumerate(around.source[draw])}
        scores[n, n] = [score]
        qs = [*(take(sample.q) for sample in samples), case_index.part(texts.q)]
        ks = [*(take(sample.k) for sample in samples), case_index.part(texts.k)]
        sides = [side.sentence_numbers for side in (*qs, *ks)]
        draws.append(
            matrix_of(
                part_n_grams([*qs, *ks]),
                scores,
                q_authors=range(n + 1),
                reference=range(n),
                typed=None if guard else typed_counts(case_index, sides),
                content=content_counts(case_index, sides),
                guard=([q.sentences for q in qs], [k.sentences for k in ks]) if guard else None,
                hold=([q.sentences for q in qs], [k.sentences for k in ks]) if hold else None,
                known=matrix.draws[draw].known if matrix else None,
            )
        )
    return tuple(draws)


MOST_LEFT_OUT = 20  # times that known texts are left out


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The case without some of its known texts, scored."""

    label: str
    k: Part
    score: Score
    llr: LLR  # by the primary method
    source: tuple[Score, ...]  # the reference authors' Qs (of the first draw) with this K


def without_texts(case_index: CaseIndex, texts: CaseTexts, problem: Problem, primary: Primary) -> list[LeftOut]:
    """The case without each known text, or without several at a time where they are many; none if K is one text."""
    known = texts.k if len(texts.k) > 1 else ()
    size = max(1, -(-len(known) // MOST_LEFT_OUT))
    fewer: list[tuple[str, Part, Problem]] = []
    for start in range(0, len(known), size):
        k = case_index.part((*known[:start], *known[start + size :]))
        with suppress(ProblemError):  # what is left has no sentence
            label = some([text.id for text in known[start : start + size]])
            fewer.append((label, k, Problem(problem.q, k, problem.reference)))
    left_out = []
    n_sources = primary.n_authors if primary.by_reference else 0
    with progress(f"{texts.name} without each known text", total=len(fewer) * (1 + n_sources), unit="problems"):
        scores = case_index.score_case(*(without for _, _, without in fewer))
        for (label, k, _), score in zip(fewer, scores, strict=True):
            if isinstance(primary, ByMatrix):
                name = f"without/{texts.label}/{texts.candidate}/{label}"
                source = source_scores(case_index, k, primary.around.samples[0], name)
                llr = primary.with_known(k, score, source)
            else:
                source, llr = (), primary.llr(score)
            left_out.append(LeftOut(label, k, score, llr, source))
    return left_out


SEEDS = 10
ORDERS = (2, 3, 5, 8)
REPETITIONS = (10, 100)


def sensitivity(
    case_index: CaseIndex,
    texts: CaseTexts,
    problem: Problem,
    score: Score,
    llrs: Mapping[str, LLR],
    primary: Primary,
    left_out: Sequence[LeftOut],
) -> Sensitivity:
    """Each correction, each known text left out, other seeds, other N and r.

    Another N changes the scores of everybody, so it is not tried where the case is measured by its reference.
    """
    case = case_index.case
    seeds = range(case.seed + 1, case.seed + 1 + SEEDS)
    # The index numbers n-grams up to the case's order.
    orders = [order for order in ORDERS if order < case.order and not primary.by_reference]
    repetitions = [r for r in REPETITIONS if r != case.repetitions]
    total = len(seeds) + len(orders) + len(repetitions)

    def row(kind: Changed, label: int, changed: Score) -> Alternative:
        return Alternative(kind, str(label), changed.lambda_g, primary.llr(changed).nats)

    with progress(f"Sensitivity of {texts.name}", total=total, unit="problems"):
        by_seed = case_index.score_case(*[problem] * SEEDS, seeds=seeds)
        alternatives = (
            *(Alternative("correction", method, score.lambda_g, llr.nats) for method, llr in llrs.items()),
            *(Alternative("known_text", fewer.label, fewer.score.lambda_g, fewer.llr.nats) for fewer in left_out),
            *(row("seed", seed, changed) for seed, changed in zip(seeds, by_seed, strict=True)),
            *(row("order", order, case_index.score_case(problem, order=order)[0]) for order in orders),
            *(row("repetitions", r, case_index.score_case(problem, repetitions=r)[0]) for r in repetitions),
        )
    spread = sd(score.reference_totals) if len(score.reference_totals) > 1 else 0.0
    return Sensitivity(
        alternatives=alternatives,
        spread=spread,
        standard_error=spread / math.sqrt(len(score.reference_totals)),
        seed_spread=sd([score.lambda_g, *(changed.lambda_g for changed in by_seed)]),
        sentence=_disagreement(llrs),
    )


def _disagreement(llrs: Mapping[str, LLR]) -> str:
    least = min(llrs.values(), key=lambda llr: llr.nats)
    most = max(llrs.values(), key=lambda llr: llr.nats)
    sentence = f"The methods give LRs from {ratio(least.nats)} ({short_name(least.how)}) to {ratio(most.nats)} "
    sentence += f"({short_name(most.how)})"
    if least.nats < 0 < most.nats:
        return f"{sentence}: they do not agree on which proposition the findings support."
    return f"{sentence}: they agree on the direction."


RESAMPLES, RANGE_SEEDS = 200, 5
_LOW, _HIGH = 0.05, 0.95
_FEWEST = 0.9  # of the resamples must give a value
_TRIES = 10  # of drawing authors who give one
_TWO_FIGURES = 2.0  # a range whose ends differ by no more than this factor supports two figures of the LR
_AT_ONCE = 64  # problems whose references are in memory together


def value_range(
    case_index: CaseIndex,
    texts: CaseTexts,
    problem: Problem,
    computed: LLR,
    primary: Primary,
    left_out: Sequence[LeftOut],
    *,
    covers: bool = True,
) -> ValueRange | None:
    """The range of the primary method's LLR; None where too few resamples give a value.

    `covers`: it is widened by what resampling the authors at hand cannot show of another reference of the same kind.
    """
    assert isinstance(problem.k, Part)
    ks = [problem.k, *(text.k for text in left_out)]
    n_authors = primary.n_authors
    rng = author_rng(case_index.case.seed, "range", texts.name)
    every = [(case_index.case.seed + seed, k) for k in range(len(ks)) for seed in range(RANGE_SEEDS)]
    ways = every * -(-RESAMPLES // len(every))  # each as often as any other
    total = len(ways) + (len(every) if primary.by_reference else 0)
    with progress(f"Range of {texts.name}", total=total, unit="problems") as advance:
        resamples = Resamples(case_index, problem, ks, ways, n_authors, rng, advance)
        nats = (
            resamples.by_matrix(computed, primary, [primary.around.source[0], *(fewer.source for fewer in left_out)])
            if isinstance(primary, ByMatrix)
            else resamples.by_scores(primary.llr)
        )
    if len(nats) < _FEWEST * len(ways):
        return None
    # The value itself belongs to its range.
    low, high = min(quantile(nats, _LOW), computed.nats), max(quantile(nats, _HIGH), computed.nats)
    resampled, beyond = None, None
    if covers:
        resampled, beyond = (low, high), unseen(n_authors)
        low, high = widened(computed.nats, low, high, beyond.nats)
    figures = 2 if from_nats(high - low, "bans") <= log10(_TWO_FIGURES) else 1
    return ValueRange(
        low=low,
        high=high,
        n_resamples=len(nats),
        n_seeds=RANGE_SEEDS,
        n_left_out=len(left_out),
        figures=figures,
        sentence=_range_sentence(low, high, len(nats), len(left_out), n_authors, beyond),
        resampled=resampled,
        unseen=beyond.nats if beyond else None,
    )


@dataclass(frozen=True, eq=False)
class Resamples:
    """The case again and again, each time with reference authors drawn anew, one of the seeds and one of the Ks."""

    case_index: CaseIndex
    problem: Problem
    ks: list[Part]
    ways: list[tuple[int, int]]  # seed, place among the Ks
    n_authors: int
    rng: np.random.Generator
    advance: Advance

    def by_scores(self, to_llr: ToLLR) -> list[float]:
        """The LLRs of the case scored again, each time with the authors drawn as its reference."""
        case_index, material = self.case_index, self.case_index.material
        by_author = [material.sentences(material.texts_by[author]) for author in case_index.authors]
        drawn = ((seed, self._with_reference(k, by_author)) for seed, k in self.ways)
        possible = ((seed, problem) for seed, problem in drawn if problem is not None)
        llrs: list[float] = []
        while batch := list(islice(possible, _AT_ONCE)):
            scores = case_index.score_case(*(problem for _, problem in batch), seeds=[seed for seed, _ in batch])
            llrs += [to_llr(score).nats for score in scores]
        return llrs

    def by_matrix(self, computed: LLR, matrix: ByMatrix, sources: Sequence[Sequence[Score]]) -> list[float]:
        """The LLRs of the case measured by the authors drawn; `sources` has their Qs with each K.

        Other Ks are scored with the first draw of the reference authors' Qs alone, so it is by how much this draw moves
        that the value of all draws together is moved.
        """
        places = sorted(set(self.ways))
        problems = (Problem(self.problem.q, self.ks[k], self.problem.reference) for _, k in places)
        scores = self.case_index.score_case(*problems, seeds=[seed for seed, _ in places])
        draws = {
            (seed, k): matrix.draw_with(self.ks[k], score.distinct, sources[k])
            for (seed, k), score in zip(places, scores, strict=True)
        }
        at_first = matrix.weighted(draws[self.case_index.case.seed, 0], [1.0] * self.n_authors)
        llrs = []
        for way in self.ways:
            for counts in self._draws():
                try:
                    moved = matrix.weighted(draws[way], counts.astype(np.float64).tolist()) - at_first
                except CalibrationError:  # all scores of the authors drawn are alike
                    continue
                llrs.append(computed.nats + moved)
                break
            self.advance()
        return llrs

    def _draws(self) -> Iterator[npt.NDArray[np.int64]]:
        """How often each author was drawn, with replacement; some draws more, for a draw that cannot be used."""
        for _ in range(_TRIES):
            yield np.bincount(self.rng.integers(self.n_authors, size=self.n_authors), minlength=self.n_authors)

    def _with_reference(self, k: int, by_author: Sequence[Numbers]) -> Problem | None:
        """The case with one of the Ks and the texts of the authors drawn as its reference."""
        for counts in self._draws():
            numbers = np.concatenate(
                [sentences for sentences, n in zip(by_author, counts.tolist(), strict=True) for _ in range(n)]
            )
            try:
                return Problem(self.problem.q, self.ks[k], self.case_index.index.take(numbers))
            except ProblemError:  # too short for K
                continue
        self.advance()
        return None


def _range_sentence(
    low: float, high: float, n_resamples: int, n_left_out: int, n_authors: int, beyond: Unseen | None
) -> str:
    """How far the value moves, and how that was told; `beyond` is what resampling cannot show, where it was added."""
    fewer, texts = (" or fewer known texts", ", with each known text left out in turn") if n_left_out else ("", "")
    between = f"{fewer} the calculation would have given between {ratio(low)} and {ratio(high)}"
    drawn = f"(5th to 95th percentile of {n_resamples} resamples of the reference authors, {RANGE_SEEDS} seeds{texts}"
    if beyond is None:
        return f"With other reference authors{between} {drawn}, and the value itself)."
    wider = f", and {number(beyond.bans)} in log10 LR for what resampling {n_authors} authors cannot show"
    return (
        f"With another reference of the same kind{between} in about nine of ten cases {drawn}"
        f"{wider if beyond.bans else ''}; in the published validation such ranges by about {beyond.n_authors} authors "
        f"covered {beyond.n_covered} of {beyond.n_values} values by others)."
    )


def anchors(case_index: CaseIndex, texts: CaseTexts, score: Score, primary: Primary) -> Anchors:
    """The case's Q and K against every reference author, and every known text against the rest of K."""
    nats = primary.llr(score).nats
    trace, source = _around(case_index, primary)
    known = _known(case_index, texts, primary)
    how = [
        f"{texts.label} against the K of each of {len(trace)} of the {len(case_index.authors)} reference authors, the "
        "others being the reference (trace-anchored).",
        f"The Q of each of {len(source)} of the {len(case_index.authors)} reference authors against K, the others "
        "being the reference (source-anchored).",
        "Their Qs and Ks are those of the validation problems.",
    ]
    if primary.by_reference and known:
        how.append(BY_HAPAX)
    return Anchors(
        trace=trace,
        source=source,
        known=known,
        how=tuple(how),
        trace_as_high=sum(anchor.nats >= nats for anchor in trace),
        source_as_high=sum(anchor.nats >= nats for anchor in source),
        known_low=tuple(anchor.name for anchor in known if anchor.nats < 0),
    )


def _around(case_index: CaseIndex, primary: Primary) -> tuple[tuple[Anchor, ...], tuple[Anchor, ...]]:
    """Every reference author in place of K, and in place of Q."""
    around = primary.others
    if around is None:
        return (), ()
    samples, take = around.samples[0], case_index.index.take

    def anchored(lengths: list[int], scores: tuple[Score, ...], llrs: list[LLR]) -> tuple[Anchor, ...]:
        rows = zip(around.authors, lengths, scores, llrs, strict=True)
        return tuple(Anchor(author, n, score.lambda_g, llr.nats) for author, n, score, llr in rows)

    return (
        anchored([take(sample.k).n_tokens for sample in samples], around.trace[0], primary.trace()),
        anchored([take(sample.q).n_tokens for sample in samples], around.source[0], primary.source()),
    )


def _known(case_index: CaseIndex, texts: CaseTexts, primary: Primary) -> tuple[Anchor, ...]:
    """Each known text as Q against the rest of K: is K one writer?"""
    if len(texts.k) < 2:
        return ()
    reference = case_index.reference()
    problems = []
    for text in texts.k:
        rest = tuple(other for other in texts.k if other is not text)
        id_ = f"known/{texts.candidate}/{text.id}"
        try:
            problems.append((text, Problem(case_index.part((text,)), case_index.part(rest), reference, id_)))
        except ProblemError:
            continue
    with progress(f"Known texts of {texts.candidate}", total=len(problems), unit="problems"):
        scores = case_index.score([problem for _, problem in problems])
    to_llr = hapax if primary.by_reference else primary.llr  # of other lengths than the case's the matrix says nothing
    return tuple(
        Anchor(text.id, text.n_tokens, score.lambda_g, to_llr(score).nats)
        for (text, _), score in zip(problems, scores, strict=True)
    )
