"""The matrices that normalisation needs, and the whole way from masked texts to a reference-normalised LLR."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from idiograph.arguments import checks_arguments
from idiograph.arithmetic import FloatArray
from idiograph.errors import ProblemError
from idiograph.evidence.ngram_cosine import ngram_cosines
from idiograph.evidence.normalised import Normalisation, Normalised, normalise
from idiograph.grammar.lambdag import Score, score_many
from idiograph.grammar.part import Part
from idiograph.texts.problem import Problem, problem_seed

CASE = "(case)"


@dataclass(frozen=True)
class Pair:
    """A Q and a K of one author, parts of one index; in a case, the disputed Q and the candidate's K."""

    author: str
    q: Part
    k: Part


def lambda_g_matrix(
    pairs: Sequence[Pair],
    *,
    reference: Sequence[int],
    seed: int = 0,
    order: int = 10,
    repetitions: int = 30,
    discount: float = 0.75,
    workers: int | None = None,
) -> list[list[Score]]:
    """The score of every Q_b (rows) with every K_a (columns) of the pairs.

    The reference of each is all sentences in the index of the authors `reference` but a and b. A problem's
    id is "K's author/Q's author".
    """
    index = pairs[0].q.index
    if any(side.index is not index for pair in pairs for side in (pair.q, pair.k)):
        raise ProblemError("The Qs and Ks are parts of different indexes. Build one Index of all texts.")
    trials = list(product(range(len(pairs)), repeat=2))
    parts: dict[tuple[int, ...], Part] = {}
    problems, seeds = [], []
    for b, a in trials:
        others = tuple(author for author in reference if author not in (a, b))
        if others not in parts:
            parts[others] = index.by(*(pairs[author].author for author in others))
        name = f"{pairs[a].author}/{pairs[b].author}"
        problems.append(Problem(q=pairs[b].q, k=pairs[a].k, reference=parts[others], id=name))
        seeds.append(problem_seed(seed, name))
    scores = score_many(
        index, problems, seeds=seeds, order=order, repetitions=repetitions, discount=discount, workers=workers
    )
    return [scores[start : start + len(pairs)] for start in range(0, len(scores), len(pairs))]


def distinct_matrix(scores: Sequence[Sequence[Score]]) -> FloatArray:
    """Distinct λG of a matrix of scores."""
    return np.array([[score.distinct for score in row] for row in scores])


def cosine_matrix(pairs: Sequence[Pair], *, reference: Sequence[int]) -> FloatArray:
    """The n-gram cosine of every Q_b (rows) with every K_a (columns) of the pairs."""
    qs, ks = [pair.q.sentences for pair in pairs], [pair.k.sentences for pair in pairs]
    return ngram_cosines(qs, ks, q_authors=range(len(pairs)), reference=reference)


@dataclass(frozen=True)
class ReferenceNormalised:
    """A case by the reference-normalised method: the trial, what the reference says, and the score of Q and K."""

    trial: Normalised
    normalisation: Normalisation
    score: Score


@checks_arguments
def reference_normalised(
    *,
    q: Part,
    k: Part,
    pairs: Mapping[str, tuple[Part, Part]],
    seed: int = 0,
    tau: float | None = None,
    workers: int | None = None,
) -> ReferenceNormalised:
    """The LLR of a case, by a Q and a K of each reference author, made the way the case's are.

    All of them are parts of one index, in which the reference authors may have more texts than these; those serve
    as λG's reference.
    """
    made = [Pair(author, *pairs[author]) for author in sorted(pairs)]
    everyone = [*made, Pair(CASE, q, k)]
    reference = range(len(made))
    scores = lambda_g_matrix(everyone, reference=reference, seed=seed, workers=workers)
    matrices = [distinct_matrix(scores), cosine_matrix(everyone, reference=reference)]
    case = len(made)
    normalisation, (trial,) = normalise(
        matrices, reference=reference, trials=[(case, case)], k_tokens=k.n_tokens, tau=tau
    )
    return ReferenceNormalised(trial, normalisation, scores[case][case])
