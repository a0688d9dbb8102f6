"""What may be reported, and what reported values are worth: bounds and strengths, from the stored trials on topic.

python docs/validation/strength.py  writes tables/bounds.csv and tables/strength.csv, and what reports quote of them

Every trial by a reference drawn near is reported as a case of its corpus would be: by bounds from the trials of other
authors of the corpus, counted together with the published ones of all other corpora. A stated LR is worth the share of
same-author trials in its band over that of different-author ones, those that are as close in topic.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the documentation is not an installed package

from docs.validation import bounds, stored, topic
from docs.validation.topic import HERE, MAIN, Cell, Floats, Judged, Times

from idiograph.arithmetic import exp
from idiograph.evidence.bounds import Bounds, bounds_of, pooled_bounds
from idiograph.evidence.matching import TEN
from idiograph.evidence.methods import short_name
from idiograph.evidence.metrics import trial_costs
from idiograph.evidence.published_trials import PublishedTrials
from idiograph.evidence.trials import Trials
from idiograph.files import write_whole
from idiograph.output.study_tables import StudyTable, Value, markdown, save_table
from idiograph.provenance import digest
from idiograph.records import record_text

SHIPPED = HERE.parents[1] / "src" / "idiograph" / "evidence" / "strength.json"
METHODS = bounds.METHODS
BANDS = (
    (3, 10),
    (10, 30),
    (30, 100),
    (100, np.inf),
    (1 / 10, 1 / 3),
    (1 / 30, 1 / 10),
    (1 / 100, 1 / 30),
    (0, 1 / 100),
)
PARTS = 5  # of the authors of a corpus: trials of one part, or of two, are limited by the others
Band = tuple[float, float, int, int, float | None, float | None, float | None]
ELUB, PUBLISHED = "elub", "published"


@dataclass(frozen=True, eq=False)
class Reported:
    """The LLRs of one method as they are reported, and the bounds that each trial had."""

    nats: Floats  # not a number where a trial is not reported on
    lower: Floats
    upper: Floats


@cache
def judged(name: str = MAIN) -> Judged:
    """The stored trials."""
    return Judged(stored.load(name))


def near_cells(name: str = MAIN, corpus: str | None = None) -> list[Cell]:
    """Those of references drawn near, at all lengths, of all corpora or of one."""
    near = [cell for cell in judged(name).cells if cell.reference == "near" and len(cell.matched)]
    return [cell for cell in near if corpus is None or cell.corpus == corpus]


@cache
def reported(method: str, by: str, name: str = MAIN, most: int | None = None) -> Reported:
    """Every trial by bounds that its own authors had no part in, of other corpora too where they are published.

    `most` is how many authors of the trial's own corpus count, if not all others.
    """
    trials = judged(name).trials
    nats = judged(name).llr(method)
    lower, upper = np.full(len(nats), np.nan), np.full(len(nats), np.nan)
    published = PublishedTrials(tuple(bounds.cells(judged(), also=(topic.TIMES,))), "", "")
    q_authors, k_authors = (trials.column(side) for side in ("q_author", "k_author"))
    for cell in near_cells(name):
        places = np.concatenate([cell.same, cell.different])
        places = places[np.isfinite(nats[places])]
        names = sorted({*q_authors[places], *k_authors[places]})
        part = {name: number % PARTS for number, name in enumerate(names)}
        q, k = (np.array([part[name] for name in side[places]]) for side in (q_authors, k_authors))
        is_same = trials.same[places]
        limit = bounds_of
        if by == PUBLISHED:
            others = published.near(method, int(cell.length.split("/")[1].replace(",", "")), without=cell.corpus)
            assert others is not None, "other corpora have trials of every length"
            limit = partial(pooled_bounds, published=others)
        for first in range(PARTS):
            for other in range(first, PARTS):
                mine = ((q == first) & (k == other)) | ((q == other) & (k == first))
                rest = ~np.isin(q, (first, other)) & ~np.isin(k, (first, other))
                if most is not None:
                    few = [author for author in names if part[author] not in (first, other)][:most]
                    rest &= np.isin(q_authors[places], few) & np.isin(k_authors[places], few)
                true, wrong = places[rest & is_same], places[rest & ~is_same]
                if not mine.any() or not true.size or not wrong.size:
                    continue
                limits: Bounds = limit(
                    Trials(
                        same=nats[true],
                        different=nats[wrong],
                        same_authors=tuple(k_authors[true]),
                        different_authors=tuple(zip(q_authors[wrong], k_authors[wrong], strict=True)),
                    )
                )
                lower[places[mine]], upper[places[mine]] = limits.lower, limits.upper
    return Reported(np.clip(nats, lower, upper), lower, upper)


@cache
def bounds_table() -> StudyTable:
    """What each kind of bounds allows and costs, for every method."""
    rows = [(short_name(method), by, *_figures(method, by)) for method in METHODS for by in (ELUB, PUBLISHED)]
    header = (
        "method", "bounds", "median upper", "median lower", "Cllr unbounded", "reported", "true LR ≥ 10",
        "of these reported ≥ 10", "U × matched different authors above U", "2.5 %", "97.5 %",
    )  # fmt: skip
    caption = (
        "What may be reported, references drawn near, all lengths and drawings, corpora weighing the same; bounds "
        "learnt without the corpus judged. In the last columns 1 is what an upper bound U promises: of different "
        "authors as close in topic at most 1/U lie above it (95 % interval over resampled authors)."
    )
    formats = ("", "", ".1f", ".3f", ".3f", ".3f", ".1%", ".1%", ".2f", ".2f", ".2f")
    return StudyTable("bounds", caption, header, formats, tuple(rows))


def _figures(method: str, by: str) -> tuple[Value, ...]:
    told = reported(method, by)
    there = np.isfinite(told.nats)
    same = judged().trials.same
    strong = there & same & (judged().llr(method) >= TEN)
    return (
        exp(float(np.median(told.upper[there]))),
        exp(float(np.median(told.lower[there]))),
        _cllr(judged().llr(method), there),
        _cllr(told.nats, there),
        judged().share(strong, there & same),
        reported_strong(method, by),
        *topic.interval(beyond(method, by)),
    )


def beyond(method: str, by: str) -> Floats:
    """U times the share of matched different authors above U, of all authors and of every resample."""
    told = reported(method, by)
    return _over_matches(np.where(judged().llr(method) > told.upper, exp(told.upper), 0.0), near_cells())


def reported_strong(method: str, by: str) -> float:
    """The share of true LRs of 10 or more that are reported at 10 or more."""
    nats, told = judged().llr(method), reported(method, by).nats
    strong = np.isfinite(told) & judged().trials.same & (nats >= TEN)
    return judged().share(told >= TEN - 1e-9, strong)


def cost(method: str, by: str, name: str = MAIN, most: int | None = None) -> float:
    """By how much Cllr of what is reported is above that of what is calculated."""
    told = reported(method, by, name, most).nats
    there = np.isfinite(told)
    return _cllr(told, there, name) - _cllr(judged(name).llr(method), there, name)


def _cllr(nats: Floats, there: topic.Flags, name: str = MAIN) -> float:
    """Plain Cllr: the mean over corpora."""
    same, values = judged(name).trials.same, []
    for corpus in judged(name).authors:
        of_corpus = there & (judged(name).corpora == corpus)
        halves = np.mean(trial_costs(nats[of_corpus & same])), np.mean(trial_costs(-nats[of_corpus & ~same]))
        values.append(0.5 * float(sum(halves)))
    return float(np.mean(values))


@cache
def times() -> Times:
    """How often each author counts in every resample."""
    return judged().resampled()


def _over_matches(values: Floats, cells: Sequence[Cell]) -> Floats:
    """The mean of a value over the different authors matched with each true one: the mean over corpora."""
    k, q = judged().numbers
    by_corpus: dict[str, list[Floats]] = {}
    for cell in cells:
        matches, counts = cell.matches
        known = np.isfinite(values[matches])
        drawn = times()[cell.corpus]
        weights = drawn[:, k[matches]] * drawn[:, q[matches]] * (counts * known)
        together = weights.sum(axis=2)
        true_weights = drawn[:, k[cell.matched]] * (together > 0)
        sums = (weights * np.where(known, values[matches], 0.0)).sum(axis=2) / np.where(together > 0, together, 1.0)
        by_corpus.setdefault(cell.corpus, []).append(
            topic.divided((true_weights * sums).sum(axis=1), true_weights.sum(axis=1))
        )
    return topic.over_corpora(by_corpus)


def _over_true(values: Floats, cells: Sequence[Cell]) -> Floats:
    """The mean of a value over matched same-author trials: the mean over corpora."""
    k, _ = judged().numbers
    by_corpus: dict[str, list[Floats]] = {}
    for cell in cells:
        known = np.isfinite(values[cell.matched])
        true_weights = times()[cell.corpus][:, k[cell.matched]] * known
        sums = (true_weights * np.where(known, values[cell.matched], 0.0)).sum(axis=1)
        by_corpus.setdefault(cell.corpus, []).append(topic.divided(sums, true_weights.sum(axis=1)))
    return topic.over_corpora(by_corpus)


@cache
def strengths(method: str, by: str, corpus: str | None = None) -> tuple[Band, ...]:
    """Of each band: its edges, true and matched wrong trials in it, what it is worth, and the 95 % interval.

    None is a share of 0 of different authors: nobody knows how much more it is worth.
    """
    nats = judged().llr(method) if by == "none" else reported(method, by).nats
    cells, bands = near_cells(corpus=corpus), []
    for low, high in BANDS:
        # An edge belongs to the weaker band, as in words.
        above = nats > np.log(low) if low >= 1 else nats >= (np.log(low) if low else -np.inf)
        inside = above & (nats <= np.log(high) if low >= 1 else nats < np.log(high))
        values = np.where(np.isfinite(nats), inside.astype(np.float64), np.nan)
        true, wrong = _over_true(values, cells), _over_matches(values, cells)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = true / wrong
        n_true = int(sum(inside[cell.matched].sum() for cell in cells))
        met = np.unique(np.concatenate([cell.matches[0][cell.matches[1] > 0] for cell in cells]))
        drawn = ratio[1:][~np.isnan(ratio[1:])]
        edges = [float(np.quantile(drawn, at, method="lower")) for at in (0.025, 0.975)] if drawn.size else [np.nan] * 2
        worth, least, most = (value if np.isfinite(value) else None for value in (float(ratio[0]), *edges))
        bands.append((low, high, n_true, int(inside[met].sum()), worth, least, most))
    return tuple(bands)


@cache
def strength_table() -> StudyTable:
    """What values in each band were worth, as they are calculated and as they are reported."""
    rows = [
        (short_name(method), told, f"{topic.lr_text(low) if low else '0'} to {topic.lr_text(high)}", *others)
        for method in METHODS
        for told, by in (("calculated", "none"), ("reported", PUBLISHED))
        for low, high, *others in strengths(method, by)
    ]
    header = ("method", "value", "stated", "true trials", "wrong trials", "worth", "2.5 %", "97.5 %")
    caption = (
        "What a stated LR was worth against different authors as close in topic (references drawn near, all lengths "
        "and drawings; 95 % intervals over resampled authors; – where no different author came so far). Reported: by "
        "bounds that count the published validation without the corpus judged."
    )
    return StudyTable("strength", caption, header, ("", "", "", ",", ",", ".3g", ".3g", ".3g"), tuple(rows))


SHORT, BELOW = "worth less", "worth less, not by its interval"
ENOUGH = 10  # true trials in a band, and different authors' trials matched with any: fewer tell nothing


@cache
def by_corpus_table() -> StudyTable:
    """What the topic-controlled LR reports in each band was worth on each corpus, and where it was worth less."""
    rows: list[tuple[Value, ...]] = []
    for corpus in (*judged().authors, None):
        for low, high, n_true, n_wrong, worth, least, most in strengths("controlled", PUBLISHED, corpus):
            if n_true + n_wrong == 0:
                continue
            if low >= 1:
                enough, below = n_true >= ENOUGH, worth is not None and worth < low
                short = most is not None and most < low
            else:
                enough, below = n_wrong >= ENOUGH, worth is not None and worth > high
                short = least is not None and least > high
            verdict = SHORT if short else BELOW if below else "holds"
            verdict = verdict if enough else "too few trials"
            stated = f"{topic.lr_text(low) if low else '0'} to {topic.lr_text(high)}"
            rows.append((corpus or "all together", stated, n_true, n_wrong, worth, least, most, verdict))
    header = ("corpus", "reported", "true trials", "wrong trials", "worth", "2.5 %", "97.5 %", "")
    caption = (
        "What the topic-controlled LR reports in each band was worth on each corpus, bounds learnt without it; worth "
        "less by its interval is what the 95 % interval leaves no room for. – where no different author came so far."
    )
    return StudyTable("strength_by_corpus", caption, header, ("", "", ",", ",", ".3g", ".3g", ".3g", ""), tuple(rows))


def shipped_text() -> str:
    """What reports quote."""
    sha256 = digest((HERE / f"{MAIN}.parquet").read_bytes())[:16]
    names = ("low", "high", "n_true", "n_wrong", "worth", "from", "to")
    methods = {
        method: [
            {
                name: (None if isinstance(value, float) and np.isinf(value) else _rounded(value))
                for name, value in zip(names, row, strict=True)
            }
            for row in strengths(method, PUBLISHED)
        ]
        for method in METHODS
    }
    n_authors = sum(map(len, judged().authors.values()))
    source = (
        f"Made by docs/validation/strength.py from {MAIN}.parquet ({sha256}): trials of {n_authors} authors of "
        f"{len(judged().authors)} open English corpora by references drawn near, reported by bounds learnt without the "
        "corpus judged, against different authors as close in topic."
    )
    return record_text({"schema": 1, "source": source, "methods": methods})


def _rounded(value: float | None) -> float | int | None:
    return value if value is None or isinstance(value, int) else float(f"{value:.3g}")


def section() -> Iterator[str]:
    """The section of the published validation."""
    listed = {
        (verdict, is_above): [
            f"{corpus} ({stated} was worth {worth:.2g})"
            for corpus, stated, _, _, worth, _, _, held in by_corpus_table().rows
            if held == verdict and str(stated).startswith(("0", "1/")) != is_above
        ]
        for verdict in (SHORT, BELOW)
        for is_above in (True, False)
    }
    by_value = [*listed[BELOW, True], *listed[BELOW, False]]
    yield (
        'With `bounds = "published"` the trials of these corpora count beside a case\'s own (at most 150 authors in a '
        "class), which are never overruled; with `elub` the case's own alone. What is lost in Cllr is lost below 1: "
        "the hardest draws are what a low LR has to hold against. What a reported value is worth is counted against "
        "different authors who are as close in topic. By its 95 % interval it was worth less than it says above 1 on "
        f"{'; '.join(listed[SHORT, True]) or 'no corpus with trials enough to tell'}, below 1 on "
        f"{'; '.join(listed[SHORT, False]) or 'none'}. By the value alone, with an interval that reaches what it says: "
        f"{'; '.join(by_value) or 'none'}. On such texts do not rely on it."
    )
    for table in (bounds_table(), by_corpus_table()):
        yield markdown(table).strip()
    yield "The same of every method, calculated and reported: [strength.csv](tables/strength.csv)."


def build() -> None:
    """Writes the tables, and what ships."""
    for table in (bounds_table(), strength_table(), by_corpus_table()):
        save_table(table, HERE / "tables", endings=("csv",))
    if SHIPPED.parent.is_dir():  # not where the documentation stands alone
        bounds.build()
        write_whole(SHIPPED, shipped_text())


def main() -> None:
    """The command line of this file."""
    if sys.argv[1:]:
        sys.exit(__doc__)
    build()
    for part in section():
        print(part)


if __name__ == "__main__":
    main()
