"""What topic does to each method, and the LR that is freed from it: trials stored, constants learnt, methods judged.

python docs/validation/topic.py NAME RESULTS [RESULTS …]  takes over finished runs of NAME.toml, or of parts of it
python docs/validation/topic.py --constants               learns src/idiograph/evidence/controlled.json anew
python docs/validation/topic.py --tables                  writes tables/topic_*.csv from the stored trials

NAME is one of topic, topic_ten, topic_fifteen, topic_forty, topic_typing; topic comes first. The LLRs that are kept are
pulled towards constants learnt without the corpus judged. `moved` is the other candidate: each trial of the reference
is moved to the g of the case by the slope of its own class, and the fit is made there.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from idiograph import read_study

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the documentation is not an installed package

from docs.validation import stored
from docs.validation.learning import Lean, NormedTrials, all_draws, lean, learn, learn_controlled
from docs.validation.worth import length_of

from idiograph.arithmetic import mean
from idiograph.evidence.closeness import LEAST, MOST, freed
from idiograph.evidence.constants import Constants, ConstantsByLength, Weights, fit_pulled, tau_for
from idiograph.evidence.matching import MOST as MATCHES
from idiograph.evidence.matching import TEN, THREE, Matched, bands, matched
from idiograph.evidence.matrix import CLOSENESS, topic_norms
from idiograph.evidence.methods import short_name
from idiograph.evidence.metrics import trial_costs
from idiograph.evidence.normalised import away_from_reference, normed_scores
from idiograph.files import write_whole
from idiograph.output.study_tables import StudyTable, Value, markdown, save_table
from idiograph.provenance import digest
from idiograph.studies.llrs import add_llrs, judgements
from idiograph.studies.trial_table import LLR_PREFIX, NORMED_PREFIX, TrialTable, read_trials

HERE = Path(__file__).resolve().parent
CONSTANTS = HERE.parents[1] / "src" / "idiograph" / "evidence" / "controlled.json"
SCORES = ("distinct", "cosine")
# About how many reference authors each study has, and the study that constants of `normalised` for so many are from.
LEARNT = {"topic": (24, "matrix"), "topic_ten": (10, "ten"), "topic_fifteen": (15, "ten"), "topic_forty": (40, "forty")}
TYPED = {"topic_typing": (24, "typing")}  # with the typing score as a third
MAIN = "topic"
AWAY = tuple(f"{stored.AWAY_PREFIX}{side}_{name}" for name in (*SCORES, CLOSENESS) for side in ("q", "k"))
MOVED, TIMES = "moved", "normalised times a factor"
_GRID = (LEAST, 0.0, 3.0, MOST)  # of g, at which constants of `moved` are learnt; between them they lie on a line
Places = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Names = npt.NDArray[np.object_]
Flags = npt.NDArray[np.bool_]
_FACTORS = [step / 50 for step in range(10, 61)]
PARTS = (0.03, 0.05, 0.1)  # of impostors who pass


def store(name: str, results: Sequence[Path]) -> None:
    """Keeps the judged trials of finished runs, with LLRs by constants that never saw the corpus judged."""
    study = read_study(HERE / f"{name}.toml")
    everything = [read_trials(folder / "trials.parquet") for folder in results]
    joined = _joined([all_draws(add_llrs(study, trials)[0]) for trials in everything])
    if name in TYPED:  # whose constants are all that is wanted
        stored.write(name, joined)
        return
    _, usual = LEARNT[name]
    corpora = sorted(set(joined.column("corpus")))
    lines = {corpus: learnt(joined, name, without=corpus) for corpus in corpora}
    of_normalised = stored.load(usual)
    others = {corpus: stored.learnt(of_normalised, usual, without=corpus) for corpus in corpora}
    kept = []
    for trials in everything:
        judged, _ = add_llrs(study, trials, constants=chosen(others), controlled=chosen(lines))
        columns = dict(zip(AWAY, _away(trials).T, strict=True))
        if name == MAIN:
            columns[LLR_PREFIX + MOVED] = _moved(trials, joined)
        table = judged.table
        for column, values in columns.items():
            table = table.append_column(column, pa.array(values, pa.float64(), from_pandas=True))
        kept.append(all_draws(TrialTable(table)))
    stored.write(name, _joined(kept))


def _studies() -> dict[str, tuple[int, str]]:
    return LEARNT | TYPED


def scores_of(name: str) -> tuple[str, ...]:
    """The scores of a study that constants are learnt for."""
    return (*SCORES, "typing") if name in TYPED else SCORES


def _joined(parts: Sequence[TrialTable]) -> TrialTable:
    return TrialTable(pa.concat_tables([part.table for part in parts], promote_options="default").combine_chunks())


def learnt(trials: TrialTable, name: str, *, without: str | None = None) -> ConstantsByLength:
    """The constants of a study's trials, of all corpora or of all but one."""
    if name == "topic_forty":
        # With the others' trials of corpora that have no forty authors: otherwise easy corpora alone would speak.
        main = stored.load(MAIN)
        names = ["corpus", "condition", "k_author", "q_author", "half", "run", "same_author", "k_tokens"]
        names += [NORMED_PREFIX + score for score in (*SCORES, CLOSENESS)]
        wanted = ~np.isin(main.column("corpus"), sorted(set(trials.column("corpus"))))
        tables = [part.table.select(names) for part in (trials, main.where(wanted))]
        trials = TrialTable(pa.concat_tables([table.cast(tables[0].schema) for table in tables]))
    return learn_controlled(trials, scores_of(name), n_authors=_studies()[name][0], without=without)


