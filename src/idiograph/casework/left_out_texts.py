"""The case without each of its known texts in turn, scored: what the value rests on, and how far it moves."""

from collections.abc import Iterator
from dataclasses import dataclass

from idiograph.casework.case_index import CaseIndex
from idiograph.casework.comparison_texts import CaseTexts
from idiograph.casework.normalising import source_scores
from idiograph.casework.primary import Primary
from idiograph.errors import ProblemError, some
from idiograph.evidence.llr import LLR
from idiograph.grammar.lambdag import Score
from idiograph.grammar.part import Part
from idiograph.progress import progress
from idiograph.texts.problem import Problem

MOST_LEFT_OUT = 20  # times that known texts are left out


@dataclass(frozen=True, eq=False)
class LeftOutTexts:
    """The case without one known text, or without several at a time where they are many."""

    label: str
    k: Part  # what is left of K
    score: Score
    source: tuple[Score, ...]  # the reference authors' Qs (of the first draw) with it, which only the matrix asks for
    llr: LLR  # by the primary method


def without_texts(case_index: CaseIndex, texts: CaseTexts, problem: Problem, primary: Primary) -> list[LeftOutTexts]:
    """The case without each known text, by the primary method; none where K is a single text."""
    fewer = list(_fewer(case_index, texts, problem))
    around = primary.normalised.around if primary.normalised else None
    total = len(fewer) * (1 + (len(around.authors) if around else 0))
    found = []
    with progress(f"{texts.name} without each known text", total=total, unit="problems"):
        scores = case_index.score_case(*(one for _, _, one in fewer))
        for (label, k, _), score in zip(fewer, scores, strict=True):
            source: tuple[Score, ...] = ()
            if around is not None:
                name = f"without/{texts.label}/{texts.candidate}/{label}"
                source = source_scores(case_index, k, around.samples[0], name)
            found.append(LeftOutTexts(label, k, score, source, primary.with_known(k, score, source)))
    return found


def _fewer(case_index: CaseIndex, texts: CaseTexts, problem: Problem) -> Iterator[tuple[str, Part, Problem]]:
    known = texts.k if len(texts.k) > 1 else ()
    size = -(-len(known) // MOST_LEFT_OUT)
    for start in range(0, len(known), size or 1):
        out = known[start : start + size]
        rest = tuple(text for text in known if text not in out)
        if rest:
            k = case_index.part(rest)
            try:
                yield some([text.id for text in out]), k, Problem(problem.q, k, problem.reference)
            except ProblemError:
                continue  # what is left has no sentence
