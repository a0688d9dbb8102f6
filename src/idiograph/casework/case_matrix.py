"""Every reference author's Q with every reference author's K: the problems with known answers behind a case.

Trials are judged by folds (`studies.folds`): both authors of a judged trial are left out, together with the rest of
their fold, of all that judges it. λG's reference models must not know them either. To score everything anew for each
fold would take as many times as long, so the folds are in two groups (or, where there are only three, are the groups
themselves): every problem is scored once for each group with half of the case's reference models, which come from the
authors outside the group. A trial of a group is normalised by these scores alone. Everything else reads their mean,
which is the score by the models of all groups together.

Topic is one more thing that a validation must not lean on. Each author's Q also meets an *impostor*: of the others in
its fold, who are left out together with it, the one whose texts come closest to its topic, by a K made of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations_with_replacement, islice, product

import numpy as np

from idiograph.arithmetic import FloatArray, norm, quantile, total
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.taking_part import ValidationPlan
from idiograph.checking import unchecked
from idiograph.errors import ProblemError
from idiograph.evidence.cosine import Counts, part_n_grams, typed_n_grams
from idiograph.evidence.matrix import KEPT, Cell, Matrix, matrix_of, mean_distinct, score_pairs
from idiograph.evidence.normalised import Normalised, judge, normalise_draws
from idiograph.evidence.phrases import BARE, UNLISTED, without_phrases
from idiograph.evidence.trials import ScoredTrials
from idiograph.grammar.index import Part
from idiograph.grammar.lambdag import Score
from idiograph.grammar.vocabulary import Numbers
from idiograph.progress import progress
from idiograph.studies.drawing import Sample
from idiograph.studies.material import author_rng
from idiograph.studies.problems import FEWEST_FOLDS, in_parts
from idiograph.studies.topics import nearest_impostors
from idiograph.texts.problem import Problem, refuse_impossible_sizes

FOLD = 6  # authors who are left out together

Judged = dict[tuple[int, int, int], Normalised]  # by draw, Q's author, K's author or column


@dataclass(frozen=True, eq=False)
class Impostor:
    """A K of another author of Q's fold, made to be close to Q in topic; `scores` of all Qs that it meets."""

    q: int  # Q's author
    author: int
    k: Part
    scores: Mapping[int, Score]  # by the authors of the Qs: Q's own, and those outside the fold


@dataclass(frozen=True, eq=False)
class Draw:
    """One way to draw every author's Q and K, and the scores of every Q (rows) with every K (columns)."""

    samples: tuple[Sample, ...]
    qs: tuple[Part, ...]
    ks: tuple[Part, ...]
    scores: Mapping[Cell, Sequence[Score]]  # of each cell one by the reference models outside each group
    counts: Counts  # n-grams of the Qs, then of the Ks, then of the impostors' Ks
    typed: Counts | None  # character n-grams of how they are typed, where that is compared
    content: Counts | None  # their content words; None where they are not known
    known: Mapping[str, FloatArray]  # distinct λG of every cell, the mean over the groups; also without K's own phrases
    impostors: tuple[Impostor, ...] = ()  # their Ks are the columns after the authors'

    @cached_property
    def without_phrases(self) -> dict[str, FloatArray]:
        """`known`, with the scores by λG that K's own phrases have no part in."""
        authors = range(len(self.samples))
        sides = [[part.sentences for part in parts] for parts in (self.qs, self.ks)]
        filtered = without_phrases(self.scores, *sides, q_authors=authors, reference=authors)
        return {**self.known, **{name: filtered[name] for name in (UNLISTED[0], BARE[0])}}

    def matrix(self, reference: Sequence[int], *, group: int, guard: bool = False) -> Matrix:
        """The matrix by the reference models outside a group and these authors; to guard, of the guarded scores."""
        n, cells = len(self.samples), {cell: [by_group[group]] for cell, by_group in self.scores.items()}
        for column, impostor in enumerate(self.impostors, start=n):
            cells |= {(b, column): [score] for b, score in impostor.scores.items()}
        ks = [*self.ks, *(impostor.k for impostor in self.impostors)]
        matrix = matrix_of(
            self.counts,
            cells,
            q_authors=range(n),
            reference=reference,
            typed=None if guard else self.typed,
            content=self.content,
            guard=([q.sentences for q in self.qs], [k.sentences for k in ks]) if guard else None,
        )
        return matrix.only(*KEPT) if guard else matrix


