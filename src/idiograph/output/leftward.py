"""Words from right to left among others: which way a text runs, and marks that keep the rest in its order."""

import re
import unicodedata

_RTL = r"\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
# Words with what stands between them; the parts of a path follow each other from left to right.
_STRETCH = re.compile(rf"[{_RTL}](?:(?:[{_RTL}\d_]|[^\w/\\])*[{_RTL}])?")
_FILE = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_ISOLATE, _END = "\u2067", "\u2069"  # right to left, whatever stands around
_LEFT_TO_RIGHT = "\u200e"  # a letter without width


def runs_right_to_left(text: str) -> bool:
    """Whether most letters of a text are written from right to left."""
    ways = [unicodedata.bidirectional(char) for char in text]
    return sum(way in ("R", "AL") for way in ways) > ways.count("L")


def isolated(text: str) -> str:
    """The text with marks that keep words from right to left from turning the numbers and signs after them round.

    A sentence that begins with such words is kept together with its full stop; in any other, and in the name of a
    file, each stretch of them.
    """
    if text.isascii() or not (found := _STRETCH.search(text)):
        return text
    opens = not any(map(str.isalpha, text[: found.start()]))
    if opens and runs_right_to_left(text) and not _FILE.search(text):
        return f"{_ISOLATE}{text}{_END}"
    return _STRETCH.sub(rf"{_ISOLATE}\g<0>{_END}", text)


def marked(text: str) -> str:
    """The same for one line of a figure, whose font has no such marks: the line runs from left to right."""
    if text.isascii() or not _STRETCH.search(text):
        return text
    return _LEFT_TO_RIGHT + _STRETCH.sub(rf"\g<0>{_LEFT_TO_RIGHT}", text)
