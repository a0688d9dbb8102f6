"""Leaks: a Q that stands in K, or a Q or K that stands in the reference, once all of them are sentences of one index.

Texts are compared by their tokens, whatever they are called; what `Problem` refuses is refused here too.
"""

import warnings
from dataclasses import dataclass
from typing import Any

from idiograph.grammar.index import Comparable, Index, IndexedSides, Part
from idiograph.grammar.vocabulary import Numbers, masked_texts, token_places
from idiograph.texts.problem import Problem, refuse_shared_authors, refuse_shared_texts
from idiograph.texts.repeats import Held


@dataclass(frozen=True, eq=False)
class _Side:
    """A side as it was given, and its sentences in the index that it was brought to."""

    name: str
    given: Any
    index: Index
    numbers: Numbers

    @property
    def is_in_its_index(self) -> bool:
        return isinstance(self.given, Part) and self.given.index is self.index

    @property
    def is_plain(self) -> bool:
        """Whether it is sentences without a text that they come from."""
        if isinstance(self.given, Part):
            return self.given.index.text_names is None
        return masked_texts(self.given) is None

    @property
    def authors(self) -> tuple[str, ...]:
        if isinstance(self.given, Part):
            return self.given.authors
        return tuple({text.author for text in masked_texts(self.given) or () if text.author is not None})

    @property
    def held(self) -> Held:
        places = token_places(self.index.starts, self.numbers)
        if isinstance(self.given, Part):
            held = self.given.held
            return Held(places, held.names, held.n_tokens)
        texts = masked_texts(self.given)
        if texts is None:
            return Held(places, ("",), (len(places),))
        return Held(places, tuple(text.id for text in texts), tuple(text.n_tokens for text in texts))


def refuse_leaks(*, q: Comparable, k: Comparable, reference: Comparable, sides: IndexedSides) -> None:
    """Refuses sides that share texts or authors; of sentences that carry no name a shared text is a warning."""
    given = [side.all() if isinstance(side, Index) else side for side in (q, k, reference)]
    numbers = (sides.q, sides.k, sides.reference)
    of_q, of_k, others = (
        _Side(name, side, sides.index, sentences)
        for name, side, sentences in zip(("Q", "K", "the reference"), given, numbers, strict=True)
    )
    for side in (of_k, of_q):
        refuse_shared_authors(side.name, side.authors, others.authors)
    pairs = ((of_q, of_k), (of_q, others), (of_k, others))
    in_one = all(side.is_in_its_index for side in (of_q, of_k, others))
    if in_one:
        for first, second in pairs:
            refuse_shared_texts(f"{first.name} and {second.name}", first.given.shared_with(second.given))
    if in_one and not may_be_copied(sides.index, sides.q, sides.k):
        return
    for first, second in pairs:
        _refuse_copies(first, second, either_way=second is of_k)


def may_be_copied(index: Index, q: Numbers, k: Numbers) -> bool:
    """Whether Q or K has any long run of tokens that the index has twice; nearly always not."""
    return bool(index.sentence_repeats[q].any() or index.sentence_repeats[k].any())


def refuse_copies_in(index: Index, problem: Problem) -> None:
    """Refuses a problem of parts of an index of which a text is a copy of one on another side."""
    parts: list[Any] = [problem.q, problem.k, problem.reference]
    if all(isinstance(part, Part) and part.index is index for part in parts):
        q, k, reference = (part.sentence_numbers for part in parts)
        if may_be_copied(index, q, k):
            sides = IndexedSides(index, q, k, reference, index.masking)
            refuse_leaks(q=parts[0], k=parts[1], reference=parts[2], sides=sides)


def _refuse_copies(first: _Side, second: _Side, *, either_way: bool) -> None:
    repeats, mine, theirs = first.index.repeats, first.held, second.held
    copied = repeats.copied(mine, theirs)
    if either_way and not copied:
        copied, first, second = repeats.copied(theirs, mine), second, first
    if copied and (first.is_plain or second.is_plain):
        warnings.warn(
            f"{first.name} and {second.name} share text: {int(100 * copied[0].share)} % of the tokens of "
            f"{copied[0].text or first.name} also stand in {copied[0].other or second.name}, in long runs. A text "
            "compared with itself proves nothing; take it out of one of the two.",
            stacklevel=4,
        )
    else:
        refuse_shared_texts(f"{first.name} and {second.name}", [copy.words for copy in copied])
