"""The figures of a study: what is drawn is what their data say."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import gaussian_kde

from idiograph import length_heatmap, violins
from made_plots import rows_of

RNG = np.random.default_rng(11)
SAME, DIFFERENT = RNG.normal(30, 20, 25), RNG.normal(-30, 20, 70)


def test_blank_cells_of_the_length_grid_are_counted_and_values_have_two_decimals() -> None:
    plot = length_heatmap(
        q_lengths=[500, 1500],
        k_lengths=[500, 1500, 2500],
        panels={"hapax": [[1.2, 0.5, 0.25], [0.75, 0.5, float("nan")]], "square root": np.full((2, 3), 0.4)},
    )
    first, second = plot.figure.axes[:2]
    assert "1 of 5 blank" in first.get_title()
    assert "0 of 6 blank" in second.get_title()
    assert sorted(text.get_text() for text in first.texts) == sorted(["0.50", "0.25", "0.75", "0.50", "–"])
    cells = rows_of(plot)
    assert cells[0] == {"method": "hapax", "q_tokens": "500", "k_tokens": "500", "cllr": "1.2"}
    assert cells[5]["cllr"] == ""
    bare = length_heatmap(q_lengths=[5], k_lengths=[5], panels={"hapax": [[0.5]]}, values=False)
    assert not bare.figure.axes[0].texts


def test_many_methods_stand_in_rows_of_three_and_long_names_are_wrapped() -> None:
    names = ["a", "b", "c", "Logistic regression (as R's glm stops)", "e"]
    plot = length_heatmap(q_lengths=[1, 2], k_lengths=[1, 2], panels={name: np.full((2, 2), 0.4) for name in names})
    panels = [axes for axes in plot.figure.axes if axes.get_title()]
    assert len(panels) == 5
    assert len({round(axes.get_position().y0, 6) for axes in panels}) == 2
    assert panels[3].get_title().startswith("Logistic regression\n")
    assert plot.figure.get_figwidth() <= 6.3
    assert [row["method"] for row in rows_of(plot)[::4]] == names


def drawn_medians(plot: Any) -> list[float]:
    """Where the strokes of the medians stand: short upright lines in black."""
    lines = (line for line in plot.figure.axes[0].lines if line.get_color() == "black")
    return [float(line.get_xdata()[0]) for line in lines]


def test_violins_leave_nothing_out_of_median_and_density_whatever_the_axis() -> None:
    same = np.concatenate([RNG.normal(60, 40, 40), [700.0, 900.0, 3321.84]])
    different = np.concatenate([RNG.normal(-40, 20, 60), [-800.0]])
    plot = violins(scores={"news": (same, different)})
    axes = plot.figure.axes[0]
    assert drawn_medians(plot) == pytest.approx([np.median(same), np.median(different)], rel=1e-15)
    for values, patch in zip((same, different), axes.patches, strict=True):
        outline = patch.get_path().vertices
        assert outline[:, 0].min() == pytest.approx(values.min())  # also what is beyond the axis
        assert outline[:, 0].max() == pytest.approx(values.max())
        height = np.abs(outline[:, 1]).max()
        density = gaussian_kde(values)
        at = outline[np.abs(outline[:, 1]) > 0.02 * height]
        expected = density(at[:, 0]) / density(np.linspace(values.min(), values.max(), 20_000)).max()
        np.testing.assert_allclose(np.abs(at[:, 1]) / height, expected, rtol=0.02)
    low, high = axes.get_xlim()
    assert high == 600.0  # as in the paper, upwards only
    assert low < -800.0
    assert "(3 of 104 beyond)" in axes.get_yticklabels()[0].get_text()
    assert "3 of 104 lie beyond the axis, which ends at 600; density and median are of all." in plot.alt
    assert len(rows_of(plot)) == 104


def test_the_end_of_the_violins_axis_is_a_setting_that_changes_no_median() -> None:
    scores = {"Enron": (SAME, DIFFERENT)}
    narrow, whole = violins(scores=scores, cap=40.0), violins(scores=scores, cap=None)
    outside = int(np.sum(SAME > 40) + np.sum(DIFFERENT > 40))
    assert outside > 0
    assert f"({outside} of 95 beyond)" in narrow.figure.axes[0].get_yticklabels()[0].get_text()
    assert narrow.figure.axes[0].get_xlim()[1] == 40.0
    assert whole.figure.axes[0].get_xlim()[1] > SAME.max()
    assert drawn_medians(narrow) == drawn_medians(whole) == [np.median(SAME), np.median(DIFFERENT)]
    assert violins(scores=scores).alt.endswith("all 95 scores lie within the axis.")


def test_one_score_per_class_is_still_drawn() -> None:
    assert violins(scores={"tiny": ([1.0], [2.0, 2.0])}).png.startswith(b"\x89PNG")