def chosen(lines: dict[str, ConstantsByLength]):  # type: ignore[no-untyped-def]
    """For `add_llrs`: the constants of each corpus."""

    def choose(corpus: str, n_authors: int, k_tokens: float) -> Constants:
        line = lines[corpus]
        return Constants(
            line.scores, line.n_authors, line.at(k_tokens), f"without {corpus}", "0" * 64, slopes=line.slopes
        )

    return choose


def _away(trials: TrialTable) -> Floats:
    """How far each judged trial's Q and K are from the reference's, in its sd."""
    away = np.full((len(trials), len(AWAY)), np.nan)
    for fold in judgements(trials, (*SCORES, CLOSENESS)):
        away[list(fold.places)] = away_from_reference(fold.matrix, fold.cells)
    return away


def _moved(trials: TrialTable, joined: TrialTable) -> Floats:
    """LLRs of trials whose reference is moved to their g."""
    nats = np.full(len(trials), np.nan)
    constants: dict[str, tuple[Lean, list[ConstantsByLength]]] = {}
    for fold in judgements(trials, (*SCORES, CLOSENESS)):
        corpus = fold.where[0]
        if corpus not in constants:
            constants[corpus] = _moved_constants(joined, corpus)
        leaning, lines = constants[corpus]
        at_grid = np.array([[weights.alpha, *weights.betas] for weights in (line.at(fold.k_tokens) for line in lines)])
        reference = fold.matrix.reference
        pairs = np.array(list(product(reference, repeat=2)), np.int64)
        is_same = pairs[:, 0] == pairs[:, 1]
        slopes = np.where(is_same[:, None], leaning.same, leaning.different)
        normed, g = normed_scores(fold.matrix, pairs), topic_norms(fold.matrix, pairs)
        normed_cells, own_g = normed_scores(fold.matrix, fold.cells), topic_norms(fold.matrix, fold.cells)
        for position, row, topic in zip(fold.places, normed_cells, own_g.tolist(), strict=True):
            there = normed + slopes * (topic - g)[:, None]
            alpha, *betas = (float(np.interp(topic, _GRID, at_grid[:, k])) for k in range(at_grid.shape[1]))
            weights = fit_pulled(
                same=there[is_same],
                different=there[~is_same],
                towards=Weights(alpha, tuple(betas)),
                tau=tau_for(len(reference), controlled=True),
            )
            nats[position] = weights.nats(row[None, :])[0]
    return nats


