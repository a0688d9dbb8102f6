"""The curves of every method on every condition, so small that a page holds all of them.

Each is a path for an SVG drawing of 200 by 100 units, rounded to units: a Tippett plot, a PAV plot and a plot of
empirical cross-entropy take some two thousand bytes together. The figures for print are in `figures`.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

import numpy as np

from idiograph.arithmetic import FloatArray, quantile
from idiograph.errors import counted
from idiograph.evidence.methods import short_name
from idiograph.evidence.metrics import ece_curve, pav_curve, tippett_curve
from idiograph.output.document import Curves, SmallCurves
from idiograph.output.plot import beyond, log10, span
from idiograph.studies.summary import MethodPerformance, MethodTrials, lower_or_equal

WIDTH, HEIGHT = 200, 100
_PRIORS = np.linspace(-2.0, 2.0, 41)  # log10 odds
COSTLIEST = 1.5  # bits: where the plot of empirical cross-entropy ends


def small_curves(judged: Sequence[MethodTrials], rows: Sequence[MethodPerformance]) -> Iterator[tuple[str, Curves]]:
    """The corpus and the curves of all methods for each condition, in the order of the study."""
    pairs = zip(judged, rows, strict=True)
    for (corpus, condition), group in groupby(pairs, key=lambda pair: (pair[0].corpus, pair[0].condition)):
        methods = list(group)
        # One axis for all methods of a condition, and not that of the one with the wildest LLRs.
        lows, highs = zip(*(span(log10(trials.trials.all)) for trials, _ in methods), strict=True)
        limits = (quantile(lows, 0.5), quantile(highs, 0.5))
        cllrs = {short_name(row.method): row.performance.cllr.value or 0.0 for _, row in methods}
        best = next(name for name, value in cllrs.items() if lower_or_equal(value, min(cllrs.values())))
        yield (
            corpus,
            Curves(
                title=f"{condition}: Cllr from {cllrs[best]:.3f} ({best}) to {max(cllrs.values()):.3f}",
                low=f"{limits[0]:.1f}".replace("-", "−"),
                high=f"{limits[1]:.1f}",
                middle=_across(0.0, limits),
                neutral=_line(_PRIORS, ece_curve(same=[0.0], different=[0.0], prior_log10_odds=_PRIORS).neutral),
                rows=tuple(_drawn(trials, row, limits) for trials, row in methods),
            ),
        )


def _drawn(of: MethodTrials, row: MethodPerformance, limits: tuple[float, float]) -> SmallCurves:
    both = {"same": of.trials.same, "different": of.trials.different}
    shares, fitted = tippett_curve(**both), pav_curve(**both)
    costs = ece_curve(**both, prior_log10_odds=_PRIORS)
    at = np.searchsorted(shares.log10_lr, np.linspace(*limits, WIDTH + 1))
    outside = beyond(log10(of.trials.all), limits)
    performance, words = row.performance, []
    for name, metric in (("Cllr", performance.cllr), ("Cllr_min", performance.cllr_min), ("AUC", performance.auc)):
        words.append(f"{name} {metric.value:.3f}" if metric.value is not None else f"no {name}")
    if outside:
        words.append(f"{counted(outside, 'trial')} of {of.trials.all.size:,} beyond the axis")
    return SmallCurves(
        name=short_name(of.method),
        facts="; ".join(words),
        same=_steps(np.append(shares.same, 0.0)[at]),
        different=_steps(np.append(shares.different, 0.0)[at]),
        pav=_path(
            [_across(x, limits) for x in fitted.log10_lr], [HEIGHT - _up(y, limits) for y in fitted.pav_log10_lr]
        ),
        llrs=_line(_PRIORS, costs.llrs),
        calibrated=_line(_PRIORS, costs.calibrated),
    )


def _across(x: float, limits: tuple[float, float]) -> int:
    """How far to the right a value stands; what lies beyond the limits stands at the edge."""
    return round(WIDTH * (min(max(x, limits[0]), limits[1]) - limits[0]) / (limits[1] - limits[0]))


def _up(y: float, limits: tuple[float, float]) -> int:
    return round(HEIGHT * (min(max(y, limits[0]), limits[1]) - limits[0]) / (limits[1] - limits[0]))


def _steps(shares: FloatArray) -> str:
    """A path that goes right, and down wherever the share at the next unit is another one."""
    heights = [round(HEIGHT * (1.0 - float(share))) for share in shares]
    path = [f"M0 {heights[0]}"]
    for at, (before, height) in enumerate(pairwise(heights), 1):
        if height != before:
            path.append(f"H{at}V{height}")
    return "".join([*path, f"H{len(heights) - 1}"])


def _line(x: FloatArray, y: FloatArray) -> str:
    ends = (float(x[0]), float(x[-1]))
    heights = [HEIGHT - _up(float(cost), (0.0, COSTLIEST)) for cost in y]
    return _path([_across(float(odds), ends) for odds in x], heights)


def _path(across: Sequence[int], down: Sequence[int]) -> str:
    """A line through points, without those that lie between two others at the same height."""
    points = list(dict.fromkeys(zip(across, down, strict=True)))
    corners = [
        point
        for at, point in enumerate(points)
        if not 0 < at < len(points) - 1 or not points[at - 1][1] == point[1] == points[at + 1][1]
    ]
    return "M" + "L".join(f"{x} {y}" for x, y in corners)
