"""Metrics the slow way: every pool, every threshold, every mixture of two."""

import math
from itertools import product


def brute_pav(same: list[float], different: list[float]) -> dict[float, tuple[float, float]]:
    """The isotonic regression by the max-min formula: at each score the shares (of same, of both) of its best pool."""
    scores = sorted({*same, *different})
    s = [same.count(x) / len(same) for x in scores]
    d = [different.count(x) / len(different) for x in scores]

    def pooled(j: int, k: int) -> tuple[float, float, float]:
        a, b = sum(s[j : k + 1]), sum(d[j : k + 1])
        return a / (a + b), a, b

    best = {}
    for i, x in enumerate(scores):
        _, a, b = max(min(pooled(j, k) for k in range(i, len(scores))) for j in range(i + 1))
        best[x] = (a, b)
    return best


def brute_cllr_min(same: list[float], different: list[float]) -> float:
    best = brute_pav(same, different)
    same_cost = sum(math.log2(1 + best[x][1] / best[x][0]) for x in same) / len(same)
    different_cost = sum(math.log2(1 + best[x][0] / best[x][1]) for x in different) / len(different)
    return (same_cost + different_cost) / 2


def brute_eer(same: list[float], different: list[float]) -> float:
    """The lowest point of equal errors that any mixture of two thresholds reaches."""
    thresholds = [*sorted({*same, *different}), math.inf]
    points = [
        (sum(x < t for x in same) / len(same), sum(x >= t for x in different) / len(different)) for t in thresholds
    ]
    best = 1.0
    for (m1, f1), (m2, f2) in product(points, points):
        g1, g2 = m1 - f1, m2 - f2
        if g1 <= 0 <= g2:
            part = 0.0 if g1 == g2 else -g1 / (g2 - g1)
            best = min(best, m1 + part * (m2 - m1))
    return best
