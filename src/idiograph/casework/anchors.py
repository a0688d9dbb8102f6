"""How many others score as high: the case's Q and K against every reference author, and K against itself."""

from idiograph.casework.case_index import CaseIndex
from idiograph.casework.comparison_texts import CaseTexts
from idiograph.casework.primary import Primary
from idiograph.casework.verification import Anchor, Anchors
from idiograph.errors import ProblemError
from idiograph.evidence.llr import LLR
from idiograph.grammar.lambdag import Score
from idiograph.progress import progress
from idiograph.texts.problem import Problem

_BY_HAPAX = "A known text and the rest of K have other lengths than the case, so they are compared by Hapax."


def anchors(case_index: CaseIndex, texts: CaseTexts, score: Score, primary: Primary) -> Anchors:
    """The case's Q and K against every reference author, and every known text against the rest of K."""
    own = primary.llr(score).nats
    trace, source = _around(case_index, primary)
    known = _known(case_index, texts, primary)
    how = [
        f"{texts.label} against the K of each of {len(trace)} of the {len(case_index.authors)} reference authors, the "
        "others being the reference (trace-anchored).",
        f"The Q of each of {len(source)} of the {len(case_index.authors)} reference authors against K, the others "
        "being the reference (source-anchored).",
        "Their Qs and Ks are those of the validation problems.",
    ]
    if primary.normalised is not None and known:
        how.append(_BY_HAPAX)
    return Anchors(
        trace=trace,
        source=source,
        known=known,
        how=tuple(how),
        trace_as_high=sum(anchor.nats >= own for anchor in trace),
        source_as_high=sum(anchor.nats >= own for anchor in source),
        known_low=tuple(anchor.name for anchor in known if anchor.nats < 0),
    )


def _around(case_index: CaseIndex, primary: Primary) -> tuple[tuple[Anchor, ...], tuple[Anchor, ...]]:
    """Every reference author in place of K, and in place of Q."""
    around = primary.around
    if around is None or not primary.knows_others:
        return (), ()
    samples, take = around.samples[0], case_index.index.take

    def anchored(lengths: list[int], scores: tuple[Score, ...], llrs: list[LLR]) -> tuple[Anchor, ...]:
        rows = zip(around.authors, lengths, scores, llrs, strict=True)
        return tuple(Anchor(author, n, score.lambda_g, llr.nats) for author, n, score, llr in rows)

    return (
        anchored([take(one.k).n_tokens for one in samples], around.trace[0], primary.trace()),
        anchored([take(one.q).n_tokens for one in samples], around.source[0], primary.source()),
    )


def _known(case_index: CaseIndex, texts: CaseTexts, primary: Primary) -> tuple[Anchor, ...]:
    """Each known text as Q against the rest of K: is K one writer?"""
    if len(texts.k) < 2:
        return ()
    reference = case_index.reference()
    problems = []
    for text in texts.k:
        rest = tuple(other for other in texts.k if other is not text)
        id_ = f"known/{texts.candidate}/{text.id}"
        try:
            problems.append((text, Problem(case_index.part((text,)), case_index.part(rest), reference, id_)))
        except ProblemError:
            continue
    with progress(f"Known texts of {texts.candidate}", total=len(problems), unit="problems"):
        scores = case_index.score([problem for _, problem in problems])
    return tuple(
        Anchor(text.id, text.n_tokens, score.lambda_g, primary.plain(score).nats)
        for (text, _), score in zip(problems, scores, strict=True)
    )
