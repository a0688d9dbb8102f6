"""From trials to the comparisons that the paper prints: Cllr by condition, wins, close losses, the baseline's split.

Which method stands where over all conditions, and what actually differs from run to run.

Trials whose Q is hardly a text: a word or a line again and again, whose one score can spoil a study.

How well each method does on each corpus and condition: the field's metrics, with intervals over authors.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import FloatArray, mean, sd
from idiograph.evidence.comparators import COMPARATORS
from idiograph.evidence.intervals import Estimate, estimates
from idiograph.evidence.llr import NATS_PER
from idiograph.evidence.methods import METHODS
from idiograph.evidence.metrics import cllr
from idiograph.evidence.performance import Decisions, PanMetrics, Performance, decisions, pan_metrics, performance
from idiograph.evidence.trials import ScoredTrials, Trials
from idiograph.progress import progress
from idiograph.showing import one_line
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
    of_q: dict[tuple[str, str], list[int]] = {}
    for row in odd.tolist():
        of_q.setdefault((corpora[row], ids[row]), []).append(row)
    return tuple(
        Degenerate(
            corpus=corpus,
            q_id=q_id,
            n_tokens=int(tokens[places[0]]),
            n_hapaxes=int(hapaxes[places[0]]),
            n_trials=len(places),
            furthest=max((float(scores[row]) for row in places), key=abs),
        )
        for (corpus, q_id), places in of_q.items()
    )


@one_line
@dataclass(frozen=True)
class MethodTrials:
    """The case trials of one corpus and condition by one method, all runs together.

    `score` are the same trials with the score that the LLRs were made of. It is the LLRs themselves where nothing was
    fitted, and None where several scores were fitted together.
    """

    corpus: str
    condition: str
    method: str
    trials: Trials
    score: Trials | None = None


@dataclass(frozen=True)
class ScorePerformance:
    """How well a score tells authors apart before anything is fitted to it.

    LLRs of several fits (one for each fold, run or author left out) that are thrown together are no longer in the
    order of the score, though each fit keeps it: their AUC is lower, and their Cllr_min higher.
    """

    auc: Estimate
    cllr_min: Estimate


@one_line
@dataclass(frozen=True)
class MethodPerformance:
    """A method on one corpus and condition: evidence, and decisions for comparison with published tables."""

    corpus: str
    condition: str
    method: str
    performance: Performance
    decisions: Decisions
    pan: PanMetrics
    score: ScorePerformance | None = None


def method_trials(table: TrialTable, *, outside: Mapping[str, FloatArray] | None = None) -> Iterator[MethodTrials]:
    """The case trials by corpus, condition and method, all runs together; `outside` are other systems' scores.

    The mean Cllr over runs of one size is the Cllr of all their trials; resampled authors carry all their runs.
    """
    case = table.where(table.case)
    scored = case.scored
    others = {name: values[table.case] for name, values in (outside or {}).items()}
    llrs = {method: case.llr(method) for method in case.methods}
    scores = {method: _score(scored, method, nats, others) for method, nats in llrs.items()}
    places: dict[tuple[str, str], list[np.ndarray]] = {}
    for (corpus, condition, _), numbers in case.groups():
        places.setdefault((corpus, condition), []).append(numbers)
    for (corpus, condition), parts in places.items():
        numbers = np.concatenate(parts)
        numbered = _numbered(scored.take(numbers))
        by_column: dict[int, Trials] = {}  # by column, so that methods of one score share its trials
        for values in (*llrs.values(), *scores.values()):
            if values is not None and id(values) not in by_column:
                by_column[id(values)] = numbered.trials(values[numbers])
        for method, nats in llrs.items():
            score = scores[method]
            yield MethodTrials(
                corpus, condition, method, by_column[id(nats)], None if score is None else by_column[id(score)]
            )


def _score(scored: ScoredTrials, method: str, nats: FloatArray, outside: Mapping[str, FloatArray]) -> FloatArray | None:
    """The score that LLRs are made of: another system's, a comparator's, λG, the LLR itself; None: no single one."""
    if method in outside:
        return outside[method]
    if method in COMPARATORS:
        return scored.scores[method]
    if method not in METHODS or METHODS[method].values is not None:
        return nats
    return scored.lambda_g if METHODS[method].learn is not None else None


def _numbered(scored: ScoredTrials) -> ScoredTrials:
    """The trials with numbers for authors, in the order of their scores: resampling then does not depend on names."""
    by: dict[str, list[float]] = {}
    for k, q, value in zip(scored.k_authors, scored.q_authors, scored.lambda_g.tolist(), strict=True):
        for author in {k, q}:
            by.setdefault(author, []).append(value)
    order = sorted(by, key=lambda author: (sorted(by[author]), author))
    number = {author: f"{rank:06}" for rank, author in enumerate(order)}
    k, q = (np.array([number[name] for name in names], object) for names in (scored.k_authors, scored.q_authors))
    return replace(scored, k_authors=k, q_authors=q)


def performances(of: tuple[MethodTrials, ...], *, resamples: int) -> tuple[MethodPerformance, ...]:
    """Every method on every corpus and condition; no intervals if `resamples` is 0."""
    rows: list[MethodPerformance] = []
    # Two fits of one score share what is computed of it.
    done: dict[int, ScorePerformance] = {}
    with progress("Resampling authors", total=len(of), unit="cells") as advance:
        for cell in of:
            both = {"same": cell.trials.same, "different": cell.trials.different}
            judged = performance(cell.trials, resamples=resamples)
            score = None
            if cell.score is cell.trials:
                score = ScorePerformance(judged.auc, judged.cllr_min)
            elif cell.score is not None:
                if id(cell.score) not in done:
                    figures = estimates(cell.score, metrics=("auc", "cllr_min"), resamples=resamples, seed=0)
                    done[id(cell.score)] = ScorePerformance(**figures)
                score = done[id(cell.score)]
            rows.append(
                MethodPerformance(
                    corpus=cell.corpus,
                    condition=cell.condition,
                    method=cell.method,
                    performance=judged,
                    decisions=decisions(**both),
                    pan=pan_metrics(**both),
                    score=score,
                )
            )
            advance()
    return tuple(rows)


Where = tuple[str, str]  # corpus, condition
Means = Mapping[Where, Mapping[str, float]]  # mean Cllr by corpus and condition, by method
TIE = 1e-6  # in Cllr: two fits of the same data differ by as much from rounding alone, which wins and loses nothing
CLOSE = 0.05  # a loss by at most this part of the other's Cllr is close
BASELINE_SPLIT = 0.1
NEAR = 0.05  # in Cllr, where the baseline is so low that parts of it mean little


@one_line
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
    by_condition: dict[Where, dict[str, list[float]]] = {}
    same = case.same
    for (corpus, condition, _), places in case.groups():
        row = by_condition.setdefault((corpus, condition), {name: [] for name in llrs})
        same_places, different_places = places[same[places]], places[~same[places]]
        for name, values in llrs.items():
            row[name].append(cllr(same=values[same_places], different=values[different_places]))
    return {where: {name: np.array(values) for name, values in row.items()} for where, row in by_condition.items()}


def lower_or_equal(mine: npt.ArrayLike, theirs: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Whether a Cllr is at most another one; within 1e-6 they are equal."""
    return np.asarray(np.asarray(mine) <= np.asarray(theirs) + TIE, np.bool_)


