"""What an expert may expect: the whole of `verify`, defaults and refusals on, over cases of every open corpus.

python -m benchmarks.yields [MINUTES]  runs cases that docs/validation/yields.jsonl does not have yet, so long of CPU

True authors, different authors and impostors, drawn near, random and far in topic, by 24 other authors of the corpus or
as many as there are; all that ships learnt without the corpus. Beside it each case as 0.3.0 would have reported it.
Left out is what no outcome hangs on: the range of the value, and most resamples of the intervals around a validation.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from unittest.mock import patch

from benchmarks.open_cases import KINDS, Row, decisive, open_corpora, opened, outcome, run_missing, without
from idiograph.casework import verify as verifying
from idiograph.casework.case import RULES

ROWS = Path(__file__).resolve().parents[1] / "docs" / "validation" / "yields.jsonl"
LENGTHS = ((300, 1_000), (500, 2_000))  # in turn
N_REFERENCE = 24
MOST = 40  # cases of a corpus, kind and draw
NEW, OLD = "0.4.0", "0.3.0"


def made(case: Row, folder: Path) -> Iterator[Row]:
    """Both ways of reporting one case."""
    corpus = opened(case["corpus"], *case["lengths"])
    drawn = corpus.drawn(case["kind"], case["draw"], case["number"])
    name = f"{case['kind']} {case['draw']} {case['number']}"
    (reference,) = corpus.references(drawn, [N_REFERENCE], name=name)
    facts = {
        "q_author": drawn.q.author,
        "k_author": drawn.k.author,
        "closeness": round(drawn.closeness, 4),
        "authors": len(reference),
    }
    new = corpus.case(drawn, reference, folder / "new")
    old = corpus.case(drawn, reference, folder / "old", primary="normalised", bounds="elub")
    with without(case["corpus"]), ExitStack() as cheaper:
        if not timed(case):
            cheaper.enter_context(decisive())
            cheaper.enter_context(patch.object(verifying, "value_range", lambda *_, **__: None))
        for way, one, rules in ((NEW, new, RULES), (OLD, old, 1)):
            start = time.process_time()
            row = {**facts, "way": way, "primary": one.primary, "bounds": one.bounds, **outcome(one, rules=rules)}
            yield row | ({"cpu": round(time.process_time() - start, 2)} if timed(case) else {})


def timed(case: Row) -> bool:
    """Whether a case is computed with all that a report prints, and its CPU time kept: the first of each corpus."""
    return (case["number"], case["kind"], case["draw"]) == (0, "true", "random")


def wanted() -> Iterator[tuple[Row, Callable[[Path], Iterator[Row]]]]:
    """Every case, those of all corpora in turn."""
    for number in range(MOST):
        for draw in ("random", "far", "near"):
            for kind in KINDS:
                for corpus in open_corpora():
                    lengths = list(LENGTHS[number % 2])
                    case = {"corpus": corpus, "kind": kind, "draw": draw, "number": number, "lengths": lengths}
                    yield case, partial(made, case)


def main() -> None:
    """The command line of this file."""
    print(run_missing(ROWS, wanted(), float(sys.argv[1]) if sys.argv[1:] else 30.0), "cases")


if __name__ == "__main__":
    main()