def _moved_constants(joined: TrialTable, without: str) -> tuple[Lean, list[ConstantsByLength]]:
    """The slopes of both classes, and the constants for trials at each g of the grid."""
    leaning = lean(joined, SCORES, without=without)
    usual = NormedTrials.freed(joined, SCORES, (0.0, 0.0), without=without)
    g = all_draws(joined, without=without).column(NORMED_PREFIX + CLOSENESS).astype(np.float64)
    slopes = np.where(usual.same[:, None], leaning.same, leaning.different)
    lines = [
        learn(replace(usual, normed=usual.normed + slopes * (topic - g)[:, None]), n_authors=LEARNT[MAIN][0])
        for topic in _GRID
    ]
    return leaning, lines


def constants_text() -> str:
    """The content of controlled.json."""
    entries, sources = [], []
    for name, (n_authors, _) in sorted(_studies().items(), key=lambda item: item[1]):
        trials, scores = stored.load(name), scores_of(name)
        line = learnt(trials, name)
        entries.append(
            {
                "scores": list(scores),
                "n_authors": n_authors,
                "topic": dict(zip(scores, (round(b, 3) for b in line.slopes), strict=True)),
                "level": stored.rounded(scores, line.level),
                "slope": stored.rounded(scores, line.slope),
            }
        )
        authors = set(zip(trials.column("corpus"), trials.column("k_author"), strict=True))
        sha256 = digest((HERE / f"{name}.parquet").read_bytes())[:16]
        others = f" Other corpora: as in {MAIN}.parquet." if name == "topic_forty" else ""
        corpora = ", ".join(dict.fromkeys(trials.column("corpus")))
        sources.append(
            f"{name}.parquet ({sha256}): about {n_authors} reference authors; {len(trials):,} trials of {len(authors)} "
            f"authors of {corpora}.{others}"
        )
    source = (
        "Learnt by docs/validation/topic.py from judged trials of open English corpora (corpora weighing the same), "
        "drawn near, random and far in topic by references drawn near and at random, impostors among the "
        "different-author trials. "
    )
    return (
        json.dumps(
            {"schema": 2, "source": source + " ".join(sources), "constants": entries}, indent=1, ensure_ascii=False
        )
        + "\n"
    )


@dataclass(frozen=True, eq=False)
class Cell:
    """The trials of one corpus, length, reference draw and run, and the same-author ones' matches."""

    corpus: str
    length: str
    reference: str
    same: Places
    different: Places
    pairs: Matched

    @cached_property
    def matched(self) -> Places:
        """The same-author trials that have matches."""
        return self.same[self.pairs.same]

    @cached_property
    def matches(self) -> tuple[Places, Floats]:
        """Of each of them the places of its matches, filled up with the first, and 1 where they count."""
        filled = np.zeros((len(self.matched), MATCHES), np.int64)
        counts = np.zeros(filled.shape)
        for row, match in enumerate(self.pairs.different):
            filled[row, : len(match)] = self.different[match]
            filled[row, len(match) :] = self.different[match[0]]
            counts[row, : len(match)] = 1.0
        return filled, counts


Times = dict[str, Floats]  # by corpus: how often each author counts, one row per resample


