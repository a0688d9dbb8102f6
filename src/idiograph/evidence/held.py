"""A value that no single score can carry: the ceiling that holds an LR against imitators, and the flag.

Anybody with a concordance of K can put its phrases into somebody else's Q. Two other scores hardly move then: those
without K's own phrases (`phrases`, *bare*) and score A of the commonest n-grams (`steady`). An LR above 1 is held to
four times what each of them gives:

    ln LR_held = min(ln LR, max(0, ln LR_bare + ln 4), max(0, ln LR_steady + ln 4))    where ln LR > 0, else ln LR

It lowers values above 1 and none below: a ceiling, not an LR.

The flag says that Q owes its likeness to K's own phrases, S being normalised scores, freed from topic (`closeness`) by
slopes of their own where content words are known, for texts about one matter share phrases whoever wrote them:

    T₁ = S(cosine) − S(unlisted cosine)
    T₂ = ½·(S(unlisted λG) − S(bare λG) + S(unlisted cosine) − S(bare cosine))

T₁ is high where Q has K's most typical phrases, T₂ where it has phrases that K alone has. The limits were learnt on
open corpora, so that few honest trials pass them; they ship with the constants of both LRs (`docs/validation/held.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from idiograph.arithmetic import FloatArray, mean
from idiograph.evidence.constants import HELD_FILE
from idiograph.evidence.matrix import Cell, Matrix
from idiograph.evidence.normalised import features
from idiograph.evidence.phrases import BARE, UNLISTED
from idiograph.evidence.steady import STEADY
from idiograph.evidence.trials import BoolArray
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
    false_alarms: float  # share of honest same-author trials of other corpora that pass either limit

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


def flag_values(normed: FloatArray) -> tuple[FloatArray, FloatArray]:
    """T₁ and T₂ of trials: one row each, with a column for each score that the flag goes by."""
    cosine, unlisted_distinct, unlisted_cosine, bare_distinct, bare_cosine = normed.T
    alone = 0.5 * (unlisted_distinct - bare_distinct + unlisted_cosine - bare_cosine)
    return cosine - unlisted_cosine, alone


@dataclass(frozen=True)
class FlagLimits:
    """What T₁ and T₂ of honest same-author trials seldom pass, and the slopes that free their scores from topic."""

    typical: float
    alone: float
    slopes: tuple[float, ...]  # b of each score; empty where topic is left alone

    def passed(self, typical: FloatArray, alone: FloatArray) -> BoolArray:
        """Which trials are flagged."""
        return np.asarray((typical > self.typical) | (alone > self.alone), bool)


def flag_limits(*, controlled: bool) -> FlagLimits:
    """The limits learnt on the open corpora, for texts whose content words are known or for others."""
    limits = _learnt_limits(controlled)
    return FlagLimits(limits["typical"], limits["alone"], tuple(limits.get("topic", {}).values()))


def flag_of(matrices: Sequence[Matrix], trial: Cell) -> Flag:
    """The flag of one trial, by the means of T₁ and T₂ over several draws of the reference."""
    controlled = matrices[0].closeness is not None
    limits = flag_limits(controlled=controlled)
    by_draw = [flag_values(features(matrix.only(*FLAGGING), [trial], limits.slopes)) for matrix in matrices]
    typical, alone = (mean([float(value[0]) for value in values]) for values in zip(*by_draw, strict=True))
    return Flag(typical, alone, (limits.typical, limits.alone), _learnt_limits(controlled)["flagged"])


def _learnt_limits(controlled: bool) -> dict[str, Any]:
    (limits,) = (entry for entry in _record()["limits"] if ("topic" in entry) == controlled)
    return dict(limits)


def share_lowered() -> float:
    """Of honest same-author trials of other corpora with a value above 1, how many the ceiling lowers."""
    return float(_record()["lowered"])


def _record() -> dict[str, Any]:
    return shipped_record("idiograph.evidence", HELD_FILE)
