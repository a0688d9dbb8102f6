"""The constants that a calibration is pulled towards: learnt on other corpora, shipped as data with their source.

A longer K tells more, so each constant is a line over the logarithm of K's length:

    b₀(K) = level + slope · ln(K / 1,500),   K in tokens, taken between the shortest and the longest it was learnt for

They come from English corpora. Without them a calibration is pulled towards saying nothing: all b₀ are 0.

The method `controlled` has constants of its own: these, and for each score the slope b by which it leans on topic
(`closeness`), which is a constant alone and never fitted.

Logistic regression with a pull towards constants: what a few trials say, held by what many others said before.

    ln LR = α + Σ_k β_k·S_k
    minimise  ½·mean_same ln(1 + e^−η) + ½·mean_different ln(1 + e^η) + (τ/2)·Σ_k (v_k·(b_k − b₀_k))²

η is ln LR, b = (α, β₁, β₂ …), b₀ the constants, v the standard deviation of the feature over all trials (1 for α).

What going without the constants costs, as the published validation measured it: shipped as data, quoted by reports.

`docs/validation/without.py` makes the data from the stored trials.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeVar

import numpy as np

from idiograph.arithmetic import FloatArray, exp, log, sd, softplus, solve, total
from idiograph.errors import CalibrationError
from idiograph.provenance import digest, shipped_file
from idiograph.records import shipped_record
from idiograph.showing import one_line


def tau_for(n_authors: int, *, controlled: bool = False) -> float:
    """τ for a number of reference authors: the fewer have spoken, the more the constants hold.

    The loss is a mean over trials, so what is known beforehand weighs against it by one over their authors. Scores that
    are freed from topic tell less, so that their constants hold more.
    """
    return (1.25 if controlled else 0.5) / n_authors


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


MIDDLE = 1_500  # tokens of K where a constant is at its level
SHORTEST, LONGEST = 500, 3_000  # tokens of K that constants were learnt for
ENGLISH_CORPORA, NONE = "english", "none"  # where the constants of a case or a study come from
HELD = {ENGLISH_CORPORA: "pulled towards constants learnt on other corpora", NONE: "pulled towards an LR of 1"}
CONSTANTS: dict[str, Any] = {
    "default": ENGLISH_CORPORA,
    "choices": (ENGLISH_CORPORA, NONE),
    "help": "What the fit of normalised is pulled towards: constants learnt on English corpora, or none: it is then "
    "pulled towards an LR of 1, and takes 8 reference authors.",
}
"""The setting of cases and studies."""


@one_line
@dataclass(frozen=True)
class Constants:
    """Weights learnt on other corpora for a number of reference authors, which scores they are for, and the source."""

    scores: tuple[str, ...]
    n_authors: int
    weights: Weights
    source: str
    digest: str
    slopes: tuple[float, ...] = ()  # b: what a unit of g is worth to each score; empty where topic is left alone

    @property
    def controlled(self) -> bool:
        """Whether scores are freed from topic."""
        return bool(self.slopes)

    @property
    def say_nothing(self) -> bool:
        """Whether they were learnt from nobody, so that by them alone every LR is 1."""
        return self.n_authors == 0


@dataclass(frozen=True)
class ConstantsByLength:
    """Constants for every length of K: weights at 1,500 tokens, and how they change with its logarithm."""

    scores: tuple[str, ...]
    n_authors: int
    level: Weights
    slope: Weights
    slopes: tuple[float, ...] = ()  # b of each score, at every length; empty where topic is left alone

    def at(self, k_tokens: float) -> Weights:
        """The weights for a K of so many tokens."""
        x = log_length(k_tokens)
        betas = zip(self.level.betas, self.slope.betas, strict=True)
        return Weights(self.level.alpha + self.slope.alpha * x, tuple(level + slope * x for level, slope in betas))


def log_length(k_tokens: float) -> float:
    """ln(K / 1,500) of a K of so many tokens, taken between the lengths that constants were learnt for."""
    if not k_tokens > 0:
        raise CalibrationError(f"K is said to have {k_tokens} tokens. Give the number of its tokens, at least 1.")
    return log(min(max(float(k_tokens), SHORTEST), LONGEST) / MIDDLE)


def constants_for(
    n_authors: int,
    scores: tuple[str, ...] = ("distinct", "cosine"),
    *,
    k_tokens: float = MIDDLE,
    origin: str = ENGLISH_CORPORA,
    controlled: bool = False,
) -> Constants:
    """The shipped constants for these scores that were learnt with the nearest number of reference authors; or none.

    Those of `controlled` have slopes, which nothing but English corpora has ever told: they stay where the others go.
    """
    nothing = Weights(0.0, (0.0,) * len(scores))
    if origin == NONE and not controlled:
        return Constants(scores, 0, nothing, _NOBODY, digest(_NOBODY))
    holds = not set(scores) <= {"distinct", "cosine", "typing"}
    lines, source, file_digest = shipped(HELD_FILE if holds else CONTROLLED_FILE if controlled else FILE)
    fitting = [line for line in lines if line.scores == scores and (not holds or bool(line.slopes) == controlled)]
    if not fitting:
        known = "; ".join(sorted({", ".join(line.scores) for line in lines}))
        raise CalibrationError(
            f"There are no constants for the scores {', '.join(scores)}. There are some for: {known}."
        )
    nearest = for_size(fitting, n_authors)
    if origin == NONE:
        return Constants(scores, 0, nothing, f"{_NOBODY} b: {source}", file_digest, nearest.slopes)
    return Constants(scores, nearest.n_authors, nearest.at(k_tokens), source, file_digest, nearest.slopes)


# Apart, so that what one says is not moved by another.
FILE, CONTROLLED_FILE, HELD_FILE = "constants.json", "controlled.json", "held.json"
_NOBODY = "None: the fit is pulled towards an LR of 1 (α and all β 0) and learns from the reference alone."


class OfSize(Protocol):
    """Whatever was learnt with about so many reference authors."""

    @property
    def n_authors(self) -> int: ...


Learnt = TypeVar("Learnt", bound=OfSize)


def for_size(entries: Iterable[Learnt], n_authors: int) -> Learnt:
    """The entry for the nearest number of reference authors, in ratios: 20 are as far from 10 as from 40."""
    return min(entries, key=lambda entry: max(entry.n_authors, n_authors) / min(entry.n_authors, n_authors))


@cache
def shipped(file: str = FILE) -> tuple[tuple[ConstantsByLength, ...], str, str]:
    """All constants in a file that comes with the project, their source, and the digest of the file."""
    table, file_digest = shipped_file("idiograph.evidence", file)
    lines = tuple(
        ConstantsByLength(
            tuple(entry["scores"]),
            entry["n_authors"],
            _weights(entry["level"]),
            _weights(entry["slope"]),
            tuple(entry.get("topic", {}).values()),
        )
        for entry in table["constants"]
    )
    return lines, table["source"], file_digest


def _weights(part: dict[str, float]) -> Weights:
    alpha, *betas = part.values()
    return Weights(alpha, tuple(betas))


@dataclass(frozen=True)
class WithoutConstants:
    """Mean Cllr on English corpora for about so many reference authors, by what holds the fit."""

    n_authors: int
    n_conditions: int
    in_the_study: float  # with constants, calibrated on the reference's own problems
    cllr_with: float
    cllr_without: float  # held as strongly towards saying nothing
    cllr_unheld: float  # held by nothing
    worst_with: float
    worst_without: float
    worst_unheld: float
    n_fits: int
    n_separated: int  # in which same-author and different-author scores do not overlap


@cache
def measured() -> tuple[WithoutConstants, ...]:
    """The shipped figures, the fewest reference authors first."""
    content = shipped_record("idiograph.evidence", "without_constants.json")
    return tuple(WithoutConstants(**row) for row in content["rows"])


def cost_in_words() -> str:
    """What going without the constants cost on English corpora, in a sentence."""
    costs = [f"{row.cllr_without:.3f} instead of {row.cllr_with:.3f} with about {row.n_authors}" for row in measured()]
    return f"{', '.join(costs[:-1])} and {costs[-1]} reference authors"
