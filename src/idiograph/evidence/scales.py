"""Verbal scales as data: what published ladders call a likelihood ratio of a given size."""

from collections.abc import Mapping
from dataclasses import dataclass

from idiograph.arguments import check
from idiograph.arithmetic import log10
from idiograph.errors import InputError


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
    for place, band in enumerate(chosen.bands):
        if band.up_to is None:
            edges = f"above {band.above:,.0f}"
        elif place == 0:
            edges = f"up to {band.up_to:,.0f}"
        else:
            edges = f"above {band.above:,.0f} up to {band.up_to:,.0f}"
        rows.append((edges, band.support))
    return tuple(rows)


def scale_table(chosen: Scale) -> str:
    """The whole scale as a Markdown table, for documentation."""
    rows = [f"| {edges} | {support} |" for edges, support in scale_rows(chosen)]
    return "\n".join(["| LR (1/LR for Hd) | support |", "|---|---|", *rows]) + "\n"
