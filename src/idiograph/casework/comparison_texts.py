"""The texts of one comparison, as the audit, the validation and the explanation see them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from idiograph.casework.verification import SideSummary
from idiograph.texts.edits import SpanArray
from idiograph.texts.masking.languages import ENGLISH
from idiograph.texts.masking.rules import n_kept
from idiograph.texts.preparing.record import PreparationRecord
from idiograph.texts.text import MaskedText, Sentence, Text
from idiograph.texts.words import words

Texts = tuple[MaskedText, ...]


@dataclass(frozen=True)
class CaseTexts:
    """One Q, one candidate's K and the reference, masked; and all texts as they were before masking, by id.

    `originals` has no entry for a text that came already masked. Where a recipe prepared the texts, `as_read` has them
    as they were before that, and `record` leads there.
    """

    label: str
    candidate: str
    q: Texts
    k: Texts
    reference: Texts
    originals: Mapping[str, Text]
    as_read: Mapping[str, Text] = field(default_factory=dict)
    record: PreparationRecord | None = None
    language: str = ENGLISH
    listed: frozenset[str] | None = None  # the words that masking kept, if it had a list

    @property
    def name(self) -> str:
        """The comparison by its Q and its candidate."""
        return f"{self.label} and {self.candidate}"

    @cached_property
    def all(self) -> Texts:
        return (*self.q, *self.k, *self.reference)

    def words(self, text: MaskedText) -> list[str]:
        """A text's words as written, lower-cased; its masked tokens where that is all there is."""
        original = self.originals.get(text.id)
        if original is not None:
            return words(original.content)
        return [token for sentence in text.sentences for token in sentence]

    def as_written(self, text: MaskedText) -> tuple[str, SpanArray] | None:
        """A text as it was read, before any preparation, and where its tokens are in it; None if it came masked."""
        if text.id not in self.originals or not len(text.spans):
            return None
        spans = text.spans.astype(np.int64)
        if self.record is None:
            return self.originals[text.id].content, spans
        return self.as_read[text.id].content, self.record.original_spans(text.id, spans)


def n_tokens(texts: Texts) -> int:
    """The tokens of several texts."""
    return sum(text.n_tokens for text in texts)


def kept_tokens(texts: Texts) -> int | None:
    """How many tokens of several texts masking left as they were; None where that is not known of all."""
    counts = [n_kept(text) for text in texts]
    return None if None in counts else sum(count for count in counts if count is not None)


def sentences(texts: Texts) -> list[Sentence]:
    """The sentences of several texts, in order."""
    return [sentence for text in texts for sentence in text.sentences]


def side(texts: Texts) -> SideSummary:
    """A side of a comparison in numbers."""
    return SideSummary(
        texts=tuple(text.id for text in texts),
        authors=tuple(sorted({text.author for text in texts if text.author is not None})),
        n_tokens=n_tokens(texts),
        n_sentences=sum(text.n_sentences for text in texts),
        n_kept=kept_tokens(texts),
    )
