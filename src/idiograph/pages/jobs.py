"""Work that takes a while, each piece in a process of its own, long ones one after the other.

What is under way lives here and nowhere else: when the server ends, so does the work, and the case's own trail says
what became of it.
"""

import asyncio
import contextlib
import json
import os
import secrets
import signal
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from idiograph.pages import words

_LONG = ("run", "study")
JobState = Literal["queued", "running", "done", "failed", "stopped"]
_LONGEST_LINE = 256_000_000  # bytes that a piece of work may say at once: the words of a long text, looked up
_KEPT = 50  # pieces of work that are remembered once they have ended
_GRACE = 25.0  # seconds for a stopped piece of work to end by itself
_QUIET = 10.0  # seconds after which a listener hears that the connection still stands


@dataclass
class Job:
    """A piece of work and how far it is."""

    kind: str
    folder: str  # that it is about
    options: dict[str, Any]
    tag: str = ""  # what it was made of, where the options do not say it
    id: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    state: JobState = "queued"
    stages: dict[str, dict[str, Any]] = field(default_factory=dict)  # by name, in order: the last event of each
    warnings: list[str] = field(default_factory=list)
    result: Any = None
    error: str = ""
    unwanted: bool = False  # the user said stop
    process: asyncio.subprocess.Process | None = None
    begun: float = 0.0  # seconds of the clock that only goes on
    seconds: float = 0.0  # that it took
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def ended(self) -> bool:
        return self.over.is_set()

    @property
    def is_under_way(self) -> bool:
        """Whether it is a long piece of work that waits or runs; its folder must not change meanwhile."""
        return self.kind in _LONG and not self.ended

    @property
    def activity(self) -> str:
        """What it does at the moment: it waits, begins, is in a stage, or between two of them."""
        if self.state == "queued":
            return "queued"
        if not self.stages:
            return "beginning"
        return "stage" if any(stage["state"] != "finished" for stage in self.stages.values()) else "between"

    @property
    def shown(self) -> list[dict[str, Any]]:
        """The stages that had anything to do."""
        return [stage for stage in self.stages.values() if stage["state"] != "finished" or stage["done"]]

    @property
    def phase(self) -> int:
        """Which of the three steps of a run it is in, by the stage that was begun last: audit, validation, number."""
        if not any(name.startswith(words.VALIDATION) for name in self.stages):
            return 1
        return 2 if next(reversed(self.stages)).startswith(words.VALIDATION) else 3

    def seen(self) -> dict[str, Any]:
        """How far it is, as plain data for a page."""
        sentence = words.AT_WORK[self.activity]
        return {"state": self.state, "said": sentence, "phase": self.phase, "stages": self.shown, "error": self.error}

    def tell(self) -> None:
        """Wakes everybody who listens."""
        self.changed.set()
        self.changed = asyncio.Event()

    def end(self, state: JobState, error: str = "") -> None:
        """Enters how it ended, and wakes everybody who waits for that."""
        self.state, self.error = state, error
        self.seconds = time.monotonic() - self.begun
        self.over.set()
        self.tell()


class Jobs:
    """The work of the server, one piece at a time."""

    def __init__(self) -> None:
        self.known: dict[str, Job] = {}
        self._one_at_a_time = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self.closing = False

    def start(self, kind: str, folder: str, options: dict[str, Any], *, tag: str = "", queued: bool = False) -> Job:
        """Begins a piece of work, or one like it that is under way; one that is `queued` waits for those before it."""
        same = self.latest(kind, folder)
        if same is not None and not same.ended and (same.options, same.tag) == (options, tag):
            return same
        job = Job(kind, folder, options, tag)
        self._forget()
        self.known[job.id] = job
        task = asyncio.create_task(self._queued(job) if queued else self._work(job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    def latest(self, kind: str, folder: str) -> Job | None:
        """The last piece of work of this kind about this folder."""
        return next((job for job in reversed(self.known.values()) if (job.kind, job.folder) == (kind, folder)), None)

    def under_way(self, folder: str) -> Job | None:
        """The long piece of work that is waiting or running for this folder."""
        return next((job for job in self.known.values() if job.folder == folder and job.is_under_way), None)

    async def stop(self, job: Job) -> None:
        """Stops a piece of work as Ctrl-C would, and in the end by force."""
        if job.ended:
            return
        if job.process is None:
            job.end("stopped", words.STOPPED)
            return
        assert job.process.stdin is not None
        job.unwanted = True
        job.process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(job.over.wait(), _GRACE)
            return
        _kill(job.process)

    async def close(self) -> None:
        self.closing = True
        for job in self.known.values():
            job.tell()
        await asyncio.gather(*(self.stop(job) for job in list(self.known.values())))
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def events(self, job: Job) -> AsyncIterator[str]:
        """What a browser that listens is sent: how far the work is, whenever that changes, until it has ended."""
        while not self.closing:
            changed = job.changed
            yield f"data: {json.dumps(job.seen())}\n\n"
            if job.ended:
                return
            try:
                await asyncio.wait_for(changed.wait(), _QUIET)
            except TimeoutError:
                yield ": still here\n\n"

    async def _queued(self, job: Job) -> None:
        async with self._one_at_a_time:
            await self._work(job)

    async def _work(self, job: Job) -> None:
        if job.ended or self.closing:
            return
        job.state, job.begun = "running", time.monotonic()
        try:
            job.process = process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "idiograph.pages.worker"),
                # Nothing is taken from the folder that the server was started in, which others may have made.
                cwd=sys.prefix,
                env=_environment(),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LONGEST_LINE,
                start_new_session=True,  # Ctrl-C is for the server, which then stops its work in order
            )
        except OSError as error:
            job.end("failed", str(error))
            return
        if job.over.is_set():  # stopped while the process was being made
            _kill(process)
        job.tell()
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(ConnectionError):  # it died at once, or was stopped; what it said tells
            process.stdin.write(json.dumps({"kind": job.kind, "options": job.options}, default=str).encode() + b"\n")
            await process.stdin.drain()
        message: dict[str, Any] = {}
        async for line in process.stdout:
            message = json.loads(line)
            if "progress" in message:
                job.stages[message["progress"]["stage"]] = message["progress"]
            elif "warning" in message:
                job.warnings.append(message["warning"])
            job.tell()
        await process.wait()
        _kill(process)  # helpers of a process that crashed
        if job.over.is_set():
            return
        if "result" in message:
            job.result = message["result"]
            job.end("done")
        elif message.get("stopped") or job.unwanted:
            job.end("stopped", words.STOPPED)
        else:
            job.end("failed", message.get("error", words.CRASHED))

    def _forget(self) -> None:
        ended = [job.id for job in self.known.values() if job.ended]
        for id_ in ended[: max(0, len(ended) - _KEPT)]:
            del self.known[id_]


def _environment() -> dict[str, str]:
    """That of the server, for a process that works elsewhere and whose helpers import nothing from where they are."""
    named = os.environ.get("IDIOGRAPH_CACHE")
    cache = {"IDIOGRAPH_CACHE": str(Path(named).absolute())} if named else {}
    return {**os.environ, **cache, "PYTHONSAFEPATH": "1"}


def _kill(process: asyncio.subprocess.Process) -> None:
    """Ends a piece of work with all its helpers."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
