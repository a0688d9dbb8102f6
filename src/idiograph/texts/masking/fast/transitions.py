"""spaCy's parser as compiled loops: arc-eager transitions, line after line, then heads, labels and sentences.

A state is a stack, a buffer and the arcs so far. Its eight features are tokens: the first two of the buffer (b0, b1),
the upper three of the stack (s0, s1, s2), the last left child of b0 and of s0, the last right child of s0. Each feature
has 128 numbers for each token; added up, maxed in pairs and multiplied once more they are the moves' scores, and the
best valid move is taken. What is valid, and how arcs become sentences, is spaCy's own (`arc_eager`, `nonproj`, `doc`).
"""

from typing import Any

import numpy as np

from idiograph.compiling import compiled
from idiograph.texts.masking.fast.layers import LANES, single_tile

SHIFT, REDUCE, LEFT, RIGHT, BREAK = range(5)  # as spaCy numbers them
N_FEATURES = 8
HIDDEN = 64
_FEATURE = 2 * HIDDEN
_PANEL = 4 * LANES
_MOST_ROUNDS = 12  # of widening edges, after which spaCy gives up


@compiled
def parsed(
    features: Any, bounds: Any, pad: Any, lower_b: Any, upper_w: Any, upper_b: Any, moves: Any, labels: Any, root: int,
    heads: Any, labelled: Any, stack: Any, waiting: Any, left_child: Any, right_child: Any, right_before: Any,
    opens: Any, unshiftable: Any, valid: Any, context: Any, nought: Any, unmaxed: Any, hidden: Any, scores: Any,
) -> None:  # fmt: skip
    """The head of each token in its line and its label; `features` has 8 × 128 numbers a token, a root heads itself.

    All arrays from `heads` on are filled here. What waits goes before the buffer, and `right_before` is the right child
    that a token's head had before it.
    """
    n_moves = len(moves)
    for line in range(len(bounds) - 1):
        base, length = bounds[line], bounds[line + 1] - bounds[line]
        for i in range(length):
            heads[base + i], labelled[base + i] = -1, root
            left_child[i] = right_child[i] = right_before[i] = -1
            opens[i] = unshiftable[i] = False
        depth, n_waiting, following = 0, 0, 0
        while depth > 0 or n_waiting > 0 or following < length:
            left_over = length - following + n_waiting
            b0 = waiting[n_waiting - 1] if n_waiting > 0 else (following if following < length else -1)
            b1 = waiting[n_waiting - 2] if n_waiting > 1 else following + 1 - n_waiting
            b1 = b1 if b1 < length else -1
            s0 = stack[depth - 1] if depth > 0 else -1
            context[0], context[1], context[2] = b0, b1, s0
            context[3] = stack[depth - 2] if depth > 1 else -1
            context[4] = stack[depth - 3] if depth > 2 else -1
            context[5] = left_child[b0] if b0 >= 0 else -1
            context[6] = left_child[s0] if s0 >= 0 else -1
            context[7] = right_child[s0] if s0 >= 0 else -1
            for i in range(_FEATURE):
                unmaxed[i] = 0.0
            for feature in range(N_FEATURES):
                first = feature * _FEATURE
                if context[feature] >= 0:
                    row = features[base + context[feature], first : first + _FEATURE]
                else:
                    row = pad[first : first + _FEATURE]
                for i in range(_FEATURE):
                    unmaxed[i] += row[i]
            for i in range(HIDDEN):
                hidden[i] = max(unmaxed[i] + lower_b[i], unmaxed[HIDDEN + i] + lower_b[HIDDEN + i])
            opened = b0 >= 0 and opens[b0]
            valid[SHIFT] = depth == 0 or (left_over >= 2 and not opened and not unshiftable[b0])
            valid[REDUCE] = depth > 0
            valid[LEFT] = valid[RIGHT] = depth > 0 and left_over > 0 and not opened
            valid[BREAK] = left_over >= 2 and b1 == b0 + 1 and not opens[b1]
            best, best_score = -1, np.float32(0.0)
            for first in range(0, n_moves, _PANEL):
                single_tile(hidden, nought, upper_w, first * HIDDEN, HIDDEN, True, scores)
                for i in range(min(_PANEL, n_moves - first)):
                    score = scores[i] + upper_b[first + i]
                    if (best < 0 or score > best_score) and valid[moves[first + i]]:
                        best, best_score = first + i, score
            move = moves[best]
            if move == BREAK:
                opens[b1] = True
            elif move == REDUCE:
                depth -= 1
                if heads[base + s0] < 0 and depth > 0:
                    unshiftable[s0] = True
                    waiting[n_waiting] = s0
                    n_waiting += 1
            elif move == LEFT:
                if heads[base + s0] >= 0:  # of which it was the last right child
                    right_child[heads[base + s0]] = right_before[s0]
                heads[base + s0], labelled[base + s0] = b0, labels[best]
                left_child[b0] = s0
                unshiftable[b0] = False
                depth -= 1
            else:
                if move == RIGHT:
                    heads[base + b0], labelled[base + b0] = s0, labels[best]
                    right_before[b0] = right_child[s0]
                    right_child[s0] = b0
                if n_waiting > 0:
                    n_waiting -= 1
                else:
                    following += 1
                stack[depth] = b0
                depth += 1
        for i in range(length):
            if heads[base + i] < 0:
                heads[base + i] = i


