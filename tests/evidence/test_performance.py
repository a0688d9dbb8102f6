"""Performance: one record with the metrics, their intervals and what misled."""

from itertools import permutations

import numpy as np
import pytest

from idiograph import InputError, cllr, intervals, misleading, worst_share
from idiograph.evidence.metrics import METRICS
from idiograph.evidence.performance import performance
from idiograph.evidence.trials import Trials

NAMES = [f"author{i}" for i in range(8)]
RNG = np.random.default_rng(4)
MADE = {
    "same": RNG.normal(1, 1.5, 8),
    "different": RNG.normal(-1, 1.5, 56),
    "same_authors": NAMES,
    "different_authors": list(permutations(NAMES, 2)),
}


def test_everything_that_is_printed_about_trials() -> None:
    found = performance(Trials.of(**MADE), resamples=50, seed=3)
    assert (found.n_authors, found.n_same, found.n_different, found.resamples) == (8, 8, 56, 50)
    assert {name: getattr(found, name) for name in METRICS} == intervals(**MADE, resamples=50, seed=3)
    assert found.cllr.value == pytest.approx(cllr(same=MADE["same"], different=MADE["different"]))
    assert found.worst_share == worst_share(same=MADE["same"], different=MADE["different"])
    assert found.misleading == misleading(**MADE)


def test_without_resamples_there_are_no_intervals() -> None:
    found = performance(Trials.of(**MADE), resamples=0)
    assert (found.resamples, found.cllr.low, found.cllr.high) == (0, None, None)
    assert found.cllr.value is not None


def test_the_authors_must_be_known() -> None:
    with pytest.raises(InputError, match="The authors of the trials are needed"):
        performance(Trials.of(same=[1.0], different=[-1.0]), resamples=0)
