"""The figures of a case and of a study: curves of a validation, what a number rests on, scores and costs over lengths.

LLRs come in nats, as everywhere in the code, and every axis shows log10 LR. Nothing is measured here: what a curve
needs comes from `evidence`.
"""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from idiograph.arithmetic import FloatArray
from idiograph.arithmetic import log10 as _log10
from idiograph.casework.sentences import log10_ratio
from idiograph.checking import checks_arguments
from idiograph.errors import InputError, counted
from idiograph.evidence.llr import Scale
from idiograph.evidence.metrics import ece_curve, pav_curve, tippett_curve
from idiograph.evidence.trials import Values, as_values
from idiograph.output.plot import (
    CASE,
    DIFFERENT,
    DIFFERENT_NAME,
    QUIET,
    SAME,
    SAME_NAME,
    Axes,
    Figure,
    Plot,
    beyond,
    canvas,
    label,
    log10,
    span,
    zero_line,
)
from idiograph.spreadsheet import Cell

_LR_AXIS = "log10 LR"


@checks_arguments
def tippett(*, same: Values, different: Values, case: float | None = None, ax: Any = None) -> Plot:
    """The share of trials of each kind whose LR is at least x, with the case's own LLR drawn in.

    `same` and `different` are the LLRs of same-author and different-author trials, `case` that of a case, all in nats.
    It is drawn on the axis `ax` of matplotlib, or on a figure of its own.
    """
    curve = tippett_curve(same=same, different=different)
    marked = _in_log10(case)
    limits = span(curve.log10_lr, marks=marked)
    x = np.concatenate([[min(limits[0], curve.log10_lr[0])], curve.log10_lr, [max(limits[1], curve.log10_lr[-1])]])
    with canvas(height=2.5, ax=ax) as (figure, axes):
        for name, shares, n, colour, style in (
            (SAME_NAME, curve.same, len(same), SAME, "-"),
            (DIFFERENT_NAME, curve.different, len(different), DIFFERENT, "--"),
        ):
            axes.step(
                x, [1.0, *shares, 0.0], where="pre", color=colour, linestyle=style, label=f"{name} ({n:,} trials)"
            )
        _mark(axes, marked)
        zero_line(axes)
        outside = beyond(log10(same), limits) + beyond(log10(different), limits)
        axes.set(xlim=limits, ylim=(0.0, 1.02), ylabel="share with this LR or more")
        axes.set_xlabel(_LR_AXIS + _beyond(outside, "trial"))
        _legend_above(figure, ax=ax)
    return Plot(
        figure,
        {
            "what": ["trial"] * len(curve.log10_lr) + ["case"] * len(marked),
            "log10_lr": [*curve.log10_lr.tolist(), *marked],
            "share_of_same_author": [*curve.same.tolist(), *(None for _ in marked)],
            "share_of_different_authors": [*curve.different.tolist(), *(None for _ in marked)],
        },
        f"Tippett plot: share of {len(same)} same-author trials (solid line) and of {len(different)} different-author "
        f"trials (dashed line) whose log10 LR is at least the value on the axis{_case_in_words(marked)}.",
    )


