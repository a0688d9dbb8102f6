"""The primary method, a formula or the matrix, seen through one interface."""

from pathlib import Path

import pytest

import idiograph
from made_texts import case_of, write_case


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_case(tmp_path_factory.mktemp("case"), n_authors=9, tokens=150)


def compared(texts: Path, primary: str):
    return idiograph.verify(case_of(texts, primary=primary)).comparisons[0]


def test_the_primary_method_decides_what_stands_around_the_number(texts: Path) -> None:
    by_hapax, by_matrix = compared(texts, "hapax"), compared(texts, "normalised")
    assert by_hapax.llrs == by_matrix.llrs  # every method is there, whichever is the primary one
    assert by_hapax.reported != by_matrix.reported
    assert by_hapax.validation is not None
    assert by_matrix.validation is not None
    assert set(by_hapax.validation.performance) == set(by_matrix.validation.performance)
    for comparison in (by_hapax, by_matrix):
        assert comparison.anchors is not None
        assert comparison.sensitivity is not None
        assert len(comparison.anchors.trace) == len(comparison.anchors.source) == 9
    assert by_hapax.anchors is not None
    assert by_matrix.anchors is not None
    scores = [[anchor.lambda_g for anchor in comparison.anchors.trace] for comparison in (by_hapax, by_matrix)]
    assert scores[0] == scores[1]
    llrs = [[anchor.nats for anchor in comparison.anchors.trace] for comparison in (by_hapax, by_matrix)]
    assert llrs[0] != llrs[1]
    # Known texts have other lengths than the case: a correction stands in there, and that is said.
    assert by_matrix.anchors.known == by_hapax.anchors.known
    assert "compared by Hapax" in by_matrix.anchors.how[-1]
    assert by_matrix.sensitivity is not None
    assert by_matrix.sensitivity.of("order") == ()
    without = {row.label: row.nats for row in by_matrix.sensitivity.of("known_text")}
    assert len(without) == 2
    assert by_matrix.llrs["normalised"].nats not in without.values()


def test_a_quick_run_has_the_value_and_no_others_beside_it(texts: Path) -> None:
    """Without the reference authors' own scores nobody else can be measured by the matrix."""
    (quick,) = idiograph.verify(case_of(texts, primary="normalised"), quick=True).comparisons
    assert quick.reported is not None
    assert quick.anchors is not None
    assert (quick.anchors.trace, quick.anchors.source) == ((), ())
    (by_formula,) = idiograph.verify(case_of(texts, primary="hapax"), quick=True).comparisons
    assert by_formula.anchors is not None
    assert len(by_formula.anchors.trace) == 9
