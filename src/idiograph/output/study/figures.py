"""The figures of a study: raw scores as violins, Cllr over the lengths of Q and K."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from idiograph.evidence.trials import FloatArray, Values
from idiograph.output.plot import (
    DIFFERENT,
    DIFFERENT_NAME,
    QUIET,
    SAME,
    SAME_NAME,
    Plot,
    beyond,
    canvas,
    label,
)
from idiograph.spreadsheet import Cell

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANELS = 3  # side by side
_SAME_EDGE, _DIFFERENT_EDGE = "#00446b", "#7a3600"


def violins(*, scores: Mapping[str, tuple[Values, Values]], cap: float = 150.0) -> Plot:
    """Raw λG of each corpus as (same author, different authors), drawn up to ±`cap`, with the number beyond it."""
    data: dict[str, list[Cell]] = {"corpus": [], "class": [], "lambda_g": []}
    names = []
    with canvas(height=1.3 + 0.52 * len(scores)) as (figure, axes):
        axes.axvline(0.0, color=QUIET, linewidth=0.8, linestyle=(0, (1, 2)), zorder=0)
        for place, (corpus, both) in enumerate(scores.items()):
            outside = 0
            for values, name, side, colour, edge, hatch in (
                (both[0], SAME_NAME, "high", SAME, _SAME_EDGE, None),
                (both[1], DIFFERENT_NAME, "low", DIFFERENT, _DIFFERENT_EDGE, "////"),
            ):
                array = np.asarray(values, dtype=np.float64)
                outside += beyond(array, (-cap, cap))
                _half_violin(axes, array[np.abs(array) <= cap], place, side, colour, edge, hatch)
                data["corpus"] += [corpus] * len(array)
                data["class"] += [name] * len(array)
                data["lambda_g"] += [float(value) for value in array]
            names.append(label(corpus, longest=26) + (f"\n({outside:,} beyond)" if outside else ""))
        axes.set_yticks(range(len(names)), names)
        axes.set(ylim=(len(names) - 0.4, -0.6), xlabel=f"λG (log10 units, shown up to ±{cap:g})")
        axes.tick_params(axis="y", length=0)
        _class_legend(figure)
    total = sum(beyond(values, (-cap, cap)) for both in scores.values() for values in both)
    return Plot(
        figure,
        data,
        f"Raw λG scores of {len(scores)} corpora as violins, same-author trials above and different-author trials "
        f"(hatched) below each line; {total} of {len(data['lambda_g'])} scores lie beyond ±{cap:g} and are not drawn.",
    )


def length_heatmap(
    *,
    q_lengths: Sequence[int],
    k_lengths: Sequence[int],
    panels: Mapping[str, npt.ArrayLike],
    values: bool = True,
) -> Plot:
    """Mean Cllr over the lengths of Q (rows) and K (columns), one panel per method, blank where it exceeds 1.

    Each of `panels` has a row for every length of Q; NaN marks a condition that was not run.
    """
    grids = {name: np.asarray(grid, dtype=np.float64) for name, grid in panels.items()}
    columns = min(len(grids), _PANELS)
    rows = -(-len(grids) // columns)
    size = {
        "width": max(6.3, (1.1 + 0.36 * len(k_lengths)) * columns),
        "height": (1.5 + 0.34 * len(q_lengths)) * rows,
    }
    data: dict[str, list[Cell]] = {"method": [], "q_tokens": [], "k_tokens": [], "cllr": []}
    blanks = {}
    with canvas(rows=rows, columns=columns, sharey=True, squeeze=False, **size) as (figure, every):
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


def _panel(axes: "Axes", grid: FloatArray, *, values: bool) -> Any:
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
    axes: "Axes", values: FloatArray, place: int, side: Any, colour: str, edge: str, hatch: str | None
) -> None:
    # A density needs two different values; fewer are drawn as they are.
    if len(np.unique(values)) < 2:
        axes.plot(values, np.full(len(values), place), "|", color=colour, markersize=8)
        return
    from matplotlib.patches import PathPatch

    # The axis runs downwards, so the upper half of a violin is matplotlib's "low" side.
    drawn = axes.violinplot(
        [values], [place], orientation="horizontal", widths=0.85, showextrema=False,
        side="low" if side == "high" else "high",
    )  # fmt: skip
    for body in drawn["bodies"]:  # type: ignore[attr-defined]
        # As a patch with its own edge: SVG shows no hatching on a collection, nor one in the colour of the face.
        body.remove()
        axes.add_patch(PathPatch(body.get_paths()[0], facecolor=(colour, 0.55), edgecolor=edge, hatch=hatch))
    middle = float(np.median(values))
    axes.plot([middle, middle], sorted([place, place + (-0.3 if side == "high" else 0.3)]), color="black", linewidth=1)


def _class_legend(figure: "Figure") -> None:
    from matplotlib.patches import Patch

    figure.legend(
        handles=[
            Patch(facecolor=(SAME, 0.55), edgecolor=_SAME_EDGE, label=f"{SAME_NAME} (above the line)"),
            Patch(
                facecolor=(DIFFERENT, 0.55), edgecolor=_DIFFERENT_EDGE, hatch="////", label=f"{DIFFERENT_NAME} (below)"
            ),
        ],
        loc="outside upper left",
        ncols=2,
    )