def workspace(n_tokens: int) -> tuple[Any, ...]:
    """The arrays that `parsed` fills, heads and labels first: made here, since that compiles nothing."""
    return (
        *np.empty((7, n_tokens), np.int64),
        *np.empty((2, n_tokens), np.bool_),
        np.empty(5, np.bool_),
        np.empty(N_FEATURES, np.int64),
        np.zeros(1, np.int64),
        np.empty(_FEATURE, np.float32),
        np.empty(HIDDEN, np.float32),
        np.empty(_PANEL, np.float32),
    )


@compiled
def sentence_starts(
    heads: Any, labels: Any, bounds: Any, blank: Any, plain: Any, sought: Any, starts: Any, low: Any, high: Any,
    queue: Any,
) -> None:  # fmt: skip
    """Which tokens start a sentence; arcs of a label such as prep||dobj first go to a dobj below their head.

    plain[label] is the label without what is sought, sought[label] what is sought, or −1. Changes heads and labels, and
    fills the arrays from `starts` on.
    """
    for line in range(len(bounds) - 1):
        base, length = bounds[line], bounds[line + 1] - bounds[line]
        for turn in range(2):
            # The first and the last token below each, widened until all heads lie in their sentences.
            for token in range(length):
                low[token] = high[token] = token
            for _ in range(_MOST_ROUNDS):
                for step in range(2 * length):
                    token = step if step < length else 2 * length - 1 - step
                    head = heads[base + token]
                    low[head] = min(low[head], low[token])
                    high[head] = max(high[head], high[token])
                for token in range(length):
                    starts[base + token] = False
                for token in range(length):
                    if heads[base + token] == token:
                        starts[base + low[token]] = True
                inside, first = True, 0
                for end in range(length):
                    if (end > 0 and starts[base + end]) or end == length - 1:
                        for token in range(first, end):
                            if heads[base + token] < first or heads[base + token] > end:
                                inside = False
                        first = end
                if inside:
                    break
            if turn == 1:
                break
            for token in range(length):
                label = labels[base + token]
                if sought[label] < 0:
                    continue
                queue[0] = heads[base + token]
                n, position, target = 1, 0, -1
                while position < n and target < 0:
                    above = queue[position]
                    position += 1
                    for child in range(low[above], high[above] + 1):
                        if child in (above, token) or heads[base + child] != above or blank[base + child]:
                            continue
                        if labels[base + child] == sought[label]:
                            target = child
                            break
                        queue[n] = child
                        n += 1
                if target >= 0:
                    heads[base + token] = target
                labels[base + token] = plain[label]