@dataclass(frozen=True, eq=False)
class Judged:
    """Stored trials, as they are judged: by draw and half, corpora weighing the same."""

    trials: TrialTable

    @cached_property
    def corpora(self) -> Names:
        return self.trials.column("corpus")

    @cached_property
    def lengths(self) -> Names:
        return np.array([length_of(condition) for condition in self.trials.column("condition")])

    @cached_property
    def reference(self) -> Names:
        """How the reference of each trial is drawn."""
        conditions = self.trials.column("condition")
        return np.array(["near" if condition.endswith("_near") else "random" for condition in conditions])

    @cached_property
    def draws(self) -> Names:
        """How each trial is drawn: as its reference, in another way, or with an impostor."""
        halves = self.trials.column("half")
        drawn = np.where(halves == "case", self.reference, self.trials.column("draw"))
        return np.where(halves == "impostor", "impostor", drawn)

    @cached_property
    def g(self) -> Floats:
        return self.trials.column(NORMED_PREFIX + CLOSENESS).astype(np.float64)

    @cached_property
    def authors(self) -> dict[str, list[str]]:
        """The authors of each corpus."""
        names = self.trials.column("k_author")
        return {corpus: sorted(set(names[self.corpora == corpus])) for corpus in sorted(set(self.corpora))}

    @cached_property
    def numbers(self) -> tuple[Places, Places]:
        """The numbers, in their corpus, of the authors of each K and each Q."""
        number = {(c, name): at for c, names in self.authors.items() for at, name in enumerate(names)}
        k, q = (
            np.array([number[pair] for pair in zip(self.corpora, self.trials.column(side), strict=True)])
            for side in ("k_author", "q_author")
        )
        return k, q

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        close = self.trials.score(CLOSENESS)
        cells = []
        for (corpus, _, _), places in self.trials.groups():
            true, others = places[self.trials.same[places]], places[~self.trials.same[places]]
            pairs = matched(same=close[true], different=close[others])
            cells.append(Cell(corpus, self.lengths[places[0]], self.reference[places[0]], true, others, pairs))
        return tuple(cells)

    def chosen(self, lengths: Sequence[str], reference: str) -> list[Cell]:
        """The cells of these lengths and this reference in which some trials are matched."""
        return [c for c in self.cells if c.length in lengths and c.reference == reference and len(c.matched)]

    @cache  # noqa: B019  (a few of these live as long as the program)
    def llr(self, method: str) -> Floats:
        if method != TIMES:
            return self.trials.llr(method)
        nats = self.trials.llr("normalised").copy()
        for corpus in self.authors:
            nats[self.corpora == corpus] *= self.factor(corpus)
        return nats

    @cache  # noqa: B019
    def factor(self, corpus: str) -> float:
        """What `normalised` is multiplied by: the factor with the lowest topic-controlled Cllr on other corpora."""
        nats = self.trials.llr("normalised")
        cells = [cell for cell in self.cells if cell.corpus != corpus and len(cell.matched)]
        costs = [float(self.controlled(factor * nats, cells, self.once)[0]) for factor in _FACTORS]
        return _FACTORS[int(np.argmin(costs))]

    @cached_property
    def once(self) -> Times:
        """Every author once."""
        return {corpus: np.ones((1, len(names))) for corpus, names in self.authors.items()}

    def resampled(self, resamples: int = 500) -> Times:
        """Every author once; then as many drawn with replacement, again and again."""
        rng = np.random.default_rng(1)
        times = {}
        for corpus, names in self.authors.items():
            n = len(names)
            drawn = [np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(resamples)]
            times[corpus] = np.array([np.ones(n), *drawn])
        return times

    def controlled(self, nats: Floats, cells: Sequence[Cell], times: Times) -> Floats:
        """Topic-controlled Cllr, the mean over corpora of the mean over cells; one for each row of `times`."""
        costs, others = trial_costs(nats), trial_costs(-nats)
        k, q = self.numbers
        by_corpus: dict[str, list[Floats]] = {}
        for cell in cells:
            matches, counts = cell.matches
            weights = times[cell.corpus][:, k[matches]] * times[cell.corpus][:, q[matches]] * counts
            together = weights.sum(axis=2)
            true_weights = times[cell.corpus][:, k[cell.matched]] * (together > 0)
            wrong = (weights * others[matches]).sum(axis=2) / np.where(together > 0, together, 1.0)
            both = (true_weights * (costs[cell.matched] + wrong)).sum(axis=1)
            by_corpus.setdefault(cell.corpus, []).append(0.5 * divided(both, true_weights.sum(axis=1)))
        return over_corpora(by_corpus)

    def passing(self, nats: Floats, cells: Sequence[Cell], part: float, times: Times) -> Floats:
        """The share of true authors above what this part of impostors pass: the mean of near, random and far draws."""
        k, q = self.numbers
        by_corpus: dict[str, list[Floats]] = {}
        for cell in cells:
            impostors = cell.different[self.draws[cell.different] == "impostor"]
            impostors = impostors[np.argsort(-nats[impostors], kind="stable")]
            weights = times[cell.corpus]
            above = np.cumsum(weights[:, k[impostors]] * weights[:, q[impostors]], axis=1)
            last = np.minimum((above <= part * above[:, -1:]).sum(axis=1), len(impostors) - 1)
            limits = nats[impostors][last]
            shares = []
            for draw in ("near", "random", "far"):
                true = cell.same[self.draws[cell.same] == draw]
                counted = weights[:, k[true]]
                above = (counted * (nats[true] > limits[:, None])).sum(axis=1)
                shares.append(divided(above, counted.sum(axis=1)))
            by_corpus.setdefault(cell.corpus, []).append(np.mean(shares, axis=0))
        return over_corpora(by_corpus)

    def share(self, holds: Flags, chosen: Flags) -> float:
        """The share of the chosen trials for which it holds: the mean over corpora."""
        return mean([float(np.mean(holds[chosen & (self.corpora == c)])) for c in sorted(set(self.corpora[chosen]))])

    def cllr(self, method: str, chosen: Flags) -> float:
        """The plain Cllr of the chosen trials: the mean over corpora."""
        nats, same, values = self.llr(method), self.trials.same, []
        for corpus in sorted(set(self.corpora[chosen])):
            of_corpus = chosen & (self.corpora == corpus)
            costs = np.mean(trial_costs(nats[of_corpus & same])), np.mean(trial_costs(-nats[of_corpus & ~same]))
            values.append(0.5 * float(sum(costs)))
        return mean(values)


