"""The figures that a command draws into a file: a plan, and the map of a case's texts.

A plan: what to expect at which lengths, and how many authors could take part there. A map: a point for each text, Q as
a line, and the names of known texts that lie apart.
"""

from collections.abc import Sequence
from pathlib import Path

from idiograph.casework.plan import CasePlan
from idiograph.casework.taking_part import fewest_authors
from idiograph.casework.text_map import TextMap
from idiograph.errors import counted
from idiograph.evidence.methods import short_name
from idiograph.output.plot import CASE, DIFFERENT, QUIET, SAME, Axes, Plot, canvas, drawing, label

_HIGHEST = 2.0  # of a plan's axis: a Cllr beyond it is bad enough
_NAMED = 12  # known texts up to which each has its name beside it
_MARKERS = "ov^<>spPhHDd"  # with the colours every author of the reference has a look of their own, up to 36
_COLOURS = (DIFFERENT, QUIET, "#009E73")
_LETTER, _LINE = 4.2, 9.0  # points that a letter and a line of a name take
# Where a name may stand beside its point: above or below, to the right or to the left, the first that is free.
_BESIDE = tuple((side, y) for y in (4.0, -9.0, 13.0, -18.0) for side in ("left", "right"))


def write_plan_figure(plan: CasePlan, path: Path) -> None:
    """Draws a plan into a file that ends in .svg or .png.

    Published Cllr by lengths, and the authors who could take part at each, with the plan's own place in both.
    """
    lengths = (plan.q_tokens, plan.k_tokens)
    besides = [row for row in plan.at_lengths if (row.q_tokens, row.k_tokens) != lengths]
    bars = [(f"{row.q_tokens:,}/{row.k_tokens:,}", row.n_authors) for row in besides]
    bars += [("this case", plan.able)] if plan.able is not None else []
    nothing = "not known" if plan.able is None else "none, for they are too few"
    best = nothing if plan.bound is None else f"{plan.bound:,.0f}"
    words = (
        f"Left: published Cllr of {short_name(plan.method)} by the lengths of Q and K. Right: how many authors could "
        f"take part in the validation ({'; '.join(f'{name} {n}' for name, n in bars) or 'not known'}). The highest LR "
        f"that they can support for this case: {best}."
    )
    with drawing(path.parent):
        with canvas(height=3.3, columns=2) as (figure, (left, right)):
            _expectation(left, plan)
            _authors(right, bars, fewest_authors(plan.method))
        Plot(figure, {}, words).save(path)  # its numbers are those of the plan


def _expectation(axes: Axes, plan: CasePlan) -> None:
    rows = plan.expected
    lengths = [row.k_tokens for row in rows]
    low, high = [row.cllr_low for row in rows], [row.cllr_high for row in rows]
    if rows:
        axes.fill_between(lengths, low, high, color=SAME, alpha=0.2, lw=0)
        axes.plot(lengths, [row.cllr for row in rows], color=SAME, marker="o", label="Cllr (shaded: its range)")
        shares = [row.share_above_10 for row in rows]
        axes.plot(lengths, shares, color=DIFFERENT, marker="s", linestyle="--", label="share of same-author LRs > 10")
    axes.axhline(1.0, color=QUIET, linewidth=0.8, linestyle=(0, (1, 2)))
    if plan.k_tokens is not None:
        axes.axvline(plan.k_tokens, color=CASE, linewidth=1.0, linestyle="-.", label="this K")
    axes.set_xscale("log")
    axes.minorticks_off()
    axes.set_xticks(lengths, [f"{row.q_tokens:,}/\n{row.k_tokens:,}" for row in rows])
    axes.set_ylim(0, min(_HIGHEST, max([1.1, *high])))
    axes.set_xlabel("tokens of Q / K")
    axes.set_title(f"published: {short_name(plan.method)}, {plan.register or 'all registers'}")
    # Below the axes: above or inside it would lie on the lines.
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.32))


def _authors(axes: Axes, bars: list[tuple[str, int]], least: int) -> None:
    names, counts = [name for name, _ in bars], [n for _, n in bars]
    colours = [CASE if name == "this case" else SAME for name in names]
    drawn = axes.barh(names, counts, color=colours, height=0.6)
    axes.bar_label(drawn, labels=[f"{n:,}" for n in counts], padding=2)
    most = max([*counts, 12])
    axes.set_xlim(0, 1.15 * most)
    marks = {least: "least", 10: "LR 10", 100: "LR 100", 1_000: "LR 1,000"}
    # A mark that would lie on its neighbour is left out.
    shown = {n: words for n, words in marks.items() if 0.2 * most <= n <= 1.15 * most}
    for n in shown:
        axes.axvline(n, color=QUIET, linewidth=0.8, linestyle=(0, (1, 2)), zorder=0)
    above = axes.secondary_xaxis("top")
    above.set_xticks(list(shown), list(shown.values()), color=QUIET)
    axes.set_xlabel("authors who can take part,\nand the highest LR they can support")
    axes.set_title("validation, by tokens of Q/K")


