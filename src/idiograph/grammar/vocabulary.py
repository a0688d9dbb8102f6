"""Tokens as numbers: sentences checked and encoded, and the arrays that hold them.

What an index holds, and how it is made: sentences as numbers, and every n-gram among them numbered.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from idiograph.checking import shown
from idiograph.errors import InputError, ProblemError
from idiograph.grammar.stream import MAX_TYPES, MAX_WORDS
from idiograph.texts.text import Corpus, MaskedText, Text

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
            problem = f"The token {shown(token)} contains a blank" if token else "A token is empty"
            raise InputError(f"{problem}. Tokens are separated by blanks, so split it or remove it.")


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
    taken: Tokens = tokens[token_places(starts, numbers)]
    return taken


def token_places(starts: Numbers, numbers: Numbers) -> Numbers:
    """Where the tokens of some sentences stand."""
    lengths = starts[numbers + 1] - starts[numbers]
    ends = np.cumsum(lengths, dtype=np.int64)
    places: Numbers = np.repeat(starts[numbers] - ends + lengths, lengths) + np.arange(int(lengths.sum()))
    return places


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


@dataclass(frozen=True, eq=False, repr=False)
class IndexContents:
    """The sentences of a corpus with every n-gram up to `order` numbered. It depends on the texts alone."""

    tokens: Tokens  # numbers of types, from 1, sentence after sentence
    starts: Numbers  # of each sentence among the tokens, and the end
    stream: Words  # see stream.py
    places: Numbers  # of each sentence in the stream, and the end
    n_ids: int  # numbers given to n-grams
    order: int
    types: tuple[str, ...]
    sentence_text: Tokens  # the number of each sentence's text
    text_names: tuple[str, ...] | None  # None: plain sentences, which have no name
    text_authors: tuple[str | None, ...]
    masking: str | None
    path: Path | None = None  # the file that the arrays are mapped from


def contents_of(source: object, order: int) -> IndexContents:
    """The contents of plain sentences, of masked texts or of a corpus; texts come in (author, id) order."""
    texts, vocabulary = masked_texts(source), Vocabulary()
    if texts is None:
        tokens, starts = encoded(source, vocabulary)
        return numbered(tokens, starts, tuple(vocabulary), order)
    masking = common_masking((text.id, text.masking) for text in texts)
    tokens, starts = encoded([sentence for text in texts for sentence in text.sentences], vocabulary)
    return numbered(
        tokens,
        starts,
        tuple(vocabulary),
        order,
        sentence_text=np.repeat(np.arange(len(texts), dtype=np.int32), [len(text.sentences) for text in texts]),
        text_names=tuple(text.id for text in texts),
        text_authors=tuple(text.author for text in texts),
        masking=masking,
    )


def numbered(
    tokens: Tokens,
    starts: Numbers,
    types: tuple[str, ...],
    order: int,
    *,
    sentence_text: Tokens | None = None,
    text_names: tuple[str, ...] | None = None,
    text_authors: tuple[str | None, ...] = (None,),
    masking: str | None = None,
) -> IndexContents:
    """The contents of sentences whose tokens are numbers already; without more, they are one text without a name."""
    # Imported late: Numba takes half a second, and most commands need no index.
    from idiograph.compiling import run
    from idiograph.grammar.numbering import number_n_grams

    if len(types) > MAX_TYPES:
        raise InputError(
            f"The corpus has {len(types):,} different tokens, and an index holds at most {MAX_TYPES:,}. Mask the "
            "texts, or index fewer of them."
        )
    if (len(tokens) + len(starts)) * order > MAX_WORDS:
        raise InputError(
            f"The corpus has {len(tokens):,} tokens, and an index of order {order} holds about "
            f"{MAX_WORDS // order:,}. Index its parts one by one."
        )
    if sentence_text is None:
        sentence_text = np.zeros(len(starts) - 1, np.int32)
    tokens, starts = frozen(tokens), frozen(starts)
    stream, places, n_ids = run(number_n_grams, tokens, starts, len(types) + 1, order)
    arrays = frozen(stream), frozen(places)
    return IndexContents(
        tokens, starts, *arrays, n_ids, order, types, frozen(sentence_text), text_names, text_authors, masking
    )


def masked_texts(source: object) -> tuple[MaskedText, ...] | None:
    """The masked texts in (author, id) order, if it is texts; an error if they are not masked."""
    if isinstance(source, Text | MaskedText):
        source = (source,)
    texts = source.texts if isinstance(source, Corpus) else source
    if not isinstance(texts, list | tuple) or not any(isinstance(text, Text | MaskedText) for text in texts):
        return () if isinstance(source, Corpus) else None
    for text in texts:
        if isinstance(text, Text):
            raise InputError(f"The text {text.id} is not masked. Mask it before it is scored.")
    return Corpus(tuple(texts)).sorted().texts


def common_masking(maskings: Iterable[tuple[str, str | None]]) -> str | None:
    """How the texts (name, masking) were masked, where that is known; two ways cannot be compared."""
    names: dict[str, str] = {}
    for name, masking in maskings:
        if masking is not None:
            names.setdefault(masking, name)
    if len(names) > 1:
        ways = ", ".join(f"{name} by {masking}" for masking, name in list(names.items())[:3])
        raise ProblemError(
            f"Texts are masked in different ways: {ways}. Their tokens cannot be compared; mask all texts alike."
        )
    return next(iter(names), None)