def divided(sums: Floats, weights: Floats) -> Floats:
    """Not a number where a resample left nobody."""
    return np.where(weights > 0, sums / np.where(weights > 0, weights, 1.0), np.nan)


def over_corpora(by_corpus: dict[str, list[Floats]]) -> Floats:
    """The mean over corpora of the mean over cells, without those of which a resample left nobody."""
    cells = [np.stack(values) for values in by_corpus.values()]
    means = [divided(np.nansum(values, axis=0), np.isfinite(values).sum(axis=0)) for values in cells]
    together: Floats = np.mean(means, axis=0)
    return together


def differences(judged: Judged, lengths: Sequence[str], method: str, other: str) -> Iterator[tuple[Value, ...]]:
    """Topic-controlled Cllr and shares passing of one method less another's, with 95 % intervals over authors."""
    times = judged.resampled()
    for reference in ("near", "random"):
        cells = judged.chosen(lengths, reference)
        gap = judged.controlled(judged.llr(method), cells, times) - judged.controlled(judged.llr(other), cells, times)
        yield method, other, f"topic-controlled Cllr, reference {reference}", *interval(gap)
    for part in PARTS:
        gaps = []
        for reference in ("near", "random"):
            cells = judged.chosen(lengths, reference)
            gaps.append(np.subtract(*[judged.passing(judged.llr(m), cells, part, times) for m in (method, other)]))
            yield (
                method,
                other,
                f"true authors above {part:.0%} of impostors, reference {reference}",
                *interval(gaps[-1]),
            )
        yield method, other, f"true authors above {part:.0%} of impostors, both", *interval(np.mean(gaps, axis=0))


def interval(values: Floats) -> tuple[float, float, float]:
    """The value of all authors, and the 95 % interval of those of the resamples."""
    drawn = values[1:][np.isfinite(values[1:])]
    return float(values[0]), float(np.quantile(drawn, 0.025)), float(np.quantile(drawn, 0.975))


STATED = ((3, 10), (10, 30), (30, 100), (100, np.inf), (1 / 10, 1 / 3), (1 / 30, 1 / 10), (1 / 100, 1 / 30))


def worth(judged: Judged, method: str, low: float, high: float) -> float | None:
    """What LRs stated in a band are worth against different authors matched in c: all lengths and references."""
    nats = judged.llr(method)
    inside = (nats >= np.log(low)) & (nats < np.log(high))
    true, others = [], []
    for cell in judged.cells:
        matches, counts = cell.matches
        true += inside[cell.matched].tolist()
        others += ((inside[matches] * counts).sum(axis=1) / counts.sum(axis=1)).tolist()
    return mean(true) / mean(others) if mean(others) else None


