"""λG: a Q, a K and a reference become a Score, with the evidence of every token.

G_K from K's sentences; G_i from as many of the reference's, drawn without replacement, i = 1..r
λG(t) = log10 P(t|G_K) − mean_i log10 P(t|G_i)       for every token of Q and every sentence's end
λG(Q) = Σ λG(t)

Which events of Q say something new: those that end a trigram that Q has not had before.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain, groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import FloatArray, total
from idiograph.checking import check_fields, n_workers, shown, unchecked
from idiograph.errors import InputError, ProblemError, counted
from idiograph.grammar.index import Index, Part
from idiograph.grammar.settings import LambdaGSettings, Seed
from idiograph.grammar.sides import (
    Comparable,
    IndexedSides,
    bring_together,
    refuse_copies_in,
    refuse_leaks,
    side_sentences,
)
from idiograph.grammar.vocabulary import Numbers, frozen, token_numbers
from idiograph.progress import progress
from idiograph.provenance import signature
from idiograph.showing import Rows, Tabular, one_line
from idiograph.texts.problem import Problem, refuse_impossible_sizes
from idiograph.texts.text import Sentence

Flags = npt.NDArray[np.bool_]


def first_trigrams(tokens: npt.NDArray[Any], lengths: npt.NDArray[Any]) -> Flags:
    """One flag per event (a token, or the end of a sentence): whether the trigram that ends with it is its first.

    `tokens` are numbers from 1, sentence after sentence, `lengths` how many each sentence has. A sentence has two
    starts before it and one end after it, so its first token ends a trigram too.
    """
    n_events = len(tokens) + len(lengths)
    ends = np.cumsum(lengths + 1, dtype=np.int64) - 1
    last = np.zeros(n_events, np.int64)  # 0 is the end of a sentence
    is_token = np.ones(n_events, bool)
    is_token[ends] = False
    last[is_token] = tokens
    start = int(tokens.max(initial=0)) + 1
    before = np.empty(n_events, np.int64)
    before[1:] = last[:-1]
    # An end is never inside a trigram: what follows it follows the start of a sentence.
    firsts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    before[firsts] = start
    two_before = np.empty(n_events, np.int64)
    two_before[1:] = before[:-1]
    two_before[firsts] = start
    # Pairs are numbered anew, so that no product of three numbers can overflow.
    pairs = np.unique(two_before * (start + 1) + before, return_inverse=True)[1].reshape(-1)
    first = np.unique(pairs * (start + 1) + last, return_index=True)[1]
    flags = np.zeros(n_events, bool)
    flags[first] = True
    return flags


@one_line
@dataclass(frozen=True, eq=False)
class Score(Tabular):
    """λG of a Q with the evidence it is the sum of; everything in log base 10, nothing rounded, arrays read-only.

    A data frame of it (`to_pandas()`, `to_arrow()`) has a row for every token; `by_sentence` has one for every
    sentence. Made by `score` and `score_many`, it has the `sentences` of Q too.
    """

    evidence: tuple[FloatArray, ...]  # per sentence of Q: one log10 ratio per token, then the sentence's end
    counted: tuple[Flags, ...]  # like evidence: whether the trigram that ends there is the first of its kind in Q
    reference_totals: tuple[float, ...]  # log10 P(Q|G_i) of every reference model
    known_total: float  # log10 P(Q|G_K)
    n_tokens: int
    n_hapaxes: int
    settings: LambdaGSettings
    masking: str | None = None
    sentences: tuple[Sentence, ...] | None = None  # of Q; None where only numbers were at hand

    def __post_init__(self) -> None:
        check_fields(self)
        if list(map(len, self.evidence)) != list(map(len, self.counted)):
            raise InputError("evidence and counted of a Score must have as many entries as each other, per sentence.")

    @cached_property
    def lambda_g(self) -> float:
        """The sum of the evidence, rounded once."""
        return total(chain.from_iterable(sentence.tolist() for sentence in self.evidence))

    @cached_property
    def distinct(self) -> float:
        """The sum of the evidence that counted, rounded once: repeating a phrase adds nothing."""
        if not self.evidence:
            return 0.0
        return total(np.concatenate(self.evidence)[np.concatenate(self.counted)])

    @property
    def n_sentences(self) -> int:
        return len(self.evidence)

    @property
    def in_a_line(self) -> str:
        """λG, how much Q there is, and the settings."""
        return f"λG {self.lambda_g:.6g} of {counted(self.n_tokens, 'token')}, {self.signature}"

    @property
    def columns(self) -> dict[str, list[Any]]:
        """A row for every token and every sentence's end, in the order of Q; their log10 ratios sum to λG."""
        sizes = list(map(len, self.evidence))
        tokens = (
            {}
            if self.sentences is None
            else {"token": [t for of_sentence in self.sentences for t in (*of_sentence, None)]}
        )
        return {
            "sentence": [number for number, size in enumerate(sizes, start=1) for _ in range(size)],
            "position": [position for size in sizes for position in range(1, size + 1)],
            **tokens,
            "is_end": [position == size for size in sizes for position in range(1, size + 1)],
            "log10_ratio": [value for of_sentence in self.evidence for value in of_sentence.tolist()],
            "counted": [value for of_sentence in self.counted for value in of_sentence.tolist()],
        }

    @property
    def by_sentence(self) -> Rows:
        """A row for every sentence of Q: its tokens and its part of λG."""
        words = {} if self.sentences is None else {"tokens": [" ".join(of_sentence) for of_sentence in self.sentences]}
        return Rows(
            {
                "sentence": list(range(1, self.n_sentences + 1)),
                **words,
                "n_tokens": [len(of_sentence) - 1 for of_sentence in self.evidence],
                "lambda_g": [total(of_sentence) for of_sentence in self.evidence],
            }
        )

    @property
    def signature(self) -> str:
        """The settings on one line."""
        masking = {} if self.masking is None else {"mask": self.masking}
        settings = self.settings
        return signature(
            "lambdag", order=settings.order, r=settings.repetitions, D=settings.discount, **masking, seed=settings.seed
        )