@checks_arguments
def pav(*, same: Values, different: Values, case: float | None = None, ax: Any = None) -> Plot:
    """Each trial's LLR against what pool-adjacent-violators makes of it; on the diagonal nothing needs correcting.

    `same` and `different` are the LLRs of same-author and different-author trials, `case` that of a case, all in nats.
    Where PAV is infinite, or the LLR lies beyond the axis, the trial stands at the edge of the plot. It is drawn on the
    axis `ax` of matplotlib, or on a figure of its own.
    """
    curve = pav_curve(same=same, different=different)
    marked = _in_log10(case)
    limits = span(curve.log10_lr, curve.pav_log10_lr, marks=marked)
    outside = beyond(log10(same), limits) + beyond(log10(different), limits)
    rows: list[tuple[Cell, ...]] = []
    with canvas(height=3.4, width=4.2, ax=ax) as (figure, axes):
        axes.plot(limits, limits, color=QUIET, linewidth=0.8, linestyle=":")
        axes.plot(*np.clip((curve.log10_lr, curve.pav_log10_lr), *limits), color=QUIET, linewidth=0.8, zorder=1)
        for name, llrs, colour, marker in (
            (SAME_NAME, same, SAME, "o"),
            (DIFFERENT_NAME, different, DIFFERENT, "x"),
        ):
            before = log10(llrs)
            after = curve.pav_log10_lr[np.searchsorted(curve.log10_lr, before)]
            x, y = np.clip((before, after), *limits)
            _dots(axes, x, y, marker, colour, label=f"{name} ({len(before):,})")
            rows += [(name, float(x), float(y)) for x, y in zip(before, after, strict=True)]
        _mark(axes, marked)
        axes.set(xlim=limits, ylim=limits, ylabel=f"{_LR_AXIS} after PAV")
        # On a line of its own: the figure is narrow.
        axes.set_xlabel(f"{_LR_AXIS} as computed" + _beyond(outside, "trial", at_edge=True).replace(" ", "\n", 1))
        _legend_above(figure, columns=2, ax=ax)
    return Plot(
        figure,
        _columns(("class", "log10_lr", "log10_lr_pav"), rows),
        f"PAV plot of {len(rows)} trials: log10 LR as computed against log10 LR after the pool-adjacent-violators "
        f"fit; points on the dotted diagonal are calibrated{_case_in_words(marked)}.",
    )


@checks_arguments
def ece(*, same: Values, different: Values, ax: Any = None) -> Plot:
    """Empirical cross-entropy over prior odds: of the LLRs, after PAV, and of giving no evidence.

    `same` and `different` are the LLRs of same-author and different-author trials in nats. It is drawn on the axis `ax`
    of matplotlib, or on a figure of its own.
    """
    curve = ece_curve(same=same, different=different)
    lines = {
        "LLRs as computed": curve.llrs,
        "after PAV (best possible)": curve.calibrated,
        "giving no evidence": curve.neutral,
    }
    looks = ((SAME, "-"), (DIFFERENT, "--"), (CASE, ":"))
    # LLRs that mislead grossly cost without limit at extreme odds; twice the cost of silence is enough to see that.
    highest = 2.0 * float(curve.neutral.max())
    with canvas(height=3.4, ax=ax) as (figure, axes):
        for (name, values), (colour, style) in zip(lines.items(), looks, strict=True):
            axes.plot(curve.prior_log10_odds, values, color=colour, linestyle=style, label=name)
        zero_line(axes)
        top = min(highest, max(float(values.max()) for values in lines.values()))
        axes.set(xlim=(curve.prior_log10_odds.min(), curve.prior_log10_odds.max()), ylim=(0.0, 1.05 * top))
        axes.set(xlabel="prior log10 odds", ylabel="empirical cross-entropy (bits)")
        _legend_above(figure, ax=ax)
    return Plot(
        figure,
        {
            "prior_log10_odds": curve.prior_log10_odds.tolist(),
            "llrs": curve.llrs.tolist(),
            "after_pav": curve.calibrated.tolist(),
            "neutral": curve.neutral.tolist(),
        },
        f"Empirical cross-entropy in bits over prior log10 odds of {len(same)} same-author and {len(different)} "
        "different-author trials: as computed (solid), after PAV (dashed), and giving no evidence (dotted). Lower is "
        "better.",
    )


def anchored(*, names: Sequence[str], llrs: Values, case: float, xlabel: str) -> Plot:
    """A dot for every reference author at its log10 LR, stacked where they coincide, and the case as a marked line."""
    values, marked = log10(llrs), _in_log10(case)
    limits = span(values, marks=marked)
    x = np.clip(values, *limits)
    y = _stacked(x, limits)
    top = float(y.max(initial=5.0))
    with canvas(height=1.2 + 0.09 * top) as (figure, axes):
        _dots(axes, x, y, label="reference authors")
        _mark(axes, marked)
        zero_line(axes)
        axes.set(xlim=limits, ylim=(0.0, top + 1.0), yticks=[])
        axes.set_xlabel(label(xlabel, longest=100) + _beyond(beyond(values, limits), "author", at_edge=True))
        axes.spines["left"].set_visible(False)
        _legend_above(figure)
    return Plot(
        figure,
        {"name": [*names, "case"], "log10_lr": [*values.tolist(), *marked]},
        f"{len(values)} reference authors, a dot each at its log10 LR, from {_ends(values)}; this case at "
        f"{_digits(marked[0])}.",
    )


