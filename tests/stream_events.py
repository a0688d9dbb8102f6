"""What stands in the stream of an index, event by event."""

from collections.abc import Iterator

from idiograph import Index
from idiograph.grammar.stream import WIDTH_BITS, WIDTH_MASK


def events(index: Index, sentence_number: int) -> Iterator[tuple[int, list[int]]]:
    """Each event of a sentence: its token, and the numbers of the n-grams from 2 on that end there."""
    words = index.stream[index.places[sentence_number] : index.places[sentence_number + 1]].tolist()
    position = 0
    while position < len(words):
        width = words[position] & WIDTH_MASK
        yield words[position] >> WIDTH_BITS, words[position + 1 : position + 1 + width]
        position += 1 + width
