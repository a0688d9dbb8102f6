"""What an expert may expect: the whole of `verify`, defaults and refusals on, over cases of every open corpus.

python -m benchmarks.yields [MINUTES]  runs cases that docs/validation/yields.jsonl does not have yet, so long of CPU

True authors, different authors and impostors, drawn near, random and far in topic, by 24 other authors of the corpus or
as many as there are; all that ships learnt without the corpus. Beside it each case as 0.3.0 would have reported it.
Left out is what no outcome hangs on: the range of the value, K without each of its texts, and most resamples of the
intervals around a validation.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.open_cases import KINDS, Row, decisive, open_corpora, opened, outcome, run_missing, without
from idiograph import IdiographError
from idiograph.casework.verify import make_ready

ROWS = Path(__file__).resolve().parents[1] / "docs" / "validation" / "yields.jsonl"
LENGTHS = ((300, 1_000), (500, 2_000))  # in turn
N_REFERENCE = 24
MOST = 40  # cases of a corpus, kind and draw
NEW, OLD = "0.4.0", "0.3.0"
_KEPT = ("refused", "computed", "reported", "distance")


def both_ways(case: Row, folder: Path) -> Iterator[Row]:
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
    new = corpus.case(drawn, reference, folder)
    old = replace(new, primary="normalised", bounds="elub")
    with without(case["corpus"]), decisive():
        try:
            ready = make_ready(new, workers=1)
        except IdiographError as error:  # what may not be compared, now or before
            for way in (NEW, OLD):
                yield {**facts, "way": way, "refused": type(error).__name__, "reported": None}
            return
        # The texts are read and audited in the same way, so once for both.
        index = replace(ready.case_index, case=old)
        before = replace(ready, case=old, case_index=index, rules=1)
        for way, case_ready in ((NEW, ready), (OLD, before)):
            became = {key: value for key, value in outcome(case_ready).items() if key in _KEPT}
            yield {**facts, "way": way, "primary": case_ready.case.primary, "bounds": case_ready.case.bounds, **became}


def wanted() -> Iterator[tuple[Row, Callable[[Path], Iterator[Row]]]]:
    """Every case, those of all corpora in turn, the lengths too: of two, the shorter ones, which are cheaper, first."""
    for number in sorted(range(MOST), key=lambda number: ((number + 1) // 2, number % 2)):
        for draw in ("random", "far", "near"):
            for kind in KINDS:
                for corpus in open_corpora():
                    lengths = list(LENGTHS[number % 2])
                    case = {"corpus": corpus, "kind": kind, "draw": draw, "number": number, "lengths": lengths}
                    yield case, partial(both_ways, case)


def main() -> None:
    """The command line of this file."""
    print(run_missing(ROWS, wanted(), float(sys.argv[1]) if sys.argv[1:] else 30.0), "cases")


if __name__ == "__main__":
    main()
