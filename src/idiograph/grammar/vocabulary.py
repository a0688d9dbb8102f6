"""Tokens as numbers: sentences checked and encoded, and the arrays that hold them."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from idiograph.errors import InputError
from idiograph.settings.setting import shown

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
        """Refuses a token that is not a string, is empty or contains a blank."""
        if not isinstance(token, str):
            raise InputError(f"A token must be a string, not {shown(token)}. Give each sentence as a list of strings.")
        if token.split() != [token]:
            found = f"The token {shown(token)} contains a blank" if token else "A token is empty"
            raise InputError(f"{found}. Tokens are separated by blanks, so split it or remove it.")


def encoded(sentences: object, vocabulary: Vocabulary) -> tuple[Tokens, Numbers]:
    """Token numbers of all sentences in a row, and where each sentence starts (with the end as last entry)."""
    sentences = sentence_list(sentences)
    starts = np.zeros(len(sentences) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, sentences), np.int64, len(sentences)), dtype=np.int64, out=starts[1:])
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
    ends = np.cumsum(lengths, dtype=np.int64)
    found: Tokens = tokens[np.repeat(starts[numbers] - ends + lengths, lengths) + np.arange(int(lengths.sum()))]
    return found


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, contiguous and read-only; the kernels are compiled for such arrays alone."""
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array


def sentence_list(sentences: object) -> Sentences:
    """The sentences, if they are a list of token lists; anything else is an error that says how to give them."""
    if isinstance(sentences, str) or not isinstance(sentences, Sequence):
        raise InputError(
            f"Sentences must be a list of token lists, not {shown(sentences)}. Split the text into sentences and each "
            "sentence into tokens, and keep their order."
        )
    for number, sentence in enumerate(sentences):
        if not isinstance(sentence, list | tuple):
            raise InputError(
                f"Sentence {number} must be a list of tokens, not {shown(sentence)}. Split it into its tokens."
            )
    return sentences