def dots(*, rows: Sequence[tuple[str, Values]], primary: float | None = None, xlabel: str = _LR_AXIS) -> Plot:
    """A line for every label with a dot for each of its LLRs (nats); the primary LLR is a line through all of them."""
    marked = _in_log10(primary)
    lines = [(name, log10(values)) for name, values in rows]
    limits = span(*(values for _, values in lines), marks=marked)
    outside = sum(beyond(values, limits) for _, values in lines)
    data: list[tuple[Cell, ...]] = []
    with canvas(height=0.9 + 0.24 * len(lines)) as (figure, axes):
        for row, (name, values) in enumerate(lines):
            _dots(axes, np.clip(values, *limits), row)
            data += [(name, float(value)) for value in values]
        _mark(axes, marked, name="primary result")
        zero_line(axes)
        axes.set(xlim=limits, ylim=(len(lines) - 0.5, -0.5))
        axes.set_xlabel(xlabel + _beyond(outside, "value", at_edge=True))
        axes.set_yticks(range(len(lines)), [label(name) for name, _ in lines])
        axes.grid(axis="y", color="#dddddd", linewidth=0.6)
        axes.tick_params(axis="y", length=0)
        if marked:
            _legend_above(figure)
    data += [("primary result", primary) for primary in marked]
    return Plot(
        figure,
        _columns(("label", "log10_lr"), data),
        f"{xlabel} under {len(lines)} variations: "
        + "; ".join(f"{label(name)} {_ends(values)}" for name, values in lines[:12])
        + ("; and more" if len(lines) > 12 else "")
        + "".join(f"; primary result {_digits(primary)}" for primary in marked)
        + ".",
    )


def scale_figure(
    *,
    same: Values,
    different: Values,
    reported: float,
    calculated: float,
    moves: tuple[float, float] | None = None,
    bounds: tuple[float, float] | None = None,
    scale: Scale | None = None,
) -> Plot:
    """Where the value of a case lies: on its verbal scale, with its range and bounds, among the validation's trials."""
    value, drawn = float(log10([reported])[0]), float(log10([calculated])[0])
    ends, limit = (log10(llr).tolist() if llr else [] for llr in (moves, bounds))
    limits = span(log10(same), log10(different), marks=[value, drawn, *ends, *limit])
    rows: list[tuple[Cell, ...]] = []
    with canvas(height=1.6) as (figure, axes):
        for row, (name, llrs, colour, marker) in enumerate(
            ((SAME_NAME, same, SAME, "o"), (DIFFERENT_NAME, different, DIFFERENT, "x"))
        ):
            tried = log10(llrs)
            _dots(axes, np.clip(tried, *limits), row, marker, colour, markersize=4, alpha=0.55)
            rows += [(name, float(llr)) for llr in tried]
        if ends:
            axes.plot(ends, [2, 2], color=CASE, linewidth=5, alpha=0.25, solid_capstyle="butt", label="range")
        if abs(drawn - value) > 1e-9:
            axes.plot(drawn, 2, "o", color=CASE, markersize=6, markerfacecolor="white", label="as calculated")
        for row, edge in enumerate(limit):
            # Longer than the diamond, which may lie on it.
            axes.plot([edge, edge], [1.35, 2.6], color=CASE, linewidth=1.2, linestyle=":", label="" if row else "bound")
        axes.plot(value, 2, "D", color=CASE, markersize=7, label=f"this case: log10 LR {log10_ratio(reported)}")
        axes.axvline(0.0, color=QUIET, linewidth=0.8, zorder=0)  # solid: dotted ones are bounds here
        _bands(axes, scale, limits)
        axes.set(xlim=limits, ylim=(2.6, -0.6))
        outside = beyond(log10(same), limits) + beyond(log10(different), limits)
        axes.set_xlabel(_LR_AXIS + _beyond(outside, "trial", at_edge=True))
        names = [f"{SAME_NAME} ({len(same):,})", f"{DIFFERENT_NAME} ({len(different):,})", "this case"]
        axes.set_yticks(range(3), names)
        axes.tick_params(axis="y", length=0)
        _legend_above(figure, columns=4)
    rows += [("this case", value), ("this case as calculated", drawn)]
    rows += [*(("range", end) for end in ends), *(("bound", end) for end in limit)]
    words = f", its range from {log10_ratio(moves[0])} to {log10_ratio(moves[1])}" if moves else ""
    words += f", bounds at {log10_ratio(bounds[0])} and {log10_ratio(bounds[1])}" if bounds else ""
    return Plot(
        figure,
        _columns(("what", "log10_lr"), rows),
        f"The log10 LR of the case ({log10_ratio(reported)}{words}) on its scale, among {len(same)} same-author and "
        f"{len(different)} different-author problems of the validation.",
    )


