"""From trials to the comparisons that the paper prints: Cllr by condition, wins, close losses, the baseline's split.

Trials whose Q is hardly a text: a word or a line again and again, whose one score can spoil a study.

How well each method does on each corpus and condition: the field's metrics, with intervals over authors.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import FloatArray, mean, sd
from idiograph.evidence.llr import NATS_PER
from idiograph.evidence.methods import METHODS
from idiograph.evidence.metrics import cllr
from idiograph.evidence.performance import Decisions, PanMetrics, Performance, decisions, pan_metrics, performance
from idiograph.evidence.trials import ScoredTrials, Trials
from idiograph.progress import progress
from idiograph.studies.trial_table import TrialTable

# Ordinary texts have about 2·√N(Q) types that occur once, also after masking.
_FEWEST = 100
_PER_ROOT = 0.4  # V1(Q) / √N(Q); of 31,000 Qs of the open corpora all have more than 0.5 but one, which has 0


@dataclass(frozen=True)
class Degenerate:
    """A questioned text with next to no token type that occurs once, and the trials it is in."""

    corpus: str
    q_id: str
    n_tokens: int
    n_hapaxes: int
    n_trials: int
    furthest: float  # the λG of these trials that is furthest from 0


def degenerate(trials: TrialTable) -> tuple[Degenerate, ...]:
    """Each Q of at least 100 tokens with fewer than 0.4·√N(Q) hapaxes, in the order in which they appear."""
    tokens, hapaxes, scores = (trials.column(name) for name in ("n_tokens", "n_hapaxes", "lambda_g"))
    odd = np.flatnonzero((tokens >= _FEWEST) & (hapaxes < _PER_ROOT * np.sqrt(tokens)))
    corpora, ids = trials.column("corpus"), trials.column("q_id")
    found: dict[tuple[str, str], list[int]] = {}
    for place in odd.tolist():
        found.setdefault((corpora[place], ids[place]), []).append(place)
    return tuple(
        Degenerate(
            corpus=corpus,
            q_id=q_id,
            n_tokens=int(tokens[places[0]]),
            n_hapaxes=int(hapaxes[places[0]]),
            n_trials=len(places),
            furthest=max((float(scores[place]) for place in places), key=abs),
        )
        for (corpus, q_id), places in found.items()
    )


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


Where = tuple[str, str]  # corpus, condition
Means = Mapping[Where, Mapping[str, float]]  # mean Cllr by corpus and condition, by method
CLOSE = 0.05  # a loss by at most this part of the other's Cllr is close
BASELINE_SPLIT = 0.1
NEAR = 0.05  # in Cllr, where the baseline is so low that parts of it mean little


@dataclass(frozen=True)
class Cllrs:
    """Cllr of the case trials by corpus, condition and method, one value per run."""

    runs: Mapping[Where, Mapping[str, FloatArray]]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the order of the study."""
        return tuple(dict.fromkeys(method for row in self.runs.values() for method in row))

    def means(self) -> dict[Where, dict[str, float]]:
        """The mean over the runs, which wins and losses are counted on."""
        return {where: {method: mean(v) for method, v in row.items()} for where, row in self.runs.items()}

    def spreads(self) -> dict[Where, dict[str, float | None]]:
        """The standard deviation over the runs; None for a single one."""
        return {
            where: {method: sd(v) if len(v) > 1 else None for method, v in row.items()}
            for where, row in self.runs.items()
        }


def cllrs(trials: TrialTable) -> Cllrs:
    """Cllr of every corpus, condition, method and run, over the case half."""
    case = trials.where(trials.case)
    return Cllrs(_by_run(case, {method: case.llr(method) for method in case.methods}))


def _by_run(case: TrialTable, llrs: Mapping[str, FloatArray]) -> dict[Where, dict[str, FloatArray]]:
    """Cllr of every run by each of these LLRs."""
    found: dict[Where, dict[str, list[float]]] = {}
    same = case.same
    for (corpus, condition, _), places in case.groups():
        row = found.setdefault((corpus, condition), {name: [] for name in llrs})
        own, other = places[same[places]], places[~same[places]]
        for name, values in llrs.items():
            row[name].append(cllr(same=values[own], different=values[other]))
    return {where: {name: np.array(values) for name, values in row.items()} for where, row in found.items()}


@dataclass(frozen=True)
class Wins:
    """How often one method does at least as well as another, each corpus weighing the same.

    `wins` is the share of conditions whose mean Cllr is lower or equal, `close_losses` the share of losses by at most
    5 % of the other's Cllr, over the corpora that have a loss (None: there is none). Ties count as won by both.
    """

    method: str
    comparator: str
    wins: float
    close_losses: float | None
    n_ties: int


def compare(means: Means, method: str, comparator: str, *, close: float = CLOSE) -> Wins:
    """The paper's Table 2 for one method against another."""
    by_corpus: dict[str, list[tuple[float, float]]] = {}
    for (corpus, _), row in means.items():
        by_corpus.setdefault(corpus, []).append((row[method], row[comparator]))
    wins, closes, ties = [], [], 0
    for pairs in by_corpus.values():
        own, other = np.array(pairs).T
        lost = own > other
        wins.append(_share(~lost))
        ties += int(np.count_nonzero(own == other))
        if lost.any():
            closes.append(_share((own[lost] - other[lost]) / other[lost] <= close))
    return Wins(
        method=method,
        comparator=comparator,
        wins=mean(wins),
        close_losses=mean(closes) if closes else None,
        n_ties=ties,
    )