@dataclass(frozen=True, eq=False)
class CaseMatrix:
    """The scores behind a case, and who is left out together with whom."""

    authors: tuple[str, ...]
    draws: tuple[Draw, ...]
    folds: tuple[tuple[int, ...], ...]  # numbers of authors
    group_of: tuple[int, ...]  # of each fold
    leaves_out: bool  # False: the reference is too small to keep the authors of a group out of λG's models
    constants: str  # where those that hold the fits come from
    _matrices: dict[tuple[int, int, bool], Matrix] = field(default_factory=dict, repr=False)

    @cached_property
    def judged(self) -> list[tuple[int, int, int]]:
        """The trials that are judged: draw, Q's author, K's author, both of one fold."""
        return [
            (draw, b, a) for draw in range(len(self.draws)) for fold in self.folds for b, a in product(fold, repeat=2)
        ]

    def normalised(
        self, *, controlled: bool = False, guard: bool = False, advance: Callable[[], None] = lambda: None
    ) -> Judged:
        """Each judged trial by the reference-normalised method, by what authors outside its fold say of its scores.

        `controlled` frees the scores from topic. Impostors' trials are of the first draw, in the columns after the
        authors'.
        """
        judged: Judged = {}
        k_tokens = quantile([k.n_tokens for k in self.draws[0].ks], 0.5)
        for number, fold in enumerate(self.folds):
            trials = [(b, a) for b in fold for a in fold]
            matrices = [self._matrix(number, draw, guard=guard) for draw in range(len(self.draws))]
            normalisation, by_draw = normalise_draws(
                matrices, trials=trials, k_tokens=k_tokens, origin=self.constants, controlled=controlled
            )
            for draw, of_draw in enumerate(by_draw):
                judged |= {(draw, *cell): trial for cell, trial in zip(trials, of_draw, strict=True)}
                advance()
            met = [(b, column) for b, column in self.impostors if b in fold]
            judged |= {
                (0, *cell): trial for cell, trial in zip(met, judge(matrices[0], met, normalisation), strict=True)
            }
        return judged

    def for_the_case(self, *, guard: bool, hold: bool = False) -> "CaseMatrix":
        """What the case itself needs of it: the evidence behind λG, most of its memory, only to guard.

        To `hold` its value, each draw also has λG without K's own phrases, by all authors as the reference.
        """
        nothing = np.empty(0, np.int64)
        uncounted = Counts(np.zeros(1, np.int64), nothing, nothing, 0)
        whole = [replace(draw, known=draw.without_phrases) for draw in self.draws] if hold else self.draws
        lean = [replace(draw, counts=uncounted, typed=None, content=None, impostors=()) for draw in whole]
        draws = lean if guard else [replace(draw, scores={}) for draw in lean]
        return replace(self, draws=tuple(draws), _matrices={})

    @property
    def impostors(self) -> list[Cell]:
        """The row and column of each impostor's trial, in the first draw."""
        n = len(self.authors)
        return [(impostor.q, n + number) for number, impostor in enumerate(self.draws[0].impostors)]

    def _matrix(self, fold: int, draw: int, *, guard: bool = False) -> Matrix:
        """The matrix of a draw by the authors outside a fold, made once for all methods that read it."""
        key = (fold, draw, guard)
        if key not in self._matrices:
            reference = [author for author in range(len(self.authors)) if author not in self.folds[fold]]
            self._matrices[key] = self.draws[draw].matrix(reference, group=self.group_of[fold], guard=guard)
        return self._matrices[key]

    def closeness(self, draw: int, b: int, a: int) -> float:
        """c of a judged trial, by the cohort that judges it."""
        fold = next(number for number, members in enumerate(self.folds) if b in members)
        close = self._matrix(fold, draw).closeness
        assert close is not None, "asked for where content words are known"
        return float(close[b, a])

    def guarded(self, *, name: str, controlled: bool) -> Judged:
        """The same without what each Q overuses, which goes by the authors outside the fold, too."""
        with progress(f"Guarding {name}", total=len(self.folds) * len(self.draws), unit="matrices") as advance:
            return self.normalised(controlled=controlled, guard=True, advance=advance)

    @cached_property
    def scored(self) -> ScoredTrials:
        """All problems as trials: those of a draw together, row by row."""
        n = len(self.authors)
        names = np.array(self.authors, object)
        rows, columns = (np.tile(part.reshape(-1), len(self.draws)) for part in np.indices((n, n)))
        cells = [draw.scores[cell] for draw in self.draws for cell in np.ndindex(n, n)]
        sentences = [_by_sentence(by_group) for by_group in cells]
        return ScoredTrials(
            q_authors=names[rows],
            k_authors=names[columns],
            same_author=rows == columns,
            lambda_g=np.array([total(sums) for sums in sentences]),
            n_tokens=np.array([by_group[0].n_tokens for by_group in cells]),
            n_hapaxes=np.array([by_group[0].n_hapaxes for by_group in cells]),
            sentence_norms=np.array([norm(sums) for sums in sentences]),
            scores={"distinct": np.concatenate([draw.known["distinct"].reshape(-1) for draw in self.draws])},
        )

    def row_of(self, draw: int, b: int, a: int) -> int:
        """Where a trial stands in `scored`."""
        n = len(self.authors)
        return draw * n * n + b * n + a


