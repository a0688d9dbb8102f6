"""Scores made by hand."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Made:
    """A score made by hand."""

    evidence: tuple[FloatArray, ...]
    n_tokens: int
    n_hapaxes: int
    lambda_g: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lambda_g", float(sum(tokens.sum() for tokens in self.evidence)))


def score_of(*sentences: list[float], n_tokens: int, n_hapaxes: int) -> Made:
    return Made(tuple(np.array(tokens) for tokens in sentences), n_tokens, n_hapaxes)
