"""What methods read of scores: columns of one score or of many, and their trials."""

import math

import numpy as np
import pytest

from idiograph.evidence.trials import Scores, sentence_norm
from made_scores import made
from made_trials import scored


def test_the_columns_of_one_score() -> None:
    scores = Scores.of(made([1.0, 2.0], [4.0], n_tokens=3, n_hapaxes=2))
    assert len(scores) == 1
    assert (scores.lambda_g[0], scores.n_tokens[0], scores.n_hapaxes[0]) == (7, 3, 2)
    assert scores.sentence_norms[0] == 5  # of 3 and 4


def test_the_norm_survives_the_smallest_and_largest_numbers() -> None:
    assert sentence_norm([np.array([1e200]), np.array([1e200])]) == pytest.approx(math.sqrt(2) * 1e200)
    assert sentence_norm([np.array([3e-200, 0.0]), np.array([4e-200])]) == pytest.approx(5e-200)
    assert sentence_norm([]) == 0


def test_entries_are_taken_by_place_or_by_condition() -> None:
    trials = scored(same=[1, 2], different=[-1], same_authors=["a", "b"], different_authors=[("a", "b")])
    assert trials.take(np.array([2, 0])).lambda_g.tolist() == [-1, 1]
    kept = trials.take(trials.k_authors == "a")
    assert kept.lambda_g.tolist() == [1, -1]
    assert kept.q_authors.tolist() == ["a", "b"]
    assert type(kept) is type(trials)


def test_trials_have_one_value_and_both_authors_each() -> None:
    trials = scored(same=[1, 2], different=[-1, 3], same_authors=["a", "b"], different_authors=[("a", "b"), ("c", "a")])
    found = trials.trials(trials.lambda_g * 10)
    assert (found.same.tolist(), found.different.tolist()) == ([10, 20], [-10, 30])
    assert found.known_authors == (("a", "b"), (("a", "b"), ("c", "a")))
