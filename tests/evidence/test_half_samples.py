"""Intervals of Cllr_min and Cllr_cal: they contain what they are intervals of, and cover as often as they promise."""

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from idiograph import cllr, cllr_min, intervals
from idiograph.evidence.half_samples import _costs, _Sorted, half_sampled
from idiograph.evidence.trials import Trials


def drawn(rng: np.random.Generator, authors: int, pairs: int, *, apart: float, leaning: float) -> Trials:
    """An LLR is its authors' leaning and chance; each author has one same-author trial and `pairs` others."""
    q_effect, k_effect = rng.normal(0, 0.5, (2, authors))
    numbers = np.arange(authors)
    same = q_effect + k_effect + rng.normal(0, 0.8, authors) + apart + leaning
    first = np.tile(numbers, pairs)
    second = np.concatenate([(numbers + step) % authors for step in range(1, pairs + 1)])
    different = q_effect[first] + k_effect[second] + rng.normal(0, 0.8, first.size) + leaning
    return Trials(
        same,
        different,
        tuple(f"a{number:02}" for number in numbers),
        tuple((f"a{a:02}", f"a{b:02}") for a, b in zip(first, second, strict=True)),
    )


def many(n: int, **how: float) -> Iterator[Trials]:
    rng = np.random.default_rng(11)
    for _ in range(n):
        yield drawn(rng, 30, pairs=int(how["pairs"]), apart=how["apart"], leaning=how["leaning"])


# Cllr_min and Cllr_cal of three times 1,500 authors, each with each: what an interval is to cover.
@pytest.mark.parametrize(
    ("pairs", "apart", "leaning", "true_min", "true_cal"),
    [(1, 1.8, 0.3, 0.605, 0.225), (4, 1.3, 0.3, 0.762, 0.133)],
)
def test_of_a_thousand_studies_with_thirty_authors_about_95_per_cent_are_right(
    pairs: int, apart: float, leaning: float, true_min: float, true_cal: float
) -> None:
    sampled = [half_sampled(trials, samples=100) for trials in many(1_000, pairs=pairs, apart=apart, leaning=leaning)]
    given = [limits for limits in sampled if limits]
    assert len(given) > 950
    for metric, true in (("cllr_min", true_min), ("cllr_cal", true_cal)):
        covered = np.mean([limits[metric][0] <= true <= limits[metric][1] for limits in given])
        assert 0.92 <= covered <= 0.98


def test_an_interval_contains_its_own_estimate() -> None:
    for trials in many(60, pairs=1, apart=1.8, leaning=0.3):
        lowest = cllr_min(same=trials.same, different=trials.different)
        estimates = {"cllr_min": lowest, "cllr_cal": cllr(same=trials.same, different=trials.different) - lowest}
        for metric, (low, high) in half_sampled(trials).items():
            assert low - 1e-12 <= estimates[metric] <= high + 1e-12


def test_the_costs_are_those_of_the_metrics_and_ties_are_pooled() -> None:
    trials = next(many(1, pairs=3, apart=1.8, leaning=0.3))
    trials = replace(trials, same=np.round(trials.same), different=np.round(trials.different))
    by_llr = _Sorted.of(trials)
    everyone = np.ones((1, len(trials.authors)), bool)
    costs = np.logaddexp(0, np.where(by_llr.same, -by_llr.llrs, by_llr.llrs)) / np.log(2)
    (figures,), pav_costs = _costs(by_llr.llrs, by_llr.same, by_llr.first, by_llr.second, costs, everyone)
    assert figures[:2].tolist() == [30, 90]
    assert figures[2] == pytest.approx(cllr(same=trials.same, different=trials.different), rel=1e-12)
    assert figures[3] == pytest.approx(cllr_min(same=trials.same, different=trials.different), rel=1e-12)
    means = [pav_costs[by_llr.same].mean(), pav_costs[~by_llr.same].mean()]
    assert np.mean(means) == pytest.approx(figures[3], rel=1e-12)


def together(psi: Sequence[float], first: Sequence[object], second: Sequence[object]) -> float:
    """Σ ψ·ψ′ over every two trials that share an author, one after another."""
    authors = [{*pair} for pair in zip(first, second, strict=True)]
    return sum(psi[i] * psi[j] for i, pair in enumerate(authors) for j, other in enumerate(authors) if pair & other)


def lowest_costs(llrs: Sequence[float], same: Sequence[bool]) -> list[float]:
    """Each trial's cost in bits at the LLR that pooling adjacent violators gives it, of LLRs in order without ties."""
    n = [sum(same), len(same) - sum(same)]
    blocks = [[i] for i in range(len(llrs))]

    def share(block: list[int]) -> float:
        return sum(same[i] for i in block) / len(block)

    at = 0
    while at + 1 < len(blocks):
        if share(blocks[at]) >= share(blocks[at + 1]):
            blocks[at : at + 2] = [blocks[at] + blocks[at + 1]]
            at = max(at - 1, 0)
        else:
            at += 1
    costs = [0.0] * len(llrs)
    for block in blocks:
        s = sum(same[i] for i in block) / n[0]
        d = (len(block) - sum(same[i] for i in block)) / n[1]
        for i in block:
            costs[i] = math.log2((s + d) / (s if same[i] else d))
    return costs


