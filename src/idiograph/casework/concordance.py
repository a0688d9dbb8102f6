"""A concordance: where Q, K and the reference have a word or a masked pattern, and how often each author uses it.

A word or phrase is looked for in the texts as written, whatever its capitals; a pattern in the masked tokens, where *
stands for any one token. Texts that came masked have masked tokens alone, and both are looked for there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from idiograph.casework.inputs import Inputs, Texts, by_author, n_tokens
from idiograph.casework.verification import Line
from idiograph.errors import InputError
from idiograph.texts.text import MaskedText

Role = Literal["q", "k", "reference"]
ANY = "*"
_AROUND = 70  # characters before and after what was found
_MOST_TOKENS = 12


@dataclass(frozen=True)
class Use:
    """How often a side, or an author of the reference, has what was looked for."""

    side: str  # Q1, the candidate, or “reference”
    author: str | None  # of the reference; None for a side as a whole
    n: int
    n_tokens: int
    n_texts: int  # that have it
    of_texts: int

    @property
    def rate(self) -> float:
        """Times per 1,000 tokens."""
        return 1000 * self.n / self.n_tokens if self.n_tokens else 0.0


@dataclass(frozen=True)
class Concordance:
    """What was found, side by side."""

    query: str
    masked: bool
    uses: tuple[Use, ...]  # of Q and K, of the reference as a whole, then of its authors, the highest rate first
    lines: tuple[Line, ...]  # in the order of the texts, those of every side up to the limit

    @property
    def n(self) -> int:
        """All occurrences."""
        return sum(use.n for use in self.uses if use.author is None)


def concordance(inputs: Inputs, query: str, *, masked: bool = False, most: int = 40) -> Concordance:
    """Where a word or phrase occurs, or with `masked` a pattern of masked tokens; `most` lines of each side."""
    wanted = query.split()
    if not wanted or (masked and all(token == ANY for token in wanted)):
        raise InputError("There is nothing to look for. Name a word, a phrase or a pattern of masked tokens.")
    if len(wanted) > _MOST_TOKENS:
        raise InputError(f"A pattern of {len(wanted)} words is longer than the {_MOST_TOKENS} that are looked for.")
    uses: list[Use] = []
    lines: list[Line] = []
    sides: list[tuple[Role, str, Texts]] = [
        *(("q", label, texts) for label, texts in inputs.questioned.items()),
        *(("k", candidate, texts) for candidate, texts in inputs.known.items()),
        ("reference", "reference", inputs.reference),
    ]
    for role, side, texts in sides:
        lines_of = {text.id: list(_lines(inputs, text, role, wanted, masked)) for text in texts}
        uses.append(_use(side, None, texts, lines_of))
        lines += _spread([lines_of[text.id] for text in texts], most)
        if role == "reference":
            each = [_use(side, str(written[0].author), written, lines_of) for written in by_author(texts)]
            uses += sorted(each, key=lambda use: (-use.rate, str(use.author)))
    return Concordance(" ".join(wanted), masked, tuple(uses), tuple(lines))


def _use(side: str, author: str | None, texts: Texts, lines_of: dict[str, list[Line]]) -> Use:
    counts = [len(lines_of[text.id]) for text in texts]
    return Use(side, author, sum(counts), n_tokens(texts), sum(map(bool, counts)), len(texts))


def _spread(texts: list[list[Line]], most: int) -> list[Line]:
    """As many lines as are wanted, one of each text before a second of any, in the order of the texts."""
    taken, depth = [0] * len(texts), 0
    while sum(taken) < most and any(len(lines) > depth for lines in texts):
        for at, lines in enumerate(texts):
            if len(lines) > depth and sum(taken) < most:
                taken[at] += 1
        depth += 1
    return [line for lines, n in zip(texts, taken, strict=True) for line in lines[:n]]


def _lines(inputs: Inputs, text: MaskedText, role: Role, wanted: list[str], masked: bool) -> Iterator[Line]:
    original = inputs.originals.get(text.id)
    if original is not None and not masked:
        phrase = r"\s+".join(map(re.escape, wanted))
        for match in re.finditer(rf"(?<!\w){phrase}(?!\w)", original.content, re.IGNORECASE):
            yield _line(role, text, original.content, *match.span())
        return
    spans = text.spans.tolist() if original is not None else []
    # Masked tokens are told apart by their capitals: N is a noun, and n a letter.
    looked = wanted if masked else [token.casefold() for token in wanted]
    at = 0
    for sentence in text.sentences:
        tokens = sentence if masked else tuple(token.casefold() for token in sentence)
        for first in range(len(tokens) - len(looked) + 1):
            met = zip(looked, tokens[first:], strict=False)
            if all(seen == token or (masked and seen == ANY) for seen, token in met):
                if spans and original is not None:
                    start, end = spans[at + first][0], spans[at + first + len(looked) - 1][1]
                    yield _line(role, text, original.content, start, end)
                else:
                    parts = (sentence[:first], sentence[first : first + len(looked)], sentence[first + len(looked) :])
                    yield _cut(role, text, *(" ".join(part) for part in parts))
        at += len(sentence)


def _line(role: Role, text: MaskedText, content: str, start: int, end: int) -> Line:
    before, after = content[max(0, start - 2 * _AROUND) : start], content[end : end + 2 * _AROUND]
    return _cut(role, text, before, content[start:end], after)


def _cut(role: Role, text: MaskedText, before: str, match: str, after: str) -> Line:
    """A line without line breaks, cut to the characters around what was found."""
    tail, head = " ".join(before.split())[-_AROUND:], " ".join(after.split())[:_AROUND]
    return Line(role, text.id, text.author, tail, match, head)
