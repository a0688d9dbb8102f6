"""Files and folders written whole or not at all, one writer at a time, and the one cache folder.

A process may be killed before or after any of these operations: what was there before is then still there, or is put
back by the next process that comes to the same place, which also removes what the killed one left behind.

A lock file that tells who holds it, lets go when its process dies, and is gone when it is released.
"""

import errno
import json
import os
import shutil
import stat
import sys
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from platform import node

import platformdirs

from idiograph.errors import IdiographError, InputError, cannot_read, cannot_write
from idiograph.provenance import now
from idiograph.records import LARGEST_RECORD, bytes_of_file, record_or_none

_FAR = 1 << 30  # Windows locks bytes against readers too, so one far behind the note is taken
_PAUSE = 0.1  # seconds between two tries
_NOTE = b'{"process": '  # how every note begins
_LONGEST = 4096  # bytes of a note
_PRIVATE = 0o700  # a folder of cases or of results is its owner's alone, and so are the files in it
_MOST = 200_000  # files and folders below one that is looked through
_DEEPEST = 100  # folders inside each other


@dataclass(frozen=True)
class Holder:
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


def lock(path: Path, *, wait: bool = False) -> Lock | Holder:
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
        if path.is_dir():
            raise _not_a_lock(path) from None
        raise


def _not_a_lock(path: Path) -> InputError:
    return InputError(
        f"{path} is not a lock that Idiograph made, so it is left as it is and nothing was written. Look at what it "
        "is, and move it elsewhere."
    )


def refuse_link(path: Path) -> None:
    """An error if a path is a link: a folder that somebody else made could lead anywhere by it."""
    if is_link(path):
        raise InputError(
            f"{path} is a link. Links inside a folder that Idiograph keeps are not followed, because through them a "
            "folder made by somebody else could lead out of itself. Put what it leads to in its place, or remove it."
        )


def is_link(path: Path) -> bool:
    """Whether a path is a symbolic link, or on Windows a junction."""
    try:
        return _leads_elsewhere(path.lstat())
    except (OSError, ValueError):
        return False


def _leads_elsewhere(status: os.stat_result) -> bool:
    tag = getattr(status, "st_reparse_tag", 0)
    return stat.S_ISLNK(status.st_mode) or (tag != 0 and tag == getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None))


def bytes_without_link(path: Path, *, most: int = LARGEST_RECORD) -> bytes:
    """The bytes of a file of a folder that somebody else may have made; an error for a link, a pipe or a device."""
    refuse_link(path)
    return bytes_of_file(path, most=most, links=False)


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
        raise _not_a_lock(path)


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


def _holder(descriptor: int) -> Holder:
    note = _note(descriptor)
    if not note:
        return Holder("another process", "a moment ago")
    return Holder(f"process {note.get('process')} on {note.get('host')}", str(note.get("since")))


def _note(descriptor: int) -> dict[str, object]:
    os.lseek(descriptor, 0, os.SEEK_SET)
    try:
        return record_or_none(os.read(descriptor, _LONGEST), halves=True) or {}
    except OSError:
        return {}


_LOCK = ".lock"
_parts: set[str] = set()  # files that this process is writing


def cache_folder() -> Path:
    """The only place outside the user's own folders that Idiograph writes to; made for its owner alone."""
    named = os.environ.get("IDIOGRAPH_CACHE")
    folder = Path(named) if named else Path(platformdirs.user_cache_dir("idiograph", appauthor=False))
    with suppress(OSError):  # it is there, or whoever writes to it will say what is wrong
        folder.mkdir(mode=_PRIVATE, parents=True)
    return folder


def make_usable(folder: Path, *, room: int) -> None:
    """Makes a folder; an OSError if nothing can be written there, or its disk has less room (bytes)."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"x")
    if shutil.disk_usage(folder).free < room:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


SCRATCH = "scratch"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """An empty folder in the cache folder, gone at the end: nothing of a case lies about in the system's own."""
    try:
        scratch = _new_scratch_folder(cache_folder() / SCRATCH)
    except OSError as error:
        raise cannot_write(cache_folder(), error) from error
    _parts.add(scratch.name)
    try:
        yield scratch
    finally:
        _parts.discard(scratch.name)
        _remove(scratch)
        with suppress(OSError):
            scratch.parent.rmdir()


