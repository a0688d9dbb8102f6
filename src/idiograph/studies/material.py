"""An indexed corpus, and what drawing asks of each of its texts."""

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from idiograph.checking import check_fields
from idiograph.errors import InputError, counted, some
from idiograph.evidence.closeness import ContentWords
from idiograph.grammar.index import Index
from idiograph.grammar.vocabulary import Numbers
from idiograph.texts.masking.rules import pieces
from idiograph.texts.repeats import holders
from idiograph.texts.text import MaskedText

TextRole = Literal["known", "unknown", "reference", "imitation", "obfuscation"]
DISGUISES: tuple[TextRole, ...] = ("imitation", "obfuscation")
"""Texts in which authors hide or write like somebody else: only attacks are made of them."""

_TELLING = 20  # tokens: shorter texts may be the same by chance

# What corpora call the part that a text plays in a ready-made problem.
ROLE_FIELDS = ("role", "texttype")
_ROLES: dict[str, TextRole] = {
    "known": "known",
    "k": "known",
    "unknown": "unknown",
    "disputed": "unknown",
    "questioned": "unknown",
    "q": "unknown",
    "reference": "reference",
    "ref": "reference",
    "r": "reference",
    "imitation": "imitation",
    "obfuscation": "obfuscation",
}


def role_of(metadata: Mapping[str, object]) -> TextRole | None:
    """The part that a text plays in a ready-made problem; None where its metadata name none."""
    named = (_ROLES.get(str(metadata[name]).lower()) for name in ROLE_FIELDS if name in metadata)
    return next(named, None)


