"""What an expert may expect of `verify`, and whether its ranges cover: tables of the cases that benchmarks stored.

python docs/validation/expected.py  writes tables/yields.csv, tables/ranges.csv and what ranges.json ships
"""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the documentation is not an installed package

from benchmarks import coverage, older, yields
from benchmarks.open_cases import DRAWS, KINDS, Row, kept_rows

from idiograph.arithmetic import mean
from idiograph.evidence.intervals import UNSEEN_FILE, Unseen, widened
from idiograph.files import write_whole
from idiograph.output.study_tables import StudyTable, Value, markdown, save_table
from idiograph.provenance import digest
from idiograph.records import record_text

HERE = Path(__file__).resolve().parent
WAYS = (yields.NEW, yields.OLD)
TWO, THREE, TEN = math.log(2), math.log(3), math.log(10)
_EDGE = 1e-4  # values are stored to so much
_BANS = math.log(10)
Floats = npt.NDArray[np.float64]


@cache
def outcomes() -> tuple[Row, ...]:
    """What became of every case, each in both ways."""
    return tuple(kept_rows(HERE / yields.ROWS.name))


OUTCOMES = ("refused", "LR between 1/3 and 3", "right, 2 or more", "right, 10 or more", "misleading, 2 or more",
            "misleading, 10 or more")  # fmt: skip
_RESAMPLES = 500


def _happened(row: Row) -> list[bool]:
    """Which of the outcomes a case had; right is an LR above 1 of one author, below 1 of two."""
    if row["reported"] is None:
        return [True, *[False] * 5]
    right = row["reported"] if row["case"]["kind"] == "true" else -row["reported"]
    return [
        False,
        abs(right) <= THREE + _EDGE,
        *(right >= least - _EDGE for least in (TWO, TEN)),
        *(right <= -least + _EDGE for least in (TWO, TEN)),
    ]


@cache
def _shares(way: str, **chosen: str) -> tuple[int, Floats]:
    """How many cases, and the shares of each outcome: of all, then of every resample of the authors of Qs.

    `chosen` says of which corpus, kind or draw the cases are.
    """
    rows = [row for row in outcomes() if row["way"] == way and chosen.items() <= row["case"].items()]
    if not rows:
        return 0, np.empty((0, 6))
    happened = np.array([_happened(row) for row in rows], np.float64)
    names = [(row["case"]["corpus"], row["q_author"]) for row in rows]
    authors = sorted(set(names))
    whose = np.array([authors.index(name) for name in names])
    rng = np.random.default_rng(1)  # the same for both ways, whose cases are the same
    drawn = [np.bincount(rng.integers(len(authors), size=len(authors)), minlength=len(authors))[whose] for _ in
             range(_RESAMPLES)]  # fmt: skip
    times = np.array([np.ones(len(rows)), *drawn], np.float64)
    return len(rows), times @ happened / times.sum(axis=1)[:, None]


def _with_interval(shares: Floats) -> list[str]:
    """Each share of all in per cent, with its 95 % interval."""
    ends = np.quantile(shares[1:], (0.025, 0.975), axis=0)
    return [
        f"{100 * share:.0f} ({100 * low:.0f} to {100 * high:.0f})"
        for share, low, high in zip(shares[0], *ends, strict=True)
    ]


BY_DRAW, TOGETHER, BY_CORPUS = ("kind", "draw"), ("kind",), ("corpus",)
_TABLES = {BY_DRAW: "yields", TOGETHER: "yields_together", BY_CORPUS: "yields_by_corpus"}
_COLUMNS = {"kind": "Q and K are by", "draw": "drawn", "corpus": "corpus"}


def yield_table(by: tuple[str, ...]) -> StudyTable:
    """What became of the cases in both ways, told apart by their kind and draw, by their kind, or by their corpus."""
    corpora = sorted({row["case"]["corpus"] for row in outcomes()})
    values = {"kind": KINDS, "draw": DRAWS, "corpus": corpora}
    rows: list[tuple[Value, ...]] = []
    for chosen in product(*(values[name] for name in by)):
        for way in WAYS:
            n, shares = _shares(way, **dict(zip(by, chosen, strict=True)))
            if n:
                rows.append((*(_SAID.get(value, value) for value in chosen), way, n, *_with_interval(shares)))
    header = (*(_COLUMNS[name] for name in by), "as", "cases", *OUTCOMES)
    caption = (
        "What became of cases, per cent, with 95 % intervals over resampled authors: the whole of `verify` with all "
        "defaults and refusals (0.4.0), and as 0.3.0 reported (`normalised`, elub, no D²). Right is an LR above 1 of "
        "one author, below 1 of two."
    )
    return StudyTable(_TABLES[by], caption, header, (*[""] * len(by), "", ",", *[""] * 6), tuple(rows))


