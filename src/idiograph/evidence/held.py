"""A value that no single score can carry: the ceiling that holds an LR against imitators, and the flag.

Anybody with a concordance of K can put its phrases into somebody else's Q. Two other scores hardly move then: those
without K's own phrases (`phrases`, *bare*) and score A of the commonest n-grams (`steady`). An LR above 1 is held to
four times what each of them gives:

    ln LR_held = min(ln LR, max(0, ln LR_bare + ln 4), max(0, ln LR_steady + ln 4))    where ln LR > 0, else ln LR

It lowers values above 1 and none below: a ceiling, not an LR.

The flag says that Q owes its likeness to K's own phrases, S being normalised scores:

    T₁ = S(cosine) − S(unlisted cosine)
    T₂ = ½·(S(unlisted λG) − S(bare λG) + S(unlisted cosine) − S(bare cosine))

T₁ is high where Q has K's most typical phrases, T₂ where it has phrases that K alone has. The limits were learnt on
open corpora, so that few honest trials pass them; they ship with the constants of both LRs (`docs/validation/held.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from idiograph.arithmetic import FloatArray
from idiograph.evidence.constants import HELD_FILE
from idiograph.evidence.matrix import Cell, Matrix
from idiograph.evidence.normalised import normed_scores
from idiograph.evidence.phrases import BARE, UNLISTED
from idiograph.evidence.steady import STEADY
from idiograph.records import shipped_record

LN4 = 1.3862943611198906
LIMITING: Mapping[str, tuple[str, ...]] = {"bare": BARE, STEADY: (STEADY,)}  # the scores of each LR that limits
FLAGGING = ("cosine", *UNLISTED, *BARE)  # the scores that the flag goes by


def held_nats(nats: FloatArray, *, bare: FloatArray, steady: FloatArray) -> FloatArray:
    """LLRs held by the two others; what is not above 0 stays as it is."""
    ceiling = np.minimum(np.maximum(bare + LN4, 0.0), np.maximum(steady + LN4, 0.0))
    return np.where(nats > 0, np.minimum(nats, ceiling), nats)


@dataclass(frozen=True)
class Flag:
    """How much of Q's likeness to K it owes to K's most typical phrases (T₁), and to those that K alone has (T₂)."""

    typical: float
    alone: float
    limits: tuple[float, float]

    @property
    def raised(self) -> bool:
        """Whether either passes its limit."""
        return self.by_typical or self.by_alone

    @property
    def by_typical(self) -> bool:
        return self.typical > self.limits[0]

    @property
    def by_alone(self) -> bool:
        return self.alone > self.limits[1]


def flag_values(normed: Mapping[str, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """T₁ and T₂ of trials, from their normalised scores by name."""
    cosine = normed[UNLISTED[1]]
    alone = 0.5 * (normed[UNLISTED[0]] - normed[BARE[0]] + cosine - normed[BARE[1]])
    return normed["cosine"] - cosine, alone


def flag_of(matrix: Matrix, trial: Cell) -> tuple[float, float]:
    """T₁ and T₂ of one trial of a matrix."""
    normed = normed_scores(matrix.only(*FLAGGING), [trial])
    typical, alone = flag_values(dict(zip(FLAGGING, normed.T, strict=True)))
    return float(typical[0]), float(alone[0])


@dataclass(frozen=True)
class Shares:
    """The limits of T₁ and T₂, and what ceiling and flag do to honest same-author trials of other corpora."""

    limits: tuple[float, float]
    flagged: float
    lowered: float  # of those with a value above 1


def shipped_shares() -> Shares:
    """The limits and shares learnt on the open corpora."""
    record = shipped_record("idiograph.evidence", HELD_FILE)
    limits = record["limits"]
    return Shares((limits["typical"], limits["alone"]), record["honest"]["flagged"], record["honest"]["lowered"])
