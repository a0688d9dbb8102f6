"""Problem: a Q, a K and a reference that may be compared. What it lets through is not checked again."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from idiograph.checking import check
from idiograph.errors import ProblemError, some
from idiograph.showing import one_line
from idiograph.texts.text import Corpus, Text


class ProblemSide(Protocol):
    """One side of a comparison: masked texts, or a part of an index over them."""

    @property
    def authors(self) -> tuple[str, ...]: ...
    @property
    def n_sentences(self) -> int: ...
    @property
    def n_tokens(self) -> int: ...
    @property
    def text_ids(self) -> tuple[str, ...]: ...
    def shared_with(self, other: Any, /) -> tuple[str, ...]:
        """The texts of which both sides hold the same sentences."""
        ...


@one_line
@dataclass(frozen=True)
class Problem:
    """A questioned side, a known side and a reference by other authors.

    `q`, `k` and `reference` are masked texts, a corpus of them or parts of an index. `id` names it in results and, with
    the reference seed, decides what is drawn: `corpus/condition/k author/q id`.
    """

    q: ProblemSide
    k: ProblemSide
    reference: ProblemSide
    id: str = ""

    @property
    def in_a_line(self) -> str:
        """Its id and the length of each side."""
        sides = (("Q", self.q), ("K", self.k), ("reference", self.reference))
        sizes = ", ".join(f"{name} {side.n_tokens:,} tokens" for name, side in sides)
        return f"{self.id!r}, {sizes}" if self.id else sizes

    def __post_init__(self) -> None:
        if type(self.id) is not str:  # it nearly always is, and problems are made by the thousand
            check(self.id, str, "The id of a problem")
        for name, side in (("Q", self.q), ("K", self.k), ("The reference", self.reference)):
            _check_side(name, side)
        refuse_impossible_sizes(
            n_q_tokens=self.q.n_tokens, n_k=self.k.n_sentences, n_reference=self.reference.n_sentences
        )
        where = f" (problem {self.id})" if self.id else ""
        for name, first, second in (
            ("Q and K", self.q, self.k),
            ("Q and the reference", self.q, self.reference),
            ("K and the reference", self.k, self.reference),
        ):
            refuse_shared_texts(name, first.shared_with(second), where)
        for name, side in (("K", self.k), ("Q", self.q)):
            refuse_shared_authors(name, side.authors, self.reference.authors, where)


def refuse_shared_texts(sides: str, shared: Sequence[str], where: str = "") -> None:
    """An error for two sides, `sides` in words, that share texts."""
    if shared:
        raise ProblemError(
            f"{sides} share text{where}: {some(shared)}. A text compared with itself proves nothing; "
            "remove it from one of the two."
        )


def refuse_shared_authors(side: str, authors: Sequence[str], reference: Sequence[str], where: str = "") -> None:
    """An error for a side whose authors are in the reference."""
    both = sorted(set(authors) & set(reference))
    if both:
        raise ProblemError(
            f"{side} and the reference share an author{where}: {some(both)}. The reference stands for "
            f"other writers; remove {both[0]} from it."
        )


def refuse_impossible_sizes(*, n_q_tokens: int, n_k: int, n_reference: int) -> None:
    """An error for an empty Q, K or reference, or a reference from which K's length cannot be drawn."""
    if n_q_tokens == 0:
        raise ProblemError("Q has no token, so there is nothing to score. Check the questioned text and its masking.")
    if n_k == 0:
        raise ProblemError("K has no sentence, so no model of the candidate can be made. Add known writings.")
    if n_reference == 0:
        raise ProblemError("The reference has no sentence, so nothing can be compared with K. Add reference texts.")
    if n_reference < n_k:
        raise ProblemError(
            f"The reference has {n_reference:,} sentences and K has {n_k:,}. Each reference model is as long as K, "
            "so add reference texts or shorten K."
        )


def problem_seed(reference_seed: int, problem_id: str) -> tuple[int, int]:
    """The seed of one problem of many: neither its place in the list nor the number of workers enters."""
    return reference_seed, zlib.crc32(problem_id.encode())


def _check_side(name: str, side: Any) -> None:
    """Refuses what is not masked and what has no texts with ids and authors, such as a list of tokens."""
    for text in side.texts if isinstance(side, Corpus) else (side,):
        if isinstance(text, Text):
            raise ProblemError(
                f"{name} has the text {text.id}, which is not masked. Mask it first: idiograph.mask(text)."
            )
    # Of the type: to ask the side itself would list the texts of a whole reference.
    if isinstance(side, type) or not all(
        hasattr(type(side), member) for member in ("authors", "n_sentences", "n_tokens", "text_ids", "shared_with")
    ):
        raise ProblemError(
            f"{name} is a {type(side).__name__}, and a problem needs masked texts: a MaskedText, a Corpus of them, "
            "or part of an Index. Lists of tokens can be compared with idiograph.score(q=…, k=…, reference=…)."
        )
