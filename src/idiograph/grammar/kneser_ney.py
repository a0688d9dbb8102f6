"""The compiled kernels: what Q needs counted, the counts of one model, and P(token | context) from them.

Only contexts that occur in Q matter, so Q's n-grams become the nodes of a trie, and the sentences of a model are
read through it like through an automaton: one step a token, to the longest suffix that Q has too. The trie is small
and stays in the processor's cache whatever the size of the corpus.

A node g of m tokens has a row of counts, valid if stamped with the current model's number:

    FOLLOWERS   N1+(g•)
    AROUND      N1+(•g•);  c(g) as a context where m = N−1 or g starts a sentence
    BEFORE      N1+(•g);   c(g) where m = N or g starts a sentence

<BOS> marks beyond the first change no count (they precede the same sentence starts), so a sentence has one, which
stands for all: a node that starts with it has N1+(•g) = 1 and N1+(•g•) = N1+(g•), and its row is free for c(g).
"""

from math import log10
from typing import Any

import numpy as np

from idiograph.grammar.compiling import compiled

END = 0  # the number of <EOS>; tokens are numbered from 1
FOLLOWERS, AROUND, BEFORE, STAMP = 0, 1, 2, 3
ROOT, START = 0, 1  # the nodes of the empty n-gram and of <BOS>
NONE = -1
# A product of probabilities is logged before it can underflow; no single probability comes near this.
SMALL = 1e-150

_kernel = compiled(__file__)


@_kernel
def slot_of(key: int, mask: int) -> int:
    """A place in a table of mask + 1 slots; only 63-bit products, so that interpreted and compiled code agree."""
    folded = key ^ (key >> 29)
    return int(((folded & 0x7FFFFFFF) * 0x9E3779B1) >> 24) & mask


@_kernel
def child_of(node: int, token: int, trie: Any, first: Any, keys: Any, children: Any, width: int) -> int:
    """The node of `node` followed by `token`, or NONE."""
    if node == ROOT:
        return int(first[token])
    if trie[node, 2] == token:
        return int(trie[node, 3])
    if trie[node, 2] == NONE:
        return NONE
    mask = len(keys) - 1
    key = int(node) * width + int(token)
    slot = slot_of(key, mask)
    while keys[slot] != NONE:
        if keys[slot] == key:
            return int(children[slot])
        slot = (slot + 1) & mask
    return NONE


@_kernel
def n_grams_of(tokens: Any, starts: Any, numbers: Any, order: int, n_types: int) -> Any:
    """The trie of Q's n-grams up to `order`, and for each of Q's events its chain of nodes, shortest first.

    A trie row is (node without its oldest token, node without its last token, first child's token, first child);
    further children are in the hash table (keys, children), the root's in `first`.
    """
    n_events = 0
    for number in numbers:
        n_events += starts[number + 1] - starts[number] + 1
    trie = np.empty((n_events * order + 2, 4), np.int32)
    chains = np.empty((n_events, order + 1), np.int32)
    lengths = np.empty(n_events, np.int32)  # of each chain: `order`, or less where <BOS> ends it
    first = np.full(n_types, NONE, np.int32)
    size = 16
    while size < 2 * len(trie):
        size *= 2
    keys = np.full(size, NONE, np.int64)
    children = np.empty(size, np.int32)
    mask = size - 1
    trie[ROOT] = NONE
    trie[START, 0] = ROOT
    trie[START, 1:] = NONE
    n_nodes = 2
    context = np.empty(order + 1, np.int32)
    event = 0
    for number in numbers:
        begin, end = starts[number], starts[number + 1]
        context[0] = ROOT
        depth = 0
        if order > 1:
            context[1] = START
            depth = 1
        for position in range(begin, end + 1):
            token = tokens[position] if position < end else END
            chain = chains[event]
            chain[0] = ROOT
            for length in range(depth + 1):
                parent = context[length]
                node = child_of(parent, token, trie, first, keys, children, n_types)
                if node == NONE:
                    node = n_nodes
                    n_nodes += 1
                    trie[node, 0] = chain[length]
                    trie[node, 1] = parent
                    trie[node, 2] = NONE
                    trie[node, 3] = NONE
                    if parent == ROOT:
                        first[token] = node
                    elif trie[parent, 2] == NONE:
                        trie[parent, 2] = token
                        trie[parent, 3] = node
                    else:
                        key = int(parent) * n_types + int(token)
                        slot = slot_of(key, mask)
                        while keys[slot] != NONE:
                            slot = (slot + 1) & mask
                        keys[slot] = key
                        children[slot] = node
                chain[length + 1] = node
            lengths[event] = depth + 1
            depth = min(depth + 1, order - 1)
            for length in range(1, depth + 1):
                context[length] = chain[length]
            event += 1
    return trie[:n_nodes], first, keys, children, chains, lengths


