"""Leaving authors out: every trial is judged by what was learnt from trials of other authors."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from idiograph.errors import CalibrationError
from idiograph.evidence.calibration import Separation
from idiograph.evidence.scores import ScoredTrials, Scores
from idiograph.evidence.trials import FloatArray


class Learnt(Protocol):
    """What a method learnt from a training set: it turns scores into LLRs."""

    @property
    def separation(self) -> Separation: ...

    def nats(self, scores: Scores) -> FloatArray:
        """LLRs in nats, one per score."""
        ...


Learn = Callable[[ScoredTrials], Learnt]


@dataclass(frozen=True, eq=False)
class LeftOut:
    """LLRs in nats, one per trial, each learnt without the trial's authors; and how the fits went."""

    nats: FloatArray
    n_fits: int
    n_perfect: int
    n_near: int


def leave_authors_out(judged: ScoredTrials, learn: Learn, *, training: ScoredTrials | None = None) -> LeftOut:
    """The LLR of each trial by what `learn` makes of the training trials that share no author with it.

    Without a training set of their own, the trials train each other.
    """
    training = judged if training is None else training
    places: dict[str, list[int]] = {}
    for place, involved in enumerate(zip(training.k_authors, training.q_authors, strict=True)):
        for author in set(involved):
            places.setdefault(author, []).append(place)
    # Trials with the same authors are judged together: by nobody's absence, where none of them is in the training set.
    together: dict[tuple[str, ...], list[int]] = {}
    for place, involved in enumerate(zip(judged.k_authors, judged.q_authors, strict=True)):
        together.setdefault(tuple(sorted({*involved} & places.keys())), []).append(place)
    nats = np.empty(len(judged))
    kinds = []
    for authors, own in together.items():
        kept = np.ones(len(training), bool)
        for author in authors:
            kept[places[author]] = False
        learnt = _learnt_without(authors, training.take(kept), learn)
        nats[own] = learnt.nats(judged.take(np.array(own)))
        kinds.append(learnt.separation.kind)
    return LeftOut(nats, len(kinds), kinds.count("perfect"), kinds.count("near"))


def _learnt_without(authors: tuple[str, ...], training: ScoredTrials, learn: Learn) -> Learnt:
    n_same = int(np.count_nonzero(training.same_author))
    n_different = len(training) - n_same
    without = f"Without {' and '.join(authors)} there" if authors else "There"
    if not (n_same and n_different):
        raise CalibrationError(
            f"{without} remain {n_same} same-author and {n_different} different-author trials to learn from. "
            "Calibration needs both kinds, so add trials by other authors."
        )
    try:
        return learn(training)
    except CalibrationError as error:
        if not authors:
            raise
        raise CalibrationError(f"Calibrating without {' and '.join(authors)}: {error}") from error
