"""How many others score as high: the case's Q and K against every reference author, and K against itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from idiograph.casework.case_index import CaseIndex, ToLLR
from idiograph.casework.comparison_texts import CaseTexts, n_tokens
from idiograph.casework.verification import Anchor, Anchors
from idiograph.casework.wording import percent
from idiograph.errors import ProblemError
from idiograph.grammar.lambdag import Score
from idiograph.grammar.part import Part
from idiograph.grammar.vocabulary import Numbers
from idiograph.progress import progress
from idiograph.studies.drawing import Condition, draw
from idiograph.studies.material import author_rng
from idiograph.texts.problem import Problem

_AT_ONCE = 64  # problems whose references are in memory together
# An author with less than half of the length wanted would be compared on other terms than the case.
_LEAST_SHARE = 0.5


@dataclass(frozen=True)
class _Named:
    """Whom or what an anchor stands for; no problem where the author has too little text, or most of the reference."""

    name: str
    n_tokens: int
    problem: Problem | None


def anchors(case_index: CaseIndex, texts: CaseTexts, score: Score, to_llr: ToLLR) -> Anchors:
    """The case's Q and K against every reference author, and every known text against the rest of K."""
    q, k = case_index.part(texts.q), case_index.part(texts.k)
    own = to_llr(score).nats
    n_authors = len(case_index.authors)
    n_known = len(texts.k) if len(texts.k) > 1 else 0
    with progress(f"Others in place of {texts.name}", total=2 * n_authors + n_known, unit="problems"):
        trace = _anchored(case_index, _trace(case_index, texts, q), to_llr)
        source = _anchored(case_index, _source(case_index, texts, k), to_llr)
        known = _anchored(case_index, _known(case_index, texts), to_llr)
    return Anchors(
        trace=trace,
        source=source,
        known=known,
        how=(
            f"{texts.label} against about {n_tokens(texts.k):,} tokens of each of {len(trace)} of the {n_authors} "
            "reference authors, the others being the reference (trace-anchored).",
            f"About {n_tokens(texts.q):,} tokens of each of {len(source)} of the {n_authors} reference authors against "
            "K, the others being the reference (source-anchored).",
            f"Authors with less than {percent(_LEAST_SHARE)} of that length are left out.",
        ),
        trace_as_high=sum(anchor.nats >= own for anchor in trace),
        source_as_high=sum(anchor.nats >= own for anchor in source),
        known_low=tuple(anchor.name for anchor in known if anchor.nats < 0),
    )


def _trace(case_index: CaseIndex, texts: CaseTexts, q: Part) -> Iterator[_Named]:
    for author in case_index.authors:
        numbers = _sample(case_index, author, n_tokens(texts.k), "k")
        if numbers is None:
            yield _Named(author, 0, None)
        else:
            k = case_index.index.take(numbers)
            problem = _problem(q, k, case_index.reference(author), f"trace/{texts.label}/{author}")
            yield _Named(author, k.n_tokens, problem)


def _source(case_index: CaseIndex, texts: CaseTexts, k: Part) -> Iterator[_Named]:
    for author in case_index.authors:
        numbers = _sample(case_index, author, n_tokens(texts.q), "q")
        if numbers is None:
            yield _Named(author, 0, None)
        else:
            q = case_index.index.take(numbers)
            problem = _problem(q, k, case_index.reference(author), f"source/{texts.candidate}/{author}")
            yield _Named(author, q.n_tokens, problem)


def _problem(q: Part, k: Part, reference: Part, id_: str) -> Problem | None:
    """The problem, or None where it cannot be made."""
    try:
        return Problem(q, k, reference, id_)
    except ProblemError:
        return None


def _sample(case_index: CaseIndex, author: str, tokens: int, side: str) -> Numbers | None:
    """About `tokens` tokens in a row of an author, or all there is if that is at least half."""
    own = case_index.texts_by(author)
    wanted = max(1, tokens - 1)
    condition = Condition(drawing="contiguous", q_tokens=wanted, k_tokens=wanted, q_texts=None, k_texts=None)
    found = draw(case_index.material, own, condition, "k", author_rng(case_index.case.seed, side, author))
    if found is not None:
        return found
    if int(case_index.material.text_tokens[own].sum()) >= _LEAST_SHARE * tokens:
        return case_index.material.sentences(own)
    return None


def _known(case_index: CaseIndex, texts: CaseTexts) -> Iterator[_Named]:
    """Each known text as Q against the rest of K: is K one writer?"""
    reference = case_index.reference()
    for text in texts.k if len(texts.k) > 1 else ():
        rest = tuple(other for other in texts.k if other is not text)
        problem = _problem(
            case_index.part((text,)), case_index.part(rest), reference, f"known/{texts.candidate}/{text.id}"
        )
        yield _Named(text.id, text.n_tokens, problem)


def _anchored(case_index: CaseIndex, named: Iterator[_Named], to_llr: ToLLR) -> tuple[Anchor, ...]:
    found: list[Anchor] = []
    with progress("Others", total=None, unit="problems") as advance:
        while batch := [(one, one.problem) for one in islice(named, _AT_ONCE)]:
            possible = [(one, problem) for one, problem in batch if problem is not None]
            advance(len(batch) - len(possible))
            scores = case_index.score([problem for _, problem in possible])
            for (one, _), score in zip(possible, scores, strict=True):
                found.append(Anchor(one.name, one.n_tokens, score.lambda_g, to_llr(score).nats))
    return tuple(found)
