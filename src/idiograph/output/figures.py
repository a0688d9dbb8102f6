"""The figures of a case: validation curves, how many others score as high, what the number rests on.

LLRs come in nats, as everywhere in the code, and every axis shows log10 LR. Nothing is measured here: what a curve
needs comes from `evidence`.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from idiograph.evidence import metrics
from idiograph.output.plot import (
    CASE,
    DIFFERENT,
    DIFFERENT_NAME,
    QUIET,
    SAME,
    SAME_NAME,
    FloatArray,
    Plot,
    Values,
    beyond,
    canvas,
    label,
    log10,
    save,
    span,
    zero_line,
)
from idiograph.output.spreadsheet import Cell

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Plot", "anchored", "dots", "ece", "growth", "pav", "save", "tippett"]

_LR_AXIS = "log10 LR"


def tippett(*, same: Values, different: Values, case: float | None = None) -> Plot:
    """The share of trials of each kind whose LR is at least x, with the case's own LLR drawn in."""
    curves = {SAME_NAME: np.sort(log10(same)), DIFFERENT_NAME: np.sort(log10(different))}
    marked = None if case is None else float(log10([case])[0])
    limits = span(*curves.values(), [] if marked is None else [marked])
    rows: list[tuple[Cell, ...]] = []
    with canvas(height=3.5) as (figure, axes):
        for (name, values), colour, style in zip(curves.items(), (SAME, DIFFERENT), ("-", "--"), strict=True):
            shares = 1.0 - np.arange(len(values)) / max(len(values), 1)
            axes.step(*_to_the_edges(values, shares, limits), where="pre", color=colour, linestyle=style)
            axes.plot([], [], color=colour, linestyle=style, label=f"{name} ({len(values):,} trials)")
            rows += [(name, float(x), float(y)) for x, y in zip(values, shares, strict=True)]
        _mark(axes, marked)
        zero_line(axes)
        axes.set(xlim=limits, ylim=(0.0, 1.02), xlabel=_with_outside(limits, *curves.values()))
        axes.set_ylabel("share of trials with at least this LR")
        _legend_above(figure)
    if marked is not None:
        rows.append(("case", marked, None))
    return Plot(
        figure,
        _columns(("class", "log10_lr", "share_at_least"), rows),
        f"Tippett plot: share of {len(curves[SAME_NAME])} same-author trials (solid line) and of "
        f"{len(curves[DIFFERENT_NAME])} different-author trials (dashed line) whose log10 LR is at least the value on "
        f"the axis{_case_in_words(marked)}.",
    )


def pav(*, same: Values, different: Values, case: float | None = None) -> Plot:
    """Each trial's LLR against what pool-adjacent-violators makes of it; on the diagonal nothing needs mending.

    Where PAV is infinite, the trial stands at the edge of the plot.
    """
    fitted = metrics.pav(same=same, different=different)
    both = {SAME_NAME: np.asarray(same, np.float64), DIFFERENT_NAME: np.asarray(different, np.float64)}
    points = {
        name: (log10(llrs), log10(fitted.nats[np.searchsorted(fitted.scores, llrs)])) for name, llrs in both.items()
    }
    marked = None if case is None else float(log10([case])[0])
    finite = [after[np.isfinite(after)] for _, after in points.values()]
    limits = span(*(before for before, _ in points.values()), *finite, [] if marked is None else [marked])
    rows: list[tuple[Cell, ...]] = []
    with canvas(height=3.9, width=4.6) as (figure, axes):
        axes.plot(limits, limits, color=QUIET, linewidth=0.8, linestyle=":")
        axes.plot(log10(fitted.scores), np.clip(log10(fitted.nats), *limits), color=QUIET, linewidth=0.8, zorder=1)
        for (name, (before, after)), colour, marker in zip(points.items(), (SAME, DIFFERENT), "ox", strict=True):
            axes.plot(
                before, np.clip(after, *limits), marker, color=colour, markersize=4.5, markerfacecolor="none",
                label=f"{name} ({len(before):,})", clip_on=False,
            )  # fmt: skip
            rows += [(name, float(x), float(y)) for x, y in zip(before, after, strict=True)]
        _mark(axes, marked)
        axes.set(xlim=limits, ylim=limits, xlabel=f"{_LR_AXIS} as computed", ylabel=f"{_LR_AXIS} after PAV")
        _legend_above(figure, columns=2)
    return Plot(
        figure,
        _columns(("class", "log10_lr", "log10_lr_pav"), rows),
        f"PAV plot of {len(rows)} trials: log10 LR as computed against log10 LR after the pool-adjacent-violators "
        f"fit; points on the dotted diagonal are calibrated{_case_in_words(marked)}.",
    )


