"""Judged trials that are not drawn as their reference is: near, random or far in topic, and with impostors.

What a case meets is not what its reference was drawn as. Here the left-out authors of a fold have draws of their own,
which the fold's reference judges as it stands: their Qs meet the reference authors' Ks, whose Qs meet their Ks. An
impostor is one of the reference authors, if not of the fold, so that trial has a reference without them; of λG's
reference models, which cost most, those of the fold serve, and only problems with the impostor's K leave them out.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from idiograph.evidence.cosine import part_n_grams, typed_n_grams
from idiograph.evidence.matrix import BY_LAMBDA_G, Cell, Matrix, matrix_of
from idiograph.grammar.lambdag import Score
from idiograph.studies.problems import Half, Plan, Planned, impostor_of
from idiograph.studies.settings import Study
from idiograph.studies.trial_table import AMONG, COLUMN, DRAW, IMPOSTOR, ROW, TrialTable, trials_of
from idiograph.texts.problem import Problem

Scored = Callable[[Planned], tuple[Problem, Score]]


@dataclass(frozen=True)
class _Group:
    """Trials that one reference judges, and the matrix of its authors' draws and theirs."""

    reference: Sequence[str]
    trials: list[Planned]
    cells: list[Cell]
    matrix: Matrix
    draw: str
    impostor: bool


def drawn_trials(study: Study, run: int, plan: Plan, number: int, scored: Scored) -> TrialTable:
    """The trials of a fold with all their scores, and those with its reference authors that normalise them."""
    import pyarrow as pa

    groups = list(_groups(study, plan, number, scored))
    planned = [problem for group in groups for problem in group.trials]
    problems, scores = zip(*(scored(problem) for problem in planned), strict=True)
    names = groups[0].matrix.rows(groups[0].cells)
    by_name = {name: [values for group in groups for values in _kept(group, name)] for name in names}
    more = {name: [scored_alone for scored_alone, *_ in by_name[name]] for name in names if name != "distinct"}
    table = trials_of(study.name, run, plan, planned, problems, scores, evidence=study.evidence, more=more).table
    draws = [group.draw for group in groups for _ in group.trials]
    table = table.append_column(DRAW, pa.array(draws, pa.string()))
    table = table.append_column(IMPOSTOR, pa.array([problem.half == "impostor" for problem in planned], pa.bool_()))
    lists = pa.list_(pa.float64())
    for name, kept in by_name.items():
        table = table.append_column(ROW + name, pa.array([row for _, row, _, _ in kept], lists))
        table = table.append_column(COLUMN + name, pa.array([column for _, _, column, _ in kept], lists))
        if name not in BY_LAMBDA_G:  # which the trials of the fold have
            table = table.append_column(AMONG + name, pa.array([among for *_, among in kept], lists))
    return TrialTable(table)


def n_drawn(plan: Plan, group: int | None = None) -> int:
    """How many problems all draws of a plan, or of a group of its folds, take besides those of the folds."""
    folds = [fold for fold in plan.folds if group is None or fold.group == group]
    among_left_out = sum(
        len(fold.left_out) * (2 * len(fold.reference) + len(fold.left_out)) * len(_draws(plan)) for fold in folds
    )
    return among_left_out + sum(
        len(fold.reference) + 1 for fold in folds for b, _ in plan.impostors if b in fold.left_out
    )


def _draws(plan: Plan) -> list[str]:
    return [draw for draw in dict.fromkeys(plan.design.cases) if draw != plan.condition.closeness]


def _groups(study: Study, plan: Plan, number: int, scored: Scored) -> Iterator[_Group]:
    """The left-out authors' Qs with each other's Ks in every other draw, and their first Qs with impostors' Ks."""
    fold = plan.folds[number]
    for draw in _draws(plan):
        sides = [(author, draw) for author in fold.left_out]
        yield _group(study, plan, number, fold.reference, sides, sides, scored, draw=draw, impostor=False)
    for b, a in plan.impostors:
        if b in fold.left_out:
            reference = [author for author in fold.reference if author != a]
            q, k = (b, "" if plan.condition.closeness == "random" else "random"), (a, impostor_of(b))
            yield _group(study, plan, number, reference, [q], [k], scored, draw="random", impostor=True)


def _group(
    study: Study,
    plan: Plan,
    number: int,
    reference: Sequence[str],
    qs: Sequence[tuple[str, str]],
    ks: Sequence[tuple[str, str]],
    scored: Scored,
    *,
    draw: str,
    impostor: bool,
) -> _Group:
    """The matrix of the reference authors (first) and of further Qs and Ks, given by author and draw."""
    n = len(reference)
    rows = [*((author, "") for author in reference), *qs]
    columns = [*((author, "") for author in reference), *ks]

    def planned(b: int, a: int) -> Planned:
        (q, q_draw), (k, k_draw) = rows[b], columns[a]
        half: Half = "cohort" if b < n or a < n else "impostor" if impostor else "drawn"
        return plan.compared(k=k, q=q, half=half, fold=number, k_draw=k_draw, q_draw=q_draw)

    beyond, below = range(n, len(columns)), range(n, len(rows))
    asked_for = list(product(below, beyond))
    around = [*product(below, range(n)), *product(range(n), beyond)]
    scores = {cell: [scored(planned(*cell))[1]] for cell in (*asked_for, *around)}
    material = plan.material
    sides = [plan.sample(*row).q for row in rows] + [plan.sample(*column).k for column in columns]
    assert material.content is not None
    parts = [material.index.take(side) for side in sides]
    sentences = [part.sentences for part in parts] if study.holds else []
    matrix = matrix_of(
        part_n_grams(parts),
        scores,
        q_authors=range(len(rows)),
        reference=range(n),
        typed=typed_n_grams([material.written(side) for side in sides]) if study.typing else None,
        content=material.content.counts(sides),
        hold=(sentences[: len(rows)], sentences[len(rows) :]) if study.holds else None,
    )
    return _Group(reference, [planned(*cell) for cell in asked_for], asked_for, matrix, draw, impostor)


def _kept(group: _Group, name: str) -> Iterator[tuple[float, list[float], list[float], list[float] | None]]:
    """Of each trial its score, those of its Q with the reference's Ks, of the reference's Qs with its K, and, where the
    reference is not that of the fold, of the reference authors with each other, row by row."""
    n = len(group.reference)
    scores = group.matrix.closeness if name == "closeness" else group.matrix.scores[name]
    assert scores is not None
    among = scores[:n, :n].reshape(-1).tolist() if group.impostor and name not in BY_LAMBDA_G else None
    for b, a in group.cells:
        yield float(scores[b, a]), scores[b, :n].tolist(), scores[:n, a].tolist(), among