@dataclass(frozen=True)
class BaselineSplit:
    """A method where the baseline's Cllr is above, or not above, 0.1: shares of these conditions.

    `within_5_percent` counts losses that are close, besides those better or equal; `within_005` all whose Cllr is at
    most 0.05 above the baseline's.
    """

    corpus: str
    method: str
    above: bool
    n: int
    better_or_equal: float | None
    within_5_percent: float | None
    within_005: float | None
    largest_difference: float | None


def baseline_split(means: Means, baseline: str) -> tuple[BaselineSplit, ...]:
    """Each method against the baseline, by corpus, apart for conditions where the baseline does badly and well."""
    found = []
    for corpus in dict.fromkeys(corpus for corpus, _ in means):
        rows = [row for (name, _), row in means.items() if name == corpus]
        for method in dict.fromkeys(method for row in rows for method in row if method != baseline):
            pairs = np.array([(row[method], row[baseline]) for row in rows])
            for above in (True, False):
                own, base = pairs[(pairs[:, 1] > BASELINE_SPLIT) == above].T
                n = len(own)
                better = own <= base
                close = ~better & ((own - base) / np.where(base > 0, base, np.inf) <= CLOSE)
                found.append(
                    BaselineSplit(
                        corpus=corpus,
                        method=method,
                        above=above,
                        n=n,
                        better_or_equal=_share(better) if n else None,
                        within_5_percent=_share(close) if n else None,
                        within_005=_share(own - base <= NEAR) if n else None,
                        largest_difference=float(np.max(own - base)) if n else None,
                    )
                )
    return tuple(found)


@dataclass(frozen=True)
class Grid:
    """Mean Cllr over the lengths of Q (rows) and K (columns), by method; NaN where a pair was not run."""

    corpus: str
    how: str  # the condition without its lengths
    q_lengths: tuple[int, ...]
    k_lengths: tuple[int, ...]
    means: Mapping[str, FloatArray]


_LENGTHS = re.compile(r"_q(\d+)_k(\d+)(?=_|$)")


def lengths_of(condition: str) -> tuple[int, int, str] | None:
    """The lengths in a condition's name and what is left of it; None where it has none."""
    match = _LENGTHS.search(condition)
    if match is None:
        return None
    return int(match[1]), int(match[2]), condition[: match.start()] + condition[match.end() :]


def grids(means: Means) -> tuple[Grid, ...]:
    """The length grids of a study: corpora and ways of drawing with several lengths of both Q and K, most pairs run."""
    found: dict[tuple[str, str], dict[tuple[int, int], Mapping[str, float]]] = {}
    for (corpus, condition), row in means.items():
        lengths = lengths_of(condition)
        if lengths is not None:
            found.setdefault((corpus, lengths[2]), {})[lengths[:2]] = row
    made = []
    for (corpus, how), cells in found.items():
        qs, ks = sorted({q for q, _ in cells}), sorted({k for _, k in cells})
        if len(qs) < 2 or len(ks) < 2 or 2 * len(cells) <= len(qs) * len(ks):
            continue
        means_by = {}
        for method in dict.fromkeys(method for row in cells.values() for method in row):
            grid = np.full((len(qs), len(ks)), np.nan)
            for (q, k), row in cells.items():
                grid[qs.index(q), ks.index(k)] = row[method]
            means_by[method] = grid
        made.append(Grid(corpus, how, tuple(qs), tuple(ks), means_by))
    return tuple(made)


@dataclass(frozen=True)
class UnitRow:
    """Mean Cllr over the runs of a correction with ΛG read in each unit."""

    corpus: str
    condition: str
    method: str
    cllr: Mapping[str, float]


def compare_units(trials: TrialTable) -> tuple[UnitRow, ...]:
    """Cllr of the methods whose unit was inferred, in each unit."""
    case = trials.where(trials.case)
    methods = [key for key, method in METHODS.items() if method.unit_inferred]
    read = {f"{key} {unit}": METHODS[key].nats(case.scored, unit=unit) for key in methods for unit in NATS_PER}
    means = Cllrs(_by_run(case, read)).means()
    return tuple(
        UnitRow(corpus, condition, key, {unit: row[f"{key} {unit}"] for unit in NATS_PER})
        for (corpus, condition), row in means.items()
        for key in methods
    )


@dataclass(frozen=True)
class Summary:
    """The comparisons of a study that its tables print."""

    cllrs: Cllrs
    means: Means
    wins: tuple[Wins, ...]
    splits: tuple[BaselineSplit, ...]
    grids: tuple[Grid, ...]
    units: tuple[UnitRow, ...]


def summarise(trials: TrialTable, *, baseline: str, units: bool) -> Summary:
    """Every comparison of the trials' methods; those with the baseline where there is another method."""
    found = cllrs(trials)
    means = found.means()
    return Summary(
        cllrs=found,
        means=means,
        wins=all_wins(means, found.methods),
        splits=baseline_split(means, baseline),
        grids=grids(means),
        units=compare_units(trials) if units else (),
    )


def all_wins(means: Means, methods: Sequence[str]) -> tuple[Wins, ...]:
    """Every ordered pair of methods, in the order in which they are named."""
    return tuple(compare(means, own, other) for own in methods for other in methods if own != other)


def _share(holds: npt.NDArray[np.bool_]) -> float:
    return int(np.count_nonzero(holds)) / holds.size
