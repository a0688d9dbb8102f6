"""The loops behind pool-adjacent-violators and logistic regression, compiled; sums are added in index order."""

from typing import Any

import numpy as np

from idiograph.compiling import compiled
from idiograph.elementary import exp, log1p

_MOST_STEPS = 500


@compiled
def pool(same: Any, different: Any) -> Any:
    """The first place of each block that pool-adjacent-violators makes of counts in ascending order of score.

    A block's share of same-author trials must exceed that of the block before: s/n₁ : d/n₂ is compared by the products
    of counts, which are whole numbers and therefore exact.
    """
    starts = np.empty(len(same), np.int64)
    s, d = np.empty(len(same)), np.empty(len(same))
    n = 0
    for place in range(len(same)):
        starts[n], s[n], d[n] = place, same[place], different[place]
        n += 1
        while n > 1 and s[n - 2] * d[n - 1] >= s[n - 1] * d[n - 2]:
            s[n - 2] += s[n - 1]
            d[n - 2] += d[n - 1]
            n -= 1
    return starts[:n]


@compiled
def maxima(x: Any, targets: Any, weights: Any, start_a: float, start_b: float) -> Any:
    """a and b of the largest Σ w·(t·ln p + (1 − t)·ln(1 − p)), p = 1/(1 + exp(−(a + b·x))), and the steps to it.

    One row of `weights` each; Newton's method with halved steps. Not a number where none was reached.
    """
    found_a, found_b = np.empty(len(weights)), np.empty(len(weights))
    n_steps = np.zeros(len(weights), np.int64)
    information = np.empty(len(x))
    for row in range(len(weights)):
        w = weights[row]
        a, b = start_a, start_b
        cost, step_a, step_b = newton(x, targets, w, a, b, information)
        while n_steps[row] < _MOST_STEPS and abs(step_a) + abs(step_b) > 1e-5 * (1.0 + abs(a) + abs(b)):
            size = 1.0
            new_cost, next_a, next_b = newton(x, targets, w, a - step_a, b - step_b, information)
            while new_cost > cost and size > 1e-9:
                size /= 2.0
                new_cost, next_a, next_b = newton(x, targets, w, a - size * step_a, b - size * step_b, information)
            a, b = a - size * step_a, b - size * step_b
            cost, step_a, step_b = new_cost, next_a, next_b
            n_steps[row] += 1
        if n_steps[row] == _MOST_STEPS:
            a = b = np.nan
        # Here convergence is quadratic and the cost too flat to compare: two whole steps reach the last digits.
        for _ in range(2):
            _, step_a, step_b = newton(x, targets, w, a, b, information)
            a, b = a - step_a, b - step_b
        found_a[row], found_b[row] = a, b
    return found_a, found_b, n_steps


@compiled
def newton(x: Any, targets: Any, weights: Any, a: float, b: float, information: Any) -> Any:
    """The cost at (a, b), and Newton's step in a and in b. `information` is room to work in."""
    cost = total = first = g0 = g1 = 0.0
    for i in range(len(x)):
        eta = a + b * x[i]
        small = exp(-abs(eta))
        p = (1.0 if eta >= 0.0 else small) / (1.0 + small)
        cost += weights[i] * (max(eta, 0.0) + log1p(small) - targets[i] * eta)
        slack = weights[i] * (p - targets[i])
        information[i] = weights[i] * (small / ((1.0 + small) * (1.0 + small)))
        total += information[i]
        first += information[i] * x[i]
        g0 += slack
        g1 += slack * x[i]
    # A step that overshot may leave no information at all; its cost tells, and it is halved.
    # Around the mean of the information the 2 × 2 system falls apart into two equations, without cancellation.
    mean = first / total
    around = 0.0
    for i in range(len(x)):
        around += information[i] * (x[i] - mean) * (x[i] - mean)
    step_b = (g1 - mean * g0) / around
    return cost, g0 / total - mean * step_b, step_b
