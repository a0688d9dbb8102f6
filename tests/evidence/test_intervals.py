"""Intervals: authors resampled, the same digits every time, and wider than where trials are resampled."""

from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from idiograph import Calibrator, InputError, auc, cllr, cllr_cal, cllr_min, dev_pav, eer, intervals
from idiograph.evidence.intervals import estimates, over_resamples
from idiograph.evidence.trials import Trials

FloatArray = npt.NDArray[np.float64]


def corpus(n_authors: int = 12, per_author: int = 4, seed: int = 1) -> dict[str, Any]:
    """Every author a few times as both and once against every other; each has ways that move all their trials."""
    rng = np.random.default_rng(seed)
    names = [f"author{i:02}" for i in range(n_authors)]
    like_self, like_others = (dict(zip(names, rng.normal(0, 1, n_authors), strict=True)) for _ in range(2))
    same_authors = [name for name in names for _ in range(per_author)]
    pairs = list(permutations(names, 2))
    return {
        "same": np.array([1 + like_self[name] + rng.normal(0, 0.7) for name in same_authors]),
        "different": np.array([-1 + like_others[a] + like_others[b] + rng.normal(0, 0.7) for a, b in pairs]),
        "same_authors": same_authors,
        "different_authors": pairs,
    }


def trials(given: dict[str, Any]) -> dict[str, FloatArray]:
    return {"same": given["same"], "different": given["different"]}


def test_estimates_are_those_of_the_metrics() -> None:
    given = corpus()
    both = trials(given)
    estimates_of = intervals(**given, resamples=20)
    fit = Calibrator.fit(**both)
    expected = {
        "cllr": cllr(**both),
        "cllr_min": cllr_min(**both),
        "cllr_cal": cllr_cal(**both),
        "eer": eer(**both),
        "auc": auc(**both),
        "dev_pav": dev_pav(**both),
        "same_right": (both["same"] > 0).mean(),
        "different_right": (both["different"] < 0).mean(),
        "shift": fit.intercept,
        "slope": fit.slope,
    }
    assert list(estimates_of) == list(expected)
    assert {name: interval.value for name, interval in estimates_of.items()} == pytest.approx(expected, abs=1e-10)


def test_every_resample_is_the_metric_of_the_trials_as_often_as_drawn() -> None:
    # One resample: its interval reaches from the metric under the drawn weights, drawn here a second time, to that of
    # the trials. Cllr_min and Cllr_cal have their intervals from half samples.
    given = corpus(n_authors=12, per_author=3)
    names = sorted({name for pair in given["different_authors"] for name in pair})
    drawn = np.bincount(np.random.default_rng(7).integers(12, size=12), minlength=12)
    times = dict(zip(names, drawn.tolist(), strict=True))
    by_metric = intervals(**given, resamples=1, seed=7)
    # A trial that counts twice is two trials.
    both = {
        "same": np.repeat(given["same"], [times[name] for name in given["same_authors"]]),
        "different": np.repeat(given["different"], [times[a] * times[b] for a, b in given["different_authors"]]),
    }
    fit = Calibrator.fit(**both)
    resampled = {metric.__name__: metric(**both) for metric in (cllr, eer, auc, dev_pav)}
    resampled |= {"same_right": (both["same"] > 0).mean(), "shift": fit.intercept, "slope": fit.slope}
    for metric, value in resampled.items():
        interval = by_metric[metric]
        assert [interval.low, interval.high] == pytest.approx(sorted([value, interval.value]), abs=1e-9), metric


def test_resampled_authors_make_wider_intervals_than_resampled_trials() -> None:
    given = corpus(n_authors=12, per_author=6)
    by_author = intervals(**given, metrics=["cllr", "auc"], resamples=600)
    rng = np.random.default_rng(0)
    drawn = [{name: rng.choice(values, len(values)) for name, values in trials(given).items()} for _ in range(600)]
    for metric in (cllr, auc):
        interval = by_author[metric.__name__]
        assert interval.low is not None
        assert interval.high is not None
        low, high = np.quantile([metric(**both) for both in drawn], [0.025, 0.975])
        assert interval.high - interval.low > 1.5 * (high - low), metric


def test_the_order_of_the_trials_changes_nothing() -> None:
    given = corpus(n_authors=8)
    turned = {name: values[::-1] for name, values in given.items()}
    for metric, interval in intervals(**given, resamples=100).items():
        again = intervals(**turned, resamples=100, metrics=[metric])[metric]
        assert (again.low, again.high) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_the_same_seed_gives_the_same_digits_and_another_seed_others() -> None:
    given = corpus(n_authors=8)
    first = intervals(**given, resamples=100, seed=3)
    assert intervals(**given, resamples=100, seed=3) == first
    assert intervals(**given, resamples=100, seed=4) != first


