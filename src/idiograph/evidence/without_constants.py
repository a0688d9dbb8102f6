"""What going without the constants costs, as the published validation measured it: shipped as data, quoted by reports.

`docs/validation/without.py` makes the data from the stored trials.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class WithoutConstants:
    """Mean Cllr on English corpora for about so many reference authors, by what holds the fit."""

    n_authors: int
    n_conditions: int
    in_the_study: float  # with constants, calibrated on the reference's own problems
    cllr_with: float
    cllr_without: float  # held as strongly towards saying nothing
    cllr_unheld: float  # held by nothing
    worst_with: float
    worst_without: float
    worst_unheld: float
    n_fits: int
    n_separated: int  # in which same-author and different-author scores do not overlap


@cache
def measured() -> tuple[WithoutConstants, ...]:
    """The shipped figures, the fewest reference authors first."""
    content = json.loads((files("idiograph.evidence") / "without_constants.json").read_bytes())
    return tuple(WithoutConstants(**row) for row in content["rows"])


def shipped_text(rows: Iterable[WithoutConstants], *, source: str) -> str:
    """What ships; `source` says what made it."""
    content = {"schema": 1, "source": source, "rows": [asdict(row) for row in rows]}
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def cost_table() -> str:
    """The figures as a table for the documentation."""
    lines = [
        "| about how many reference authors | conditions | with constants | without | fit that nothing holds |",
        "|---:|---:|---:|---:|---:|",
    ]
    for row in measured():
        pairs = ((row.cllr_with, row.worst_with), (row.cllr_without, row.worst_without))
        cells = [f"{mean:.3f} ({worst:.2f})" for mean, worst in (*pairs, (row.cllr_unheld, row.worst_unheld))]
        lines.append(f"| {row.n_authors} | {row.n_conditions} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def cost_in_words() -> str:
    """What going without the constants cost on English corpora, in a sentence."""
    costs = [f"{row.cllr_without:.3f} instead of {row.cllr_with:.3f} with about {row.n_authors}" for row in measured()]
    return f"{', '.join(costs[:-1])} and {costs[-1]} reference authors"
