"""Hard-wrapped paragraphs, found by how full their lines are, and joined again.

A program that wraps at W characters breaks a line only where the next word no longer fits:

    length(line) ≤ W < length(line) + 1 + length(first word of the next line)

One W explains nearly all line breaks of a wrapped text, and few of verse, lists, chat or one sentence per line, whose
lines end for other reasons. So W is the width that explains most breaks, the text counts as wrapped if it explains
most of its long lines and few lines begin with a capital in mid-sentence, as they do in verse whose lines happen to
be of one length. Even then only breaks it explains are joined: headings, addresses, the last lines of
paragraphs and lists inside a wrapped text stay as they are.

Lines that were edited after they were wrapped have no common width. Where nearly all long lines of a text that
capitalises its sentences continue in lower case without a stop before them, these are joined too.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass

from idiograph.texts.edits import Edit, Edits

JOINED = "hard-wrapped lines joined"
HYPHEN = "\ufffe"  # what PDFium puts for a hyphen at the end of a line

_NARROWEST = 40  # characters; shorter lines than this are lists and verse more often than wrapped prose
_OVERLONG = 0.05  # share of lines that may be longer than W: addresses that cannot be broken
_LONG = 0.6  # of W: shorter lines say nothing about wrapping
_EXPLAINED = 0.6  # of the breaks after long lines
_OF_ALL = 0.3  # of all breaks between lines with words: in chat a long line among many is chance
_CAPITAL = 0.6  # of the lines that go on after no stop: verse capitalises them all, German prose its nouns
_RUN_ON = 0.8  # of the breaks, for text without a common width; and of its sentences that begin with a capital
_RUNNING = 45  # characters that half of such lines have at least: free verse and lists are shorter
_FEW = 4  # fewer explained breaks than this need a usual width, and sentences that begin and visibly run on
_MORE_OFTEN = 3  # times what an editor's line ends would have of hyphens
_USUAL = range(70, 81)  # characters at which mail programs and editors wrap
# Characters per line. A break is explained only by 40 characters around it (on a page by 18), each of which counts for
# two breaks at most, and three in ten breaks must be explained: lines that are shorter on average are never joined.
_SHORTEST_MEAN, _SHORTEST_MEAN_LAID_OUT = 6, 2.5
# In a PDF every line is laid out, and letters are not of one width.
_NARROWEST_LAID_OUT = 20
_SLACK = 0.12

# `a.` at a line's beginning ends a sentence more often than it begins an item, so letters need a bracket.
_ITEM = re.compile(r"(?:[-*•·‣–—|#]|\(?\d{1,3}[.)]|\(?[a-zA-Z]\))(?:\s|$)|>")
_ENDS_SENTENCE = re.compile(r"[.?!:;…][\"'”’)\]]*$")
_SENTENCE_START = re.compile(r"[.?!][\"'”’)\]]* +[\"'“‘(\[]*([^\W\d_])")
_WORD = re.compile(r"\w[\w'’-]*")


@dataclass(frozen=True, slots=True)
class _Break:
    """A line end between two lines with words: `start` to `end` are the blanks around it."""

    start: int
    end: int
    length: int  # of the line before it
    full: int  # its length had the next word been put on it
    opens: bool  # a sentence does, at the beginning of the line before it
    ends: bool  # a sentence does, before it
    runs_on: bool  # a sentence does: no stop before it, a small letter after it
    capital: bool  # after it, though no sentence ended
    barred: bool  # what follows is an item, quoted or indented
    hyphenated: bool


def unwrapping(content: str, how: str, *, laid_out: bool = False, keep_hyphens: bool = False) -> Edits:
    """The edits that join hard-wrapped lines, and the words that were divided at their ends.

    `how`: auto decides as described above, always joins every line of a paragraph but items, never leaves all.
    `laid_out` is for text off a page, whose lines are not of one width in characters. `keep_hyphens`: words of a plain
    text are never taken for divided unless it has them whole.
    """
    if how == "never" or "\n" not in content:
        return ()
    shortest = _SHORTEST_MEAN_LAID_OUT if laid_out else _SHORTEST_MEAN
    if how == "auto" and HYPHEN not in content and content.count("\n") * shortest > len(content):
        return ()
    breaks = _breaks(content)
    slack = _SLACK if laid_out else 0.0
    width = _width(content, breaks, slack, laid_out=laid_out) if how == "auto" else None
    runs_on = how == "auto" and _runs_on(content, breaks)

    def is_wrapped(line_end: _Break) -> bool:
        # Where a sentence ends, a line that is nearly full may well be the last of its paragraph.
        full = width is not None and _explains(width, line_end, 0.0 if line_end.ends else slack)
        return how == "always" or full or (runs_on and line_end.runs_on)

    joined = [line_end for line_end in breaks if line_end.hyphenated or (not line_end.barred and is_wrapped(line_end))]
    words = {word.casefold() for word in _WORD.findall(content)} if joined else set()
    divided = not keep_hyphens and _is_divided(content, joined)
    return tuple(_join(content, line_end, words, divided=divided) for line_end in joined)


def _is_divided(content: str, joined: list[_Break]) -> bool:
    """Whether lines of a plain text end in hyphens so often that a printer or a scanner must have put them there.

    An editor breaks a line after a hyphen that is there anyway: n lines of a text with W words, C of them compounds,
    then have about n·C/W.
    """
    ends = sum(
        bool(re.search(r"[^\W\d_]-$", content[max(line_end.start - 2, 0) : line_end.start])) for line_end in joined
    )
    if ends < _FEW:
        return False
    compounds = len(re.findall(r"[^\W\d_]-(?=[^\W\d_])", content))
    return ends > _MORE_OFTEN * len(joined) * (compounds + 1) / len(content.split())


def _breaks(content: str) -> list[_Break]:
    breaks = []
    for match in re.finditer(r"(?<=\S)[ \t]*\n(?P<indent>[ \t]*)(?=\S)", content):
        begin = content.rfind("\n", 0, match.start()) + 1
        line = content[begin : match.start()]
        word = re.compile(r"\S+").match(content, match.end())
        assert word is not None
        ends = bool(_ENDS_SENTENCE.search(line))
        deeper = len(match["indent"]) > len(line) - len(line.lstrip())
        breaks.append(
            _Break(
                start=match.start(),
                end=match.end(),
                length=len(line),
                full=len(line) + 1 + len(word[0]),
                opens=line.lstrip(" \t\"'“‘(")[:1].isupper(),
                ends=ends,
                runs_on=not ends and word[0][0].islower(),
                capital=not ends and word[0][0].isupper(),
                barred=deeper or bool(_ITEM.match(content, match.end())) or line.lstrip().startswith(">"),
                hyphenated=line.endswith(HYPHEN),
            )
        )
    return breaks


def _width(content: str, breaks: list[_Break], slack: float, *, laid_out: bool) -> int | None:
    """W, or None if the text does not look wrapped."""
    lengths = sorted(len(line.rstrip()) for line in content.split("\n") if " " in line.strip())
    if not breaks or not lengths:
        return None
    longest = lengths[int((len(lengths) - 1) * (1 - _OVERLONG))] if len(lengths) >= 20 else lengths[-1]
    least = max(_NARROWEST_LAID_OUT if laid_out else _NARROWEST, round(longest * (1 - slack)))
    # The best width is one at which a line ends: between two such widths nothing more is explained.
    widths = sorted({line_end.length for line_end in breaks if line_end.length >= least} | {least})
    ends, fulls = sorted(line_end.length for line_end in breaks), sorted(line_end.full for line_end in breaks)

    def n_explained(width: int) -> int:
        return bisect_right(ends, width * (1 + slack)) - bisect_right(fulls, width * (1 - slack))

    width = max(widths, key=lambda width: (n_explained(width), -width))
    explained = [line_end for line_end in breaks if _explains(width, line_end, slack)]
    long = [line_end for line_end in breaks if line_end.length >= _LONG * width]
    if not explained or len(explained) < max(_EXPLAINED * len(long), _OF_ALL * len(breaks)):
        return None
    capital = sum(line_end.capital for line_end in explained)
    if capital > _CAPITAL * sum(not line_end.ends for line_end in explained) and not content.isupper():
        return None
    if len(explained) < _FEW:
        usual = all(line_end.length <= _USUAL[-1] and line_end.full > _USUAL[0] for line_end in explained)
        likely = laid_out or (usual and explained[0].opens)
        return width if likely and all(line_end.runs_on for line_end in explained) else None
    return width


def _runs_on(content: str, breaks: list[_Break]) -> bool:
    """Whether nearly all lines continue in mid-sentence, in a text whose sentences begin with capitals."""
    running = sorted(line_end.length for line_end in breaks if line_end.runs_on)
    if len(running) < max(_FEW, _RUN_ON * len(breaks)) or running[len(running) // 2] < _RUNNING:
        return False
    starts = _SENTENCE_START.findall(content)
    return len(starts) >= _FEW and sum(letter.isupper() for letter in starts) >= _RUN_ON * len(starts)


def _explains(width: int, line_end: _Break, slack: float) -> bool:
    return line_end.length <= width * (1 + slack) and line_end.full > width * (1 - slack)


def _join(content: str, line_end: _Break, words: set[str], *, divided: bool) -> Edit:
    """The edit that joins two lines: with a blank, or within a word that was divided at its hyphen.

    Whether the hyphen belongs to the word is decided by the words of the text itself; if they are silent, plain text
    keeps it, since editors break after hyphens but add none, and a page loses it, since typesetters do add them; so
    does a plain text that is `divided` like one.
    """
    before = re.search(rf"(\w[\w'’-]*)(?:-|{HYPHEN})$", content[max(line_end.start - 60, 0) : line_end.start])
    after = _WORD.match(content, line_end.end)
    if before is None or after is None:
        return (line_end.start, content[line_end.start : line_end.end], " ")
    whole = (before[1] + after[0]).casefold()
    compound = f"{before[1]}-{after[0]}".casefold()
    added = (line_end.hyphenated or divided) and after[0][0].islower() and not before[1][-1].isdigit()
    belongs = compound in words or not (whole in words or added)
    start = line_end.start - 1
    return (start, content[start : line_end.end], "-" if belongs else "")
