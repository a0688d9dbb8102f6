"""One of each figure, on made-up trials."""

import csv
import io

import numpy as np

from idiograph.evidence.llr import scale
from idiograph.output import figures
from idiograph.output.plot import Plot

RNG = np.random.default_rng(11)
SAME, DIFFERENT = RNG.normal(3, 2, 25), RNG.normal(-3, 2, 70)


def rows_of(plot: Plot) -> list[dict[str, str]]:
    """The data that a figure is saved with."""
    return list(csv.DictReader(io.StringIO(plot.csv)))


def every_plot() -> dict[str, Plot]:
    return {
        "tippett": figures.tippett(same=SAME, different=DIFFERENT, case=2.0),
        "pav": figures.pav(same=SAME, different=DIFFERENT, case=2.0),
        "ece": figures.ece(same=SAME, different=DIFFERENT),
        "anchored": figures.anchored(
            names=["a", "b", "b2"], llrs=[-1.0, 0.5, 0.5], case=2.0, xlabel="log10 LR"
        ),
        "dots": figures.dots(rows=[("hapax", [1.0]), ("seeds", [0.9, 1.1])], primary=1.0),
        "closeness": figures.closeness(
            rows=[("same author", [0.1, 0.3]), ("different authors", [0.05]), ("impostors", [])], case=0.2
        ),
        "value": figures.scale_figure(
            same=SAME, different=DIFFERENT, reported=2.0, calculated=3.0, moves=(1.0, 5.0), bounds=(-2.5, 2.0),
            scale=scale("enfsi"),
        ),
        "growth": figures.growth(tokens=[5, 7], lambda_g=[0.5, -1.0]),
        "violins": figures.violins(scores={"Enron": (SAME * 10, DIFFERENT * 10)}, cap=40.0),
        "lengths": figures.length_heatmap(
            q_lengths=[500, 1500], k_lengths=[500, 1500, 2500],
            panels={"hapax": [[1.2, 0.5, 0.25], [0.75, 0.5, float("nan")]], "square root": np.full((2, 3), 0.4)},
        ),
    }  # fmt: skip