@_kernel
def grown(seen: Any, stamp: int, size: int) -> Any:
    """A larger table with the entries of the current model."""
    larger = np.zeros((size, 2), np.int64)
    for entry in range(len(seen)):
        if seen[entry, 1] >> 32 == stamp:
            slot = slot_of(seen[entry, 0], size - 1)
            while larger[slot, 1] >> 32 == stamp:
                slot = (slot + 1) & (size - 1)
            larger[slot] = seen[entry]
    return larger


@_kernel
def touch(counts: Any, node: int, column: int, stamp: int) -> None:
    """Adds one; a row of an earlier model starts again at nought."""
    if counts[node, STAMP] != stamp:
        counts[node, FOLLOWERS] = 0
        counts[node, AROUND] = 0
        counts[node, BEFORE] = 0
        counts[node, STAMP] = stamp
    counts[node, column] += 1


@_kernel
def count(
    tokens: Any,
    starts: Any,
    numbers: Any,
    order: int,
    bits: int,
    trie: Any,
    first: Any,
    keys: Any,
    children: Any,
    counts: Any,
    local: Any,
    base: int,
    seen: Any,
    stamp: int,
) -> Any:
    """Counts the sentences `numbers` as one model; returns the next free local token number and the table.

    Every token gets a number of its own in this model. An n-gram is new if its longest suffix is, so each event
    looks up its suffixes from the shortest until one is new. `seen` maps (middle node, oldest token, last token) to
    where it was read first; the longer n-grams of that place enter the table only when someone asks for them.
    """
    n_events = 0
    for number in numbers:
        n_events += starts[number + 1] - starts[number] + 1
    read = np.empty(n_events + len(numbers), np.int32)  # local numbers as read, a 0 before each sentence
    context = np.empty(order + 1, np.int32)
    matched = np.empty(order + 1, np.int32)
    context[0] = ROOT
    matched[0] = ROOT
    n_local = base
    n_seen = 0
    n_read = 0
    n_types = len(first)
    for number in numbers:
        begin, end = starts[number], starts[number + 1]
        if 2 * (n_seen + (end - begin + 1) * order) > len(seen):
            size = len(seen)
            while 2 * (n_seen + (end - begin + 1) * order) > size:
                size *= 2
            seen = grown(seen, stamp, size)
        mask = len(seen) - 1
        read[n_read] = 0
        n_read += 1
        depth = 0
        if order > 1:
            context[1] = START
            depth = 1
        for position in range(begin, end + 1):
            at = position - begin
            token = tokens[position] if position < end else END
            if local[token] < base:
                local[token] = n_local
                n_local += 1
                touch(counts, ROOT, FOLLOWERS, stamp)
            last = int(local[token]) - base + 1
            read[n_read] = last

            length = depth
            node = child_of(context[length], token, trie, first, keys, children, n_types)
            while node == NONE and length > 0:
                length -= 1
                node = child_of(context[length], token, trie, first, keys, children, n_types)
            n_matched = 0
            if node != NONE:
                n_matched = length + 1
                for i in range(n_matched, 0, -1):
                    matched[i] = node
                    node = int(trie[node, 0])

            if depth == order - 1 or depth == at + 1:
                touch(counts, context[depth], AROUND, stamp)
            if n_matched == order or (n_matched == at + 2 and n_matched > 0):
                touch(counts, matched[n_matched], BEFORE, stamp)

            top = min(order, depth + 2, at + 2)
            new = False
            for m in range(2, top + 1):
                if not new:
                    key = (((int(context[m - 2]) << bits) | int(read[n_read - m + 1])) << bits) | last
                    slot = slot_of(key, mask)
                    new = True
                    while seen[slot, 1] >> 32 == stamp:
                        if seen[slot, 0] == key:
                            new = False
                            break
                        slot = (slot + 1) & mask
                    if new:
                        seen[slot, 0] = key
                        seen[slot, 1] = (stamp << 32) + n_read
                        n_seen += 1
                    elif m < top and seen[slot, 1] != stamp << 32:
                        earlier = seen[slot, 1] - (stamp << 32)
                        seen[slot, 1] = stamp << 32
                        key = (((int(context[m - 1]) << bits) | int(read[earlier - m])) << bits) | last
                        slot = slot_of(key, mask)
                        while seen[slot, 1] >> 32 == stamp:
                            slot = (slot + 1) & mask
                        seen[slot, 0] = key
                        seen[slot, 1] = (stamp << 32) + earlier
                        n_seen += 1
                if new:
                    if m - 1 <= depth:
                        touch(counts, context[m - 1], FOLLOWERS, stamp)
                    touch(counts, context[m - 2], AROUND, stamp)
                    if m - 1 <= n_matched:
                        touch(counts, matched[m - 1], BEFORE, stamp)
            n_read += 1
            depth = min(n_matched, order - 1)
            for i in range(1, depth + 1):
                context[i] = matched[i]
    return n_local, seen