def _by_sentence(by_group: Sequence[Score]) -> list[float]:
    """λG of each sentence, from the mean evidence of its tokens over the groups."""
    summed, *others = (np.concatenate(score.evidence) for score in by_group)
    for of_group in others:
        summed = summed + of_group
    tokens = iter((summed / len(by_group)).tolist())
    return [total(list(islice(tokens, len(sentence)))) for sentence in by_group[0].evidence]


def score_matrix(case_index: CaseIndex, plan: ValidationPlan, *, name: str) -> CaseMatrix:
    """Scores every Q with every K of the plan; a ProblemError where the reference is too small for its Ks."""
    folds, group_of = _folds(case_index, plan.authors)
    try:
        return _scored(case_index, plan, folds, group_of, name)
    except ProblemError:
        # As a last resort: the models of a group's trials may then hold sentences of its other authors.
        return _scored(case_index, plan, folds, None, name)


def _folds(case_index: CaseIndex, authors: tuple[str, ...]) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """The folds, and which of the groups each is in."""
    seed = case_index.case.seed
    order = sorted(authors, key=lambda author: (author_rng(seed, "fold", author).random(), author))
    number = {author: at for at, author in enumerate(authors)}
    folds = [tuple(number[author] for author in part) for part in in_parts(order, FOLD) if part]
    n_groups = len(folds) if len(folds) <= FEWEST_FOLDS else 2
    return tuple(folds), tuple(fold % n_groups for fold in range(len(folds)))


def samples_of(plan: ValidationPlan) -> list[tuple[Sample, ...]]:
    """The samples of each draw, authors sorted; whom a later draw could not serve keeps the first."""
    first = {sample.author: sample for sample in plan.draws[0]}
    return [
        tuple({**first, **{sample.author: sample for sample in samples}}[author] for author in sorted(first))
        for samples in plan.draws
    ]


