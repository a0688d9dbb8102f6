"""Bounds counted in authors: by hand, by their definition, and as lir finds them."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph import LLR, InputError, elub
from idiograph.evidence.bounds import author_weights, cross_limited
from made_trials import scored

LN10 = math.log(10)
LIR = json.loads((Path(__file__).parents[1] / "data" / "lir_frozen.json").read_text(encoding="utf-8"))["vectors"]
llrs = st.lists(st.integers(-12, 12).map(lambda i: i / 4), min_size=1, max_size=8)


def ring(n: int) -> tuple[list[str], list[tuple[str, str]]]:
    """n authors, each once against himself and once against the next."""
    names = [f"author{i}" for i in range(n)]
    return names, [(name, names[(i + 1) % n]) for i, name in enumerate(names)]


def cost_of_acting(t: float, right: list[float], wrong: list[float]) -> float:
    """The normalised Bayes error rate at threshold t ≥ 0 with one misleading trial in each class."""
    missed = (sum(x <= t for x in right) + 1) / (len(right) + 1)
    accepted = (sum(x > t for x in wrong) + 1) / (len(wrong) + 1)
    return missed + math.exp(t) * accepted


def test_fourteen_authors_support_about_fourteen() -> None:
    # No misleading trial: cost = 1/15 + e^t/15 reaches 1 at e^t = 14.
    own, pairs = ring(14)
    bounds = elub(same=[9.0] * 14, different=[-9.0] * 14, same_authors=own, different_authors=pairs)
    assert math.exp(bounds.upper) == pytest.approx(14)
    assert math.exp(-bounds.lower) == pytest.approx(14)
    assert bounds.n_authors == 14


def test_more_trials_of_the_same_authors_support_no_more() -> None:
    own, pairs = ring(14)
    bounds = elub(same=[9.0] * 140, different=[-9.0] * 140, same_authors=own * 10, different_authors=pairs * 10)
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
    own, pairs = ring(14)
    misled = [-9.0] * 13 + [5.0]
    bounds = elub(same=[9.0] * 14, different=misled, same_authors=own, different_authors=pairs)
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
        (bounds.upper, same, different),
        (-bounds.lower, [-x for x in different], [-x for x in same]),
    ):
        steps = np.linspace(0, bound, 60, endpoint=False) if bound > 0 else []
        assert all(cost_of_acting(float(t), right, wrong) <= 1 + 1e-9 for t in steps)
        assert cost_of_acting(bound + 1e-9, right, wrong) > 1 - 1e-7


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
    with pytest.raises(InputError, match="1 same-author trials and the authors of 2"):
        elub(same=[1], different=[0], same_authors=["a", "b"], different_authors=[("a", "b")])


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
    for place in range(0, 100, 7):
        # Another LLR for every trial of the two authors' own folds changes nothing about their limits.
        folds = {names.index(author) % 5 for author in everyone[place]}
        rest = [i for i, (k, q) in enumerate(everyone) if not folds & {names.index(k) % 5, names.index(q) % 5}]
        found = elub(
            same=[nats[i] for i in rest if everyone[i][0] == everyone[i][1]],
            different=[nats[i] for i in rest if everyone[i][0] != everyone[i][1]],
            same_authors=[everyone[i][0] for i in rest if everyone[i][0] == everyone[i][1]],
            different_authors=[everyone[i] for i in rest if everyone[i][0] != everyone[i][1]],
        )
        assert limited[place] == min(max(nats[place], found.lower), found.upper)


def test_too_few_authors_for_folds_limit_nothing() -> None:
    few = scored(same=[1, 2], different=[-1, -2], same_authors=["a", "b"], different_authors=[("a", "b"), ("b", "a")])
    assert cross_limited(few, few.lambda_g) is None
