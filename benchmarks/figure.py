"""A measured figure beside its bar, and the machine it was measured on."""

import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from statistics import median
from time import perf_counter

from idiograph.provenance import versions


@dataclass(frozen=True)
class Figure:
    """One row of the table. `met` is None where there is no bar."""

    name: str
    value: float
    unit: str
    bar: str
    met: bool | None
    how: str


def at_least(name: str, value: float, unit: str, bar: float, how: str) -> Figure:
    """A figure that should be large."""
    return Figure(name, float(value), unit, f"≥ {bar:,g}", bool(value >= bar), how)


def at_most(name: str, value: float, unit: str, bar: float, how: str) -> Figure:
    """A figure that should be small."""
    return Figure(name, float(value), unit, f"≤ {bar:,g}", bool(value <= bar), how)


def seconds(work: Callable[[int], object], *, times: int, warm_up: int = 0) -> float:
    """The median time of work(0), work(1) …, after some calls that are not counted."""
    return in_turns([work], times=times, warm_up=warm_up)[0]


def in_turns(
    works: Sequence[Callable[[int], object]], *, times: int, warm_up: int = 0, rewarm: bool = False
) -> list[float]:
    """The median time of each work, one call of each after the other, so that slow moments of the machine hit all.

    With `rewarm` a call that is not counted goes before each, so that none finds the caches full of another's data.
    """
    taken: list[list[float]] = [[] for _ in works]
    for number in range(-warm_up, times):
        for work, kept in zip(works, taken, strict=True):
            if rewarm:
                work((number + 1) % times)
            start = perf_counter()
            work(number % times)
            if number >= 0:
                kept.append(perf_counter() - start)
    return [median(kept) for kept in taken]


def machine() -> dict[str, str | int]:
    """The processor, its cores and the versions behind a figure."""
    processor = platform.processor() or platform.machine()
    facts = Path("/proc/cpuinfo")
    if facts.is_file():
        named = [line.split(":", 1)[1].strip() for line in facts.read_text().splitlines() if "model name" in line]
        processor = named[0] if named else processor
    return {
        "processor": processor,
        "cores": os.cpu_count() or 1,
        "system": platform.system(),
        **versions(),
        "lambdag": metadata.version("lambdag"),
    }
