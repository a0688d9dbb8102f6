"""Bounds with the published validation: by their definition, and never against what a case's own trials say."""

import math
from pathlib import Path

import numpy as np
import pytest
from docs.validation.bounds import trials_text
from hypothesis import given
from hypothesis import strategies as st

from idiograph.evidence.bounds import Bounds, NearTrials, bounds_of, cross_limited, pooled_bounds
from idiograph.evidence.published_trials import PublishedCell, PublishedTrials, read_published
from idiograph.evidence.trials import Trials
from made_trials import scored

KAPPA = 150.0
Weighted = list[tuple[float, float]]  # LLR, weight


def cost(t: float, right: Weighted, wrong: Weighted, added: float) -> float:
    """The normalised Bayes error rate at t ≥ 0; never acting costs 1."""
    missed = (sum(w for x, w in right if x <= t) + added) / (sum(w for _, w in right) + added)
    accepted = (sum(w for x, w in wrong if x > t) + added) / (sum(w for _, w in wrong) + added)
    return missed + math.exp(t) * accepted


def holds(bound: float, right: Weighted, wrong: Weighted, added: float) -> bool:
    """Whether acting costs no more than silence below the bound."""
    grid = np.linspace(0.0, min(bound, 20.0), 400, endpoint=False) if bound else []
    return all(cost(float(t), right, wrong, added) <= 1 + 1e-9 for t in grid)


def ring(same: list[float], different: list[float]) -> Trials:
    """As many authors as trials of a class, each once in both."""
    names = [f"a{i}" for i in range(max(len(same), len(different)))]
    return Trials.of(
        same=same,
        different=different,
        same_authors=names[: len(same)],
        different_authors=[(names[i], names[(i + 1) % len(names)]) for i in range(len(different))],
    )


def published(same: list[float], far: list[float], different: list[float]) -> NearTrials:
    return NearTrials(
        *(array for values in (same, far, different) for array in (np.array(values, np.float64), np.ones(len(values)))),
        n_authors=len(same),
    )


def scaled(values: list[float]) -> Weighted:
    return [(value, KAPPA / len(values)) for value in values]


def test_by_hand() -> None:
    """12 own authors and 150 published, nobody misleading: e^t·(0 + 1)/(162 + 1) = 1 − 1/163 at e^t = 162."""
    own = ring([9.0] * 12, [-9.0] * 12)
    bounds = pooled_bounds(own, published([9.0] * 300, [9.0] * 100, [-9.0] * 500))
    assert math.exp(bounds.upper) == pytest.approx(162)
    assert math.exp(-bounds.lower) == pytest.approx(162)
    assert (bounds.n_authors, bounds.n_published) == (12, 300)
    assert bounds.alone is not None
    assert math.exp(bounds.alone[1]) == pytest.approx(12)


def test_far_draws_alone_hold_the_lower_bound() -> None:
    own = ring([9.0] * 12, [-9.0] * 12)
    near, low = [9.0] * 90, [-1.0] * 10
    easy = pooled_bounds(own, published(near + low, [9.0] * 10, [-9.0] * 100))
    hard = pooled_bounds(own, published(near + low, [9.0] * 5 + low[:5], [-9.0] * 100))
    assert easy.upper == hard.upper
    assert math.exp(-easy.lower) == pytest.approx(162)
    assert -hard.lower < -easy.lower / 2


def test_own_trials_are_never_overruled() -> None:
    """Half of the own different authors score 3: whatever others do, nothing that high is borne out."""
    own = ring([9.0] * 12, [-9.0] * 6 + [3.0] * 6)
    many = published([9.0] * 100, [9.0] * 100, [-9.0] * 1_000)
    bounds = pooled_bounds(own, many)
    # Alone and without an added trial: e^t · 6/12 = 1.
    assert math.exp(bounds.upper) == pytest.approx(2)
    # Where no own different author lies above, the published decide.
    assert pooled_bounds(ring([9.0] * 12, [-9.0] * 12), many).upper > bounds.upper


llrs = st.lists(st.integers(-12, 12).map(lambda i: i / 4), min_size=2, max_size=6)


