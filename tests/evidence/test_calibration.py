"""Calibration: the exact maximum, the guard against separation, R's stopping rule, authors left out."""

import math
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize

from idiograph import CalibrationError, Calibrator, InputError, auc, cllr
from idiograph.evidence.calibration import (
    Separation,
    fitted_shift,
    leave_authors_out,
    leave_one_out,
    separation,
)

FloatArray = npt.NDArray[np.float64]
OVERLAPPING = {"same": [3.0, 2.0, -1.0, 1.0, -0.5], "different": [-3.0, -2.0, 1.5, 0.5, -1.5]}
SEPARATED = {"same": [1.0, 2.0, 3.0], "different": [-1.0, -2.0]}
LR_3 = {"same": [1.0] * 6 + [-1.0] * 2, "different": [-1.0] * 6 + [1.0] * 2}
NEARLY = {"same": [1.0, 2.0, -3.0], "different": [-1.0, -2.0, -1.5]}
grid = st.lists(st.integers(-8, 8).map(lambda i: i / 2), min_size=2, max_size=8)


def gradient(calibrator: Calibrator, same: Sequence[float], different: Sequence[float]) -> tuple[float, float]:
    """The slope of the balanced log-likelihood in α and in β, 0 and 0 at its maximum."""
    s, d = np.asarray(same), np.asarray(different)
    miss_s = 1 / (1 + np.exp(np.clip(calibrator.intercept + calibrator.slope * s, -700, 700)))
    miss_d = 1 / (1 + np.exp(np.clip(-calibrator.intercept - calibrator.slope * d, -700, 700)))
    return miss_s.mean() - miss_d.mean(), (miss_s * s).mean() - (miss_d * d).mean()


def brute_crossing(same: list[float], different: list[float]) -> int:
    """The fewest trials to remove until a threshold splits the classes, by trying every threshold both ways."""
    counts = []
    for t in {*same, *different}:
        counts.append(sum(x < t for x in same) + sum(x > t for x in different))
        counts.append(sum(x > t for x in same) + sum(x < t for x in different))
    return min(counts)


def test_two_scores_by_hand() -> None:
    # At score 1: 6 of 8 same, 2 of 8 different; at −1 the reverse. LR 3 and 1/3, so β = ln 3 and α = 0.
    calibrator = Calibrator.fit(**LR_3)
    assert calibrator.slope == pytest.approx(math.log(3), rel=1e-14)
    assert calibrator.intercept == pytest.approx(0, abs=1e-15)
    assert (calibrator.n_same, calibrator.n_different) == (8, 8)
    # The unbalanced classes weigh the same: doubling one changes nothing.
    doubled = Calibrator.fit(same=LR_3["same"] * 2, different=LR_3["different"])
    assert (doubled.slope, doubled.intercept) == pytest.approx((math.log(3), 0), abs=1e-14)


def test_a_calibrator_turns_a_score_into_an_llr() -> None:
    calibrator = Calibrator.fit(**LR_3)
    llr = calibrator(SimpleNamespace(lambda_g=2.0, evidence=(), n_tokens=1, n_hapaxes=1))
    assert llr.lr == pytest.approx(9)
    assert (llr.unit, llr.how) == ("nats", "logistic")
    assert calibrator.nats([2.0, 0.0]) == pytest.approx([llr.nats, 0], abs=1e-14)


@given(grid, grid, st.sampled_from([1e-3, 1.0, 1e4]), st.sampled_from([0.0, 1e4]))
def test_the_maximum_is_exact_whatever_the_scale(
    same: list[float], different: list[float], by: float, at: float
) -> None:
    assume(separation(same=same, different=different).kind == "none")
    s, d = [x * by + at * by for x in same], [x * by + at * by for x in different]
    calibrator = Calibrator.fit(same=s, different=d)
    plain = Calibrator.fit(same=same, different=different)
    assert gradient(plain, same, different) == pytest.approx((0, 0), abs=1e-12)
    assert calibrator.slope * by == pytest.approx(plain.slope, rel=1e-6, abs=1e-9)
    assert calibrator.nats(s) == pytest.approx(plain.nats(same), rel=1e-6, abs=1e-7)


def test_the_maximum_survives_scores_of_ten_thousand() -> None:
    rng = np.random.default_rng(3)
    same = np.concatenate([rng.normal(1, 1, 50), [1e4]])
    different = np.concatenate([rng.normal(-1, 1, 50), [-1e4]])
    calibrator = Calibrator.fit(same=same, different=different)
    without = Calibrator.fit(same=same[:-1], different=different[:-1])
    # An outlier on the right side costs nothing; it only makes each class one trial larger.
    assert calibrator.slope == pytest.approx(without.slope, rel=1e-9)
    assert gradient(calibrator, same.tolist(), different.tolist()) == pytest.approx((0, 0), abs=1e-11)
    assert np.isfinite(calibrator.nats(same)).all()