METHODS = ("normalised", TIMES, "controlled", MOVED, "hapax", "square_root", "logistic")
ONES = ("300/1,000", "500/2,000")
LENGTHS = ("200/500", *ONES, "1,000/3,000")


@cache
def judged_table(name: str = MAIN, lengths: Sequence[str] = ONES) -> StudyTable:
    """Every figure by which the methods are judged."""
    judged = Judged(stored.load(name))
    trials = judged.trials
    same, of_length = trials.same, np.isin(judged.lengths, lengths)
    methods = [method for method in METHODS if method == TIMES or method in trials.methods]
    rows: list[tuple[Value, ...]] = []

    def add(figure: str, value) -> None:  # type: ignore[no-untyped-def]
        rows.append((figure, *(value(method) for method in methods)))

    def where(draw: str, reference: str, *, by_author: bool):  # type: ignore[no-untyped-def]
        return of_length & (judged.draws == draw) & (judged.reference == reference) & (same == by_author)

    for reference in ("near", "random"):
        chosen = where("far", reference, by_author=True)
        add(
            f"{reference} reference, far case: true LR < 1/3",
            lambda m, c=chosen: judged.share(judged.llr(m) < -THREE, c),
        )
        add(
            f"{reference} reference, far case: true LR < 1/10",
            lambda m, c=chosen: judged.share(judged.llr(m) < -TEN, c),
        )
    for reference in ("near", "random"):
        chosen = where("impostor", reference, by_author=False)
        add(f"impostors LR > 3, reference {reference}", lambda m, c=chosen: judged.share(judged.llr(m) > THREE, c))
        add(f"impostors LR > 10, reference {reference}", lambda m, c=chosen: judged.share(judged.llr(m) > TEN, c))
    ordinary = of_length & ~same & (judged.draws != "impostor")
    add("other different authors LR > 3", lambda m: judged.share(judged.llr(m) > THREE, ordinary))
    add("other different authors LR > 10", lambda m: judged.share(judged.llr(m) > TEN, ordinary))
    for reference in ("near", "random"):
        add(
            f"topic-controlled Cllr, reference {reference}",
            lambda m, r=reference: _only(judged.controlled(judged.llr(m), judged.chosen(lengths, r), judged.once)),
        )
    for part in PARTS:
        for reference in ("near", "random"):
            add(
                f"true authors above what {part:.0%} of impostors pass, reference {reference}",
                lambda m, r=reference, p=part: _only(
                    judged.passing(judged.llr(m), judged.chosen(lengths, r), p, judged.once)
                ),
            )
    bands_of = {m: _bands(judged, m, of_length) for m in methods}
    add("half of Cllr in the worst band of g: true", lambda m: max(b.same_half for b in bands_of[m]))
    add("half of Cllr in the worst band of g: wrong", lambda m: max(b.different_half for b in bands_of[m]))
    for reference in ("near", "random"):
        mine = of_length & (judged.reference == reference)
        add(
            f"validation claims, reference {reference}",
            lambda m, w=mine, r=reference: judged.cllr(m, w & (judged.draws == r)),
        )
        for draw in ("near", "random", "far"):
            add(
                f"{draw} case gets, reference {reference}",
                lambda m, w=mine, d=draw: judged.cllr(m, w & (judged.draws == d)),
            )
    for draw in ("near", "random", "far"):
        chosen = where(draw, "near", by_author=True)
        add(
            f"true authors with LR > 10, near reference, {draw} case",
            lambda m, c=chosen: judged.share(judged.llr(m) > TEN, c),
        )
    for low, high in STATED:
        add(
            f"stated {lr_text(low)} to {lr_text(high)} is worth, matched in c, all lengths",
            lambda m, lo=low, hi=high: worth(judged, m, lo, hi),
        )
    header = ("figure", *(m if m in (TIMES, MOVED) else short_name(m) for m in methods))
    caption = (
        f"Every method where topic is controlled, Q/K {' and '.join(lengths)}, corpora weighing the same; constants "
        "and the factor learnt without the corpus judged."
    )
    title = "topic" if tuple(lengths) == ONES else f"topic_{lengths[0].replace(',', '').replace('/', '_')}"
    return StudyTable(title, caption, header, ("", *[".3f"] * len(methods)), tuple(rows))


