"""Tables 2 and 3 of the paper, and what it says of its length grids, reckoned from stored trials alone.

Nothing of Idiograph is imported. A trial is a row with its corpus, condition, run, half, answer and an LLR in nats for
each method (`llr_…`), as a study's trials.parquet has them.
"""

import math
import re
from collections.abc import Iterable, Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

TIE = 1e-6
Cell = tuple[str, str]


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The judged trials of a Parquet file."""
    table = pq.read_table(path)
    wanted = [name for name in table.column_names if name.startswith("llr_")]
    wanted += ["corpus", "condition", "run", "half", "same_author"]
    return [row for row in table.select(wanted).to_pylist() if row["half"] == "case"]


def cllr(same: Iterable[float], different: Iterable[float]) -> float:
    """½·(mean log2(1 + 1/LR) + mean log2(1 + LR)), from ln LR, never overflowing."""

    def cost(nats: float) -> float:
        return (max(nats, 0.0) + math.log1p(math.exp(-abs(nats)))) / math.log(2)

    first, second = [cost(-nats) for nats in same], [cost(nats) for nats in different]
    return 0.5 * (math.fsum(first) / len(first) + math.fsum(second) / len(second))


def runs(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str, str], dict[int, float]]:
    """Cllr of every corpus, condition and method by run."""
    trials: dict[tuple[str, str, str, int], tuple[list[float], list[float]]] = {}
    for row in rows:
        for name, nats in row.items():
            if name.startswith("llr_") and nats is not None:
                key = (row["corpus"], row["condition"], name.removeprefix("llr_"), row["run"])
                trials.setdefault(key, ([], []))[0 if row["same_author"] else 1].append(nats)
    by_run: dict[tuple[str, str, str], dict[int, float]] = {}
    for (corpus, condition, method, run), (same, different) in trials.items():
        by_run.setdefault((corpus, condition, method), {})[run] = cllr(same, different)
    return by_run


def table3(
    by_run: Mapping[tuple[str, str, str], Mapping[int, float]],
) -> dict[tuple[str, str, str], tuple[float, float]]:
    """Mean and standard deviation (n − 1) over the runs."""
    cells = {}
    for key, values in by_run.items():
        mean = math.fsum(values.values()) / len(values)
        spread = math.fsum((value - mean) ** 2 for value in values.values())
        cells[key] = (mean, math.sqrt(spread / (len(values) - 1)) if len(values) > 1 else math.nan)
    return cells


def table2(means: Mapping[tuple[str, str, str], float]) -> dict[Cell, tuple[float, float | None, int]]:
    """(method, comparator) -> per cent won, per cent of losses that are close, ties; every corpus weighs the same."""
    methods = list(dict.fromkeys(method for _, _, method in means))
    corpora = list(dict.fromkeys(corpus for corpus, _, _ in means))
    cells = {}
    for method, other in permutations(methods, 2):
        wins, closes, ties = [], [], 0
        for corpus in corpora:
            pairs = [
                (means[key], means[corpus, key[1], other]) for key in means if key[0] == corpus and key[2] == method
            ]
            lost = [(mine, theirs) for mine, theirs in pairs if mine > theirs + TIE]
            ties += sum(abs(mine - theirs) <= TIE for mine, theirs in pairs)
            wins.append((len(pairs) - len(lost)) / len(pairs))
            if lost:
                closes.append(sum(mine <= 1.05 * theirs + TIE for mine, theirs in lost) / len(lost))
        close = 100 * math.fsum(closes) / len(closes) if closes else None
        cells[method, other] = (100 * math.fsum(wins) / len(wins), close, ties)
    return cells


def lengths(means: Mapping[tuple[str, str, str], float], corpus: str, method: str, baseline: str) -> tuple[Any, ...]:
    """What the paper says of a grid: how a method does where the baseline is above 0.1, and where it is not."""
    cells = {c for name, c, _ in means if name == corpus and re.search(r"_q\d+_k\d+", c)}
    pairs = [(means[corpus, c, method], means[corpus, c, baseline]) for c in sorted(cells)]
    above, below = [p for p in pairs if p[1] > 0.1], [p for p in pairs if p[1] <= 0.1]

    def share(holds: list[bool]) -> float | None:
        return 100 * sum(holds) / len(holds) if holds else None

    better = [mine <= base + TIE for mine, base in above]
    close = [not won and mine <= 1.05 * base + TIE for won, (mine, base) in zip(better, above, strict=True)]
    over = [means[corpus, c, "hapax"] <= means[corpus, c, "square_root"] + TIE for c in cells]
    return (
        len(above), share(better), share(close), len(below), share([mine <= base + 0.05 + TIE for mine, base in below]),
        max((mine - base for mine, base in below), default=None), share(over) if method == "hapax" else None,
    )  # fmt: skip