def test_another_optimiser_finds_the_same_maximum() -> None:
    rng = np.random.default_rng(5)
    same, different = rng.normal(2, 2, 40), rng.normal(-1, 3, 70)

    def cost(ab: FloatArray) -> float:
        a, b = ab
        return float(np.logaddexp(0, -(a + b * same)).mean() + np.logaddexp(0, a + b * different).mean())

    best = minimize(cost, [0, 0], method="BFGS", options={"gtol": 1e-9})
    calibrator = Calibrator.fit(same=same, different=different)
    assert [calibrator.intercept, calibrator.slope] == pytest.approx(best.x, abs=1e-6)


@given(grid, grid, st.data())
def test_doubled_trials_are_doubled_weights(same: list[float], different: list[float], data: st.DataObject) -> None:
    times = [data.draw(st.lists(st.integers(1, 3), min_size=len(x), max_size=len(x))) for x in (same, different)]
    assume(separation(same=same, different=different).kind == "none")
    weighted = Calibrator.fit(same=same, different=different, same_weights=times[0], different_weights=times[1])
    repeated = Calibrator.fit(same=np.repeat(same, times[0]), different=np.repeat(different, times[1]))
    assert weighted.nats([-1, 2]) == pytest.approx(repeated.nats([-1, 2]), abs=1e-9)


def test_trials_without_weight_do_not_hide_separation() -> None:
    with pytest.raises(CalibrationError, match="perfect separation"):
        Calibrator.fit(same=[1, 2, -9, -8], different=[-1, -2], same_weights=[1, 1, 0, 0])


@given(grid, grid)
def test_calibration_keeps_the_ranking_and_never_costs_more_than_silence(
    same: list[float], different: list[float]
) -> None:
    assume(separation(same=same, different=different).kind == "none")
    calibrator = Calibrator.fit(same=same, different=different)
    calibrated = {"same": calibrator.nats(same), "different": calibrator.nats(different)}
    assert cllr(**calibrated) <= 1 + 1e-12
    if calibrator.slope > 1e-6:
        assert auc(**calibrated) == auc(same=same, different=different)


@given(grid, grid)
def test_crossing_trials_are_counted(same: list[float], different: list[float]) -> None:
    assert separation(same=same, different=different).crossing == brute_crossing(same, different)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (SEPARATED, r"do not overlap \(perfect separation\).*3 same-author and 2 different-author trials, 0 of them"),
        ({"same": [1, 2], "different": [1, 0]}, "perfect separation"),
        ({"same": [-1, -2], "different": [1, 2]}, "perfect separation"),
        (NEARLY, r"overlap by a single trial \(near separation\).*1 of them crossing.*shrinkage"),
    ],
)
def test_separation_is_refused_in_words(scores: dict[str, list[float]], words: str) -> None:
    with pytest.raises(CalibrationError, match=words):
        Calibrator.fit(**scores)


def test_two_crossing_trials_are_enough() -> None:
    assert Calibrator.fit(**OVERLAPPING).separation == Separation(2)
    assert Calibrator.fit(**OVERLAPPING).separation.kind == "none"


@pytest.mark.parametrize("scores", [SEPARATED, NEARLY])
def test_a_stated_shrinkage_fits_and_says_so(scores: dict[str, list[float]]) -> None:
    calibrator = Calibrator.fit(**scores, shrinkage=1)
    assert calibrator.shrinkage == 1
    assert "shrunk by 1 trials a class" in calibrator.words
    assert f"{calibrator.separation.kind} separation" in calibrator.words
    assert calibrator.intercept_interval is None
    assert calibrator.slope_interval is None
    less, more = Calibrator.fit(**scores, shrinkage=0.1), Calibrator.fit(**scores, shrinkage=5)
    assert abs(less.slope) > abs(calibrator.slope) > abs(more.slope)


def test_shrinkage_by_hand() -> None:
    # Two same at 1 and two different at −1 with a = 1: targets 3/4 and 1/4, met exactly by LR 3 and 1/3.
    calibrator = Calibrator.fit(same=[1, 1], different=[-1, -1], shrinkage=1)
    assert calibrator.slope == pytest.approx(math.log(3))
    assert calibrator.intercept == pytest.approx(0, abs=1e-14)


def test_glm_mode_stops_on_separated_scores_and_says_so() -> None:
    calibrator = Calibrator.fit(**SEPARATED, mode="glm")
    assert calibrator.iterations <= 25
    assert calibrator.slope > 10
    assert f"R's glm stops (iteration {calibrator.iterations})" in calibrator.words
    assert "perfect separation" in calibrator.words


def test_glm_mode_differs_from_the_exact_maximum_by_its_stopping_rule_alone() -> None:
    exact, glm = Calibrator.fit(**OVERLAPPING), Calibrator.fit(**OVERLAPPING, mode="glm")
    assert glm.slope == pytest.approx(exact.slope, rel=1e-6)
    assert "unregularised" in exact.words
    assert "glm" not in exact.words


