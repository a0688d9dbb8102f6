"""The figure of a map of texts: a point for each text, Q as a line, and the names of known texts that lie apart."""

from collections.abc import Sequence
from pathlib import Path

from idiograph.casework.text_map import TextMap
from idiograph.errors import counted
from idiograph.files import write_whole
from idiograph.output.plot import CASE, DIFFERENT, QUIET, SAME, Axes, Plot, canvas, drawing, label

_NAMED = 12  # known texts up to which each has its name beside it
_MARKERS = "ov^<>spPhHDd"  # with the colours every author of the reference has a look of their own, up to 36
_COLOURS = (DIFFERENT, QUIET, "#009E73")


def write_map_figure(text_map: TextMap, path: Path) -> str:
    """Draws a map into a file that ends in .svg or .png, its numbers beside it as .csv, and returns it in words."""
    with drawing(path.parent):
        drawn = map_figure(text_map)
        write_whole(path, drawn.svg if path.suffix == ".svg" else drawn.png)
        write_whole(path.with_suffix(".csv"), drawn.csv)
    return drawn.alt


_LETTER, _LINE = 4.2, 9.0  # points that a letter and a line of a name take
# Where a name may stand beside its point: above or below, to the right or to the left, the first that is free.
_BESIDE = tuple((side, y) for y in (4.0, -9.0, 13.0, -18.0) for side in ("left", "right"))


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