def separated() -> list[str]:
    """Where the two ways differ by their 95 % interval, all draws together."""
    told = []
    for kind in KINDS:
        gap = np.subtract(*(_shares(way, kind=kind)[1] for way in WAYS))
        for number, outcome in enumerate(OUTCOMES):
            low, high = np.quantile(gap[1:, number], (0.025, 0.975))
            if low > 0 or high < 0:
                told.append(
                    f"{_SAID[kind]}, {outcome}: {100 * gap[0, number]:+.0f} ({100 * low:+.0f} to {100 * high:+.0f})"
                )
    return told


_SAID = {"true": "one author", "different": "two authors", "impostor": "two authors, K on Q's topic"}


def refusals() -> dict[str, int]:
    """Why cases were refused, by the rules of today, the most frequent first."""
    why = [str(row["refused"]) for row in outcomes() if row["way"] == yields.NEW and row["reported"] is None]
    return {name: why.count(name) for name in sorted(set(why), key=lambda name: (-why.count(name), name))}


def cpu_ratios() -> dict[int, list[float]]:
    """CPU seconds of each measured case over those of 0.3.0's own code, same texts; by number of reference authors."""
    ratios: dict[int, list[float]] = {}
    for row in kept_rows(HERE / older.ROWS.name):
        ratios.setdefault(row["authors"], []).append(row["cpu"][yields.NEW] / row["cpu"][yields.OLD])
    return ratios


# The range of a value.

SHIPPED = HERE.parents[1] / "src" / "idiograph" / "evidence" / UNSEEN_FILE
AIM = (0.85, 0.95)  # of values by another reference that a range should cover
LEAST = 0.9
FEWEST = 8  # cases of a size; for one with fewer the nearest size speaks
_TRIED = [step / 100 for step in range(101)]  # e, in log10 LR
Halves = tuple[Row, Row]


@cache
def pairs() -> tuple[Halves, ...]:
    """Both halves of every case that both of them could compute."""
    by_case: dict[str, list[Row]] = {}
    for row in kept_rows(HERE / coverage.ROWS.name):
        by_case.setdefault(str(row["case"]), []).append(row)
    both = [rows for rows in by_case.values() if len(rows) == 2 and all("computed" in row for row in rows)]
    return tuple((rows[0], rows[1]) for rows in both)


def of_size(n_authors: int, *, corpus: str | None = None, without: str | None = None) -> list[Halves]:
    """The pairs with so many authors in a half: of all corpora, of one or of all but one."""
    return [
        halves
        for halves in pairs()
        if halves[0]["case"]["authors"] == n_authors
        and corpus in (None, halves[0]["case"]["corpus"])
        and halves[0]["case"]["corpus"] != without
    ]


def covered(chosen: Sequence[Halves], e: float) -> list[bool]:
    """Of each pair and direction, whether the range with this e (in log10 LR) covers the other half's value."""
    hits = []
    for first, second in chosen:
        for half, other in ((first, second), (second, first)):
            from_, to = half["resampled"]
            low, high = widened(half["computed"], from_, to, e * _BANS)
            hits.append(bool(low <= other["computed"] <= high))
    return hits


def learnt(chosen: Sequence[Halves]) -> float:
    """The least e with which nine in ten ranges cover; 0 where there is nothing to learn from."""
    return next((e for e in _TRIED if not chosen or mean(covered(chosen, e)) >= LEAST), _TRIED[-1])


def left_out(n_authors: int) -> list[bool]:
    """Whether each range covers, by the e that is learnt without its corpus."""
    corpora = sorted({halves[0]["case"]["corpus"] for halves in of_size(n_authors)})
    by_corpus = [
        covered(of_size(n_authors, corpus=corpus), learnt(of_size(n_authors, without=corpus))) for corpus in corpora
    ]
    return [hit for hits in by_corpus for hit in hits]


def measured() -> list[Unseen]:
    """What the cases of each size show."""
    return [Unseen(n, learnt(of_size(n)), len(left_out(n)), sum(left_out(n))) for n in coverage.SIZES if of_size(n)]


def unseen() -> list[Unseen]:
    """What ships: of sizes with cases enough to learn from."""
    return [line for line in measured() if len(of_size(line.n_authors)) >= FEWEST]


def ranges_text() -> str:
    """The content of ranges.json."""
    shown = [of_size(line.n_authors) for line in unseen()]
    corpora = sorted({halves[0]["case"]["corpus"] for of_one_size in shown for halves in of_one_size})
    rows = digest((HERE / coverage.ROWS.name).read_bytes())[:16]
    source = (
        f"Learnt by docs/validation/expected.py from ranges.jsonl ({rows}): {sum(map(len, shown))} cases of "
        f"{', '.join(corpora)} by two disjoint halves of a reference, topic-controlled LR. "
        "n_covered counts both directions, each by the e that is learnt without the corpus."
    )
    return record_text({"schema": 1, "source": source, "rows": [asdict(row) for row in unseen()]})


