"""Q, K and reference of any kind, brought to the token numbers of one index."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from idiograph.errors import InputError, ProblemError
from idiograph.grammar.index import (
    Index,
    Numbers,
    Part,
    Sentences,
    Tokens,
    Vocabulary,
    encoded,
    frozen,
    refuse_odd_sentences,
)
from idiograph.texts.text import Corpus, MaskedText, Text

Side = Sentences | MaskedText | Corpus[MaskedText] | Part | Index


@dataclass(frozen=True)
class NumberedSide:
    """Sentences as the kernels take them: token numbers in a row, where each sentence starts, which ones are meant."""

    tokens: Tokens
    starts: Numbers
    numbers: Numbers
    masking: str | None


class Extension(Vocabulary):
    """The vocabulary of an index, going on with the tokens that the index does not have."""

    def __init__(self, index: Index) -> None:
        super().__init__()
        self.index = index
        self.size = len(index.types)

    def __missing__(self, token: object) -> int:
        number = self.index.vocabulary.get(token) if isinstance(token, str) else None
        if number is None:
            self.check(token)
            self.size += 1
            number = self.size
        self[token] = number  # type: ignore[index]
        return number


def part_of(reference: Side) -> Part:
    """The reference as a part of an index, which is built if there is none."""
    if isinstance(reference, Part):
        return reference
    if isinstance(reference, Index):
        return reference.all()
    refuse_unmasked(reference)
    return Index(reference).all()


def numbered(side: Side, vocabulary: Extension) -> NumberedSide:
    """The side's sentences in the vocabulary's numbers."""
    if isinstance(side, Index):
        side = side.all()
    if isinstance(side, Part) and side.index is vocabulary.index:
        return NumberedSide(side.index.tokens, side.index.starts, side.sentence_numbers, side.masking)
    refuse_unmasked(side)
    masking = None
    sentences: Any = side
    if isinstance(side, Part | MaskedText):
        sentences, masking = side.sentences, side.masking
    elif isinstance(side, Corpus):
        return numbered(Index(side), vocabulary)
    else:
        refuse_odd_sentences(side)
    tokens, starts = encoded(sentences, vocabulary)
    return NumberedSide(frozen(tokens), frozen(starts), frozen(np.arange(len(starts) - 1)), masking)


def common_masking(**sides: str | None) -> str | None:
    """How the texts were masked where that is known; two ways cannot be compared."""
    known = {name: masking for name, masking in sides.items() if masking is not None}
    if len(set(known.values())) > 1:
        found = ", ".join(f"{name} by {masking}" for name, masking in known.items())
        raise ProblemError(
            f"Texts are masked in different ways: {found}. Their tokens cannot be compared; mask all texts alike."
        )
    return next(iter(known.values()), None)


def refuse_unmasked(side: object) -> None:
    """An error in words for a text that was not masked."""
    text = side.texts[0] if isinstance(side, Corpus) and side.texts else side
    if isinstance(text, Text):
        raise InputError(f"The text {text.id} is not masked. Mask it before it is scored.")