def _bands(judged: Judged, method: str, chosen: npt.NDArray[np.bool_]):  # type: ignore[no-untyped-def]
    nats, same = judged.llr(method), judged.trials.same
    true, others = chosen & same, chosen & ~same
    by_band = bands(same=nats[true], different=nats[others], same_g=judged.g[true], different_g=judged.g[others])
    return [band for band in by_band if min(band.n_same, band.n_different) >= 30]


@cache
def bands_table(name: str = MAIN) -> StudyTable:
    """The methods by band of g."""
    judged = Judged(stored.load(name))
    chosen = np.isin(judged.lengths, ONES)
    rows = []
    for method in METHODS[:4]:
        for band in _bands(judged, method, chosen):
            rows.append(
                (method, band.low, band.high, band.n_same, band.n_different, band.same_half, band.different_half,
                 band.same_below_third, band.different_above_3)
            )  # fmt: skip
    header = ("method", "g from", "to", "same-author", "different-author", "half same", "half different",
              "same LR < 1/3", "different LR > 3")  # fmt: skip
    formats = ("", ".1f", ".1f", ",", ",", ".3f", ".3f", ".1%", ".1%")
    return StudyTable("topic_by_g", "By band of g, Q/K 300/1,000 and 500/2,000.", header, formats, tuple(rows))


@cache
def differences_table(name: str = MAIN) -> StudyTable:
    """The candidates against what there was, with intervals over resampled authors."""
    judged = Judged(stored.load(name))
    rows = [
        row
        for method in ("controlled", MOVED)
        for other in ("normalised", TIMES)
        for row in differences(judged, ONES, method, other)
    ]
    header = ("method", "less", "figure", "difference", "2.5 %", "97.5 %")
    caption = f"Differences, Q/K {' and '.join(ONES)}, with 95 % intervals over resampled authors."
    return StudyTable("topic_differences", caption, header, ("", "", "", "+.3f", "+.3f", "+.3f"), tuple(rows))


def _only(values: Floats) -> float:
    return float(values[0])


def lr_text(value: float) -> str:
    return "∞" if np.isinf(value) else f"{value:g}" if value >= 1 else f"1/{round(1 / value)}"


def tables() -> Iterator[StudyTable]:
    """All of them, from the stored trials."""
    yield judged_table()
    there = set(Judged(stored.load(MAIN)).lengths)
    for length in LENGTHS:
        if length in there:
            yield judged_table(lengths=(length,))
    yield bands_table()
    yield differences_table()
    yield lean_table()


def section() -> Iterator[str]:
    """A page of its own: every figure of every method, at every length."""
    trials = stored.load(MAIN)
    authors = set(zip(trials.column("corpus"), trials.column("k_author"), strict=True))
    factors = {corpus: Judged(trials).factor(corpus) for corpus in sorted(set(trials.column("corpus")))}
    yield "# What topic does to every method"
    yield (
        f"{len(trials):,} judged trials of {len(authors)} authors: references drawn near in topic and at random, cases "
        "drawn near, random and far, and impostors who write on Q's topic. `moved` is the other candidate: each trial "
        "of the reference moved to the case's closeness by the slope of its own class, then fitted there. What "
        "shrinkage alone would do is `normalised` times a factor ("
        + ", ".join(f"{corpus} {factor:.2f}" for corpus, factor in factors.items())
        + ", each learnt on the other corpora). In short, and with what it was to reach: [README.md](README.md)."
    )
    yield "## Q/K 300/1,000 and 500/2,000"
    yield markdown(judged_table()).strip()
    yield "## Bands of closeness"
    yield markdown(bands_table()).strip()
    yield "## Differences"
    yield markdown(differences_table()).strip()
    yield "## Constants"
    yield markdown(lean_table()).strip()
    yield typed_said()
    for length in LENGTHS:
        yield f"## Q/K {length}"
        yield markdown(judged_table(lengths=(length,))).strip()


