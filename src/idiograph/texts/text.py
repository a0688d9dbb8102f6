"""Text, MaskedText and Corpus: what every other part hands around."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from idiograph.errors import InputError

Sentence = tuple[str, ...]
IntArray = npt.NDArray[np.int32]


class _Named(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def author(self) -> str | None: ...


T = TypeVar("T", bound=_Named)


@dataclass(frozen=True)
class Text:
    """A text as it was read. `author` is None where it is disputed or unknown."""

    id: str
    content: str
    author: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)  # work, topic, register, date, encoding …


@dataclass(frozen=True)
class MaskedText:
    """A text's sentences after masking, each token with the characters of the original it came from.

    `spans` has a row (start, end) into the original's content for every token, sentence after sentence; it has no
    rows where the text came already masked. `masking` is the signature of how it was made.
    """

    id: str
    author: str | None
    sentences: tuple[Sentence, ...]
    masking: str
    spans: IntArray = field(default_factory=lambda: np.empty((0, 2), np.int32), compare=False, repr=False)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def n_tokens(self) -> int:
        """N: tokens, sentence ends not counted."""
        return sum(map(len, self.sentences))

    @cached_property
    def n_hapaxes(self) -> int:
        """V1: types that occur exactly once."""
        counts = Counter(token for sentence in self.sentences for token in sentence)
        return sum(count == 1 for count in counts.values())


@dataclass(frozen=True)
class Corpus(Generic[T]):
    """Texts in order, no two with one id."""

    texts: tuple[T, ...]

    def __post_init__(self) -> None:
        counts = Counter(text.id for text in self.texts)
        twice = [id_ for id_, count in counts.items() if count > 1]
        if twice:
            raise InputError(
                f"Two texts have one id: {', '.join(sorted(twice)[:5])}"
                f"{' and others' if len(twice) > 5 else ''}. Results name texts by their ids, so rename one."
            )

    def __iter__(self) -> Iterator[T]:
        return iter(self.texts)

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def authors(self) -> tuple[str, ...]:
        """The known authors, sorted."""
        return tuple(sorted({text.author for text in self.texts if text.author is not None}))

    def text(self, id_: str) -> T:
        """The text with this id."""
        for text in self.texts:
            if text.id == id_:
                return text
        raise InputError(f"There is no text with the id {id_}. The corpus has {len(self)} texts.")

    def by(self, *authors: str) -> "Corpus[T]":
        """The texts of these authors, in order."""
        return Corpus(tuple(text for text in self.texts if text.author in authors))

    def excluding(self, *authors: str) -> "Corpus[T]":
        """The texts of everybody else, in order."""
        return Corpus(tuple(text for text in self.texts if text.author not in authors))

    def sorted(self) -> "Corpus[T]":
        """By (author, id): the order of a reference, so that files in another order change no draw."""
        return Corpus(tuple(sorted(self.texts, key=lambda text: (text.author or "", text.id))))
