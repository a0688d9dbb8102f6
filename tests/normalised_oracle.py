"""The reference-normalised LR, slow and obvious: dictionaries, sums, and a minimiser that only compares costs.

Imports nothing of what it checks. Authors are numbered; `reference` lists those who are reference authors.
"""

from collections import Counter
from math import exp, log, log1p, sqrt

START, END = object(), object()


def n_grams(sentences):
    """Token n-grams of length 1 to 3, one start and one end to a sentence."""
    counts = Counter()
    for sentence in sentences:
        events = [START, *sentence, END]
        for length in (1, 2, 3):
            for first in range(len(events) - length + 1):
                counts[tuple(events[first : first + length])] += 1
    return counts


def character_n_grams(pieces):
    """Character n-grams of length 2 to 5 of how each piece is typed."""
    counts = Counter()
    for piece in pieces:
        shapes = ""
        for character in piece:
            shape = (
                "a" if character.islower() else "A" if character.isupper() else "0" if character.isdecimal() else None
            )
            if shape is None:
                shapes += character
            elif not shapes.endswith(shape):
                shapes += shape
        for length in (2, 3, 4, 5):
            for first in range(len(shapes) - length + 1):
                counts[shapes[first : first + length]] += 1
    return counts


def cosine(q, k, ks, unseen=False):
    """Of two counters, df over `ks` (of which k is one); `unseen` keeps what none of them has in Q's norm."""
    df = Counter(gram for counts in ks for gram in counts)

    def vector(counts):
        return {
            gram: (1 + log(tf)) * (log((1 + len(ks)) / (1 + df[gram])) + 1)
            for gram, tf in counts.items()
            if df[gram] or unseen
        }

    x, y = vector(q), vector(k)
    if not x or not y:
        return 0.0
    shared = sum(x[gram] * y[gram] for gram in x if gram in y)
    return shared / sqrt(sum(v * v for v in x.values()) * sum(v * v for v in y.values()))


def cohort(reference, b, a):
    """All reference authors but a and b; of a same-author trial also the next one is left out."""
    members = [i for i in reference if i != a and i != b]
    if a == b and a in reference:
        after = [*reference, reference[0]][list(reference).index(a) + 1]
        members = [i for i in members if i != after]
    return members


def cosine_matrix(q_counts, k_counts, reference, unseen=False):
    """The cosine of every Q with every K, df over the Ks of each trial's own cohort and its K."""
    return [
        [
            cosine(q, k, [*(k_counts[j] for j in cohort(reference, b, a)), k], unseen)
            for a, k in enumerate(k_counts)
        ]
        for b, q in enumerate(q_counts)
    ]  # fmt: skip


def mean(values):
    return sum(values) / len(values)


def sd(values):
    middle = mean(values)
    return sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1))


def s_norm(matrix, b, a, reference):
    members = cohort(reference, b, a)
    row, column = [matrix[b][j] for j in members], [matrix[i][a] for i in members]
    x = matrix[b][a]
    return ((x - mean(row)) / sd(row) + (x - mean(column)) / sd(column)) / 2


def topic(closeness, b, a, reference):
    """g: the S-norm of ln(c + 0.02), between −3 and 6."""
    return min(max(s_norm([[log(c + 0.02) for c in row] for row in closeness], b, a, reference), -3.0), 6.0)


def softplus(x):
    return max(x, 0.0) + log1p(exp(-abs(x)))


def cost(b, same, different, constants, tau):
    """The weighted log-loss in nats and the pull."""
    loss = 0.0
    for sign, trials in ((1, same), (-1, different)):
        for trial in trials:
            eta = b[0] + sum(beta * x for beta, x in zip(b[1:], trial, strict=True))
            loss += 0.5 / len(trials) * softplus(-sign * eta)
    spreads = [1.0, *(sd(feature) for feature in zip(*same, *different, strict=True))]
    return loss + tau / 2 * sum((v * (x - x0)) ** 2 for v, x, x0 in zip(spreads, b, constants, strict=True))


def fit(same, different, constants, tau):
    """The minimum, by trying steps along each direction and halving them: a convex function has only one."""
    b, lowest = list(constants), cost(constants, same, different, constants, tau)
    n = len(b)
    directions = [[float(i == j) for j in range(n)] for i in range(n)]
    directions += [[float(i == j) - float(i == k) for i in range(n)] for j in range(n) for k in range(j)]
    directions += [[float(i == j) + float(i == k) for i in range(n)] for j in range(n) for k in range(j)]
    size = 1.0
    while size > 1e-9:
        moved = False
        for direction in directions:
            for sign in (1, -1):
                tried = [x + sign * size * d for x, d in zip(b, direction, strict=True)]
                new = cost(tried, same, different, constants, tau)
                if new < lowest:
                    b, lowest, moved = tried, new, True
        if not moved:
            size /= 2
    return b


def normalised(matrices, reference, b, a, constants, tau, *, closeness=None, slopes=()):
    """ln LR of the trial of Q_b with K_a, whose authors are not in the reference; `slopes` free it from topic."""

    def features(i, j):
        normed = [s_norm(matrix, i, j, reference) for matrix in matrices]
        if closeness is None:
            return normed
        g = topic(closeness, i, j, reference)
        return [s - slope * g for s, slope in zip(normed, slopes, strict=True)]

    trials = {(i, j): features(i, j) for i in reference for j in reference}
    same = [trial for (i, j), trial in trials.items() if i == j]
    different = [trial for (i, j), trial in trials.items() if i != j]
    weights = fit(same, different, constants, tau)
    return weights[0] + sum(beta * x for beta, x in zip(weights[1:], features(b, a), strict=True))
