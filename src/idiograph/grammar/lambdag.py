"""λG: a Q, a K and a reference become a Score, with the evidence of every token.

G_K from K's sentences; G_i from as many of the reference's, drawn without replacement, i = 1..r
λG(t) = log10 P(t|G_K) − mean_i log10 P(t|G_i)       for every token of Q and every sentence's end
λG(Q) = Σ λG(t)
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from idiograph.errors import InputError, ProblemError
from idiograph.grammar.index import Index, Part, frozen
from idiograph.grammar.settings import LambdaGSettings, Seed
from idiograph.grammar.sides import Extension, Side, common_masking, numbered, part_of
from idiograph.progress import progress
from idiograph.provenance import signature
from idiograph.texts.problem import Problem, refuse_impossible_sizes

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Score:
    """λG of a Q with the evidence it is the sum of; everything in log base 10, nothing rounded, arrays read-only."""

    evidence: tuple[FloatArray, ...]  # a sentence of Q each: one log10 ratio a token, then the sentence's end
    reference_totals: tuple[float, ...]  # log10 P(Q|G_i) of every reference model
    known_total: float  # log10 P(Q|G_K)
    n_tokens: int
    n_hapaxes: int
    settings: LambdaGSettings
    masking: str | None = field(default=None)

    @cached_property
    def lambda_g(self) -> float:
        """The sum of the evidence."""
        return float(sum(float(sentence.sum()) for sentence in self.evidence))

    @property
    def n_sentences(self) -> int:
        return len(self.evidence)

    @property
    def signature(self) -> str:
        """The settings on one line."""
        masking = {} if self.masking is None else {"mask": self.masking}
        own = self.settings
        return signature("lambdag", order=own.order, r=own.repetitions, D=own.discount, **masking, seed=own.seed)


def score(
    *,
    q: Side,
    k: Side,
    reference: Side,
    order: int = 10,
    repetitions: int = 30,
    discount: float = 0.75,
    seed: Seed = 0,
) -> Score:
    """How much better the grammar of K than grammars of the reference predicts Q; sides may be of different kinds.

    Sentences come as lists of tokens, masked texts, a corpus of them, an index or a part of one. Plain sentences of
    the reference are drawn in the order given, texts in (author, id) order.
    """
    settings = LambdaGSettings(order=order, repetitions=repetitions, discount=discount, seed=seed)
    return _score(q, k, part_of(reference), settings)


def score_many(
    index: Index,
    problems: Sequence[Problem],
    *,
    seeds: Sequence[Seed],
    order: int = 10,
    repetitions: int = 30,
    discount: float = 0.75,
    workers: int | None = None,
) -> list[Score]:
    """The scores of many problems over one index, in their order: the same digits whatever the number of workers."""
    if len(seeds) != len(problems):
        raise InputError(f"{len(problems)} problems came with {len(seeds)} seeds. Give each problem its own.")
    if workers is None:
        workers = os.cpu_count() or 1
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise InputError(f"The number of workers is {workers!r}. Give a whole number from 1, or leave it out.")
    settings = [LambdaGSettings(order=order, repetitions=repetitions, discount=discount, seed=seed) for seed in seeds]
    for problem in problems:
        if not isinstance(problem.reference, Part) or problem.reference.index is not index:
            raise ProblemError(
                f"The reference of problem {problem.id or '(unnamed)'} is no part of the index given. "
                "Make it with the index's own by, excluding, texts or take."
            )

    def solve(number: int) -> Score:
        problem = problems[number]
        return _score(problem.q, problem.k, problem.reference, settings[number])  # type: ignore[arg-type]

    scores = []
    with (
        progress("Scoring", total=len(problems), unit="problems") as advance,
        ThreadPoolExecutor(min(workers, max(len(problems), 1))) as pool,
    ):
        try:
            for done in pool.map(solve, range(len(problems))):
                scores.append(done)
                advance()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return scores


def _score(q: Side, k: Side, reference: Part, settings: LambdaGSettings) -> Score:
    # Imported late: Numba takes half a second, and most commands need no score.
    from idiograph.grammar.compiling import run
    from idiograph.grammar.kneser_ney import log10_ratios

    index = reference.index
    vocabulary = Extension(index)
    q_side = numbered(q, vocabulary)
    k_side = numbered(k, vocabulary)
    q_lengths = q_side.starts[q_side.numbers + 1] - q_side.starts[q_side.numbers]
    n_tokens = int(q_lengths.sum())
    n_k = len(k_side.numbers)
    refuse_impossible_sizes(n_q_tokens=n_tokens, n_k=n_k, n_reference=reference.n_sentences)
    masking = common_masking(Q=q_side.masking, K=k_side.masking, reference=reference.masking)

    rng = np.random.default_rng(settings.seed)
    draws = np.empty((settings.repetitions, n_k), np.int64)
    for draw in draws:
        # As many sentences as K, without replacement: a longer reference model would know more n-grams and win
        # whoever wrote Q.
        draw[:] = rng.choice(reference.n_sentences, size=n_k, replace=False)
    known, mean, totals, n_hapaxes = run(
        log10_ratios,
        q_side.tokens, q_side.starts, q_side.numbers,
        k_side.tokens, k_side.starts, k_side.numbers,
        index.tokens, index.starts, reference.sentence_numbers, draws,
        settings.order, settings.discount, vocabulary.size + 1,
    )  # fmt: skip
    evidence = frozen(known - mean)
    ends = np.cumsum(q_lengths + 1).tolist()
    return Score(
        evidence=tuple(evidence[start:end] for start, end in zip([0, *ends], ends, strict=False)),
        reference_totals=tuple(totals.tolist()),
        known_total=float(known.sum()),
        n_tokens=n_tokens,
        n_hapaxes=n_hapaxes,
        settings=settings,
        masking=masking,
    )
