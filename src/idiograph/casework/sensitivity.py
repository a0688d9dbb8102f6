"""What the number rests on: the same comparison with one thing changed at a time, without words of the scale."""

import math
from collections.abc import Iterator, Mapping

from idiograph.arithmetic import sd
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.comparison_texts import CaseTexts
from idiograph.casework.normalising import source_scores
from idiograph.casework.primary import Primary
from idiograph.casework.verification import Alternative, Changed, Sensitivity
from idiograph.casework.wording import ratio
from idiograph.errors import some
from idiograph.evidence.llr import LLR
from idiograph.evidence.methods import METHODS, short_name
from idiograph.grammar.lambdag import Score
from idiograph.grammar.part import Part
from idiograph.progress import progress
from idiograph.texts.problem import Problem

SEEDS = 10
ORDERS = (2, 3, 5, 8)
REPETITIONS = (10, 100)
MOST_LEFT_OUT = 20  # times that known texts are left out


def sensitivity(
    case_index: CaseIndex, texts: CaseTexts, problem: Problem, score: Score, llrs: Mapping[str, LLR], primary: Primary
) -> Sensitivity:
    """Each correction, each known text left out, other seeds, other N and r.

    Another N changes the scores of everybody, so it is not tried where the case is measured by its reference.
    """
    case = case_index.case
    seeds = range(case.seed + 1, case.seed + 1 + SEEDS)
    # The index numbers n-grams up to the case's order.
    orders = [order for order in ORDERS if order < case.order and primary.normalised is None]
    repetitions = [r for r in REPETITIONS if r != case.repetitions]
    fewer = list(_fewer(case_index, texts, problem))
    around = 0 if primary.normalised is None else len(primary.normalised.around.authors)
    total = len(fewer) * (1 + around) + len(seeds) + len(orders) + len(repetitions)
    with progress(f"Sensitivity of {texts.name}", total=total, unit="problems"):
        scored: list[tuple[Changed, str, Score]] = [
            *(
                ("seed", str(seed), one)
                for seed, one in zip(seeds, case_index.score_case(*[problem] * SEEDS, seeds=seeds), strict=True)
            ),
            *(("order", str(order), case_index.score_case(problem, order=order)[0]) for order in orders),
            *(("repetitions", str(r), case_index.score_case(problem, repetitions=r)[0]) for r in repetitions),
        ]
        without = list(_without_texts(case_index, texts, fewer, primary))
    spread = sd(score.reference_totals) if len(score.reference_totals) > 1 else 0.0
    return Sensitivity(
        alternatives=(
            *(Alternative("correction", method, score.lambda_g, llr.nats) for method, llr in llrs.items()),
            *without,
            *(Alternative(kind, label, one.lambda_g, primary.llr(one).nats) for kind, label, one in scored),
        ),
        spread=spread,
        standard_error=spread / math.sqrt(len(score.reference_totals)),
        seed_spread=sd([score.lambda_g, *(one.lambda_g for kind, _, one in scored if kind == "seed")]),
        sentence=_disagreement(llrs),
    )


def _fewer(case_index: CaseIndex, texts: CaseTexts, problem: Problem) -> Iterator[tuple[str, Problem]]:
    """The case without each known text in turn; without several at a time where they are many."""
    k = texts.k if len(texts.k) > 1 else ()
    size = -(-len(k) // MOST_LEFT_OUT)
    for start in range(0, len(k), size or 1):
        out = k[start : start + size]
        rest = tuple(text for text in k if text not in out)
        yield some([text.id for text in out]), Problem(problem.q, case_index.part(rest), problem.reference)


def _without_texts(
    case_index: CaseIndex, texts: CaseTexts, fewer: list[tuple[str, Problem]], primary: Primary
) -> Iterator[Alternative]:
    scores = case_index.score_case(*(problem for _, problem in fewer))
    for (label, problem), score in zip(fewer, scores, strict=True):
        source: tuple[Score, ...] = ()
        assert isinstance(problem.k, Part)
        if primary.normalised is not None:
            name = f"without/{texts.label}/{texts.candidate}/{label}"
            source = source_scores(case_index, problem.k, primary.normalised.around.samples[0], name)
        yield Alternative("known_text", label, score.lambda_g, primary.with_known(problem.k, score, source).nats)


def _disagreement(llrs: Mapping[str, LLR]) -> str:
    least = min(llrs.values(), key=lambda llr: llr.nats)
    most = max(llrs.values(), key=lambda llr: llr.nats)
    too = " and the calibration" if any(METHODS[key].values is None for key in llrs) else ""
    said = f"The corrections{too} give LRs from {ratio(least)} ({short_name(least.how)}) to {ratio(most)} "
    said += f"({short_name(most.how)})"
    if least.nats < 0 < most.nats:
        return f"{said}: they do not agree on which proposition the findings support."
    return f"{said}: they agree on the direction."