def _new_scratch_folder(parent: Path, *, tries: int = 100) -> Path:
    """A new folder in there; another process may remove the parent, empty as it is, between any two of these steps."""
    while True:
        try:
            parent.mkdir(parents=True, exist_ok=True)
            for left in parent.iterdir():
                if _is_abandoned(left.name):
                    _remove(left)
            return Path(tempfile.mkdtemp(prefix=_own_prefix(""), suffix=".part", dir=parent))
        except (FileNotFoundError, FileExistsError):  # it went before the next step, or while mkdir looked what it is
            tries -= 1
            if not tries:
                raise


def remove_from_cache(name: str) -> None:
    """Removes what the cache folder has under a name, whatever it is: nothing is opened, and no link is followed.

    Of the scratch folders those stay in which a process is at work.
    """
    folder = cache_folder()
    path = folder / name
    try:
        if name == SCRATCH and _is_folder(path):
            for left in path.iterdir():
                if not _is_at_work(left.name):
                    _remove(left, strict=True)
            _sync_folder(path)
            with suppress(OSError):
                path.rmdir()
        else:
            if _is_folder(path):
                # Whoever is at work in there goes on with what it has open, and the next one begins anew.
                with suppress(OSError):
                    path.replace(folder / f".{name}.{os.getpid()}{_CLEARED}")
            _remove(path, strict=True)
            for left in folder.glob(f".{name}.*{_CLEARED}"):
                _remove(left, strict=True)
        _sync_folder(folder)  # a power cut brings nothing back
    except OSError as error:
        raise cannot_write(path, error) from error


