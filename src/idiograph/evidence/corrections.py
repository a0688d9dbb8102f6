"""Corrections: from λG to an LLR without training data.

    Square Root Correction   ΛG = λG / sqrt(N(Q))         Barlow, Nini & Manino 2026
    Hapax Correction         ΛG = λG · V1(Q) / N(Q)       Barlow, Nini & Manino 2026
    Sentence Correction      ln LR = Σ_s λ_s / sqrt(Σ_s λ_s²)      Idiograph's own, not published

The unit of the first two was inferred, not stated by their authors: bits (docs/evidence.md says how).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from idiograph.errors import InputError
from idiograph.evidence.llr import LLR, to_nats
from idiograph.evidence.two_classes import FloatArray, Values

Numbers = Values | Sequence[int] | npt.NDArray[np.integer]


class ScoreLike(Protocol):
    """What a correction reads of a Score."""

    @property
    def lambda_g(self) -> float: ...
    @property
    def evidence(self) -> tuple[FloatArray, ...]: ...
    @property
    def n_tokens(self) -> int: ...
    @property
    def n_hapaxes(self) -> int: ...


def raw(score: ScoreLike) -> LLR:
    """λG itself, a sum of log10 ratios, read as if it were calibrated: for comparison only."""
    return LLR.of(score.lambda_g, "bans", how="raw")


def square_root(score: ScoreLike, *, unit: str = "bits") -> LLR:
    """ΛG = λG / sqrt(N(Q))."""
    value = square_root_values(lambda_g=[score.lambda_g], n_tokens=[score.n_tokens])
    return LLR.of(float(value[0]), unit, how="square_root")


def hapax(score: ScoreLike, *, unit: str = "bits") -> LLR:
    """ΛG = λG · V1(Q) / N(Q); exactly 0 where no type of Q occurs once."""
    value = hapax_values(lambda_g=[score.lambda_g], n_tokens=[score.n_tokens], n_hapaxes=[score.n_hapaxes])
    return LLR.of(float(value[0]), unit, how="hapax")


def sentence(score: ScoreLike) -> LLR:
    """ln LR = Σ_s λ_s / sqrt(Σ_s λ_s²), in nats by definition; 0 where every sentence's λ is 0.

    Idiograph's own and not published: found on open corpora, which therefore do not prove it.
    """
    value = sentence_values(lambda_g=[score.lambda_g], sentence_norms=[sentence_norm(score.evidence)])
    return LLR.of(float(value[0]), "nats", how="sentence")


def sentence_norm(evidence: Sequence[FloatArray]) -> float:
    """sqrt(Σ_s λ_s²), λ_s the sum over a sentence with its end: all that the Sentence Correction needs besides λG."""
    return math.hypot(*(float(np.sum(tokens)) for tokens in evidence))


def square_root_values(*, lambda_g: Values, n_tokens: Numbers) -> FloatArray:
    """ΛG by the Square Root Correction, one a trial."""
    return np.asarray(lambda_g, np.float64) / np.sqrt(_token_counts(n_tokens))


def hapax_values(*, lambda_g: Values, n_tokens: Numbers, n_hapaxes: Numbers) -> FloatArray:
    """ΛG by the Hapax Correction, one a trial."""
    # + 0.0 turns the −0.0 of a negative λG without hapaxes into 0.
    return np.asarray(lambda_g, np.float64) * (np.asarray(n_hapaxes, np.float64) / _token_counts(n_tokens)) + 0.0


def sentence_values(*, lambda_g: Values, sentence_norms: Values) -> FloatArray:
    """ln LR by the Sentence Correction, one a trial."""
    total, norms = np.asarray(lambda_g, np.float64), np.asarray(sentence_norms, np.float64)
    return np.divide(total, norms, out=np.zeros_like(total), where=norms > 0)


def _token_counts(n_tokens: Numbers) -> FloatArray:
    counts = np.asarray(n_tokens, np.float64)
    if (counts <= 0).any():
        raise InputError("Q has no token, so no correction can be made. Check the questioned text and its masking.")
    return counts


@dataclass(frozen=True)
class StoredScores:
    """The numbers of many scores that corrections need, one entry a trial."""

    lambda_g: FloatArray
    n_tokens: npt.NDArray[np.integer] | FloatArray
    n_hapaxes: npt.NDArray[np.integer] | FloatArray
    sentence_norms: FloatArray

    def nats(self, method: str, *, unit: str = "bits") -> FloatArray:
        """LLRs in nats by a correction's key: raw, square_root, hapax or sentence."""
        match method:
            case "raw":
                return to_nats(self.lambda_g, "bans")
            case "square_root":
                return to_nats(square_root_values(lambda_g=self.lambda_g, n_tokens=self.n_tokens), unit)
            case "hapax":
                values = hapax_values(lambda_g=self.lambda_g, n_tokens=self.n_tokens, n_hapaxes=self.n_hapaxes)
                return to_nats(values, unit)
            case "sentence":
                return sentence_values(lambda_g=self.lambda_g, sentence_norms=self.sentence_norms)
        raise InputError(f"There is no correction {method!r}. Choose one of {', '.join(CORRECTIONS)}.")


CORRECTIONS: Mapping[str, str] = {
    "raw": "λG as it is (uncalibrated)",
    "square_root": "Square Root Correction (Barlow, Nini & Manino 2026)",
    "hapax": "Hapax Correction (Barlow, Nini & Manino 2026)",
    "sentence": "Sentence Correction (Idiograph's own, not published)",
}
"""The corrections that need no training data, by method key, in words."""
