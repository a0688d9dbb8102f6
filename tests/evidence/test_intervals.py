"""Intervals: authors resampled, the same digits every time, and wider than where trials are resampled."""

from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from idiograph import InputError, auc, cllr, cllr_cal, cllr_min, dev_pav, eer, intervals
from idiograph.evidence.calibration import Calibrator
from idiograph.evidence.intervals import estimates, over_resamples
from idiograph.evidence.metrics import METRICS
from idiograph.evidence.trials import Trials

FloatArray = npt.NDArray[np.float64]


def corpus(n_authors: int = 12, per_author: int = 4, seed: int = 1) -> dict[str, Any]:
    """Every author a few times as both and once against every other; each has ways that move all their trials."""
    rng = np.random.default_rng(seed)
    names = [f"author{i:02}" for i in range(n_authors)]
    like_self, like_others = (dict(zip(names, rng.normal(0, 1, n_authors), strict=True)) for _ in range(2))
    own = [name for name in names for _ in range(per_author)]
    pairs = list(permutations(names, 2))
    return {
        "same": np.array([1 + like_self[name] + rng.normal(0, 0.7) for name in own]),
        "different": np.array([-1 + like_others[a] + like_others[b] + rng.normal(0, 0.7) for a, b in pairs]),
        "same_authors": own,
        "different_authors": pairs,
    }


def trials(made: dict[str, Any]) -> dict[str, FloatArray]:
    return {"same": made["same"], "different": made["different"]}


def test_estimates_are_those_of_the_metrics() -> None:
    made = corpus()
    both = trials(made)
    found = intervals(**made, resamples=20)
    assert tuple(found) == tuple(METRICS)
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
    assert {name: interval.value for name, interval in found.items()} == pytest.approx(expected, abs=1e-10)


def test_every_resample_is_the_metric_of_the_trials_as_often_as_drawn() -> None:
    # One resample: its interval reaches from the metric under the drawn weights, drawn here a second time, to that of
    # the trials. Cllr_min and Cllr_cal have their intervals from half samples.
    made = corpus(n_authors=12, per_author=3)
    names = sorted({name for pair in made["different_authors"] for name in pair})
    drawn = np.bincount(np.random.default_rng(7).integers(12, size=12), minlength=12)
    times = dict(zip(names, drawn.tolist(), strict=True))
    found = intervals(**made, resamples=1, seed=7)
    # A trial that counts twice is two trials.
    both = {
        "same": np.repeat(made["same"], [times[name] for name in made["same_authors"]]),
        "different": np.repeat(made["different"], [times[a] * times[b] for a, b in made["different_authors"]]),
    }
    fit = Calibrator.fit(**both)
    resampled = {metric.__name__: metric(**both) for metric in (cllr, eer, auc, dev_pav)}
    resampled |= {"same_right": (both["same"] > 0).mean(), "shift": fit.intercept, "slope": fit.slope}
    for metric, value in resampled.items():
        interval = found[metric]
        assert [interval.low, interval.high] == pytest.approx(sorted([value, interval.value]), abs=1e-9), metric


def test_resampled_authors_make_wider_intervals_than_resampled_trials() -> None:
    made = corpus(n_authors=12, per_author=6)
    by_author = intervals(**made, metrics=["cllr", "auc"], resamples=600)
    rng = np.random.default_rng(0)
    drawn = [{name: rng.choice(values, len(values)) for name, values in trials(made).items()} for _ in range(600)]
    for metric in (cllr, auc):
        found = by_author[metric.__name__]
        assert found.low is not None
        assert found.high is not None
        low, high = np.quantile([metric(**both) for both in drawn], [0.025, 0.975])
        assert found.high - found.low > 1.5 * (high - low), metric


def test_the_order_of_the_trials_changes_nothing() -> None:
    made = corpus(n_authors=8)
    turned = {name: values[::-1] for name, values in made.items()}
    for metric, interval in intervals(**made, resamples=100).items():
        again = intervals(**turned, resamples=100, metrics=[metric])[metric]
        assert (again.low, again.high) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_the_same_seed_gives_the_same_digits_and_another_seed_others() -> None:
    made = corpus(n_authors=8)
    first = intervals(**made, resamples=100, seed=3)
    assert intervals(**made, resamples=100, seed=3) == first
    assert intervals(**made, resamples=100, seed=4) != first


def test_a_higher_level_is_wider() -> None:
    made = corpus(n_authors=8)
    narrow, wide = (intervals(**made, metrics=["cllr"], resamples=300, level=level)["cllr"] for level in (0.5, 0.99))
    assert wide.low is not None
    assert narrow.low is not None
    assert wide.high is not None
    assert narrow.high is not None
    assert wide.low < narrow.low < narrow.high < wide.high


