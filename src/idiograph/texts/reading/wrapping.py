"""Hard-wrapped paragraphs, found by how full their lines are, and joined again.

A program that wraps at W characters breaks a line only where the next word no longer fits:

    length(line) ≤ W < length(line) + 1 + length(first word of the next line)

One W explains nearly all line breaks of a wrapped text, and few of verse, lists, chat or one sentence a line, whose
lines end for other reasons. So W is the width that explains most breaks, the text counts as wrapped if it explains
most of its long lines, and even then only breaks it explains are joined: headings, addresses, the last lines of
paragraphs and lists inside a wrapped text stay as they are.
"""

import re
from dataclasses import dataclass

from idiograph.texts.reading.edits import Edit, edited

_NARROWEST = 40  # characters; shorter lines than this are lists and verse more often than wrapped prose
_OVERLONG = 0.05  # share of lines that may be longer than W: addresses that cannot be broken
_LONG = 0.6  # of W: shorter lines say nothing about wrapping
_EXPLAINED = 0.6  # of the breaks after long lines
_OF_ALL = 0.3  # of all breaks between lines with words: in chat a long line among many is chance
_FEW = 4  # fewer explained breaks than this need a usual width, and sentences that run on from line to line
_USUAL = range(70, 81)  # characters at which mail programs and editors wrap
_ITEM = re.compile(r"(?:[-*•·–—>|#]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])(?:\s|$)|>")
_ENDS_SENTENCE = re.compile(r"[.?!:;…][\"'”’)\]]*$")


@dataclass(frozen=True)
class _Break:
    """A line end between two lines with words: `start` to `end` are the blanks around it."""

    start: int
    end: int
    length: int  # of the line before it
    full: int  # its length had the next word been put on it
    runs_on: bool  # a sentence does: no stop before it, a small letter after it
    barred: bool  # what follows is an item, quoted or indented


def unwrapped(content: str, how: str, *, narrowest: int = _NARROWEST, slack: float = 0.0) -> tuple[str, list[Edit]]:
    """The text with hard-wrapped lines joined, and the edits that undo it.

    `how`: auto decides as described above, always joins every line of a paragraph but items, never leaves all.
    `slack` is the share of W by which lines may differ, for type that is not of one width.
    """
    if how == "never" or "\n" not in content:
        return content, []
    breaks = _breaks(content)
    if how == "auto":
        width = _width(content, breaks, narrowest, slack)
        joined = [one for one in breaks if width is not None and _explains(width, one, slack) and not one.barred]
    else:
        joined = [one for one in breaks if not one.barred]
    return edited(content, ((one.start, one.end, _between(content, one)) for one in joined))


def _breaks(content: str) -> list[_Break]:
    found = []
    for match in re.finditer(r"(?<=\S)[ \t]*\n(?P<indent>[ \t]*)(?=\S)", content):
        begin = content.rfind("\n", 0, match.start()) + 1
        line = content[begin : match.start()]
        word = re.match(r"\S+", content[match.end() : match.end() + 200])
        assert word is not None
        indent = len(match["indent"])
        own_indent = len(line) - len(line.lstrip())
        found.append(
            _Break(
                start=match.start(),
                end=match.end(),
                length=len(line),
                full=len(line) + 1 + len(word[0]),
                runs_on=not _ENDS_SENTENCE.search(line) and word[0][0].islower(),
                barred=indent > own_indent or bool(_ITEM.match(content, match.end())) or line.lstrip().startswith(">"),
            )
        )
    return found


def _width(content: str, breaks: list[_Break], narrowest: int, slack: float) -> int | None:
    """W, or None if the text does not look wrapped."""
    lengths = sorted(len(line.rstrip()) for line in content.split("\n") if " " in line.strip())
    if not breaks or not lengths:
        return None
    least = max(narrowest, lengths[int((len(lengths) - 1) * (1 - _OVERLONG))] if len(lengths) >= 20 else lengths[-1])
    if slack:
        least = max(narrowest, round(least * (1 - slack)))
    # The best width is one at which a line ends: between two such widths nothing more is explained.
    widths = sorted({one.length for one in breaks if one.length >= least} | {least})
    width = max(widths, key=lambda w: (sum(_explains(w, one, slack) for one in breaks), -w))
    explained = [one for one in breaks if _explains(width, one, slack)]
    long = [one for one in breaks if one.length >= _LONG * width]
    if not explained or len(explained) < max(_EXPLAINED * len(long), _OF_ALL * len(breaks)):
        return None
    if len(explained) < _FEW and not all(one.runs_on and _usual(one) for one in explained):
        return None
    return width


def _usual(one: _Break) -> bool:
    return one.length <= _USUAL[-1] and one.full > _USUAL[0]


def _explains(width: int, one: _Break, slack: float) -> bool:
    return one.length <= width * (1 + slack) and one.full > width * (1 - slack)


def _between(content: str, one: _Break) -> str:
    """A blank, or nothing after a hyphen inside a word: plain wrapping breaks after one and adds none."""
    return "" if re.search(r"\w-$", content[: one.start][-2:]) and content[one.end].isalnum() else " "
