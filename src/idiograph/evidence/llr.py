"""LLR: what a score is worth, in nats inside, in LR and log10 LR for people. Only here are units converted.

Verbal scales as data: what published ladders call a likelihood ratio of a given size.

From a prior to a posterior: for those who must decide. No report holds one; the expert speaks of the evidence.
"""

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from idiograph.arithmetic import LN2, LN10, FloatArray, exp, exp10, log, log1p, log10, logistic
from idiograph.checking import check, check_fields, checks_arguments, shown, unchecked
from idiograph.errors import InputError
from idiograph.showing import one_line


@dataclass(frozen=True)
class Band:
    """LRs above `above` and up to `up_to` (None: no upper edge), and what the scale calls their support."""

    above: float
    up_to: float | None
    support: str


@dataclass(frozen=True)
class Scale:
    """A ladder of bands for LRs of 1 and more; below 1 the same ladder is read with 1/LR for Hd."""

    key: str
    name: str
    citation: str
    checked: bool
    bands: tuple[Band, ...]

    @property
    def status(self) -> str:
        """Whether the bands were compared with the publication itself."""
        return "checked against the source" if self.checked else "not checked against the source here"

    def band(self, log10_lr: float) -> Band:
        """The band of an LR; a shared edge belongs to the weaker band."""
        if not math.isfinite(log10_lr):
            raise InputError(f"A log10 LR of {log10_lr} has no place on a verbal scale: it is not a finite number.")
        size = abs(log10_lr)
        for band in self.bands:
            # An LR that is an edge but for rounding stays in the weaker band.
            if band.up_to is None or size <= log10(band.up_to) + 1e-12:
                return band
        raise AssertionError(f"the scale {self.key} has no last band without an upper edge")


def _ladder(*steps: tuple[float, str], beyond: str) -> tuple[Band, ...]:
    edges = [1.0, *(up_to for up_to, _ in steps)]
    within = [Band(above, up_to, support) for above, (up_to, support) in zip(edges, steps, strict=False)]
    return (*within, Band(edges[-1], None, beyond))


ENFSI_2015 = Scale(
    key="enfsi",
    name="ENFSI 2015",
    citation="European Network of Forensic Science Institutes (2015). ENFSI Guideline for Evaluative Reporting in "
    "Forensic Science.",
    checked=False,
    bands=_ladder(
        (2, "no"),
        (10, "weak"),
        (100, "moderate"),
        (1_000, "moderately strong"),
        (10_000, "strong"),
        (1_000_000, "very strong"),
        beyond="extremely strong",
    ),
)

MARQUIS_2016 = Scale(
    key="marquis",
    name="Marquis et al. 2016, as idiolect applies it",
    citation="Marquis, R., Biedermann, A., Cadola, L., Champod, C., Gueissaz, L., Massonnet, G., Mazzella, W. D., "
    "Taroni, F. & Hicks, T. (2016). Discussion on how to implement a verbal scale in a forensic laboratory: "
    "Benefits, pitfalls and suggestions to avoid misunderstandings. Science & Justice 56(5), 364–370.",
    checked=False,
    bands=_ladder(
        (1, "no"),
        (10, "weak"),
        (100, "moderate"),
        (1_000, "strong"),
        (10_000, "very strong"),
        beyond="extremely strong",
    ),
)

NUMBERS_ONLY = "numbers"
"""The choice of no scale: the number speaks alone."""

SCALES: Mapping[str, Scale] = {scale.key: scale for scale in (ENFSI_2015, MARQUIS_2016)}


def scale(key: str) -> Scale | None:
    """The scale of that key, or None where numbers only were chosen."""
    check(key, str, "The key of a verbal scale")
    if key == NUMBERS_ONLY:
        return None
    if key not in SCALES:
        raise InputError(
            f"There is no verbal scale {key!r}. Choose one of {', '.join(SCALES)}, or {NUMBERS_ONLY} for no words."
        )
    return SCALES[key]


def scale_rows(chosen: Scale) -> tuple[tuple[str, str], ...]:
    """The whole scale: the LRs of each band in words, and its support."""
    rows = []
    for number, band in enumerate(chosen.bands):
        if band.up_to is None:
            edges = f"above {band.above:,.0f}"
        elif number == 0:
            edges = f"up to {band.up_to:,.0f}"
        else:
            edges = f"above {band.above:,.0f} up to {band.up_to:,.0f}"
        rows.append((edges, band.support))
    return tuple(rows)


NATS_PER: Mapping[str, float] = {"bits": LN2, "nats": 1.0, "bans": LN10}
"""How many nats one bit, nat or ban is: LR = 2^bits = e^nats = 10^bans."""

Values = TypeVar("Values", float, FloatArray)
_LARGEST = log(sys.float_info.max)
_HELPFUL = 2.0  # without a scale, an LR that is printed as no more than this does not help


def to_nats(value: Values, unit: str) -> Values:
    """A value in bits, nats or bans, in nats."""
    return value * nats_per(unit)


def from_nats(nats: Values, unit: str) -> Values:
    """A value in nats, in bits, nats or bans."""
    return nats / nats_per(unit)


def nats_per(unit: str) -> float:
    """How many nats one of this unit is."""
    if not isinstance(unit, str) or unit not in NATS_PER:
        check(unit, str, "unit")
        raise InputError(
            f"There is no unit {unit!r}. A corrected value is read in {', '.join(NATS_PER)} (LR = 2^, e^ or 10^value)."
        )
    return NATS_PER[unit]