def _bands(axes: Axes, scale: Scale | None, limits: tuple[float, float]) -> None:
    """The bands of a verbal scale for either proposition, those that are wide enough with their words."""
    for band in scale.bands if scale else ():
        for side, towards in ((1.0, "Hp"), (-1.0, "Hd")):
            edges = side * _log10(band.above), side * (_log10(band.up_to) if band.up_to else 1e9)
            low, high = max(min(edges), limits[0]), min(max(edges), limits[1])
            if low >= high:
                continue
            if band.up_to is not None and limits[0] < edges[1] < limits[1]:
                axes.axvline(edges[1], color="#cccccc", linewidth=0.6, zorder=0)
            if high - low > 0.09 * (limits[1] - limits[0]):
                words = f"{band.support.replace(' ', chr(10))}\nfor {towards}"
                axes.text((low + high) / 2, -0.62, words, ha="center", va="bottom", fontsize=6.5, color=QUIET)


def closeness(*, rows: Sequence[tuple[str, Values]], case: float) -> Plot:
    """A line for each kind of pair with a dot at the c of each, and the case's c as a line through all of them."""
    colours = (SAME, DIFFERENT, DIFFERENT)
    marks = ("o", "x", "s")
    with canvas(height=0.75 + 0.2 * len(rows)) as (figure, axes):
        for row, ((_, values), colour, mark) in enumerate(zip(rows, colours, marks, strict=True)):
            _dots(axes, np.asarray(values, dtype=np.float64), row, mark, colour)
        axes.axvline(case, color=CASE, linewidth=1.4, label=f"this case: c {case:.2f}")
        most = max([case, *(float(value) for _, values in rows for value in values)])
        axes.set(xlim=(0.0, 1.05 * most), ylim=(len(rows) - 0.5, -0.5), xlabel="c: how close in topic")
        axes.set_yticks(range(len(rows)), [f"{name} ({len(values):,})" for name, values in rows])
        axes.grid(axis="y", color="#dddddd", linewidth=0.6)
        axes.tick_params(axis="y", length=0)
        _legend_above(figure)
    data: list[tuple[Cell, ...]] = [(name, float(value)) for name, values in rows for value in values]
    ends = "; ".join(f"{name} {_ends(np.asarray(values, dtype=np.float64))}" for name, values in rows)
    return Plot(
        figure,
        _columns(("pair", "c"), [*data, ("this case", case)]),
        f"How close pairs of Q and K are in topic, c: {ends}; this case {case:.2f}.",
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
            "tokens_so_far": [int(n) for n in read],
            "lambda_g_so_far": total.tolist(),
        },
        f"λG summed up over the {len(read)} sentences of Q, ending at {_digits(total[-1])} after {int(read[-1])} "
        "tokens.",
    )


