"""Does a folder keep what is written there: whole files, one writer at a time, whoever is killed while writing."""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from idiograph.errors import IdiographError, cannot_write
from idiograph.files import Holder, lock, locked, whole_file, write_whole

_BEFORE, _AFTER = b"what was there before\n" * 2_000, b"what came after\n" * 2_000
_FILE, _READY = "record.txt", "ready"


def what_is_wrong(folder: Path) -> Iterator[str]:
    """A sentence for everything that a folder does not do as Idiograph needs it; a real child is killed in there.

    All of it happens in a folder in there that is removed at the end.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix="idiograph-selftest-", dir=folder))
    except OSError as error:
        yield str(cannot_write(folder, error))
        return
    try:
        yield from _tried(scratch)
    except IdiographError as error:
        yield str(error)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _tried(scratch: Path) -> Iterator[str]:
    file = scratch / _FILE
    write_whole(file, _BEFORE)
    if file.read_bytes() != _BEFORE:
        yield f"a file written to {scratch.parent} is not read back as it was written"
    command = [sys.executable, "-P", "-m", "idiograph.laboratory.disk", str(scratch)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        try:
            line = child.stdout.readline() if child.stdout else b""
            if line.strip() != _READY.encode():
                told = (child.stderr.read() if child.stderr else b"").decode(errors="replace").strip()
                yield f"a second process could not lock {scratch.parent} and write there ({told[-200:] or 'it ended'})"
                return
            taken = lock(scratch / ".lock")
            if isinstance(taken, Holder):
                if str(child.pid) not in taken.by:
                    yield f"the lock in {scratch.parent} is held by process {child.pid}, and {taken.by} is named"
            else:
                taken.release()
                yield f"two processes could lock the same folder in {scratch.parent} at the same time"
        finally:
            child.kill()
            child.wait()
    if file.read_bytes() != _BEFORE:
        yield f"a process that was killed while it wrote in {scratch.parent} changed the file that was there"
    with locked(scratch):
        write_whole(file, _AFTER)
    if file.read_bytes() != _AFTER:
        yield f"after a process was killed in {scratch.parent}, what was written next is not there"
    if left := sorted(path.name for path in scratch.iterdir() if path.name != _FILE):
        yield f"a killed process left {', '.join(left)} in {scratch.parent}, and the next one did not remove it"


def main() -> None:
    """Locks a folder, begins to write a file in it, says so and waits to be killed."""
    scratch = Path(sys.argv[1])
    with locked(scratch), whole_file(scratch / _FILE) as part:
        part.write_bytes(_AFTER[: len(_AFTER) // 2])
        print(_READY, flush=True)
        with suppress(KeyboardInterrupt):
            while sys.stdin.buffer.read(1):  # ends with the process that started this one
                time.sleep(0.1)


if __name__ == "__main__":
    main()
