"""What Q and K have in common: the longest shared n-gram at each token."""

import numpy as np
import numpy.typing as npt

from idiograph.grammar.sides import Comparable, bring_together
from idiograph.grammar.stream import events


def longest_matches(q: Comparable, k: Comparable, *, order: int = 10) -> tuple[npt.NDArray[np.int32], ...]:
    """For each sentence of Q, at each token and then at the end, how many tokens of Q up to there K has in a row.

    The sentence's end counts as a token, its start does not; `order` is the most that is looked for.
    """
    sides = bring_together(q=q, k=k, reference=[], order=order)
    index = sides.index
    tokens: set[int] = set()
    n_grams: set[int] = set()
    for number in sides.k:
        for token, numbers in events(index, int(number)):
            tokens.add(token)
            n_grams.update(numbers[: order - 1])
    matches = []
    for number in sides.q:
        lengths = []
        for before, (token, numbers) in enumerate(events(index, int(number))):
            shared = sum(n_gram in n_grams for n_gram in numbers[: order - 1])
            lengths.append(min(shared + 1, before + 1) if token in tokens else 0)
        matches.append(np.array(lengths, np.int32))
    return tuple(matches)