@cache
def lean_table() -> StudyTable:
    """The constants, of all corpora and without each."""
    rows: list[tuple[Value, ...]] = []
    for name, (n_authors, _) in _studies().items():
        trials, untyped = stored.load(name), () if name in TYPED else (None,)
        for corpus in (None, *(sorted(set(trials.column("corpus"))) if name == MAIN else ())):
            leaning, line = lean(trials, scores_of(name), without=corpus), learnt(trials, name, without=corpus)
            weights = line.at(1_225)
            of_scores = (leaning.different, leaning.same, line.slopes)
            told = [value for values in of_scores for value in (*values, *untyped)]
            rows.append((n_authors, corpus or "none", *told, weights.alpha, *weights.betas, *untyped))
    header = ("authors", "left out", *(f"{what} {score}" for what in "dsb" for score in (*SCORES, "typing")),
              "α", "β distinct", "β cosine", "β typing")  # fmt: skip
    caption = "How much normalised scores lean on topic, and the constants at K 1,225; the last with the typing score."
    return StudyTable("topic_constants", caption, header, ("d", "", *[".2f"] * 13), tuple(rows))


def typed_said() -> str:
    """What the typing score adds where topic cannot help, by constants that never saw the corpus judged."""
    ((name, (_, usual)),) = TYPED.items()
    judged = Judged(stored.load(name))
    trials, g = judged.trials, judged.g
    of_main, of_usual = stored.load(MAIN), stored.load(usual)
    nats_by_way = {way: np.full(len(trials), np.nan) for way in ("typed", "untyped", usual)}
    for corpus in judged.authors:
        lines = {
            "typed": learnt(trials, name, without=corpus),
            "untyped": learnt(of_main, MAIN, without=corpus),
            usual: stored.learnt(of_usual, usual, without=corpus),
        }
        of_corpus = judged.corpora == corpus
        tokens = trials.column("k_tokens")
        for way, line in lines.items():
            rows = np.stack([trials.column(NORMED_PREFIX + score).astype(np.float64) for score in line.scores], axis=1)
            rows = freed(rows, g, line.slopes) if line.slopes else rows
            for n in sorted(set(tokens[of_corpus].tolist())):
                nats_by_way[way][of_corpus & (tokens == n)] = line.at(n).nats(rows[of_corpus & (tokens == n)])
    lengths = sorted(set(judged.lengths))
    cells = judged.chosen(lengths, "random")
    typed, untyped, plain = (_only(judged.controlled(nats, cells, judged.once)) for nats in nats_by_way.values())
    return (
        f"With the typing score as a third, freed from topic by a b of its own, topic-controlled Cllr is {typed:.3f} "
        f"instead of {untyped:.3f}, and {plain:.3f} where topic is left in (Q/K {' and '.join(lengths)}, references "
        "drawn at random; by the constants alone, which never saw the corpus judged)."
    )


def build() -> None:
    """Writes the constants and the tables from the stored trials."""
    if CONSTANTS.parent.is_dir():  # not where the documentation stands alone
        write_whole(CONSTANTS, constants_text())
    for table in tables():
        save_table(table, HERE / "tables", endings=("csv",))
    write_whole(HERE / "topic.md", "\n\n".join(section()) + "\n")


def main() -> None:
    """The command line of this file."""
    arguments = sys.argv[1:]
    if arguments == ["--constants"]:
        write_whole(CONSTANTS, constants_text())
    elif arguments == ["--tables"]:
        for table in tables():
            save_table(table, HERE / "tables", endings=("csv",))
            print(markdown(table))
    elif len(arguments) > 1 and arguments[0] in _studies():
        store(arguments[0], [Path(folder) for folder in arguments[1:]])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