def test_resamples_without_a_class_are_counted_and_left_out() -> None:
    # Two authors and one pair: the pair counts only where both were drawn, half of the time.
    found = intervals(
        same=[1.0, 2.0],
        different=[-1.0],
        same_authors=["a", "b"],
        different_authors=[("a", "b")],
        metrics=["cllr", "shift"],
        resamples=400,
    )
    assert 140 < found["cllr"].undefined < 260
    # Separated in every resample: no shift, and no interval of it.
    assert found["shift"].undefined == 400
    assert (found["shift"].value, found["shift"].low, found["shift"].high) == (None, None, None)


def test_where_most_resamples_lack_a_class_there_is_no_interval() -> None:
    # Three authors and one pair: both of its authors are drawn in 12 of 27 resamples.
    found = intervals(
        same=[1.0, 2.0, 1.5],
        different=[-1.0],
        same_authors=["a", "b", "c"],
        different_authors=[("a", "b")],
        metrics=["cllr"],
        resamples=400,
    )["cllr"]
    assert found.undefined > 200
    assert found.value is not None
    assert (found.low, found.high) == (None, None)


def test_silence_has_a_cllr_and_no_shift() -> None:
    made = corpus(n_authors=4)
    silent = {**made, "same": np.zeros(len(made["same"])), "different": np.zeros(len(made["different"]))}
    found = intervals(**silent, resamples=50)
    assert (found["cllr"].low, found["cllr"].high) == pytest.approx((1, 1))
    assert found["shift"].value is None
    assert found["slope"].low is None


def test_intervals_survive_llrs_of_ten_thousand() -> None:
    made = corpus(n_authors=6)
    made["same"] = made["same"].copy()
    made["different"] = made["different"].copy()
    made["same"][:2], made["different"][:2] = (1e4, -1e4), (1e4, -1e4)
    for metric, interval in intervals(**made, resamples=200).items():
        if metric in ("cllr_min", "cllr_cal"):  # six authors are too few for half samples
            assert interval.low is None
            continue
        assert interval.low is not None, metric
        assert interval.high is not None, metric
        assert np.isfinite([interval.low, interval.high]).all(), metric


def test_many_trials_are_taken_in_parts_with_the_same_digits() -> None:
    # 40 authors make 1,560 pairs, so that the resamples no longer fit in one part.
    made = corpus(n_authors=40, per_author=1)
    n = 40
    drawn = np.array([np.bincount(row, minlength=n) for row in np.random.default_rng(0).integers(n, size=(1_500, n))])
    place = {name: i for i, name in enumerate(sorted(made["same_authors"]))}
    same = drawn[:, [place[name] for name in made["same_authors"]]]
    values = (same * (made["same"] > 0)).sum(axis=1) / same.sum(axis=1)
    found = intervals(**made, metrics=["same_right"], resamples=1_500)["same_right"]
    assert [found.low, found.high] == pytest.approx(np.quantile(values, [0.025, 0.975]).tolist())


def test_what_cannot_be_resampled_is_said() -> None:
    made = corpus(n_authors=4)
    with pytest.raises(InputError, match="no interval for 'accuracy'"):
        intervals(**made, metrics=["accuracy"])
    with pytest.raises(InputError, match="resamples must be a whole number from 1 to 1,000,000, not 0"):
        intervals(**made, resamples=0)
    with pytest.raises(InputError, match=r"level must be a number between 0 and 1, both excluded, not 1\.5"):
        intervals(**made, resamples=10, level=1.5)
    with pytest.raises(InputError, match="12 different-author trials and the authors of 11"):
        intervals(**{**made, "different_authors": made["different_authors"][1:]})
    with pytest.raises(InputError, match="Both kinds of trial are needed"):
        intervals(same=[1.0], different=[], same_authors=["a"], different_authors=[])
    with pytest.raises(InputError, match="The authors of the trials are needed"):
        estimates(Trials.of(same=[1.0], different=[0.0]), resamples=10, seed=0)


def test_without_resamples_there_are_values_alone() -> None:
    made = Trials.of(**corpus(n_authors=4))
    found = estimates(made, resamples=0, seed=0)
    assert found["cllr"].value == pytest.approx(cllr(same=made.same, different=made.different))
    assert {(one.low, one.high, one.undefined) for one in found.values()} == {(None, None, 0)}


def test_an_interval_needs_half_of_the_resamples() -> None:
    undefined = [np.nan] * 5
    found = over_resamples(2.0, np.array([1.0, 2.0, 3.0, 4.0, 5.0, *undefined]))
    assert (found.low, found.high) == (pytest.approx(1.1), pytest.approx(4.9))
    assert over_resamples(2.0, np.array([1.0, 2.0, 3.0, 4.0, *undefined])).low is None


def test_half_samples_give_intervals_of_95_percent_alone() -> None:
    made = Trials.of(**corpus(n_authors=20, per_author=1))
    asked: dict[str, Any] = {"metrics": ["cllr_min"], "resamples": 2, "seed": 1}
    assert estimates(made, **asked)["cllr_min"].low is not None
    assert estimates(made, level=0.9, **asked)["cllr_min"].low is None
