"""The kernels of the comparators, one by one."""

import numpy as np

from idiograph.evidence.kernels import by_appearance, distances, min_max_distance, ranks, rounds_won


def test_n_grams_do_not_run_across_a_break():
    numbers, firsts = by_appearance(np.array([5, 6, -1, 5, 6, 5], np.int32), 2)
    assert numbers.tolist() == [0, -1, -1, 0, 1, -1]
    assert firsts.tolist() == [0, 4]


def test_distances_by_hand():
    one, others = np.array([0.2, 0.0, 0.4]), np.array([[0.1, 0.1, 0.4], [0.2, 0.0, 0.4], [0.0, 0.0, 0.0]])
    assert np.allclose(distances(one, others), [1 - 0.5 / 0.7, 0.0, 1.0])
    assert np.isclose(min_max_distance(one, others[0], np.array([0, 2])), 1 - 0.5 / 0.6)
    assert min_max_distance(one, others[1], np.array([1])) == 1.0


def test_of_equals_the_known_text_has_the_highest_rank_and_wins_no_round():
    q, known = np.array([0.5, 0.5]), np.array([0.5, 0.5])
    pool = np.array([[0.5, 0.5], [0.1, 0.9]])
    features, impostors = np.array([[0, 1], [0, 1]]), np.array([[0, 1], [1, 1]])
    assert ranks(q, known, pool, features, impostors).tolist() == [2, 1]
    assert rounds_won(q, known.reshape(1, -1), pool, features, impostors) == 1