def _wilson(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of n cases (Wilson 1927), which says something even of all or none."""
    z2 = 1.96 * 1.96
    middle, half = share + z2 / (2 * n), 1.96 * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return (middle - half) / (1 + z2 / n), (middle + half) / (1 + z2 / n)


def range_table() -> StudyTable:
    """How often ranges cover, by the number of authors."""
    rows: list[tuple[Value, ...]] = []
    for line in measured():
        chosen = of_size(line.n_authors)
        apart = [(first["computed"] - second["computed"]) / _BANS for first, second in chosen]
        hits = left_out(line.n_authors)
        low, high = _wilson(mean(hits), len(chosen))
        rows.append(
            (line.n_authors, ", ".join(sorted({first["case"]["corpus"] for first, _ in chosen})), len(chosen),
             math.sqrt(mean([x * x for x in apart])), mean(covered(chosen, 0.0)), line.bans, mean(hits), low, high)
        )  # fmt: skip
    header = (
        "authors of a half", "corpora", "cases", "typical difference of two halves, log10 LR",
        "resamples alone cover", "e, log10 LR", "range covers, e learnt without the corpus", "2.5 %", "97.5 %",
    )  # fmt: skip
    caption = (
        "Whether the range by one half of the reference authors covers the value that the other half gives, λG's "
        "models drawn anew (both directions of a case, which the intervals count once)."
    )
    return StudyTable("ranges", caption, header, ("d", "", ",", ".2f", ".0%", ".2f", *[".0%"] * 3), tuple(rows))


def section() -> Iterator[str]:
    """The yield table, in short."""
    n = len(outcomes()) // 2
    corpora = sorted({row["case"]["corpus"] for row in outcomes()})
    lengths = sorted({tuple(row["case"]["lengths"]) for row in outcomes()})
    why = "; ".join(f"{_WHY.get(name, name)} ({count})" for name, count in refusals().items())
    yield (
        f"**What an expert may expect.** {n} cases of {len(corpora)} open corpora ({', '.join(corpora)}; Q/K "
        + " and ".join("/".join(f"{n:,}" for n in both) for both in lengths)
        + f", up to {yields.N_REFERENCE} reference authors), everything that ships learnt without the corpus. They "
        "are few, as the intervals show; where none of n cases had an outcome, about 3 in n remain possible. Why "
        f"{sum(refusals().values())} of them are refused: {why or 'none'}. Where 0.4.0 differs from 0.3.0 by the 95 % "
        f"interval of the difference, in points: {'; '.join(separated()) or 'nowhere'}. By draw: "
        "[yields.csv](tables/yields.csv); by corpus: [yields_by_corpus.csv](tables/yields_by_corpus.csv); every case: "
        "[yields.jsonl](yields.jsonl)."
    )
    yield markdown(yield_table(TOGETHER)).strip()


_WHY = {
    "another kind": "reference of another kind",
    "validation": "validation failed",
    "repeated-feature": "an overdone habit in Q",
}


def ranges_said() -> Iterator[str]:
    """The coverage of ranges."""
    yield (
        "With another reference of the same kind the value would have been another. Each case was calculated by two "
        "disjoint halves of the authors at hand; the value by one should lie in about nine of ten ranges by the other."
    )
    hits = [hit for n_authors in coverage.SIZES for hit in left_out(n_authors)]
    share = mean(hits)
    least, most = AIM
    verdict = "as was aimed at" if least <= share <= most else "more than was aimed at" if share > most else "too few"
    wide = [str(line.n_authors) for line in unseen() if line.n_covered > most * line.n_values]
    besides = ""
    if wide:
        besides = (
            f" With {' and '.join(wide)} authors ranges are wider than that, although nothing is added to the "
            "resamples: these also vary the seeds and leave out known texts, which another reference does not."
        )
    yield (
        f"It does in {sum(hits)} of {len(hits)} ({100 * share:.0f} %; aimed at {100 * least:.0f} to {100 * most:.0f} "
        f"%), {verdict}.{besides} e is the least with which nine in ten cover, and what ships "
        f"(src/idiograph/evidence/{UNSEEN_FILE}) is learnt from all corpora, for numbers of authors with {FEWEST} or "
        "more cases; others go by the nearest. Every case: [ranges.jsonl](ranges.jsonl)."
    )
    yield markdown(range_table()).strip()


def build() -> None:
    """Writes the tables, and what ships."""
    if SHIPPED.parent.is_dir():  # not where the documentation stands alone
        write_whole(SHIPPED, ranges_text())
    for table in (*map(yield_table, _TABLES), range_table()):
        save_table(table, HERE / "tables", endings=("csv",))


def main() -> None:
    """The command line of this file."""
    if sys.argv[1:]:
        sys.exit(__doc__)
    build()
    for part in (*section(), markdown(yield_table(BY_DRAW)), *ranges_said(), str(cpu_ratios())):
        print(part)


if __name__ == "__main__":
    main()