@_kernel
def probabilities(chains: Any, lengths: Any, trie: Any, counts: Any, stamp: int, order: int, discount: float) -> Any:
    """P(token | context) of Q's events under the model counted last.

        P(w|h) = (max(c − D, 0) + D · N1+(h•) · P(w|h′)) / n

    where c and n are N1+(•hw) and N1+(•h•), or at the full context c(hw) and c(h); the empty context's base is one
    in the number of the model's types, <EOS> included, and <UNK>. A context not seen in the model is passed over.
    """
    n_events = len(chains)
    probs = np.empty(n_events)
    base = 1.0 / (counts[ROOT, FOLLOWERS] + 1)
    for event in range(n_events):
        prob = base
        depth = lengths[event]
        for m in range(1, depth + 1):
            node = chains[event, m]
            parent = trie[node, 1]
            if counts[parent, STAMP] != stamp:
                break
            followers = counts[parent, FOLLOWERS]
            if followers == 0:
                break
            times = counts[node, BEFORE] if counts[node, STAMP] == stamp else 0
            if m == depth:
                # The other <BOS> marks, up to the full context: a node that starts with one stands for all.
                once = 1.0 - discount if times > 0 else 0.0
                for _ in range(m, order):
                    prob = (once + discount * followers * prob) / followers
            prob = (max(times - discount, 0.0) + discount * followers * prob) / counts[parent, AROUND]
        probs[event] = prob
    return probs


@_kernel
def log10_ratios(
    q_tokens: Any,
    q_starts: Any,
    q_numbers: Any,
    k_tokens: Any,
    k_starts: Any,
    k_numbers: Any,
    r_tokens: Any,
    r_starts: Any,
    r_numbers: Any,
    draws: Any,
    order: int,
    discount: float,
    n_types: int,
) -> Any:
    """For each event of Q log10 P under K's model and its mean over the reference models; their totals; V1(Q).

    Row i of `draws` says which of the sentences `r_numbers` make reference model i.
    """
    trie, first, keys, children, chains, lengths = n_grams_of(q_tokens, q_starts, q_numbers, order, n_types)
    n_events = len(chains)
    bits = 1
    while n_types + 1 >> bits:
        bits += 1
    counts = np.zeros((len(trie), 4), np.int32)
    local = np.full(n_types, NONE, np.int32)
    seen = np.zeros((1024, 2), np.int64)

    next_local, seen = count(
        k_tokens, k_starts, k_numbers, order, bits, trie, first, keys, children, counts, local, 0, seen, 1
    )
    known = np.empty(n_events)
    probs = probabilities(chains, lengths, trie, counts, 1, order, discount)
    for event in range(n_events):
        known[event] = log10(probs[event])

    n_models = len(draws)
    totals = np.zeros(n_models)
    products = np.ones(n_events)
    reference = np.zeros(n_events)
    for model in range(n_models):
        stamp = model + 2
        next_local, seen = count(
            r_tokens, r_starts, r_numbers[draws[model]], order, bits,
            trie, first, keys, children, counts, local, next_local, seen, stamp,
        )  # fmt: skip
        probs = probabilities(chains, lengths, trie, counts, stamp, order, discount)
        product = 1.0
        for event in range(n_events):
            product *= probs[event]
            if product < SMALL:
                totals[model] += log10(product)
                product = 1.0
            products[event] *= probs[event]
            if products[event] < SMALL:
                reference[event] += log10(products[event])
                products[event] = 1.0
        totals[model] += log10(product)
    for event in range(n_events):
        reference[event] = (reference[event] + log10(products[event])) / n_models
    times = np.zeros(len(trie), np.int32)
    for event in range(n_events):
        times[chains[event, 1]] += 1
    if first[END] != NONE:
        times[first[END]] = 0
    return known, reference, totals, np.count_nonzero(times == 1)