def _mark(axes: Axes, marked: Sequence[float], *, name: str = "this case") -> None:
    for case in marked:
        axes.axvline(case, color=CASE, linewidth=1.4, label=f"{name}: log10 LR {_digits(case)}")


def _dots(axes: Axes, x: FloatArray, y: FloatArray | int, marker: str = "o", colour: str = SAME, **look: Any) -> None:
    """Hollow dots, which stand whole at the edge of the axis too; at one height, or each at its own."""
    look = {"markersize": 4.5, "markerfacecolor": "none", **look}
    axes.plot(x, np.broadcast_to(y, np.shape(x)), marker, color=colour, clip_on=False, **look)


def _beyond(n: int, what: str, *, at_edge: bool = False) -> str:
    """What follows the name of an axis that leaves some values outside."""
    if not n:
        return ""
    lie = counted(n, f"{what} lies", f"{what}s lie")
    return f" ({lie} beyond the axis{', drawn at its edge' if at_edge else ''})"


def _legend_above(figure: Figure, *, columns: int = 3, ax: Any = None, handles: Any = None) -> None:
    """What the lines are, above the figure; above its own axis where others may be beside it."""
    if ax is not None:
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.2, handles=handles)
    else:
        look = {"columnspacing": 1.4} if handles is None else {"handles": handles}
        figure.legend(loc="outside upper left", ncols=columns, **look)


def _in_log10(case: float | None) -> list[float]:
    """Where the case stands, or nothing."""
    if case is None:
        return []
    if not np.isfinite(float(case)):
        raise InputError(f"The LLR of the case is {float(case)}, which is not a finite number and has no place.")
    return [float(log10([float(case)])[0])]


