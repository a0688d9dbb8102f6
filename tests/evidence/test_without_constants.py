"""What going without the constants costs: what ships is what was measured."""

import json

from docs.tables import cost_table
from docs.validation.without import shipped_text

from idiograph.evidence.constants import WithoutConstants, cost_in_words, measured

ROW = WithoutConstants(10, 46, 0.637, 0.6353, 0.6529, 0.72, 1.0125, 1.0075, 1.02, 618, 53)


def test_what_ships_reads_back():
    content = json.loads(shipped_text([ROW], source="here"))
    assert content["source"] == "here"
    assert [WithoutConstants(**row) for row in content["rows"]] == [ROW]


def test_the_shipped_figures_are_the_ones_that_are_quoted():
    assert [row.n_authors for row in measured()] == [10, 24, 40]
    for row in measured():
        assert 0 < row.cllr_with < 1
        # The judged trials of other folds stand for the reference's own.
        assert abs(row.in_the_study - row.cllr_with) < 0.01
        assert f"{row.cllr_without:.3f} instead of {row.cllr_with:.3f} with about {row.n_authors}" in cost_in_words()
        assert (
            f"| {row.n_authors} | {row.n_conditions} | {row.cllr_with:.3f} ({row.worst_with:.2f}) "
            f"| {row.cllr_without:.3f} ({row.worst_without:.2f}) |"
        ) in cost_table()
