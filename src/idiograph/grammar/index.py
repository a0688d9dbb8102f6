"""Index: the sentences of a corpus with every token numbered once, and the parts of it that problems are made of."""

import hashlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from idiograph.errors import InputError, ProblemError
from idiograph.texts.text import Corpus, MaskedText, Sentence, shared_ids

Numbers = npt.NDArray[np.int64]
Tokens = npt.NDArray[np.int32]
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


class Index:
    """The sentences of a corpus, their tokens numbered: made once, it serves every problem, sample, seed and order.

    It depends on the texts alone. Texts of a corpus are put in (author, id) order, so that files in another order
    change no draw.
    """

    tokens: Tokens
    starts: Numbers
    types: tuple[str, ...]
    text_ids: tuple[str, ...]
    text_authors: tuple[str | None, ...]
    sentence_text: Tokens
    masking: str | None

    def __init__(self, source: "Sentences | Corpus[MaskedText] | MaskedText") -> None:
        texts = _texts_of(source)
        if texts is None:
            sentences: Sentences = source  # type: ignore[assignment]
            refuse_odd_sentences(sentences)
            n_sentences = [len(sentences)]
        else:
            sentences = [sentence for text in texts for sentence in text.sentences]
            n_sentences = [len(text.sentences) for text in texts]
        vocabulary = Vocabulary()
        tokens, starts = encoded(sentences, vocabulary)
        self._fill(
            tokens=tokens,
            starts=starts,
            types=tuple(vocabulary),
            sentence_text=np.repeat(np.arange(len(n_sentences), dtype=np.int32), n_sentences),
            text_ids=() if texts is None else tuple(text.id for text in texts),
            text_authors=(None,) if texts is None else tuple(text.author for text in texts),
            masking=None if texts is None else _one_masking(texts),
        )

    def _fill(
        self,
        *,
        tokens: Tokens,
        starts: Numbers,
        types: tuple[str, ...],
        sentence_text: Tokens,
        text_ids: tuple[str, ...],
        text_authors: tuple[str | None, ...],
        masking: str | None,
    ) -> None:
        self.tokens = frozen(tokens)
        self.starts = frozen(starts)
        self.sentence_text = frozen(sentence_text)
        self.types = types
        self.text_authors = text_authors
        self.masking = masking
        # Plain sentences have no name, so their content is it: two such indexes share a text only if it is the same.
        self.text_ids = text_ids or (f"sentences-{self._digest_of(('',))[:12]}",)

    @property
    def n_sentences(self) -> int:
        return len(self.starts) - 1

    @property
    def n_tokens(self) -> int:
        return len(self.tokens)

    @cached_property
    def sentence_lengths(self) -> Tokens:
        """Tokens of each sentence."""
        return frozen(np.diff(self.starts).astype(np.int32))

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Token → number."""
        return Vocabulary(zip(self.types, range(1, len(self.types) + 1), strict=True))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the sentences, their tokens, and whose they are."""
        return self._digest_of(self.text_ids)

    def _digest_of(self, text_ids: tuple[str, ...]) -> str:
        hashed = hashlib.sha256()
        for part in (self.tokens, self.starts, self.sentence_text):
            hashed.update(part.astype(part.dtype.newbyteorder("<"), copy=False).data)
        for words in (self.types, text_ids, self.text_authors, (self.masking,)):
            hashed.update(repr(words).encode())
        return hashed.hexdigest()

    def tokens_of(self, sentence_number: int) -> Sentence:
        """The tokens of one sentence."""
        numbers = self.tokens[self.starts[sentence_number] : self.starts[sentence_number + 1]]
        return tuple(self.types[number - 1] for number in numbers)

    def all(self) -> "Part":
        """Every sentence."""
        return Part(self, np.arange(self.n_sentences))

    def by(self, *authors: str) -> "Part":
        """The sentences of these authors."""
        return self._of_texts([author in authors for author in self.text_authors])

    def excluding(self, *authors: str) -> "Part":
        """The sentences of everybody else."""
        return self._of_texts([author not in authors for author in self.text_authors])

    def text(self, id_: str) -> "Part":
        """The sentences of one text."""
        return self.texts(id_)

    def texts(self, *ids: str) -> "Part":
        """The sentences of these texts."""
        missing = sorted(set(ids) - set(self.text_ids))
        if missing:
            raise InputError(
                f"There is no text with the id {missing[0]}. The index has {len(self.text_ids)} texts; "
                "check the spelling."
            )
        return self._of_texts([id_ in ids for id_ in self.text_ids])

    def take(self, sentence_numbers: Iterable[int] | Numbers) -> "Part":
        """The sentences with these numbers, in the order given."""
        numbers = np.asarray(sentence_numbers if isinstance(sentence_numbers, np.ndarray) else list(sentence_numbers))
        if numbers.size == 0:
            numbers = numbers.astype(np.int64)
        if numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer):
            raise InputError(
                f"Sentences are taken by a list of whole numbers, and {numbers.dtype} of shape {numbers.shape} came. "
                "Give their numbers, from 0."
            )
        if len(numbers) and not 0 <= numbers.min() <= numbers.max() < self.n_sentences:
            wrong = numbers.min() if numbers.min() < 0 else numbers.max()
            raise InputError(
                f"There is no sentence {wrong}: the index has {self.n_sentences:,}, numbered from 0. "
                "Give numbers in that range."
            )
        return Part(self, numbers)

    def _of_texts(self, chosen: list[bool]) -> "Part":
        return Part(self, np.flatnonzero(np.array(chosen, bool)[self.sentence_text]))

    def save(self, path: Path | str) -> None:
        """Writes the index to one file, whole or not at all."""
        from idiograph.grammar.index_file import save

        save(self, Path(path))

    @classmethod
    def open(cls, path: Path | str) -> "Index":
        """The index in a file, memory-mapped: many processes share one copy. A stale or damaged file is refused."""
        from idiograph.grammar.index_file import read

        index = cls.__new__(cls)
        index._fill(**read(Path(path)))
        return index