def _stacked(values: FloatArray, limits: tuple[float, float]) -> FloatArray:
    """How high each value's dot stands: one step up for every earlier one that it would cover."""
    width = (limits[1] - limits[0]) / 80
    columns: dict[int, int] = {}
    height = np.zeros(len(values))
    for dot in np.argsort(values, kind="stable"):
        column = int(values[dot] // width)
        columns[column] = columns.get(column, 0) + 1
        height[dot] = columns[column]
    return height


def _columns(names: Sequence[str], rows: Sequence[Sequence[Cell]]) -> dict[str, list[Cell]]:
    return {name: [row[column] for row in rows] for column, name in enumerate(names)}


def _case_in_words(marked: Sequence[float]) -> str:
    return "".join(f"; the case is the vertical line at {_digits(case)}" for case in marked)


def _digits(value: Cell) -> str:
    return f"{value:.2f}".replace("-", "−")


def _ends(values: FloatArray) -> str:
    """The least and the greatest of some values, in words."""
    ends = dict.fromkeys(_digits(float(end)) for end in (values.min(), values.max())) if len(values) else ("nothing",)
    return " to ".join(ends)


_PANELS = 3  # side by side
_SAME_EDGE, _DIFFERENT_EDGE = "#00446b", "#7a3600"
VIOLINS_END = 600.0  # λG: where the axis of the paper's figure ends, upwards
_POINTS = 100  # of a violin's outline that are seen
_STEP = 0.16  # from one method's dot to the next, of the distance from label to label
_CLLR_END = 2.0  # Cllr beyond it is drawn at the edge: twice the cost of saying nothing is enough to see
# Okabe and Ito's colours again; with the markers every method has a look of its own, also in grey print.
_METHOD_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00", "#767676")
_METHOD_MARKERS = "os^Dv<>Ph*X"

# The Cllr of a method in a condition, and the ends of the line through it, if any.
Point = tuple[float, float | None, float | None]


def dots_height(n_rows: int, n_methods: int) -> float:
    """How high the figure of Cllrs is without its axis and its legend, in inches."""
    return (0.13 + 0.75 * min(_STEP * n_methods, 0.8)) * n_rows


def cllr_dots(*, rows: Mapping[str, Mapping[str, Point]], line: str = "") -> Plot:
    """Cllr of every method (a dot) under every label, with a line from its low to its high end; 1 is marked.

    `line` says in words what the line is. Methods are drawn in the order in which they come.
    """
    methods = list(dict.fromkeys(name for row in rows.values() for name in row))
    ends = [end for row in rows.values() for point in row.values() for end in point if end is not None]
    limit = min(_CLLR_END, max(1.05, 1.03 * max(ends)))
    step = min(_STEP, 0.8 / len(methods))
    data: list[tuple[Cell, ...]] = []
    n_beyond = 0
    height = 1.0 + 0.18 * -(-len(methods) // 3) + dots_height(len(rows), len(methods))
    with canvas(height=height) as (figure, axes):
        axes.axvline(1.0, color=QUIET, linewidth=1.0, linestyle="--", zorder=0)
        for number, method in enumerate(methods):
            colour = _METHOD_COLOURS[number % len(_METHOD_COLOURS)]
            marker = _METHOD_MARKERS[number % len(_METHOD_MARKERS)]
            dots = []
            for level, (name, row) in enumerate(rows.items()):
                if method not in row:
                    continue
                value, low, high = row[method]
                y = level + step * (number - (len(methods) - 1) / 2)
                if low is not None and high is not None:
                    axes.plot(np.clip([low, high], 0.0, limit), [y, y], color=colour, linewidth=1.0)
                n_beyond += value > limit
                dots.append((min(value, limit), y))
                data.append((name, method, value, low, high))
            axes.plot(
                *zip(*dots, strict=True), marker, color=colour, markersize=4.5, label=label(method, longest=44),
                clip_on=False,
            )  # fmt: skip
        axes.set(xlim=(0.0, limit), ylim=(len(rows) - 0.5, -0.5))
        axis = f"Cllr; line: {line}" if line else "Cllr"
        axes.set_xlabel(f"{axis}\n{_beyond(n_beyond, 'value', at_edge=True).strip()}".strip())
        axes.set_yticks(range(len(rows)), [label(name, longest=40) for name in rows])
        axes.tick_params(axis="y", length=0)
        for level in range(1, len(rows)):
            axes.axhline(level - 0.5, color="#dddddd", linewidth=0.6)
        _legend_above(figure, columns=3 if max(map(len, methods)) < 24 else 2)
    return Plot(
        figure,
        _columns(("where", "method", "cllr", "low", "high"), data),
        f"Cllr of {counted(len(methods), 'method')} under {counted(len(rows), 'heading')}, a dot each"
        + (f" with its line ({line})" if line else "")
        + "; the dashed line at 1 is no better than giving no evidence.",
    )


@checks_arguments
def violins(*, scores: Mapping[str, tuple[Values, Values]], cap: float | None = VIOLINS_END, ax: Any = None) -> Plot:
    """Raw λG of each corpus as (same author, different authors): density and median of all values.

    `scores` has both kinds by the name of the corpus. The axis ends at `cap`, upwards only, as in the paper's figure;
    None: nowhere before the largest value. What lies beyond it is counted, and left out of nothing but the view. It is
    drawn on the axis `ax` of matplotlib, or on a figure of its own.
    """
    data: dict[str, list[Cell]] = {"corpus": [], "class": [], "lambda_g": []}
    arrays = {name: [as_values(values, f"scores of {name}") for values in both] for name, both in scores.items()}
    if not all(len(values) and np.isfinite(values).all() for both in arrays.values() for values in both) or not arrays:
        raise InputError("Violins are drawn of corpora with finite scores of both kinds, and at least one of each.")
    if cap is not None and not 0 < cap < np.inf:
        raise InputError(f"The cap of the violins must be a number above 0, not {cap}.")
    limits = _violins_axis([values for both in arrays.values() for values in both], cap)
    from matplotlib.patches import Patch

    names = []
    with canvas(height=1.3 + 0.52 * len(scores), ax=ax) as (figure, axes):
        axes.axvline(0.0, color=QUIET, linewidth=0.8, linestyle=(0, (1, 2)), zorder=0)
        for number, (corpus, both) in enumerate(arrays.items()):
            for values, name, side, colour, edge, hatch in (
                (both[0], SAME_NAME, "high", SAME, _SAME_EDGE, None),
                (both[1], DIFFERENT_NAME, "low", DIFFERENT, _DIFFERENT_EDGE, "////"),
            ):
                _half_violin(axes, values, number, side, colour, edge, hatch, limits)
                data["corpus"] += [corpus] * len(values)
                data["class"] += [name] * len(values)
                data["lambda_g"] += values.tolist()
            outside, n = sum(beyond(values, limits) for values in both), sum(map(len, both))
            names.append(label(corpus, longest=26) + (f"\n({outside:,} of {n:,} beyond)" if outside else ""))
        axes.set_yticks(range(len(names)), names)
        axes.set(xlim=limits, ylim=(len(names) - 0.4, -0.6), xlabel="λG (log10 units)")
        axes.tick_params(axis="y", length=0)
        classes = [
            Patch(facecolor=(SAME, 0.55), edgecolor=_SAME_EDGE, label=f"{SAME_NAME} (above the line)"),
            Patch(
                facecolor=(DIFFERENT, 0.55), edgecolor=_DIFFERENT_EDGE, hatch="////", label=f"{DIFFERENT_NAME} (below)"
            ),
        ]
        _legend_above(figure, columns=2, ax=ax, handles=classes)
    return Plot(
        figure,
        data,
        f"Raw λG scores of {counted(len(scores), 'corpus', 'corpora')} as violins, same-author trials above and "
        "different-author trials (hatched) below each line, the median as a stroke; "
        + beyond_in_words(scores, cap=cap),
    )


def beyond_in_words(scores: Mapping[str, tuple[Values, Values]], *, cap: float | None = VIOLINS_END) -> str:
    """How many scores the violins' axis leaves out of view: the end of a caption."""
    arrays = [np.asarray(values, dtype=np.float64) for both in scores.values() for values in both]
    n, outside = sum(map(len, arrays)), sum(beyond(values, _violins_axis(arrays, cap)) for values in arrays)
    if not outside:
        return f"all {n:,} scores lie within the axis."
    return f"{outside:,} of {n:,} lie beyond the axis, which ends at {cap:g}; density and median are of all."


def _violins_axis(arrays: Sequence[FloatArray], cap: float | None) -> tuple[float, float]:
    every = np.concatenate([*arrays, [0.0]])
    low, high = float(every.min()), float(every.max())
    air = 0.03 * ((high if cap is None else min(high, cap)) - low) + 1e-9
    return low - air, high + air if cap is None or high <= cap else cap


@checks_arguments
def length_heatmap(
    *,
    q_lengths: Sequence[int],
    k_lengths: Sequence[int],
    panels: Mapping[str, Sequence[Sequence[float]] | FloatArray],
    values: bool = True,
    ax: Any = None,
) -> Plot:
    """Mean Cllr over the lengths of Q (rows) and K (columns), one panel per method, blank where it exceeds 1.

    `q_lengths` and `k_lengths` are tokens. Each of `panels`, by the method's name, has a row for every length of Q and
    a column for every length of K; NaN marks a condition that was not run. With `values` each cell has its number. A
    single panel may be drawn on the axis `ax` of matplotlib.
    """
    grids = {name: np.array([list(row) for row in grid], dtype=np.float64) for name, grid in panels.items()}
    if not grids or any(grid.shape != (len(q_lengths), len(k_lengths)) or not grid.size for grid in grids.values()):
        raise InputError(
            f"Each panel needs {len(q_lengths)} rows and {len(k_lengths)} columns, as many as there are lengths of Q "
            "and of K, and there must be one."
        )
    if ax is not None and len(grids) > 1:
        raise InputError(f"An axis holds one panel, and there are {len(grids)}. Give an axis and a call to each.")
    columns = min(len(grids), _PANELS)
    rows = -(-len(grids) // columns)
    size = {
        "width": max(6.3, (1.1 + 0.36 * len(k_lengths)) * columns),
        "height": (1.5 + 0.34 * len(q_lengths)) * rows,
    }
    data: dict[str, list[Cell]] = {"method": [], "q_tokens": [], "k_tokens": [], "cllr": []}
    blanks = {}
    with canvas(rows=rows, columns=columns, sharey=True, squeeze=False, ax=ax, **size) as (figure, grid_axes):
        every = grid_axes if ax is None else np.array([[ax]], object)
        for axes in every.flat[len(grids) :]:
            axes.set_axis_off()
        for axes, (name, grid) in zip(every.flat, grids.items(), strict=False):
            blanks[name] = int(np.sum(grid > 1.0))
            image = _panel(axes, grid, values=values)
            title = textwrap.fill(name, max(20, 7 * len(k_lengths)))
            axes.set_title(f"{title}\n{blanks[name]} of {int(np.sum(np.isfinite(grid)))} blank (above 1)")
            axes.set_xticks(range(len(k_lengths)), [f"{n:,}" for n in k_lengths], rotation=90)
            axes.set_yticks(range(len(q_lengths)), [f"{n:,}" for n in q_lengths])
            axes.set_xlabel("K (tokens)")
            for (row, column), cllr in np.ndenumerate(grid):
                data["method"].append(name)
                data["q_tokens"].append(int(q_lengths[row]))
                data["k_tokens"].append(int(k_lengths[column]))
                data["cllr"].append(float(cllr) if np.isfinite(cllr) else None)
        for first in every[:, 0]:
            first.set_ylabel("Q (tokens)")
        figure.colorbar(image, ax=list(every.flat), label="mean Cllr", shrink=0.8)
    return Plot(
        figure,
        data,
        "Mean Cllr over the lengths of Q and K in tokens, one panel each for "
        + ", ".join(f"{name} ({count} blank because above 1)" for name, count in blanks.items())
        + ".",
    )


def _panel(axes: Axes, grid: FloatArray, *, values: bool) -> Any:
    shown = np.ma.masked_where(~(grid <= 1.0), grid)
    image = axes.imshow(shown, cmap="cividis_r", vmin=0.0, vmax=1.0, origin="lower", aspect="auto")
    for spine in axes.spines.values():
        spine.set_visible(False)
    for (row, column), cllr in np.ndenumerate(grid):
        if not np.isfinite(cllr):
            axes.text(column, row, "–", ha="center", va="center", color=QUIET, fontsize=6.5)
        elif values and cllr <= 1.0:
            colour = "white" if cllr > 0.55 else "black"
            axes.text(column, row, f"{cllr:.2f}", ha="center", va="center", color=colour, fontsize=6.5)
    return image


def _half_violin(
    axes: Axes,
    values: FloatArray,
    at: int,
    side: Any,
    colour: str,
    edge: str,
    hatch: str | None,
    limits: tuple[float, float],
) -> None:
    # A density needs two different values; fewer are drawn as they are.
    if len(np.unique(values)) < 2:
        axes.plot(values, np.full(len(values), at), "|", color=colour, markersize=8)
        return
    from matplotlib.patches import PathPatch

    # As many points in view, however far the outline goes on beyond the axis.
    points = int(_POINTS * min(20.0, max(1.0, float(np.ptp(values)) / (limits[1] - limits[0]))))
    # The axis runs downwards, so the upper half of a violin is matplotlib's "low" side.
    drawn = axes.violinplot(
        [values], [at], orientation="horizontal", widths=0.85, showextrema=False, points=points,
        side="low" if side == "high" else "high",
    )  # fmt: skip
    for body in drawn["bodies"]:  # type: ignore[attr-defined]
        # As a patch with its own edge: SVG shows no hatching on a collection, nor one in the colour of the face.
        body.remove()
        axes.add_patch(PathPatch(body.get_paths()[0], facecolor=(colour, 0.55), edgecolor=edge, hatch=hatch))
    middle = float(np.median(values))
    axes.plot([middle, middle], sorted([at, at + (-0.3 if side == "high" else 0.3)]), color="black", linewidth=1)