@dataclass(frozen=True)
class Wins:
    """How often one method does at least as well as another, each corpus weighing the same.

    `wins` is the share of conditions whose mean Cllr is lower or equal, `close_losses` the share of losses by at most
    5 % of the other's Cllr, over the corpora that have a loss (None: there is none). Ties, within 1e-6, are shared:
    they count as won by both.
    """

    method: str
    comparator: str
    wins: float
    close_losses: float | None
    n_ties: int


def compare(means: Means, method: str, comparator: str) -> Wins:
    """The paper's Table 2 for one method against another."""
    by_corpus: dict[str, list[tuple[float, float]]] = {}
    for (corpus, _), row in means.items():
        by_corpus.setdefault(corpus, []).append((row[method], row[comparator]))
    wins, closes, ties = [], [], 0
    for pairs in by_corpus.values():
        mine, theirs = np.array(pairs).T
        won = lower_or_equal(mine, theirs)
        wins.append(_share(won))
        ties += int(np.count_nonzero(won & lower_or_equal(theirs, mine)))
        if not won.all():
            closes.append(_share(lower_or_equal(mine, (1 + CLOSE) * theirs)[~won]))
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
    splits = []
    for corpus in dict.fromkeys(corpus for corpus, _ in means):
        rows = [row for (name, _), row in means.items() if name == corpus]
        for method in dict.fromkeys(method for row in rows for method in row if method != baseline):
            pairs = np.array([(row[method], row[baseline]) for row in rows])
            for above in (True, False):
                mine, base = pairs[(pairs[:, 1] > BASELINE_SPLIT) == above].T
                n = len(mine)
                better = lower_or_equal(mine, base)
                close = ~better & lower_or_equal(mine, (1 + CLOSE) * base)
                splits.append(
                    BaselineSplit(
                        corpus=corpus,
                        method=method,
                        above=above,
                        n=n,
                        better_or_equal=_share(better) if n else None,
                        within_5_percent=_share(close) if n else None,
                        within_005=_share(lower_or_equal(mine, base + NEAR)) if n else None,
                        largest_difference=float(np.max(mine - base)) if n else None,
                    )
                )
    return tuple(splits)