def ece(*, prior_log10_odds: Values, curves: Mapping[str, Values]) -> Plot:
    """Empirical cross-entropy over prior odds, a line for each of `curves` (the LLRs, PAV's, and saying nothing)."""
    prior = np.asarray(prior_log10_odds, dtype=np.float64)
    looks = ((SAME, "-"), (DIFFERENT, "--"), (CASE, ":"), (QUIET, "-."))
    highest = 0.0
    with canvas(height=3.4) as (figure, axes):
        for (name, values), (colour, style) in zip(curves.items(), looks, strict=False):
            axes.plot(prior, values, color=colour, linestyle=style, label=name)
            highest = max(highest, float(np.nanmax(np.minimum(values, 2.0))))
        zero_line(axes)
        axes.set(xlim=(prior.min(), prior.max()), ylim=(0.0, 1.05 * highest))
        axes.set(xlabel="prior log10 odds", ylabel="empirical cross-entropy (bits)")
        _legend_above(figure)
    data: dict[str, Sequence[Cell]] = {"prior_log10_odds": _floats(prior)}
    data |= {name: _floats(np.asarray(values, dtype=np.float64)) for name, values in curves.items()}
    return Plot(
        figure,
        data,
        "Empirical cross-entropy in bits over prior log10 odds, one line each for " + ", ".join(curves) + ". Lower is "
        "better.",
    )


def anchored(*, names: Sequence[str], llrs: Values, case: float, xlabel: str, case_name: str, others_name: str) -> Plot:
    """A dot for every other author at its log10 LR, stacked where they coincide, and the case as a marked line."""
    values = log10(llrs)
    marked = float(log10([case])[0])
    limits = span(values, [marked])
    x, y = _stacked(np.clip(values, *limits), limits)
    with canvas(height=1.2 + 0.09 * float(max(y.max(initial=0.0), 5.0))) as (figure, axes):
        axes.plot(x, y, "o", color=SAME, markersize=4.5, markerfacecolor="none", label=others_name, clip_on=False)
        _mark(axes, marked, name=case_name)
        zero_line(axes)
        axes.set(xlim=limits, ylim=(0.0, max(float(y.max(initial=0.0)), 5.0) + 1.0), yticks=[])
        axes.set_xlabel(xlabel)
        axes.spines["left"].set_visible(False)
        _legend_above(figure)
    return Plot(
        figure,
        {"name": [*names, "case"], "log10_lr": [*_floats(values), marked]},
        f"{len(values)} {others_name}, a dot each at its log10 LR, from {_least(values)} to {_most(values)}; "
        f"{case_name} at {marked:.2f}.",
    )


