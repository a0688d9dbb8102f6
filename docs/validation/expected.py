"""What an expert may expect of `verify`, and whether its ranges cover: tables of the cases that benchmarks stored.

python docs/validation/expected.py  writes tables/yields.csv and tables/ranges.csv from yields.jsonl and ranges.jsonl
"""

import math
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the documentation is not an installed package

from benchmarks import coverage, yields
from benchmarks.open_cases import DRAWS, KINDS, Row, kept_rows

from idiograph.arithmetic import mean, quantile, sd
from idiograph.output.study_tables import StudyTable, Value, markdown, save_table

HERE = Path(__file__).resolve().parent
WAYS = (yields.NEW, yields.OLD)
TWO, THREE, TEN = math.log(2), math.log(3), math.log(10)
_EDGE = 1e-4  # values are stored to so much
_BANS = math.log(10)
TAIL = 1.645  # standard deviations on either side that hold nine tenths


@cache
def outcomes() -> tuple[Row, ...]:
    """What became of every case, each in both ways."""
    return tuple(kept_rows(HERE / yields.ROWS.name))


def _shares(rows: Sequence[Row], *, true: bool) -> tuple[Value, ...]:
    """Cases, and the shares refused, limited, reported rightly at 2 and 10 or more, and wrongly so."""
    right = [(one["reported"] if true else -one["reported"]) for one in rows if one["reported"] is not None]
    n = len(rows)
    return (
        n,
        (n - len(right)) / n,
        sum(abs(value) <= THREE + _EDGE for value in right) / n,
        *(sum(value >= least - _EDGE for value in right) / n for least in (TWO, TEN)),
        *(sum(value <= -least + _EDGE for value in right) / n for least in (TWO, TEN)),
    )


def yield_table(draws: Sequence[str] | None = DRAWS) -> StudyTable:
    """By kind of case, in both ways: of each draw, or of all together."""
    rows: list[tuple[Value, ...]] = []
    for kind in KINDS:
        for draw in draws or (None,):
            for way in WAYS:
                own = [
                    one
                    for one in outcomes()
                    if (one["case"]["kind"], one["way"]) == (kind, way) and draw in (None, one["case"]["draw"])
                ]
                if not own:
                    continue
                named = (_SAID[kind], *((draw,) if draws else ()), way)
                rows.append((*named, *_shares(own, true=kind == "true")))
    header = (
        "Q and K are by", *(("drawn",) if draws else ()), "as", "cases", "refused", "LR between 1/3 and 3",
        "right, 2 or more", "right, 10 or more", "misleading, 2 or more", "misleading, 10 or more",
    )  # fmt: skip
    caption = (
        "What became of cases, per cent: the whole of `verify` with all defaults and refusals (0.4.0), and as 0.3.0 "
        "reported (`normalised`, elub, no D²). Right is an LR above 1 of one author, below 1 of two."
    )
    formats = ("", *(("",) if draws else ()), "", ",", *[".0%"] * 6)
    return StudyTable("yields" if draws else "yields_together", caption, header, formats, tuple(rows))


_SAID = {"true": "one author", "different": "two authors", "impostor": "two authors, K on Q's topic"}


def refusals() -> dict[str, int]:
    """Why cases were refused, by the rules of today, the most frequent first."""
    why = [str(one["refused"]) for one in outcomes() if one["way"] == yields.NEW and one["reported"] is None]
    return {name: why.count(name) for name in sorted(set(why), key=lambda name: (-why.count(name), name))}


def cpu_ratio() -> float:
    """CPU time of a case by the defaults over that by 0.3.0's settings, the same texts and the same version.

    The median of those that were timed: the very first also compiles.
    """
    new, old = ([float(one["cpu"]) for one in outcomes() if one["way"] == way and "cpu" in one] for way in WAYS)
    return quantile([one / other for one, other in zip(new, old, strict=True)], 0.5)


# The range of a value.


@cache
def pairs() -> tuple[tuple[int, Row, Row], ...]:
    """The number of authors, and both halves of every case that both of them could compute."""
    halves: dict[str, list[Row]] = {}
    for one in kept_rows(HERE / coverage.ROWS.name):
        halves.setdefault(str(one["case"]), []).append(one)
    both = [two for two in halves.values() if len(two) == 2 and all(one.get("range") for one in two)]
    return tuple((two[0]["case"]["authors"], two[0], two[1]) for two in both)


def covered(n_authors: int, least: float, *, resampled: bool = False, unseen: float | None = None) -> list[bool]:
    """Of each pair and direction, whether a range covers the other half's value; up to so large log10 LRs.

    `unseen` is what is added for authors who are not at hand, in log10 LR, instead of what was printed.
    """
    found = []
    for n, one, other in pairs():
        if n != n_authors or max(abs(one["computed"]), abs(other["computed"])) > least * _BANS:
            continue
        for own, value in ((one, other["computed"]), (other, one["computed"])):
            low, high = own["resampled"] if resampled or unseen is not None else own["range"]
            if unseen is not None:
                spread = math.sqrt(max(0.0, own["spread"] ** 2 - _printed(n) ** 2) + (unseen * _BANS) ** 2)
                low, high = min(low, own["computed"] - TAIL * spread), max(high, own["computed"] + TAIL * spread)
            found.append(bool(low <= value <= high))
    return found


