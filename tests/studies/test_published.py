"""The paper's figures as it prints them."""

import pytest

from idiograph.studies.settings import papers_method, published_table2, published_table3


def test_published_wins_of_a_pair_sum_to_a_hundred() -> None:
    table = published_table2()
    assert len(table) == 10  # three pairs both ways, those with logistic regression twice
    for own, other in table:
        assert table[own, other][0] + table[other, own][0] == pytest.approx(100)


def test_every_corpus_of_table_3_has_the_three_methods() -> None:
    table = published_table3()
    assert len(table) == 12
    for row in table.values():
        assert set(row) == {"logistic_glm", "logistic", "square_root", "hapax"}
        assert all(0 < mean < 1 and 0 <= sd < 0.1 for mean, sd in row.values())
    assert table["Enron"]["hapax"][0] == 0.479


def test_the_papers_logistic_regression_is_rs_glm_and_stands_beside_both_of_ours() -> None:
    """It used idiolect, which calls glm; where classes are separated only logistic_glm goes as far as that goes."""
    assert papers_method("logistic") == papers_method("logistic_glm") == "logistic_glm"
    assert papers_method("hapax") == "hapax"
    wins, table = published_table2(), published_table3()
    for other in ("hapax", "square_root"):
        assert wins["logistic", other] == wins["logistic_glm", other]
        assert wins[other, "logistic"] == wins[other, "logistic_glm"]
    assert ("logistic", "logistic_glm") not in wins
    assert wins["logistic_glm", "hapax"] == (54.60, 49.13)
    assert all(row["logistic"] == row["logistic_glm"] for row in table.values())
    assert table["Enron"]["logistic_glm"] == (0.518, 0.026)
