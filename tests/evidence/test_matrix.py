"""The matrix of scores against the oracles, its rows, and S-norm by hand."""

from math import sqrt

import numpy as np
import pytest

import guarded_oracle
import normalised_oracle as oracle
from generated import corpus
from idiograph import CalibrationError, Index, Problem, score_many
from idiograph.evidence.cosine import token_n_grams, typed_n_grams
from idiograph.evidence.matrix import KEPT, Matrix, matrix_of, s_norms, score_pairs

TYPED = ["Dear Ann,  I", "dear ann, I", "DEAR Ann!!", "dear: Ann", "Hi Ann...", "hi, 12 of", "Hi 12"] * 2


@pytest.fixture(scope="module")
def compared():
    """Six reference authors and a seventh, their first texts with their others; λG by two sets of models."""
    texts = corpus(authors=7, habit=0.8)
    index = Index(texts)
    qs = [index.text(texts.by(author).texts[0].id) for author in texts.authors]
    ks = [index.texts(*(text.id for text in texts.by(author).texts[1:])) for author in texts.authors]
    problems = [
        ((b, a), Problem(qs[b], ks[a], index.excluding(*{texts.authors[b], texts.authors[a], out}), f"{out}/{a}/{b}"))
        for b in range(7)
        for a in range(7)
        for out in (texts.authors[0], texts.authors[1])
    ]
    batches = []

    def score(batch):
        batches.append(len(batch))
        return score_many(index, batch, repetitions=2, workers=1)

    scores = score_pairs(iter(problems), score)
    assert batches == [64, 34]
    assert {cell: len(by_models) for cell, by_models in scores.items()} == {cell: 2 for cell, _ in problems}
    return [q.sentences for q in qs], [k.sentences for k in ks], scores


def test_every_score_of_every_cell_is_the_oracles(compared):
    qs, ks, scores = compared
    reference, everyone = range(6), range(7)
    compared_matrix = matrix_of(
        token_n_grams([*qs, *ks]),
        scores,
        q_authors=everyone,
        reference=reference,
        typed=typed_n_grams([[piece] for piece in TYPED]),
        guard=(qs, ks),
    )
    assert list(compared_matrix.scores) == ["distinct", "cosine", "typing", "kept_distinct", "kept_cosine"]
    assert not compared_matrix.incomplete
    kept = guarded_oracle.matrices(scores, qs, ks, reference)
    expected = dict(zip(KEPT, kept, strict=True))
    expected["distinct"] = [
        [oracle.mean([scored.distinct for scored in scores[b, a]]) for a in everyone] for b in everyone
    ]
    for name, counts in (
        ("cosine", [oracle.n_grams(text) for text in (*qs, *ks)]),
        ("typing", [oracle.character_n_grams([piece]) for piece in TYPED]),
    ):
        expected[name] = oracle.cosine_matrix(counts[:7], counts[7:], reference)
    for name, matrix in compared_matrix.scores.items():
        assert matrix == pytest.approx(np.array(expected[name]), rel=1e-9), name
    assert (compared_matrix.scores["kept_distinct"] != compared_matrix.scores["distinct"]).any()
    assert (compared_matrix.scores["kept_cosine"] != compared_matrix.scores["cosine"]).any()


def test_without_the_reference_authors_among_themselves_it_is_incomplete(compared):
    qs, ks, scores = compared
    case = {cell: by_models for cell, by_models in scores.items() if 6 in cell}
    matrix = matrix_of(token_n_grams([*qs, *ks]), case, q_authors=range(7), reference=range(6))
    assert "distinct" in matrix.incomplete
    assert "cosine" not in matrix.incomplete
    assert np.isfinite(matrix.scores["cosine"]).all()
    assert np.argwhere(np.isfinite(matrix.scores["distinct"])).tolist() == [list(cell) for cell in sorted(case)]


def test_a_matrix_comes_back_from_its_rows():
    rng = np.random.default_rng(3)
    # Five authors and two attacked Qs, which met the Ks of the reference and of author 4.
    scores = {name: rng.normal(size=(7, 5)) for name in ("distinct", *KEPT)}
    for values in scores.values():
        values[5:, 3] = np.nan
    cells = [(b, a) for b in range(7) for a in range(5) if b < 5 or a != 3]
    rng.shuffle(cells)
    again = Matrix.of_rows(cells, Matrix(scores, range(3)).only(*KEPT).rows(cells), n_authors=5, reference=range(3))
    assert list(again.scores) == list(KEPT)
    for name, values in again.scores.items():
        np.testing.assert_array_equal(values, scores[name])


def test_a_matrix_has_as_many_sides_as_its_cells_name() -> None:
    matrix = Matrix.of_rows([(0, 0), (1, 3)], {"lambdag": np.array([1.0, 2.0])}, n_authors=2, reference=range(2))
    assert matrix.scores["lambdag"].shape == (2, 4)
    assert matrix.scores["lambdag"][1, 3] == 2.0


def test_another_k_of_the_case_changes_its_column_alone():
    plain = Matrix({"distinct": np.zeros((3, 3)), "cosine": np.ones((3, 3))}, range(2))
    changed = plain.with_case(9.0, [7.0, 8.0])
    assert changed.scores["distinct"].tolist() == [[0, 0, 7], [0, 0, 8], [0, 0, 9]]
    assert plain.with_case(9.0).scores["distinct"].tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 9]]
    assert changed.scores["cosine"] is plain.scores["cosine"]
    assert not plain.scores["distinct"].any()


def test_by_hand() -> None:
    # Row of Q_4: 1, 2, 3, 6 (mean 3, sd sqrt(14/3)); column of K_4: 2, 2, 4, 4 (mean 3, sd sqrt(4/3)); x is 5.
    scores = np.zeros((5, 5))
    scores[4, :4], scores[:4, 4], scores[4, 4] = [1, 2, 3, 6], [2, 2, 4, 4], 5
    normed = s_norms(scores, [(4, 4)], reference=range(4))
    assert normed == pytest.approx([(2 / sqrt(14 / 3) + 2 / sqrt(4 / 3)) / 2], rel=1e-15)


def test_every_trial_inside_and_outside_the_reference_is_the_oracles() -> None:
    scores = np.random.default_rng(1).normal(size=(9, 9))
    reference = [0, 2, 3, 5, 6, 8]
    trials = [(b, a) for b in range(9) for a in range(9)]
    expected = [oracle.s_norm(scores.tolist(), b, a, reference) for b, a in trials]
    assert s_norms(scores, trials, reference=reference) == pytest.approx(expected, rel=1e-12)


def test_a_shift_of_q_or_of_k_moves_only_the_other_half() -> None:
    scores = np.random.default_rng(2).normal(size=(9, 9))
    of_q, of_k = scores.copy(), scores.copy()
    of_q[8, :] += 100
    of_k[:, 8] += 100
    plain, by_q, by_k = (s_norms(shifted, [(8, 8)], reference=range(8))[0] for shifted in (scores, of_q, of_k))
    for moved, values in ((by_q, scores[:8, 8]), (by_k, scores[8, :8])):
        assert moved - plain == pytest.approx(50 / values.std(ddof=1), rel=1e-9)


def test_a_cohort_without_spread_is_refused_unless_the_trial_is_like_it() -> None:
    alike = np.ones((9, 9))
    assert s_norms(alike, [(8, 8)], reference=range(8)).tolist() == [0.0]
    alike[8, 8] = 2.0
    with pytest.raises(CalibrationError, match="All scores of the cohort are the same"):
        s_norms(alike, [(8, 8)], reference=range(8))
