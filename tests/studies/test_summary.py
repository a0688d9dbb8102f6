"""The paper's comparisons, checked with its own published figures and by hand."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import idiograph
from generated import corpus, write_jsonl
from idiograph.studies.settings import published_table2, published_table3
from idiograph.studies.summary import (
    Cllrs,
    Degenerate,
    all_wins,
    baseline_split,
    cllrs,
    compare,
    compare_units,
    degenerate,
    grids,
    lengths_of,
    standings,
    summarise,
)
from idiograph.studies.trial_table import TrialTable
from made_study import whole_trials

TABLE3 = {(corpus, "whole"): {m: mean for m, (mean, _) in row.items()} for corpus, row in published_table3().items()}


def with_grids(method: str, other: str, shares: dict[str, float]) -> dict[tuple[str, str], dict[str, float]]:
    """Table 3 and a hundred made-up conditions per grid, of which the stated share is won."""
    means = dict(TABLE3)
    for name, share in shares.items():
        for number in range(100):
            means[name, f"c{number}"] = {method: 0.4 if number < share else 0.6, other: 0.5}
    return means


def test_hapax_over_square_root_follows_from_table_3_and_the_grids() -> None:
    shares = {"Avocado": 70.0, "Twitter": 87.0, "Bolt": 16.0}  # per cent, as the paper's text gives them
    won = compare(TABLE3, "hapax", "square_root")
    assert won.wins == pytest.approx(10 / 12)
    with_lengths = compare(with_grids("hapax", "square_root", shares), "hapax", "square_root")
    assert 100 * with_lengths.wins == pytest.approx((10 * 100 + 70 + 87 + 16) / 15)
    assert round(100 * with_lengths.wins, 2) == published_table2()["hapax", "square_root"][0] == 78.20
    against = compare(with_grids("hapax", "square_root", shares), "square_root", "hapax")
    assert round(100 * against.wins, 2) == published_table2()["square_root", "hapax"][0] == 21.80


def test_wins_close_losses_and_ties_by_hand() -> None:
    means = {
        ("a", "1"): {"x": 0.30, "y": 0.40},  # x wins
        ("a", "2"): {"x": 0.42, "y": 0.40},  # x loses by exactly 5 %
        ("a", "3"): {"x": 0.43, "y": 0.40},  # by 7.5 %
        ("b", "1"): {"x": 0.50, "y": 0.50},  # a tie
        ("c", "1"): {"x": 0.90, "y": 0.50},
    }
    wins_of_x = compare(means, "x", "y")
    assert wins_of_x.wins == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert wins_of_x.close_losses == pytest.approx((1 / 2 + 0) / 2)  # b has no loss and does not count
    assert wins_of_x.n_ties == 1
    turned = compare(means, "y", "x")
    assert turned.wins == pytest.approx((2 / 3 + 1 + 1) / 3)
    assert turned.close_losses == 0
    assert compare({("a", "1"): {"x": 1.0, "y": 2.0}}, "x", "y").close_losses is None
    assert [(wins.method, wins.comparator) for wins in all_wins(means, ("x", "y"))] == [("x", "y"), ("y", "x")]


def test_rounding_wins_and_loses_nothing() -> None:
    noise = 4e-7
    means = {
        ("a", "1"): {"x": 0.5 + noise, "y": 0.5},  # a tie, whatever the last digits
        ("a", "2"): {"x": 0.5, "y": 0.5 + noise},
        ("a", "3"): {"x": 0.5 + 3e-6, "y": 0.5},  # a loss, and a close one
        ("a", "4"): {"x": 1.05 * 0.4 + noise, "y": 0.4},  # close: rounding does not decide that either
    }
    wins_of_x, turned = compare(means, "x", "y"), compare(means, "y", "x")
    assert (wins_of_x.wins, wins_of_x.close_losses, wins_of_x.n_ties) == (0.5, 1.0, 2)
    assert (turned.wins, turned.close_losses, turned.n_ties) == (1.0, None, 2)
    (above, _) = baseline_split(means, "y")
    assert (above.better_or_equal, above.within_5_percent) == (0.5, 0.5)


def test_two_fits_of_one_regression_share_what_they_tie(tmp_path: Path) -> None:
    """Where no fit meets separated classes, logistic and logistic_glm differ by rounding alone."""
    write_jsonl(tmp_path / "toy.jsonl", corpus(authors=20, habit=0.05))
    path = tmp_path / "study.toml"
    path.write_text(
        'schema = 1\n[[corpora]]\nname = "toy"\npath = "toy.jsonl"\nmasking = "masked"\n[[conditions]]\n'
        'drawing = "random"\nlengths = [[40, 60], [60, 60], [60, 120]]\n[lambdag]\nrepetitions = 2\n'
        '[methods]\nuse = ["logistic", "logistic_glm"]\nresamples = 0\n',
        encoding="utf-8",
    )
    result = idiograph.study(path, workers=1)
    assert all(fit.n_perfect == fit.n_near == 0 for fit in result.fits)
    gaps = [abs(row["logistic"] - row["logistic_glm"]) for row in result.summary.means.values()]
    assert max(gaps) < 1e-6
    assert max(gaps) > 0.0
    assert {row.performance.cllr.low for row in result.performance} == {None}  # without resamples
    for wins in result.summary.wins:
        assert (wins.wins, wins.close_losses, wins.n_ties) == (1.0, None, 3)
    assert [standing.n_lowest for standing in result.summary.standings] == [3, 3]


def test_where_each_method_stands_by_hand() -> None:
    means = {
        ("a", "1"): {"x": 0.2, "y": 0.3, "z": 0.2 + 1e-8},
        ("a", "2"): {"x": 0.4, "y": 0.3, "z": 1.0},
        ("b", "1"): {"x": 0.9, "y": 1.1, "z": 0.95},
    }
    x, y, z = standings(means)
    assert [standing.method for standing in (x, y, z)] == ["x", "y", "z"]
    assert x.mean == pytest.approx((0.3 + 0.9) / 2)  # corpora weigh the same
    assert y.mean == pytest.approx((0.3 + 1.1) / 2)
    assert (x.lowest, x.highest) == (("a", "1"), ("b", "1"))
    assert (x.failed, y.failed, z.failed) == ((), (("b", "1"),), (("a", "2"),))  # 1 is what silence costs
    assert (x.n_lowest, y.n_lowest, z.n_lowest) == (2, 1, 1)


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


def test_a_few_pairs_of_lengths_are_not_a_grid() -> None:
    means = {("a", "random_q100_k200"): {"x": 0.1}, ("a", "random_q500_k600"): {"x": 0.2}}
    assert grids(means) == ()


def with_hapax() -> TrialTable:
    table = whole_trials()
    hapax = table.column("lambda_g") * table.column("n_hapaxes") / table.column("n_tokens") * np.log(2)
    return table.with_llrs({"hapax": hapax, "double": 2 * hapax})


def cost(same: npt.NDArray[np.float64], different: npt.NDArray[np.float64]) -> float:
    return float((np.log2(1 + np.exp(-same)).mean() + np.log2(1 + np.exp(different)).mean()) / 2)


def test_cllr_is_that_of_the_case_half() -> None:
    table = with_hapax()
    costs = cllrs(table)
    assert costs.methods == ("hapax", "double")
    nats = table.llr("hapax")
    expected = cost(nats[table.case & table.same], nats[table.case & ~table.same])
    assert costs.runs["toy", "whole"]["hapax"] == pytest.approx([expected])
    assert costs.means()["toy", "whole"]["hapax"] == pytest.approx(expected)
    assert costs.spreads() == {("toy", "whole"): {"hapax": None, "double": None}}


def test_means_and_spreads_over_runs_by_hand() -> None:
    costs = Cllrs({("a", "1"): {"x": np.array([0.2, 0.4, 0.6])}})
    assert costs.means() == {("a", "1"): {"x": pytest.approx(0.4)}}
    assert costs.spreads() == {("a", "1"): {"x": pytest.approx(0.2)}}


def test_units_are_compared_for_the_methods_whose_unit_was_inferred() -> None:
    table = with_hapax()
    rows = {row.method: row.cllr for row in compare_units(table)}
    assert set(rows) == {"hapax", "square_root"}
    assert rows["hapax"]["bits"] == pytest.approx(cllrs(table).means()["toy", "whole"]["hapax"])
    bans = table.llr("hapax") / np.log(2) * np.log(10)
    assert rows["hapax"]["bans"] == pytest.approx(cost(bans[table.case & table.same], bans[table.case & ~table.same]))


def test_a_summary_holds_every_comparison() -> None:
    summary = summarise(with_hapax(), baseline="hapax", units=False)
    assert [(row.method, row.comparator) for row in summary.wins] == [("hapax", "double"), ("double", "hapax")]
    assert {row.method for row in summary.splits} == {"double"}
    assert (summary.grids, summary.units) == ((), ())
    assert summary.means == summary.cllrs.means()
    assert len(summarise(with_hapax(), baseline="hapax", units=True).units) == 2


def with_counts(table: TrialTable, tokens: int, hapaxes: int) -> TrialTable:
    """The trials, the first Q having these counts."""
    import pyarrow as pa

    first = table.column("q_id") == table.column("q_id")[0]
    changed = table.table
    for name, value in (("n_tokens", tokens), ("n_hapaxes", hapaxes)):
        counts = [value if is_first else 200 for is_first in first]
        changed = changed.set_column(changed.column_names.index(name), name, pa.array(counts, pa.int32()))
    return TrialTable(changed)


def test_one_word_repeated_is_named_with_its_furthest_score() -> None:
    table = whole_trials()
    (named,) = degenerate(with_counts(table, 525, 1))
    of_first = table.column("q_id") == table.column("q_id")[0]
    scores = table.column("lambda_g")[of_first]
    furthest = max(scores.tolist(), key=abs)
    assert named == Degenerate("toy", str(table.column("q_id")[0]), 525, 1, int(of_first.sum()), furthest)


def test_ordinary_and_short_texts_are_not() -> None:
    table = whole_trials()
    assert degenerate(with_counts(table, 525, 30)) == ()
    assert degenerate(with_counts(table, 99, 0)) == ()
