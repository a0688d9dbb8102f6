"""The texts of one comparison, as the audit, the validation and the explanation see them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from idiograph.casework.verification import Side
from idiograph.texts.text import MaskedText, Sentence, Text
from idiograph.texts.words import words

Texts = tuple[MaskedText, ...]


@dataclass(frozen=True)
class CaseTexts:
    """One Q, one candidate's K and the reference, masked; and all texts as they were read, by id.

    `originals` has no entry for a text that came already masked.
    """

    label: str
    candidate: str
    q: Texts
    k: Texts
    reference: Texts
    originals: Mapping[str, Text]

    @cached_property
    def all(self) -> Texts:
        return (*self.q, *self.k, *self.reference)

    def words(self, text: MaskedText) -> list[str]:
        """A text's words as written, lower-cased; its masked tokens where that is all there is."""
        original = self.originals.get(text.id)
        if original is not None:
            return words(original.content)
        return [token for sentence in text.sentences for token in sentence]


def n_tokens(texts: Texts) -> int:
    """The tokens of several texts."""
    return sum(text.n_tokens for text in texts)


def sentences(texts: Texts) -> list[Sentence]:
    """The sentences of several texts, in order."""
    return [sentence for text in texts for sentence in text.sentences]


def side(texts: Texts) -> Side:
    """A side of a comparison in numbers; its hapaxes are those of all its texts together."""
    joined = MaskedText(id="", author=None, sentences=tuple(sentences(texts)), masking="")
    return Side(
        texts=tuple(text.id for text in texts),
        authors=tuple(sorted({text.author for text in texts if text.author is not None})),
        n_tokens=joined.n_tokens,
        n_sentences=len(joined.sentences),
        n_hapaxes=joined.n_hapaxes,
    )
