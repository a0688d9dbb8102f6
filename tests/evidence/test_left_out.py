"""Leaving authors out: redone by refitting on what remains."""

import numpy as np
import pytest

from idiograph import CalibrationError
from idiograph.evidence.calibration import Calibrator, leave_authors_out
from idiograph.evidence.methods import CalibratedScore, calibrated, raw_values
from idiograph.evidence.trials import ScoredTrials
from made_trials import scored


def shrunk(training: ScoredTrials) -> CalibratedScore:
    same = training.same_author
    fit = Calibrator.fit(same=training.lambda_g[same], different=training.lambda_g[~same], shrinkage=1)
    return CalibratedScore(raw_values, fit)


def exact(training: ScoredTrials) -> CalibratedScore:
    same = training.same_author
    fit = Calibrator.fit(same=training.lambda_g[same], different=training.lambda_g[~same])
    return CalibratedScore(raw_values, fit)


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
    own = ["a", "a", "b", "b", "c", "c", "d", "d"]
    pairs = [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("a", "c"), ("b", "d")]
    trials = scored(same=same.tolist(), different=different.tolist(), same_authors=own, different_authors=pairs)
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
