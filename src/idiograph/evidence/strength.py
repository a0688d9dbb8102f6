"""What reported values of a method were worth in the published validation: the strength table, which ships as data.

Of the trials whose reported LR lies in a band, the share among same-author trials over the share among different-author
ones that are as close in topic; `docs/validation/strength.py` makes it from the stored trials.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from idiograph.provenance import shipped_file

FILE = "strength.json"
_MORE = 1 + 1e-9  # an LR at an edge went through a logarithm


@dataclass(frozen=True)
class Strength:
    """A band of reported LRs and what they were worth, with the 95 % interval; None where no wrong trial is in it."""

    low: float
    high: float | None  # None: no end
    n_true: int
    n_wrong: int
    worth: float | None
    least: float | None
    most: float | None  # None: no end

    def holds(self, lr: float) -> bool:
        """Whether an LR lies in the band; an edge belongs to the weaker one."""
        if self.low >= 1:
            return self.low * _MORE < lr and (self.high is None or lr <= self.high * _MORE)
        return self.low <= lr * _MORE and self.high is not None and lr * _MORE < self.high


@dataclass(frozen=True)
class StrengthTable:
    """The bands of each method, their source, and the digest of the file."""

    methods: Mapping[str, tuple[Strength, ...]]
    source: str
    digest: str

    def of(self, method: str, lr: float) -> Strength | None:
        """The band of a method that an LR lies in; None between 1/3 and 3, or where the method has none."""
        return next((band for band in self.methods.get(method, ()) if band.holds(lr)), None)


@cache
def strength_table() -> StrengthTable:
    """The table that comes with the project."""
    table, file_digest = shipped_file("idiograph.evidence", FILE)
    methods = {
        method: tuple(
            Strength(**{"least" if key == "from" else "most" if key == "to" else key: row[key] for key in row})
            for row in rows
        )
        for method, rows in table["methods"].items()
    }
    return StrengthTable(methods, table["source"], file_digest)
