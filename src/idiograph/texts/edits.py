"""Edits: (start, removed, inserted), first to last, so that a change can be shown, undone and followed back."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

Edit = tuple[int, str, str]
Edits = tuple[Edit, ...]
Span = tuple[int, int]
SpanArray = npt.NDArray[np.int64]


def tight(edits: Iterable[Edit]) -> Edits:
    """The same edits without what they leave as it was: `Hello` to `hello` is one letter."""
    kept = []
    for start, removed, inserted in edits:
        if removed == inserted:
            continue
        shorter = min(len(removed), len(inserted))
        head = next((i for i in range(shorter) if removed[i] != inserted[i]), shorter)
        tail = next((i for i in range(shorter - head) if removed[-1 - i] != inserted[-1 - i]), shorter - head)
        kept.append((start + head, removed[head : len(removed) - tail], inserted[head : len(inserted) - tail]))
    return tuple(kept)


def removals(content: str, spans: Iterable[Span]) -> Edits:
    """Edits that remove these spans; spans that overlap or touch become one."""
    spans = (span for span in spans if span[0] != span[1])
    return tuple((start, content[start:end], "") for start, end in stretches(spans))


def stretches(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap or touch as one."""
    joined_spans: list[Span] = []
    for start, end in sorted(spans):
        if joined_spans and start <= joined_spans[-1][1]:
            joined_spans[-1] = joined_spans[-1][0], max(joined_spans[-1][1], end)
        else:
            joined_spans.append((start, end))
    return joined_spans


def replacing(
    pattern: str | re.Pattern[str], plain: str | Callable[[re.Match[str]], str], *, in_ascii: bool = False
) -> Callable[[str], Edits]:
    """Puts `plain` in place of what the pattern finds; `in_ascii` says whether it finds anything in plain ASCII."""

    def edits_of(content: str) -> Edits:
        if not in_ascii and content.isascii():
            return ()
        edits = (
            (match.start(), match.group(), plain if isinstance(plain, str) else plain(match))
            for match in re.finditer(pattern, content)
        )
        return tuple(edit for edit in edits if edit[1] != edit[2])

    return edits_of


def apply(content: str, edits: Sequence[Edit]) -> str:
    """The text after the edits."""
    parts: list[str] = []
    done = 0
    for start, removed, inserted in edits:
        parts += (content[done:start], inserted)
        done = start + len(removed)
    return "".join(parts) + content[done:]


def inverse(edits: Sequence[Edit]) -> Edits:
    """The edits that lead back from the text after `edits` to the text before."""
    shift = 0
    back = []
    for start, removed, inserted in edits:
        back.append((start + shift, inserted, removed))
        shift += len(inserted) - len(removed)
    return tuple(back)


def joined(content: str, first: Sequence[Edit], second: Sequence[Edit]) -> Edits:
    """One set of edits for two that are made one after the other: `second` is of the text that `first` leaves."""
    if not first or not second:
        return (*first, *second)
    after = apply(content, first)
    # In the text between the two: where the first edits begin, and by how much it is longer then; what either touches.
    begins, longer, touched = [], [0], [(start, start + len(removed)) for start, removed, _ in second]
    for start, removed, inserted in first:
        begins.append(start + longer[-1])
        touched.append((begins[-1], begins[-1] + len(inserted)))
        longer.append(longer[-1] + len(inserted) - len(removed))
    both, waiting = [], list(second)[::-1]
    for start, end in stretches(touched):
        inside = []
        while waiting and waiting[-1][0] <= end:
            at, removed, inserted = waiting.pop()
            inside.append((at - start, removed, inserted))
        before, until = start - longer[bisect_left(begins, start)], end - longer[bisect_right(begins, end)]
        both.append((before, content[before:until], apply(after[start:end], inside)))
    return tuple(both)


def spans_before(edits: Sequence[Edit], spans: SpanArray) -> SpanArray:
    """Where the characters of each (start, end), taken after the edits, were before them.

    A replacement of equal length is followed letter by letter; what lies in any other one comes from all it replaced.
    """
    if not edits or not len(spans):
        return spans
    at = np.array([start for start, _, _ in edits])
    n_removed = np.array([len(removed) for _, removed, _ in edits])
    n_inserted = np.array([len(inserted) for _, _, inserted in edits])
    shift = np.concatenate(
        [[0], np.cumsum(n_removed - n_inserted, dtype=np.int64)]
    )  # before minus after, left of each edit
    after = at - shift[:-1]

    def origin(positions: SpanArray) -> tuple[SpanArray, SpanArray]:
        last = np.searchsorted(after, positions, side="right") - 1
        edit = np.maximum(last, 0)
        replaced = (last >= 0) & (positions < after[edit] + n_inserted[edit]) & (n_removed[edit] != n_inserted[edit])
        # A replacement of equal length leaves the shift as it was, so it needs no case of its own.
        same = positions + shift[last + 1]
        return np.where(replaced, at[edit], same), np.where(replaced, at[edit] + n_removed[edit], same + 1)

    starts, ends = spans[:, 0], spans[:, 1]
    first, _ = origin(starts)
    _, last = origin(ends - 1)
    return np.stack([first, np.where(ends > starts, last, first)], axis=1)
