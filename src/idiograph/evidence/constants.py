"""The constants that a calibration is pulled towards: learnt on other corpora, shipped as data with their source."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from idiograph.errors import CalibrationError
from idiograph.evidence.pulled import Weights
from idiograph.provenance import digest


@dataclass(frozen=True)
class Constants:
    """Weights learnt on other corpora for a number of reference authors, which scores they are for, and the source."""

    scores: tuple[str, ...]
    n_authors: int
    weights: Weights
    source: str
    digest: str


def constants_for(n_authors: int, scores: tuple[str, ...] = ("distinct", "cosine")) -> Constants:
    """The shipped constants for these scores that were learnt with the nearest number of reference authors."""
    found = [one for one in shipped() if one.scores == scores]
    if not found:
        known = "; ".join(sorted({", ".join(one.scores) for one in shipped()}))
        raise CalibrationError(
            f"There are no constants for the scores {', '.join(scores)}. There are some for: {known}."
        )
    # In ratios: 20 authors are as far from 10 as from 40.
    return min(found, key=lambda one: max(one.n_authors, n_authors) / min(one.n_authors, n_authors))


@cache
def shipped() -> tuple[Constants, ...]:
    """All constants that come with the project."""
    content = (files("idiograph.evidence") / "constants.json").read_bytes()
    own = digest(content)
    table = json.loads(content)
    return tuple(
        Constants(
            tuple(one["scores"]), one["n_authors"], Weights(one["alpha"], tuple(one["betas"])), table["source"], own
        )
        for one in table["constants"]
    )
