"""How far a value moves with another reference of the same kind, beyond what resampling the authors at hand shows.

    low = v − √((v − r₅)² + (1.645·e)²),   high likewise

v is the value, r₅ and r₉₅ are percentiles of its resamples, and e(n) is what n authors cannot show of others: the least
sd in log10 LR with which ranges by one half of a reference covered nine in ten values by the other half, learnt on the
open corpora and shipped as data with its source.
"""

import math
from dataclasses import dataclass

from idiograph.evidence.constants import for_size
from idiograph.evidence.llr import to_nats
from idiograph.records import shipped_record

FILE = "ranges.json"
TAIL = 1.645  # standard deviations on either side that hold nine tenths


@dataclass(frozen=True)
class Unseen:
    """e for about so many reference authors, and of how many values ranges covered how many on a corpus left out."""

    n_authors: int
    bans: float  # e, in log10 LR
    n_values: int
    n_covered: int

    @property
    def nats(self) -> float:
        """e in nats."""
        return to_nats(self.bans, "bans")


def unseen(n_authors: int) -> Unseen:
    """What ships for about so many reference authors."""
    return for_size((Unseen(**row) for row in shipped_record("idiograph.evidence", FILE)["rows"]), n_authors)


def widened(value: float, low: float, high: float, e: float) -> tuple[float, float]:
    """The range of resamples around a value, by e wider; all in one unit."""
    below, above = (math.sqrt((value - end) * (value - end) + TAIL * TAIL * e * e) for end in (low, high))
    return value - below, value + above
