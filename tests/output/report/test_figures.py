"""Figures: what is drawn is what the CSV says, the same bytes every time, readable in grey and by ear."""

import numpy as np
import pytest

from idiograph.output import figures
from idiograph.output.plot import Plot, span
from made_plots import DIFFERENT, SAME, rows_of

LN10 = np.log(10)


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


def test_a_bound_can_be_told_from_zero_and_from_the_value_that_lies_on_it(plots: dict[str, Plot]) -> None:
    lines = plots["value"].figure.axes[0].get_lines()
    zero = next(line for line in lines if list(line.get_xdata()) == [0.0, 0.0])
    bound = next(line for line in lines if line.get_label() == "bound")
    assert zero.get_linestyle() != bound.get_linestyle()
    top, bottom = plots["value"].figure.axes[0].transData.transform([(0, y) for y in bound.get_ydata()])[:, 1]
    diamond = next(line for line in lines if line.get_marker() == "D")
    assert abs(top - bottom) * 72 / plots["value"].figure.dpi > 1.5 * diamond.get_markersize()


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
    assert span([]) == (-1.1, 1.1)
    assert span([0.5] * 40, marks=[-9.0]) == (-9 - 0.05 * 10, 1 + 0.05 * 10)


def test_a_few_far_values_do_not_flatten_the_rest_and_are_counted() -> None:
    usual = np.linspace(-2, 2, 60) * LN10
    far = np.append(usual, [16.0 * LN10, 18.0 * LN10])
    tippett = figures.tippett(same=far, different=usual).figure.axes[0]
    assert tippett.get_xlim()[1] < 5
    assert "(2 trials lie beyond the axis)" in tippett.get_xlabel()
    for plot, what in (
        (figures.pav(same=far, different=usual), "2 trials lie"),
        (
            figures.anchored(names=["a"] * 61, llrs=far[:61], case=0.0, xlabel="x"),
            "1 author lies",
        ),
        (figures.dots(rows=[("a", far)], primary=0.0), "2 values lie"),
    ):
        axes = plot.figure.axes[0]
        assert f"({what} beyond the axis, drawn at its edge)" in axes.get_xlabel()
        low, high = axes.get_xlim()
        assert high < 5
        for line in axes.get_lines():
            if line.get_marker() in ("o", "x"):
                assert (low <= line.get_xdata()).all()
                assert (line.get_xdata() <= high).all()
    # The case is always inside.
    low, high = figures.tippett(same=usual, different=usual, case=9.0 * LN10).figure.axes[0].get_xlim()
    assert high > 9


def test_equal_values_are_stacked_not_hidden(plots: dict[str, Plot]) -> None:
    dots = plots["anchored"].figure.axes[0].get_lines()[0]
    assert sorted(dots.get_ydata()) == [1, 1, 2]


def test_dots_of_cllr_beyond_the_axis_stand_at_its_edge_and_are_counted() -> None:
    plot = figures.cllr_dots(
        rows={
            "a": {"Hapax": (0.5, 0.3, 0.9), "glm": (537.0, 0.2, 900.0)},
            "b": {"Hapax": (1.2, None, None), "glm": (0.1, 0.0, 0.4)},
        },
        line="95 % interval over authors",
    )
    axes = plot.figure.axes[0]
    assert axes.get_xlim() == (0.0, 2.0)
    assert "1 value lies beyond the axis, drawn at its edge" in axes.get_xlabel()
    dots = [line.get_xdata() for line in axes.lines if line.get_marker() not in ("None", "")]
    np.testing.assert_allclose(dots, [[0.5, 1.2], [2.0, 0.1]])
    assert rows_of(plot)[1] == {"where": "b", "method": "Hapax", "cllr": "1.2", "low": "", "high": ""}
    assert rows_of(plot)[2]["cllr"] == "537.0"
