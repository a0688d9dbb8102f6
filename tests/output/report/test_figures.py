"""Figures: what is drawn is what the CSV says, the same bytes every time, readable in grey and by ear."""

import csv
import io
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from idiograph.output.plot import Plot, label, save, span
from idiograph.output.report import figures
from idiograph.output.study import figures as figures_study
from made_up_case import HOSTILE

RNG = np.random.default_rng(11)
SAME, DIFFERENT = RNG.normal(3, 2, 25), RNG.normal(-3, 2, 70)
LN10 = np.log(10)


def every_plot() -> dict[str, Plot]:
    return {
        "tippett": figures.tippett(same=SAME, different=DIFFERENT, case=2.0),
        "pav": figures.pav(same=SAME, different=DIFFERENT, case=2.0),
        "ece": figures.ece(same=SAME, different=DIFFERENT),
        "anchored": figures.anchored(
            names=["a", "b", "b2"], llrs=[-1.0, 0.5, 0.5], case=2.0, xlabel="log10 LR", case_name="this case",
            others_name="reference authors",
        ),
        "dots": figures.dots(rows=[("hapax", [1.0]), ("seeds", [0.9, 1.1])], primary=1.0),
        "growth": figures.growth(tokens=[5, 7], lambda_g=[0.5, -1.0]),
        "violins": figures_study.violins(scores={"Enron": (SAME * 10, DIFFERENT * 10)}, cap=40.0),
        "lengths": figures_study.length_heatmap(
            q_lengths=[500, 1500], k_lengths=[500, 1500, 2500],
            panels={"hapax": [[1.2, 0.5, 0.25], [0.75, 0.5, float("nan")]], "square root": np.full((2, 3), 0.4)},
        ),
    }  # fmt: skip


@pytest.fixture(scope="module", name="plots")
def _plots() -> dict[str, Plot]:
    return every_plot()


def rows_of(plot: Plot) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(plot.csv)))


def test_a_figure_is_saved_as_svg_png_and_csv(plots: dict[str, Plot], tmp_path: Path) -> None:
    for name, plot in plots.items():
        svg, png, data = save(plot, tmp_path / "figures", name)
        assert (svg.name, png.name, data.name) == (f"{name}.svg", f"{name}.png", f"{name}.csv")
        assert png.read_bytes().startswith(b"\x89PNG")
        assert data.read_bytes() == plot.csv.encode()
        assert ElementTree.fromstring(svg.read_bytes()).tag.endswith("svg")


def test_drawn_again_the_bytes_are_the_same(plots: dict[str, Plot]) -> None:
    for name, again in every_plot().items():
        assert again.svg == plots[name].svg
        assert again.png == plots[name].png


def test_every_figure_has_words_for_those_who_cannot_see_it(plots: dict[str, Plot]) -> None:
    for plot in plots.values():
        assert len(plot.alt) > 40
        title = ElementTree.fromstring(plot.svg).find("{http://www.w3.org/2000/svg}title")
        assert title is not None
        assert title.text == plot.alt


def test_tippett_shows_the_share_at_or_above_each_lr_in_log10(plots: dict[str, Plot]) -> None:
    rows = rows_of(plots["tippett"])
    trials = [row for row in rows if row["what"] == "trial"]
    assert len(trials) == len(SAME) + len(DIFFERENT)
    for row in trials:
        x = float(row["log10_lr"])
        assert float(row["share_of_same_author"]) == pytest.approx(np.mean(x - 1e-12 <= SAME / LN10))
        assert float(row["share_of_different_authors"]) == pytest.approx(np.mean(x - 1e-12 <= DIFFERENT / LN10))
    assert [float(row["log10_lr"]) for row in rows if row["what"] == "case"] == [pytest.approx(2.0 / LN10)]


