"""The two ways of finding the logistic regression of two classes: to its maximum, and as far as R's glm goes."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idiograph.evidence.trials import FloatArray

_EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Maxima:
    """α and β of the largest likelihood under each row of weights; not a number where none was reached."""

    intercepts: FloatArray
    slopes: FloatArray
    steps: npt.NDArray[np.intp]


def balanced_maxima(scores: FloatArray, *, targets: FloatArray, weights: FloatArray) -> Maxima:
    """Newton's method with halved steps on Σ w·(t·ln p + (1 − t)·ln(1 − p)), p = 1/(1 + exp(−(α + β·x))).

    All rows of weights advance together and leave when they arrive, so that thousands of resamples are quick.
    """
    # Standardised, so that scores of ±10,000 and of ±0.001 are equally easy; undone at the end.
    middle = float(scores.mean())
    spread = float(np.abs(scores - middle).max())
    x = (scores - middle) / spread
    n = weights.shape[0]
    a, b, steps = np.zeros(n), np.zeros(n), np.zeros(n, np.intp)
    if n > 1:
        # Resamples differ little from their mean, so its maximum is where each of them starts.
        mean = balanced_maxima(scores, targets=targets, weights=weights.mean(axis=0, keepdims=True))
        if np.isfinite(mean.slopes[0]):
            a[:], b[:] = mean.intercepts[0] + mean.slopes[0] * middle, mean.slopes[0] * spread
    rows = np.arange(n)
    cost, step_a, step_b = _newton(x, a, b, targets, weights)
    for _ in range(500):
        going = np.abs(step_a) + np.abs(step_b) > 1e-5 * (1 + np.abs(a[rows]) + np.abs(b[rows]))
        rows, cost, step_a, step_b = rows[going], cost[going], step_a[going], step_b[going]
        if rows.size == 0:
            break
        size = np.ones(rows.size)
        new_a, new_b = a[rows] - step_a, b[rows] - step_b
        new_cost, new_step_a, new_step_b = _newton(x, new_a, new_b, targets, weights[rows])
        while (worse := (new_cost > cost) & (size > 1e-9)).any():
            size[worse] /= 2
            new_a[worse] = a[rows][worse] - size[worse] * step_a[worse]
            new_b[worse] = b[rows][worse] - size[worse] * step_b[worse]
            new_cost[worse], new_step_a[worse], new_step_b[worse] = _newton(
                x, new_a[worse], new_b[worse], targets, weights[rows[worse]]
            )
        a[rows], b[rows], cost, step_a, step_b = new_a, new_b, new_cost, new_step_a, new_step_b
        steps[rows] += 1
    # Here convergence is quadratic and the cost too flat to compare: two whole steps reach the last digits.
    for _ in range(2):
        _, step_a, step_b = _newton(x, a, b, targets, weights)
        a, b = a - step_a, b - step_b
    a[rows] = b[rows] = np.nan
    return Maxima(a - b * middle / spread, b / spread, steps)


def _newton(
    x: FloatArray, a: FloatArray, b: FloatArray, targets: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Cost at (a, b) and Newton's step in a and in b, a row each."""
    eta = a[:, None] + b[:, None] * x
    small = np.exp(-np.abs(eta))
    p = np.where(eta >= 0, 1.0, small) / (1.0 + small)
    cost = (weights * (np.maximum(eta, 0.0) + np.log1p(small) - targets * eta)).sum(axis=1)
    slack = weights * (p - targets)
    information = weights * (small / (1.0 + small) ** 2)
    # Around the mean of the information the 2 × 2 system falls apart into two equations, without cancellation.
    total = information.sum(axis=1)
    g0, g1 = slack.sum(axis=1), (slack * x).sum(axis=1)
    # A step that overshot may leave no information at all; its cost tells, and it is halved.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mean = (information * x).sum(axis=1) / total
        around = (information * (x - mean[:, None]) ** 2).sum(axis=1)
        step_b = (g1 - mean * g0) / around
        step_a = g0 / total - mean * step_b
    return cost, step_a, step_b


def logistic(eta: FloatArray) -> FloatArray:
    """1/(1 + exp(−η)) without overflow."""
    small = np.exp(-np.abs(eta))
    p: FloatArray = np.where(eta >= 0, 1.0, small) / (1.0 + small)
    return p


def r_glm(scores: FloatArray, answers: FloatArray, weights: FloatArray) -> tuple[float, float, int]:
    """α, β and the iteration at which R 4's `glm(family = binomial, weights)` stops with its default control.

    Iteratively reweighted least squares from μ = (w·y + ½)/(w + 1) until |dev − dev_old|/(|dev| + 0.1) < 1e-8, at most
    25 times, with R's guards at |η| = 30. The weights of a class must sum to 1: they decide when a divergent fit stops.
    """
    x = np.stack([np.ones_like(scores), scores], axis=1)
    mu = (weights * answers + 0.5) / (weights + 1.0)
    eta = np.log(mu / (1.0 - mu))
    deviance = _deviance(mu, answers, weights)
    b = np.zeros(2)
    iterations = 0
    for _ in range(25):
        iterations += 1
        slope_of_mu = _mu_eta(eta)
        z = eta + (answers - mu) / slope_of_mu
        root = np.sqrt(weights * slope_of_mu**2 / (mu * (1.0 - mu)))
        q, r = np.linalg.qr(x * root[:, None])
        b = np.linalg.solve(r, q.T @ (z * root))
        eta = x @ b
        mu = _link_inverse(eta)
        before, deviance = deviance, _deviance(mu, answers, weights)
        if abs(deviance - before) / (abs(deviance) + 0.1) < 1e-8:
            break
    return float(b[0]), float(b[1]), iterations


def _link_inverse(eta: FloatArray) -> FloatArray:
    odds = np.exp(np.clip(eta, -30, 30))
    odds = np.where(eta > 30, 1 / _EPSILON, np.where(eta < -30, _EPSILON, odds))
    mu: FloatArray = odds / (1.0 + odds)
    return mu


def _mu_eta(eta: FloatArray) -> FloatArray:
    odds = np.exp(np.clip(eta, -30, 30))
    return np.where(np.abs(eta) > 30, _EPSILON, odds / (1.0 + odds) ** 2)


def _deviance(mu: FloatArray, answers: FloatArray, weights: FloatArray) -> float:
    return float(-2.0 * (weights @ np.log(np.where(answers == 1, mu, 1.0 - mu))))