class Part:
    """Some sentences of an index, usable as Q, K or reference."""

    def __init__(self, index: Index, sentence_numbers: npt.NDArray[Any]) -> None:
        self.index = index
        self.sentence_numbers: Numbers = frozen(sentence_numbers.astype(np.int64, copy=False).view())

    @property
    def n_sentences(self) -> int:
        return len(self.sentence_numbers)

    @cached_property
    def n_tokens(self) -> int:
        """Tokens, sentence ends not counted."""
        return int(self.index.sentence_lengths[self.sentence_numbers].sum())

    @cached_property
    def n_hapaxes(self) -> int:
        """Types that occur exactly once."""
        return n_hapaxes(token_numbers(self.index.tokens, self.index.starts, self.sentence_numbers))

    @cached_property
    def text_ids(self) -> tuple[str, ...]:
        """The ids of the texts that the sentences come from, in the index's order."""
        return tuple(self.index.text_ids[number] for number in self._text_numbers)

    @cached_property
    def authors(self) -> tuple[str, ...]:
        """The known authors, sorted."""
        authors = {self.index.text_authors[number] for number in self._text_numbers}
        return tuple(sorted(author for author in authors if author is not None))

    @property
    def masking(self) -> str | None:
        return self.index.masking

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences as tokens."""
        return tuple(self.index.tokens_of(int(number)) for number in self.sentence_numbers)

    def shared_with(self, other: Any) -> tuple[str, ...]:
        """Ids of the texts of which both sides hold the same sentences; of another corpus, of which both hold any."""
        if isinstance(other, Part) and other.index is self.index:
            mine = np.zeros(self.index.n_sentences, bool)
            mine[self.sentence_numbers] = True
            both = other.sentence_numbers[mine[other.sentence_numbers]]
            return tuple(self.index.text_ids[number] for number in np.unique(self.index.sentence_text[both]))
        return shared_ids(self.text_ids, other.text_ids)

    @cached_property
    def _text_numbers(self) -> list[int]:
        present = np.zeros(len(self.index.text_ids), bool)
        present[self.index.sentence_text[self.sentence_numbers]] = True
        numbers: list[int] = np.flatnonzero(present).tolist()
        return numbers

    def __repr__(self) -> str:
        return f"Part({self.n_sentences} of {self.index.n_sentences} sentences)"


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, contiguous and read-only; the kernels are compiled for such arrays alone."""
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array


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
    if len(numbers) == 0:
        return tokens[:0]
    return np.concatenate([tokens[starts[number] : starts[number + 1]] for number in numbers])


def n_hapaxes(tokens: Tokens) -> int:
    """How many numbers occur exactly once."""
    return int(np.count_nonzero(np.unique(tokens, return_counts=True)[1] == 1))


def _texts_of(source: object) -> "tuple[MaskedText, ...] | None":
    if isinstance(source, MaskedText):
        return (source,)
    if isinstance(source, Corpus):
        for text in source.texts:
            if not isinstance(text, MaskedText):
                raise InputError(f"The text {text.id} is not masked. Mask the corpus before it is scored.")
        return source.sorted().texts
    return None


def _one_masking(texts: tuple[MaskedText, ...]) -> str | None:
    maskings = {text.masking: text.id for text in texts}
    if len(maskings) > 1:
        (one, its), (other, others), *_ = maskings.items()
        raise ProblemError(
            f"Texts are masked in different ways: {its} by {one}, {others} by {other}. "
            "Their tokens cannot be compared; mask all texts alike."
        )
    return next(iter(maskings), None)


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
