"""The figures of a study: what is drawn is what their data say."""

import csv
import io

import numpy as np

from idiograph.output.figures import length_heatmap, violins
from idiograph.output.plot import Plot

RNG = np.random.default_rng(11)
SAME, DIFFERENT = RNG.normal(30, 20, 25), RNG.normal(-30, 20, 70)


def rows_of(plot: Plot) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(plot.csv)))


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


def test_violins_say_how_many_scores_lie_beyond_the_cap() -> None:
    plot = violins(scores={"Enron": (SAME, DIFFERENT)}, cap=40.0)
    outside = int(np.sum(np.abs(SAME) > 40) + np.sum(np.abs(DIFFERENT) > 40))
    assert outside > 0
    assert f"({outside} beyond)" in plot.figure.axes[0].get_yticklabels()[0].get_text()
    assert len(rows_of(plot)) == len(SAME) + len(DIFFERENT)


def test_one_score_per_class_is_still_drawn() -> None:
    assert violins(scores={"tiny": ([1.0], [2.0, 2.0])}).png.startswith(b"\x89PNG")
