"""Interpolated Kneser-Ney: what Q needs counted, the counts of one model, and P(token | context) from them.

Only n-grams of Q matter, so each gets a node, and a mark at its number: reading a model's sentences, one look at an
n-gram's number tells both whether it is new in this model and whether it is Q's. The counts of a node g of m tokens,
in a model of order N:

    FOLLOWERS   N1+(g•)
    AROUND      N1+(•g•);  where m = N−1 or g starts a sentence, c(g) as a context
    BEFORE      N1+(•g);   where m = N or g starts a sentence, c(g)

<BOS> marks beyond the first precede the same sentence starts, so one stands for all: a node g that starts with it has
N1+(•g) = 1 and N1+(•g•) = N1+(g•), which leaves its row free for c(g).
"""

from typing import Any

import numpy as np

from idiograph.compiling import compiled
from idiograph.elementary import log10
from idiograph.grammar.stream import END, WIDTH_BITS, WIDTH_MASK

FOLLOWERS, AROUND, BEFORE = 0, 1, 2
NOWHERE, ROOT, START = 0, 1, 2  # the nodes of what Q does not have, of the empty n-gram, of <BOS>
# A mark is a node, and below it the number of the model that met the n-gram last.
MODEL_BITS = 10
MODEL_MASK = (1 << MODEL_BITS) - 1
NODE_MASK = (1 << 32) - 1 - MODEL_MASK
MAX_NODES = 1 << (32 - MODEL_BITS)
# Probabilities are multiplied and logged together while their product is above this, so that it cannot underflow.
SMALL = 1e-150


@compiled
def mark_n_grams(stream: Any, places: Any, numbers: Any, order: int, types: Any, marks: Any) -> Any:
    """Gives the n-grams of Q their nodes; returns, for each slot of Q (a sentence's <BOS> and events), the nodes of
    the n-grams that end there and how many tokens of the sentence precede it (−1 for <BOS>), and the number of nodes.
    """
    n_slots = 0
    for number in numbers:
        n_slots += 1
        at = places[number]
        while at < places[number + 1]:
            n_slots += 1
            at += (stream[at] & WIDTH_MASK) + 1
    nodes = np.zeros((order + 1, n_slots), np.uint32)
    before = np.empty(n_slots, np.int32)
    n_nodes, slot = 3, 0
    for number in numbers:
        before[slot] = -1
        nodes[0, slot] = ROOT
        if order > 1:
            nodes[1, slot] = START
        slot += 1
        at, end = places[number], places[number + 1]
        n_before = 0
        while at < end:
            word = stream[at]
            token, width = word >> WIDTH_BITS, word & WIDTH_MASK
            if types[token] >> MODEL_BITS == NOWHERE:
                types[token] = n_nodes << MODEL_BITS
                n_nodes += 1
            nodes[0, slot] = ROOT
            nodes[1, slot] = types[token] >> MODEL_BITS
            for m in range(2, min(order, width + 1) + 1):
                number_of_m_gram = stream[at + m - 1]
                if marks[number_of_m_gram] >> MODEL_BITS == NOWHERE:
                    marks[number_of_m_gram] = n_nodes << MODEL_BITS
                    n_nodes += 1
                nodes[m, slot] = marks[number_of_m_gram] >> MODEL_BITS
            before[slot] = n_before
            n_before += 1
            slot += 1
            at += width + 1
    return nodes, before, n_nodes


@compiled
def unmark_n_grams(stream: Any, places: Any, numbers: Any, types: Any, marks: Any) -> None:
    """Takes the marks of Q away again."""
    for number in numbers:
        at = places[number]
        while at < places[number + 1]:
            word = stream[at]
            types[word >> WIDTH_BITS] = 0
            for i in range(1, (word & WIDTH_MASK) + 1):
                marks[stream[at + i]] = 0
            at += (word & WIDTH_MASK) + 1