@one_line
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
    by_how: dict[tuple[str, str], dict[tuple[int, int], Mapping[str, float]]] = {}
    for (corpus, condition), row in means.items():
        lengths = lengths_of(condition)
        if lengths is not None:
            by_how.setdefault((corpus, lengths[2]), {})[lengths[:2]] = row
    grids_made = []
    for (corpus, how), cells in by_how.items():
        qs, ks = sorted({q for q, _ in cells}), sorted({k for _, k in cells})
        if len(qs) < 2 or len(ks) < 2 or 2 * len(cells) <= len(qs) * len(ks):
            continue
        means_by = {}
        for method in dict.fromkeys(method for row in cells.values() for method in row):
            grid = np.full((len(qs), len(ks)), np.nan)
            for (q, k), row in cells.items():
                grid[qs.index(q), ks.index(k)] = row[method]
            means_by[method] = grid
        grids_made.append(Grid(corpus, how, tuple(qs), tuple(ks), means_by))
    return tuple(grids_made)


@dataclass(frozen=True)
class Standing:
    """A method over all conditions: the mean of the corpora's mean Cllrs, where it does best and worst, where it fails.

    It fails where its Cllr is 1 or more: saying nothing would have cost less. `n_lowest` counts the conditions in which
    no other method has a lower Cllr (ties within 1e-6 are shared).
    """

    method: str
    mean: float
    lowest: Where
    highest: Where
    failed: tuple[Where, ...]
    n_lowest: int


def mean_over_corpora(means: Means, method: str) -> float:
    """The mean of the corpora's mean Cllrs, so that every corpus weighs the same."""
    by_corpus: dict[str, list[float]] = {}
    for (corpus, _), row in means.items():
        by_corpus.setdefault(corpus, []).append(row[method])
    return mean([mean(of_corpus) for of_corpus in by_corpus.values()])


def standings(means: Means) -> tuple[Standing, ...]:
    """Every method over all conditions, from the lowest mean Cllr; every corpus weighs the same."""
    methods = tuple(dict.fromkeys(method for row in means.values() for method in row))
    unsorted = []
    for method in methods:
        values = {where: row[method] for where, row in means.items()}
        unsorted.append(
            Standing(
                method=method,
                mean=mean_over_corpora(means, method),
                lowest=min(values, key=lambda where: values[where]),
                highest=max(values, key=lambda where: values[where]),
                failed=tuple(where for where, value in values.items() if value >= 1),
                n_lowest=sum(bool(lower_or_equal(row[method], min(row.values()))) for row in means.values()),
            )
        )
    return tuple(sorted(unsorted, key=lambda standing: standing.mean))


@dataclass(frozen=True)
class Varied:
    """What differs between the runs of one corpus and condition; all else was the same in every run."""

    authors: bool  # who takes part: texts may be drawn too short in one run and not in another
    split: bool  # the halves of those who do, or, where they are the same, who is paired with whom
    texts: bool  # Q or K of some author
    reference: bool  # the sentences of the reference models, drawn anew or of other authors


