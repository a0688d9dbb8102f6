"""The originals of masked sentences: what stood where each of them stands, blanks and line ends included."""

from collections.abc import Iterable

from idiograph.texts.text import MaskedText


def original_sentences(text: MaskedText, content: str) -> tuple[str, ...]:
    """Each sentence as written, up to where the next one begins; what stands before the first token is left out."""
    before, starts = 0, []
    for sentence in text.sentences:
        # A sentence without a token begins where the next one does.
        starts.append(int(text.spans[before, 0]) if before < len(text.spans) else len(content))
        before += len(sentence)
    ends = [*starts[1:], len(content)]
    return tuple(content[start:end] for start, end in zip(starts, ends, strict=True))


def pieces(sentences: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    """Numbered sentences as stretches of the original: those that follow each other are one piece."""
    found: list[str] = []
    last = None
    for number, sentence in sentences:
        if found and last == number - 1:
            found[-1] += sentence
        else:
            found.append(sentence)
        last = number
    return tuple(found)