@one_line
@dataclass(frozen=True)
class LLR:
    """A log-likelihood ratio in `nats`, with the corrected `value` and `unit` it was read from, and `how` it was made.

    It is a number where only one can be meant: `float(llr)` is in nats (the natural logarithm of the LR), as are all
    LLRs that metrics take; LLRs are compared with each other and with 0, which is LR 1 in every unit. For any other
    number say which is meant: `llr.lr`, `llr.log10` or `llr.nats`.
    """

    nats: float
    how: str
    value: float
    unit: str

    def __post_init__(self) -> None:
        check_fields(self)
        self._refuse_infinite()

    @property
    def in_a_line(self) -> str:
        """The LR as people read it, and its logarithm."""
        lr = f"LR {self.lr:.4g}, " if self.lr is not None else ""
        return f"{lr}log10 LR {self.log10:.4f}, {self.nats:.6g} nats, by {self.how}"

    def __float__(self) -> float:
        return float(self.nats)

    def __lt__(self, other: object) -> bool:
        return self.nats < self._nats_of(other)

    def __le__(self, other: object) -> bool:
        return self.nats <= self._nats_of(other)

    def __gt__(self, other: object) -> bool:
        return self.nats > self._nats_of(other)

    def __ge__(self, other: object) -> bool:
        return self.nats >= self._nats_of(other)

    @staticmethod
    def _nats_of(other: object) -> float:
        if isinstance(other, LLR):
            return other.nats
        if isinstance(other, int | float) and not isinstance(other, bool) and other == 0:
            return 0.0
        raise InputError(
            f"An LLR is compared with another LLR or with 0 (LR 1), not with {shown(other)}, which may be an LR, a "
            "log10 LR or nats. Say which: llr.lr, llr.log10 or llr.nats."
        )

    def _refuse_infinite(self) -> None:
        for number in (self.nats, self.value):
            if not math.isfinite(number):
                raise InputError(
                    f"A log-likelihood ratio must be a finite number and this one ({self.how}) is {number}. "
                    "Find out which score it came from."
                )

    @classmethod
    def of(cls, value: float, unit: str, *, how: str) -> "LLR":
        """The LLR of a corrected value in its unit.

        `value` is in `unit`, bits, nats or bans; `how` is the method that made it.
        """
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
        """The band of a verbal scale; None where numbers only were chosen.

        `scale_key` is enfsi, marquis or numbers.
        """
        chosen = scale(scale_key)
        return None if chosen is None else chosen.band(self.log10)

    @property
    def printed(self) -> "LLR":
        """The LLR of the LR as people read it: of its two figures."""
        return computed_llr(to_nats(printed_log10(self.nats), "bans"), how=self.how, value=self.value, unit=self.unit)

    def verbal(self, scale_key: str) -> str | None:
        """The words of a verbal scale, such as "moderate support for Hp"; None where numbers only were chosen.

        `scale_key` is enfsi, marquis or numbers.
        """
        band = self.band(scale_key)
        if band is None:
            return None
        if band.support == "no":
            return "no support for either proposition"
        return f"{band.support} support for {self.direction}"


def helps(nats: float, scale_key: str) -> bool:
    """Whether an LR, as it is printed, supports a proposition in the words of the scale."""
    chosen = scale(scale_key)
    if chosen is None:
        return abs(printed_log10(nats)) > log10(_HELPFUL)
    return chosen.band(printed_log10(nats)).support != "no"


def two_figures(nats: float) -> tuple[float, int]:
    """The LR of |nats| as people read it, digits · 10^exponent, rounded to two significant figures.

    The one rule by which likelihood ratios are rounded for people: the number, its logarithm and its words all follow
    it, so they cannot disagree, and a stronger value is never printed as a smaller one.
    """
    if not math.isfinite(nats):
        raise InputError(f"A log-likelihood ratio of {nats} is not a finite number, so it cannot be put into words.")
    log10_lr = from_nats(abs(nats), "bans")
    exponent = math.floor(log10_lr)
    digits = round(exp10(log10_lr - exponent), 1)
    return (1.0, exponent + 1) if digits >= 10 else (digits, exponent)


def printed_log10(nats: float) -> float:
    """log10 of the LR as printed: of its two figures."""
    digits, exponent = two_figures(nats)
    return math.copysign(exponent + log10(digits), nats)


def computed_llr(nats: float, *, how: str, value: float, unit: str) -> LLR:
    """An LLR that the engine made: all that can be wrong with it is that it is not finite."""
    llr = unchecked(LLR, nats=nats, how=how, value=value, unit=unit)
    llr._refuse_infinite()
    return llr


@dataclass(frozen=True)
class Posterior:
    """What a prior probability of Hp becomes with the evidence: odds are log10, so that nothing overflows."""

    prior: float
    prior_log10_odds: float
    posterior_log10_odds: float
    probability: float

    @property
    def complement(self) -> float:
        """The posterior probability of Hd, which keeps its digits where that of Hp rounds to 1."""
        return logistic(to_nats(-self.posterior_log10_odds, "bans"))


@checks_arguments
def posterior(llr: LLR | float, prior: float) -> Posterior:
    """Posterior odds = LR · prior odds, of an `llr` (a plain number is in nats) and a `prior` probability of Hp."""
    if not 0 < prior < 1:
        raise InputError(
            f"The prior probability is {prior}. It must lie between 0 and 1, both excluded: no evidence changes a "
            "certainty."
        )
    nats = llr.nats if isinstance(llr, LLR) else float(llr)
    if not math.isfinite(nats):
        raise InputError(f"The log-likelihood ratio is {nats}. It must be a finite number.")
    prior_odds = log(prior) - log1p(-prior)
    return Posterior(
        prior=prior,
        prior_log10_odds=from_nats(prior_odds, "bans"),
        posterior_log10_odds=from_nats(prior_odds + nats, "bans"),
        probability=logistic(prior_odds + nats),
    )