@dataclass(frozen=True)
class Material:
    """An indexed corpus with what drawing asks of each text: its author, its length, its role and its fields."""

    index: Index
    fields: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # work, topic … -> text id -> value
    roles: Mapping[str, TextRole] = field(default_factory=dict)  # text id -> role; empty where a corpus names none
    # In a ready-made problem set K and Q are labelled by their problem, and writers say who is behind a label.
    ready: Mapping[str, str] = field(default_factory=dict)  # label of K -> label of Q
    writers: Mapping[str, str] = field(default_factory=dict)  # label -> writer
    known_by: str = ""  # how many writers there are, and how they are known
    originals: Mapping[str, Sequence[str]] = field(default_factory=dict)  # text id -> its sentences as written
    training: Sequence[str] = ()  # authors, or labels of sides, of the corpus that this one is calibrated on
    content: ContentWords | None = None  # of the sentences of the index; None where they are not known or not needed

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def of(cls, index: Index, corpus: Iterable[MaskedText] = (), *, roles: bool = True) -> "Material":
        """The index with the metadata of the texts it was made of; `roles` False takes all texts alike."""
        fields: dict[str, dict[str, str]] = {}
        roles_by_id: dict[str, TextRole] = {}
        for text in corpus:
            for name, value in text.metadata.items():
                if isinstance(value, str | int | float) and str(value) != "":
                    fields.setdefault(name, {})[text.id] = str(value)
            if (role := role_of(text.metadata)) is not None:
                roles_by_id[text.id] = role
        return cls(index=index, fields=fields, roles=roles_by_id if roles else {})

    @cached_property
    def starts(self) -> Numbers:
        """The first sentence of each text, and the number of all sentences at the end."""
        return np.searchsorted(self.index.sentence_text, np.arange(len(self.index.text_ids) + 1)).astype(np.int64)

    @cached_property
    def tokens_before(self) -> Numbers:
        """The tokens before each sentence, and all of them at the end."""
        return np.concatenate([[0], np.cumsum(self.index.sentence_lengths, dtype=np.int64)])

    @cached_property
    def text_tokens(self) -> Numbers:
        """The tokens of each text."""
        return np.diff(self.tokens_before[self.starts])

    @cached_property
    def texts_by(self) -> dict[str, Numbers]:
        """The numbers of each author's texts; texts without an author are nobody's."""
        numbers: dict[str, list[int]] = {}
        for number, author in enumerate(self.index.text_authors):
            if author is not None:
                numbers.setdefault(author, []).append(number)
        return {author: np.array(numbers[author], np.int64) for author in sorted(numbers)}

    @cached_property
    def has_roles(self) -> bool:
        """Whether the corpus itself says which texts are known and which are questioned."""
        return any(role in ("known", "unknown") for role in self.roles.values())

    @cached_property
    def text_roles(self) -> npt.NDArray[np.str_]:
        """The role of each text, empty where it has none."""
        return np.array([self.roles.get(id_, "") for id_ in self.index.text_ids], dtype="U11")

    def writer(self, author: str) -> str:
        """Who is behind a label: the author, unless it is a side of a ready-made problem."""
        return self.writers.get(author, author)

    def labels(self, author: str) -> tuple[str, str]:
        """What K and Q are called: both by the author, unless they are the sides of a ready-made problem."""
        return author, self.ready.get(author, author)

    def texts_of(self, *authors: str) -> Numbers:
        """The numbers, sorted, of all texts of these authors' writers, and of others that are the same."""
        texts = np.concatenate([self._with_copies[self.writer(author)] for author in authors])
        return np.unique(texts)

    @cached_property
    def _with_copies(self) -> dict[str, Numbers]:
        """The texts of each writer, and whatever others are the same as one of them."""
        by: dict[str, list[int]] = {}
        for author, texts in self.texts_by.items():
            by.setdefault(self.writer(author), []).extend(texts.tolist())
        edges = self.index.starts[self.starts]
        copies = holders(
            (text, [hashlib.sha256(self.index.tokens[edges[text] : edges[text + 1]].tobytes()).digest()])
            for text in np.flatnonzero(self.text_tokens >= _TELLING).tolist()
        )
        others = {text: same for same in copies.values() if len(same) > 1 for text in same}
        return {
            writer: np.array(sorted({*texts, *(copy for text in texts for copy in others.get(text, ()))}), np.int64)
            for writer, texts in by.items()
        }

    def written(self, sentences: Numbers) -> tuple[str, ...]:
        """Sentences as they were written, those in a row together; an error where their originals are not at hand."""
        of_text = self.index.sentence_text[sentences]
        ids = [self.index.text_ids[text] for text in of_text.tolist()]
        missing = [id_ for id_ in dict.fromkeys(ids) if id_ not in self.originals]
        if missing:
            raise InputError(
                f"The originals of {counted(len(missing), 'text')} are not at hand ({some(missing)}), so how they are "
                "typed and worded cannot be compared. Give the texts as they were written, or leave out typing and "
                "original."
            )
        return pieces(
            (number, self.originals[id_][number - first])
            for number, id_, first in zip(sentences.tolist(), ids, self.starts[of_text].tolist(), strict=True)
        )

    def values(self, name: str, texts: Numbers) -> list[str | None]:
        """What the field `name` says of each of these texts."""
        by_text = self.fields.get(name, {})
        return [by_text.get(self.index.text_ids[int(text)]) for text in texts]

    def sentences(self, texts: Numbers) -> Numbers:
        """The numbers of the sentences of these texts, in order."""
        texts = np.sort(texts)
        first, n = self.starts[texts], self.starts[texts + 1] - self.starts[texts]
        # Each text's first number, less the numbers that stand before it, and then one more at every step.
        numbers: Numbers = np.arange(int(n.sum())) + np.repeat(first - (np.cumsum(n, dtype=np.int64) - n), n)
        return numbers

    def up_to(self, tokens: int, sentences: Numbers) -> Numbers:
        """The first of these sentences, up to the one that passes so many tokens; all where none does."""
        passed = np.cumsum(self.index.sentence_lengths[sentences], dtype=np.int64)
        return sentences[: int(np.searchsorted(passed, tokens, side="right")) + 1]


def author_rng(seed: int, *names: str) -> np.random.Generator:
    """A generator that depends on the seed and the names alone, so that neither order nor company matters."""
    return np.random.default_rng([seed, *(zlib.crc32(name.encode()) for name in names)])
