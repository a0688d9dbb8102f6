"""What a method reads of a score, column by column: of one score, of many, or of trials with known answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import norm, total
from idiograph.errors import InputError
from idiograph.evidence.trials import BoolArray, FloatArray, Trials

Counts = npt.NDArray[np.integer[Any]]
NameArray = npt.NDArray[np.object_]
S = TypeVar("S", bound="Scores")


class ScoreLike(Protocol):
    """What a method reads of a Score."""

    @property
    def lambda_g(self) -> float: ...
    @property
    def evidence(self) -> tuple[FloatArray, ...]: ...
    @property
    def n_tokens(self) -> int: ...
    @property
    def n_hapaxes(self) -> int: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores:
    """The numbers of scores that methods need, one entry per score."""

    lambda_g: FloatArray
    n_tokens: Counts
    n_hapaxes: Counts
    sentence_norms: FloatArray  # sqrt(Σ_s λ_s²)
    scores: Mapping[str, FloatArray] = field(default_factory=dict)  # others besides λG, by name; NaN where none is

    @classmethod
    def of(cls, score: ScoreLike) -> "Scores":
        """What methods need of a single score."""
        try:
            return Scores(
                lambda_g=np.array([score.lambda_g], np.float64),
                n_tokens=np.array([score.n_tokens]),
                n_hapaxes=np.array([score.n_hapaxes]),
                sentence_norms=np.array([sentence_norm(score.evidence)]),
            )
        except (AttributeError, TypeError):
            raise InputError(
                f"A score is needed, and this is a {type(score).__name__}. Give what idiograph.score returns."
            ) from None

    def __len__(self) -> int:
        return len(self.lambda_g)

    def take(self: S, chosen: npt.NDArray[Any]) -> S:
        """The entries at these places, or where this is true."""
        return type(self)(**{one.name: _taken(getattr(self, one.name), chosen) for one in fields(self)})


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredTrials(Scores):
    """Scores of problems whose answer is known: what methods learn from, and are judged by."""

    q_authors: NameArray
    k_authors: NameArray
    same_author: BoolArray

    def trials(self, values: FloatArray) -> Trials:
        """These trials with one LLR or score each."""
        same, different = self.same_author, ~self.same_author
        # The names were checked when the trials were made.
        return replace(
            Trials.of(same=values[same], different=values[different]),
            same_authors=tuple(self.k_authors[same].tolist()),
            different_authors=tuple(
                zip(self.k_authors[different].tolist(), self.q_authors[different].tolist(), strict=True)
            ),
        )


def sentence_norm(evidence: Sequence[FloatArray]) -> float:
    """sqrt(Σ_s λ_s²), λ_s the sum over a sentence with its end: all that the Sentence Correction needs besides λG."""
    return norm([total(tokens) for tokens in evidence])


def _taken(column: Any, chosen: npt.NDArray[Any]) -> Any:
    if isinstance(column, Mapping):
        return {name: values[chosen] for name, values in column.items()}
    return column[chosen]
