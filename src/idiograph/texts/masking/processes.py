"""Processes that mask beside this one: started afresh, without the user's script and without the current folder.

Each is a `python -P` that gets its work through a pipe, so a script needs no `if __name__ == "__main__":`, and no file
that lies about is imported in place of a module.
"""

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, NamedTuple

from idiograph.errors import MaskingError
from idiograph.texts.masking import tagger
from idiograph.texts.masking.rules import Masking, mask_contents


class Masked(NamedTuple):
    """Contents masked and packed, and the way in which they were tagged."""

    packed: list[bytes]
    way: str


class Processes:
    """So many processes at most; each starts with its first work and loads the model then."""

    def __init__(self, how: Masking, n: int) -> None:
        self._how = how
        self._threads = ThreadPoolExecutor(n, thread_name_prefix="masking")
        self._mine = threading.local()
        self._started: list[subprocess.Popen[bytes]] = []
        self._closed = False

    def submit(self, contents: Sequence[str]) -> "Future[Masked]":
        return self._threads.submit(self._masked, contents)

    def __enter__(self) -> "Processes":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._closed = True
        for process in self._started:
            process.kill()  # what is not asked for any more need not be finished
        self._threads.shutdown(cancel_futures=True)
        for process in self._started:
            process.communicate()

    def _masked(self, contents: Sequence[str]) -> Masked:
        try:
            if not hasattr(self._mine, "process"):
                self._mine.process = self._start()
            process = self._mine.process
            pickle.dump(contents, process.stdin)
            process.stdin.flush()
            answer = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise MaskingError(
                "A masking process was ended from outside, perhaps for lack of memory. Run it again with fewer "
                "workers; what was masked so far is in the cache."
            ) from error
        if isinstance(answer, BaseException):
            raise answer
        assert isinstance(answer, Masked)
        return answer

    def _start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-P", "-c", f"from {__name__} import serve; serve()"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._started.append(process)
        if self._closed:  # while it started
            process.kill()
        assert process.stdin is not None
        pickle.dump(self._how, process.stdin)
        return process


def serve() -> None:
    """Masks what comes in until nothing more comes."""
    # Ctrl-C reaches the whole group; the first process is the one to act on it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed goes where messages go
    try:
        how = pickle.load(questions)
        while True:
            contents = pickle.load(questions)
            pickle.dump(_answer(contents, how), answers)
            answers.flush()
    except (EOFError, OSError):
        return


def _answer(contents: Sequence[str], how: Masking) -> Any:
    try:
        loaded = tagger.load_tagger(how.model)
        return Masked([masked.pack() for masked in mask_contents(contents, how, loaded)], loaded.way)
    except Exception as error:  # said where the work was asked for
        return error
