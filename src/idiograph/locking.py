"""A lock file that tells who holds it, lets go when its process dies, and is gone when it is released."""

import json
import os
import stat
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from platform import node

from idiograph.errors import InputError
from idiograph.provenance import now

_FAR = 1 << 30  # Windows locks bytes against readers too, so one far behind the note is taken
_PAUSE = 0.1  # seconds between two tries
_NOTE = b'{"process": '  # how every note begins
_LONGEST = 4096  # bytes of a note


@dataclass(frozen=True)
class Held:
    """Who holds a lock, and since when (UTC)."""

    by: str
    since: str


@dataclass(frozen=True)
class Lock:
    """A lock that this process holds."""

    path: Path
    descriptor: int

    def release(self) -> None:
        """Lets others in; the file is removed while it is still locked, so that nobody locks a file without a name."""
        if sys.platform == "win32":
            os.close(self.descriptor)
            with suppress(OSError):
                self.path.unlink()
            return
        with suppress(OSError):
            self.path.unlink()
        os.close(self.descriptor)


def lock(path: Path, *, wait: bool = False) -> Lock | Held:
    """The lock, or who holds it if not to `wait` for; that of a process which no longer runs is taken over."""
    while True:
        descriptor = _opened(path)
        try:
            _refuse_foreign(path, descriptor)
            if not _taken(descriptor):
                if not wait:
                    return _holder(descriptor)
                time.sleep(_PAUSE)
            elif _names(path, descriptor):
                # In one piece, over whatever a killed process left there.
                os.ftruncate(descriptor, 0)
                os.lseek(descriptor, 0, os.SEEK_SET)
                note = {"process": os.getpid(), "host": node(), "since": now()}
                try:
                    os.write(descriptor, json.dumps(note).encode())
                except OSError:  # a full disk
                    path.unlink()
                    raise
                kept, descriptor = descriptor, -1
                return Lock(path, kept)
        finally:
            if descriptor >= 0:
                os.close(descriptor)


def _opened(path: Path) -> int:
    """The lock file, made where it is missing; a link is not followed, and a pipe not waited for."""
    flags = os.O_RDWR | os.O_CREAT
    for name in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"):
        flags |= getattr(os, name, 0)
    if not hasattr(os, "O_NOFOLLOW"):
        refuse_link(path)
    try:
        return os.open(path, flags, 0o666)
    except OSError:
        refuse_link(path)
        raise


def refuse_link(path: Path) -> None:
    """An error if a path is a link: a folder that somebody else made could lead anywhere by it."""
    if is_link(path):
        raise InputError(
            f"{path} is a link. Links inside a folder that Idiograph keeps are not followed, because a folder made by "
            "somebody else could lead out of itself by them. Put what it leads to in its place, or remove it."
        )


def is_link(path: Path) -> bool:
    """Whether a path is a symbolic link, or on Windows a junction."""
    try:
        status = path.lstat()
    except (OSError, ValueError):
        return False
    tag = getattr(status, "st_reparse_tag", 0)
    return stat.S_ISLNK(status.st_mode) or (tag != 0 and tag == getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None))


def _refuse_foreign(path: Path, descriptor: int) -> None:
    """An error about a lock file that has a second name, or that holds anything but the note of a process."""
    status = os.fstat(descriptor)
    ours = stat.S_ISREG(status.st_mode) and status.st_nlink <= 1
    if ours and status.st_size:
        os.lseek(descriptor, 0, os.SEEK_SET)
        content = os.read(descriptor, _LONGEST + 1)
        # A power cut can leave zeros in place of the note.
        ours = len(content) <= _LONGEST and (content.startswith(_NOTE) or not content.strip(b"\0"))
    if not ours:
        raise InputError(
            f"{path} is not a lock that Idiograph made, so it is left as it is and nothing was written. Look at what "
            "it is, and move it elsewhere."
        )


def process_runs(process: int) -> bool:
    """Whether a process of this machine runs."""
    if sys.platform == "win32":
        return True  # os.kill would end it there
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _taken(descriptor: int) -> bool:
    """Whether the file could be locked; where the system cannot lock, whether its note names no running process."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, _FAR, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # a file system without locks
        note = _note(descriptor)
        process, host = note.get("process"), note.get("host")
        return not isinstance(process, int) or (host == node() and not process_runs(process))
    return True


def _names(path: Path, descriptor: int) -> bool:
    """Whether the locked file still has its name: its last holder may just have removed it."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _holder(descriptor: int) -> Held:
    note = _note(descriptor)
    if not note:
        return Held("another process", "a moment ago")
    return Held(f"process {note.get('process')} on {note.get('host')}", str(note.get("since")))


def _note(descriptor: int) -> dict[str, object]:
    os.lseek(descriptor, 0, os.SEEK_SET)
    try:
        note = json.loads(os.read(descriptor, _LONGEST))
    except (ValueError, OSError):
        return {}
    return note if isinstance(note, dict) else {}
