"""Every reference author's Q with every reference author's K: the problems with known answers behind a case.

Trials are judged by folds (`studies.folds`): both authors of a judged trial are left out, together with the rest of
their fold, of all that judges it. λG's reference models must not know them either. To score everything anew for each
fold would take as many times as long, so the folds are in two groups (or, where there are only three, are the groups
themselves): every problem is scored once for each group with half of the case's reference models, which come from the
authors outside the group. A trial of a group is normalised by these scores alone. Everything else reads their mean,
which is the score by the models of all groups together.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement, islice, product

import numpy as np

from idiograph.arithmetic import FloatArray, norm, quantile, total
from idiograph.casework.case import GUARDED
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.taking_part import ValidationPlan
from idiograph.errors import ProblemError
from idiograph.evidence.cosine import part_n_grams, typed_n_grams
from idiograph.evidence.n_grams import Counts
from idiograph.evidence.normalised import Normalised, normalise_draws
from idiograph.evidence.trials import ScoredTrials
from idiograph.grammar.index import Part
from idiograph.grammar.lambdag import Score
from idiograph.grammar.vocabulary import Numbers
from idiograph.progress import progress
from idiograph.studies.drawing import Sample
from idiograph.studies.material import author_rng
from idiograph.studies.problems import FEWEST_FOLDS, in_parts
from idiograph.texts.problem import Problem

FOLD = 6  # authors who are left out together
_AT_ONCE = 64  # problems whose references are in memory together


Place = tuple[int, int, int]  # a group, the numbers of Q's author and of K's


@dataclass(frozen=True, eq=False)
class Draw:
    """One way to draw every author's Q and K, and the scores of every Q (rows) with every K (columns)."""

    samples: tuple[Sample, ...]
    distinct_by_group: tuple[FloatArray, ...]  # distinct λG by the reference models outside each group
    lambda_g: FloatArray
    sentence_norms: FloatArray
    n_tokens: tuple[int, ...]  # of each Q
    n_hapaxes: tuple[int, ...]
    n_sentences: tuple[int, ...]
    k_tokens: tuple[int, ...]
    counts: Counts  # n-grams of the Qs, then of the Ks
    typed: Counts | None  # character n-grams of how they are typed, where that is compared
    scores: Mapping[Place, Score] | None  # each whole, where the case hears the guarded method

    @cached_property
    def distinct(self) -> FloatArray:
        """Distinct λG by the models of all groups."""
        summed = self.distinct_by_group[0]
        for one in self.distinct_by_group[1:]:
            summed = summed + one
        mean: FloatArray = summed / len(self.distinct_by_group)
        return mean

    def cosines(self, reference: list[int]) -> list[FloatArray]:
        """The n-gram cosine of every Q with every K, df over the Ks of these authors; and the typing score, if any."""
        from idiograph.evidence.matrix import weighted_cosines

        everyone = range(len(self.samples))
        counted = [self.counts, *([] if self.typed is None else [self.typed])]
        return [weighted_cosines(counts, q_authors=everyone, reference=reference) for counts in counted]


Judged = dict[tuple[int, int, int], Normalised]  # by draw, Q's author, K's author