@compiled
def count(
    stream: Any,
    places: Any,
    numbers: Any,
    order: int,
    types: Any,
    marks: Any,
    model: int,
    counts: Any,
) -> Any:
    """Counts the sentences `numbers` as one model, and returns what it read ahead, so that reading is not left out.

    One pass an order m over the events at which the (m − 2)-gram before the event is Q's. If the m-gram there is new,
    it adds to the followers of its context (without the last token), to the surroundings of its middle (without
    first and last) and to the predecessors of its end (without the first). The inner loops do not branch on the
    data: a wrong guess of the processor costs more than the rest of the step.
    """
    counts[:] = 0
    n_sentences = len(numbers)
    begins = np.empty(n_sentences, np.int64)
    ends = np.empty(n_sentences, np.int64)
    n_slots = n_sentences
    for i in range(n_sentences):
        begins[i] = places[numbers[i]]
        ends[i] = places[numbers[i] + 1]
        n_slots += ends[i] - begins[i]
    # Reading ahead: lines of memory that do not wait for each other come at the same time.
    ahead = 0
    for i in range(n_sentences):
        for at in range(begins[i], ends[i], 16):
            ahead |= stream[at]

    # Unsigned, since for a signed index Numba asks each time whether it counts from the end.
    active = np.empty(n_slots, np.uint32)
    rows = np.empty(n_slots, np.uint32)  # where each event is in the stream
    widths = np.empty(n_slots, np.uint32)
    before = np.empty(n_slots, np.uint32)
    # The nodes at each slot, and before it: entry i belongs to slot i − 1.
    shorter = np.empty(n_slots + 1, np.uint32)
    level = np.empty(n_slots + 1, np.uint32)
    longer = np.empty(n_slots + 1, np.uint32)
    raw = order == 1
    n_types, n_pairs, n_active, slot = 0, 0, 0, 0
    for i in range(n_sentences):
        level[slot + 1] = NOWHERE if raw else START
        longer[slot + 1] = NOWHERE
        slot += 1
        at = begins[i]
        first = slot
        while at < ends[i]:
            word = stream[at]
            token = word >> WIDTH_BITS
            n_numbers = word & WIDTH_MASK
            mark = types[token]
            n_types += (mark & MODEL_MASK) != model
            types[token] = (mark & NODE_MASK) | model
            end = mark >> MODEL_BITS
            number = stream[at + 1 if n_numbers > 0 else 0]
            mark = marks[number]
            new = ((number == 0) | ((mark & MODEL_MASK) != model)) & (not raw)
            marks[number] = (mark & NODE_MASK) | model
            context = level[slot]
            counts[context, FOLLOWERS] += new
            counts[end, BEFORE] += new | raw
            n_pairs += new | raw
            level[slot + 1] = end
            longer[slot + 1] = mark >> MODEL_BITS
            rows[slot] = at
            widths[slot] = n_numbers
            before[slot] = slot - first
            active[n_active] = slot
            n_active += context != NOWHERE
            slot += 1
            at += n_numbers + 1
    n_slots = slot
    counts[ROOT, FOLLOWERS] = n_types
    counts[ROOT, AROUND] = n_pairs

    for m in range(3, order + 2):
        if n_active == 0:
            break
        shorter, level, longer = level, longer, shorter
        longer[: n_slots + 1] = NOWHERE
        top = m == order + 1
        kept = 0
        for i in range(n_active):
            slot = active[i]
            middle, context, end = shorter[slot], level[slot], level[slot + 1]
            starting = before[slot] + 3 == m
            raw = top | starting
            number = stream[rows[slot] + m - 1 if widths[slot] > m - 2 else 0]
            mark = marks[number]
            new = ((number == 0) | ((mark & MODEL_MASK) != model)) & (not raw)
            marks[number] = (mark & NODE_MASK) | model
            longer[slot + 1] = mark >> MODEL_BITS
            counts[context, FOLLOWERS] += new
            counts[middle, AROUND] += new | raw
            counts[end, BEFORE] += new | raw
            active[kept] = slot
            kept += (context != NOWHERE) & (not starting)
        n_active = kept
    counts[NOWHERE] = 0
    return ahead


