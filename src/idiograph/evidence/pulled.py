"""Logistic regression with a pull towards constants: what a few trials say, held by what many others said before.

    ln LR = α + Σ_k β_k·S_k
    minimise  ½·mean_same ln(1 + e^−η) + ½·mean_different ln(1 + e^η) + (τ/2)·Σ_k (v_k·(b_k − b₀_k))²

η is ln LR, b = (α, β₁, β₂ …), b₀ the constants, v the standard deviation of the feature over all trials (1 for α).
"""

from dataclasses import dataclass

import numpy as np

from idiograph.arithmetic import FloatArray, exp, sd, softplus, solve, total
from idiograph.errors import CalibrationError


def tau_for(n_authors: int) -> float:
    """τ for a number of reference authors: the fewer have spoken, the more the constants hold.

    The loss is a mean over trials, so what is known beforehand weighs against it by one over their authors.
    """
    return 0.5 / n_authors


@dataclass(frozen=True)
class Weights:
    """ln LR = alpha + Σ_k betas[k]·S_k."""

    alpha: float
    betas: tuple[float, ...]

    def nats(self, features: FloatArray) -> FloatArray:
        """The LLR of each trial; one row of features per trial."""
        eta = np.full(len(features), self.alpha)
        for k, beta in enumerate(self.betas):
            eta = eta + beta * features[:, k]
        return eta


def fit_pulled(
    *,
    same: FloatArray,
    different: FloatArray,
    towards: Weights,
    tau: float,
    same_weights: FloatArray | None = None,
    different_weights: FloatArray | None = None,
    near: Weights | None = None,
) -> Weights:
    """The weights that fit best; one row of features per trial, the two classes weighing the same.

    Within a class a trial counts as often as its weight says, by default once. `near` is where the search may start.
    """
    n_features = len(towards.betas)
    for name, features in (("same-author", same), ("different-author", different)):
        if features.ndim != 2 or features.shape[1] != n_features or not len(features):
            raise CalibrationError(
                f"The {name} trials came as {' × '.join(map(str, features.shape))} numbers, and calibration needs at "
                f"least one trial with {n_features} scores each. Check that every trial was scored by each method."
            )
        if not np.isfinite(features).all():
            raise CalibrationError(
                f"A score of a {name} trial is not a finite number, so nothing can be fitted. Find out which text "
                "it came from."
            )
    if not 0 < tau < np.inf:
        raise CalibrationError(f"tau is {tau}, and the pull towards the constants needs a number above 0.")
    both = np.concatenate([same, different])
    spreads = [sd(both[:, k]) for k in range(n_features)]
    if min(spreads) < 1e-100:
        raise CalibrationError(
            f"Score {spreads.index(min(spreads)) + 1} of {n_features} is the same for all trials, so it tells nothing. "
            "Check how it was made, or leave it out."
        )
    # In units of v, so that the pull is τ/2·Σ (b − b₀)²; undone at the end.
    scales = np.array([1.0, *spreads])
    columns = [np.ones(len(both)), *(both[:, k] / spread for k, spread in enumerate(spreads))]
    start = np.array([towards.alpha, *towards.betas]) * scales
    signs = np.where(np.arange(len(both)) < len(same), 1.0, -1.0)
    shares = np.concatenate([_shares(same_weights, len(same)), _shares(different_weights, len(different))])

    def margins(b: FloatArray) -> FloatArray:
        eta = np.zeros(len(both))
        for value, column in zip(b.tolist(), columns, strict=True):
            eta = eta + value * column
        return signs * eta

    def cost_at(b: FloatArray) -> float:
        pulled = 0.5 * tau * (b - start) * (b - start)
        return total([*(shares * softplus(-margins(b))).tolist(), *pulled.tolist()])

    b = start if near is None else np.array([near.alpha, *near.betas]) * scales
    cost = cost_at(b)
    for _ in range(100):
        margin = margins(b)
        small = exp(-np.abs(margin))
        wrong = np.where(margin >= 0, small, 1.0) / (1.0 + small)  # 1 − p of the true class, without cancellation
        information = shares * small / ((1.0 + small) * (1.0 + small))
        gradient = [total(-signs * shares * wrong * column) for column in columns]
        curvature = [[0.0] * len(columns) for _ in columns]
        for i, x in enumerate(columns):
            weighed = information * x
            for j, y in enumerate(columns[: i + 1]):
                curvature[i][j] = curvature[j][i] = total(weighed * y) + tau * (i == j)
        step = np.array(solve(curvature, (np.array(gradient) + tau * (b - start)).tolist()))
        size = 1.0
        while (new_cost := cost_at(b - size * step)) > cost and size > 1e-9:
            size /= 2
        b, cost = b - size * step, new_cost
        if float(np.abs(size * step).max()) <= 1e-13 * (1.0 + float(np.abs(b).max())):
            break
    b = b / scales
    return Weights(float(b[0]), tuple(b[1:].tolist()))


def _shares(weights: FloatArray | None, n: int) -> FloatArray:
    """What each trial of a class weighs, ½ in all."""
    if weights is None:
        return np.full(n, 0.5 / n)
    return 0.5 * weights / total(weights)