def score(
    *,
    q: Comparable,
    k: Comparable,
    reference: Comparable,
    order: int = 10,
    repetitions: int = 30,
    discount: float = 0.75,
    seed: Seed = 0,
) -> Score:
    """How much better the grammar of K than grammars of the reference predicts Q; sides may be of different kinds.

    `q`, `k` and `reference` are compared by n-grams up to `order`; `repetitions` reference models are drawn by `seed`,
    each as long as K, and `discount` is what counts are lowered by. Sentences come as lists of tokens, masked texts, a
    corpus of them, an index or a part of one. Plain sentences of the reference are drawn in the order given, texts in
    (author, id) order. Sides that share a text or an author are refused as `Problem` refuses them; for plain sentences,
    which have no name, a shared text is a warning.
    """
    settings = LambdaGSettings(order=order, repetitions=repetitions, discount=discount, seed=seed)
    sides = bring_together(q=q, k=k, reference=reference, order=settings.order)
    n_tokens = int(sides.index.sentence_lengths[sides.q].sum())
    refuse_impossible_sizes(n_q_tokens=n_tokens, n_k=len(sides.k), n_reference=len(sides.reference))
    refuse_leaks(sides)
    scored = score_drawn([_drawn(sides, settings)])[0]
    return replace(scored, sentences=sides.index.take(sides.q).sentences)


def score_sides(*, q: Part, k: Part, reference: Part, settings: LambdaGSettings) -> Score:
    """`score` behind its checks, of parts of one index."""
    return _scores(q, k, [(reference, settings)])[0]


def score_many(
    index: Index,
    problems: Sequence[Problem],
    *,
    seeds: Sequence[Seed] | None = None,
    order: int = 10,
    repetitions: int = 30,
    discount: float = 0.75,
    workers: int | None = None,
) -> list[Score]:
    """The scores of many problems over one index, in their order: the same digits whatever the number of workers.

    `problems` are of parts of the `index`, whose n-grams are numbered once: that, and `workers` threads (default: one
    per processor), is what makes it fast. Without `seeds` every problem has the one that `score` has by default;
    `order`, `repetitions` and `discount` are those of `score`.
    """
    _refuse_odd_problems(index, problems)
    if seeds is None:
        seeds = [0] * len(problems)
    if not isinstance(seeds, list | tuple | range) or len(seeds) != len(problems):
        given = f"{len(seeds)} seeds" if isinstance(seeds, list | tuple | range) else shown(seeds)
        raise InputError(f"{len(problems)} problems need a list of as many seeds, not {given}.")
    workers = n_workers(workers)
    settings = [LambdaGSettings(order=order, repetitions=repetitions, discount=discount, seed=seed) for seed in seeds]
    scores = score_problems(problems, settings, workers=workers)
    qs: dict[int, Any] = {id(problem.q): problem.q for problem in problems}
    sentences = {which: side_sentences(q) for which, q in qs.items()}
    return [
        unchecked(Score, **{**vars(scored), "sentences": sentences[id(problem.q)]})
        for problem, scored in zip(problems, scores, strict=True)
    ]


