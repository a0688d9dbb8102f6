"""Edits: (start, removed, inserted) in the order of the text, so that a change can be shown, undone and followed back."""

from collections.abc import Iterable, Sequence

Edit = tuple[int, str, str]
Edits = tuple[Edit, ...]
Span = tuple[int, int]


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
    merged: list[list[int]] = []
    for start, end in sorted(spans):
        if start == end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return tuple((start, content[start:end], "") for start, end in merged)


def apply(content: str, edits: Sequence[Edit]) -> str:
    """The text after the edits."""
    parts = []
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


def span_before(edits: Sequence[Edit], span: Span) -> Span:
    """Where the characters of `span`, taken after the edits, were before them.

    A replacement of equal length is followed letter by letter; what touches any other replacement comes from the whole
    of what it replaced.
    """
    start, end = span
    shift = 0  # positions before minus positions after, left of the current edit
    first, last = start, end
    for at, removed, inserted in edits:
        after = at - shift
        if after >= end:
            break
        beyond = after + len(inserted)
        letterwise = len(removed) == len(inserted)
        if after <= start < beyond:
            first = start + shift if letterwise else at
        if after < end <= beyond:
            last = end + shift if letterwise else at + len(removed)
        shift += len(removed) - len(inserted)
        if beyond <= start:
            first = start + shift
        if beyond < end or (beyond == end and beyond <= start):
            last = end + shift
    else:
        pass
    return first, last
