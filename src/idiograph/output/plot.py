"""Plot: a figure with the data behind it and the words for those who cannot see it; how all of them look."""

import io
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from idiograph.arithmetic import FloatArray, quantile
from idiograph.checking import check
from idiograph.errors import InputError
from idiograph.evidence.llr import from_nats
from idiograph.evidence.trials import Values
from idiograph.files import as_path, cache_folder, make_usable, write_whole
from idiograph.output.scripts import marked
from idiograph.provenance import digest
from idiograph.spreadsheet import Cell, csv_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure
else:  # imported where something is drawn: matplotlib takes half a second
    Axes = Figure = Any


# Okabe and Ito's colours; every pair also differs in line style, marker or hatching, so that grey print is enough.
SAME, DIFFERENT, CASE, QUIET = "#0072B2", "#D55E00", "#000000", "#767676"
_ROOM = 1_000_000  # bytes, more than the list of fonts takes
WIDTH = 6.3  # inches: the text width of an A4 page
_LEAST, _MOST, _LARGEST_MARK = 1.0, 50.0, 300.0  # log10 LR: of an axis; and what a double can hold
SAME_NAME, DIFFERENT_NAME = "same author", "different authors"

_STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.labelsize": 9,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.6,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "savefig.facecolor": "white",
    "svg.fonttype": "path",  # the same picture where the fonts are not installed
    "svg.hashsalt": "idiograph",
    "text.parse_math": False,  # a file called $x$ is a name, not a formula
}


@dataclass(frozen=True, repr=False)
class Plot:
    """A figure, the numbers drawn in it, column by column, and its description in words; a notebook shows it.

    `figure` is matplotlib's, with its axes (`plot.figure.axes`), to be changed before it is saved.
    """

    figure: Figure
    data: Mapping[str, Sequence[Cell]]
    alt: str

    @cached_property
    def svg(self) -> bytes:
        """The figure as SVG, the same bytes every time."""
        drawn = self._drawn("svg", metadata={"Date": None, "Creator": None})
        # Matplotlib names them by the last bits of a layout that is not the same in every process.
        clips = re.findall(rb'<clipPath id="(p[0-9a-f]{10})"', drawn)
        named = digest(re.sub(b"|".join(clips), b"", drawn) if clips else drawn)[:10]
        for number, clip in enumerate(clips):
            drawn = drawn.replace(clip, f"p{named}-{number}".encode())
        return drawn.replace(b"<metadata>", f"<title>{escape(self.alt)}</title>\n <metadata>".encode(), 1)

    @cached_property
    def png(self) -> bytes:
        """The figure as PNG at 200 dots an inch, the same bytes every time."""
        return self._drawn("png", dpi=200, metadata={"Software": None, "Description": self.alt})

    @property
    def csv(self) -> str:
        """The data behind the figure."""
        return csv_text(self.data)

    def __repr__(self) -> str:
        return f"Plot({self.alt})"

    def _repr_svg_(self) -> str:
        return self.svg.decode()

    def save(self, path: Path | str) -> Path:
        """Writes the figure to `path` as its ending says: .svg or .png, or .csv for the data behind it."""
        path = as_path(path, "The file of the figure")
        if path.suffix not in (".svg", ".png", ".csv"):
            raise InputError(f"The figure {path.name} must end in .svg, .png or .csv.")
        write_whole(path, getattr(self, path.suffix[1:]))
        return path

    @property
    def share_of_width(self) -> float:
        """How much of the text width the figure takes, at most all of it."""
        return min(1.0, float(self.figure.get_figwidth()) / WIDTH)

    def _drawn(self, form: str, **options: Any) -> bytes:
        with _style():
            written = io.BytesIO()
            self.figure.savefig(written, format=form, **options)
        return written.getvalue()


@dataclass(frozen=True)
class DrawnPlot:
    """A figure as it was drawn and filed, to be shown in a report that is rendered again."""

    svg: bytes
    png: bytes
    alt: str
    share_of_width: float


def save(plot: Plot, folder: Path, name: str) -> tuple[Path, Path, Path]:
    """Writes `name`.svg, .png and .csv into `folder` and returns their paths."""
    svg, png, csv = (plot.save(folder / f"{name}.{form}") for form in ("svg", "png", "csv"))
    return svg, png, csv