@compiled
def probabilities(before: Any, nodes: Any, counts: Any, discount: float, powers: Any, probs: Any, active: Any) -> None:
    """P(token | context) of each slot of Q under the model counted last, into `probs`; 1 for <BOS>.

        P(w|h) = (max(c − D, 0) + D · N1+(h•) · P(w|h′)) / n

    where c and n are N1+(•hw) and N1+(•h•), or at the full context c(hw) and c(h); below the empty context it is one
    in the number of the model's types, <EOS> included, and <UNK>. A context not seen in the model is passed over.
    A context h that starts with <BOS> goes on to the full context by j more of them, each time
    P(w|h) = (1 − D)/N1+(h•) + D · P(w|h′) if hw was seen, else the second term alone: a geometric series.
    """
    n_slots, order = len(probs), len(nodes) - 1
    n_active = 0
    base = 1.0 / (counts[ROOT, FOLLOWERS] + 1)
    for slot in range(n_slots):
        active[n_active] = slot
        n_active += before[slot] >= 0
        probs[slot] = base if before[slot] >= 0 else 1.0
    for m in range(1, order + 1):
        kept = 0
        for i in range(n_active):
            slot = active[i]
            context = nodes[m - 1, slot - 1]
            followers = counts[context, FOLLOWERS]
            times = counts[nodes[m, slot], BEFORE]
            prob = probs[slot]
            starting = before[slot] + 2 == m
            if starting and followers > 0:
                power = powers[order - m]
                prob = power * prob + (1.0 - power) * (times > 0) / followers
            unseen = followers == 0  # then this comes to prob
            n = counts[context, AROUND] + unseen
            probs[slot] = (max(times - discount, 0.0) + (discount * followers + unseen) * prob) / n
            active[kept] = slot
            kept += (followers > 0) & (not starting)
        n_active = kept


@compiled
def log10_ratios(
    stream: Any,
    places: Any,
    q_numbers: Any,
    k_numbers: Any,
    r_numbers: Any,
    draws: Any,
    n_references: int,
    order: int,
    discount: float,
    types: Any,
    marks: Any,
    model: int,
) -> Any:
    """For each event of Q log10 P under K's model and its mean over the reference models; their totals; V1(Q).

    Row i of `draws` says which of the sentences `r_numbers` make reference model i. The rows are of one reference
    after the other, as many of each, and there is a row of means for each. `types` and `marks` are free of nodes
    before and after; `model` is the number of the last model that was counted with them, and comes back so.
    """
    nodes, before, n_nodes = mark_n_grams(stream, places, q_numbers, order, types, marks)
    n_slots, n_models = len(before), len(draws)
    active = np.empty(n_slots, np.uint32)
    counts = np.empty((n_nodes, 3), np.int32)
    powers = np.ones(order + 1)
    for i in range(order):
        powers[i + 1] = powers[i] * discount
    probs = np.empty(n_slots)
    known = np.empty(n_slots)
    totals = np.zeros(n_models)
    each = n_models // n_references
    products = np.ones((n_references, n_slots))
    means = np.zeros((n_references, n_slots))

    ahead = 0
    for row in range(-1, n_models):
        model += 1
        if model > MODEL_MASK:
            model = 1
            for i in range(len(types)):
                types[i] &= NODE_MASK
            for i in range(len(marks)):
                marks[i] &= NODE_MASK
        drawn = k_numbers if row < 0 else r_numbers[draws[row]]
        ahead |= count(stream, places, drawn, order, types, marks, model, counts)
        probabilities(before, nodes, counts, discount, powers, probs, active)
        if row < 0:
            for slot in range(n_slots):
                known[slot] = log10(probs[slot])
            continue
        product, of_slots, mean = 1.0, products[row // each], means[row // each]
        for slot in range(n_slots):
            prob = probs[slot]
            if prob < SMALL:
                totals[row] += log10(prob)
                mean[slot] += log10(prob)
                continue
            product *= prob
            if product < SMALL:
                totals[row] += log10(product)
                product = 1.0
            of_slots[slot] *= prob
            if of_slots[slot] < SMALL:
                mean[slot] += log10(of_slots[slot])
                of_slots[slot] = 1.0
        totals[row] += log10(product)

    times = np.zeros(n_nodes, np.int32)
    n_events = 0
    for slot in range(n_slots):
        if before[slot] >= 0:
            known[n_events] = known[slot]
            for reference_number in range(n_references):
                means[reference_number, n_events] = (
                    means[reference_number, slot] + log10(products[reference_number, slot])
                ) / max(each, 1)
            n_events += 1
            times[nodes[1, slot]] += 1
    times[types[END] >> MODEL_BITS] = 0
    n_hapaxes = 0
    for node in range(n_nodes):
        n_hapaxes += times[node] == 1
    unmark_n_grams(stream, places, q_numbers, types, marks)
    return known[:n_events], means[:, :n_events], totals, n_hapaxes, model, ahead
