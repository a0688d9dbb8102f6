"""Trials whose Q is hardly a text: a word or a line again and again, whose one score can spoil a study."""

from dataclasses import dataclass

import numpy as np

from idiograph.studies.trials import TrialTable

# Ordinary texts have about 2·√N(Q) types that occur once, also after masking.
_FEWEST = 100
_PER_ROOT = 0.4  # V1(Q) / √N(Q); of 31,000 Qs of the open corpora all have more than 0.5 but one, which has 0


@dataclass(frozen=True)
class Degenerate:
    """A questioned text with next to no token type that occurs once, and the trials it is in."""

    corpus: str
    q_id: str
    n_tokens: int
    n_hapaxes: int
    n_trials: int
    furthest: float  # the λG of these trials that is furthest from 0


def degenerate(trials: TrialTable) -> tuple[Degenerate, ...]:
    """Each Q of at least 100 tokens with fewer than 0.4·√N(Q) hapaxes, in the order in which they appear."""
    tokens, hapaxes, scores = (trials.column(name) for name in ("n_tokens", "n_hapaxes", "lambda_g"))
    odd = np.flatnonzero((tokens >= _FEWEST) & (hapaxes < _PER_ROOT * np.sqrt(tokens)))
    corpora, ids = trials.column("corpus"), trials.column("q_id")
    found: dict[tuple[str, str], list[int]] = {}
    for place in odd.tolist():
        found.setdefault((corpora[place], ids[place]), []).append(place)
    return tuple(
        Degenerate(
            corpus=corpus,
            q_id=q_id,
            n_tokens=int(tokens[places[0]]),
            n_hapaxes=int(hapaxes[places[0]]),
            n_trials=len(places),
            furthest=max((float(scores[place]) for place in places), key=abs),
        )
        for (corpus, q_id), places in found.items()
    )
