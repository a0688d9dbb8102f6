"""The figure of a plan: what to expect at which lengths, and how many authors could take part there."""

from pathlib import Path

from idiograph.casework.plan import CasePlan
from idiograph.casework.taking_part import fewest_authors
from idiograph.evidence.methods import short_name
from idiograph.files import write_whole
from idiograph.output.plot import CASE, DIFFERENT, QUIET, SAME, Axes, Plot, canvas, drawing

_HIGHEST = 2.0  # of the axis: a Cllr beyond it is bad enough


def write_plan_figure(plan: CasePlan, path: Path) -> None:
    """Draws a plan into a file that ends in .svg or .png."""
    with drawing(path.parent):
        drawn = plan_figure(plan)
        write_whole(path, drawn.svg if path.suffix == ".svg" else drawn.png)


def plan_figure(plan: CasePlan) -> Plot:
    """Published Cllr by lengths, and the authors who could take part at each, with the plan's own place in both."""
    with canvas(height=3.3, columns=2) as (figure, (left, right)):
        _expectation(left, plan)
        bars = _bars(plan)
        _authors(right, bars, fewest_authors(plan.method))
    nothing = "not known" if plan.able is None else "none, for they are too few"
    best = nothing if plan.bound is None else f"{plan.bound:,.0f}"
    rows = plan.expected
    return Plot(
        figure,
        {
            "q_tokens": [row.q_tokens for row in rows],
            "k_tokens": [row.k_tokens for row in rows],
            "cllr": [row.cllr for row in rows],
            "cllr_low": [row.cllr_low for row in rows],
            "cllr_high": [row.cllr_high for row in rows],
            "share_above_10": [row.share_above_10 for row in rows],
        },
        f"Left: published Cllr of {short_name(plan.method)} by the lengths of Q and K. Right: how many authors could "
        f"take part in the validation ({'; '.join(f'{name} {n}' for name, n in bars) or 'not known'}). The highest LR "
        f"that they can support for this case: {best}.",
    )


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


def _bars(plan: CasePlan) -> list[tuple[str, int]]:
    """What the bars stand for, and how many authors; the case's own last."""
    lengths = (plan.q_tokens, plan.k_tokens)
    bars = [
        (f"{row.q_tokens:,}/{row.k_tokens:,}", row.n_authors)
        for row in plan.at_lengths
        if (row.q_tokens, row.k_tokens) != lengths
    ]
    return bars if plan.able is None else [*bars, ("this case", plan.able)]


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