def test_the_drawn_lines_are_the_data(plots: dict[str, Plot]) -> None:
    same, different, case, _ = plots["tippett"].figure.axes[0].get_lines()
    trials = [row for row in rows_of(plots["tippett"]) if row["what"] == "trial"]
    for line, column in ((same, "share_of_same_author"), (different, "share_of_different_authors")):
        assert list(line.get_xdata()[1:-1]) == [float(row["log10_lr"]) for row in trials]
        assert list(line.get_ydata()[1:-1]) == [float(row[column]) for row in trials]
    assert case.get_xdata()[0] == pytest.approx(2.0 / LN10)
    drawn = plots["growth"].figure.axes[0].get_lines()[1]
    assert (
        [float(row["lambda_g_so_far"]) for row in rows_of(plots["growth"])]
        == [0.5, -0.5]
        == list(drawn.get_ydata()[1:])
    )
    assert [int(row["tokens_so_far"]) for row in rows_of(plots["growth"])] == [5, 12]
    ece = plots["ece"].figure.axes[0].get_lines()[0]
    assert list(ece.get_ydata()) == [float(row["llrs"]) for row in rows_of(plots["ece"])]


def test_no_two_lines_of_a_figure_differ_by_colour_alone(plots: dict[str, Plot]) -> None:
    for name in ("tippett", "ece"):
        lines = [line for line in plots[name].figure.axes[0].get_lines() if not line.get_label().startswith("_")]
        assert len({(line.get_linestyle(), line.get_linewidth()) for line in lines}) == len(lines)
    markers = [line.get_marker() for line in plots["pav"].figure.axes[0].get_lines()]
    assert {"o", "x"} <= set(markers)


def test_axes_name_their_unit(plots: dict[str, Plot]) -> None:
    for name in ("tippett", "pav", "anchored", "dots"):
        assert "log10 LR" in plots[name].figure.axes[0].get_xlabel()
    assert "bits" in plots["ece"].figure.axes[0].get_ylabel()
    assert "log10 units" in plots["growth"].figure.axes[0].get_ylabel()


def test_without_a_case_none_is_drawn() -> None:
    plot = figures.tippett(same=SAME, different=DIFFERENT)
    assert len(plot.figure.axes[0].get_lines()) == 3
    assert "case" not in plot.csv


def test_pav_at_infinity_stands_at_the_edge(plots: dict[str, Plot]) -> None:
    values = [float(row["log10_lr_pav"]) for row in rows_of(plots["pav"])]
    assert np.isinf(values).any()
    axes = plots["pav"].figure.axes[0]
    low, high = axes.get_ylim()
    for line in axes.get_lines():
        if line.get_marker() in ("o", "x"):
            assert (low <= line.get_ydata()).all()
            assert (line.get_ydata() <= high).all()


def test_huge_llrs_are_counted_where_the_axis_ends() -> None:
    plot = figures.tippett(same=[1.0, 10_000.0], different=[-10_000.0, -10_000.0, -1.0], case=0.0)
    assert "3 trials lie beyond the axis" in plot.figure.axes[0].get_xlabel()
    assert span([1e4]) == (-1 - 0.05 * 51, 50 + 0.05 * 51)


def test_equal_values_are_stacked_not_hidden(plots: dict[str, Plot]) -> None:
    dots = plots["anchored"].figure.axes[0].get_lines()[0]
    assert sorted(dots.get_ydata()) == [1, 1, 2]


def test_names_with_formulas_markup_and_odd_characters_are_drawn_as_they_are() -> None:
    name = HOSTILE + " 漢字 $\\frac{$"
    plot = figures.dots(rows=[(name, [1.0]), ("x" * 100, [2.0])])
    assert plot.png.startswith(b"\x89PNG")  # a warning would be an error here
    assert ElementTree.fromstring(plot.svg) is not None
    assert len(label("x" * 100)) == 36
    assert label("a\nb\x07") == "a b\ufffd"
    assert rows_of(figures.dots(rows=[("=cmd()", [-1.0])]))[0] == {"label": "'=cmd()", "log10_lr": str(-1.0 / LN10)}


def test_figures_need_no_global_state_and_no_matplotlib_until_drawn() -> None:
    program = (
        "import sys; from idiograph.output.report import figures, report\n"
        "assert 'matplotlib' not in sys.modules and 'docx' not in sys.modules\n"
        "figures.tippett(same=[1.0], different=[-1.0]).svg\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