@given(llrs, llrs, llrs, llrs, llrs)
def test_they_are_the_largest_that_both_criteria_allow(
    same: list[float], different: list[float], others: list[float], far: list[float], wrong: list[float]
) -> None:
    own = ring(same, different)
    bounds = pooled_bounds(own, published(others, far, wrong))
    weights = {}
    for name, authors in (("same", own.same_authors), ("different", own.different_authors)):
        assert authors is not None
        flat = [(pair,) if isinstance(pair, str) else pair for pair in authors]
        count = {author: sum(author in pair for pair in flat) for pair in flat for author in pair}
        weights[name] = [min(1.0, sum(1 / count[author] for author in set(pair))) for pair in flat]
    own_same = list(zip(same, weights["same"], strict=True))
    own_different = list(zip(different, weights["different"], strict=True))
    for sign, bound, right, wronged in (
        (1, bounds.upper, (own_same, scaled(others)), (own_different, scaled(wrong))),
        (-1, -bounds.lower, (own_different, scaled(wrong)), (own_same, scaled(far))),
    ):
        turned = [[[(sign * x, w) for x, w in part] for part in sides] for sides in (right, wronged)]
        pooled, alone = ([sides[0] + sides[1] for sides in turned], [sides[0] for sides in turned])
        assert holds(bound, *pooled, added=1.0)
        assert holds(bound, *alone, added=0.0)
        above = bound + 1e-6
        assert cost(above, *pooled, added=1.0) > 1 - 1e-6 or cost(above, *alone, added=0.0) > 1 - 1e-6


def cell(corpus: str, k_tokens: int, *, upward: float = 3.0) -> PublishedCell:
    """Three authors, each drawn in three ways, and each against the two others."""
    pairs = tuple((q, k) for q in range(3) for k in range(3) if q != k)
    return PublishedCell(
        corpus=corpus,
        k_tokens=k_tokens,
        same_authors=(0, 1, 2) * 3,
        draws=("near",) * 3 + ("random",) * 3 + ("far",) * 3,
        different_authors=pairs,
        same={"controlled": np.array([upward] * 6 + [-0.5] * 3)},
        different={"controlled": np.full(6, -2.0)},
    )


def test_only_trials_of_the_method_with_a_k_about_as_long_are_taken() -> None:
    trials = PublishedTrials((cell("one", 500), cell("two", 1_000), cell("two", 3_000)), "made up", "0" * 64)
    assert trials.near("sentence", 1_000) is None
    assert trials.near("controlled", 10_000) is None
    near = trials.near("controlled", 1_000)  # ln 2 is 0.69, ln 3 is 1.1
    assert near is not None
    assert (near.same.size, near.far.size, near.different.size, near.n_authors) == (18, 6, 12, 6)
    assert near.same_weights.tolist() == pytest.approx([1 / 3] * 18)
    assert near.far_weights.tolist() == [1.0] * 6
    # Each author is in four pairs, a pair has two.
    assert near.different_weights.tolist() == pytest.approx([0.5] * 12)
    assert near.far.tolist() == [-0.5] * 6
    without = trials.near("controlled", 1_000, without="one")
    assert without is not None
    assert without.n_authors == 3


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "trials.json"
    path.write_text(trials_text([cell("one", 1_000, upward=1.234)], source="made up"), encoding="utf-8")
    again = read_published(path)
    assert again is not None
    assert again.source == "made up"
    (found,) = again.cells
    assert found.same["controlled"].tolist() == [1.23] * 6 + [-0.5] * 3
    assert (found.corpus, found.k_tokens, found.draws[-1]) == ("one", 1_000, "far")
    assert read_published(tmp_path / "none.json") is None


def test_a_validation_is_limited_by_the_bounds_that_its_case_has() -> None:
    names = [f"a{i}" for i in range(12)]
    pairs = [(name, names[(i + 1) % 12]) for i, name in enumerate(names)]
    trials = scored(same=[3.0] * 12, different=[-3.0] * 12, same_authors=names, different_authors=pairs)
    nats = np.where(trials.same_author, 3.0, -3.0)

    def tight(_: Trials) -> Bounds:
        return Bounds(-0.5, 0.25, 12)

    limited = cross_limited(trials, nats, by=tight)
    assert limited is not None
    assert set(limited.tolist()) == {-0.5, 0.25}
    assert bounds_of(trials.trials(nats)).alone is None