def dots(
    *,
    rows: Sequence[tuple[str, Values]],
    primary: float | None = None,
    primary_name: str = "primary result",
    xlabel: str = _LR_AXIS,
) -> Plot:
    """A line for every label with a dot for each of its LLRs (nats); the primary LLR is a line through all of them."""
    marked = None if primary is None else float(log10([primary])[0])
    lines = [(name, log10(values)) for name, values in rows]
    limits = span(*(values for _, values in lines), [] if marked is None else [marked])
    data: list[tuple[Cell, ...]] = []
    with canvas(height=0.9 + 0.24 * len(lines)) as (figure, axes):
        for place, (name, values) in enumerate(lines):
            axes.plot(
                np.clip(values, *limits), np.full(len(values), place), "o",
                color=SAME, markersize=4.5, markerfacecolor="none", clip_on=False,
            )  # fmt: skip
            data += [(name, float(value)) for value in values]
        _mark(axes, marked, name=primary_name)
        zero_line(axes)
        axes.set(xlim=limits, ylim=(len(lines) - 0.5, -0.5), xlabel=xlabel)
        axes.set_yticks(range(len(lines)), [label(name) for name, _ in lines])
        axes.grid(axis="y", color="#dddddd", linewidth=0.6)
        axes.tick_params(axis="y", length=0)
        if marked is not None:
            _legend_above(figure)
    if marked is not None:
        data.append((primary_name, marked))
    return Plot(
        figure,
        _columns(("label", "log10_lr"), data),
        f"{xlabel} under {len(lines)} variations: "
        + "; ".join(f"{label(name)} {_least(values)} to {_most(values)}" for name, values in lines[:12])
        + ("; and more" if len(lines) > 12 else "")
        + ("" if marked is None else f"; {primary_name} {marked:.2f}")
        + ".",
    )


def growth(*, tokens: Sequence[int], lambda_g: Values) -> Plot:
    """λG summed up sentence after sentence against the tokens read so far: does all of Q speak, or one place?"""
    read, total = np.cumsum(tokens), np.cumsum(np.asarray(lambda_g, dtype=np.float64))
    with canvas(height=2.8) as (figure, axes):
        axes.axhline(0.0, color=QUIET, linewidth=0.8, linestyle=(0, (1, 2)))
        axes.plot([0, *read], [0.0, *total], color=SAME, marker="." if len(read) <= 60 else None)
        axes.set(xlim=(0, None), xlabel="tokens of Q read so far", ylabel="λG so far (log10 units)")
    return Plot(
        figure,
        {
            "sentence": list(range(1, len(read) + 1)),
            "tokens_so_far": [int(one) for one in read],
            "lambda_g_so_far": _floats(total),
        },
        f"λG summed up over the {len(read)} sentences of Q, ending at {total[-1]:.2f} after {int(read[-1])} tokens.",
    )


def _mark(axes: "Axes", case: float | None, *, name: str = "this case") -> None:
    if case is not None:
        axes.axvline(case, color=CASE, linewidth=1.4, label=f"{name}: log10 LR {case:.2f}")


def _legend_above(figure: "Figure", *, columns: int = 3) -> None:
    figure.legend(loc="outside upper left", ncols=columns, columnspacing=1.4)


def _to_the_edges(values: FloatArray, shares: FloatArray, limits: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    return np.concatenate([[limits[0]], values, [limits[1]]]), np.concatenate([[1.0], shares, [0.0]])


def _with_outside(limits: tuple[float, float], *values: FloatArray) -> str:
    outside = sum(beyond(one, limits) for one in values)
    return f"{_LR_AXIS} ({outside:,} trials lie beyond the axis)" if outside else _LR_AXIS


def _stacked(values: FloatArray, limits: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """Each value at its place, one step up for every earlier one that its dot would cover."""
    width = (limits[1] - limits[0]) / 80
    columns: dict[int, int] = {}
    height = np.zeros(len(values))
    for place in np.argsort(values, kind="stable"):
        column = int(values[place] // width)
        columns[column] = columns.get(column, 0) + 1
        height[place] = columns[column]
    return values, height


def _columns(names: Sequence[str], rows: Sequence[Sequence[Cell]]) -> dict[str, list[Cell]]:
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _floats(values: FloatArray) -> list[Cell]:
    return [float(value) for value in values]


def _case_in_words(marked: float | None) -> str:
    return "" if marked is None else f"; the case is the vertical line at {marked:.2f}"


def _least(values: FloatArray) -> str:
    return f"{values.min():.2f}" if len(values) else "nothing"


def _most(values: FloatArray) -> str:
    return f"{values.max():.2f}" if len(values) else "nothing"