_CLEARED = ".cleared"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps every other process out of a folder, which is made where it is missing; an error says who is in it.

    The lock of a process that was killed is taken over.
    """
    try:
        new_folders = _make(folder, mode=_PRIVATE)
    except OSError as error:
        raise cannot_write(folder, error) from error
    try:
        with _alone(folder / _LOCK, folder):
            yield
    finally:
        # A run that ended before it wrote anything leaves no empty folders.
        with suppress(OSError):
            for path in new_folders:
                path.rmdir()


@contextmanager
def _alone(path: Path, what: Path, *, wait: bool = False) -> Iterator[None]:
    try:
        held = lock(path, wait=wait)
    except OSError as error:
        raise cannot_write(what, error) from error
    if isinstance(held, Holder):
        raise InputError(
            f"{what} is in use: {held.by} has been writing to it since {held.since}. Wait until that is done, or "
            "name another folder."
        )
    try:
        yield
    finally:
        held.release()


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; it becomes `path` at the end, or vanishes on any error.

    The data reach the disk before the name does, so a killed process or a full disk leaves the old file or none. It is
    its owner's alone, unless there is one already whose permissions say otherwise.
    """
    try:
        _make(path.parent)
        for left in path.parent.iterdir():
            if left.name.startswith(f".{path.name}.") and _is_abandoned(left.name):
                left.unlink(missing_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=_own_prefix(path.name), suffix=".part", dir=path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error
    os.close(descriptor)
    part = Path(name)
    _parts.add(part.name)
    try:
        yield part
        _sync(part)
        if path.is_file():
            part.chmod(stat.S_IMODE(path.stat().st_mode))
        part.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        _parts.discard(part.name)
        with suppress(OSError):  # a disk that fails has been said already; what is left is removed later
            part.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes text (UTF-8, line ends as given) or bytes to `path`, whole or not at all."""
    with whole_file(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def whole_folder(path: Path, *, force: bool = False, wait: bool = False) -> Iterator[Path]:
    """A folder beside `path` to fill; it becomes `path` at the end, or vanishes on any error.

    An existing folder that holds anything is refused unless `force`; it is replaced once the new one is complete.
    While another process fills it, that is an error; with `wait` it is waited for.
    """
    part, old = path.with_name(f".{path.name}.part"), _old(path)
    try:
        _make(path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error
    with _alone(path.with_name(f".{path.name}{_LOCK}"), path, wait=wait):
        try:
            _put_back(path)
            refuse_to_overwrite(path, force=force)
            part.mkdir(mode=_PRIVATE)
            yield part
            for file in part.rglob("*"):
                _sync_folder(file) if file.is_dir() else _sync(file)
            _sync_folder(part)
            if path.exists():
                path.replace(old)
            part.replace(path)
            _sync_folder(path.parent)
        except OSError as error:
            raise cannot_write(path, error) from error
        finally:
            with suppress(OSError):
                _put_back(path)


def refuse_left_hidden(path: Path) -> None:
    """An error about a folder that a killed `whole_folder` left hidden: readers change nothing, not even that."""
    old = _old(path) if path.name else path
    if old != path and not os.path.lexists(path) and _is_folder(old):
        raise InputError(
            f"{path} is not there, but {old} is: the folder as it was when a process that was putting another in its "
            f"place was killed. Reading changes nothing, so rename {old.name} to {path.name}, or run again the command "
            "that was writing it, which puts it back first."
        )


def put_all_back(folder: Path) -> None:
    """Puts back what kills left hidden in a folder that this process has locked, and removes the rest of it."""
    for left in folder.glob(".*.old"):
        _put_back(folder / left.name.removeprefix(".").removesuffix(".old"))
    remove_hidden(folder)


def _put_back(path: Path) -> None:
    """Gives a folder its name again that a killed `whole_folder` left hidden, and removes what else it left."""
    part, old = path.with_name(f".{path.name}.part"), _old(path)
    if os.path.lexists(old):
        if path.exists() or not _is_folder(old):
            _remove(old)
        else:
            old.replace(path)
            _sync_folder(path.parent)
    if os.path.lexists(part):
        _remove(part)


def _old(path: Path) -> Path:
    """What a folder is called for the moment in which another one takes its name."""
    return path.with_name(f".{path.name}.old")


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not is_link(path)


def refuse_links(folder: Path, names: Iterable[str] | None = None) -> None:
    """An error if anything of these names in a folder (else anything), or below it, is a link, a pipe or a device.

    What Idiograph keeps is files and folders. A folder made by somebody else could lead out of itself by anything else.
    """
    for start in [folder] if names is None else [folder / name for name in names]:
        if start != folder and os.path.lexists(start):
            _refuse_strange(start, start.lstat(), folder)
        for path, status in everything_below(start):
            _refuse_strange(path, status, folder)


def _refuse_strange(path: Path, status: os.stat_result, folder: Path) -> None:
    refuse_link(path)
    if stat.S_ISDIR(status.st_mode):
        if status.st_dev != folder.stat().st_dev:
            raise InputError(
                f"{path} is another disk, mounted there. A folder that Idiograph keeps lies on one disk, so nothing "
                "was read or written. Unmount it, and copy what it holds if it belongs there."
            )
    elif not stat.S_ISREG(status.st_mode):
        raise InputError(
            f"{path} is a pipe, socket or device. A folder that Idiograph keeps holds files and folders alone, "
            "so nothing was read or written. Remove it."
        )


def everything_below(folder: Path) -> list[tuple[Path, os.stat_result]]:
    """Every path below a folder, in order, with what it is; no link is followed. A folder without end is refused."""
    paths: list[tuple[Path, os.stat_result]] = []
    waiting = [(folder, 1)] if folder.is_dir() else []
    while waiting:
        opened, depth = waiting.pop()
        try:
            with os.scandir(opened) as entries:
                here = [(opened / entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
        except OSError as error:
            raise cannot_read(opened, error) from error
        paths += here
        inside = [path for path, status in here if stat.S_ISDIR(status.st_mode) and not _leads_elsewhere(status)]
        waiting += [(path, depth + 1) for path in inside]
        if len(paths) > _MOST or (inside and depth >= _DEEPEST):
            raise InputError(
                f"{folder} holds more than {_MOST:,} files and folders, or more than {_DEEPEST} folders inside each "
                "other, and no more are looked through. Name a folder that holds the case alone."
            )
    return sorted(paths)


def remove_hidden(folder: Path) -> None:
    """Removes what killed processes left in a folder that this one has locked: everything hidden but the lock."""
    for left in folder.iterdir() if folder.is_dir() else ():
        if left.name.startswith(".") and left.name.endswith((".part", ".old", _LOCK)) and left.name != _LOCK:
            _remove(left)


def refuse_to_overwrite(path: Path, *, force: bool) -> None:
    """An error if `path` is a file or a folder with something in it and `force` is not set."""
    occupied = path.is_file() or (path.is_dir() and any(path.iterdir()))
    if occupied and not force:
        raise InputError(f"{path} already exists and is not overwritten. Name another place or pass --force.")


def refuse_inside(folder: Path, inputs: Iterable[Path]) -> None:
    """An error about a folder of results inside one that is read: the next run would read what this one writes."""
    for source in inputs:
        try:
            inside = source.is_dir() and folder.resolve().is_relative_to(source.resolve())
        except (OSError, RuntimeError):  # what cannot be looked at is refused where it is read
            inside = False
        if inside:
            raise InputError(
                f"{folder} lies inside {source}, whose files are read as texts: what is written there would be read "
                "with them. Name a folder outside it."
            )


def refuse_way_out(path: Path, folder: Path, error: type[IdiographError] = InputError) -> None:
    """An error if a path that a file in `folder` names lies in there by its name, and elsewhere by a link."""
    try:
        named = Path(os.path.normpath(path)).is_relative_to(os.path.normpath(folder))
        lies = path.resolve()
        out = named and not lies.is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # what cannot be looked at is refused where it is read
        return
    if out:
        raise error(
            f"{path} leads through a link to {lies}, outside the folder of the file that names it. Such a link is "
            "not followed, because somebody else may have made it. Copy what is meant into the folder, or write in the "
            "file where it really lies."
        )


def as_path(path: Path | str, what: str) -> Path:
    """A path given as text or as a path; `what` says in an error which one it is. An empty one would be this folder."""
    try:
        usable = isinstance(path, str | Path) and bool(str(path).strip()) and b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        usable = False
    if not usable:
        raise InputError(f"{what} is {path!r}. Give a path, as text or as a pathlib.Path.")
    return Path(path)


def _own_prefix(name: str) -> str:
    """The start of a temporary name that says whose it is: the file's name, this machine and this process."""
    return f".{name}.{_MACHINE:08x}-{os.getpid()}-"


_MACHINE = zlib.crc32(node().encode())


def _is_abandoned(name: str) -> bool:
    """Whether a temporary name is that of a process of this machine that runs no longer."""
    process = _process_of(name)
    if process is None or name in _parts:
        return False
    return process == os.getpid() or not process_runs(process)


def _is_at_work(name: str) -> bool:
    """Whether a temporary name is that of a process of this machine that runs, and of something it still needs."""
    process = _process_of(name)
    return name in _parts or (process is not None and process != os.getpid() and process_runs(process))


def _process_of(name: str) -> int | None:
    """The process of this machine that a temporary name tells of."""
    machine, _, rest = name.removesuffix(".part").rpartition(".")[2].partition("-")
    process = rest.partition("-")[0]
    ours = name.endswith(".part") and machine == f"{_MACHINE:08x}" and process.isdecimal()
    return int(process) if ours else None


def _remove(path: Path, *, strict: bool = False) -> None:
    """Removes a file, a link or a folder with all that is in it; what cannot go stays, or is an OSError if `strict`."""
    if not _is_folder(path):
        path.unlink(missing_ok=True)
        return
    try:
        shutil.rmtree(path, ignore_errors=not strict)
    except RecursionError:  # folders without end
        waiting = [path]
        while waiting:
            folder = waiting.pop()
            for inside in list(folder.iterdir()):
                if _is_folder(inside):
                    waiting.append(inside.rename(path / f".{os.urandom(8).hex()}"))
                else:
                    inside.unlink()
            if folder != path:
                folder.rmdir()
        path.rmdir()


def _make(folder: Path, *, mode: int = 0o777) -> list[Path]:
    """Makes a folder and those above it; which of them are new. Their names last, as do those of what is put there."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(mode=mode, parents=True, exist_ok=True)
    for path in new:
        with suppress(PermissionError):  # who may make a folder here need not be allowed to read
            _sync_folder(path.parent)
    return new


def _sync(path: Path) -> None:
    with path.open("rb+") as written:
        os.fsync(written.fileno())


def _sync_folder(folder: Path) -> None:
    """Makes the names in a folder durable; where the system has no such call it does so by itself."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems refuse it
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
