"""The paper's comparisons, checked with its own published figures and by hand."""

import numpy as np
import pytest

from idiograph.studies.published import published_grids, published_table2, published_table3
from idiograph.studies.summary import baseline_split, compare, grids, lengths_of, pairwise

TABLE3 = {(corpus, "whole"): {m: mean for m, (mean, _) in row.items()} for corpus, row in published_table3().items()}


def with_grids(own: str, other: str, shares: dict[str, float]) -> dict[tuple[str, str], dict[str, float]]:
    """Table 3 and a hundred made-up conditions a grid, of which the stated share is won."""
    means = dict(TABLE3)
    for corpus, share in shares.items():
        for number in range(100):
            means[corpus, f"c{number}"] = {own: 0.4 if number < share else 0.6, other: 0.5}
    return means


def test_hapax_over_square_root_follows_from_table_3_and_the_grids() -> None:
    shares = {corpus: grid["hapax_beats_square_root"] for corpus, grid in published_grids().items()}
    assert shares == {"Avocado": 70, "Twitter": 87, "Bolt": 16}
    won = compare(TABLE3, "hapax", "square_root")
    assert won.wins == pytest.approx(10 / 12)
    found = compare(with_grids("hapax", "square_root", shares), "hapax", "square_root")
    assert 100 * found.wins == pytest.approx((10 * 100 + 70 + 87 + 16) / 15)
    assert round(100 * found.wins, 2) == published_table2()["hapax", "square_root"][0] == 78.20
    against = compare(with_grids("hapax", "square_root", shares), "square_root", "hapax")
    assert round(100 * against.wins, 2) == published_table2()["square_root", "hapax"][0] == 21.80


def test_published_wins_of_a_pair_sum_to_a_hundred() -> None:
    table = published_table2()
    assert len(table) == 6
    for own, other in table:
        assert table[own, other][0] + table[other, own][0] == pytest.approx(100)


def test_wins_close_losses_and_ties_by_hand() -> None:
    means = {
        ("a", "1"): {"x": 0.30, "y": 0.40},  # x wins
        ("a", "2"): {"x": 0.42, "y": 0.40},  # x loses by exactly 5 %
        ("a", "3"): {"x": 0.43, "y": 0.40},  # by 7.5 %
        ("b", "1"): {"x": 0.50, "y": 0.50},  # a tie
        ("c", "1"): {"x": 0.90, "y": 0.50},
    }
    found = compare(means, "x", "y")
    assert found.wins == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert found.close_losses == pytest.approx((1 / 2 + 0) / 2)  # b has no loss and does not count
    assert (found.n_ties, found.n_corpora, found.n_conditions) == (1, 3, 5)
    turned = compare(means, "y", "x")
    assert turned.wins == pytest.approx((2 / 3 + 1 + 1) / 3)
    assert turned.close_losses == 0
    assert compare({("a", "1"): {"x": 1.0, "y": 2.0}}, "x", "y").close_losses is None
    assert compare(means, "x", "y", close=0.10).close_losses == pytest.approx((1 + 0) / 2)
    assert [(one.method, one.comparator) for one in pairwise(means, ("x", "y"))] == [("x", "y"), ("y", "x")]


def test_the_baselines_split_by_hand() -> None:
    means = {
        ("a", "1"): {"base": 0.50, "x": 0.40},
        ("a", "2"): {"base": 0.50, "x": 0.52},  # within 5 %
        ("a", "3"): {"base": 0.50, "x": 0.80},
        ("a", "4"): {"base": 0.10, "x": 0.14},  # not above 0.1; within 0.05
        ("a", "5"): {"base": 0.02, "x": 0.15},
    }
    above, below = baseline_split(means, "base")
    assert (above.above, above.n) == (True, 3)
    assert above.better_or_equal == pytest.approx(1 / 3)
    assert above.within_5_percent == pytest.approx(1 / 3)
    assert (below.above, below.n) == (False, 2)
    assert (below.better_or_equal, below.within_5_percent) == (0, 0)
    assert below.within_005 == pytest.approx(1 / 2)
    assert below.largest_difference == pytest.approx(0.13)
    never = baseline_split({("a", "1"): {"base": 0.5, "x": 0.4}}, "base")[1]
    assert (never.n, never.better_or_equal, never.largest_difference) == (0, None, None)


def test_grids_gather_the_lengths_of_one_way_of_drawing() -> None:
    means = {
        ("a", "random_q100_k200"): {"x": 0.1},
        ("a", "random_q100_k300"): {"x": 0.2},
        ("a", "random_q500_k200"): {"x": 0.3},
        ("a", "contiguous_q100_k200_across-work"): {"x": 0.9},
        ("a", "whole"): {"x": 0.9},
    }
    (grid,) = grids(means)
    assert (grid.corpus, grid.how, grid.q_lengths, grid.k_lengths) == ("a", "random", (100, 500), (200, 300))
    np.testing.assert_array_equal(grid.means["x"], [[0.1, 0.2], [0.3, np.nan]])
    assert lengths_of("contiguous_q100_k200_across-work") == (100, 200, "contiguous_across-work")
    assert lengths_of("whole_qtexts2") is None
