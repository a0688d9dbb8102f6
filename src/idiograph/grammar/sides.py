"""Q, K and reference of any kind, brought together in one index."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from idiograph.errors import InputError
from idiograph.grammar.index import Index, common_masking
from idiograph.grammar.part import Part
from idiograph.grammar.vocabulary import (
    Numbers,
    Sentences,
    Tokens,
    Vocabulary,
    encoded,
    refuse_odd_sentences,
    token_numbers,
)
from idiograph.texts.text import Corpus, MaskedText, Text

Side = Sentences | MaskedText | Corpus[MaskedText] | Part | Index


@dataclass(frozen=True)
class Sides:
    """The three sides as sentences of one index."""

    index: Index
    q: Numbers
    k: Numbers
    reference: Numbers
    masking: str | None


def bring_together(*, q: Side, k: Side, reference: Side, order: int) -> Sides:
    """The sides in the index they are parts of, or else in one made for them, which numbers all n-grams anew."""
    parts = [side.all() if isinstance(side, Index) else side for side in (q, k, reference)]
    first = parts[0]
    if isinstance(first, Part) and all(isinstance(part, Part) and part.index is first.index for part in parts):
        if order > first.index.order:
            raise InputError(
                f"order is {order}, and the index numbers n-grams up to {first.index.order}. "
                f"Build it with Index(…, order={order})."
            )
        q_numbers, k_numbers, r_numbers = (part.sentence_numbers for part in parts if isinstance(part, Part))
        return Sides(first.index, q_numbers, k_numbers, r_numbers, first.masking)

    vocabulary = _Joint()
    named = zip(("Q", "K", "the reference"), parts, strict=True)
    masking = common_masking((name, _masking_of(side)) for name, side in named)
    encodings = [vocabulary.encode(side) for side in parts]
    lengths = np.concatenate([np.diff(starts) for _, starts in encodings])
    n_sentences = [len(starts) - 1 for _, starts in encodings]
    index = Index.of_tokens(
        tokens=np.concatenate([tokens for tokens, _ in encodings]),
        starts=np.concatenate([[0], np.cumsum(lengths)]),
        types=tuple(vocabulary),
        order=order,
        masking=masking,
    )
    q_numbers, k_numbers, r_numbers = np.split(index.all().sentence_numbers, np.cumsum(n_sentences)[:2])
    return Sides(index, q_numbers, k_numbers, r_numbers, masking)


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
            return translation[tokens], np.concatenate([[0], np.cumsum(lengths)])
        if isinstance(side, Corpus):
            return encoded([sentence for text in side.sorted() for sentence in text.sentences], self)
        if isinstance(side, MaskedText):
            return encoded(side.sentences, self)
        refuse_odd_sentences(side)
        return encoded(side, self)


def _masking_of(side: Any) -> str | None:
    if isinstance(side, Part):
        return side.masking
    texts = side.texts if isinstance(side, Corpus) else (side,)
    for text in texts:
        if isinstance(text, Text):
            raise InputError(f"The text {text.id} is not masked. Mask it before it is scored.")
    return common_masking((text.id, text.masking) for text in texts if isinstance(text, MaskedText))