@dataclass(frozen=True, eq=False)
class CaseMatrix:
    """The scores behind a case, and who is left out together with whom."""

    authors: tuple[str, ...]
    draws: tuple[Draw, ...]
    folds: tuple[tuple[int, ...], ...]  # numbers of authors
    group_of: tuple[int, ...]  # of each fold
    leaves_out: bool  # False: the reference is too small to keep the authors of a group out of λG's models
    constants: str  # where those that hold the fits come from

    @cached_property
    def judged(self) -> list[tuple[int, int, int]]:
        """The trials that are judged: draw, Q's author, K's author, both of one fold."""
        return [
            (draw, b, a) for draw in range(len(self.draws)) for fold in self.folds for b, a in product(fold, repeat=2)
        ]

    def normalised(self) -> Judged:
        """Each judged trial by the reference-normalised method."""
        return self.judged_by(lambda draw, group, reference: [draw.distinct_by_group[group], *draw.cosines(reference)])

    def judged_by(self, scores: Callable[[Draw, int, list[int]], list[FloatArray]]) -> Judged:
        """Each judged trial by what authors outside its fold say of its scores.

        `scores` gives those of a draw, for the group of the fold and the authors outside it.
        """
        found: Judged = {}
        for fold, group in zip(self.folds, self.group_of, strict=True):
            reference = [author for author in range(len(self.authors)) if author not in fold]
            trials = [(b, a) for b in fold for a in fold]
            matrices = [scores(draw, group, reference) for draw in self.draws]
            k_tokens = quantile(self.draws[0].k_tokens, 0.5)
            _, by_draw = normalise_draws(
                matrices, reference=reference, trials=trials, k_tokens=k_tokens, origin=self.constants
            )
            for number, ones in enumerate(by_draw):
                found |= {(number, b, a): one for (b, a), one in zip(trials, ones, strict=True)}
        return found

    @cached_property
    def scored(self) -> ScoredTrials:
        """All problems as trials: those of a draw together, row by row."""
        n = len(self.authors)
        names = np.array(self.authors, object)
        rows, columns = (np.tile(part.reshape(-1), len(self.draws)) for part in np.indices((n, n)))
        return ScoredTrials(
            q_authors=names[rows],
            k_authors=names[columns],
            same_author=rows == columns,
            lambda_g=np.concatenate([draw.lambda_g.reshape(-1) for draw in self.draws]),
            n_tokens=np.concatenate([np.repeat(draw.n_tokens, n) for draw in self.draws]),
            n_hapaxes=np.concatenate([np.repeat(draw.n_hapaxes, n) for draw in self.draws]),
            sentence_norms=np.concatenate([draw.sentence_norms.reshape(-1) for draw in self.draws]),
            scores={"distinct": np.concatenate([draw.distinct.reshape(-1) for draw in self.draws])},
        )

    def place(self, draw: int, b: int, a: int) -> int:
        """Where a trial stands in `scored`."""
        n = len(self.authors)
        return draw * n * n + b * n + a


def score_matrix(case_index: CaseIndex, plan: ValidationPlan, *, name: str) -> CaseMatrix:
    """Scores every Q with every K of the plan; a ProblemError where the reference is too small for its Ks."""
    authors = plan.authors
    folds, group_of = _folds(case_index, authors)
    groups = [
        tuple(authors[number] for fold, own in zip(folds, group_of, strict=True) if own == group for number in fold)
        for group in range(max(group_of) + 1)
    ]
    draws = samples_of(plan)
    try:
        return _scored(case_index, authors, draws, folds, group_of, groups, name)
    except ProblemError:
        # As a last resort: the models of a group's trials may then hold sentences of its other authors.
        return _scored(case_index, authors, draws, folds, (0,) * len(folds), [()], name)


def _folds(case_index: CaseIndex, authors: tuple[str, ...]) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """The folds, and which of the groups each is in."""
    seed = case_index.case.seed
    order = sorted(authors, key=lambda author: (author_rng(seed, "fold", author).random(), author))
    number = {author: place for place, author in enumerate(authors)}
    folds = [tuple(number[author] for author in part) for part in in_parts(order, FOLD) if part]
    n_groups = len(folds) if len(folds) <= FEWEST_FOLDS else 2
    return tuple(folds), tuple(place % n_groups for place in range(len(folds)))


def samples_of(plan: ValidationPlan) -> list[tuple[Sample, ...]]:
    """The samples of each draw, authors sorted; whom a later draw could not serve keeps the first."""
    first = {sample.author: sample for sample in plan.draws[0]}
    return [
        tuple({**first, **{sample.author: sample for sample in samples}}[author] for author in sorted(first))
        for samples in plan.draws
    ]


