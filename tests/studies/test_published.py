"""The paper's figures as it prints them."""

import pytest

from idiograph.studies.settings import published_table2, published_table3


def test_published_wins_of_a_pair_sum_to_a_hundred() -> None:
    table = published_table2()
    assert len(table) == 6
    for own, other in table:
        assert table[own, other][0] + table[other, own][0] == pytest.approx(100)


def test_every_corpus_of_table_3_has_the_three_methods() -> None:
    table = published_table3()
    assert len(table) == 12
    for row in table.values():
        assert set(row) == {"logistic", "square_root", "hapax"}
        assert all(0 < mean < 1 and 0 <= sd < 0.1 for mean, sd in row.values())
    assert table["Enron"]["hapax"][0] == 0.479
