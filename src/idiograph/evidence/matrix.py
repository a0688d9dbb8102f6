"""The matrix of scores: every Q with every K, of which a case, a study, an attack and a call of one's own are made.

They differ in whose Qs and Ks they draw and in λG's reference. What is scored then is one thing: `score_pairs` scores
λG of the pairs, `matrix_of` puts them beside the scores that need all Qs and Ks at once.

S-norm: a score measured by what the same Q gets with other Ks, and the same K with other Qs.

    S = ½·((x − mean_j s(Q_b, K_j)) / sd_j  +  (x − mean_i s(Q_i, K_a)) / sd_i),    x = s(Q_b, K_a)

i and j run over the trial's cohort (`trials`), sd with n − 1. Row b and column a of a matrix hold s(Q_b, K_a).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from idiograph.arithmetic import FloatArray
from idiograph.errors import CalibrationError
from idiograph.evidence.closeness import LEAST, MOST, clipped, closenesses, log_closeness
from idiograph.evidence.cosine import Counts, ngram_cosines, weighted_cosines
from idiograph.evidence.phrases import BARE, UNLISTED, without_phrases
from idiograph.evidence.repetition import overuse, without
from idiograph.evidence.steady import STEADY, steady_scores
from idiograph.evidence.trials import following
from idiograph.grammar.lambdag import Score
from idiograph.grammar.vocabulary import Numbers, Sentences
from idiograph.texts.problem import Problem

Cell = tuple[int, int]  # the row of a Q, the column of a K
Scorer = Callable[[list[Problem]], Sequence[Score]]
CLOSENESS = "closeness"  # what c is called where scores are kept by name
KEPT = ("kept_distinct", "kept_cosine")  # the scores without what each Q overuses
BY_LAMBDA_G = ("distinct", KEPT[0], UNLISTED[0], BARE[0])  # the scores that λG's cells are needed for
HOLDING = (*UNLISTED, *BARE, STEADY)  # the scores that no few phrases of K can carry
_AT_ONCE = 64  # problems whose references are in memory together


@dataclass(frozen=True, eq=False)
class Matrix:
    """The scores, by name, of every Q (rows) with every K (columns); not a number where two were not compared.

    Row and column i are author i's. Those after the authors' are the case's, or the rows of attacked Qs.
    """

    scores: Mapping[str, FloatArray]
    reference: Sequence[int]  # the authors that cohorts are taken from
    incomplete: frozenset[str] = frozenset()  # scores that the reference authors do not have with each other
    closeness: FloatArray | None = None  # c of every Q with every K; None where there are no content words

    def only(self, *names: str) -> "Matrix":
        """The matrix of these scores alone, in this order."""
        return replace(self, scores={name: self.scores[name] for name in names})

    def with_case(self, distinct: float, column: Sequence[float] | None = None) -> "Matrix":
        """With another λG of the case, in the last row and column; `column` has the others' Qs with its K."""
        changed = self.scores["distinct"].copy()
        if column is not None:
            changed[:-1, -1] = column
        changed[-1, -1] = distinct
        return replace(self, scores={**self.scores, "distinct": changed})

    def rows(self, cells: Sequence[Cell]) -> dict[str, FloatArray]:
        """The scores in these cells, one after the other: what a table of trials keeps."""
        b, a = np.array(cells, np.int64).reshape(-1, 2).T
        kept = {**self.scores, **({} if self.closeness is None else {CLOSENESS: self.closeness})}
        return {name: scores[b, a] for name, scores in kept.items()}

    @classmethod
    def of_rows(
        cls, cells: Sequence[Cell], columns: Mapping[str, FloatArray], *, n_authors: int, reference: Sequence[int]
    ) -> "Matrix":
        """The matrix with these scores in these cells: from what a table of trials kept."""
        b, a = np.array(cells, np.int64).reshape(-1, 2).T
        shape = (max(n_authors, int(b.max()) + 1), max(n_authors, int(a.max()) + 1))
        scores = {name: np.full(shape, np.nan) for name in columns}
        for name, values in columns.items():
            scores[name][b, a] = values
        return cls(scores, reference, closeness=scores.pop(CLOSENESS, None))


def score_pairs(problems: Iterable[tuple[Cell, Problem]], score: Scorer) -> dict[Cell, list[Score]]:
    """The scores of the problems by their cells; several in a cell that comes several times, in that order."""
    cells: dict[Cell, list[Score]] = {}
    waiting = iter(problems)
    while batch := list(islice(waiting, _AT_ONCE)):
        for (cell, _), scored in zip(batch, score([problem for _, problem in batch]), strict=True):
            cells.setdefault(cell, []).append(scored)
    return cells


