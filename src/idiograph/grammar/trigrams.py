"""Which events of Q say something new: those that end a trigram that Q has not had before."""

from typing import Any

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]


def first_trigrams(tokens: npt.NDArray[Any], lengths: npt.NDArray[Any]) -> Flags:
    """One flag per event (a token, or the end of a sentence): whether the trigram that ends with it is its first.

    `tokens` are numbers from 1, sentence after sentence, `lengths` how many each sentence has. A sentence has two
    starts before it and one end after it, so its first token ends a trigram too.
    """
    n_events = len(tokens) + len(lengths)
    ends = np.cumsum(lengths + 1, dtype=np.int64) - 1
    own = np.zeros(n_events, np.int64)  # 0 is the end of a sentence
    is_token = np.ones(n_events, bool)
    is_token[ends] = False
    own[is_token] = tokens
    start = int(tokens.max(initial=0)) + 1
    before = np.empty(n_events, np.int64)
    before[1:] = own[:-1]
    # An end is never inside a trigram: what follows it follows the start of a sentence.
    firsts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    before[firsts] = start
    two_before = np.empty(n_events, np.int64)
    two_before[1:] = before[:-1]
    two_before[firsts] = start
    # Pairs are numbered anew, so that no product of three numbers can overflow.
    pairs = np.unique(two_before * (start + 1) + before, return_inverse=True)[1].reshape(-1)
    first = np.unique(pairs * (start + 1) + own, return_index=True)[1]
    flags = np.zeros(n_events, bool)
    flags[first] = True
    return flags
