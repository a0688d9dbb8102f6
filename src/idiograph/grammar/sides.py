"""Q, K and reference of any kind, brought together in one index, and refused where they share authors or text.

Leaks: a Q that stands in K, or a Q or K that stands in the reference. Texts are compared by their tokens, whatever they
are called; what `Problem` refuses is refused here too.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from idiograph.errors import InputError
from idiograph.grammar.index import Index, Part
from idiograph.grammar.vocabulary import (
    Numbers,
    Sentences,
    Tokens,
    Vocabulary,
    common_masking,
    encoded,
    masked_texts,
    numbered,
    token_numbers,
    token_places,
)
from idiograph.texts.problem import Problem, refuse_shared_authors, refuse_shared_texts
from idiograph.texts.repeats import Held
from idiograph.texts.text import Corpus, MaskedText, Sentence

Comparable = Sentences | MaskedText | list[MaskedText] | Corpus[MaskedText] | Part | Index


@dataclass(frozen=True)
class IndexedSides:
    """The three sides as sentences of one index, and as they were given."""

    index: Index
    q: Numbers
    k: Numbers
    reference: Numbers
    masking: str | None
    given: tuple[Any, ...]  # Q, K and the reference; a whole index as the part that it is


def bring_together(*, q: Comparable, k: Comparable, reference: Comparable, order: int) -> IndexedSides:
    """The sides in the index they are parts of, or else in one made for them, which numbers all n-grams anew."""
    sides = tuple(side.all() if isinstance(side, Index) else side for side in (q, k, reference))
    first = sides[0]
    if isinstance(first, Part) and all(isinstance(side, Part) and side.index is first.index for side in sides):
        if order > first.index.order:
            raise InputError(
                f"order is {order}, but the index numbers n-grams only up to {first.index.order}. "
                f"Build it with Index(…, order={order})."
            )
        q_numbers, k_numbers, r_numbers = (side.sentence_numbers for side in sides if isinstance(side, Part))
        return IndexedSides(first.index, q_numbers, k_numbers, r_numbers, first.masking, sides)

    vocabulary = _Joint()
    named = zip(("Q", "K", "the reference"), sides, strict=True)
    masking = common_masking((name, _masking_of(side)) for name, side in named)
    encodings = [vocabulary.encode(side) for side in sides]
    tokens = np.concatenate([of_side for of_side, _ in encodings])
    lengths = np.concatenate([np.diff(starts) for _, starts in encodings])
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    index = Index(numbered(tokens, starts, tuple(vocabulary), order, masking=masking))
    ends = np.cumsum([len(of_side) - 1 for _, of_side in encodings], dtype=np.int64)
    q_numbers, k_numbers, r_numbers = np.split(index.all().sentence_numbers, ends[:2])
    return IndexedSides(index, q_numbers, k_numbers, r_numbers, masking, sides)


def side_sentences(side: Any) -> tuple[Sentence, ...]:
    """The sentences of masked texts, in the order in which they are scored, or of a part of an index."""
    if isinstance(side, Part | Index):
        return (side.all() if isinstance(side, Index) else side).sentences
    return tuple(sentence for text in masked_texts(side) or () for sentence in text.sentences)


class _Joint(Vocabulary):
    """A vocabulary that also takes sentences that are already numbered."""

    def encode(self, side: Any) -> tuple[Tokens, Numbers]:
        """Token numbers of all sentences in a row, and where each starts."""
        if isinstance(side, Part):
            index = side.index
            tokens = token_numbers(index.tokens, index.starts, side.sentence_numbers)
            lengths = index.sentence_lengths[side.sentence_numbers]
            present = np.unique(tokens)
            translation = np.zeros(len(index.types) + 1, np.int32)
            translation[present] = [self[index.types[number - 1]] for number in present]
            return translation[tokens], np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        return encoded(side if masked_texts(side) is None else side_sentences(side), self)


def _masking_of(side: Any) -> str | None:
    if isinstance(side, Part):
        return side.masking
    return common_masking((text.id, text.masking) for text in masked_texts(side) or ())


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

    @cached_property
    def held(self) -> Held:
        places = token_places(self.index.starts, self.numbers)
        if isinstance(self.given, Part):
            held = self.given.held
            return Held(places, held.names, held.n_tokens)
        texts = masked_texts(self.given)
        if texts is None:
            return Held(places, ("",), (len(places),))
        return Held(places, tuple(text.id for text in texts), tuple(text.n_tokens for text in texts))


def refuse_leaks(sides: IndexedSides) -> None:
    """Refuses sides that share texts or authors; of sentences that carry no name a shared text is a warning."""
    index, numbers = sides.index, (sides.q, sides.k, sides.reference)
    of_q, of_k, others = (
        _Side(name, side, index, sentences)
        for name, side, sentences in zip(("Q", "K", "the reference"), sides.given, numbers, strict=True)
    )
    for side in (of_k, of_q):
        refuse_shared_authors(side.name, side.authors, others.authors)
    pairs = ((of_q, of_k), (of_q, others), (of_k, others))
    if all(side.is_in_its_index for side in (of_q, of_k, others)):
        for first, second in pairs:
            refuse_shared_texts(f"{first.name} and {second.name}", first.given.shared_with(second.given))
        if not may_be_copied(index, sides.q, sides.k):
            return
    for first, second in pairs:
        copied = index.repeats.copied(first.held, second.held)
        if second is of_k and not copied:  # K may be a copy of what is in Q, too
            first, second = of_k, of_q
            copied = index.repeats.copied(first.held, second.held)
        if copied and (first.is_plain or second.is_plain):
            warnings.warn(
                f"{first.name} and {second.name} share text: {int(100 * copied[0].share)} % of the tokens of "
                f"{copied[0].text or first.name} also occur in {copied[0].other or second.name}, in long runs. A text "
                "compared with itself proves nothing; take it out of one of the two.",
                stacklevel=3,
            )
        else:
            refuse_shared_texts(f"{first.name} and {second.name}", [copy.words for copy in copied])


def may_be_copied(index: Index, q: Numbers, k: Numbers) -> bool:
    """Whether Q or K has any long run of tokens that the index has twice; nearly always not."""
    return bool(index.sentence_repeats[q].any() or index.sentence_repeats[k].any())


def refuse_copies_in(index: Index, problem: Problem) -> None:
    """Refuses a problem of parts of an index of which a text is a copy of one on another side."""
    parts: list[Any] = [problem.q, problem.k, problem.reference]
    if all(isinstance(part, Part) and part.index is index for part in parts):
        sides = bring_together(q=parts[0], k=parts[1], reference=parts[2], order=1)
        if may_be_copied(index, sides.q, sides.k):
            refuse_leaks(sides)
