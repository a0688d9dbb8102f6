"""N-grams of several texts, numbered and counted; of tokens or of characters, of which it knows only the numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from idiograph.grammar.vocabulary import Numbers


@dataclass(frozen=True)
class Counts:
    """How often each n-gram occurs in each text: text i has the n-grams `ids[starts[i]:starts[i + 1]]`, ascending."""

    starts: Numbers
    ids: Numbers
    times: Numbers
    n_ids: int

    def with_last(self, first: int, chosen: Sequence[int]) -> "Counts":
        """The texts before `first`, and as the last one all of the texts chosen together."""
        own = [slice(self.starts[text], self.starts[text + 1]) for text in chosen]
        ids, place = np.unique(np.concatenate([self.ids[one] for one in own]), return_inverse=True)
        times = np.zeros(len(ids), np.int64)
        np.add.at(times, place.reshape(-1), np.concatenate([self.times[one] for one in own]))
        end = int(self.starts[first])
        return Counts(
            starts=np.append(self.starts[: first + 1], end + len(ids)),
            ids=np.concatenate([self.ids[:end], ids]),
            times=np.concatenate([self.times[:end], times]),
            n_ids=self.n_ids,
        )


def count_n_grams(symbols: Numbers, *, sizes: Sequence[Sequence[int]], lengths: range) -> Counts:
    """The n-grams of these lengths; `sizes` says of how many symbols each piece of each text is.

    No n-gram runs from one piece into the next. They are numbered by length, then in the order of their symbols: other
    texts change the numbers, but not their order, in which sums run.
    """
    n_symbols = int(symbols.max(initial=0)) + 1
    of_pieces = np.array([size for text in sizes for size in text], np.int64)
    text_of = np.repeat(np.arange(len(sizes)), [sum(text) for text in sizes])
    place = np.arange(len(symbols)) - np.repeat(np.cumsum(of_pieces, dtype=np.int64) - of_pieces, of_pieces)
    found, texts = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    ending, n_ids = np.zeros(len(symbols), np.int64), 0  # the number of the n-gram that ends at each symbol
    for length in range(1, lengths.stop):
        ends = np.flatnonzero(place >= length - 1)
        # From the (n − 1)-gram that ends one symbol earlier and the symbol.
        numbered, inverse = np.unique(ending[ends - 1] * n_symbols + symbols[ends], return_inverse=True)
        ending = np.zeros(len(symbols), np.int64)
        ending[ends] = inverse.reshape(-1)
        if length in lengths:
            found.append(n_ids + ending[ends])
            texts.append(text_of[ends])
            n_ids += len(numbered)
    n_ids = max(n_ids, 1)
    pairs, times = np.unique(np.concatenate(texts) * n_ids + np.concatenate(found), return_counts=True)
    starts = np.searchsorted(pairs, np.arange(len(sizes) + 1) * n_ids)
    return Counts(starts, pairs % n_ids, times, n_ids)
