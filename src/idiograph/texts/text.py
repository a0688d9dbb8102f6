"""Text, MaskedText and Corpus: what every other part hands around."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from idiograph.checking import check, in_order, wrong_type
from idiograph.errors import InputError, nearest, some
from idiograph.texts.repeats import copied_texts

Sentence = tuple[str, ...]
IntArray = npt.NDArray[np.int32]


T = TypeVar("T", bound="Text | MaskedText")


@dataclass(frozen=True)
class Text:
    """A text as it was read. `author` is None where it is disputed or unknown."""

    id: str
    content: str
    author: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)  # work, topic, register, date, encoding …

    def __post_init__(self) -> None:
        check(self.content, str, "The content of a text")
        _check_identity(self)


@dataclass(frozen=True)
class MaskedText:
    """A text's sentences after masking, each token with the characters of the original it came from.

    `spans` has a row (start, end) into the original's content for every token, sentence after sentence; it has no
    rows where the text was already masked. `masking` is the signature of how it was made.
    """

    id: str
    author: str | None
    sentences: tuple[Sentence, ...]
    masking: str
    spans: IntArray = field(default_factory=lambda: np.empty((0, 2), np.int32), compare=False, repr=False)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check(self.masking, str, "The masking of a masked text")
        _check_identity(self)
        what = "The sentences of a masked text"
        sentences = in_order(self.sentences, what, "lists of tokens", lambda one: isinstance(one, list | tuple))
        if not set(map(type, chain.from_iterable(sentences))) <= {str}:
            token = next(token for token in chain.from_iterable(sentences) if type(token) is not str)
            raise wrong_type("A token of a masked text", token, "a string")
        object.__setattr__(self, "sentences", tuple(map(tuple, sentences)))
        spans = self.spans
        if not isinstance(spans, np.ndarray) or spans.dtype.kind not in "iu" or spans.shape[1:] != (2,):
            raise wrong_type("The spans of a masked text", spans, "an array of whole numbers with two columns")
        if len(spans) not in (0, self.n_tokens):
            raise InputError(f"The text {self.id} has {self.n_tokens:,} tokens but {len(spans):,} spans.")

    @cached_property
    def n_tokens(self) -> int:
        """N: tokens, sentence ends not counted."""
        return sum(map(len, self.sentences))

    @cached_property
    def n_hapaxes(self) -> int:
        """V1: types that occur exactly once."""
        counts = Counter(token for sentence in self.sentences for token in sentence)
        return sum(count == 1 for count in counts.values())

    @property
    def n_sentences(self) -> int:
        return len(self.sentences)

    @property
    def authors(self) -> tuple[str, ...]:
        """Its author, if known."""
        return () if self.author is None else (self.author,)

    @property
    def text_ids(self) -> tuple[str, ...]:
        """Its id."""
        return (self.id,)

    @property
    def named_sentences(self) -> tuple["NamedSentences", ...]:
        """Its id and its sentences."""
        return ((self.id, self.sentences),)

    def shared_with(self, other: Any) -> tuple[str, ...]:
        """Its id, if the other side of a problem holds its sentences too."""
        return shared_texts(self, other)


@dataclass(frozen=True)
class Corpus(Generic[T]):
    """Texts in order, no two with one id."""

    texts: tuple[T, ...]

    def __post_init__(self) -> None:
        texts = in_order(self.texts, "The texts of a corpus", "texts", lambda text: isinstance(text, Text | MaskedText))
        object.__setattr__(self, "texts", texts)
        counts = Counter(text.id for text in texts)
        twice = sorted(id_ for id_, count in counts.items() if count > 1)
        if twice:
            raise InputError(
                f"Two texts have the same id: {some(twice)}. Results name texts by their ids, so rename one."
            )

    def __iter__(self) -> Iterator[T]:
        return iter(self.texts)

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def authors(self) -> tuple[str, ...]:
        """The known authors, sorted."""
        return tuple(sorted({text.author for text in self.texts if text.author is not None}))

    @cached_property
    def text_ids(self) -> tuple[str, ...]:
        """The texts' ids, in order."""
        return tuple(text.id for text in self.texts)

    @property
    def n_sentences(self: "Corpus[MaskedText]") -> int:
        """Sentences of all texts."""
        return sum(text.n_sentences for text in self.masked_texts)

    @property
    def n_tokens(self: "Corpus[MaskedText]") -> int:
        """Tokens, sentence ends not counted."""
        return sum(text.n_tokens for text in self.masked_texts)

    @property
    def masked_texts(self: "Corpus[MaskedText]") -> tuple[MaskedText, ...]:
        """The texts, all of which must be masked."""
        for text in self.texts:
            if not isinstance(text, MaskedText):
                raise InputError(f"The text {text.id} is not masked. Mask it first: idiograph.mask(corpus).")
        return self.texts

    @property
    def named_sentences(self) -> tuple["NamedSentences", ...]:
        """The id and the sentences of each text; of a text that is not masked, its words."""
        return tuple(
            (text.id, text.sentences if isinstance(text, MaskedText) else (text.content.split(),))
            for text in self.texts
        )

    def shared_with(self, other: Any) -> tuple[str, ...]:
        """The texts, by id, that the other side of a problem holds too, whatever they are called there."""
        return shared_texts(self, other)

    def text(self, id_: str) -> T:
        """The text with this id."""
        check(id_, str, "The id of a text")
        for text in self.texts:
            if text.id == id_:
                return text
        raise InputError(f"There is no text with the id {id_} in this corpus (number of texts: {len(self):,}).")

    def by(self, *authors: str) -> "Corpus[T]":
        """The texts of these authors, in order."""
        self._refuse_unknown(authors)
        return Corpus(tuple(text for text in self.texts if text.author in authors))

    def excluding(self, *authors: str) -> "Corpus[T]":
        """The texts of everybody else, in order."""
        self._refuse_unknown(authors)
        return Corpus(tuple(text for text in self.texts if text.author not in authors))

    def _refuse_unknown(self, authors: tuple[str, ...]) -> None:
        """A name that nobody has is a typing error, and would leave somebody in, or everybody out."""
        for author in in_order(authors, "The authors", "strings", lambda author: isinstance(author, str)):
            if author not in self.authors:
                meant = nearest(author, self.authors)
                raise InputError(
                    f"None of the {len(self.authors):,} authors of this corpus is {author}{meant}. Check it."
                )

    def sorted(self) -> "Corpus[T]":
        """By (author, id): the order of a reference, so that files in another order change no draw."""
        return Corpus(tuple(sorted(self.texts, key=lambda text: (text.author or "", text.id))))


NamedSentences = tuple[str, Sequence[Sequence[str]]]


def shared_texts(own: Any, other: Any) -> tuple[str, ...]:
    """The texts of one side that the other has too, in their order: by id, or which text there is the same."""
    if isinstance(other, type) or not hasattr(other, "named_sentences"):
        raise wrong_type("The other side", other, "masked texts, a corpus or a part of an index")
    return tuple(copy.words for copy in copied_texts(own.named_sentences, other.named_sentences))


def _check_identity(text: Text | MaskedText) -> None:
    """Id, author and metadata, which both kinds of text have; files and seeds need names that can be written."""
    check(text.metadata, Mapping, "The metadata of a text")
    for name, value, wanted in (("id", text.id, str), ("author", text.author, str | None)):
        check(value, wanted, f"The {name} of a text")
        if value is not None and not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            raise InputError(f"The {name} of a text is {value!r}, which has half a character. Write it again.")
