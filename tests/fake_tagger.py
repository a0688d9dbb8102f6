"""A tagger for tests: words and marks by a regular expression, tags by their looks, no spaCy."""

import re
from collections.abc import Sequence

import numpy as np

from idiograph.texts.masking.tagger import TaggedLines

_TOKEN = re.compile(r"<\w+>|\w+|[^\w\s]")


def look(word: str) -> str:
    """The part of speech a word looks like."""
    if not word[0].isalnum():
        return "PUNCT"
    if word.isdigit():
        return "NUM"
    if word.endswith("s"):
        return "VERB"
    return "PROPN" if word[0].isupper() else "NOUN"


class FakeTagger:
    """Counts how many lines it was given."""

    way = "made up"

    def __init__(self) -> None:
        self.lines: list[str] = []

    def tag(self, lines: Sequence[str], *, ahead: int = 0) -> TaggedLines:
        self.lines += lines
        kinds, kind, line, starts, spans = [], [], [], [], []
        for number, text in enumerate(lines):
            ended = True
            for match in _TOKEN.finditer(text):
                kind.append(len(kinds))
                kinds.append((match.group().lower(), look(match.group())))
                line.append(number)
                starts.append(ended)
                spans.append(match.span())
                ended = match.group() in ".?!"
        return TaggedLines(
            kinds,
            np.array(kind, np.intp),
            np.array(line, np.intp),
            np.array(starts, np.bool_),
            np.array(spans, np.int32).reshape(-1, 2),
        )
