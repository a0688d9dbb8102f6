"""Text, MaskedText and Corpus: what every other part hands around."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt

from idiograph.checking import check, fits, in_order, wrong_type
from idiograph.errors import InputError, counted, nearest, some
from idiograph.showing import Tabular, one_line
from idiograph.texts.repeats import copied_texts

Sentence = tuple[str, ...]
IntArray = npt.NDArray[np.int32]


T = TypeVar("T", bound="Text | MaskedText")


@one_line
@dataclass(frozen=True)
class Text:
    """A text as it was read. `author` is None where it is disputed or unknown.

    `id` names it in results, `content` are its characters, and `metadata` what else is known of it: work, topic,
    register, date, how it was read.
    """

    id: str
    content: str
    author: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check(self.content, str, "The content of a text")
        _check_identity(self)

    @property
    def in_a_line(self) -> str:
        """Its id, its author and its length."""
        return f"{_who(self)}, {counted(len(self.content), 'character')}"


@one_line
@dataclass(frozen=True)
class MaskedText:
    """A text's sentences after masking, each token with the characters of the original it came from.

    `id` and `author` are those of the text, `sentences` lists of tokens. `spans` has a row (start, end) into the
    original's content for every token, sentence after sentence; it has no rows where the text was already masked.
    `masking` is the signature of how it was made, `metadata` what else is known of the text.
    """

    id: str
    author: str | None
    sentences: tuple[Sentence, ...]
    masking: str
    spans: IntArray = field(default_factory=lambda: np.empty((0, 2), np.int32), compare=False, repr=False)
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check(self.masking, str, "The masking of a masked text")
        _check_identity(self)
        what = "The sentences of a masked text"
        sentences = in_order(
            self.sentences, what, "lists of tokens", lambda sentence: isinstance(sentence, list | tuple)
        )
        if not set(map(type, chain.from_iterable(sentences))) <= {str}:
            token = next(token for token in chain.from_iterable(sentences) if type(token) is not str)
            raise wrong_type("A token of a masked text", token, "a string")
        object.__setattr__(self, "sentences", tuple(map(tuple, sentences)))
        spans = self.spans
        if not isinstance(spans, np.ndarray) or spans.dtype.kind not in "iu" or spans.shape[1:] != (2,):
            raise wrong_type("The spans of a masked text", spans, "an array of whole numbers with two columns")
        if len(spans) not in (0, self.n_tokens):
            raise InputError(f"The text {self.id} has {self.n_tokens:,} tokens but {len(spans):,} spans.")

    @property
    def in_a_line(self) -> str:
        """Its id, its author, its size and its masking."""
        size = f"{counted(self.n_sentences, 'sentence')}, {counted(self.n_tokens, 'token')}"
        return f"{_who(self)}, {size}, {self.masking}"

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
        """Its author, if known, as the authors of a corpus."""
        return () if self.author is None else (self.author,)

    @property
    def text_ids(self) -> tuple[str, ...]:
        """Its id, as the ids of a corpus."""
        return (self.id,)

    @property
    def named_sentences(self) -> tuple["NamedSentences", ...]:
        """Its id and its sentences, as those of a corpus."""
        return ((self.id, self.sentences),)

    def shared_with(self, other: Any) -> tuple[str, ...]:
        """Its id, if the `other` side of a problem holds its sentences too."""
        return shared_texts(self, other)


@one_line
@dataclass(frozen=True)
class Corpus(Generic[T], Tabular):
    """Texts in order, no two with one id.

    `texts` are Text or MaskedText. `corpus[0]` is the first of them, `corpus[:3]` a corpus of three, `corpus["id"]`
    the one with that id, and `corpus + other` one of both. It is a data frame by `to_pandas()` or `to_arrow()`.
    """

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

    @overload
    def __getitem__(self, which: int | str) -> T: ...
    @overload
    def __getitem__(self, which: slice) -> "Corpus[T]": ...
    def __getitem__(self, which: int | str | slice) -> "T | Corpus[T]":
        """The text with a number or an id, or a corpus of several."""
        if isinstance(which, str):
            return self.text(which)
        if isinstance(which, slice):
            return Corpus(self.texts[which])
        if not fits(which, int):
            raise wrong_type("What stands in a corpus's brackets", which, "a number, an id or a slice such as [:3]")
        if not -len(self) <= which < len(self):
            raise IndexError(
                f"There is no text {which}: this corpus has {counted(len(self), 'text')}, numbered from 0."
            )
        return self.texts[which]

    def __add__(self, other: "Corpus[T]") -> "Corpus[T]":
        """The texts of both, in order; two with one id are refused."""
        return Corpus((*self.texts, *other.texts)) if isinstance(other, Corpus) else NotImplemented

    @property
    def in_a_line(self) -> str:
        """How many texts by how many authors, and how long they are."""
        size = f"{counted(len(self), 'text')} by {counted(len(self.authors), 'author')}"
        masked = [text for text in self.texts if isinstance(text, MaskedText)]
        if len(masked) == len(self) > 0:
            return f"{size}, {counted(sum(text.n_tokens for text in masked), 'token')}, masked"
        characters = sum(len(text.content) for text in self.texts if isinstance(text, Text))
        return f"{size}, {counted(characters, 'character')}"

    @property
    def columns(self) -> Mapping[str, Sequence[Any]]:
        """A row a text: id, author, metadata of one value, and its content, or its size and masking."""
        rows: list[dict[str, Any]] = []
        for text in self.texts:
            plain = {name: value for name, value in text.metadata.items() if isinstance(value, str | int | float)}
            if isinstance(text, MaskedText):
                content = {"n_sentences": text.n_sentences, "n_tokens": text.n_tokens, "masking": text.masking}
            else:
                content = {"content": text.content}
            rows.append({**plain, "id": text.id, "author": text.author, **content})
        names = dict.fromkeys(("id", "author", *(name for row in rows for name in row)))
        columns = {name: [row.get(name) for row in rows] for name in names}
        # A column of an Arrow table has one type.
        return {
            name: [value if value is None else str(value) for value in values]
            if len({type(value) for value in values if value is not None}) > 1
            else values
            for name, values in columns.items()
        }

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
        """The texts, by id, that the `other` side of a problem holds too, whatever they are called there."""
        return shared_texts(self, other)

    def text(self, id_: str) -> T:
        """The text with the id `id_`."""
        check(id_, str, "The id of a text")
        for text in self.texts:
            if text.id == id_:
                return text
        n, meant = f"(number of texts: {len(self):,})", nearest(id_, self.text_ids)
        raise InputError(f"There is no text with the id {id_} in this corpus {n}{meant}.")

    def by(self, *authors: str) -> "Corpus[T]":
        """The texts of these `authors`, in order; a name that nobody has is refused."""
        self._refuse_unknown(authors)
        return Corpus(tuple(text for text in self.texts if text.author in authors))

    def excluding(self, *authors: str) -> "Corpus[T]":
        """The texts of everybody but these `authors`, in order; a name that nobody has is refused."""
        self._refuse_unknown(authors)
        return Corpus(tuple(text for text in self.texts if text.author not in authors))

    def where(self, **metadata: Any) -> "Corpus[T]":
        """The texts whose metadata have these values, in order: `corpus.where(topic="sport", year=2001)`.

        Any `metadata` will do; a name that no text has is refused, as a typing error would leave nothing.
        """
        known = {name for text in self.texts for name in text.metadata}
        for name in metadata:
            if name not in known and self.texts:
                raise InputError(f"No text of this corpus has {name} among its metadata{nearest(name, sorted(known))}.")
        return Corpus(
            tuple(
                text
                for text in self.texts
                if all(name in text.metadata and text.metadata[name] == value for name, value in metadata.items())
            )
        )

    def _refuse_unknown(self, authors: tuple[str, ...]) -> None:
        """A name that nobody has is a typing error, and would leave somebody in, or everybody out."""
        for author in in_order(authors, "The authors", "strings", lambda author: isinstance(author, str)):
            if author not in self.authors:
                meant = nearest(author, self.authors)
                raise InputError(
                    f"None of the {len(self.authors):,} authors of this corpus is {author}{meant}. Check it."
                )

    def sorted(self) -> "Corpus[T]":
        """The corpus by (author, id): the order of a reference, so that files in another order change no draw."""
        return Corpus(tuple(sorted(self.texts, key=lambda text: (text.author or "", text.id))))


def _who(text: Text | MaskedText) -> str:
    return f"{text.id!r} by {text.author}" if text.author is not None else f"{text.id!r}"


NamedSentences = tuple[str, Sequence[Sequence[str]]]


def shared_texts(side: Any, other: Any) -> tuple[str, ...]:
    """The texts of one side that the other has too, in their order: by id, or which text there is the same."""
    if isinstance(other, type) or not hasattr(other, "named_sentences"):
        raise wrong_type("The other side", other, "masked texts, a corpus or a part of an index")
    return tuple(copy.words for copy in copied_texts(side.named_sentences, other.named_sentences))


def _check_identity(text: Text | MaskedText) -> None:
    """Id, author and metadata, which both kinds of text have; files and seeds need names that can be written."""
    check(text.metadata, Mapping, "The metadata of a text")
    for name, value, wanted in (("id", text.id, str), ("author", text.author, str | None)):
        check(value, wanted, f"The {name} of a text")
        if value is not None and not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            raise InputError(f"The {name} of a text is {value!r}, which has half a character. Write it again.")
