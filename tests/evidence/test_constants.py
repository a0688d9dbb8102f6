"""The constants that come with the project, what they cost, what going without them costs, and how they are learnt."""

import json
from math import log

import numpy as np
import pytest
from docs.tables import cost_table
from docs.validation.without import shipped_text
from hypothesis import given, settings
from hypothesis import strategies as st

import normalised_oracle as oracle
from idiograph import CalibrationError
from idiograph.evidence.constants import (
    NONE,
    ConstantsByLength,
    Weights,
    WithoutConstants,
    constants_for,
    cost_in_words,
    fit_pulled,
    measured,
    shipped,
    tau_for,
)


def test_every_set_says_where_it_comes_from_and_raises_the_llr_with_the_scores():
    lines, source, digest = shipped()
    assert source
    assert len(digest) == 64
    for line in lines:
        assert len(line.scores) == len(line.level.betas) == len(line.slope.betas)
        for k_tokens in (500, 1_500, 3_000):
            weights = line.at(k_tokens)
            assert min(weights.betas) > 0 > weights.alpha


def test_a_constant_is_a_line_over_the_logarithm_of_k():
    line = ConstantsByLength(("x",), 10, Weights(-1.0, (0.5,)), Weights(0.2, (0.1,)))
    assert line.at(1_500) == Weights(-1.0, (0.5,))
    assert line.at(3_000).alpha == pytest.approx(-1 + 0.2 * log(2), rel=1e-12)
    assert line.at(3_000).betas[0] == pytest.approx(0.5 + 0.1 * log(2), rel=1e-12)
    # Beyond the lengths they were learnt for they stay as they are there.
    assert line.at(50) == line.at(500)
    assert line.at(1_000_000) == line.at(3_000)
    assert constants_for(24, k_tokens=500).weights != constants_for(24, k_tokens=3_000).weights


def test_the_nearest_number_of_authors_decides():
    sizes = sorted(line.n_authors for line in shipped()[0] if line.scores == ("distinct", "cosine"))
    for size in sizes:
        assert constants_for(size).n_authors == size
    assert constants_for(1000).n_authors == sizes[-1]
    assert constants_for(5).n_authors == sizes[0]


def test_scores_without_constants_are_refused():
    with pytest.raises(CalibrationError, match="no constants for the scores delta"):
        constants_for(10, ("delta",))


def test_a_k_without_tokens_is_refused():
    for tokens in (0, -5.0, float("nan")):
        with pytest.raises(CalibrationError, match="K is said to have"):
            constants_for(10, k_tokens=tokens)


def test_going_without_constants_is_going_towards_saying_nothing():
    none = constants_for(10, ("distinct", "cosine", "typing"), origin=NONE)
    assert (none.weights, none.say_nothing) == (Weights(0.0, (0.0, 0.0, 0.0)), True)
    assert none.source.startswith("None: the fit is pulled towards an LR of 1")
    assert not constants_for(10).say_nothing


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


NUMBERS = st.integers(-300, 300).map(lambda number: number / 100)
FEATURES = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=6)
CONSTANTS = Weights(-1.0, (0.5, 0.7))


@settings(max_examples=25)
@given(FEATURES, FEATURES, st.sampled_from([0.003, 0.03, 1.0]))
def test_nothing_near_costs_less(same, different, tau):
    same, different = [*same, (1.0, 2.0)], [*different, (0.0, -1.0)]  # so that no score is always the same
    fitted = fit_pulled(same=np.array(same), different=np.array(different), towards=CONSTANTS, tau=tau)
    constants = [-1.0, 0.5, 0.7]
    at = [fitted.alpha, *fitted.betas]
    lowest = oracle.cost(at, same, different, constants, tau)
    for i in range(3):
        for step in (1e-3, -1e-3):
            moved = [x + step * (i == j) for j, x in enumerate(at)]
            assert oracle.cost(moved, same, different, constants, tau) >= lowest


def test_the_oracles_minimum():
    rng = np.random.default_rng(1)
    same, different = rng.normal(1.5, 1, (12, 2)), rng.normal(-0.5, 1, (40, 2))
    fitted = fit_pulled(same=same, different=different, towards=CONSTANTS, tau=0.01)
    expected = oracle.fit(same.tolist(), different.tolist(), [-1.0, 0.5, 0.7], 0.01)
    assert [fitted.alpha, *fitted.betas] == pytest.approx(expected, abs=1e-6)


def test_a_strong_pull_gives_the_constants_and_a_weak_one_the_maximum_likelihood():
    same, different = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([[-1.0], [0.0], [0.0], [1.0]])
    strong = fit_pulled(same=same, different=different, towards=Weights(-1.0, (0.5,)), tau=1e9)
    assert [strong.alpha, *strong.betas] == pytest.approx([-1.0, 0.5], rel=1e-6)
    weak = fit_pulled(same=same, different=different, towards=Weights(-1.0, (0.5,)), tau=1e-9)
    # By symmetry around ½: α = −β/2.
    assert weak.alpha == pytest.approx(-weak.betas[0] / 2, rel=1e-6)
    assert weak.betas[0] > 0


def test_separated_classes_have_finite_weights():
    fitted = fit_pulled(
        same=np.array([[5.0], [6.0]]), different=np.array([[-5.0], [-6.0]]), towards=Weights(0.0, (1.0,)), tau=0.01
    )
    assert 0 < fitted.betas[0] < 10


def test_the_llr_of_a_trial():
    assert Weights(-1.0, (0.5, 2.0)).nats(np.array([[2.0, 0.25], [0.0, 0.0]])).tolist() == [0.5, -1.0]
    assert oracle.softplus(0) == log(2)


def test_bad_trials_are_refused():
    good = np.zeros((2, 2))
    with pytest.raises(CalibrationError, match="same-author trials came as 0 × 2 numbers"):
        fit_pulled(same=np.zeros((0, 2)), different=good, towards=CONSTANTS, tau=0.01)
    with pytest.raises(CalibrationError, match="different-author trials came as 2 × 1 numbers"):
        fit_pulled(same=good, different=np.zeros((2, 1)), towards=CONSTANTS, tau=0.01)
    with pytest.raises(CalibrationError, match="same-author trial is not a finite number"):
        fit_pulled(same=np.full((2, 2), np.nan), different=good, towards=CONSTANTS, tau=0.01)
    with pytest.raises(CalibrationError, match="Score 1 of 2 is the same for all trials"):
        fit_pulled(same=good, different=np.array([[0.0, 1.0], [0.0, 2.0]]), towards=CONSTANTS, tau=0.01)
    with pytest.raises(CalibrationError, match="tau is 0"):
        fit_pulled(same=good, different=good, towards=CONSTANTS, tau=0)


def test_a_trial_that_counts_twice_is_as_good_as_two():
    rng = np.random.default_rng(2)
    same, different = rng.normal(1.5, 1, (6, 1)), rng.normal(-0.5, 1, (9, 1))
    weights = np.array([2.0, *[1.0] * 5])
    # The spread that the pull is measured in is that of the trials, however often they count.
    fitted = fit_pulled(same=same, different=different, towards=Weights(0.0, (0.0,)), tau=1e-6, same_weights=weights)
    twice = fit_pulled(
        same=np.concatenate([same[:1], same]), different=different, towards=Weights(0.0, (0.0,)), tau=1e-6
    )
    assert [fitted.alpha, *fitted.betas] == pytest.approx([twice.alpha, *twice.betas], rel=1e-3)


def test_the_fewer_authors_the_stronger_the_pull():
    assert (tau_for(10), tau_for(50)) == (0.05, 0.01)
