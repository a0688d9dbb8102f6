"""Kills a process after any one of its file operations, or lets one of them fail, to see that nothing is lost.

The work runs in a forked child whose file operations are counted: everything that changes names, contents or their
durability (open for writing, write, truncate, sync, rename, replace, make, remove, change permissions). Nothing
happens to the disk between two of them, so "after one" is also "before the next".
"""

import builtins
import io
import itertools
import os
import signal
import stat
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

if not hasattr(os, "fork"):
    pytest.skip("this system cannot fork", allow_module_level=True)

_OPERATIONS = (
    "replace", "rename", "mkdir", "unlink", "remove", "rmdir", "fsync", "ftruncate", "truncate", "write", "chmod",
    "link", "symlink", "utime",
)  # fmt: skip
_NEVER = 1 << 60
_REFUSED = 3  # the exit status of a child that ended with a sentence


def leftovers(folder: Path) -> list[str]:
    """The names of all that lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


def operations(work: Callable[[], object], *, writes: bool = False) -> int:
    """How many file operations the work takes, with `writes` also each of an open file; it must succeed."""
    ours, theirs = os.pipe()
    status = _in_a_child(work, die_after=_NEVER, report=theirs, writes=writes)
    os.close(theirs)
    with os.fdopen(ours) as lines:
        output = lines.read()
    assert status == 0, f"the work failed by itself (status {status})"
    return int(output)


def killed_after(work: Callable[[], object], operation: int) -> bool:
    """Does the work in a child that kills itself (SIGKILL) after so many file operations; 0 is before the first.

    False where the work was done before it came so far.
    """
    status = _in_a_child(work, die_after=operation)
    if status == 0:
        return False
    assert os.WIFSIGNALED(status), f"was not killed (status {status})"
    assert os.WTERMSIG(status) == signal.SIGKILL
    return True


def every_kill(work: Callable[[], object], prepare: Callable[[], object]) -> Iterator[int]:
    """Does the work again and again, killed one operation later each time, until it is done; `prepare` comes before.

    How many operations there are is not counted beforehand: what a killed neighbour left in the cache adds some.
    """
    for operation in itertools.count():
        prepare()
        if not killed_after(work, operation):
            assert operation, "the work takes no file operation"
            return
        yield operation


def every_fault(
    work: Callable[[], object], prepare: Callable[[], object], error: int, *, once: bool
) -> Iterator[tuple[int, bool]]:
    """Does the work once for each of its operations, which fails with an error number; later ones too unless `once`.

    Gives the number of the operation and whether the work was done all the same. An error that is no sentence fails.
    """
    prepare()
    for operation in range(1, operations(work) + 1):
        prepare()
        status = _in_a_child(work, die_after=_NEVER, fail_at=operation, error=error, once=once)
        assert os.WIFEXITED(status)
        assert os.WEXITSTATUS(status) in (0, _REFUSED), f"no sentence at operation {operation}"
        yield operation, os.WEXITSTATUS(status) == 0


def faulted(work: Callable[[], object], operation: int, error: int, *, once: bool) -> tuple[int, str]:
    """Does the work in a child one of whose operations fails, later ones too unless `once`; its status and errors.

    Every piece that an open file writes is an operation, too.
    """
    with tempfile.TemporaryFile() as file:
        status = _in_a_child(
            work, die_after=_NEVER, fail_at=operation, error=error, once=once, errors=file.fileno(), writes=True
        )
        file.seek(0)
        output = file.read().decode()
    assert os.WIFEXITED(status), f"ended by a signal (status {status})"
    return os.WEXITSTATUS(status), output


def hidden(folder: Path) -> list[str]:
    """Whatever lies hidden in a folder, at any depth."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob(".*"))


def _in_a_child(
    work: Callable[[], object],
    *,
    die_after: int,
    report: int | None = None,
    fail_at: int = _NEVER,
    error: int = 0,
    once: bool = True,
    errors: int | None = None,
    writes: bool = False,
) -> int:
    from idiograph import IdiographError

    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    code = 1
    try:
        if errors is not None:
            sys.stderr = os.fdopen(os.dup(errors), "w", encoding="utf-8", buffering=1)
            sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
        write, count = os.write, _count(die_after, fail_at, error, once, writes)
        work()
        if report is not None:
            write(report, str(count[0]).encode())
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    except IdiographError:
        code = _REFUSED
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _count(die_after: int, fail_at: int, error: int, once: bool, writes: bool) -> list[int]:
    """Patches every operation of this process; the list holds how many there were."""
    count = [0]
    if die_after == 0:
        os.kill(os.getpid(), signal.SIGKILL)

    def counted(operation: Callable[..., Any], changes: Callable[..., bool]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **named: Any) -> Any:
            matters = changes(*arguments, **named)
            if matters and (count[0] + 1 == fail_at if once else count[0] + 1 >= fail_at):
                count[0] += 1
                raise OSError(error, os.strerror(error), str(arguments[0]))
            result = operation(*arguments, **named)
            if matters:
                count[0] += 1
                if count[0] == die_after:
                    os.kill(os.getpid(), signal.SIGKILL)
            return result

        return wrapper

    for name in _OPERATIONS:
        setattr(os, name, counted(getattr(os, name), _is_to_a_file if name == "write" else lambda *_, **__: True))
    os.open = counted(os.open, _opens_to_write)  # type: ignore[assignment]
    builtins.open = io.open = counted(_opening(counted) if writes else io.open, _is_to_write)  # type: ignore[assignment]
    return count


def _opening(counted: Callable[..., Any]) -> Callable[..., Any]:
    """`open` with files that count each piece they write."""
    plain = io.open

    class Counted(io.FileIO):
        write = counted(io.FileIO.write, lambda *_: True)

    def opened(file: Any, mode: str = "r", buffering: int = -1, *text: Any, **named: Any) -> Any:
        if not any(sign in mode for sign in "wax+") or (isinstance(file, int) and not _is_to_a_file(file)):
            return plain(file, mode, buffering, *text, **named)
        closefd, opener = named.pop("closefd", True), named.pop("opener", None)
        raw = Counted(file, mode.replace("b", "").replace("t", ""), closefd, opener)
        if buffering == 0:
            return raw
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, *text, **named)

    return opened


def _opens_to_write(path: object, flags: int, *_: object, **__: object) -> bool:
    return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


def _is_to_a_file(descriptor: int, *_: object) -> bool:
    return stat.S_ISREG(os.fstat(descriptor).st_mode)  # a child process is talked to through pipes


def _is_to_write(file: object, mode: str = "r", *_: object, **__: object) -> bool:
    return not isinstance(file, int) and any(sign in mode for sign in "wax+")