@pytest.mark.parametrize(("apart", "leaning"), [(1.2, 0.6), (2.2, 0.3)])
def test_an_interval_by_the_formulas_of_the_docstring(apart: float, leaning: float) -> None:
    """Written out with plain loops; only the draws are the same. Student's quantile is here the exact one."""
    trials = next(many(1, pairs=3, apart=apart, leaning=leaning))
    same_authors, different_authors = trials.known_authors
    pairs = [*zip(same_authors, same_authors, strict=True), *different_authors]
    rows = sorted(zip([*trials.same, *trials.different], [a == b for a, b in pairs], pairs, strict=True))
    llrs, same = [row[0] for row in rows], [row[1] for row in rows]
    first, second = [row[2][0] for row in rows], [row[2][1] for row in rows]
    names = sorted({*first, *second})
    n, n_same, n_different = len(names), sum(same), len(same) - sum(same)

    def rho(m: int) -> float:
        share_same, share_different = m / n, m * (m - 1) / (n * (n - 1))
        return (1 / (n_same * share_same) + 1 / (n_different * share_different)) / (1 / n_same + 1 / n_different)

    m = min(range(n // 2, n), key=lambda m: abs(rho(m) - 2))
    costs = [math.log2(1 + math.exp(-llr if is_same else llr)) for llr, is_same in zip(llrs, same, strict=True)]
    at_pav = lowest_costs(llrs, same)

    def by_class(values: Sequence[float], of: Sequence[bool]) -> float:
        classes = [
            [value for value, of_value in zip(values, of, strict=True) if of_value is kind] for kind in (True, False)
        ]
        return statistics.fmean(map(statistics.fmean, classes))

    rng, halves = np.random.default_rng(0), []
    for _ in range(30):
        drawn = {names[at] for at in rng.permutation(n)[:m]}
        kept = [i for i in range(len(llrs)) if {first[i], second[i]} <= drawn]
        of = [same[i] for i in kept]
        values = (
            by_class([costs[i] for i in kept], of),
            by_class(lowest_costs([llrs[i] for i in kept], of), of),
            by_class([at_pav[i] for i in kept], of),
        )
        halves.append((sum(of), len(of) - sum(of), *values))
    ratio = statistics.fmean(1 / half[0] + 1 / half[1] for half in halves) / (1 / n_same + 1 / n_different)
    gain = ratio ** (2 / 3) - 1

    def corrected(
        estimate: float, over: Sequence[float], linear: Sequence[float], each: Sequence[float]
    ) -> tuple[float, float]:
        middle = {
            kind: statistics.fmean(e for e, k in zip(each, same, strict=True) if k == kind) for kind in (True, False)
        }
        psi = [(e - middle[k]) / (2 * (n_same if k else n_different)) for e, k in zip(each, same, strict=True)]
        inflated = together(psi, first, second) / statistics.variance(linear)
        spread = statistics.stdev(over) * math.sqrt(min(max(inflated, 0.2), m / (n - m)))
        return estimate + (estimate - statistics.fmean(over)) / gain, 1.25 * float(t.ppf(0.975, n - 1)) * spread

    whole, lowest = by_class(costs, same), by_class(at_pav, same)
    rest, limits = whole - lowest, half_sampled(trials, samples=30)
    c, width = corrected(lowest, [h[3] for h in halves], [h[4] for h in halves], at_pav)
    if c >= 0.5:
        low, high = c - width, min(c + width, 1.0)
    else:
        step = width / (c * (1 - c))
        low, high = (1 / (1 + math.exp(-(math.log(c / (1 - c)) + sign * step))) for sign in (-1, 1))
    assert limits["cllr_min"] == pytest.approx((min(low, lowest), max(high, lowest)), rel=5e-4)
    calibrating = [cost - pav for cost, pav in zip(costs, at_pav, strict=True)]
    c, width = corrected(rest, [h[2] - h[3] for h in halves], [h[2] - h[4] for h in halves], calibrating)
    assert limits["cllr_cal"] == pytest.approx((min(max(c - width, 0), rest), max(c + width, rest)), rel=5e-4)


def test_neither_order_nor_names_of_trials_matter_and_the_seed_does() -> None:
    trials = next(many(1, pairs=2, apart=1.8, leaning=0.3))
    same_authors, different_authors = trials.known_authors
    reversed_trials = Trials(trials.same[::-1], trials.different[::-1], same_authors[::-1], different_authors[::-1])
    limits = half_sampled(trials)
    assert limits
    assert half_sampled(reversed_trials) == limits
    assert half_sampled(trials, seed=1) != limits


def test_few_authors_or_hardly_any_error_leave_no_interval() -> None:
    rng = np.random.default_rng(1)
    assert half_sampled(drawn(rng, 19, 3, apart=0.5, leaning=0)) == {}
    assert half_sampled(drawn(rng, 20, 3, apart=0.5, leaning=0)).keys() == {"cllr_min", "cllr_cal"}
    assert half_sampled(drawn(rng, 30, 3, apart=20.0, leaning=0)) == {}
    assert half_sampled(drawn(rng, 30, 3, apart=3.5, leaning=0)) == {}


def test_intervals_take_them_and_only_at_their_level() -> None:
    trials = next(many(1, pairs=2, apart=1.8, leaning=0.3))
    given = {
        "same": trials.same,
        "different": trials.different,
        "same_authors": trials.same_authors,
        "different_authors": trials.different_authors,
    }
    estimates = intervals(**given, metrics=["cllr_min", "cllr_cal"], resamples=10)  # type: ignore[arg-type]
    assert {name: (estimate.low, estimate.high) for name, estimate in estimates.items()} == half_sampled(trials)
    other = intervals(**given, metrics=["cllr_min"], resamples=10, level=0.9)  # type: ignore[arg-type]
    assert other["cllr_min"].low is None
