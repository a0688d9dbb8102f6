"""The two ways of finding the logistic regression of two classes: to its maximum, and as far as R's glm goes."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import exp, log, mean, row_totals
from idiograph.evidence.trials import FloatArray

_EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Maxima:
    """α and β of the largest likelihood under each row of weights; not a number where none was reached."""

    intercepts: FloatArray
    slopes: FloatArray
    steps: npt.NDArray[np.int64]


def balanced_maxima(scores: FloatArray, *, targets: FloatArray, weights: FloatArray) -> Maxima:
    """Newton's method with halved steps on Σ w·(t·ln p + (1 − t)·ln(1 − p)), p = 1/(1 + exp(−(α + β·x)))."""
    # Imported late: Numba takes half a second, and most commands fit nothing.
    from idiograph.compiling import run
    from idiograph.evidence import kernels

    # Standardised, so that scores of ±10,000 and of ±0.001 are equally easy; undone at the end.
    middle = mean(scores)
    spread = float(np.abs(scores - middle).max())
    x = np.ascontiguousarray((scores - middle) / spread)
    a = b = 0.0
    if len(weights) > 1:
        # Resamples differ little from their mean, so its maximum is where each of them starts.
        together = row_totals(np.ascontiguousarray(weights.T))[None, :] / len(weights)
        first_a, first_b, _ = run(kernels.maxima, x, targets, together, 0.0, 0.0)
        if np.isfinite(first_b[0]):
            a, b = float(first_a[0]), float(first_b[0])
    found_a, found_b, steps = run(kernels.maxima, x, targets, np.ascontiguousarray(weights), a, b)
    return Maxima(found_a - found_b * middle / spread, found_b / spread, steps)


def r_glm(scores: FloatArray, answers: FloatArray, weights: FloatArray) -> tuple[float, float, int]:
    """α, β and the iteration at which R 4's `glm(family = binomial, weights)` stops with its default control.

    Iteratively reweighted least squares from μ = (w·y + ½)/(w + 1) until |dev − dev_old|/(|dev| + 0.1) < 1e-8, at most
    25 times, with R's guards at |η| = 30. The weights of a class must sum to 1: they decide when a divergent fit stops.
    1 − μ is 1/(1 + odds) throughout: subtracting would cancel its digits where the classes are separated.
    """
    mu = (weights * answers + 0.5) / (weights + 1.0)
    rest = (weights * (1.0 - answers) + 0.5) / (weights + 1.0)  # 1 − μ
    eta = log(mu / rest)
    slope_of_mu = mu * rest
    deviance = _deviance(mu, rest, answers, weights)
    alpha = beta = 0.0
    iterations = 0
    for _ in range(25):
        iterations += 1
        z = eta + np.where(answers == 1, rest, -mu) / slope_of_mu
        w = weights * (slope_of_mu * slope_of_mu) / (mu * rest)
        n, sum_x, sum_z = row_totals(np.stack([w, w * scores, w * z])).tolist()
        x, y = scores - sum_x / n, z - sum_z / n
        square, product = row_totals(np.stack([w * x * x, w * x * y])).tolist()
        beta = product / square
        alpha = sum_z / n - beta * (sum_x / n)
        eta = alpha + beta * scores
        odds = exp(np.clip(eta, -30, 30))
        far = np.abs(eta) > 30
        odds = np.where(far, np.where(eta > 0, 1 / _EPSILON, _EPSILON), odds)
        mu, rest = odds / (1.0 + odds), 1.0 / (1.0 + odds)
        slope_of_mu = np.where(far, _EPSILON, mu * rest)
        before, deviance = deviance, _deviance(mu, rest, answers, weights)
        if abs(deviance - before) / (abs(deviance) + 0.1) < 1e-8:
            break
    return alpha, beta, iterations


def _deviance(mu: FloatArray, rest: FloatArray, answers: FloatArray, weights: FloatArray) -> float:
    return -2.0 * float(row_totals((weights * log(np.where(answers == 1, mu, rest)))[None, :])[0])
