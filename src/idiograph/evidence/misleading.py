"""Misleading evidence: how many trials speak for the wrong proposition, and how strongly."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from idiograph.arithmetic import exp, log
from idiograph.errors import InputError
from idiograph.evidence.trials import Pair, Trials, Values, as_values

_LARGEST = 700.0  # nats: the LR is still a double


@dataclass(frozen=True)
class Misleading:
    """How many trials of one class mislead by more than `lr` (same-author trials by less than 1/`lr`).

    `n_authors` counts the authors of that class, `n_misled` those with a trial that misleads: trials that share an
    author are not independent. `upper` is the 95 % upper limit of a rate of 0, by the rule of three over authors.
    """

    same_author: bool
    lr: float
    count: int
    n_trials: int
    n_authors: int | None
    rate: float
    upper: float | None  # where none was found; otherwise the rate speaks
    sentence: str
    n_misled: int | None = None


def misleading(
    *,
    same: Values,
    different: Values,
    same_authors: Sequence[str] | None = None,
    different_authors: Sequence[Pair] | None = None,
    above: Sequence[float] = (1, 10, 100),
) -> tuple[Misleading, ...]:
    """Misleading evidence beyond each LR in `above`, for same-author and for different-author trials."""
    trials = Trials.of(same=same, different=different, same_authors=same_authors, different_authors=different_authors)
    return misleading_of(trials, above=above)


def misleading_of(trials: Trials, *, above: Sequence[float] = (1, 10, 100)) -> tuple[Misleading, ...]:
    """The same, of trials."""
    for lr in (lrs := as_values(above, "LRs above which to count").tolist()):
        if not 1 <= lr < np.inf:
            raise InputError(f"Misleading evidence is counted above LR 1 or more, not {lr}.")
    return tuple(_counted(trials, lr, log(lr), same_author=same_author) for lr in lrs for same_author in (True, False))


def misleading_beyond(trials: Trials, nats: float) -> Misleading:
    """How often a trial of the class that would be misled by it is as strong as an LLR of `nats`."""
    size = abs(nats)
    return _counted(trials, exp(min(size, _LARGEST)), size, same_author=nats < 0)


def _counted(trials: Trials, lr: float, nats: float, *, same_author: bool) -> Misleading:
    wrong = trials.same < -nats if same_author else trials.different > nats
    count, n = int(np.count_nonzero(wrong)), wrong.size
    by_trial = _authors(trials, same_author=same_author)
    if by_trial is None:
        no_limit = "" if count else "; the number of authors is not known, so no upper limit"
        return Misleading(same_author, lr, count, n, None, count / n, None, f"{count:,} of {n:,} trials{no_limit}")
    n_authors = len({author for authors in by_trial for author in authors})
    n_misled = len({author for authors, misled in zip(by_trial, wrong, strict=True) if misled for author in authors})
    upper = None if count else min(1.0, 3 / n_authors)
    said = f"{count:,} of {n:,} trials, with {n_misled} of {n_authors} authors"
    if upper is not None:
        said = f"0 of {n_authors} authors; 95 % upper limit about 3/{n_authors}"
    return Misleading(same_author, lr, count, n, n_authors, count / n, upper, said, n_misled)


def _authors(trials: Trials, *, same_author: bool) -> tuple[tuple[str, ...], ...] | None:
    """The authors of every trial of a class, None where they are not known."""
    if not same_author:
        return trials.different_authors
    return None if trials.same_authors is None else tuple((author,) for author in trials.same_authors)
