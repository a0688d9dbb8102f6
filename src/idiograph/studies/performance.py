"""How well each method does on each corpus and condition: the field's metrics, with intervals over authors."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from idiograph.evidence.decisions import Decisions, PanMetrics, decisions, pan_metrics
from idiograph.evidence.performance import Performance, performance
from idiograph.evidence.scores import ScoredTrials
from idiograph.evidence.trials import Trials
from idiograph.progress import progress
from idiograph.studies.trials import TrialTable


@dataclass(frozen=True)
class MethodTrials:
    """The case trials of one corpus and condition by one method, all runs together."""

    corpus: str
    condition: str
    method: str
    trials: Trials


@dataclass(frozen=True)
class MethodPerformance:
    """A method on one corpus and condition: evidence, and decisions for comparison with published tables."""

    corpus: str
    condition: str
    method: str
    performance: Performance
    decisions: Decisions
    pan: PanMetrics


def method_trials(table: TrialTable) -> Iterator[MethodTrials]:
    """The case trials by corpus, condition and method, all runs together.

    The mean Cllr over runs of one size is the Cllr of all their trials; resampled authors carry all their runs.
    """
    case = table.where(table.case)
    scored = case.scored
    places: dict[tuple[str, str], list[np.ndarray]] = {}
    for (corpus, condition, _), numbers in case.groups():
        places.setdefault((corpus, condition), []).append(numbers)
    for (corpus, condition), parts in places.items():
        numbers = np.concatenate(parts)
        own = _numbered(scored.take(numbers))
        for method in case.methods:
            yield MethodTrials(corpus, condition, method, own.trials(case.llr(method)[numbers]))


def _numbered(scored: ScoredTrials) -> ScoredTrials:
    """The trials with numbers for authors, in the order of their scores: resampling then does not depend on names."""
    by: dict[str, list[float]] = {}
    for k, q, value in zip(scored.k_authors, scored.q_authors, scored.lambda_g.tolist(), strict=True):
        for author in {k, q}:
            by.setdefault(author, []).append(value)
    order = sorted(by, key=lambda author: (sorted(by[author]), author))
    number = {author: f"{place:06}" for place, author in enumerate(order)}
    k, q = (np.array([number[name] for name in names], object) for names in (scored.k_authors, scored.q_authors))
    return replace(scored, k_authors=k, q_authors=q)


def performances(of: tuple[MethodTrials, ...], *, resamples: int, seed: int = 0) -> tuple[MethodPerformance, ...]:
    """Every method on every corpus and condition; no intervals if `resamples` is 0."""
    found = []
    with progress("Resampling authors", total=len(of), unit="cells") as advance:
        for one in of:
            both = {"same": one.trials.same, "different": one.trials.different}
            found.append(
                MethodPerformance(
                    corpus=one.corpus,
                    condition=one.condition,
                    method=one.method,
                    performance=performance(one.trials, resamples=resamples, seed=seed),
                    decisions=decisions(**both),
                    pan=pan_metrics(**both),
                )
            )
            advance()
    return tuple(found)
