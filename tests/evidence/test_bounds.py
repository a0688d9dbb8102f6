"""Bounds counted in authors: by hand, by their definition, as lir finds them, and with the published validation."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from docs.validation.bounds import trials_text
from hypothesis import given
from hypothesis import strategies as st

from idiograph import LLR, InputError, elub
from idiograph.evidence.bounds import Bounds, NearTrials, author_weights, bounds_of, cross_limited, pooled_bounds
from idiograph.evidence.published_trials import PublishedCell, PublishedTrials, read_published
from idiograph.evidence.trials import Trials
from made_trials import scored

LN10 = math.log(10)
LIR = json.loads((Path(__file__).parents[1] / "data" / "lir_frozen.json").read_text(encoding="utf-8"))["vectors"]
KAPPA = 150.0
Weighted = list[tuple[float, float]]  # LLR, weight
llrs = st.lists(st.integers(-12, 12).map(lambda i: i / 4), min_size=1, max_size=8)


def ring(n: int) -> tuple[list[str], list[tuple[str, str]]]:
    """n authors, each once against himself and once against the next."""
    names = [f"author{i}" for i in range(n)]
    return names, [(name, names[(i + 1) % n]) for i, name in enumerate(names)]


def cost(t: float, right: Weighted, wrong: Weighted, added: float = 1.0) -> float:
    """The normalised Bayes error rate at threshold t ≥ 0; never acting costs 1."""
    missed = (sum(w for x, w in right if x <= t) + added) / (sum(w for _, w in right) + added)
    accepted = (sum(w for x, w in wrong if x > t) + added) / (sum(w for _, w in wrong) + added)
    return missed + math.exp(t) * accepted


def holds(bound: float, right: Weighted, wrong: Weighted, added: float = 1.0) -> bool:
    """Whether acting costs no more than silence below the bound."""
    grid = np.linspace(0.0, min(bound, 20.0), 400, endpoint=False) if bound else []
    return all(cost(float(t), right, wrong, added) <= 1 + 1e-9 for t in grid)


def test_fourteen_authors_support_about_fourteen() -> None:
    # No misleading trial: cost = 1/15 + e^t/15 reaches 1 at e^t = 14.
    names, pairs = ring(14)
    bounds = elub(same=[9.0] * 14, different=[-9.0] * 14, same_authors=names, different_authors=pairs)
    assert math.exp(bounds.upper) == pytest.approx(14)
    assert math.exp(-bounds.lower) == pytest.approx(14)
    assert bounds.n_authors == 14


def test_more_trials_of_the_same_authors_support_no_more() -> None:
    names, pairs = ring(14)
    bounds = elub(same=[9.0] * 140, different=[-9.0] * 140, same_authors=names * 10, different_authors=pairs * 10)
    assert math.exp(bounds.upper) == pytest.approx(14)
    by_trials = elub(same=[9.0] * 140, different=[-9.0] * 140)
    assert math.exp(by_trials.upper) == pytest.approx(140)
    assert by_trials.n_authors is None


def test_a_trial_weighs_what_its_authors_give_it() -> None:
    # a is in three trials, b in two, c in two, d in one: 1/3 + 1/2, 1/3 + 1/2, 1/2 + 1/2, and 1/3 + 1 cut to 1.
    pairs = [("a", "b"), ("a", "c"), ("b", "c"), ("a", "d")]
    assert author_weights(pairs) == pytest.approx([5 / 6, 5 / 6, 1, 1])
    assert author_weights([("a",), ("a",), ("b",)]) == pytest.approx([0.5, 0.5, 1])
    # Two strangers make one trial, not two.
    assert author_weights([("a", "b")]) == pytest.approx([1])


def test_one_misleading_author_lowers_the_bound() -> None:
    names, pairs = ring(14)
    misled = [-9.0] * 13 + [5.0]
    bounds = elub(same=[9.0] * 14, different=misled, same_authors=names, different_authors=pairs)
    # cost = 1/15 + e^t · 2/15 reaches 1 at e^t = 7, below the misleading LLR.
    assert math.exp(bounds.upper) == pytest.approx(7)


def test_no_bound_lies_beyond_the_llrs_themselves() -> None:
    bounds = elub(same=[0.5] * 50, different=[-0.25] * 50)
    assert (bounds.lower, bounds.upper) == (-0.25, 0.5)


def test_useless_llrs_support_nothing() -> None:
    bounds = elub(same=[1, -1, 2, -2], different=[1, -1, 2, -2])
    assert (bounds.lower, bounds.upper) == (0, 0)
    assert math.copysign(1, bounds.lower) == 1


@given(llrs, llrs)
def test_the_bound_is_where_acting_begins_to_cost_more(same: list[float], different: list[float]) -> None:
    bounds = elub(same=same, different=different)
    assert bounds.lower <= 0 <= bounds.upper
    for bound, right, wrong in (
        (bounds.upper, [(x, 1.0) for x in same], [(x, 1.0) for x in different]),
        (-bounds.lower, [(-x, 1.0) for x in different], [(-x, 1.0) for x in same]),
    ):
        assert holds(bound, right, wrong)
        assert cost(bound + 1e-9, right, wrong) > 1 - 1e-7


@pytest.mark.parametrize("name", sorted(LIR))
def test_counted_in_trials_the_bounds_are_those_of_lir(name: str) -> None:
    frozen = LIR[name]
    bounds = elub(**{kind: np.array(frozen[f"{kind}_log10"]) * LN10 for kind in ("same", "different")})
    # lir searches a grid of 0.01 and goes back one step.
    assert [bounds.lower / LN10, bounds.upper / LN10] == pytest.approx(frozen["elub_log10"], abs=0.0101)


def test_llrs_of_ten_thousand_have_bounds() -> None:
    bounds = elub(same=[1e4] * 5, different=[-1e4] * 5)
    assert math.exp(bounds.upper) == pytest.approx(5)


def test_an_llr_beyond_the_bound_is_reported_at_it() -> None:
    bounds = elub(same=[9.0] * 14, different=[-9.0] * 14)
    reported = bounds.limited(LLR.of(12.0, "bits", how="hapax"))
    assert reported.lr == pytest.approx(14)
    assert reported.value == pytest.approx(math.log2(14))
    assert (reported.unit, reported.how) == ("bits", "hapax")
    assert bounds.limited(LLR.of(-12.0, "bits", how="hapax")).lr == pytest.approx(1 / 14)


def test_an_llr_within_the_bounds_stays_as_it_is() -> None:
    computed = LLR.of(1.5, "bits", how="hapax")
    assert elub(same=[9.0] * 14, different=[-9.0] * 14).limited(computed) is computed


def test_authors_are_given_for_all_or_none() -> None:
    with pytest.raises(InputError, match="authors of one class are given"):
        elub(same=[1], different=[0], same_authors=["a"])


def test_bounds_that_a_trial_is_judged_with_come_from_other_authors() -> None:
    names = [f"author{i}" for i in range(10)]
    rng = np.random.default_rng(0)
    pairs = [(k, q) for q in names for k in names if q != k]
    trials = scored(
        same=rng.normal(3, 2, 10).tolist(), different=rng.normal(-3, 2, 90).tolist(), same_authors=names,
        different_authors=pairs,
    )  # fmt: skip
    nats = trials.lambda_g * 0.8
    limited = cross_limited(trials, nats)
    assert limited is not None
    assert np.any(limited != nats)
    everyone = list(zip(trials.k_authors, trials.q_authors, strict=True))
    for trial in range(0, 100, 7):
        # Another LLR for every trial of the two authors' own folds changes nothing about their limits.
        folds = {names.index(author) % 5 for author in everyone[trial]}
        rest = [i for i, (k, q) in enumerate(everyone) if not folds & {names.index(k) % 5, names.index(q) % 5}]
        bounds = elub(
            same=[nats[i] for i in rest if everyone[i][0] == everyone[i][1]],
            different=[nats[i] for i in rest if everyone[i][0] != everyone[i][1]],
            same_authors=[everyone[i][0] for i in rest if everyone[i][0] == everyone[i][1]],
            different_authors=[everyone[i] for i in rest if everyone[i][0] != everyone[i][1]],
        )
        assert limited[trial] == min(max(nats[trial], bounds.lower), bounds.upper)


def test_too_few_authors_for_folds_limit_nothing() -> None:
    few = scored(same=[1, 2], different=[-1, -2], same_authors=["a", "b"], different_authors=[("a", "b"), ("b", "a")])
    assert cross_limited(few, few.lambda_g) is None


def ring_of(same: list[float], different: list[float]) -> Trials:
    """As many authors as trials of a class, each once in both."""
    names, pairs = ring(max(len(same), len(different)))
    return Trials.of(
        same=same, different=different, same_authors=names[: len(same)], different_authors=pairs[: len(different)]
    )


def published(same: list[float], far: list[float], different: list[float]) -> NearTrials:
    weighted = ((np.array(nats, np.float64), np.ones(len(nats))) for nats in (same, far, different))
    return NearTrials(*weighted, n_authors=len(same))


def scaled(values: list[float]) -> Weighted:
    return [(value, KAPPA / len(values)) for value in values]


def test_with_the_published_trials_by_hand() -> None:
    """12 own authors and 150 published, nobody misleading: e^t·(0 + 1)/(162 + 1) = 1 − 1/163 at e^t = 162."""
    trials = ring_of([9.0] * 12, [-9.0] * 12)
    bounds = pooled_bounds(trials, published([9.0] * 300, [9.0] * 100, [-9.0] * 500))
    assert math.exp(bounds.upper) == pytest.approx(162)
    assert math.exp(-bounds.lower) == pytest.approx(162)
    assert (bounds.n_authors, bounds.n_published) == (12, 300)
    assert bounds.alone is not None
    assert math.exp(bounds.alone[1]) == pytest.approx(12)


def test_far_draws_alone_hold_the_lower_bound() -> None:
    trials = ring_of([9.0] * 12, [-9.0] * 12)
    near, low = [9.0] * 90, [-1.0] * 10
    easy = pooled_bounds(trials, published(near + low, [9.0] * 10, [-9.0] * 100))
    hard = pooled_bounds(trials, published(near + low, [9.0] * 5 + low[:5], [-9.0] * 100))
    assert easy.upper == hard.upper
    assert math.exp(-easy.lower) == pytest.approx(162)
    assert -hard.lower < -easy.lower / 2


def test_own_trials_are_never_overruled() -> None:
    """Half of the own different authors score 3: whatever others do, nothing that high is borne out."""
    trials = ring_of([9.0] * 12, [-9.0] * 6 + [3.0] * 6)
    many = published([9.0] * 100, [9.0] * 100, [-9.0] * 1_000)
    bounds = pooled_bounds(trials, many)
    # Alone and without an added trial: e^t · 6/12 = 1.
    assert math.exp(bounds.upper) == pytest.approx(2)
    # Where no own different author lies above, the published decide.
    assert pooled_bounds(ring_of([9.0] * 12, [-9.0] * 12), many).upper > bounds.upper


few_llrs = st.lists(st.integers(-12, 12).map(lambda i: i / 4), min_size=2, max_size=6)


@given(few_llrs, few_llrs, few_llrs, few_llrs, few_llrs)
def test_they_are_the_largest_that_both_criteria_allow(
    same: list[float], different: list[float], others: list[float], far: list[float], wrong: list[float]
) -> None:
    trials = ring_of(same, different)
    bounds = pooled_bounds(trials, published(others, far, wrong))
    weights = {}
    for name, authors in (("same", trials.same_authors), ("different", trials.different_authors)):
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
    assert near.n_authors == 6
    assert [nats.tolist() for nats, _ in (near.same, near.far, near.different)] == [
        ([3.0] * 6 + [-0.5] * 3) * 2, [-0.5] * 6, [-2.0] * 12,
    ]  # fmt: skip
    assert near.same[1].tolist() == pytest.approx([1 / 3] * 18)
    assert near.far[1].tolist() == [1.0] * 6
    # Each author is in four pairs, a pair has two.
    assert near.different[1].tolist() == pytest.approx([0.5] * 12)
    without = trials.near("controlled", 1_000, without="one")
    assert without is not None
    assert without.n_authors == 3


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "trials.json"
    path.write_text(trials_text([cell("one", 1_000, upward=1.234)], source="made up"), encoding="utf-8")
    again = read_published(path)
    assert again is not None
    assert again.source == "made up"
    (read,) = again.cells
    assert read.same["controlled"].tolist() == [1.23] * 6 + [-0.5] * 3
    assert (read.corpus, read.k_tokens, read.draws[-1]) == ("one", 1_000, "far")
    assert read_published(tmp_path / "none.json") is None


def test_a_validation_is_limited_by_the_bounds_that_its_case_has() -> None:
    names, pairs = ring(12)
    trials = scored(same=[3.0] * 12, different=[-3.0] * 12, same_authors=names, different_authors=pairs)
    nats = np.where(trials.same_author, 3.0, -3.0)

    def tight(_: Trials) -> Bounds:
        return Bounds(-0.5, 0.25, 12)

    limited = cross_limited(trials, nats, by=tight)
    assert limited is not None
    assert set(limited.tolist()) == {-0.5, 0.25}
    assert bounds_of(trials.trials(nats)).alone is None
