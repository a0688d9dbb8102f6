"""Whether the printed range of a value covers what another reference of the same kind gives.

python -m benchmarks.coverage [MINUTES]  runs cases that docs/validation/ranges.jsonl does not have yet, so long of CPU

Each case is verified by two disjoint halves of the authors at hand, models of λG and all: the value by one half should
lie in nine of ten ranges by the other.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.open_cases import Row, decisive, open_corpora, opened, outcome, run_missing, without

ROWS = Path(__file__).resolve().parents[1] / "docs" / "validation" / "ranges.jsonl"
LENGTHS = ((500, 2_000), (300, 1_000))  # in turn
SIZES = (12, 24)  # authors of a half
MOST = 40


def made(case: Row, folder: Path) -> Iterator[Row]:
    """One case by both halves; nothing where the corpus has too few authors."""
    corpus = opened(case["corpus"], *case["lengths"])
    drawn = corpus.drawn(case["kind"], "random", case["number"])
    halves = corpus.references(drawn, [case["authors"]] * 2, name=f"halves {case['number']}")
    if len(halves[1]) < case["authors"]:
        return
    with without(case["corpus"]), decisive():
        for half, reference in enumerate(halves):
            one = corpus.case(drawn, reference, folder / str(half))
            yield {"half": half, "primary": one.primary, **outcome(one)}


def wanted() -> Iterator[tuple[Row, Callable[[Path], Iterator[Row]]]]:
    """True authors and different ones in turn."""
    for number in range(MOST):
        for size in SIZES:
            for corpus in open_corpora():
                kind, lengths = ("true", "different")[number // 2 % 2], list(LENGTHS[number % 2])
                case = {"corpus": corpus, "kind": kind, "number": number, "authors": size, "lengths": lengths}
                yield case, partial(made, case)


def main() -> None:
    """The command line of this file."""
    print(run_missing(ROWS, wanted(), float(sys.argv[1]) if sys.argv[1:] else 15.0), "cases")


if __name__ == "__main__":
    main()
