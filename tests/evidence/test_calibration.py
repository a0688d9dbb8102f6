"""Calibration: the exact maximum, the guard against separation, R's stopping rule, and leaving authors out."""

import math
from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize

from idiograph import CalibrationError, Calibrator, auc, cllr
from idiograph.evidence.calibration import Separation, balanced_maxima, leave_authors_out, separation
from idiograph.evidence.methods import CalibratedScore, calibrated, raw_values
from idiograph.evidence.trials import ScoredTrials, Trials
from made_trials import scored

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
    assume(separation(Trials.of(same=same, different=different)).kind == "none")
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


@given(grid, grid)
def test_calibration_keeps_the_ranking_and_never_costs_more_than_silence(
    same: list[float], different: list[float]
) -> None:
    assume(separation(Trials.of(same=same, different=different)).kind == "none")
    calibrator = Calibrator.fit(same=same, different=different)
    calibrated = {"same": calibrator.nats(same), "different": calibrator.nats(different)}
    assert cllr(**calibrated) <= 1 + 1e-12
    if calibrator.slope > 1e-6:
        assert auc(**calibrated) == auc(same=same, different=different)


@given(grid, grid)
def test_crossing_trials_are_counted(same: list[float], different: list[float]) -> None:
    assert separation(Trials.of(same=same, different=different)).crossing == brute_crossing(same, different)


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
    assert (calibrator.mode, calibrator.separation.kind) == ("glm", "perfect")


def test_glm_mode_differs_from_the_exact_maximum_by_its_stopping_rule_alone() -> None:
    exact, glm = Calibrator.fit(**OVERLAPPING), Calibrator.fit(**OVERLAPPING, mode="glm")
    assert (glm.intercept, glm.slope) == pytest.approx((exact.intercept, exact.slope), rel=1e-6)
    assert 2 <= glm.iterations <= 10


def test_unusable_settings_are_refused() -> None:
    with pytest.raises(CalibrationError, match="no calibration mode 'probit'"):
        Calibrator.fit(**OVERLAPPING, mode="probit")  # type: ignore[arg-type]
    for amount in (-1.0, 1e-9, math.nan, math.inf):
        with pytest.raises(CalibrationError, match="The shrinkage is"):
            Calibrator.fit(**OVERLAPPING, shrinkage=amount)
    with pytest.raises(CalibrationError, match="glm has no shrinkage"):
        Calibrator.fit(**OVERLAPPING, mode="glm", shrinkage=1)
    with pytest.raises(CalibrationError, match="did not reach its maximum in 500 steps"):
        Calibrator.fit(same=[1, 0, 0], different=[-1, 1e-200, 1e-200])
    with pytest.raises(CalibrationError, match="All 3 scores are 2"):
        Calibrator.fit(same=[2, 2], different=[2], shrinkage=1)


SCORES = np.array([3.0, 2.0, -1.0, 1.0, -3.0, -2.0, 1.5, 0.5])
TARGETS = np.repeat([1.0, 0.0], 4)


def test_many_rows_of_weights_give_what_each_gives_alone() -> None:
    weights = np.random.default_rng(1).uniform(0.5, 2, (6, 8))
    intercepts, slopes, _ = balanced_maxima(SCORES, targets=TARGETS, weights=weights)
    for row in range(6):
        alone = balanced_maxima(SCORES, targets=TARGETS, weights=weights[row : row + 1])
        assert intercepts[row] == pytest.approx(alone[0][0], abs=1e-12)
        assert slopes[row] == pytest.approx(alone[1][0], abs=1e-12)


def exact(training: ScoredTrials, *, shrinkage: float = 0.0) -> CalibratedScore:
    same = training.same_author
    scores = {"same": training.lambda_g[same], "different": training.lambda_g[~same]}
    return CalibratedScore(raw_values, Calibrator.fit(**scores, shrinkage=shrinkage))


shrunk = partial(exact, shrinkage=1)


def test_trials_of_strangers_are_left_out_one_by_one() -> None:
    same, different = [3.0, 2.0, -1.0, 1.0, -0.5], [-3.0, -2.0, 1.5, 0.5, -1.5]
    left = leave_authors_out(scored(same=same, different=different), shrunk)
    for i, score in enumerate(same):
        rest = Calibrator.fit(same=same[:i] + same[i + 1 :], different=different, shrinkage=1)
        assert left.nats[i] == pytest.approx(rest.nats([score])[0])
    for i, score in enumerate(different):
        rest = Calibrator.fit(same=same, different=different[:i] + different[i + 1 :], shrinkage=1)
        assert left.nats[5 + i] == pytest.approx(rest.nats([score])[0])
    assert left.n_fits == 10
    assert left.n_near > 0


def test_both_authors_are_left_out_in_every_role() -> None:
    rng = np.random.default_rng(8)
    same, different = rng.normal(0.5, 1, 8), rng.normal(-0.5, 1, 6)
    names = ["a", "a", "b", "b", "c", "c", "d", "d"]
    pairs = [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("a", "c"), ("b", "d")]
    trials = scored(same=same.tolist(), different=different.tolist(), same_authors=names, different_authors=pairs)
    left = leave_authors_out(trials, shrunk)
    # Trial a against b: same-author trials of c and d and the pairs without a and b remain.
    rest = Calibrator.fit(same=same[4:], different=different[2:4], shrinkage=1)
    assert left.nats[8] == pytest.approx(rest.nats(different[:1])[0])
    # Trial a against a: every trial in which a is neither Q nor K remains.
    rest = Calibrator.fit(same=same[2:], different=different[[2, 3, 5]], shrinkage=1)
    assert left.nats[0] == pytest.approx(rest.nats(same[:1])[0])
    # a, b, c, d, ab, cd, ac, bd: (a, b) and (b, a) share a fit.
    assert left.n_fits == 8


def test_a_training_set_of_its_own_loses_only_the_authors_it_shares() -> None:
    rng = np.random.default_rng(9)
    names = list("abcdefgh")
    ring = list(zip(names, names[1:] + names[:1], strict=True))
    training = scored(
        same=rng.normal(1, 2, 8).tolist(), different=rng.normal(-1, 2, 8).tolist(), same_authors=names,
        different_authors=ring,
    )  # fmt: skip
    judged = scored(same=[1.0], different=[-1.0], same_authors=["x"], different_authors=[("x", "c")])
    left = leave_authors_out(judged, calibrated, training=training)
    whole = calibrated(training)
    assert left.nats[0] == whole.nats(judged)[0]
    kept = np.array(["c" not in pair for pair in zip(training.k_authors, training.q_authors, strict=True)])
    assert kept.sum() == 13
    assert left.nats[1] == calibrated(training.take(kept)).nats(judged)[1]
    assert left.n_fits == 2


def test_whose_absence_cannot_be_borne_is_said() -> None:
    few = {"same": [1, 0, -1, 2], "same_authors": ["a", "b", "a", "b"]}
    with pytest.raises(CalibrationError, match="Without a there remain 2 same-author and 0 different-author"):
        leave_authors_out(scored(different=[0.5], different_authors=[("a", "b")], **few), shrunk)
    with pytest.raises(CalibrationError, match=r"Calibrating without 0: The scores .* \(perfect separation\)"):
        leave_authors_out(scored(same=[1, 2, 3], different=[-1, -2]), exact)
    judged = scored(same=[1], different=[0], same_authors=["x"], different_authors=[("x", "y")])
    alone = scored(same=[1.0, 2.0], different=[0.5, 0.2])
    with pytest.raises(CalibrationError, match=r"^The scores of the two classes do not overlap"):
        leave_authors_out(judged, exact, training=alone)