def _printed(n_authors: int) -> float:
    """What was added, in nats."""
    return 0.25 * math.sqrt(12 / n_authors) * _BANS


TRIED = (0.0, 0.15, 0.25, 0.35)
AIM = (0.85, 0.95)


def range_table() -> StudyTable:
    """How often ranges cover, by the number of authors."""
    rows: list[tuple[Value, ...]] = []
    for n_authors in coverage.SIZES:
        for least, words in ((math.inf, "all"), (2.0, "LR between 1/100 and 100")):
            apart = [
                (one["computed"] - other["computed"]) / _BANS
                for n, one, other in pairs()
                if n == n_authors and max(abs(one["computed"]), abs(other["computed"])) <= least * _BANS
            ]
            if len(apart) < 2:
                continue
            share = math.sqrt(12 / n_authors)
            rows.append(
                (n_authors, words, len(apart), sd(apart), quantile([abs(x) for x in apart], 0.5) / 0.6745,
                 mean(covered(n_authors, least, resampled=True)), mean(covered(n_authors, least)),
                 *(mean(covered(n_authors, least, unseen=e * share)) for e in TRIED))
            )  # fmt: skip
    header = (
        "authors of a half", "values", "cases", "sd of the difference, log10 LR", "robust", "resamples alone cover",
        "printed range covers", *(f"with e = {e:g}·√(12/n)" for e in TRIED),
    )  # fmt: skip
    caption = (
        "Whether the range printed by one half of the reference authors covers the value that the other half gives, "
        "λG's models drawn anew (both directions). The printed range has e = 0.25·√(12/n); robust: from the median."
    )
    formats = ("d", "", ",", ".2f", ".2f", *[".0%"] * (2 + len(TRIED)))
    return StudyTable("ranges", caption, header, formats, tuple(rows))


def said() -> Iterator[str]:
    """The yield table, in short."""
    n = len(outcomes()) // 2
    corpora = sorted({one["case"]["corpus"] for one in outcomes()})
    lengths = sorted({tuple(one["case"]["lengths"]) for one in outcomes()})
    fewest = min(int(str(row[2])) for row in yield_table(None).rows)
    why = "; ".join(f"{_WHY.get(name, name)} ({count})" for name, count in refusals().items())
    yield (
        f"**What an expert may expect.** {n} cases of {len(corpora)} open corpora ({', '.join(corpora)}; Q/K "
        + " and ".join("/".join(f"{n:,}" for n in both) for both in lengths)
        + f", up to {yields.N_REFERENCE} reference authors), everything that ships learnt without the corpus. They are "
        f"few: with {fewest} in a row a figure may be off by {98 / math.sqrt(fewest):.0f} points, so that only large "
        f"differences mean anything. Why {sum(refusals().values())} of them are refused: {why or 'none'}. By draw: "
        "[yields.csv](tables/yields.csv); every case: [yields.jsonl](yields.jsonl)."
    )
    yield markdown(yield_table(None)).strip()


_WHY = {
    "another kind": "reference of another kind",
    "validation": "validation failed",
    "repeated-feature": "an overdone habit in Q",
}


def ranges_said() -> Iterator[str]:
    """The coverage of ranges."""
    yield (
        "With another reference of the same kind the value would have been another. Each case was verified by two "
        "disjoint halves of the authors at hand; the value by one should lie in about nine of ten ranges by the other."
    )
    hits = [hit for n_authors in coverage.SIZES for hit in covered(n_authors, math.inf)]
    share = mean(hits)
    least, most = AIM
    verdict = (
        "as was aimed at"
        if least <= share <= most
        else "more than was aimed at: ranges are wider than they need be, and with so few cases e stays as it is"
        if share > most
        else "less than was aimed at: ranges are too narrow"
    )
    yield (
        f"It does in {sum(hits)} of {len(hits)} ({100 * share:.0f} %; aimed at {100 * least:.0f} to {100 * most:.0f} "
        f"%), {verdict}. Every case: [ranges.jsonl](ranges.jsonl)."
    )
    yield markdown(range_table()).strip()


def build() -> None:
    """Writes the tables."""
    for table in (yield_table(), yield_table(None), range_table()):
        save_table(table, HERE / "tables", endings=("csv",))


def main() -> None:
    """The command line of this file."""
    if sys.argv[1:]:
        sys.exit(__doc__)
    build()
    for part in (*said(), markdown(yield_table()), *ranges_said(), f"{cpu_ratio():.2f}"):
        print(part)


if __name__ == "__main__":
    main()
