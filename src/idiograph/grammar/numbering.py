"""Every n-gram that occurs twice in a corpus, numbered once.

A model counts n-grams the first time it meets them. With a number for each, "met before" is one look into an array;
an n-gram that occurs once in the whole corpus is new wherever it is met, and needs no number.
"""

from typing import Any

import numpy as np

from idiograph.compiling import compiled, compiled_inline
from idiograph.grammar.stream import END, WIDTH_BITS, WIDTH_MASK


@compiled_inline
def slot_of(key: int, mask: int) -> int:
    """A place in a table of mask + 1 slots; no sum beyond 63 bits, so that interpreted and compiled code agree."""
    return ((key >> 32) * 0x2545F491 + (key & 0x7FFFFFFF) * 0x5851F42D >> 20) & mask


@compiled_inline
def find(table: Any, key: int, mask: int) -> int:
    """The slot that holds `key` (never 0), or the empty one where it belongs."""
    slot = slot_of(key, mask)
    while (table[slot, 0] != key) & (table[slot, 0] != 0):
        slot = (slot + 1) & mask
    return slot


@compiled
def grown(table: Any, size: int) -> Any:
    """The entries in a table of `size` slots."""
    larger = np.zeros((size, 2), np.int64)
    for entry in range(len(table)):
        if table[entry, 0] != 0:
            slot = find(larger, table[entry, 0], size - 1)
            larger[slot, 0] = table[entry, 0]
            larger[slot, 1] = table[entry, 1]
    return larger


@compiled
def number_n_grams(tokens: Any, starts: Any, n_types: int, order: int) -> Any:
    """The stream of a corpus, where each sentence starts in it, and how many numbers were given.

    An m-gram is told by its first and its last m − 1 tokens; if either occurs once, so does the m-gram.
    """
    n_sentences = len(starts) - 1
    n_events = len(tokens) + n_sentences
    events = np.empty(n_events, np.int32)
    before = np.empty(n_events, np.int32)  # tokens of its sentence before the event
    times = np.zeros(n_types, np.int32)
    n = 0
    for sentence in range(n_sentences):
        begin, end = starts[sentence], starts[sentence + 1]
        for position in range(begin, end + 1):
            token = tokens[position] if position < end else END
            events[n] = token
            before[n] = position - begin
            times[token] += 1
            n += 1

    levels = np.zeros((order + 1, n_events), np.int32)  # numbers of the m-grams at each event; 0: occurs once
    active = np.empty(n_events, np.int32)
    n_active = 0
    for event in range(n_events):
        if times[events[event]] > 1:
            levels[1, event] = events[event] + 2
            active[n_active] = event
            n_active += 1
    counts = np.empty(n_events + 1, np.int32)
    n_ids = 0
    for m in range(2, order + 1):
        shorter, level = levels[m - 1], levels[m]
        table = np.zeros((1024, 2), np.int64)
        n_found = 0
        kept = 0
        for i in range(n_active):
            event = active[i]
            if before[event] + 2 < m:
                continue
            head = int(shorter[event - 1]) if before[event] > 0 else 1
            if head == 0:
                continue
            active[kept] = event
            kept += 1
            key = (head << 32) | int(shorter[event])
            slot = find(table, key, len(table) - 1)
            if table[slot, 0] == 0:
                n_found += 1
                table[slot, 0] = key
                table[slot, 1] = n_found
                if 2 * n_found > len(table):
                    table = grown(table, 2 * len(table))
                level[event] = n_found
                counts[n_found] = 1
            else:
                number_found = table[slot, 1]
                counts[number_found] += 1
                level[event] = number_found
        # Frequent ones first: what is looked up most lies together. Numbers are negative here, unlike counts.
        for least in (64, 16, 4, 2):
            for number_found in range(1, n_found + 1):
                if counts[number_found] >= least:
                    n_ids += 1
                    counts[number_found] = -n_ids
        n_active = 0
        for i in range(kept):
            event = active[i]
            number = -counts[level[event]]
            level[event] = max(number, 0)
            active[n_active] = event
            n_active += number > 0

    total = 1
    widths = np.zeros(n_events, np.int32)
    for event in range(n_events):
        m = 2
        while m <= order and levels[m, event] != 0:
            m += 1
        widths[event] = m - 2
        total += m - 1
    stream = np.empty(total, np.uint32)
    stream[0] = 0  # read in place of a number that is not there
    places = np.empty(n_sentences + 1, np.int64)
    at = 1
    event = 0
    for sentence in range(n_sentences):
        places[sentence] = at
        for _ in range(starts[sentence + 1] - starts[sentence] + 1):
            width = widths[event]
            stream[at] = (events[event] << WIDTH_BITS) | width
            for m in range(2, width + 2):
                stream[at + m - 1] = levels[m, event]
            at += width + 1
            event += 1
    places[n_sentences] = at
    return stream, places, n_ids


@compiled
def fits(tokens: Any, starts: Any, stream: Any, places: Any, n_ids: int, order: int) -> bool:
    """Whether stream and places are such as `number_n_grams` makes of these tokens, so that kernels may trust them."""
    n_sentences = len(starts) - 1
    if starts[0] != 0 or starts[n_sentences] != len(tokens):
        return False
    if len(stream) == 0 or stream[0] != 0 or places[0] != 1 or places[n_sentences] != len(stream):
        return False
    for sentence in range(n_sentences):
        begin, end = starts[sentence], starts[sentence + 1]
        at, beyond = places[sentence], places[sentence + 1]
        # Differences of the largest numbers would wrap around, so both are compared with what they may be at most.
        if not (0 <= begin <= end <= len(tokens) and 0 <= at <= beyond <= len(stream)):
            return False
        for position in range(begin, end + 1):
            if at >= beyond:
                return False
            token = tokens[position] if position < end else END
            width = stream[at] & WIDTH_MASK
            if stream[at] >> WIDTH_BITS != token or width >= order or width > position - begin + 1:
                return False
            if at + width >= beyond:
                return False
            for i in range(1, width + 1):
                if not 1 <= stream[at + i] <= n_ids:
                    return False
            at += width + 1
        if at != beyond:
            return False
    return True
