"""Progress on standard error for whatever takes more than two seconds; silent when that is not a terminal."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

_PATIENCE = 2.0  # seconds before a bar appears


class Advance(Protocol):
    """Called with how much was done since the last call."""

    def __call__(self, amount: float = 1, /) -> None: ...


@contextmanager
def progress(label: str, *, total: float | None, unit: str) -> Iterator[Advance]:
    """A bar with a rate (`unit` a second) and the time left, shown only once the work has taken two seconds."""
    if not sys.stderr.isatty():
        yield lambda amount=1: None
        return
    # Imported late: commands that end at once need no terminal library.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(label, total=total, rate="")
    start = time.monotonic()
    started = False
    done = 0.0

    def advance(amount: float = 1, /) -> None:
        nonlocal started, done
        done += amount
        elapsed = time.monotonic() - start
        if not started and elapsed > _PATIENCE:
            bar.start()
            started = True
        bar.update(task, completed=done, rate=f"{done / max(elapsed, 1e-9):,.0f} {unit}/s")

    try:
        yield advance
    finally:
        if started:
            bar.stop()
