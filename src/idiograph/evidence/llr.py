"""LLR: what a score is worth, in nats inside, in LR and log10 LR for people. Only here are units converted."""

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, overload

from idiograph.arguments import check, check_fields
from idiograph.arithmetic import LN2, LN10, exp, log
from idiograph.errors import InputError
from idiograph.evidence.scales import Band, scale
from idiograph.evidence.trials import FloatArray

NATS_PER: Mapping[str, float] = {"bits": LN2, "nats": 1.0, "bans": LN10}
"""How many nats one bit, nat or ban is: LR = 2^bits = e^nats = 10^bans."""

_LARGEST = log(sys.float_info.max)


@overload
def to_nats(value: float, unit: str) -> float: ...
@overload
def to_nats(value: FloatArray, unit: str) -> FloatArray: ...
def to_nats(value: float | FloatArray, unit: str) -> float | FloatArray:
    """A value in bits, nats or bans, in nats."""
    return value * nats_per(unit)


@overload
def from_nats(nats: float, unit: str) -> float: ...
@overload
def from_nats(nats: FloatArray, unit: str) -> FloatArray: ...
def from_nats(nats: float | FloatArray, unit: str) -> float | FloatArray:
    """A value in nats, in bits, nats or bans."""
    return nats / nats_per(unit)


def nats_per(unit: str) -> float:
    """How many nats one of this unit is."""
    check(unit, str, "unit")
    if unit not in NATS_PER:
        raise InputError(
            f"There is no unit {unit!r}. A corrected value is read in {', '.join(NATS_PER)} (LR = 2^, e^ or 10^value)."
        )
    return NATS_PER[unit]


@dataclass(frozen=True)
class LLR:
    """A log-likelihood ratio in nats, with the corrected value and unit it was read from, and how it was made."""

    nats: float
    how: str
    value: float
    unit: str

    def __post_init__(self) -> None:
        check_fields(self)
        if not math.isfinite(self.nats):
            raise InputError(
                f"A log-likelihood ratio must be a finite number and this one ({self.how}) is {self.nats}. "
                "Find out which score it came from."
            )

    @classmethod
    def of(cls, value: float, unit: str, *, how: str) -> "LLR":
        """The LLR of a corrected value in its unit."""
        check(value, float, "value")
        return cls(nats=to_nats(value, unit), how=how, value=value, unit=unit)

    @property
    def log10(self) -> float:
        """log10 LR."""
        return from_nats(self.nats, "bans")

    @property
    def lr(self) -> float | None:
        """The likelihood ratio; None where it or its inverse is beyond a double, and log10 speaks."""
        return exp(self.nats) if abs(self.nats) <= _LARGEST else None

    @property
    def direction(self) -> Literal["Hp", "Hd"] | None:
        """The proposition that the evidence supports; None for LR = 1."""
        if self.nats == 0:
            return None
        return "Hp" if self.nats > 0 else "Hd"

    def band(self, scale_key: str) -> Band | None:
        """The band of a verbal scale; None where numbers only were chosen."""
        chosen = scale(scale_key)
        return None if chosen is None else chosen.band(self.log10)

    def verbal(self, scale_key: str) -> str | None:
        """The words of a verbal scale, such as "moderate support for Hp"; None where numbers only were chosen."""
        band = self.band(scale_key)
        if band is None:
            return None
        if band.support == "no":
            return "no support for either proposition"
        return f"{band.support} support for {self.direction}"
