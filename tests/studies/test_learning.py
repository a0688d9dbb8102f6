"""Constants learnt from judged trials: the truth behind made-up ones, and what weighs what."""

import numpy as np
import pytest

from idiograph.errors import StudyError
from idiograph.studies.learning import NormedTrials, learn
from made_matrix import matrix_result


def made(n: int, *, seed: int = 1) -> NormedTrials:
    """Trials whose ln LR is known: −1 + 0.8·S₁ + 0.5·S₂ + (−0.3 + 0.2·S₁)·x."""
    rng = np.random.default_rng(seed)
    normed = rng.normal(0, 2, (n, 2))
    lengths = rng.choice([-1.0, 0.0, 0.7], n)
    nats = -1 + 0.8 * normed[:, 0] + 0.5 * normed[:, 1] + (-0.3 + 0.2 * normed[:, 0]) * lengths
    same = rng.random(n) < 1 / (1 + np.exp(-nats))
    # The classes weigh the same, so the odds of the two are taken out again.
    shift = np.log(same.mean() / (1 - same.mean()))
    made.shift = shift  # type: ignore[attr-defined]
    return NormedTrials(("distinct", "cosine"), normed, same, lengths, np.ones(n))


def test_the_truth_is_found_again() -> None:
    found = learn(made(60_000), n_authors=24)
    assert found.level.alpha + made.shift == pytest.approx(-1, abs=0.06)  # type: ignore[attr-defined]
    assert found.level.betas == pytest.approx((0.8, 0.5), abs=0.04)
    assert found.slope.alpha == pytest.approx(-0.3, abs=0.06)
    assert found.slope.betas == pytest.approx((0.2, 0.0), abs=0.05)
    assert (found.scores, found.n_authors) == (("distinct", "cosine"), 24)


def test_corpora_conditions_and_classes_weigh_the_same() -> None:
    trials = matrix_result().trials
    one = NormedTrials.of(trials, ("distinct", "cosine"))
    assert len(one.same) == trials.case.sum()
    for kind in (True, False):
        assert one.weights[one.same == kind].sum() == pytest.approx(1)
    with pytest.raises(StudyError, match="No judged trial is left"):
        NormedTrials.of(trials, ("distinct", "cosine"), without="toy")