def _scored(
    case_index: CaseIndex,
    authors: tuple[str, ...],
    draws: list[tuple[Sample, ...]],
    folds: tuple[tuple[int, ...], ...],
    group_of: tuple[int, ...],
    groups: list[tuple[str, ...]],
    name: str,
) -> CaseMatrix:
    leaves_out = groups != [()]
    repetitions = -(-case_index.case.repetitions // 2) if leaves_out else case_index.case.repetitions
    found = []
    with progress(f"Validating {name}", total=len(draws) * len(groups) * len(authors) * len(authors), unit="problems"):
        for number, samples in enumerate(draws):
            sides = [(case_index.index.take(sample.q), case_index.index.take(sample.k)) for sample in samples]
            made = _problems(case_index, authors, sides, groups, f"validation/{number}")
            found.append(_draw(case_index, samples, sides, _summed(case_index, made, repetitions)))
    return CaseMatrix(authors, tuple(found), folds, group_of, leaves_out, case_index.case.constants)


def _problems(
    case_index: CaseIndex,
    authors: tuple[str, ...],
    sides: list[tuple[Part, Part]],
    groups: list[tuple[str, ...]],
    ids: str,
) -> Iterator[tuple[Place, Problem]]:
    """The problems of all pairs; those of one Q and K follow each other, and so do the two roles of two authors."""
    for one, other in combinations_with_replacement(range(len(authors)), 2):
        references = [case_index.reference(*{authors[one], authors[other], *group}) for group in groups]
        for b, a in dict.fromkeys(((one, other), (other, one))):
            for group, reference in enumerate(references):
                id_ = f"{ids}/{group}/{authors[a]}/{authors[b]}"
                yield (group, b, a), Problem(q=sides[b][0], k=sides[a][1], reference=reference, id=id_)


@dataclass(frozen=True, eq=False)
class _Summed:
    """Of one draw: distinct λG and the evidence of every problem, and the counts of the Qs."""

    distinct: dict[Place, float]
    evidence: dict[Place, FloatArray]
    counts: dict[int, tuple[int, int, int]]
    scores: dict[Place, Score] | None


def _summed(case_index: CaseIndex, made: Iterator[tuple[Place, Problem]], repetitions: int) -> _Summed:
    summed = _Summed({}, {}, {}, {} if GUARDED in case_index.case.second_opinions else None)
    while batch := list(islice(made, _AT_ONCE)):
        scores = case_index.score([problem for _, problem in batch], repetitions=repetitions)
        for (place, _), score in zip(batch, scores, strict=True):
            summed.distinct[place] = score.distinct
            summed.evidence[place] = np.concatenate(score.evidence)
            summed.counts[place[1]] = (score.n_tokens, score.n_hapaxes, score.n_sentences)
            if summed.scores is not None:
                summed.scores[place] = score
    return summed


def _draw(case_index: CaseIndex, samples: tuple[Sample, ...], sides: list[tuple[Part, Part]], summed: _Summed) -> Draw:
    n, n_groups = len(samples), 1 + max(group for group, _, _ in summed.distinct)
    distinct = np.empty((n_groups, n, n))
    for place, value in summed.distinct.items():
        distinct[place] = value
    lambda_g, norms = np.empty((n, n)), np.empty((n, n))
    for b, sample in enumerate(samples):
        ends = np.cumsum(case_index.index.sentence_lengths[sample.q] + 1, dtype=np.int64).tolist()
        for a in range(n):
            mean = summed.evidence[0, b, a]
            for group in range(1, n_groups):
                mean = mean + summed.evidence[group, b, a]
            tokens: list[float] = (mean / n_groups).tolist()
            sentences = [total(tokens[start:end]) for start, end in zip([0, *ends], ends, strict=False)]
            lambda_g[b, a], norms[b, a] = total(sentences), norm(sentences)
    n_tokens, n_hapaxes, n_sentences = zip(*(summed.counts[b] for b in range(n)), strict=True)
    return Draw(
        samples=samples,
        distinct_by_group=tuple(distinct),
        lambda_g=lambda_g,
        sentence_norms=norms,
        n_tokens=n_tokens,
        n_hapaxes=n_hapaxes,
        n_sentences=n_sentences,
        k_tokens=tuple(k.n_tokens for _, k in sides),
        counts=part_n_grams([*(q for q, _ in sides), *(k for _, k in sides)]),
        typed=typed_counts(case_index, [*(one.q for one in samples), *(one.k for one in samples)]),
        scores=summed.scores,
    )


def typed_counts(case_index: CaseIndex, sides: Sequence[Numbers]) -> Counts | None:
    """How these sentences are typed; None where the case does not ask for it."""
    if not case_index.case.typing:
        return None
    return typed_n_grams([case_index.material.written(side) for side in sides])
