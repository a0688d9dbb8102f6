"""What Q and K have in common: the longest shared n-gram at each token."""

from typing import Any

import numpy as np
import numpy.typing as npt

from idiograph.compiling import compiled, run
from idiograph.grammar.sides import Comparable, bring_together
from idiograph.grammar.stream import WIDTH_BITS, WIDTH_MASK


def longest_matches(q: Comparable, k: Comparable, *, order: int = 10) -> tuple[npt.NDArray[np.int32], ...]:
    """For each sentence of Q, at each token and then at the end, how many tokens of Q up to there K has in a row.

    The sentence's end counts as a token, its start does not; `order` is the most that is looked for.
    """
    sides = bring_together(q=q, k=k, reference=[], order=order)
    index = sides.index
    ends = np.cumsum(index.sentence_lengths[sides.q] + 1, dtype=np.int64)
    types, n_grams = np.zeros(len(index.types) + 1, np.bool_), np.zeros(index.n_ids + 1, np.bool_)
    n_events = int(ends[-1]) if len(ends) else 0
    lengths = run(match, index.stream, index.places, sides.q, sides.k, order, types, n_grams, n_events)
    return tuple(np.split(lengths, ends[:-1]))


@compiled
def match(
    stream: Any, places: Any, q_numbers: Any, k_numbers: Any, order: int, types: Any, n_grams: Any, n_events: int
) -> Any:
    """The length of the match at each event of Q; `types` and `n_grams` are room to note what K has."""
    for number in k_numbers:
        place = places[number]
        while place < places[number + 1]:
            width = stream[place] & WIDTH_MASK
            types[stream[place] >> WIDTH_BITS] = True
            for i in range(min(width, order - 1)):
                n_grams[stream[place + 1 + i]] = True
            place += width + 1
    lengths = np.zeros(n_events, np.int32)
    event = 0
    for number in q_numbers:
        place, before = places[number], 0
        while place < places[number + 1]:
            width = stream[place] & WIDTH_MASK
            before += 1
            if types[stream[place] >> WIDTH_BITS]:
                shared = 1
                for i in range(min(width, order - 1)):
                    shared += n_grams[stream[place + 1 + i]]
                lengths[event] = min(shared, before)
            event += 1
            place += width + 1
    return lengths