def score_problems(problems: Sequence[Problem], settings: Sequence[LambdaGSettings], *, workers: int) -> list[Score]:
    """`score_many` behind its checks: problems over one index, each with its settings."""

    def solve(numbers: range) -> list[Score]:
        solved: list[Score] = []
        for _, alike in groupby(numbers, key=lambda number: (id(problems[number].q), id(problems[number].k))):
            same: list[tuple[Any, LambdaGSettings]] = [(problems[number], settings[number]) for number in alike]
            first = same[0][0]
            solved += _scores(first.q, first.k, [(problem.reference, how) for problem, how in same])
        return solved

    # Several at a time: waking another thread costs a good part of a small problem.
    size = max(1, min(8, len(problems) // (8 * workers)))
    batches = [range(start, min(start + size, len(problems))) for start in range(0, len(problems), size)]
    scores: list[Score] = []
    with (
        progress("Scoring", total=len(problems), unit="problems") as advance,
        ThreadPoolExecutor(min(workers, max(len(problems), 1))) as pool,
    ):
        try:
            for done in pool.map(solve, batches):
                scores += done
                advance(len(done))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return scores


def _refuse_odd_problems(index: object, problems: object) -> None:
    if not isinstance(index, Index):
        raise InputError(f"The index must be an Index, not {shown(index)}. Build one with Index(corpus).")
    if not isinstance(problems, list | tuple):
        raise InputError(
            f"Problems must be a list of Problem, in the order of the scores wanted, not {shown(problems)}."
        )
    for number, problem in enumerate(problems):
        if not isinstance(problem, Problem):
            raise InputError(f"Problem {number} must be a Problem, not {shown(problem)}.")
        if not isinstance(problem.reference, Part) or problem.reference.index is not index:
            raise ProblemError(
                f"The reference of problem {problem.id or number} is not a part of this index. "
                "Make it with the index's own by, excluding, texts or take."
            )
        refuse_copies_in(index, problem)


def _scores(q: Comparable, k: Comparable, references: Sequence[tuple[Comparable, LambdaGSettings]]) -> list[Score]:
    """The scores of one Q and K with each reference, by settings that differ in their seeds alone."""
    drawn = [
        _drawn(bring_together(q=q, k=k, reference=reference, order=settings.order), settings)
        for reference, settings in references
    ]
    together = all(sides.index is drawn[0][0].index for sides, _, _ in drawn)
    return score_drawn(drawn) if together else [score_drawn([sides_and_draws])[0] for sides_and_draws in drawn]


def _drawn(sides: IndexedSides, settings: LambdaGSettings) -> "Drawn":
    # Imported late: Numba takes half a second, and most commands need no score.
    from idiograph.grammar.reference_draws import draw

    # As many sentences as K, without replacement: a longer reference model would know more n-grams and win whoever
    # wrote Q.
    draws = draw(settings.seed, len(sides.reference), size=len(sides.k), repetitions=settings.repetitions)
    return sides, draws, settings


@lru_cache(maxsize=128)
def _counted(tokens: bytes, lengths: bytes) -> Flags:
    """The flags of a Q, which meets many Ks: found once."""
    return frozen(first_trigrams(np.frombuffer(tokens, np.int32), np.frombuffer(lengths, np.int64)))


Drawn = tuple[IndexedSides, Numbers, LambdaGSettings]


def _joined(drawn: Sequence[Drawn]) -> tuple[Numbers, Numbers]:
    """The references as one, and the draws among its sentences."""
    if len(drawn) == 1:
        return drawn[0][0].reference, drawn[0][1]
    sizes = [len(sides.reference) for sides, _, _ in drawn]
    firsts = np.cumsum([0, *sizes[:-1]], dtype=np.int64)
    return (
        np.concatenate([sides.reference for sides, _, _ in drawn]),
        np.concatenate([draws + first for (_, draws, _), first in zip(drawn, firsts, strict=True)]),
    )


def score_drawn(drawn: Sequence[Drawn]) -> list[Score]:
    """The scores of one Q and K, which are counted once, with reference models given.

    Each of `drawn` has a row of numbers among its reference's sentences for every model, as many as the others.
    """
    from idiograph.compiling import run
    from idiograph.grammar.kneser_ney import MAX_NODES, log10_ratios

    sides, _, settings = drawn[0]
    index = sides.index
    most_nodes = int((index.places[sides.q + 1] - index.places[sides.q]).sum()) + 3
    if most_nodes > MAX_NODES:
        raise ProblemError(
            f"Q has up to {most_nodes:,} different n-grams, and at most {MAX_NODES:,} can be told apart. "
            "Score its texts one by one."
        )
    reference, draws = _joined(drawn)
    with index.workspace() as space:
        known, means, totals, n_hapaxes, space.model, _ = run(
            log10_ratios, index.stream, index.places, sides.q, sides.k, reference, draws, len(drawn),
            settings.order, settings.discount, space.types, space.marks, space.model,
        )  # fmt: skip
    lengths = index.sentence_lengths[sides.q].astype(np.int64, copy=False)
    counted = _counted(token_numbers(index.tokens, index.starts, sides.q).tobytes(), lengths.tobytes())
    ends = np.cumsum(lengths + 1, dtype=np.int64).tolist()
    sentences = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]
    flags, known_total = tuple(counted[sentence] for sentence in sentences), total(known)
    scores = []
    for (of_reference, _, seeded), mean, of_models in zip(drawn, means, totals.reshape(len(drawn), -1), strict=True):
        evidence = frozen(known - mean)
        scores.append(
            unchecked(
                Score,
                evidence=tuple(evidence[sentence] for sentence in sentences),
                counted=flags,
                reference_totals=tuple(of_models.tolist()),
                known_total=known_total,
                n_tokens=len(evidence) - len(lengths),
                n_hapaxes=int(n_hapaxes),  # NumPy's where the kernel runs as plain Python
                settings=seeded,
                masking=of_reference.masking,
            )
        )
    return scores
