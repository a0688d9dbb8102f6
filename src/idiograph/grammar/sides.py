"""Q, K and reference of any kind, brought together in one index."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from idiograph.errors import InputError
from idiograph.grammar.contents import common_masking, masked_texts, numbered
from idiograph.grammar.index import Index
from idiograph.grammar.part import Part
from idiograph.grammar.vocabulary import Numbers, Sentences, Tokens, Vocabulary, encoded, token_numbers
from idiograph.texts.text import Corpus, MaskedText

Comparable = Sentences | MaskedText | list[MaskedText] | Corpus[MaskedText] | Part | Index


@dataclass(frozen=True)
class IndexedSides:
    """The three sides as sentences of one index."""

    index: Index
    q: Numbers
    k: Numbers
    reference: Numbers
    masking: str | None


def bring_together(*, q: Comparable, k: Comparable, reference: Comparable, order: int) -> IndexedSides:
    """The sides in the index they are parts of, or else in one made for them, which numbers all n-grams anew."""
    parts = [side.all() if isinstance(side, Index) else side for side in (q, k, reference)]
    first = parts[0]
    if isinstance(first, Part) and all(isinstance(part, Part) and part.index is first.index for part in parts):
        if order > first.index.order:
            raise InputError(
                f"order is {order}, but the index numbers n-grams only up to {first.index.order}. "
                f"Build it with Index(…, order={order})."
            )
        q_numbers, k_numbers, r_numbers = (part.sentence_numbers for part in parts if isinstance(part, Part))
        return IndexedSides(first.index, q_numbers, k_numbers, r_numbers, first.masking)

    vocabulary = _Joint()
    named = zip(("Q", "K", "the reference"), parts, strict=True)
    masking = common_masking((name, _masking_of(side)) for name, side in named)
    encodings = [vocabulary.encode(side) for side in parts]
    lengths = np.concatenate([np.diff(starts) for _, starts in encodings])
    n_sentences = [len(starts) - 1 for _, starts in encodings]
    tokens, starts = (
        np.concatenate([tokens for tokens, _ in encodings]),
        np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
    )
    index = Index(numbered(tokens, starts, tuple(vocabulary), order, masking=masking))
    q_numbers, k_numbers, r_numbers = np.split(index.all().sentence_numbers, np.cumsum(n_sentences, dtype=np.int64)[:2])
    return IndexedSides(index, q_numbers, k_numbers, r_numbers, masking)


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
        texts = masked_texts(side)
        return encoded(side if texts is None else [sentence for text in texts for sentence in text.sentences], self)


def _masking_of(side: Any) -> str | None:
    if isinstance(side, Part):
        return side.masking
    return common_masking((text.id, text.masking) for text in masked_texts(side) or ())
