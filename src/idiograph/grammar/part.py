"""Part: some sentences of an index, usable as Q, K or reference."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from idiograph.grammar.vocabulary import Numbers, Tokens, frozen, token_numbers
from idiograph.texts.text import Sentence, shared_ids

if TYPE_CHECKING:
    from idiograph.grammar.index import Index


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

    @property
    def _tokens(self) -> Tokens:
        return token_numbers(self.index.tokens, self.index.starts, self.sentence_numbers)

    @cached_property
    def n_hapaxes(self) -> int:
        """Types that occur exactly once."""
        return int(np.count_nonzero(np.unique(self._tokens, return_counts=True)[1] == 1))

    @cached_property
    def text_ids(self) -> tuple[str, ...]:
        """The ids of the texts that the sentences come from, in the index's order."""
        return tuple(self.index.text_ids[number] for number in self._text_numbers)

    @cached_property
    def authors(self) -> tuple[str, ...]:
        """The known authors, sorted."""
        names = self.index.authors
        # One place more than names: the last stands for texts without an author.
        present = np.zeros(len(names) + 1, bool)
        present[self.index.sentence_author[self.sentence_numbers]] = True
        return tuple(name for name, there in zip(names, present.tolist(), strict=False) if there)

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
            if not len(both):  # nearly always, and problems are checked by the thousand
                return ()
            return tuple(self.index.text_ids[number] for number in np.unique(self.index.sentence_text[both]))
        return shared_ids(self.text_ids, other)

    @cached_property
    def _text_numbers(self) -> list[int]:
        present = np.zeros(len(self.index.text_ids), bool)
        present[self.index.sentence_text[self.sentence_numbers]] = True
        numbers: list[int] = np.flatnonzero(present).tolist()
        return numbers

    def __repr__(self) -> str:
        return f"Part({self.n_sentences} of {self.index.n_sentences} sentences)"
