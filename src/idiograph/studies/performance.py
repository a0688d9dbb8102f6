"""How well each method does on each corpus and condition: the field's metrics, with intervals over authors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from idiograph.evidence.decisions import Decisions, PanMetrics, decisions, pan_metrics
from idiograph.evidence.intervals import METRICS, Interval, intervals
from idiograph.evidence.metrics import Misleading, cllr, misleading
from idiograph.studies.methods import groups
from idiograph.studies.trials import FloatArray, Trials

UNITS = ("bits", "nats", "bans")


@dataclass(frozen=True)
class Classes:
    """LLRs in nats of the case trials of one corpus and condition by one method, all runs together, with authors."""

    corpus: str
    condition: str
    method: str
    same: FloatArray
    different: FloatArray
    same_authors: tuple[str, ...]
    different_authors: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Performance:
    """A method on one corpus and condition; metrics without an interval where none was asked for."""

    corpus: str
    condition: str
    method: str
    n_authors: int
    n_same: int
    n_different: int
    metrics: dict[str, Interval]
    misleading: tuple[Misleading, ...]
    decisions: Decisions
    pan: PanMetrics


def classes(trials: Trials) -> Iterator[Classes]:
    """The case trials by corpus, condition and method, all runs together.

    The mean Cllr over runs of one size is the Cllr of all their trials; resampled authors carry all their runs.
    """
    case = trials.where(trials.column("half") == "case")
    same, k_authors, q_authors = case.same, case.column("k_author"), case.column("q_author")
    llrs = {method: case.llr(method) for method in case.methods}
    places: dict[tuple[str, str], list[np.ndarray]] = {}
    for (corpus, condition, _), numbers in groups(case):
        places.setdefault((corpus, condition), []).append(numbers)
    for (corpus, condition), parts in places.items():
        numbers = np.concatenate(parts)
        own, other = numbers[same[numbers]], numbers[~same[numbers]]
        for method, values in llrs.items():
            yield Classes(
                corpus=corpus,
                condition=condition,
                method=method,
                same=values[own],
                different=values[other],
                same_authors=tuple(k_authors[own]),
                different_authors=tuple(zip(k_authors[other], q_authors[other], strict=True)),
            )


def performance(of: Classes, *, resamples: int, seed: int = 0) -> Performance:
    """The metrics of one method on one corpus and condition; no interval if `resamples` is 0."""
    found = intervals(
        same=of.same,
        different=of.different,
        same_authors=of.same_authors,
        different_authors=of.different_authors,
        metrics=METRICS,
        resamples=max(resamples, 1),
        seed=seed,
    )
    if resamples == 0:
        found = {name: _bare(one) for name, one in found.items()}
    return Performance(
        corpus=of.corpus,
        condition=of.condition,
        method=of.method,
        n_authors=len({*of.same_authors, *(author for pair in of.different_authors for author in pair)}),
        n_same=len(of.same),
        n_different=len(of.different),
        metrics=found,
        misleading=misleading(
            same=of.same,
            different=of.different,
            same_authors=of.same_authors,
            different_authors=of.different_authors,
        ),
        decisions=decisions(same=of.same, different=of.different),
        pan=pan_metrics(same=of.same, different=of.different),
    )


def _bare(one: Interval) -> Interval:
    return Interval(one.estimate, None, None, 0, 0, one.counted_in, one.n)


@dataclass(frozen=True)
class UnitRow:
    """Mean Cllr over the runs of a correction with ΛG read in each unit."""

    corpus: str
    condition: str
    method: str
    cllr: dict[str, float]


def compare_units(trials: Trials, methods: Sequence[str] = ("square_root", "hapax")) -> tuple[UnitRow, ...]:
    """Cllr of the corrections whose unit was inferred, in bits, nats and bans."""
    case = trials.where(trials.column("half") == "case")
    same = case.same
    read = {(method, unit): case.stored.nats(method, unit=unit) for method in methods for unit in UNITS}
    found: dict[tuple[str, str], dict[tuple[str, str], list[float]]] = {}
    for (corpus, condition, _), places in groups(case):
        cell = found.setdefault((corpus, condition), {key: [] for key in read})
        kind = same[places]
        for key, values in read.items():
            cell[key].append(cllr(same=values[places[kind]], different=values[places[~kind]]))
    return tuple(
        UnitRow(corpus, condition, method, {unit: float(np.mean(cell[method, unit])) for unit in UNITS})
        for (corpus, condition), cell in found.items()
        for method in methods
    )
