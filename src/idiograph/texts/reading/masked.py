"""Text that is already masked, taken as it is: tokens stand between plain blanks."""

from typing import Any

from idiograph.errors import InputError
from idiograph.texts.text import MaskedText, Sentence, Text

AS_FOUND = "as-found"  # the masking signature of text that came masked
_MARKS = frozenset(".?!")
_CAPITALS = 0.02  # share of capitalised words; masked text is in small letters but for its placeholders
_LONGEST = 400  # tokens; a longer sentence is nearly always a text whose sentences were not found


def tokens_of(line: str) -> Sentence:
    """The tokens of a line: only a plain blank separates them."""
    return tuple(token for token in line.split(" ") if token)


def sentences_of(content: str, rule: str) -> tuple[Sentence, ...]:
    """The sentences of masked text: one per line, and with the rule `marks` also ending at the tokens . ? !"""
    found: list[Sentence] = []
    for line in content.split("\n"):
        tokens = tokens_of(line)
        if rule == "lines":
            found += [tokens] if tokens else []
            continue
        begin = 0
        for position, token in enumerate(tokens, start=1):
            # Several marks in a row end one sentence, as in the reference implementation.
            if token in _MARKS and not _MARKS.intersection(tokens[position : position + 1]):
                found.append(tokens[begin:position])
                begin = position
        if begin < len(tokens):
            found.append(tokens[begin:])
    return tuple(found)


def listed_sentences(value: Any) -> tuple[Sentence, ...]:
    """The sentences of a list: strings to split at blanks, or lists of tokens taken as they are."""
    if not isinstance(value, list) or not all(
        isinstance(one, str) or (isinstance(one, list) and all(isinstance(token, str) for token in one))
        for one in value
    ):
        raise InputError("has sentences that are not a list of strings or of lists of tokens.")
    return tuple(tokens_of(one) if isinstance(one, str) else tuple(one) for one in value)


def masked_text(text: Text, rule: str = "lines", listed: tuple[Sentence, ...] | None = None) -> MaskedText:
    """A text whose content, or list of sentences, is already masked."""
    sentences = sentences_of(text.content, rule) if listed is None else listed
    if not any(sentences):
        raise InputError("is empty: it has no token. Remove it or supply its sentences.")
    return MaskedText(text.id, text.author, sentences, AS_FOUND, metadata=text.metadata)


def doubts(text: MaskedText, rule: str) -> list[str]:
    """Warnings where a text may have been read by the wrong rule, or not be masked at all."""
    found = []
    longest = max(map(len, text.sentences), default=0)
    if longest > _LONGEST:
        advice = " Pass --sentences marks if they end at . ? ! instead of line ends." if rule == "lines" else ""
        found.append(f"has a sentence of {longest:,} tokens.{advice}")
    capital = [token for tokens in text.sentences for token in tokens if len(token) > 1 and token.istitle()]
    if len(capital) > _CAPITALS * text.n_tokens:
        found.append(f"does not look masked: it has words such as {capital[0]}. Mask it first if it is plain text.")
    return found
