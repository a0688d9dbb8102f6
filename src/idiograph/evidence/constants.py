"""The constants that a calibration is pulled towards: learnt on other corpora, shipped as data with their source.

A longer K tells more, so each constant is a line over the logarithm of K's length:

    b₀(K) = level + slope · ln(K / 1,500),   K in tokens, taken between the shortest and the longest it was learnt for

They come from English corpora. Without them a calibration is pulled towards saying nothing: all b₀ are 0.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from idiograph.arithmetic import log
from idiograph.errors import CalibrationError
from idiograph.evidence.pulled import Weights
from idiograph.provenance import digest

MIDDLE = 1_500  # tokens of K where a constant is at its level
SHORTEST, LONGEST = 500, 3_000  # tokens of K that constants were learnt for
ENGLISH_CORPORA, NONE = "english", "none"  # where the constants of a case or a study come from
HELD = {ENGLISH_CORPORA: "held by constants learnt on other corpora", NONE: "held towards saying nothing"}
CONSTANTS: dict[str, Any] = {
    "default": ENGLISH_CORPORA,
    "choices": (ENGLISH_CORPORA, NONE),
    "help": "What holds the fit of normalised: constants learnt on English corpora, or none: it is then held "
    "towards saying nothing, and takes 8 reference authors.",
}
"""The setting of cases and studies."""


@dataclass(frozen=True)
class Constants:
    """Weights learnt on other corpora for a number of reference authors, which scores they are for, and the source."""

    scores: tuple[str, ...]
    n_authors: int
    weights: Weights
    source: str
    digest: str

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
) -> Constants:
    """The shipped constants for these scores that were learnt with the nearest number of reference authors; or none."""
    if origin == NONE:
        return Constants(scores, 0, Weights(0.0, (0.0,) * len(scores)), _NOBODY, digest(_NOBODY))
    lines, source, own = shipped()
    found = [one for one in lines if one.scores == scores]
    if not found:
        known = "; ".join(sorted({", ".join(one.scores) for one in lines}))
        raise CalibrationError(
            f"There are no constants for the scores {', '.join(scores)}. There are some for: {known}."
        )
    # In ratios: 20 authors are as far from 10 as from 40.
    nearest = min(found, key=lambda one: max(one.n_authors, n_authors) / min(one.n_authors, n_authors))
    return Constants(scores, nearest.n_authors, nearest.at(k_tokens), source, own)


_NOBODY = "None: the fit is held towards saying nothing (α and all β 0) and learns from the reference alone."


@cache
def shipped() -> tuple[tuple[ConstantsByLength, ...], str, str]:
    """All constants that come with the project, their source, and the digest of the file."""
    content = (files("idiograph.evidence") / "constants.json").read_bytes()
    table = json.loads(content)
    lines = tuple(
        ConstantsByLength(tuple(one["scores"]), one["n_authors"], *(_weights(one[part]) for part in ("level", "slope")))
        for one in table["constants"]
    )
    return lines, table["source"], digest(content)


def _weights(part: dict[str, float]) -> Weights:
    alpha, *betas = part.values()
    return Weights(alpha, tuple(betas))
