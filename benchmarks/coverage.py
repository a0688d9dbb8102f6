"""Whether the range of a value covers what another reference of the same kind gives, measured on the open corpora.

python -m benchmarks.coverage [MINUTES]  runs cases that docs/validation/ranges.jsonl does not have yet, so long of CPU

Each case is calculated by two disjoint halves of the authors at hand, models of λG and all: the value by one half
should lie in nine of ten ranges by the other. Refusals are left aside, for a range is a matter of the calculation.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.open_cases import KINDS, Row, open_corpora, opened, run_missing, without
from idiograph import Case, IdiographError, Problem
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.case_matrix import score_matrix
from idiograph.casework.copies import Runs, copies_of_authors
from idiograph.casework.inputs import read_inputs
from idiograph.casework.taking_part import plan_at_length
from idiograph.casework.variants import (
    case_matrices,
    normalise_case,
    surroundings,
    value_range,
    without_texts,
)

ROWS = Path(__file__).resolve().parents[1] / "docs" / "validation" / "ranges.jsonl"
LENGTHS = ((500, 2_000), (300, 1_000))  # in turn
SIZES = (5, 12, 24, 36)  # authors of a half
MOST = 40


def judged_case(case: Row, folder: Path) -> Iterator[Row]:
    """One case by both halves; nothing where the corpus has too few authors, or a half gives no value."""
    corpus = opened(case["corpus"], *case["lengths"])
    drawn = corpus.drawn(case["kind"], "random", case["number"])
    halves = corpus.references(drawn, [case["authors"]] * 2, name=f"halves {case['number']}")
    if len(halves[1]) < case["authors"]:
        return
    with without(case["corpus"]):
        for half, reference in enumerate(halves):
            try:
                row = calculated(corpus.case(drawn, reference, folder / str(half)))
            except IdiographError as error:
                row = {"refused": str(error)}
            yield {"half": half, **row}


def calculated(case: Case) -> Row:
    """The topic-controlled LR of a case and what its range is made of, in natural logarithms."""
    inputs = read_inputs(case, workers=1)
    texts = inputs.texts("Q1", "candidate")
    copied = copies_of_authors(inputs.reference, Runs.of([texts]))
    case_index = CaseIndex.of(case, inputs, workers=1, copies=copied)
    texts, plan = plan_at_length(case_index, texts)
    matrix = score_matrix(case_index, plan, name=texts.name)
    problem = Problem(case_index.part(texts.q), case_index.part(texts.k), case_index.reference())
    (score,) = case_index.score_case(problem)
    around = surroundings(case_index, texts, plan, quick=False)
    assert around is not None
    draws = case_matrices(case_index, texts, score, around, matrix)
    of_case = normalise_case(case_index, texts, score, around, draws, controlled=True)
    left_out = without_texts(case_index, texts, problem, of_case)
    moves = value_range(case_index, texts, problem, of_case.trial.llr, of_case, left_out)
    assert moves is not None
    assert moves.resampled is not None
    return {
        "n": len(around.authors),
        "computed": round(of_case.trial.llr.nats, 4),
        "resampled": [round(x, 4) for x in moves.resampled],
    }


def wanted() -> Iterator[tuple[Row, Callable[[Path], Iterator[Row]]]]:
    """Kinds of cases, lengths and sizes in turn, the corpora of each together."""
    for number in range(MOST):
        for size in SIZES:
            for corpus in open_corpora():
                kind, lengths = KINDS[number // 2 % 3], list(LENGTHS[number % 2])
                case = {"corpus": corpus, "kind": kind, "number": number, "authors": size, "lengths": lengths}
                yield case, partial(judged_case, case)


def main() -> None:
    """The command line of this file."""
    print(run_missing(ROWS, wanted(), float(sys.argv[1]) if sys.argv[1:] else 15.0), "cases")


if __name__ == "__main__":
    main()
