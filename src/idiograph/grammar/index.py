"""Index: the sentences of a corpus with every n-gram numbered once, and the parts of it that problems are made of."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from idiograph.checks import whole_number
from idiograph.errors import InputError, nearest
from idiograph.files import as_path
from idiograph.grammar import index_file
from idiograph.grammar.contents import IndexContents, contents_of
from idiograph.grammar.part import Part
from idiograph.grammar.settings import LambdaGSettings
from idiograph.grammar.stream import MAX_WORDS
from idiograph.grammar.vocabulary import Numbers, Sentences, Tokens, Vocabulary, Words, frozen
from idiograph.settings.setting import shown
from idiograph.texts.text import Corpus, MaskedText, Sentence


@dataclass
class Workspace:
    """What one worker marks while it scores: the types and n-grams of Q, and the model that met each last."""

    types: Words
    marks: Words
    model: int = 0


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Index(IndexContents):
    """The sentences of a corpus with every n-gram up to `order` numbered: it serves every problem, sample and seed.

    Texts of a corpus are put in (author, id) order, so that files in another order change no draw.
    """

    def __init__(
        self, source: Sentences | Corpus[MaskedText] | list[MaskedText] | MaskedText | IndexContents, *, order: int = 10
    ) -> None:
        order = LambdaGSettings(order=order).order
        contents = source if isinstance(source, IndexContents) else contents_of(source, order)
        for field in fields(IndexContents):
            object.__setattr__(self, field.name, getattr(contents, field.name))

    def __reduce__(self) -> Any:
        # Another process opens the same file, if there is one, instead of copying it.
        if self.path is not None:
            return Index.open, (self.path,)
        return Index, (IndexContents(*(getattr(self, field.name) for field in fields(IndexContents))),)

    def __repr__(self) -> str:
        return f"Index({self.n_sentences:,} sentences, {self.n_tokens:,} tokens, order {self.order})"

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
    def _spare(self) -> list[Workspace]:
        return []

    @cached_property
    def text_ids(self) -> tuple[str, ...]:
        """The ids of the texts; of plain sentences, which have no name, one made of their content."""
        return self.text_names if self.text_names is not None else (f"sentences-{self.digest[:12]}",)

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
        hashed = hashlib.sha256()
        for part in (self.tokens, self.starts, self.sentence_text):
            hashed.update(part.astype(part.dtype.newbyteorder("<"), copy=False).data)
        for words in (self.types, self.text_names or (), self.text_authors, (self.masking,)):
            hashed.update(repr(words).encode())
        return hashed.hexdigest()

    def tokens_of(self, sentence_number: int) -> Sentence:
        """The tokens of one sentence."""
        sentence_number = whole_number(sentence_number, "The number of a sentence", least=0, most=self.n_sentences - 1)
        numbers = self.tokens[self.starts[sentence_number] : self.starts[sentence_number + 1]]
        return tuple(self.types[number - 1] for number in numbers)

    def all(self) -> Part:
        """Every sentence."""
        return Part(self, np.arange(self.n_sentences))

    def by(self, *authors: str) -> Part:
        """The sentences of these authors."""
        _refuse_unknown(authors, self.authors, "author")
        return self._of_texts([author in authors for author in self.text_authors])

    def excluding(self, *authors: str) -> Part:
        """The sentences of everybody else."""
        _refuse_odd_names(authors, "author")
        return self._of_texts([author not in authors for author in self.text_authors])

    def text(self, id_: str) -> Part:
        """The sentences of one text."""
        return self.texts(id_)

    def texts(self, *ids: str) -> Part:
        """The sentences of these texts."""
        _refuse_unknown(ids, self.text_ids, "text")
        return self._of_texts([id_ in ids for id_ in self.text_ids])

    def take(self, sentence_numbers: Iterable[int] | Numbers) -> Part:
        """The sentences with these numbers, in the order given."""
        numbers = _array(sentence_numbers)
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
        index_file.save(self, self.text_ids, as_path(path, "The file of the index"))

    @classmethod
    def open(cls, path: Path | str) -> "Index":
        """The index in a file, memory-mapped: many processes share one copy. A stale or damaged file is refused."""
        return cls(index_file.read(as_path(path, "The file of the index")))


def _array(numbers: object) -> Numbers:
    """Sentence numbers as an array of their own; a set has no order, so it is refused like anything but a list."""
    if isinstance(numbers, np.ndarray) and numbers.ndim == 1 and np.issubdtype(numbers.dtype, np.integer):
        return numbers.astype(np.int64)
    if isinstance(numbers, Iterable) and not isinstance(numbers, np.ndarray | str | bytes | set | frozenset | dict):
        listed = list(numbers)
        if all(isinstance(number, int | np.integer) and not isinstance(number, bool) for number in listed):
            return np.array([min(max(number, -1), MAX_WORDS) for number in listed], np.int64)
    raise InputError(
        f"Sentences are taken by a list of whole numbers from 0, in the order wanted, not by {shown(numbers)}."
    )


def _refuse_odd_names(names: tuple[object, ...], what: str) -> None:
    for name in names:
        if not isinstance(name, str):
            raise InputError(
                f"The {what} to look for must be a string, not {type(name).__name__}. Give several one after the "
                'other: ("ann", "bob").'
            )


def _refuse_unknown(names: tuple[str, ...], known: tuple[str, ...], what: str) -> None:
    _refuse_odd_names(names, what)
    for name in names:
        if name not in known:
            raise InputError(
                f"None of the {len(known):,} {what}s in the index is {shown(name)}{nearest(name, known)}. Check it."
            )
