"""What Q and K have in common: the longest shared n-gram at each token, and where an n-gram stands."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from idiograph.errors import InputError
from idiograph.grammar.part import Part
from idiograph.grammar.sides import Side, bring_together
from idiograph.grammar.stream import events
from idiograph.grammar.vocabulary import Numbers


def longest_matches(q: Side, k: Side, *, order: int = 10) -> tuple[npt.NDArray[np.int32], ...]:
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


def find_n_gram(part: Part, n_gram: Sequence[str]) -> Numbers:
    """The numbers of the part's sentences in which these tokens stand in a row, each once, in order."""
    if isinstance(n_gram, str) or len(n_gram) == 0:
        raise InputError(f"The n-gram to look for is {n_gram!r}. Give its tokens as a list.")
    index = part.index
    wanted = [index.vocabulary.get(token) for token in n_gram]
    if None in wanted or len(wanted) > index.n_tokens:
        return part.sentence_numbers[:0]
    n_places = index.n_tokens - len(wanted) + 1
    found = np.ones(n_places, bool)
    for offset, token in enumerate(wanted):
        found &= index.tokens[offset : offset + n_places] == token
    first = np.flatnonzero(found)
    sentence = np.searchsorted(index.starts, first, side="right") - 1
    whole = first + len(wanted) <= index.starts[sentence + 1]
    return np.intersect1d(sentence[whole], part.sentence_numbers)
