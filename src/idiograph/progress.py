"""How far the work is: stages that report what is done, and whoever listens: a terminal, a log file, a page.

Whoever works opens a stage with `progress`; whoever shows it gets an `Event` for every step. Unless `listening` names
a listener, a terminal gets bars, and anything else a plain line now and then.
"""

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from idiograph.checking import check
from idiograph.errors import print

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 2.0  # seconds that a stage may take before anybody is told of it
EVERY = 30.0  # seconds between two lines of a log
_RECENT = 10.0  # seconds by whose speed the time left is told: the first steps may have waited for a compiler


@dataclass(frozen=True)
class Event:
    """A stage at one moment."""

    stage: str
    done: float
    total: float | None  # None: not known
    unit: str  # of done and total, in the plural
    seconds: float  # since it began
    state: Literal["started", "running", "finished", "stopped"]  # stopped: by an error or the user
    where: str = ""  # who works, if not this machine alone
    left: float | None = None  # seconds to go at the speed of late

    @property
    def line(self) -> str:
        """The event as a sentence for a log."""
        of = f" of {self.total:,.0f}" if self.total is not None else ""
        if self.state == "started":
            return f"{self.stage}: started" + (f", {self.counted(self.total)}" if self.total is not None else "")
        if self.state == "running":
            where = f", {self.where}" if self.where else ""
            return f"{self.stage}: {self.done:,.0f}{of} {self.unit} after {self.seconds:,.0f} s{where}{self._to_go}"
        if self.state == "stopped":
            return f"{self.stage}: stopped at {self.done:,.0f}{of} {self.unit} after {self.seconds:,.0f} s"
        return f"{self.stage}: finished, {self.counted(self.done)} in {self.seconds:,.0f} s"

    @property
    def said(self) -> str:
        """How far it is and how long it may take, beside its name."""
        if self.state == "finished" or self.total is None:
            return f"{self.seconds:,.0f} s"
        return f"{self.done:,.0f} of {self.counted(self.total)}{self._to_go or f', {self.seconds:,.0f} s'}"

    def counted(self, n: float) -> str:
        """So many of its unit.

        >>> Event("Scoring", 1, 1, "problems", 2.0, "finished").counted(1)
        '1 problem'
        """
        return f"{n:,.0f} {self.unit.removesuffix('s') if n == 1 else self.unit}"

    @property
    def _to_go(self) -> str:
        """The time left at the speed of late, or so far, where that can be said."""
        if self.total is None or not 0 < self.done <= self.total:
            return ""
        left = self.seconds * (self.total - self.done) / self.done if self.left is None else self.left
        return f", about {left:,.0f} s to go" if left < 120 else f", about {left / 60:,.0f} min to go"


Listener = Callable[[Event], None]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_stage: ContextVar["_Stage | None"] = ContextVar("stage", default=None)


class Advance(Protocol):
    """Called with how much was done since the last call."""

    def __call__(self, amount: float = 1, /) -> None: ...


_shown = True


def show_progress(shown: bool) -> None:
    """Whether bars or lines tell how far the work is; they do unless `shown` is False. Listeners get their events."""
    global _shown
    _shown = check(shown, bool, "shown")


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Sends every event of the work inside to `listener`, also from a thread of its own while nothing advances.

    An `Event` has the stage, how much is done of what total, the seconds so far, and a `line` that says it.
    """
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


@contextmanager
def progress(
    label: str, *, total: float | None, unit: str, where: Callable[[], str] | None = None
) -> Iterator[Advance]:
    """A stage of the work; what is done is counted in `unit`, and `where` is asked who works on it at the moment.

    A stage inside another one with the same unit is part of it: its steps count there.
    """
    outer = _stage.get()
    if outer is not None and outer.unit == unit:
        yield outer.advance
        return
    stage = _Stage(label, total, unit, _listener.get() or _usual_listener(), where or (lambda: ""))
    before = _stage.set(stage)
    stage.tell("started")
    waker = threading.Thread(target=stage.tell_now_and_then, daemon=True)
    try:
        waker.start()
    except RuntimeError as error:  # Python's words for a thread whose stack found no room
        _stage.reset(before)
        raise MemoryError from error
    ended: Literal["finished", "stopped"] = "stopped"
    try:
        yield stage.advance
        ended = "finished"
    finally:
        _stage.reset(before)
        stage.over.set()
        waker.join()
        stage.tell(ended)


@dataclass
class _Stage:
    """A stage that is being worked on."""

    name: str
    total: float | None
    unit: str
    listener: Listener
    where: Callable[[], str]
    done: float = 0.0
    start: float = field(default_factory=time.monotonic)
    over: threading.Event = field(default_factory=threading.Event)
    one_at_a_time: threading.Lock = field(default_factory=threading.Lock)
    marks: deque[tuple[float, float]] = field(default_factory=lambda: deque([(0.0, 0.0)]))  # seconds and done, of late

    def advance(self, amount: float = 1, /) -> None:
        self.done += amount
        self.tell("running")

    def tell(self, state: Literal["started", "running", "finished", "stopped"]) -> None:
        with self.one_at_a_time:
            seconds = time.monotonic() - self.start
            where = self.where() if state == "running" else ""
            left = self._left(seconds)
            self.listener(Event(self.name, self.done, self.total, self.unit, seconds, state, where, left))

    def _left(self, seconds: float) -> float | None:
        while len(self.marks) > 1 and self.marks[1][0] <= seconds - _RECENT:
            self.marks.popleft()
        (then, done), last = self.marks[0], self.marks[-1][0]
        if seconds - last >= _RECENT / 20:
            self.marks.append((seconds, self.done))
        if self.total is None or self.done <= done or seconds <= then:
            return None
        return (seconds - then) * (self.total - self.done) / (self.done - done)

    def tell_now_and_then(self) -> None:
        """Says that the stage goes on, also while nothing advances."""
        pause = PATIENCE
        while not self.over.wait(pause):
            self.tell("running")
            pause = min(EVERY, 2 * pause)


def _usual_listener() -> Listener:
    # Imported late: most commands start no process.
    import multiprocessing

    # The main process counts what its helpers do, and a terminal holds one bar at a time.
    if not _shown or multiprocessing.parent_process() is not None or _stage.get() is not None:
        return lambda event: None
    return _Bars() if sys.stderr.isatty() else _Lines()


@dataclass
class _Lines:
    """A line when a stage turns out to be long, one every half minute, and one at its end."""

    told: float | None = None

    def __call__(self, event: Event) -> None:
        if self.told is None and event.seconds < PATIENCE:
            return
        ended = event.state in ("finished", "stopped")
        if self.told is None or ended or event.seconds - self.told >= EVERY:
            self.told = event.seconds
            print(f"idiograph: {event.line}", file=sys.stderr)


@dataclass
class _Bars:
    """A bar with a rate and the time left, once the stage has taken two seconds."""

    bar: "Progress | None" = None
    task: "TaskID | None" = None

    def __call__(self, event: Event) -> None:
        if event.state in ("finished", "stopped"):
            if self.bar is not None:
                self.bar.stop()
            return
        if self.bar is None:
            if event.seconds < PATIENCE:
                return
            self.bar = _bar()
            self.task = self.bar.add_task(event.stage, total=event.total, rate="", where="")
            self.bar.start()
        assert self.task is not None
        rate = f"{event.done / event.seconds:,.0f} {event.unit}/s"
        self.bar.update(self.task, completed=event.done, rate=rate, where=event.where)


def _bar() -> "Progress":
    # Imported late: commands that end at once need no terminal library.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[where]}", markup=False),
        console=Console(stderr=True),
        transient=True,
    )