def write_map_figure(text_map: TextMap, path: Path) -> str:
    """Draws a map into a file that ends in .svg or .png, its numbers beside it as .csv, and returns it in words."""
    with drawing(path.parent):
        drawn = map_figure(text_map)
        for ending in (path.suffix, ".csv"):
            drawn.save(path.with_suffix(ending))
    return drawn.alt


def map_figure(text_map: TextMap) -> Plot:
    """Every text at its likeness to Q (to the right) and to K (up)."""
    known = [point for point in text_map.points if point.side == "k" and point.to_k is not None]
    others = [point for point in text_map.points if point.side == "reference"]
    authors = sorted({point.author for point in others})
    named = known if len(known) <= _NAMED else text_map.outlying[:_NAMED]
    with canvas(height=4.6) as (figure, axes):
        for number, author in enumerate(authors):
            texts = [point for point in others if point.author == author]
            axes.plot(
                [point.to_q for point in texts], [point.to_k for point in texts], _MARKERS[number % len(_MARKERS)],
                color=_COLOURS[number // len(_MARKERS) % len(_COLOURS)], markersize=4.5, markerfacecolor="none",
                label="reference, a sign for each author" if number == 0 else None,
            )  # fmt: skip
        axes.plot(
            [point.to_q for point in known], [point.to_k for point in known], "o", color=SAME, markersize=6,
            label=f"known texts of {label(text_map.candidate)}, against the others",
        )  # fmt: skip
        if apart := text_map.outlying:
            axes.plot(
                [point.to_q for point in apart], [point.to_k for point in apart], "o", color=CASE, markersize=11,
                markerfacecolor="none", label="lying apart from the others",
            )  # fmt: skip
        _name(axes, [(label(Path(point.text).name, longest=18), (point.to_q, point.to_k or 0.0)) for point in named])
        axes.axhline(
            text_map.q_to_k, color=CASE, linewidth=1.2, label=f"{label(text_map.label)} itself: how like K it is"
        )
        axes.margins(x=0.12)
        axes.set(xlabel=f"like {label(text_map.label)} (n-gram cosine) →", ylabel="like K →")
        figure.legend(loc="outside upper left", ncols=2, columnspacing=1.4)
    names = ", ".join(Path(point.text).name for point in text_map.outlying) or "none"
    return Plot(
        figure,
        {
            "side": [point.side for point in text_map.points],
            "author": [point.author for point in text_map.points],
            "text": [point.text for point in text_map.points],
            "like_q": [point.to_q for point in text_map.points],
            "like_k": [point.to_k for point in text_map.points],
            "tokens": [point.n_tokens for point in text_map.points],
        },
        f"Map of {counted(len(known), 'known text')} and {counted(len(others), 'reference text')} of "
        f"{counted(len(authors), 'author')}: likeness to {text_map.label} to the right, to K upwards, by masked "
        f"n-grams; {text_map.label} itself is the line at {text_map.q_to_k:.2f}. Known texts less like the rest of K "
        f"than half of the reference: {names}. Likeness is no evidence by itself.",
    )


def _name(axes: Axes, points: Sequence[tuple[str, tuple[float, float]]]) -> None:
    """Writes names beside points so that none stands on another, as far as there is room."""
    taken: list[tuple[float, float, float]] = []  # left end, right end and height of the names so far, in points
    axes.autoscale_view()
    for name, point in points:
        x, y = axes.transData.transform(point) * 72 / axes.figure.dpi
        for side, up in _BESIDE:
            start = x + 5 if side == "left" else x - 5 - _LETTER * len(name)
            box = (start, start + _LETTER * len(name), y + up)
            if not any(box[0] < end and begin < box[1] and abs(box[2] - at) < _LINE for begin, end, at in taken):
                break
        taken.append(box)
        axes.annotate(
            name, point, xytext=(5 if side == "left" else -5, up), textcoords="offset points", ha=side, fontsize=7.5,
            color=SAME,
        )  # fmt: skip
