"""Changes of a text that can be looked at and undone: where, what stood there, what stands there now."""

from collections.abc import Iterable

Edit = tuple[int, str, str]  # position in the changed text, the old characters, the new ones


def edited(content: str, cuts: Iterable[tuple[int, int, str]]) -> tuple[str, list[Edit]]:
    """The text with each (start, end, replacement) put in, ascending and apart, and the edits that undo it."""
    pieces: list[str] = []
    edits: list[Edit] = []
    done = length = 0
    for start, end, replacement in cuts:
        pieces += [content[done:start], replacement]
        length += start - done
        edits.append((length, content[start:end], replacement))
        length += len(replacement)
        done = end
    return "".join([*pieces, content[done:]]), edits


def undone(content: str, edits: Iterable[Edit]) -> str:
    """The text as it was before the edits."""
    pieces: list[str] = []
    done = 0
    for position, old, new in edits:
        pieces += [content[done:position], old]
        done = position + len(new)
    return "".join([*pieces, content[done:]])