@contextmanager
def drawing(folder: Path) -> Iterator[None]:
    """Lets matplotlib keep its list of fonts in the cache folder, or for now in `folder` if that cannot be written.

    By itself it would write to the user's home, or to the system's folder of temporary files.
    """
    if "matplotlib" in sys.modules or "MPLCONFIGDIR" in os.environ:
        yield
        return
    aside = None
    settings = cache_folder() / "matplotlib"
    try:
        make_usable(settings, room=_ROOM)
    except OSError:
        settings = aside = folder / ".matplotlib.part"
    os.environ["MPLCONFIGDIR"] = str(settings)
    try:
        yield
    finally:
        del os.environ["MPLCONFIGDIR"]
        if aside is not None:
            shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def canvas(
    *, height: float, rows: int = 1, columns: int = 1, width: float = WIDTH, ax: Any = None, **options: Any
) -> Iterator[tuple[Figure, Any]]:
    """An empty figure (inches) in the common style, and its axes; drawn without any global state.

    On a given axis of matplotlib, `ax`, it is this one and its figure.
    """
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    with _style():
        if ax is not None:
            figure = check(ax, Axes, "ax").get_figure(root=True)
            yield figure, ax
            return
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure, figure.subplots(rows, columns, **options)


def log10(nats: Values) -> FloatArray:
    """LLRs in nats as log10 LR, which is what every axis shows."""
    return from_nats(np.asarray(nats, dtype=np.float64), "bans")


def label(text: str, *, longest: int = 36) -> str:
    """A name as it may stand in a figure: one line, cut in the middle, with a sign for what the font cannot draw."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    font = get_font(findfont(FontProperties(family="DejaVu Sans")))
    plain = "".join(
        char if unicodedata.category(char)[0] not in "CZ" or char == " " else " " if char.isspace() else "\ufffd"
        for char in text
    )
    drawn = "".join(char if font.get_char_index(ord(char)) else "\ufffd" for char in plain)
    if len(drawn) <= longest:
        return marked(drawn)
    # The end of a path tells files apart, so more of it is kept.
    end = 2 * longest // 3
    return marked(f"{drawn[: longest - 1 - end]}…{drawn[-end:]}")


def undrawn(names: Iterable[str]) -> str:
    """What a caption adds where a figure cannot draw letters of some names; the names are in the figure's data."""
    if any("\ufffd" in label(name) for name in names):
        return " Letters that the figure's font does not have are drawn as \ufffd; its CSV file has the names."
    return ""


def span(*values: Values, marks: Sequence[float] = ()) -> tuple[float, float]:
    """Limits in log10 LR that hold zero and the values with some air, never wider than ±50.

    A few values far beyond the others are left outside, for they would flatten all that is to be seen; whoever draws
    says how many (`beyond`). The `marks` are always inside.
    """
    finite = np.concatenate([np.asarray(value, dtype=np.float64).ravel() for value in values])
    finite = finite[np.isfinite(finite)]
    most = min(_MOST, max(3.0, 2.0 * quantile(np.abs(finite), 0.95))) if finite.size else _MOST
    inside = np.concatenate([np.clip(finite, -most, most), np.clip(marks, -_LARGEST_MARK, _LARGEST_MARK)])
    low, high = float(inside.min(initial=-_LEAST)), float(inside.max(initial=_LEAST))
    air = 0.05 * (high - low)
    return low - air, high + air


def beyond(values: Values, limits: tuple[float, float]) -> int:
    """How many values the limits leave out."""
    array = np.asarray(values, dtype=np.float64)
    return int(np.sum((array < limits[0]) | (array > limits[1])))


def zero_line(axes: Axes) -> None:
    """LR 1, where the evidence changes sides."""
    axes.axvline(0.0, color=QUIET, linewidth=0.8, linestyle=(0, (1, 2)), zorder=0)


@contextmanager
def _style() -> Iterator[None]:
    from matplotlib import rc_context

    with rc_context(_STYLE):  # type: ignore[arg-type]
        yield
