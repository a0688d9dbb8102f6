"""Who of the reference can take part in the validation, on which terms, and why the others cannot.

Everyone who has the text takes part, on the strictest terms that their texts meet: as many texts in Q and in K as the
case has, else as many as it takes; the lengths of the case, else up to a tenth less.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from idiograph.casework.verification import AuthorReason
from idiograph.errors import counted, some
from idiograph.grammar.vocabulary import Numbers
from idiograph.studies.drawing import Condition, divide, draw
from idiograph.studies.material import Material, author_rng

# Lengths that are tried, as shares of the case's; the last is the least that is accepted.
LENGTHS = (1.0, 0.95, 0.9)
# Orders of an author's texts that are tried where the first cannot be divided into a Q and a K.
_ORDERS = 50
_SHOWN = 5


@dataclass(frozen=True)
class Sample:
    """One author's Q and K, and the terms on which they were drawn."""

    author: str
    q: Numbers
    k: Numbers
    terms: Condition


def draw_sample(
    material: Material, author: str, texts: Numbers, condition: Condition, *, one_text: bool = False, seed: int
) -> Sample | None:
    """An author's Q and K on the strictest terms that these texts meet; None where they meet none."""
    for terms in _terms(condition):
        if one_text:
            found = _of_one_text(material, texts, terms)
        elif len(texts) > 1 and int(material.text_tokens[texts].sum()) >= _needed(terms):
            found = _of_several(material, author, texts, terms, seed)
        else:
            found = None
        if found is not None:
            return Sample(author, *found, terms)
    return None


def why_not(
    material: Material, texts: Numbers, condition: Condition, *, one_text: bool = False, n_copies: int = 0
) -> str:
    """Why an author of whom nothing could be drawn cannot take part; `n_copies` texts were kept out beforehand."""
    lengths = material.text_tokens[texts]
    least = [_least(tokens) for tokens in (condition.q_tokens, condition.k_tokens)]
    takes = f"Q and K take at least {sum(least):,} ({least[0]:,} and {least[1]:,})"
    besides = f" (besides {n_copies} that repeat{'s' if n_copies == 1 else ''} another)" if n_copies else ""
    if one_text:
        return f"the longest text has {counted(int(lengths.max(initial=0)), 'token')}, and {takes}"
    if len(texts) < 2:
        return f"only one text{besides}, and Q and K must come from different texts"
    held = f"{counted(int(lengths.sum()), 'token')} in {len(texts)} texts{besides}"
    if int(lengths.sum()) < sum(least):
        return f"{held}, and {takes}"
    across = condition.across
    if across is not None:
        named = set(material.values(across, texts)) - {None}
        if len(named) < 2:
            which = f"are of one {across}" if named else f"name no {across}"
            return f"all texts {which}, and Q and K must differ in it"
    other = f" of another {across}" if across else ""
    return f"{held} that cannot be divided into {least[0]:,} for Q and {least[1]:,} in other texts{other} for K"


def relaxed_terms(
    samples: Sequence[Sample], condition: Condition, *, q_texts: int, k_texts: int
) -> tuple[tuple[AuthorReason, ...], tuple[str, ...]]:
    """Every author whose Q or K is not made as the condition says, with what differs; and the same in sentences."""
    n_authors = len({sample.author for sample in samples})
    said = {
        f"as many texts as it takes, not {q_texts} for Q and {k_texts} for K as in the case": [
            one.author for one in samples if (one.terms.q_texts, one.terms.k_texts) != (q_texts, k_texts)
        ],
        "lengths that fall short by up to a tenth": [
            one.author for one in samples if one.terms.q_tokens != condition.q_tokens
        ],
    }
    notes, sentences = [], []
    for what, among in said.items():
        authors = sorted(set(among))
        notes += [AuthorReason(author, what) for author in authors]
        if authors:
            who = "all" if len(authors) == n_authors else f"{len(authors)} of the {n_authors}"
            named = "" if len(authors) == n_authors else f" ({some(authors, _SHOWN)})"
            sentences.append(f"The validation problems of {who} authors{named} have {what}.")
    return tuple(notes), tuple(sentences)


def _terms(condition: Condition) -> Iterator[Condition]:
    """The condition, and what an author may fall back on, strictest first."""
    loose = replace(condition, q_texts=None, k_texts=None)
    if condition != loose:
        yield condition
    for share in LENGTHS:
        yield replace(loose, q_tokens=_shorter(condition.q_tokens, share), k_tokens=_shorter(condition.k_tokens, share))


def _shorter(tokens: int | None, share: float) -> int:
    """The tokens that a side passes with its last sentence, so that it has at least this share of its length."""
    assert tokens is not None, "sentences are drawn in a row"
    return max(1, -int(-share * (tokens + 1) // 1) - 1)


def _least(tokens: int | None) -> int:
    return _shorter(tokens, LENGTHS[-1]) + 1


def _needed(terms: Condition) -> int:
    return (terms.q_tokens or 0) + (terms.k_tokens or 0) + 2


def _of_several(
    material: Material, author: str, texts: Numbers, terms: Condition, seed: int
) -> tuple[Numbers, Numbers] | None:
    """Q and K from different texts; several orders of the texts are tried, since a division may hide in any."""
    for order in range(_ORDERS):
        name = "divide" if order == 0 else f"divide {order}"
        divided = divide(material, texts, terms, author_rng(seed, name, author))
        if divided is not None:
            q = draw(material, divided[0], terms, "q", author_rng(seed, "q", author))
            k = draw(material, divided[1], terms, "k", author_rng(seed, "k", author))
            return None if q is None or k is None else (q, k)
    return None


def _of_one_text(material: Material, texts: Numbers, terms: Condition) -> tuple[Numbers, Numbers] | None:
    """Q from the start and K from the end of the longest text."""
    text = max(texts.tolist(), key=lambda number: (material.text_tokens[number], -number))
    first, last = int(material.starts[text]), int(material.starts[text + 1])
    before = material.tokens_before
    q_end = int(np.searchsorted(before, before[first] + (terms.q_tokens or 1), side="right"))
    k_start = int(np.searchsorted(before, before[last] - (terms.k_tokens or 1), side="left")) - 1
    if q_end > last or k_start < q_end:
        return None
    return np.arange(first, q_end), np.arange(k_start, last)


def draw_samples(
    material: Material, texts_by: Mapping[str, Numbers], condition: Condition, *, one_text: bool = False, seed: int
) -> tuple[Sample, ...]:
    """The samples of everyone who can take part, by author."""
    drawn = (
        draw_sample(material, author, texts_by[author], condition, one_text=one_text, seed=seed)
        for author in sorted(texts_by)
    )
    return tuple(sample for sample in drawn if sample is not None)
