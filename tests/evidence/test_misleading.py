"""Misleading evidence: counted on the right side, with an upper limit where none was found."""

import math

import numpy as np
import pytest

from idiograph import InputError, misleading
from idiograph.evidence.performance import misleading_beyond
from idiograph.evidence.trials import Trials


def test_misleading_by_hand() -> None:
    same = np.log([0.5, 0.05, 0.1, 1, 20])
    found = misleading(
        same=same,
        different=np.log([0.5, 10, 150]),
        same_authors=["a", "a", "b", "c", "d"],
        different_authors=[("a", "b"), ("b", "c"), ("c", "a")],
    )
    # LR 1 misleads nobody, and neither 10 nor 1/10 is beyond 10.
    assert [(entry.same_author, entry.lr, entry.count, entry.n_trials) for entry in found] == [
        (True, 1, 3, 5),
        (False, 1, 2, 3),
        (True, 10, 1, 5),
        (False, 10, 1, 3),
        (True, 100, 0, 5),
        (False, 100, 1, 3),
    ]
    none = found[4]
    assert none.sentence == "none of 4 authors; 95 % upper limit: about 3 in 4"
    assert none.upper == 0.75
    # Of the same-author trials below 1 two are by a and one is by b; those above 1 by others are (b, c) and (c, a).
    assert found[0].sentence == "3 of 5 trials, with 2 of 4 authors"
    assert found[1].sentence == "2 of 3 trials, with 3 of 3 authors"
    assert [entry.n_misled for entry in found] == [2, 3, 1, 2, 0, 2]
    assert found[0].upper is None
    assert found[1].n_authors == 3
    assert found[0].rate == pytest.approx(3 / 5)


def test_misleading_without_authors_promises_no_limit() -> None:
    entry = misleading(same=[1], different=[-1])[0]
    assert entry.upper is None
    assert entry.sentence == "0 of 1 trials; the number of authors is not known, so no upper limit"
    assert misleading(same=[-1], different=[-1])[0].sentence == "1 of 1 trials"


def test_other_thresholds_change_what_misleads() -> None:
    entries = misleading(same=[-1], different=[-1], above=[2, 3])
    assert [entry.count for entry in entries if entry.same_author] == [1, 0]
    with pytest.raises(InputError, match=r"above an LR of at least 1, not 0\.5"):
        misleading(same=[1], different=[1], above=[0.5])


def test_too_few_authors_are_refused() -> None:
    with pytest.raises(InputError, match="2 same-author trials and the authors of 1"):
        misleading(same=[1, 2], different=[1], same_authors=["a"])
    with pytest.raises(InputError, match="1 different-author trials and the authors of 0"):
        misleading(same=[1, 2], different=[1], different_authors=[])


def test_how_often_evidence_this_strong_misleads() -> None:
    trials = Trials.of(
        same=[2, -1.5, -3], different=[-2, 1.2, 3], same_authors=["a", "b", "c"],
        different_authors=[("a", "b"), ("b", "c"), ("c", "a")],
    )  # fmt: skip
    for_hp, for_hd = misleading_beyond(trials, math.log(3)), misleading_beyond(trials, -math.log(3))
    # 1.2 and 3 are beyond ln 3 = 1.1, −1.5 and −3 beyond its negative.
    assert (for_hp.same_author, for_hp.count, for_hp.n_trials) == (False, 2, 3)
    assert (for_hd.same_author, for_hd.count, for_hd.n_trials) == (True, 2, 3)
    assert for_hp.lr == pytest.approx(3)
    none = misleading_beyond(trials, 1e6)
    assert (none.count, none.sentence) == (0, "none of 3 authors; 95 % upper limit: about 3 in 3")
    assert math.isfinite(none.lr)
