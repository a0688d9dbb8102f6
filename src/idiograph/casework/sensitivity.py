"""What the number rests on: the same comparison with one thing changed at a time, without words of the scale."""

import math
from collections.abc import Mapping, Sequence

from idiograph.arithmetic import sd
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.comparison_texts import CaseTexts
from idiograph.casework.left_out_texts import LeftOutTexts
from idiograph.casework.primary import Primary
from idiograph.casework.verification import Alternative, Changed, Sensitivity
from idiograph.casework.wording import ratio
from idiograph.evidence.llr import LLR
from idiograph.evidence.methods import short_name
from idiograph.grammar.lambdag import Score
from idiograph.progress import progress
from idiograph.texts.problem import Problem

SEEDS = 10
ORDERS = (2, 3, 5, 8)
REPETITIONS = (10, 100)


def sensitivity(
    case_index: CaseIndex,
    texts: CaseTexts,
    problem: Problem,
    score: Score,
    llrs: Mapping[str, LLR],
    primary: Primary,
    left_out: Sequence[LeftOutTexts],
) -> Sensitivity:
    """Each correction, each known text left out, other seeds, other N and r.

    Another N changes the scores of everybody, so it is not tried where the case is measured by its reference.
    """
    case = case_index.case
    seeds = range(case.seed + 1, case.seed + 1 + SEEDS)
    # The index numbers n-grams up to the case's order.
    orders = [order for order in ORDERS if order < case.order and primary.normalised is None]
    repetitions = [r for r in REPETITIONS if r != case.repetitions]
    total = len(seeds) + len(orders) + len(repetitions)
    with progress(f"Sensitivity of {texts.name}", total=total, unit="problems"):
        scored: list[tuple[Changed, str, Score]] = [
            *(
                ("seed", str(seed), one)
                for seed, one in zip(seeds, case_index.score_case(*[problem] * SEEDS, seeds=seeds), strict=True)
            ),
            *(("order", str(order), case_index.score_case(problem, order=order)[0]) for order in orders),
            *(("repetitions", str(r), case_index.score_case(problem, repetitions=r)[0]) for r in repetitions),
        ]
    spread = sd(score.reference_totals) if len(score.reference_totals) > 1 else 0.0
    return Sensitivity(
        alternatives=(
            *(Alternative("correction", method, score.lambda_g, llr.nats) for method, llr in llrs.items()),
            *(Alternative("known_text", one.label, one.score.lambda_g, one.llr.nats) for one in left_out),
            *(Alternative(kind, label, one.lambda_g, primary.llr(one).nats) for kind, label, one in scored),
        ),
        spread=spread,
        standard_error=spread / math.sqrt(len(score.reference_totals)),
        seed_spread=sd([score.lambda_g, *(one.lambda_g for kind, _, one in scored if kind == "seed")]),
        sentence=_disagreement(llrs),
    )


def _disagreement(llrs: Mapping[str, LLR]) -> str:
    least = min(llrs.values(), key=lambda llr: llr.nats)
    most = max(llrs.values(), key=lambda llr: llr.nats)
    said = f"The methods give LRs from {ratio(least)} ({short_name(least.how)}) to {ratio(most)} "
    said += f"({short_name(most.how)})"
    if least.nats < 0 < most.nats:
        return f"{said}: they do not agree on which proposition the findings support."
    return f"{said}: they agree on the direction."
