"""What a case costs: its matrix over the validation that a correction needs anyway, its command over its scoring."""

import json
import tempfile
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.comparators import cut
from benchmarks.corpora import generated
from benchmarks.figure import Figure, at_most
from idiograph import Case, Problem, file_case
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.case_matrix import score_matrix
from idiograph.casework.inputs import CaseTexts, read_inputs
from idiograph.casework.taking_part import ValidationPlan, plan_validation
from idiograph.casework.variants import case_matrices, normalise_case, surroundings

N_AUTHORS, Q_TOKENS, K_TOKENS = 40, 1_000, 3_000
TIMES = 3
BEFORE = 1_500  # problems of a validation that makes no matrix


def run(quick: bool) -> list[Figure]:
    """CPU ratios of one case: masked, everything compiled."""
    n_authors = 9 if quick else N_AUTHORS
    with tempfile.TemporaryDirectory() as folder:
        case = generated_case(Path(folder), n_authors)
        inputs = read_inputs(case)
        case_index, texts = CaseIndex.of(case, inputs, workers=1), inputs.texts("Q1", "lee")
        plan = plan_validation(case_index, texts)
        score_matrix(case_index, plan, name="warming up")
        taken: list[tuple[float, float]] = []
        for _ in range(1 if quick else TIMES):  # in turns, so that slow moments of the machine hit both
            taken.append(
                (
                    cpu_seconds(lambda: by_matrix(case_index, texts, plan)),
                    cpu_seconds(lambda: without_matrix(case_index, texts, plan)),
                )
            )
        matrix, plain = (min(times) for times in zip(*taken, strict=True))
        whole, scoring = cpu_of_command(case, Path(folder) / "case")
    how = f"Q {Q_TOKENS:,}, K {K_TOKENS:,} tokens, {n_authors} reference authors, generated and masked; CPU, one thread"
    return [
        at_most("a case's matrix ÷ the validation without it", matrix / plain, "×", 1.3, how),
        at_most("a case's whole command ÷ scoring its problems", whole / scoring, "×", 1.7, how),
    ]


def generated_case(folder: Path, n_authors: int) -> Case:
    """A case of generated texts: four texts of each author, one of them as long as Q, and a K of three."""
    tokens = [Q_TOKENS + 60] * (4 * n_authors + 4)
    pieces = cut(generated(round(1.2 * sum(tokens))), tokens)

    def lines(piece: Any) -> str:
        return "\n".join(" ".join(sentence) for sentence in piece) + "\n"

    for number, piece in enumerate(pieces[:4]):
        path = folder / ("q.txt" if number == 0 else f"known/{number}.txt")
        path.parent.mkdir(exist_ok=True)
        path.write_text(lines(piece), encoding="utf-8")
    rows = [
        {"id": f"t{number}", "author": f"a{number // 4:02}", "text": lines(piece)}
        for number, piece in enumerate(pieces[4 : 4 + 4 * n_authors])
    ]
    (folder / "reference.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return Case(
        questioned={"Q1": folder / "q.txt"},
        known={"lee": folder / "known"},
        reference=folder / "reference.jsonl",
        population="generated writers",
        masking="masked",
    )


def by_matrix(case_index: CaseIndex, texts: CaseTexts, plan: ValidationPlan) -> None:
    """Everything that the reference-normalised LR asks for, validated."""
    matrix = score_matrix(case_index, plan, name="matrix")
    matrix.normalised()
    problem = Problem(case_index.part(texts.q), case_index.part(texts.k), case_index.reference())
    (score,) = case_index.score_case(problem)
    around = surroundings(case_index, texts, plan, quick=False)
    assert around is not None
    draws = case_matrices(case_index, texts, score, around, matrix)
    normalise_case(case_index, texts, score, around, draws, controlled=False)


def without_matrix(case_index: CaseIndex, texts: CaseTexts, plan: ValidationPlan) -> None:
    """What a correction asks for: problems with all reference models at once, the case, and others in its place."""
    take, samples = case_index.index.take, plan.draws[0]
    pairs = list(product(samples, repeat=2))[:BEFORE]
    for start in range(0, len(pairs), 64):
        case_index.score(
            [
                Problem(take(b.q), take(a.k), case_index.reference(a.author, b.author), f"{a.author}/{b.author}")
                for b, a in pairs[start : start + 64]
            ]
        )
    problem = Problem(case_index.part(texts.q), case_index.part(texts.k), case_index.reference())
    case_index.score_case(problem)
    surroundings(case_index, texts, plan, quick=True)


def cpu_of_command(case: Case, out: Path) -> tuple[float, float]:
    """CPU seconds of filing the case, and of scoring its problems."""
    scoring = 0.0
    plain = CaseIndex._scores

    def timed(self: CaseIndex, *arguments: Any, **named: Any) -> Any:
        nonlocal scoring
        start = time.process_time()
        result = plain(self, *arguments, **named)
        scoring += time.process_time() - start
        return result

    file_case(case, out, workers=1)  # it also compiles
    CaseIndex._scores = timed  # type: ignore[method-assign]
    try:
        whole = cpu_seconds(lambda: file_case(case, out, workers=1, force=True))
    finally:
        CaseIndex._scores = plain  # type: ignore[method-assign]
    return whole, scoring


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start
