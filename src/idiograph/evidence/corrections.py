"""Corrections: from λG to an LLR without training data.

    Square Root Correction   ΛG = λG / sqrt(N(Q))         Barlow, Nini & Manino 2026
    Hapax Correction         ΛG = λG · V1(Q) / N(Q)       Barlow, Nini & Manino 2026
    Sentence Correction      ln LR = Σ_s λ_s / sqrt(Σ_s λ_s²)      Idiograph's own, not published

The unit of the first two was inferred, not stated by their authors: bits (docs/evidence.md says how).
"""

import numpy as np

from idiograph.errors import InputError
from idiograph.evidence.llr import LLR
from idiograph.evidence.scores import ScoreLike, Scores
from idiograph.evidence.trials import FloatArray


def square_root(score: ScoreLike, *, unit: str = "bits") -> LLR:
    """ΛG = λG / sqrt(N(Q))."""
    return LLR.of(float(square_root_values(Scores.of(score))[0]), unit, how="square_root")


def hapax(score: ScoreLike, *, unit: str = "bits") -> LLR:
    """ΛG = λG · V1(Q) / N(Q); exactly 0 where no type of Q occurs once."""
    return LLR.of(float(hapax_values(Scores.of(score))[0]), unit, how="hapax")


def sentence(score: ScoreLike) -> LLR:
    """ln LR = Σ_s λ_s / sqrt(Σ_s λ_s²), in nats by definition; 0 where every sentence's λ is 0.

    Idiograph's own and not published: found on open corpora, which therefore do not prove it.
    """
    return LLR.of(float(sentence_values(Scores.of(score))[0]), "nats", how="sentence")


def raw_values(scores: Scores) -> FloatArray:
    """λG itself."""
    return scores.lambda_g


def square_root_values(scores: Scores) -> FloatArray:
    """ΛG of each score by the Square Root Correction."""
    return scores.lambda_g / np.sqrt(_token_counts(scores))


def hapax_values(scores: Scores) -> FloatArray:
    """ΛG of each score by the Hapax Correction."""
    # + 0.0 turns the −0.0 of a negative λG without hapaxes into 0.
    return scores.lambda_g * (scores.n_hapaxes.astype(np.float64) / _token_counts(scores)) + 0.0


def sentence_values(scores: Scores) -> FloatArray:
    """ln LR of each score by the Sentence Correction."""
    total, norms = scores.lambda_g, scores.sentence_norms
    return np.divide(total, norms, out=np.zeros_like(total), where=norms > 0)


def _token_counts(scores: Scores) -> FloatArray:
    counts = scores.n_tokens.astype(np.float64)
    if (counts <= 0).any():
        raise InputError("Q has no token, so no correction can be made. Check the questioned text and its masking.")
    return counts