_PAIR = ("k_author", "q_author")
# What tells one author's Q, one author's K and one model of K from another, as far as a table has it.
_TEXTS = (
    (("q_author",), ("q_id", "n_tokens", "n_hapaxes", "n_sentences")),
    (("k_author",), ("k_tokens", "k_sentences")),
    (_PAIR, ("known_total",)),
)
_PLANNED = ("half", "fold")
_DRAWN = (*(name for _, names in _TEXTS for name in names), "lambda_g")


def varied(trials: TrialTable) -> dict[Where, Varied]:
    """What actually differed from run to run by corpus and condition, read from the trials; none with a single run.

    A seed that goes up with each run changes nothing where there is nothing to draw: whole texts with roles are the
    same Q and K in all runs, and log10 P(Q | K's model) is the same to the last bit.
    """
    plain = trials.plain
    there = plain.table.column_names
    columns = {
        name: plain.column(name).tolist() for name in (*_PAIR, *_DRAWN, *_PLANNED, "reference_seed") if name in there
    }
    runs: dict[Where, list[list[int]]] = {}
    for (corpus, condition, _), places in plain.groups():
        runs.setdefault((corpus, condition), []).append(places.tolist())

    def facts(places: list[int], by: Sequence[str], of: Sequence[str]) -> dict[object, set[object]]:
        known = [columns[name] for name in of if name in columns]
        by_key: dict[object, set[object]] = {}
        for row in places:
            key = tuple(columns[name][row] for name in by)
            by_key.setdefault(key, set()).add(tuple(column[row] for column in known))
        return by_key

    def same(parts: list[list[int]], by: Sequence[str], of: Sequence[str]) -> bool:
        """Whether what several runs have is the same in each of them."""
        first, *others = (facts(places, by, of) for places in parts)
        return all(values == first.get(key, values) for other in others for key, values in other.items())

    by_condition = {}
    for where, parts in runs.items():
        if len(parts) > 1:
            pairs = [set(facts(places, (*_PLANNED, *_PAIR), ())) for places in parts]
            authors = [set(facts(places, ("q_author",), ())) for places in parts]
            others = any(of_run != authors[0] for of_run in authors)
            split = not same(parts, ("q_author",), _PLANNED) or (not others and any(p != pairs[0] for p in pairs))
            texts = not all(same(parts, by, of) for by, of in _TEXTS)
            # The same Q and K with another λG had another reference. Of other texts only the seed, and whose texts the
            # reference is made of, can tell.
            seeds = {columns["reference_seed"][places[0]] for places in parts} if "reference_seed" in columns else set()
            reference = (len(seeds) != 1 or split or others) if texts else not same(parts, _PAIR, ("lambda_g",))
            by_condition[where] = Varied(authors=others, split=split, texts=texts, reference=reference)
    return by_condition


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


@one_line
@dataclass(frozen=True)
class Summary:
    """The comparisons of a study that its tables print."""

    cllrs: Cllrs
    means: Means
    standings: tuple[Standing, ...]
    varied: Mapping[Where, Varied]
    wins: tuple[Wins, ...]
    splits: tuple[BaselineSplit, ...]
    grids: tuple[Grid, ...]
    units: tuple[UnitRow, ...]


def summarise(trials: TrialTable, *, baseline: str, units: bool) -> Summary:
    """Every comparison of the trials' methods; those with the baseline where there is another method."""
    of_trials = cllrs(trials)
    means = of_trials.means()
    return Summary(
        cllrs=of_trials,
        means=means,
        standings=standings(means),
        varied=varied(trials),
        wins=all_wins(means, of_trials.methods),
        splits=baseline_split(means, baseline),
        grids=grids(means),
        units=compare_units(trials) if units else (),
    )


def all_wins(means: Means, methods: Sequence[str]) -> tuple[Wins, ...]:
    """Every ordered pair of methods, in the order in which they are named."""
    return tuple(
        compare(means, method, comparator) for method in methods for comparator in methods if method != comparator
    )


def _share(holds: npt.NDArray[np.bool_]) -> float:
    return int(np.count_nonzero(holds)) / holds.size
