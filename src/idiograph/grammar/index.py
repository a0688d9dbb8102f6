"""Index: the sentences of a corpus with every n-gram numbered once, and the parts of it that problems are made of."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from idiograph.errors import InputError, ProblemError
from idiograph.grammar.part import Part
from idiograph.grammar.settings import LambdaGSettings
from idiograph.grammar.stream import MAX_TYPES, MAX_WORDS
from idiograph.grammar.vocabulary import (
    Numbers,
    Sentences,
    Tokens,
    Vocabulary,
    Words,
    encoded,
    frozen,
    refuse_odd_sentences,
)
from idiograph.texts.text import Corpus, MaskedText, Sentence

_CONTENTS = (
    "tokens", "starts", "stream", "places", "n_ids", "order", "types", "sentence_text", "text_authors", "masking"
)  # fmt: skip


@dataclass
class Workspace:
    """What one worker marks while it scores: the types and n-grams of Q, and the model that met each last."""

    types: Words
    marks: Words
    model: int = 0


class Index:
    """The sentences of a corpus with every n-gram up to `order` numbered: it serves every problem, sample and seed.

    It depends on the texts alone. Texts of a corpus are put in (author, id) order, so that files in another order
    change no draw.
    """

    tokens: Tokens  # numbers from 1, sentence after sentence
    starts: Numbers  # of each sentence among the tokens, and the end
    stream: Words  # see stream.py
    places: Numbers  # of each sentence in the stream, and the end
    n_ids: int
    order: int
    types: tuple[str, ...]
    text_authors: tuple[str | None, ...]
    sentence_text: Tokens  # the number of each sentence's text
    masking: str | None

    def __init__(self, source: "Sentences | Corpus[MaskedText] | MaskedText", *, order: int = 10) -> None:
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
        self._number(
            tokens=tokens,
            starts=starts,
            order=LambdaGSettings(order=order).order,
            types=tuple(vocabulary),
            sentence_text=np.repeat(np.arange(len(n_sentences), dtype=np.int32), n_sentences),
            text_ids=None if texts is None else tuple(text.id for text in texts),
            text_authors=(None,) if texts is None else tuple(text.author for text in texts),
            masking=None if texts is None else common_masking((text.id, text.masking) for text in texts),
        )

    @classmethod
    def of_tokens(
        cls, *, tokens: Tokens, starts: Numbers, types: tuple[str, ...], order: int, masking: str | None
    ) -> "Index":
        """An index over sentences that are numbered already."""
        index = cls.__new__(cls)
        index._number(
            tokens=tokens,
            starts=starts,
            types=types,
            order=order,
            sentence_text=np.zeros(len(starts) - 1, np.int32),
            text_ids=None,
            text_authors=(None,),
            masking=masking,
        )
        return index

    @classmethod
    def _of(cls, contents: dict[str, Any]) -> "Index":
        index = cls.__new__(cls)
        index._fill(**contents)
        return index

    def _number(self, *, tokens: Tokens, starts: Numbers, types: tuple[str, ...], order: int, **rest: Any) -> None:
        # Imported late: Numba takes half a second, and most commands need no index.
        from idiograph.compiling import run
        from idiograph.grammar.numbering import number_n_grams

        if len(types) > MAX_TYPES:
            raise InputError(
                f"The corpus has {len(types):,} different tokens, and an index holds {MAX_TYPES:,}. Mask the texts "
                "or index fewer of them."
            )
        if (len(tokens) + len(starts)) * order > MAX_WORDS:
            raise InputError(
                f"The corpus has {len(tokens):,} tokens, and an index of order {order} holds about "
                f"{MAX_WORDS // order:,}. Index its parts one by one."
            )
        tokens, starts = frozen(tokens), frozen(starts)
        stream, places, n_ids = run(number_n_grams, tokens, starts, len(types) + 1, order)
        self._fill(
            tokens=tokens, starts=starts, stream=stream, places=places, n_ids=n_ids, order=order, types=types, **rest
        )

    def _fill(
        self,
        *,
        tokens: Tokens,
        starts: Numbers,
        stream: Words,
        places: Numbers,
        n_ids: int,
        order: int,
        types: tuple[str, ...],
        sentence_text: Tokens,
        text_ids: tuple[str, ...] | None,
        text_authors: tuple[str | None, ...],
        masking: str | None,
        path: Path | None = None,
    ) -> None:
        self.tokens = frozen(tokens)
        self.starts = frozen(starts)
        self.stream = frozen(stream)
        self.places = frozen(places)
        self.n_ids = n_ids
        self.order = order
        self.types = types
        self.sentence_text = frozen(sentence_text)
        self._text_ids = text_ids
        self.text_authors = text_authors
        self.masking = masking
        self._path = path
        self._spare: list[Workspace] = []

    def __reduce__(self) -> Any:
        # Another process opens the same file, if there is one, instead of copying it.
        if self._path is not None:
            return Index.open, (self._path,)
        contents = {name: value for name, value in vars(self).items() if name in _CONTENTS}
        return Index._of, ({**contents, "text_ids": self._text_ids},)

    @contextmanager
    def workspace(self) -> Iterator[Workspace]:
        """Arrays to work in, of which there are as many as workers at one time; after an error they are given up."""
        try:
            space = self._spare.pop()
        except IndexError:
            space = Workspace(np.zeros(len(self.types) + 1, np.uint32), np.zeros(self.n_ids + 1, np.uint32))
        yield space
        self._spare.append(space)

    @cached_property
    def text_ids(self) -> tuple[str, ...]:
        """The ids of the texts; of plain sentences, which have no name, one made of their content."""
        return self._text_ids if self._text_ids is not None else (f"sentences-{self._digest_of(())[:12]}",)

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
    def authors(self) -> tuple[str, ...]:
        """The known authors, sorted."""
        return tuple(sorted({author for author in self.text_authors if author is not None}))

    @cached_property
    def sentence_author(self) -> Tokens:
        """The place of each sentence's author among the authors; −1 where there is none."""
        places = {author: place for place, author in enumerate(self.authors)}
        of_texts = np.array([-1 if author is None else places[author] for author in self.text_authors], np.int32)
        return frozen(of_texts[self.sentence_text])

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Token → number."""
        return Vocabulary(zip(self.types, range(1, len(self.types) + 1), strict=True))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the sentences, their tokens, and whose they are."""
        return self._digest_of(self._text_ids or ())

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

    def all(self) -> Part:
        """Every sentence."""
        return Part(self, np.arange(self.n_sentences))

    def by(self, *authors: str) -> Part:
        """The sentences of these authors."""
        return self._of_texts([author in authors for author in self.text_authors])

    def excluding(self, *authors: str) -> Part:
        """The sentences of everybody else."""
        return self._of_texts([author not in authors for author in self.text_authors])

    def text(self, id_: str) -> Part:
        """The sentences of one text."""
        return self.texts(id_)

    def texts(self, *ids: str) -> Part:
        """The sentences of these texts."""
        missing = sorted(set(ids) - set(self.text_ids))
        if missing:
            raise InputError(
                f"There is no text with the id {missing[0]}. The index has {len(self.text_ids)} texts; "
                "check the spelling."
            )
        return self._of_texts([id_ in ids for id_ in self.text_ids])

    def take(self, sentence_numbers: Iterable[int] | Numbers) -> Part:
        """The sentences with these numbers, in the order given."""
        numbers = np.array(sentence_numbers if isinstance(sentence_numbers, np.ndarray) else list(sentence_numbers))
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

    def _of_texts(self, chosen: list[bool]) -> Part:
        return Part(self, np.flatnonzero(np.array(chosen, bool)[self.sentence_text]))

    def save(self, path: Path | str) -> None:
        """Writes the index to one file, whole or not at all."""
        from idiograph.grammar.index_file import save

        save(self, Path(path))

    @classmethod
    def open(cls, path: Path | str) -> "Index":
        """The index in a file, memory-mapped: many processes share one copy. A stale or damaged file is refused."""
        from idiograph.grammar.index_file import read

        return cls._of(read(Path(path)))


def _texts_of(source: object) -> "tuple[MaskedText, ...] | None":
    if isinstance(source, MaskedText):
        return (source,)
    if isinstance(source, Corpus):
        for text in source.texts:
            if not isinstance(text, MaskedText):
                raise InputError(f"The text {text.id} is not masked. Mask the corpus before it is scored.")
        return source.sorted().texts
    return None


def common_masking(maskings: "Iterable[tuple[str, str | None]]") -> str | None:
    """How the texts (name, masking) were masked, where that is known; two ways cannot be compared."""
    names: dict[str, str] = {}
    for name, masking in maskings:
        if masking is not None:
            names.setdefault(masking, name)
    if len(names) > 1:
        found = ", ".join(f"{name} by {masking}" for masking, name in list(names.items())[:3])
        raise ProblemError(
            f"Texts are masked in different ways: {found}. Their tokens cannot be compared; mask all texts alike."
        )
    return next(iter(names), None)