def test_a_higher_level_is_wider() -> None:
    given = corpus(n_authors=8)
    narrow, wide = (intervals(**given, metrics=["cllr"], resamples=300, level=level)["cllr"] for level in (0.5, 0.99))
    assert wide.low is not None
    assert narrow.low is not None
    assert wide.high is not None
    assert narrow.high is not None
    assert wide.low < narrow.low < narrow.high < wide.high


def test_resamples_without_a_class_are_counted_and_left_out() -> None:
    # Two authors and one pair: the pair counts only where both were drawn, half of the time.
    by_metric = intervals(
        same=[1.0, 2.0],
        different=[-1.0],
        same_authors=["a", "b"],
        different_authors=[("a", "b")],
        metrics=["cllr", "shift"],
        resamples=400,
    )
    assert 140 < by_metric["cllr"].undefined < 260
    # Separated in every resample: no shift, and no interval of it.
    assert by_metric["shift"].undefined == 400
    assert (by_metric["shift"].value, by_metric["shift"].low, by_metric["shift"].high) == (None, None, None)


def test_silence_has_a_cllr_and_no_shift() -> None:
    given = corpus(n_authors=4)
    silent = {**given, "same": np.zeros(len(given["same"])), "different": np.zeros(len(given["different"]))}
    by_metric = intervals(**silent, resamples=50)
    assert (by_metric["cllr"].low, by_metric["cllr"].high) == pytest.approx((1, 1))
    assert by_metric["shift"].value is None
    assert by_metric["slope"].low is None


def test_intervals_survive_llrs_of_ten_thousand() -> None:
    given = corpus(n_authors=6)
    given["same"] = given["same"].copy()
    given["different"] = given["different"].copy()
    given["same"][:2], given["different"][:2] = (1e4, -1e4), (1e4, -1e4)
    for metric, interval in intervals(**given, resamples=200).items():
        if metric in ("cllr_min", "cllr_cal"):  # six authors are too few for half samples
            assert interval.low is None
            continue
        assert interval.low is not None, metric
        assert interval.high is not None, metric
        assert np.isfinite([interval.low, interval.high]).all(), metric


def test_many_trials_are_taken_in_parts_with_the_same_digits() -> None:
    # 40 authors make 1,560 pairs, so that the resamples no longer fit in one part.
    given = corpus(n_authors=40, per_author=1)
    n = 40
    drawn = np.array([np.bincount(row, minlength=n) for row in np.random.default_rng(0).integers(n, size=(1_500, n))])
    number_of = {name: i for i, name in enumerate(sorted(given["same_authors"]))}
    same = drawn[:, [number_of[name] for name in given["same_authors"]]]
    values = (same * (given["same"] > 0)).sum(axis=1) / same.sum(axis=1)
    estimate = intervals(**given, metrics=["same_right"], resamples=1_500)["same_right"]
    assert [estimate.low, estimate.high] == pytest.approx(np.quantile(values, [0.025, 0.975]).tolist())


def test_what_cannot_be_resampled_is_said() -> None:
    given = corpus(n_authors=4)
    with pytest.raises(InputError, match="no interval for 'accuracy'"):
        intervals(**given, metrics=["accuracy"])
    with pytest.raises(InputError, match="resamples must be a whole number from 1 to 1,000,000, not 0"):
        intervals(**given, resamples=0)
    with pytest.raises(InputError, match=r"level must be a number between 0 and 1, both excluded, not 1\.5"):
        intervals(**given, resamples=10, level=1.5)
    with pytest.raises(InputError, match="The authors of the trials are needed"):
        estimates(Trials.of(same=[1.0], different=[0.0]), resamples=10, seed=0)


def test_without_resamples_there_are_values_alone() -> None:
    trials = Trials.of(**corpus(n_authors=4))
    by_metric = estimates(trials, resamples=0, seed=0)
    assert by_metric["cllr"].value == pytest.approx(cllr(same=trials.same, different=trials.different))
    assert {(estimate.low, estimate.high, estimate.undefined) for estimate in by_metric.values()} == {(None, None, 0)}


def test_an_interval_needs_half_of_the_resamples() -> None:
    undefined = [np.nan] * 5
    estimate = over_resamples(2.0, np.array([1.0, 2.0, 3.0, 4.0, 5.0, *undefined]))
    assert (estimate.low, estimate.high) == (pytest.approx(1.1), pytest.approx(4.9))
    assert over_resamples(2.0, np.array([1.0, 2.0, 3.0, 4.0, *undefined])).low is None