def test_the_interval_of_the_shift_covers_it_as_often_as_promised() -> None:
    # 200 corpora whose LLRs are true: ln LR of N(±1, variance 2) is the value itself, so α = 0 and β = 1.
    rng = np.random.default_rng(11)
    inside = np.zeros(2, int)
    for _ in range(200):
        fit = Calibrator.fit(same=rng.normal(1, math.sqrt(2), 80), different=rng.normal(-1, math.sqrt(2), 160))
        assert fit.intercept_interval is not None
        assert fit.slope_interval is not None
        inside += np.array(
            [
                fit.intercept_interval[0] <= 0 <= fit.intercept_interval[1],
                fit.slope_interval[0] <= 1 <= fit.slope_interval[1],
            ]
        )
    assert ((inside >= 0.91 * 200) & (inside <= 0.985 * 200)).all()


def test_a_shift_is_found() -> None:
    rng = np.random.default_rng(12)
    moved = fitted_shift(same=rng.normal(1, math.sqrt(2), 300) + 2, different=rng.normal(-1, math.sqrt(2), 300) + 2)
    assert moved is not None
    assert moved.intercept_interval is not None
    assert moved.intercept == pytest.approx(-2, abs=0.5)
    assert moved.intercept_interval[1] < -1
    assert fitted_shift(**SEPARATED) is None


def test_leave_one_out_by_refitting() -> None:
    left = leave_one_out(**OVERLAPPING, shrinkage=0.5)
    same, different = OVERLAPPING["same"], OVERLAPPING["different"]
    for i, score in enumerate(same):
        rest = Calibrator.fit(same=same[:i] + same[i + 1 :], different=different, shrinkage=0.5)
        assert left.same[i] == pytest.approx(rest.nats([score])[0])
    for i, score in enumerate(different):
        rest = Calibrator.fit(same=same, different=different[:i] + different[i + 1 :], shrinkage=0.5)
        assert left.different[i] == pytest.approx(rest.nats([score])[0])
    assert left.n_fits == 10
    assert left.n_near > 0
    assert f"{left.n_near} nearly" in left.words


def test_leaving_authors_out_leaves_out_both_in_every_role() -> None:
    rng = np.random.default_rng(8)
    same, different = rng.normal(0.5, 1, 8), rng.normal(-0.5, 1, 6)
    own = ["a", "a", "b", "b", "c", "c", "d", "d"]
    pairs = [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("a", "c"), ("b", "d")]
    left = leave_authors_out(same=same, different=different, same_authors=own, different_authors=pairs, shrinkage=1)
    # Trial a against b: same-author trials of c and d and the pairs without a and b remain.
    rest = Calibrator.fit(same=same[4:], different=different[2:4], shrinkage=1)
    assert left.different[0] == pytest.approx(rest.nats(different[:1])[0])
    # Trial a against a: every trial in which a is neither Q nor K remains.
    rest = Calibrator.fit(same=same[2:], different=different[[2, 3, 5]], shrinkage=1)
    assert left.same[0] == pytest.approx(rest.nats(same[:1])[0])
    # a, b, c, d, ab, cd, ac, bd: (a, b) and (b, a) share a fit.
    assert left.n_fits == 8


def test_leaving_authors_out_says_whose_absence_it_cannot_bear() -> None:
    with pytest.raises(CalibrationError, match="Without a there remain 2 same-author and 0 different-author"):
        leave_authors_out(
            same=[1, 0, -1, 2],
            different=[0.5],
            same_authors=["a", "b", "a", "b"],
            different_authors=[("a", "b")],
            shrinkage=1,
        )
    with pytest.raises(CalibrationError, match=r"Calibrating without 0: The scores .* \(perfect separation\)"):
        leave_one_out(**SEPARATED)
    with pytest.raises(CalibrationError, match="1 same-author and 1 different-author trials, and authors for 2 and 0"):
        leave_authors_out(same=[1], different=[0], same_authors=["a", "b"], different_authors=[])


def test_unusable_settings_are_refused() -> None:
    with pytest.raises(CalibrationError, match="no calibration mode 'probit'"):
        Calibrator.fit(**OVERLAPPING, mode="probit")  # type: ignore[arg-type]
    for amount in (-1.0, 1e-9, math.nan, math.inf):
        with pytest.raises(CalibrationError, match="The shrinkage is"):
            Calibrator.fit(**OVERLAPPING, shrinkage=amount)
    with pytest.raises(CalibrationError, match="glm knows no shrinkage"):
        Calibrator.fit(**OVERLAPPING, mode="glm", shrinkage=1)
    with pytest.raises(CalibrationError, match="did not reach its maximum in 500 steps"):
        Calibrator.fit(same=[1, 0, 0], different=[-1, 1e-200, 1e-200])
    with pytest.raises(CalibrationError, match="All 3 scores are 2"):
        Calibrator.fit(same=[2, 2], different=[2], shrinkage=1)
    with pytest.raises(InputError, match="Calibration needs both kinds of trial and found 2 same-author, 0"):
        Calibrator.fit(same=[1, 2], different=[])
