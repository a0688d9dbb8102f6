"""D²: how far a case lies from its reference, by hand."""

import json
from importlib.resources import files

import numpy as np
import pytest

from idiograph.evidence.kinds import apart_from_reference, rule_for
from idiograph.evidence.matrix import Matrix


def z_by_hand(scores: np.ndarray, n: int) -> tuple[float, float]:
    """Of the last row and column, by the n authors before them."""
    z = []
    for turned in (scores, scores.T):
        means = [np.mean([turned[i, j] for j in range(n) if j != i]) for i in range(n)]
        z.append((turned[n, :n].mean() - np.mean(means)) / np.std(means, ddof=1))
    return z[0], z[1]


def matrix(seed: int, n: int = 11, *, closeness: bool = True) -> Matrix:
    rng = np.random.default_rng(seed)
    close = rng.uniform(0.01, 0.4, (n + 1, n + 1)) if closeness else None
    scores = {name: rng.normal(size=(n + 1, n + 1)) for name in ("distinct", "cosine", "typing")}
    return Matrix(scores, range(n), closeness=close)


@pytest.mark.parametrize("closeness", [True, False])
def test_it_is_the_squared_distance_by_what_is_usual(closeness: bool) -> None:
    draws = [matrix(seed, closeness=closeness) for seed in (1, 2)]
    expected = []
    for draw in draws:
        parts = [draw.scores["distinct"], draw.scores["cosine"], *([draw.closeness] if closeness else [])]
        expected.append([z for part in parts for z in z_by_hand(part, 11)])  # type: ignore[arg-type]
    z = np.mean(expected, axis=0)
    apart = apart_from_reference(draws, (11, 11))
    assert list(apart.z.values()) == pytest.approx(z.tolist())
    rules = json.loads((files("idiograph.evidence") / "kinds.json").read_text(encoding="utf-8"))["rules"]
    (rule,) = [row for row in rules if row["n_authors"] == 10 and len(row["covariance"]) == len(z)]
    assert apart.distance == pytest.approx(z @ np.linalg.solve(np.array(rule["covariance"]), z))
    assert (apart.rule.limited, apart.rule.refused) == (rule["limited"], rule["refused"])


def test_the_sides_that_lie_furthest_are_named() -> None:
    draw = matrix(3)
    draw.scores["cosine"][11, :11] += 5
    assert apart_from_reference([draw], (11, 11)).most[0] == "Q by phrases"
    assert len(apart_from_reference([matrix(4)], (11, 11)).most) == 1  # none beyond 2 sd: the one furthest


def test_authors_who_are_all_alike_measure_nothing() -> None:
    draw = matrix(5)
    assert draw.closeness is not None
    draw.closeness[:11, :11] = 0.0
    z = apart_from_reference([draw], (11, 11)).z
    assert z["Q by content words"] == z["K by content words"] == 0.0


@pytest.mark.parametrize(("n", "near"), [(5, 10), (12, 10), (13, 15), (20, 24), (30, 24), (32, 40), (500, 40)])
def test_the_rule_is_that_of_the_nearest_number_of_authors_in_ratios(n: int, near: int) -> None:
    assert rule_for(n, 6)[0].n_authors == near
