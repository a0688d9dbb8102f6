"""Intervals: authors resampled, the same digits every time, and wider than where pairs are resampled."""

from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from idiograph import InputError, auc, cllr, cllr_cal, cllr_min, dev_pav, eer, intervals
from idiograph.evidence.calibration import Calibrator
from idiograph.evidence.intervals import METRICS, pair_intervals
from idiograph.evidence.metrics import right_side

FloatArray = npt.NDArray[np.float64]


def corpus(n_authors: int = 12, per_author: int = 4, seed: int = 1) -> dict[str, Any]:
    """Every author a few times as both and once against every other; each has ways that move all of his trials."""
    rng = np.random.default_rng(seed)
    names = [f"author{i:02}" for i in range(n_authors)]
    like_himself, like_others = (dict(zip(names, rng.normal(0, 1, n_authors), strict=True)) for _ in range(2))
    own = [name for name in names for _ in range(per_author)]
    pairs = list(permutations(names, 2))
    return {
        "same": np.array([1 + like_himself[name] + rng.normal(0, 0.7) for name in own]),
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
    assert tuple(found) == METRICS
    fit = Calibrator.fit(**both)
    sides = right_side(**both)
    expected = {
        "cllr": cllr(**both),
        "cllr_min": cllr_min(**both),
        "cllr_cal": cllr_cal(**both),
        "eer": eer(**both),
        "auc": auc(**both),
        "dev_pav": dev_pav(**both),
        "same_right": sides.same,
        "different_right": sides.different,
        "shift": fit.intercept,
        "slope": fit.slope,
    }
    assert {name: interval.estimate for name, interval in found.items()} == pytest.approx(expected, abs=1e-10)


def test_every_resample_is_the_metric_of_its_weighted_trials() -> None:
    # One resample: both ends of its interval are the metric under the drawn weights, drawn here a second time.
    made = corpus(n_authors=12, per_author=3)
    names = sorted({name for pair in made["different_authors"] for name in pair})
    drawn = np.random.default_rng(7).multinomial(12, np.full(12, 1 / 12), size=1)[0]
    times = dict(zip(names, drawn.tolist(), strict=True))
    weights = {
        "same_weights": [times[name] for name in made["same_authors"]],
        "different_weights": [times[a] * times[b] for a, b in made["different_authors"]],
    }
    found = intervals(**made, resamples=1, seed=7)
    both = trials(made)
    for metric in (cllr, cllr_min, cllr_cal, eer, auc, dev_pav):
        expected = pytest.approx(metric(**both, **weights), abs=1e-10)
        interval = found[metric.__name__]
        assert interval.lower == expected
        assert interval.upper == expected
    assert found["same_right"].lower == pytest.approx(right_side(**both, **weights).same)
    fit = Calibrator.fit(**both, **weights)
    assert (found["shift"].lower, found["slope"].lower) == pytest.approx((fit.intercept, fit.slope), abs=1e-9)


def test_resampled_authors_make_wider_intervals_than_resampled_pairs() -> None:
    made = corpus(n_authors=12, per_author=6)
    by_author = intervals(**made, resamples=600)
    by_pair = pair_intervals(**trials(made), resamples=600)
    for metric in ("cllr", "cllr_min", "eer", "auc", "same_right", "different_right", "shift", "slope"):
        widths = []
        for found in (by_author[metric], by_pair[metric]):
            assert found.lower is not None
            assert found.upper is not None
            widths.append(found.upper - found.lower)
        assert widths[0] > 1.5 * widths[1], metric
    assert (by_author["cllr"].counted_in, by_author["cllr"].n) == ("authors", 12)
    assert (by_pair["cllr"].counted_in, by_pair["cllr"].n) == ("trials", 12 * 6 + 12 * 11)


def test_the_order_of_the_trials_changes_nothing() -> None:
    made = corpus(n_authors=8)
    turned = {name: values[::-1] for name, values in made.items()}
    for metric, interval in intervals(**made, resamples=100).items():
        again = intervals(**turned, resamples=100, metrics=[metric])[metric]
        assert (again.lower, again.upper) == pytest.approx((interval.lower, interval.upper), abs=1e-9)


def test_the_same_seed_gives_the_same_digits_and_another_seed_others() -> None:
    made = corpus(n_authors=8)
    first = intervals(**made, resamples=100, seed=3)
    assert intervals(**made, resamples=100, seed=3) == first
    assert intervals(**made, resamples=100, seed=4) != first
    pairs = pair_intervals(**trials(made), resamples=100, seed=3)
    assert pair_intervals(**trials(made), resamples=100, seed=3) == pairs
    assert pair_intervals(**trials(made), resamples=100, seed=4) != pairs


def test_a_higher_level_is_wider() -> None:
    made = corpus(n_authors=8)
    narrow, wide = (intervals(**made, metrics=["cllr"], resamples=300, level=level)["cllr"] for level in (0.5, 0.99))
    assert wide.lower is not None
    assert narrow.lower is not None
    assert wide.upper is not None
    assert narrow.upper is not None
    assert wide.lower < narrow.lower < narrow.upper < wide.upper


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
    assert (found["shift"].estimate, found["shift"].lower, found["shift"].upper) == (None, None, None)


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
    assert found.estimate is not None
    assert (found.lower, found.upper) == (None, None)


def test_silence_has_a_cllr_and_no_shift() -> None:
    made = corpus(n_authors=4)
    silent = {**made, "same": np.zeros(len(made["same"])), "different": np.zeros(len(made["different"]))}
    found = intervals(**silent, resamples=50)
    assert (found["cllr"].lower, found["cllr"].upper) == pytest.approx((1, 1))
    assert found["shift"].estimate is None
    assert found["slope"].lower is None


def test_intervals_survive_llrs_of_ten_thousand() -> None:
    made = corpus(n_authors=6)
    made["same"] = made["same"].copy()
    made["different"] = made["different"].copy()
    made["same"][:2], made["different"][:2] = (1e4, -1e4), (1e4, -1e4)
    for metric, interval in intervals(**made, resamples=200).items():
        assert interval.lower is not None, metric
        assert interval.upper is not None, metric
        assert np.isfinite([interval.lower, interval.upper]).all(), metric


def test_many_trials_are_taken_in_parts_with_the_same_digits() -> None:
    # 40 authors make 1,560 pairs, so that the resamples no longer fit in one part.
    made = corpus(n_authors=40, per_author=1)
    n = 40
    drawn = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=1_500)
    place = {name: i for i, name in enumerate(sorted(made["same_authors"]))}
    same = drawn[:, [place[name] for name in made["same_authors"]]]
    values = (same * (made["same"] > 0)).sum(axis=1) / same.sum(axis=1)
    found = intervals(**made, metrics=["same_right"], resamples=1_500)["same_right"]
    assert [found.lower, found.upper] == pytest.approx(np.quantile(values, [0.025, 0.975]).tolist())


def test_what_cannot_be_resampled_is_said() -> None:
    made = corpus(n_authors=4)
    with pytest.raises(InputError, match="no interval for 'accuracy'"):
        intervals(**made, metrics=["accuracy"])
    with pytest.raises(InputError, match=r"one resample or more and a level between 0 and 1, not 0 and 0\.95"):
        intervals(**made, resamples=0)
    with pytest.raises(InputError, match=r"not 10 and 1\.5"):
        intervals(**made, resamples=10, level=1.5)
    with pytest.raises(InputError, match="authors for 16 and 11"):
        intervals(**{**made, "different_authors": made["different_authors"][1:]})
    with pytest.raises(InputError, match="An interval needs both kinds of trial"):
        intervals(same=[1.0], different=[], same_authors=["a"], different_authors=[])
