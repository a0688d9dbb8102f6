"""Tokens as numbers: sentences checked and encoded, and the arrays that hold them."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from idiograph.errors import InputError

Numbers = npt.NDArray[np.int64]
Tokens = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint32]
Sentences = Sequence[Sequence[str]]


class Vocabulary(dict[str, int]):
    """Token → number, from 1 in order of appearance (0 is the sentence end); a new token is checked and numbered."""

    def __missing__(self, token: object) -> int:
        self.check(token)
        number = len(self) + 1
        self[token] = number  # type: ignore[index]
        return number

    @staticmethod
    def check(token: object) -> None:
        """An error in words for a token that is no string, is empty or holds a blank."""
        if not isinstance(token, str):
            raise InputError(
                f"A token is {token!r} ({type(token).__name__}) instead of a string. "
                "Give each sentence as a list of strings."
            )
        if token.split() != [token]:
            found = f"The token {token!r} contains a blank" if token else "A token is empty"
            raise InputError(f"{found}. Tokens are separated by blanks, so split or remove it.")


def encoded(sentences: Sentences, vocabulary: Vocabulary) -> tuple[Tokens, Numbers]:
    """Token numbers of all sentences in a row, and where each sentence starts (with the end as last entry)."""
    starts = np.zeros(len(sentences) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, sentences), np.int64, len(sentences)), out=starts[1:])
    tokens = chain.from_iterable(sentences)
    try:
        numbers = np.fromiter(map(vocabulary.__getitem__, tokens), np.int32, int(starts[-1]))
    except TypeError:
        odd = next(token for sentence in sentences for token in sentence if not isinstance(token, str))
        vocabulary.check(odd)
        raise
    return numbers, starts


def token_numbers(tokens: Tokens, starts: Numbers, numbers: Numbers) -> Tokens:
    """The tokens of some sentences in a row."""
    lengths = starts[numbers + 1] - starts[numbers]
    ends = np.cumsum(lengths)
    found: Tokens = tokens[np.repeat(starts[numbers] - ends + lengths, lengths) + np.arange(lengths.sum())]
    return found


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, contiguous and read-only; the kernels are compiled for such arrays alone."""
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array


def refuse_odd_sentences(sentences: object) -> None:
    """An error in words for anything but a list of token lists."""
    if isinstance(sentences, str) or not isinstance(sentences, Sequence):
        raise InputError(
            f"Sentences came as {type(sentences).__name__} instead of a list of token lists. "
            "Split the text into sentences and each sentence into tokens."
        )
    for number, sentence in enumerate(sentences):
        if not isinstance(sentence, list | tuple):
            raise InputError(
                f"Sentence {number} is {_shown(sentence)} ({type(sentence).__name__}) instead of a list of tokens. "
                "Split each sentence into its tokens."
            )


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "…"