def matrix_of(
    counts: Counts,
    cells: Mapping[Cell, Sequence[Score]],
    *,
    q_authors: Sequence[int],
    reference: Sequence[int],
    typed: Counts | None = None,
    content: Counts | None = None,
    guard: tuple[Sequence[Sentences], Sequence[Sentences]] | None = None,
    hold: tuple[Sequence[Sentences], Sequence[Sentences]] | None = None,
    known: Mapping[str, FloatArray] | None = None,
) -> Matrix:
    """Distinct λG of the cells, and the n-gram cosine of every Q with every K; the typing score, if there is `typed`.

    `counts` has the n-grams of the Qs, of the authors `q_authors`, then those of the Ks; `typed` those of how they are
    typed; `content` their content words, of which c comes. A cell with several scores, by several sets of reference
    models, has the mean of their sums. With the sentences of the Qs and Ks to `guard` there are also both scores
    without what each Q overuses (`KEPT`), to `hold` those that the ceiling and the flag go by (`HOLDING`). `known` has
    scores by λG of the first rows and columns, whose cells then need not be there.
    """
    by_counts = cosines(counts, typed, q_authors=q_authors, reference=reference)
    shape = by_counts["cosine"].shape

    def distinct(of: Callable[[Cell, Score], Score]) -> FloatArray:
        sums = np.full(shape, np.nan)
        for cell, scores in cells.items():
            sums[cell] = mean_distinct([of(cell, score) for score in scores])
        return sums

    matrices = {"distinct": distinct(lambda _, score: score), **by_counts}
    if guard is not None:
        overused = overuse(*guard, q_authors=q_authors, reference=reference)
        matrices["kept_distinct"] = distinct(lambda cell, score: without(score, overused.left_out(*cell)))
        matrices["kept_cosine"] = ngram_cosines(*guard, q_authors=q_authors, reference=reference, overused=overused)
    if hold is not None:
        matrices |= without_phrases(cells, *hold, q_authors=q_authors, reference=reference)
        matrices[STEADY] = steady_scores(*hold, q_authors=q_authors, reference=reference)
    for name in matrices.keys() & (known or {}).keys():
        first, values = matrices[name], (known or {})[name]
        first = first[: len(values), : len(values)]
        first[np.isnan(first)] = values[np.isnan(first)]
    # Attacked Qs may be fewer than the reference authors, whose own Qs are then no rows.
    compared = max(reference, default=-1) < shape[0]
    compared = compared and not np.isnan(matrices["distinct"][np.ix_(reference, reference)]).any()
    incomplete = frozenset() if compared else frozenset(BY_LAMBDA_G)
    close = None if content is None else closenesses(content, q_authors=q_authors, reference=reference)
    return Matrix(matrices, reference, incomplete, close)


def cosines(
    counts: Counts, typed: Counts | None, *, q_authors: Sequence[int], reference: Sequence[int]
) -> dict[str, FloatArray]:
    """The scores that need all Qs and Ks at once, of every Q with every K; see `matrix_of`."""
    by_name = {"cosine": counts, "typing": typed}
    return {
        name: weighted_cosines(counted, q_authors=q_authors, reference=reference)
        for name, counted in by_name.items()
        if counted is not None
    }


def mean_distinct(scores: Sequence[Score]) -> float:
    """Distinct λG by several sets of reference models: the mean of the sums, not the sum of mean evidence."""
    summed = scores[0].distinct
    for score in scores[1:]:
        summed += score.distinct
    return summed / len(scores)


def topic_norms(
    matrix: Matrix, trials: Sequence[tuple[int, int]] | Numbers, *, weights: Sequence[float] | None = None
) -> FloatArray:
    """g of each trial (b, a): how close Q_b and K_a are in topic, by the cohort that their scores are measured by."""
    if matrix.closeness is None:
        raise CalibrationError(
            "How close Q and K are in topic is not known, because there are no originals to take content words from. "
            "Give original texts, or use a method that leaves topic alone, such as normalised."
        )
    close = log_closeness(matrix.closeness)
    g = _normed(close, trials, matrix.reference, weights)
    # Where the cohort shares not a word with Q, or with K, whoever does is closer than anybody was measured.
    b, a = np.array(trials, np.int64).reshape(-1, 2).T
    others = list(matrix.reference)
    above = close[b, a] > np.minimum(close[b][:, others].min(axis=1), close[others][:, a].min(axis=0))
    return clipped(np.where(np.isnan(g), np.where(above, MOST, LEAST), g))


def s_norms(
    scores: FloatArray,
    trials: Sequence[tuple[int, int]] | Numbers,
    *,
    reference: Sequence[int],
    weights: Sequence[float] | None = None,
) -> FloatArray:
    """The S-norm of each trial (b, a), of Q_b with K_a; `weights` says how often each reference author counts."""
    s_normed = _normed(scores, trials, reference, weights)
    if np.isnan(s_normed).any():
        raise CalibrationError(
            "All scores of the cohort are the same and that of the trial differs, so it cannot be normalised. "
            "Check the reference for copies of one text."
        )
    return s_normed


def _normed(
    scores: FloatArray,
    trials: Sequence[tuple[int, int]] | Numbers,
    reference: Sequence[int],
    weights: Sequence[float] | None,
) -> FloatArray:
    """The S-norm of each trial; not a number where its cohort's scores are all the same and its own is another."""
    # Imported late: Numba takes half a second.
    from idiograph.compiling import run
    from idiograph.evidence.kernels import normed

    chosen = np.array(reference, np.int64)
    counts = np.ones(len(chosen)) if weights is None else np.array(weights, np.float64)
    pairs = np.array(trials, np.int64).reshape(-1, 2)
    after = np.full(len(pairs), -1, np.int64)
    for row in np.flatnonzero(pairs[:, 0] == pairs[:, 1]):
        if (author := int(pairs[row, 0])) in reference:
            after[row] = following(reference, author)
    s_normed: FloatArray = run(normed, scores, pairs, after, chosen, counts)
    return s_normed
