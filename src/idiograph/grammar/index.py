"""Index: the sentences of a corpus with every n-gram numbered once, and the parts of it that problems are made of.

Part: some sentences of an index, usable as Q, K or reference.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import compress, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from idiograph.checking import shown, whole_number
from idiograph.errors import InputError, nearest
from idiograph.files import as_path
from idiograph.grammar import index_file
from idiograph.grammar.settings import LambdaGSettings
from idiograph.grammar.stream import MAX_WORDS
from idiograph.grammar.vocabulary import (
    IndexContents,
    Numbers,
    Sentences,
    Tokens,
    Vocabulary,
    Words,
    contents_of,
    frozen,
    token_numbers,
    token_places,
)
from idiograph.texts.repeats import Held, Repeats
from idiograph.texts.text import Corpus, MaskedText, NamedSentences, Sentence, shared_texts


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """Some sentences of an index, usable as Q, K or reference."""

    index: "Index"
    sentence_numbers: Numbers

    def __post_init__(self) -> None:
        numbers = frozen(self.sentence_numbers.astype(np.int64, copy=False).view())
        object.__setattr__(self, "sentence_numbers", numbers)

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
        tokens = token_numbers(self.index.tokens, self.index.starts, self.sentence_numbers)
        return int(np.count_nonzero(np.unique(tokens, return_counts=True)[1] == 1))

    @cached_property
    def text_ids(self) -> tuple[str, ...]:
        """The ids of the texts that the sentences come from, in the index's order."""
        present = np.zeros(len(self.index.text_ids), bool)
        present[self.index.sentence_text[self.sentence_numbers]] = True
        return tuple(compress(self.index.text_ids, present.tolist()))

    @cached_property
    def authors(self) -> tuple[str, ...]:
        """The known authors, sorted."""
        names = self.index.authors
        # One place more than names: the last stands for texts without an author.
        present = np.zeros(len(names) + 1, bool)
        present[self.index.sentence_author[self.sentence_numbers]] = True
        return tuple(compress(names, present.tolist()))

    @property
    def masking(self) -> str | None:
        return self.index.masking

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences as tokens."""
        return tuple(map(self.index._tokens_of, self.sentence_numbers.tolist()))

    def shared_with(self, other: Any) -> tuple[str, ...]:
        """The texts of which both sides hold the same sentences: by number in one index, else by their tokens."""
        if isinstance(other, Part) and other.index is self.index:
            mine = np.zeros(self.index.n_sentences, bool)
            mine[self.sentence_numbers] = True
            both = other.sentence_numbers[mine[other.sentence_numbers]]
            if not len(both):  # nearly always, and problems are checked by the thousand
                return ()
            return tuple(self.index.text_ids[number] for number in np.unique(self.index.sentence_text[both]))
        return shared_texts(self, other)

    @property
    def named_sentences(self) -> tuple[NamedSentences, ...]:
        """The id and the sentences of each text."""
        sentences = self.sentences
        return tuple((name, sentences[first:last]) for name, first, last in self._stretches(self.index.text_ids))

    @property
    def held(self) -> Held:
        """Its texts by the places of their tokens in the index; plain sentences are a text without a name."""
        starts = self.index.starts
        lengths = starts[self.sentence_numbers + 1] - starts[self.sentence_numbers]
        stretches = self._stretches(self.index.text_names or ("",))
        return Held(
            token_places(starts, self.sentence_numbers),
            tuple(name for name, _, _ in stretches),
            tuple(int(lengths[first:last].sum()) for _, first, last in stretches),
        )

    def _stretches(self, names: tuple[str, ...]) -> list[tuple[str, int, int]]:
        """The name of each text and where its sentences, which lie together, begin and end among the sentences."""
        texts = self.index.sentence_text[self.sentence_numbers]
        edges = [0, *(np.flatnonzero(np.diff(texts)) + 1).tolist(), len(texts)]
        return [(names[texts[first]], first, last) for first, last in pairwise(edges) if last > first]

    def __repr__(self) -> str:
        return f"Part({self.n_sentences} of {self.index.n_sentences} sentences)"


@dataclass
class Workspace:
    """What one worker marks while it scores: the types and n-grams of Q, and the model that met each last."""

    types: Words
    marks: Words
    model: int = 0


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Index(IndexContents):
    """The sentences of a corpus with every n-gram up to `order` numbered: it serves every problem, sample and seed.

    `source` is a corpus, masked texts or sentences. Texts of a corpus are put in (author, id) order, so that files in
    another order change no draw. Numbering n-grams is most of the work of a score: made once, or opened from its file,
    an index makes every further score several times as fast (docs/benchmarks.md).
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
        places = {author: number for number, author in enumerate(self.authors)}
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

    @cached_property
    def repeats(self) -> Repeats:
        """The long runs of tokens that occur more than once, by which copies of a text are found."""
        return Repeats.of(self.tokens)

    @cached_property
    def sentence_repeats(self) -> npt.NDArray[np.bool_]:
        """Whether such a run starts in each sentence: nearly never, and problems are checked by the thousand."""
        at = np.concatenate([[0], np.cumsum(self.repeats.run > 0, dtype=np.int64)])[self.starts]
        return np.diff(at) > 0

    def tokens_of(self, sentence_number: int) -> Sentence:
        """The tokens of the sentence `sentence_number`."""
        return self._tokens_of(
            whole_number(sentence_number, "The number of a sentence", least=0, most=self.n_sentences - 1)
        )

    def _tokens_of(self, sentence_number: int) -> Sentence:
        numbers = self.tokens[self.starts[sentence_number] : self.starts[sentence_number + 1]]
        return tuple(self.types[number - 1] for number in numbers)

    def all(self) -> Part:
        """Every sentence."""
        return Part(self, np.arange(self.n_sentences))

    def by(self, *authors: str) -> Part:
        """The sentences of these `authors`."""
        _refuse_unknown(authors, self.authors, "author")
        return self._of_texts([author in authors for author in self.text_authors])

    def excluding(self, *authors: str) -> Part:
        """The sentences of everybody but these `authors`."""
        _refuse_unknown(authors, self.authors, "author")
        return self._of_texts([author not in authors for author in self.text_authors])

    def text(self, id_: str) -> Part:
        """The sentences of the text `id_`."""
        return self.texts(id_)

    def texts(self, *ids: str) -> Part:
        """The sentences of the texts with these `ids`."""
        _refuse_unknown(ids, self.text_ids, "text")
        return self._of_texts([id_ in ids for id_ in self.text_ids])

    def take(self, sentence_numbers: Iterable[int] | Numbers) -> Part:
        """The sentences with these numbers, `sentence_numbers`, in the order given."""
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
        """Writes the index to one file, `path`, whole or not at all."""
        index_file.save(self, self.text_ids, as_path(path, "The file of the index"))

    @classmethod
    def open(cls, path: Path | str) -> "Index":
        """The index in the file `path`, memory-mapped: many processes share one copy. A damaged file is refused."""
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


def _refuse_unknown(names: tuple[Any, ...], known: tuple[str, ...], what: str) -> None:
    for name in names:
        if not isinstance(name, str):
            raise InputError(
                f"The {what} to look for must be a string, not {type(name).__name__}. Give several one after the "
                'other: ("ann", "bob").'
            )

    for name in names:
        if name not in known:
            raise InputError(
                f"None of the {len(known):,} {what}s in the index is {shown(name)}{nearest(name, known)}. Check it."
            )