def _scored(
    case_index: CaseIndex,
    plan: ValidationPlan,
    folds: tuple[tuple[int, ...], ...],
    group_of: tuple[int, ...] | None,
    name: str,
) -> CaseMatrix:
    """The matrix by the reference models outside each group of folds; without groups, by those of all authors."""
    authors, draws, take = plan.authors, samples_of(plan), case_index.index.take
    leaves_out, group_of = group_of is not None, group_of or (0,) * len(folds)
    groups: list[tuple[str, ...]] = [()]
    if leaves_out:
        in_groups = [(group, authors[number]) for fold, group in zip(folds, group_of, strict=True) for number in fold]
        groups = [tuple(author for at, author in in_groups if at == group) for group in range(max(group_of) + 1)]
    repetitions = -(-case_index.case.repetitions // 2) if leaves_out else case_index.case.repetitions
    score = partial(case_index.score, repetitions=repetitions)
    scored, every = [], range(len(authors))
    n_problems = len(draws) * len(groups) * len(authors) * len(authors)
    if case_index.compares_topic:
        n_problems += sum(len(fold) * (len(authors) - len(fold) + 1) for fold in folds)
    with progress(f"Validating {name}", total=n_problems, unit="problems"):
        for number, samples in enumerate(draws):
            qs, ks = [take(sample.q) for sample in samples], [take(sample.k) for sample in samples]
            scores = score_pairs(_problems(case_index, authors, qs, ks, groups, f"validation/{number}"), score)
            impostors: tuple[Impostor, ...] = ()
            if number == 0 and case_index.compares_topic:
                impostors = _impostors(case_index, authors, samples, qs, folds, group_of, groups, score)
            parts = [*qs, *ks, *(impostor.k for impostor in impostors)]
            sides = [part.sentence_numbers for part in parts]
            counts, typed = part_n_grams(parts), typed_counts(case_index, sides)
            content = content_counts(case_index, sides)
            known = {"distinct": np.array([[mean_distinct(scores[b, a]) for a in every] for b in every])}
            scored.append(Draw(samples, tuple(qs), tuple(ks), scores, counts, typed, content, known, impostors))
    return CaseMatrix(authors, tuple(scored), folds, group_of, leaves_out, case_index.case.constants)


def _problems(
    case_index: CaseIndex,
    authors: tuple[str, ...],
    qs: Sequence[Part],
    ks: Sequence[Part],
    groups: list[tuple[str, ...]],
    ids: str,
) -> Iterator[tuple[Cell, Problem]]:
    """The problems of all pairs; those of one Q and K follow each other, and so do the two roles of two authors."""
    for first, other in combinations_with_replacement(range(len(authors)), 2):
        references = [case_index.reference(*{authors[first], authors[other], *group}) for group in groups]
        for b, a in dict.fromkeys(((first, other), (other, first))):
            for group, reference in enumerate(references):
                id_ = f"{ids}/{group}/{authors[a]}/{authors[b]}"
                yield (b, a), _problem(qs[b], ks[a], reference, id_)


def _problem(q: Part, k: Part, reference: Part, id_: str) -> Problem:
    """A problem whose reference has neither author, so that nothing but its size can be wrong with it."""
    refuse_impossible_sizes(n_q_tokens=q.n_tokens, n_k=k.n_sentences, n_reference=reference.n_sentences)
    return unchecked(Problem, q=q, k=k, reference=reference, id=id_)


def _impostors(
    case_index: CaseIndex,
    authors: tuple[str, ...],
    samples: tuple[Sample, ...],
    qs: Sequence[Part],
    folds: tuple[tuple[int, ...], ...],
    group_of: tuple[int, ...],
    groups: list[tuple[str, ...]],
    score: Callable[[list[Problem]], list[Score]],
) -> tuple[Impostor, ...]:
    """For each author's Q the K of an impostor, scored with it and with the Qs of the authors outside the fold."""
    firsts = {sample.author: sample for sample in samples}
    impostors = []
    for fold, group in zip(folds, group_of, strict=True):
        if len(fold) < 2:
            continue
        outside = [author for author in range(len(authors)) if author not in fold]
        nearest = nearest_impostors(
            case_index.material,
            firsts,
            case_index.own_texts,
            k_tokens=samples[0].condition.k_tokens or 1,
            n=1,
            among=[authors[number] for number in fold],
        )
        for b in fold:
            for name, sentences in nearest[authors[b]].items():
                k, meets = case_index.index.take(sentences), [b, *outside]
                reference = {name, *groups[group]}
                problems = [
                    _problem(
                        qs[other],
                        k,
                        case_index.reference(*reference, authors[other]),
                        f"impostor/{authors[b]}/{name}/{authors[other]}",
                    )
                    for other in meets
                ]
                scores = dict(zip(meets, score(problems), strict=True))
                impostors.append(Impostor(b, authors.index(name), k, scores))
    return tuple(impostors)


def content_counts(case_index: CaseIndex, sides: Sequence[Numbers]) -> Counts | None:
    """The content words of these sentences; None where they are not known."""
    content = case_index.material.content
    return None if content is None else content.counts(sides)


def typed_counts(case_index: CaseIndex, sides: Sequence[Numbers]) -> Counts | None:
    """How these sentences are typed; None where the case does not ask for it."""
    if not case_index.case.typing:
        return None
    return typed_n_grams([case_index.material.written(side) for side in sides])
