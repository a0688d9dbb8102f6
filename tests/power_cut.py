"""What a power cut leaves of a folder: the operations of a process are recorded, and the folder is built again of them.

What a file holds is safe once the file was synced; that a name is there, once its folder was. A cut after any operation
leaves one of two worst cases: every name as it was then, of files that hold what was synced last (`names=True`, as
journals do), or only what was synced, names included. Both are built, and a disk leaves something between them.
"""

import builtins
import io
import os
import pickle
import shutil
import tempfile
import traceback
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Step = tuple[Any, ...]


def _opened(descriptor: int) -> Path:
    """The path of what is open."""
    return Path(f"/proc/self/fd/{descriptor}").readlink()


@dataclass
class _Recorder:
    """Knows every file and folder below `root` by a number of its own, since systems give numbers out again."""

    root: Path
    steps: list[Step] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)  # by the system's number

    def number(self, inode: int, *, new: bool = False) -> int:
        if new or inode not in self.numbers:
            self.numbers[inode] = len(self.steps) + 1_000_000 if new else inode
        return self.numbers[inode]

    def entry(self, path: Any, dir_fd: int | None = None) -> tuple[int, str, Path] | None:
        """The folder's number, the name in it and the whole path; None outside of the root."""
        whole = (Path.cwd() if dir_fd is None else _opened(dir_fd)) / os.fsdecode(path)
        if not whole.is_relative_to(self.root) or whole == self.root or not whole.parent.is_dir():
            return None
        return self.number(whole.parent.stat().st_ino), whole.name, whole

    def note_new(self, entry: tuple[int, str, Path] | None) -> None:
        if entry is not None:
            status = entry[2].lstat()
            kind = "folder" if entry[2].is_dir() else "file"
            self.steps.append(("make", *entry[:2], self.number(status.st_ino, new=True), kind))


def recorded(work: Callable[[], object], root: Path) -> list[Step]:
    """Does the work in this process, which must be a child of its own, and gives what it did below `root`."""
    root = root.resolve()
    recorder = _Recorder(root)
    steps = recorder.steps

    def makes(plain: Callable[..., Any], is_to_make: Callable[..., bool]) -> Callable[..., Any]:
        def wrapper(path: Any, *more: Any, **named: Any) -> Any:
            entry = None
            if not isinstance(path, int) and is_to_make(*more, **named):
                entry = recorder.entry(path, named.get("dir_fd"))
            is_new = entry is not None and not os.path.lexists(entry[2])
            result = plain(path, *more, **named)
            if is_new:
                recorder.note_new(entry)
            return result

        return wrapper

    def removes(plain: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(path: Any, *more: Any, **named: Any) -> Any:
            entry = recorder.entry(path, named.get("dir_fd"))
            result = plain(path, *more, **named)
            if entry is not None:
                steps.append(("remove", *entry[:2]))
            return result

        return wrapper

    def moves(plain: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(source: Any, target: Any, **named: Any) -> Any:
            places = recorder.entry(source), recorder.entry(target)
            result = plain(source, target, **named)
            if None not in places:
                steps.append(("move", *places[0][:2], *places[1][:2]))  # type: ignore[index]
            return result

        return wrapper

    def synced(plain: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(descriptor: int) -> Any:
            result = plain(descriptor)
            path = _opened(descriptor)
            if path.is_relative_to(root):
                number = recorder.number(os.fstat(descriptor).st_ino)
                steps.append(("sync", number) if path.is_dir() else ("save", number, path.read_bytes()))
            return result

        return wrapper

    os.open = makes(os.open, lambda flags, *_, **__: bool(flags & os.O_CREAT))  # type: ignore[assignment]
    builtins.open = io.open = makes(io.open, lambda mode="r", *_, **__: any(sign in mode for sign in "wax"))  # type: ignore[assignment]
    os.mkdir = makes(os.mkdir, lambda *_, **__: True)
    for name in ("unlink", "remove", "rmdir"):
        setattr(os, name, removes(getattr(os, name)))
    for name in ("rename", "replace"):
        setattr(os, name, moves(getattr(os, name)))
    os.fsync = synced(os.fsync)  # type: ignore[assignment]
    os.fdatasync = synced(os.fdatasync)  # type: ignore[assignment]
    work()
    return steps


@dataclass
class _Disk:
    """Names by folder, and contents of files: as they are now, and as they are safe."""

    names: dict[int, dict[str, int]] = field(default_factory=dict)
    safe_names: dict[int, dict[str, int]] = field(default_factory=dict)
    safe: dict[int, bytes] = field(default_factory=dict)
    folders: set[int] = field(default_factory=set)

    def read(self, folder: Path) -> None:
        """What is there before, which is safe."""
        number = folder.stat().st_ino
        self.folders.add(number)
        self.names[number], self.safe_names[number] = {}, {}
        for path in folder.iterdir():
            child = path.stat().st_ino
            self.names[number][path.name] = self.safe_names[number][path.name] = child
            if path.is_dir():
                self.read(path)
            else:
                self.safe[child] = path.read_bytes()

    def take(self, step: Step) -> None:
        match step:
            case ("make", folder, name, number, kind):
                self.names.setdefault(folder, {})[name] = number
                if kind == "folder":
                    self.folders.add(number)
                    self.names[number], self.safe_names[number] = {}, {}
            case ("remove", folder, name):
                self.names[folder].pop(name, None)
            case ("move", source, name, target, new):
                self.names[target][new] = self.names[source].pop(name)
            case ("save", number, content):
                self.safe[number] = content
            case ("sync", folder):
                self.safe_names[folder] = dict(self.names[folder])

    def write(self, number: int, target: Path, *, names: bool) -> None:
        """Builds a folder as a cut leaves it."""
        target.mkdir()
        for name, child in (self.names if names else self.safe_names)[number].items():
            if child in self.folders:
                self.write(child, target / name, names=names)
            else:
                (target / name).write_bytes(self.safe.get(child, b""))


@dataclass(frozen=True)
class Recorded:
    """What a process did to a folder, and how the folder was before."""

    folder: Path
    root: int
    before: _Disk
    steps: list[Step]

    def after_a_cut(self, n: int, *, names: bool) -> None:
        """Builds the folder again as a cut after `n` steps leaves it."""
        disk = deepcopy(self.before)
        for step in self.steps[:n]:
            disk.take(step)
        shutil.rmtree(self.folder, ignore_errors=True)
        disk.write(self.root, self.folder, names=names)


def record(work: Callable[[], object], folder: Path) -> Recorded:
    """Does the work in a child and records what it does to a folder."""
    before, root = _Disk(), folder.stat().st_ino
    before.read(folder)
    with tempfile.TemporaryFile() as file:
        child = os.fork()
        if not child:
            code, write = 1, os.write
            try:
                steps = pickle.dumps(recorded(work, folder))
                while steps:
                    steps = steps[write(file.fileno(), steps) :]
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        file.seek(0)
        return Recorded(folder, root, before, pickle.load(file))
