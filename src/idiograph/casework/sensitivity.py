"""What the number rests on: the same comparison with one thing changed at a time, without words of the scale."""

import math
from collections.abc import Mapping

from idiograph.arithmetic import sd
from idiograph.casework.case_index import CaseIndex, ToLLR
from idiograph.casework.comparison_texts import CaseTexts
from idiograph.casework.verification import Alternative, Sensitivity
from idiograph.casework.wording import ratio
from idiograph.evidence.llr import LLR
from idiograph.evidence.methods import METHODS
from idiograph.grammar.lambdag import Score
from idiograph.texts.problem import Problem

SEEDS = 10
ORDERS = (2, 3, 5, 8)
REPETITIONS = (10, 100)


def sensitivity(
    case_index: CaseIndex, texts: CaseTexts, problem: Problem, score: Score, llrs: Mapping[str, LLR], to_llr: ToLLR
) -> Sensitivity:
    """Each correction, each known text left out, other seeds, other N and r."""
    case = case_index.case
    rows = [Alternative("correction", method, score.lambda_g, llr.nats) for method, llr in llrs.items()]
    if len(texts.k) > 1:
        fewer = []
        for text in texts.k:
            rest = case_index.part(tuple(other for other in texts.k if other is not text))
            fewer.append(Problem(problem.q, rest, problem.reference, problem.id))
        for text, one in zip(texts.k, case_index.score_case(*fewer), strict=True):
            rows.append(Alternative("known_text", text.id, one.lambda_g, to_llr(one).nats))
    seeds = range(case.seed + 1, case.seed + 1 + SEEDS)
    reseeded = case_index.score_case(*[problem] * SEEDS, seeds=seeds)
    for seed, one in zip(seeds, reseeded, strict=True):
        rows.append(Alternative("seed", str(seed), one.lambda_g, to_llr(one).nats))
    for order in ORDERS:
        # The index numbers n-grams up to the case's order.
        if order < case.order:
            one = case_index.score_case(problem, order=order)[0]
            rows.append(Alternative("order", str(order), one.lambda_g, to_llr(one).nats))
    for repetitions in REPETITIONS:
        if repetitions != case.repetitions:
            one = case_index.score_case(problem, repetitions=repetitions)[0]
            rows.append(Alternative("repetitions", str(repetitions), one.lambda_g, to_llr(one).nats))
    models = score.reference_totals
    spread = sd(models) if len(models) > 1 else 0.0
    return Sensitivity(
        alternatives=tuple(rows),
        spread=spread,
        standard_error=spread / math.sqrt(len(models)),
        seed_spread=sd([score.lambda_g, *(one.lambda_g for one in reseeded)]),
        sentence=_disagreement(llrs),
    )


def _disagreement(llrs: Mapping[str, LLR]) -> str:
    least = min(llrs.values(), key=lambda llr: llr.nats)
    most = max(llrs.values(), key=lambda llr: llr.nats)
    too = " and the calibration" if any(METHODS[key].learn for key in llrs) else ""
    said = f"The corrections{too} give LRs from {ratio(least)} ({least.how}) to {ratio(most)} ({most.how})"
    if least.nats < 0 < most.nats:
        return f"{said}: they do not agree on which proposition the findings support."
    return f"{said}: they agree on the direction."
