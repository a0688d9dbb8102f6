"""The figures of a case: validation curves, how many others score as high, what the number rests on.

LLRs come in nats, as everywhere in the code, and every axis shows log10 LR. Nothing is measured here: what a curve
needs comes from `evidence`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from idiograph.evidence.curves import ece_curve, pav_curve, tippett_curve
from idiograph.evidence.trials import FloatArray, Values
from idiograph.output.plot import (
    CASE,
    DIFFERENT,
    DIFFERENT_NAME,
    QUIET,
    SAME,
    SAME_NAME,
    Plot,
    beyond,
    canvas,
    label,
    log10,
    span,
    zero_line,
)
from idiograph.spreadsheet import Cell

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LR_AXIS = "log10 LR"


def tippett(*, same: Values, different: Values, case: float | None = None) -> Plot:
    """The share of trials of each kind whose LR is at least x, with the case's own LLR drawn in."""
    curve = tippett_curve(same=same, different=different)
    marked = _in_log10(case)
    limits = span(curve.log10_lr, marks=_marks(marked))
    with canvas(height=2.5) as (figure, axes):
        for name, shares, n, colour, style in (
            (SAME_NAME, curve.same, len(same), SAME, "-"),
            (DIFFERENT_NAME, curve.different, len(different), DIFFERENT, "--"),
        ):
            x = np.concatenate(
                [[min(limits[0], curve.log10_lr[0])], curve.log10_lr, [max(limits[1], curve.log10_lr[-1])]]
            )
            axes.step(
                x, [1.0, *shares, 0.0], where="pre", color=colour, linestyle=style, label=f"{name} ({n:,} trials)"
            )
        _mark(axes, marked)
        zero_line(axes)
        outside = beyond(log10(same), limits) + beyond(log10(different), limits)
        axes.set(xlim=limits, ylim=(0.0, 1.02), ylabel="share with this LR or more")
        axes.set_xlabel(_LR_AXIS + _said_beyond(outside, "trial"))
        _legend_above(figure)
    return Plot(
        figure,
        {
            "what": ["trial"] * len(curve.log10_lr) + ["case"] * len(_marks(marked)),
            "log10_lr": [*_floats(curve.log10_lr), *_marks(marked)],
            "share_of_same_author": [*_floats(curve.same), *(None for _ in _marks(marked))],
            "share_of_different_authors": [*_floats(curve.different), *(None for _ in _marks(marked))],
        },
        f"Tippett plot: share of {len(same)} same-author trials (solid line) and of {len(different)} different-author "
        f"trials (dashed line) whose log10 LR is at least the value on the axis{_case_in_words(marked)}.",
    )


def pav(*, same: Values, different: Values, case: float | None = None) -> Plot:
    """Each trial's LLR against what pool-adjacent-violators makes of it; on the diagonal nothing needs correcting.

    Where PAV is infinite, or the LLR lies beyond the axis, the trial stands at the edge of the plot.
    """
    curve = pav_curve(same=same, different=different)
    marked = _in_log10(case)
    limits = span(curve.log10_lr, curve.pav_log10_lr, marks=_marks(marked))
    outside = beyond(log10(same), limits) + beyond(log10(different), limits)
    rows: list[tuple[Cell, ...]] = []
    with canvas(height=3.4, width=4.2) as (figure, axes):
        axes.plot(limits, limits, color=QUIET, linewidth=0.8, linestyle=":")
        axes.plot(*np.clip((curve.log10_lr, curve.pav_log10_lr), *limits), color=QUIET, linewidth=0.8, zorder=1)
        for name, llrs, colour, marker in (
            (SAME_NAME, same, SAME, "o"),
            (DIFFERENT_NAME, different, DIFFERENT, "x"),
        ):
            before = log10(llrs)
            after = curve.pav_log10_lr[np.searchsorted(curve.log10_lr, before)]
            axes.plot(
                *np.clip((before, after), *limits), marker, color=colour, markersize=4.5, markerfacecolor="none",
                label=f"{name} ({len(before):,})", clip_on=False,
            )  # fmt: skip
            rows += [(name, float(x), float(y)) for x, y in zip(before, after, strict=True)]
        _mark(axes, marked)
        axes.set(xlim=limits, ylim=limits, ylabel=f"{_LR_AXIS} after PAV")
        axes.set_xlabel(f"{_LR_AXIS} as computed" + _said_beyond(outside, "trial", at_edge=True))
        _legend_above(figure, columns=2)
    return Plot(
        figure,
        _columns(("class", "log10_lr", "log10_lr_pav"), rows),
        f"PAV plot of {len(rows)} trials: log10 LR as computed against log10 LR after the pool-adjacent-violators "
        f"fit; points on the dotted diagonal are calibrated{_case_in_words(marked)}.",
    )


