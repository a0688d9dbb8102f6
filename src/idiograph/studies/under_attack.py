"""What attacks did to each method: how often an LR misled, what that costs, and how many of them the audit caught."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from idiograph.arithmetic import FloatArray, mean
from idiograph.evidence.llr import to_nats
from idiograph.evidence.metrics import cllr
from idiograph.studies.attacked import ATTACK, CAUGHT
from idiograph.studies.trials import TrialTable

TEN = to_nats(1.0, "bans")


@dataclass(frozen=True)
class UnderAttack:
    """A method under a kind of attack, on one corpus and condition or, where these are empty, on all together.

    Where authors disguised themselves, there are also attacked problems with their own K. Cllr is that of the attacked
    problems; where only different-author ones were attacked, the same-author ones are those of the study. Over several
    corpora and conditions it is the mean.
    """

    corpus: str
    condition: str
    kind: str
    method: str
    n_different: int
    above_1: int
    above_10: int
    n_same: int
    below_1: int
    cllr: float
    n_caught: int  # of all attacked problems


def under_attack(trials: TrialTable) -> tuple[UnderAttack, ...]:
    """By corpus, condition, kind of attack and method; a method that has no LLR for attacked problems is left out."""
    if ATTACK not in trials.table.column_names:
        return ()
    kinds, caught = (trials.column(name) for name in (ATTACK, CAUGHT))
    corpora, conditions = trials.column("corpus"), trials.column("condition")
    found = []
    for corpus, condition in dict.fromkeys(zip(corpora, conditions, strict=True)):
        cell = (corpora == corpus) & (conditions == condition)
        own = cell & trials.case & trials.same
        for kind in dict.fromkeys(kind for kind in kinds[cell] if kind is not None):
            attacked = cell & (kinds == kind)
            same, different = attacked & trials.same, attacked & ~trials.same
            for method in trials.methods:
                llrs = trials.llr(method)
                if np.isnan(llrs[attacked]).any():
                    continue
                found.append(
                    UnderAttack(
                        corpus=corpus,
                        condition=condition,
                        kind=kind,
                        method=method,
                        n_different=int(different.sum()),
                        above_1=_count(llrs[different] > 0),
                        above_10=_count(llrs[different] > TEN),
                        n_same=int(same.sum()),
                        below_1=_count(llrs[same] < 0),
                        cllr=cllr(same=llrs[same if same.any() else own], different=llrs[different]),
                        n_caught=_count(caught[attacked].astype(bool)),
                    )
                )
    return tuple(found)


def all_together(found: Sequence[UnderAttack]) -> tuple[UnderAttack, ...]:
    """The same over all corpora and conditions, by kind of attack and method."""
    together = []
    for kind, method in dict.fromkeys((one.kind, one.method) for one in found):
        cells = [one for one in found if (one.kind, one.method) == (kind, method)]
        counts = {
            name: sum(getattr(one, name) for one in cells)
            for name in ("n_different", "above_1", "above_10", "n_same", "below_1", "n_caught")
        }
        cost = mean([one.cllr for one in cells])
        together.append(UnderAttack(corpus="", condition="", kind=kind, method=method, cllr=cost, **counts))
    return tuple(together)


def _count(true: FloatArray) -> int:
    return int(np.count_nonzero(true))
