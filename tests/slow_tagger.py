"""The English tagger from its weights in plain NumPy and Python, and nothing of Idiograph: what the kernels must give.

Tokens, the last steps from heads to sentences, and the attribute ruler are spaCy's own; everything between is written
out: hashed tables, maxout, layer norm, windows, scores, states and moves. Products are added one after the other in
blocks of 256, as BLIS's portable kernel adds them.
"""

from typing import Any

import numpy as np

from naive_masking import pipeline

F = np.float32
ATTRIBUTES = ["NORM", "PREFIX", "SUFFIX", "SHAPE", "SPACY", "IS_SPACE"]
MASK = (1 << 64) - 1


def layers(component: str, name: str) -> list[Any]:
    return [node for node in pipeline().get_pipe(component).model.walk() if node.name == name]


def product(x: Any, w: Any) -> Any:
    total = None
    for start in range(0, x.shape[1], 256):
        block = np.zeros((len(x), len(w)), F)
        for k in range(start, min(start + 256, x.shape[1])):
            block += x[:, k, None] * w[:, k]
        total = block if total is None else total + block
    return total


def maxout(x: Any, number: int) -> Any:
    """The maxout of this number and the layer norm behind it."""
    layer, norm = layers("tok2vec", "maxout")[number], layers("tok2vec", "layernorm")[number]
    w, b = layer.get_param("W"), layer.get_param("b")
    best = (product(x, w.reshape(288, -1)) + b.ravel()).reshape(len(x), 96, 3).max(axis=2)
    scale = (best.var(axis=1, keepdims=True) + F(1e-8)) ** -0.5
    return (best - best.mean(axis=1, keepdims=True)) * scale * norm.get_param("G") + norm.get_param("b")


def murmur(key: int, seed: int) -> list[int]:
    """Four 32-bit numbers, by MurmurHash3."""

    def mixed(h: int) -> int:
        h = (h ^ h >> 33) * 0xFF51AFD7ED558CCD & MASK
        h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53 & MASK
        return h ^ h >> 33

    h1 = key * 0x87C37B91114253D5 & MASK
    h1 = (h1 << 31 | h1 >> 33) & MASK
    h1 = h1 * 0x4CF5AD432745937F & MASK ^ seed ^ 8
    h2 = seed ^ 8
    h1 = h1 + h2 & MASK
    h2 = h2 + h1 & MASK
    h1, h2 = mixed(h1), mixed(h2)
    h1 = h1 + h2 & MASK
    h2 = h2 + h1 & MASK
    return [h1 & 0xFFFFFFFF, h1 >> 32, h2 & 0xFFFFFFFF, h2 >> 32]


def vectors(doc: Any) -> Any:
    """A row of 96 numbers for each token of a line."""
    sums = np.zeros((len(doc), 6 * 96), F)
    for token, keys in enumerate(doc.to_array(ATTRIBUTES).tolist()):
        for column, table in enumerate(layers("tok2vec", "hashembed")):
            rows = table.get_param("E")
            for row in murmur(keys[column] & MASK, 8 + column):
                sums[token, 96 * column : 96 * (column + 1)] += rows[row % len(rows)]
    empty = np.zeros((4, 96), F)
    x = np.concatenate([empty, maxout(sums, 0), empty])
    for number in range(1, 5):
        edge = np.zeros((1, 96), F)
        x = x + maxout(np.hstack([np.vstack([edge, x[:-1]]), x, np.vstack([x[1:], edge])]), number)
    return x[4:-4]


def moves_of(x: Any) -> tuple[list[int], list[str]]:
    """Heads and labels of a line by greedy arc-eager parsing."""
    parser = pipeline().get_pipe("parser")
    (lower,), (upper, narrow) = layers("parser", "precomputable_affine"), layers("parser", "linear")
    if upper.get_dim("nO") == 64:
        upper, narrow = narrow, upper
    small = product(x, narrow.get_param("W")) + narrow.get_param("b")
    features = product(small, lower.get_param("W").reshape(1024, 64)).reshape(len(x), 8, 64, 2)
    names = [parser.moves.get_class_name(number) for number in range(parser.moves.n_moves)]
    n = len(x)
    stack, buffer = [], list(range(n))
    head, label = [-1] * n, ["ROOT"] * n
    lefts: list[list[int]] = [[] for _ in range(n)]
    rights: list[list[int]] = [[] for _ in range(n)]
    starts, seen = set(), set()

    def last(children: list[list[int]], token: int) -> int:
        return children[token][-1] if token >= 0 and children[token] else -1

    while stack or buffer:
        b0, b1 = (buffer[i] if len(buffer) > i else -1 for i in (0, 1))
        s0, s1, s2 = (stack[-1 - i] if len(stack) > i else -1 for i in (0, 1, 2))
        state = np.zeros((64, 2), F)
        for column, token in enumerate((b0, b1, s0, s1, s2, last(lefts, b0), last(lefts, s0), last(rights, s0))):
            state = state + (features[token, column] if token >= 0 else lower.get_param("pad")[0, column])
        hidden = (state + lower.get_param("b")).max(axis=1)
        scores = (product(hidden[None], upper.get_param("W")) + upper.get_param("b"))[0]
        allowed = {
            "S": not stack or (len(buffer) > 1 and b0 not in starts and b0 not in seen),
            "D": bool(stack),
            "L": bool(stack and buffer) and b0 not in starts,
            "R": bool(stack and buffer) and b0 not in starts,
            "B": len(buffer) > 1 and b1 == b0 + 1 and b1 not in starts,
        }
        best = max((i for i, name in enumerate(names) if allowed[name[0]]), key=lambda i: (scores[i], -i))
        kind, _, named = names[best].partition("-")
        if kind == "S":
            stack.append(buffer.pop(0))
        elif kind == "D":
            stack.pop()
            if head[s0] < 0 and stack:
                seen.add(s0)
                buffer.insert(0, s0)
        elif kind == "L":
            if head[s0] >= 0:
                rights[head[s0]].remove(s0)
            head[s0], label[s0] = b0, named
            lefts[b0].append(s0)
            seen.discard(b0)
            stack.pop()
        elif kind == "R":
            head[b0], label[b0] = s0, named
            rights[s0].append(b0)
            stack.append(buffer.pop(0))
        else:
            starts.add(b1)
    return [above if above >= 0 else token for token, above in enumerate(head)], label


def tagged(line: str) -> list[tuple[str, str, bool, int, int]]:
    """Word, part of speech, whether a sentence starts, and span of every token but white space."""
    from spacy.pipeline._parser_internals.nonproj import deprojectivize
    from spacy.tokens import Doc

    nlp = pipeline()
    cut = nlp.make_doc(line)
    x = vectors(cut)
    (softmax,) = layers("tagger", "softmax")
    scores = product(x, softmax.get_param("W")) + softmax.get_param("b")
    tags = [nlp.get_pipe("tagger").labels[number] for number in scores.argmax(axis=1)]
    heads, labels = moves_of(x)
    spaces = [bool(token.whitespace_) for token in cut]
    doc = Doc(nlp.vocab, [token.text for token in cut], spaces, tags=tags, heads=heads, deps=labels)
    doc = nlp.get_pipe("attribute_ruler")(deprojectivize(doc))
    sentences, opens = [], False
    for token in doc:
        opens = opens or token.i == 0 or bool(token.is_sent_start)
        if not token.is_space:
            part = "NOUN" if token.like_url or token.like_email else token.pos_
            sentences.append((token.lower_, part, opens, token.idx, token.idx + len(token)))
            opens = False
    return sentences
