"""Impostors: idiolect's distances, pools, ranks and scores where draws are given; else in distribution."""

from pathlib import Path

import numpy as np
import pytest

from golden_comparators import Enron, golden
from idiograph import InputError, auc
from idiograph.evidence.comparators import (
    general_impostors,
    general_weights,
    most_alike,
    rank_based_impostors,
    rank_based_shares,
    ranks_of,
)


def min_max(x, y):
    return 1 - np.minimum(x, y).sum() / np.maximum(x, y).sum()


@pytest.mark.shared
def test_ranks_and_scores_are_idiolects_where_draws_are_given(shared: Path) -> None:
    enron, expected = Enron(shared), golden(shared, "rbi_fixed")
    shares = dict(zip(expected["docs"], rank_based_shares(enron.of(expected["docs"])), strict=True))
    assert [row.sum() for row in shares.values()] == pytest.approx(expected["row_sums"], rel=1e-9)
    for problem in expected["problems"]:
        of_q = shares[problem["Q"]]
        others = enron.impostors(problem["K"], enron.author[problem["Q"]])
        table = np.array([shares[one] for one in others])
        of_k = []
        for candidate in problem["candidates"]:
            known = shares[candidate["known"]]
            pool = [others[number] for number in most_alike(known, table, problem["k"])]
            assert pool == sorted(candidate["pool"], key=others.index)
            features = np.array([one["features0"] for one in candidate["rounds"]])
            drawn = np.array([[pool.index(name) for name in one["impostors"]] for one in candidate["rounds"]])
            found = ranks_of(of_q, known, np.array([shares[name] for name in pool]), features, drawn)
            assert found == [one["rank"] for one in candidate["rounds"]]
            for one, row in zip(candidate["rounds"], features, strict=True):
                assert min_max(of_q[row], known[row]) == pytest.approx(one["dist_k"], rel=1e-9)
            of_k.append(np.mean([1 / rank for rank in found]))
            assert of_k[-1] == pytest.approx(candidate["score"], rel=1e-9)
        assert np.mean(of_k) == pytest.approx(problem["score"], rel=1e-9)


@pytest.mark.shared
def test_rank_based_scores_are_idiolects_in_distribution(shared: Path) -> None:
    enron, expected = Enron(shared), golden(shared, "rbi96")
    found, theirs, same = [], [], []
    for row in expected["table"][:24]:
        reference = enron.of(enron.impostors(row["K"], row["Qauthor"]))
        found.append(rank_based_impostors(enron.text[row["Q"]], enron.of(enron.known[row["K"]]), reference, seed=1))
        theirs.append(row["score"])
        same.append(row["same"])
    # 80 rounds each: the scores' own noise is about 0.03.
    assert np.abs(np.subtract(found, theirs)).mean() < 0.05
    assert np.corrcoef(found, theirs)[0, 1] > 0.95
    is_same = np.array(same)
    assert auc(same=np.array(found)[is_same], different=np.array(found)[~is_same]) > 0.85


@pytest.mark.shared
def test_general_impostors_have_idiolects_weights_distances_and_scores(shared: Path) -> None:
    enron, expected = Enron(shared), golden(shared, "kgi")
    first = expected["table"][0]
    # The text itself in front: its n-grams then stand in its own order, as the golden ones do.
    ids = [first["Q"], *(one for one in enron.text if one != first["Q"])]
    weights = general_weights(enron.of(ids))
    assert weights.shape[1] == expected["n_features"]
    of_q = weights[0]
    nonzero = expected["tfidf_Q1_nonzero"]["value"]
    assert of_q[of_q > 0][: len(nonzero)] == pytest.approx(nonzero, rel=1e-9)
    known = [weights[ids.index(one)] for one in enron.known[first["K"]][:3]]
    assert [min_max(of_q, one) for one in known] == pytest.approx(expected["fJaccard_Q1_first3known"], rel=1e-9)
    for row in expected["table"]:
        reference = enron.of(enron.impostors(row["K"], row["Qauthor"]))
        found = general_impostors(enron.text[row["Q"]], enron.of(enron.known[row["K"]]), reference, seed=3)
        # A share of 100 rounds has a standard error of at most 0.05; two of them are compared.
        assert abs(found - row["score"]) < 0.2


REFERENCE = ["the cat sat on the mat", "some dogs ran over there", "nobody knows what this was", "it is what it is"]


@pytest.mark.parametrize("method", [rank_based_impostors, general_impostors])
def test_a_text_is_nearest_to_itself_and_the_same_seed_gives_the_same_score(method) -> None:
    assert method("we were here all along", ["we were here all along"], REFERENCE) == 1.0
    found = [method("we saw the cat on a mat", ["the dogs were there"], REFERENCE, seed=seed) for seed in (5, 5)]
    assert found[0] == found[1]
    assert 0.0 <= found[0] <= 1.0


@pytest.mark.parametrize("method", [rank_based_impostors, general_impostors])
def test_too_few_impostors_and_too_short_texts_are_refused(method) -> None:
    with pytest.raises(InputError, match="There are 1 impostors"):
        method("we were here", ["we were there"], REFERENCE[:1])
    with pytest.raises(InputError, match="Text 5 of 6 has no sentence of"):
        method("a. b", ["we were there"], REFERENCE)