def ece(*, same: Values, different: Values) -> Plot:
    """Empirical cross-entropy over prior odds: of the LLRs, after PAV, and of saying nothing."""
    curve = ece_curve(same=same, different=different)
    lines = {
        "LLRs as computed": curve.llrs,
        "after PAV (best possible)": curve.calibrated,
        "saying nothing": curve.neutral,
    }
    looks = ((SAME, "-"), (DIFFERENT, "--"), (CASE, ":"))
    # LLRs that mislead grossly cost without limit at extreme odds; twice the cost of silence is enough to see that.
    highest = 2.0 * float(curve.neutral.max())
    with canvas(height=3.4) as (figure, axes):
        for (name, values), (colour, style) in zip(lines.items(), looks, strict=True):
            axes.plot(curve.prior_log10_odds, values, color=colour, linestyle=style, label=name)
        zero_line(axes)
        top = min(highest, max(float(values.max()) for values in lines.values()))
        axes.set(xlim=(curve.prior_log10_odds.min(), curve.prior_log10_odds.max()), ylim=(0.0, 1.05 * top))
        axes.set(xlabel="prior log10 odds", ylabel="empirical cross-entropy (bits)")
        _legend_above(figure)
    return Plot(
        figure,
        {
            "prior_log10_odds": _floats(curve.prior_log10_odds),
            "llrs": _floats(curve.llrs),
            "after_pav": _floats(curve.calibrated),
            "neutral": _floats(curve.neutral),
        },
        f"Empirical cross-entropy in bits over prior log10 odds of {len(same)} same-author and {len(different)} "
        "different-author trials: as computed (solid), after PAV (dashed), and saying nothing (dotted). Lower is "
        "better.",
    )


def anchored(*, names: Sequence[str], llrs: Values, case: float, xlabel: str, case_name: str, others_name: str) -> Plot:
    """A dot for every other author at its log10 LR, stacked where they coincide, and the case as a marked line."""
    xlabel, case_name, others_name = label(xlabel, longest=100), label(case_name), label(others_name)
    values = log10(llrs)
    marked = float(log10([case])[0])
    limits = span(values, marks=[marked])
    x, y = _stacked(np.clip(values, *limits), limits)
    with canvas(height=1.2 + 0.09 * float(max(y.max(initial=0.0), 5.0))) as (figure, axes):
        axes.plot(x, y, "o", color=SAME, markersize=4.5, markerfacecolor="none", label=others_name, clip_on=False)
        _mark(axes, marked, name=case_name)
        zero_line(axes)
        axes.set(xlim=limits, ylim=(0.0, max(float(y.max(initial=0.0)), 5.0) + 1.0), yticks=[])
        axes.set_xlabel(xlabel + _said_beyond(beyond(values, limits), "author", at_edge=True))
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
    xlabel, primary_name = label(xlabel, longest=100), label(primary_name)
    marked = _in_log10(primary)
    lines = [(name, log10(values)) for name, values in rows]
    limits = span(*(values for _, values in lines), marks=_marks(marked))
    outside = sum(beyond(values, limits) for _, values in lines)
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
        axes.set(xlim=limits, ylim=(len(lines) - 0.5, -0.5))
        axes.set_xlabel(xlabel + _said_beyond(outside, "value", at_edge=True))
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


def _said_beyond(n: int, what: str, *, at_edge: bool = False) -> str:
    """What follows the name of an axis that leaves some values outside."""
    if not n:
        return ""
    lie = f"{n:,} {what} lies" if n == 1 else f"{n:,} {what}s lie"
    return f" ({lie} beyond the axis{', drawn at its edge' if at_edge else ''})"


def _legend_above(figure: "Figure", *, columns: int = 3) -> None:
    figure.legend(loc="outside upper left", ncols=columns, columnspacing=1.4)


def _in_log10(case: float | None) -> float | None:
    return None if case is None else float(log10([case])[0])


def _marks(marked: float | None) -> list[float]:
    return [] if marked is None else [marked]


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
