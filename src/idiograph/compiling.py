"""Numba's compiled code: kept in the cache folder, in memory where that cannot be written, never beside the source.

Loading it runs whatever a file says, so each file begins with a keyed digest of the rest: one that is damaged, or was
not made by this user in this very folder, is thrown away and compiled anew.
"""

import hmac
import os
import pickle
import secrets
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

import numba
import numpy
from llvmlite import binding
from numba.core import caching, dispatcher, event, serialize
from numba.core import config as numba_config
from numba.core.runtime import nrt
from numba.extending import register_jitable

from idiograph import elementary
from idiograph.errors import print, refuse_too_little_memory
from idiograph.files import cache_folder, make_usable
from idiograph.provenance import digest
from idiograph.records import bytes_of_file

F = TypeVar("F", bound=Callable[..., Any])

config: Any = numba_config  # its settings are made at run time
_files: Any = caching
_dispatching: Any = dispatcher
_runtime: Any = nrt
_cache_of_numba: Any = caching.FunctionCache
_dumps: Any = serialize.dumps

# Where kernels and whatever they call may stand: all of it is digested, so that none can be forgotten.
_SOURCES = ("compiling.py", "elementary.py", "grammar/*.py", "evidence/*.py", "texts/masking/fast/*.py")
_ready: set[Callable[..., Any]] = set()  # kernels that have run in this process
_told: set[str] = set()
_LOADED_ALONE = ("0.68.1",)  # versions of Numba whose kept code was tried without its compiler
_COMPILING = 100_000_000  # bytes of memory that compiling and loading take; without them LLVM ends the process
_ROOM = 4_000_000  # bytes that the compiled code needs; a disk that is full to that extent is not used

# Kernels may call exp and the logarithms.
for _function in vars(elementary).values():
    if isinstance(_function, FunctionType):
        register_jitable(_function)


def compiled(kernel: F) -> F:
    """The kernel, compiled on first use and run without the interpreter lock."""
    return _decorated(numba.njit(nogil=True, cache=_cached(), error_model="numpy"), kernel)


def compiled_inline(kernel: F) -> F:
    """A kernel that becomes part of those that call it."""
    return _decorated(numba.njit(inline="always", error_model="numpy"), kernel)


@cache
def elementwise(function: Callable[[float], float]) -> Callable[[Any], Any]:
    """A function of `elementary` for arrays of any shape."""
    if jit_disabled():
        return numpy.vectorize(function, otypes=[numpy.float64])
    vectorize: Any = numba.vectorize
    try:
        return _decorated(vectorize(["float64(float64)"], nopython=True, cache=_cached()), function)
    except OSError as error:
        _say_not_kept(error)
        return _decorated(vectorize(["float64(float64)"], nopython=True), function)


def _decorated(decorate: Callable[[Any], Any], kernel: F) -> F:
    # Set for the moment of decoration only: other users of Numba in this process keep their own folder and files.
    before = config.CACHE_DIR, _files.IndexDataCacheFile, _dispatching.FunctionCache
    config.CACHE_DIR, _files.IndexDataCacheFile = str(_folder()), _KeptCode
    _dispatching.FunctionCache = _KeptKernels
    try:
        decorated: F = decorate(kernel)
    finally:
        config.CACHE_DIR, _files.IndexDataCacheFile, _dispatching.FunctionCache = before
    return decorated


class _KeptKernels(_cache_of_numba):  # type: ignore[misc]
    """Compiled code, loaded without the compiler: a third of a second and 50 MB that only compiling needs."""

    def load_overload(self, signature: Any, target: Any) -> Any:
        if numba.__version__ not in _LOADED_ALONE:
            return super().load_overload(signature, target)
        # What the code itself may call; the rest stands in it.
        for name, address in _runtime._nrt.c_helpers.items():
            binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
        refuse_too_little_memory(_COMPILING)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, target)


class _KeptCode(caching.IndexDataCacheFile):
    """The files of one kernel: an index of its signatures and the code for each, every one behind a keyed digest."""

    _cache_path: str
    _index_path: str
    _source_stamp: object
    _version: str

    def _load_index(self) -> Any:
        content = self._read(self._index_path)
        if content is None:
            return {}
        version, stamp, overloads = pickle.loads(content)
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: Any) -> None:
        self._write(self._index_path, _dumps((self._version, self._source_stamp, overloads)))

    def _load_data(self, name: str) -> Any:
        content = self._read(str(Path(self._cache_path) / name))
        if content is None:
            raise OSError  # which Numba takes for a file that is gone
        return pickle.loads(content)

    def _save_data(self, name: str, data: Any) -> None:
        self._write(str(Path(self._cache_path) / name), _dumps(data))

    def _read(self, path: str) -> bytes | None:
        """The content of a file that is ours; any other is thrown away."""
        try:
            kept = bytes_of_file(Path(path))
        except FileNotFoundError:
            return None
        except OSError:  # a pipe, which nobody waits for
            kept = b""
        content = kept[_DIGEST_SIZE:]
        if hmac.compare_digest(kept[:_DIGEST_SIZE], _keyed(path, content)):
            return content
        _say(
            f"Compiled code in {cache_folder()} is damaged, or was made elsewhere. It is thrown away and compiled "
            "again."
        )
        with suppress(OSError):
            Path(path).unlink()
        return None

    def _write(self, path: str, content: bytes) -> None:
        with self._open_for_write(path) as file:
            file.write(_keyed(path, content) + content)


_DIGEST_SIZE = 32  # bytes


def _keyed(path: str, content: bytes) -> bytes:
    key = _key()
    assert key is not None, "nothing is kept without a key"
    return hmac.digest(key, Path(path).name.encode() + b"\0" + content, "sha256")


KEY = "key"
_TRIES = 100


@cache
def _key() -> bytes | None:
    """The secret of this cache folder; None where none can be kept.

    Random bytes in a file of the user's own, together with when the system last noted a change of that file. Nobody
    can set that time, so a folder that was copied, unpacked or received has another secret than it was made with.
    """
    path = cache_folder() / KEY
    for _ in range(_TRIES):
        try:
            with suppress(FileExistsError):
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
                try:
                    os.write(descriptor, secrets.token_bytes(_DIGEST_SIZE))
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)
            descriptor = os.open(path, os.O_RDONLY | _AS_IT_IS | _BINARY)
            try:
                content, status = os.read(descriptor, _DIGEST_SIZE + 1), os.fstat(descriptor)
            finally:
                os.close(descriptor)
        except OSError:
            return None
        private = _is_ours(status) and (sys.platform == "win32" or not status.st_mode & 0o077)
        private = private and stat.S_ISREG(status.st_mode)
        if len(content) == _DIGEST_SIZE and private:
            return hmac.digest(content, f"{status.st_ino} {status.st_ctime_ns}".encode(), "sha256")
        if content or not private:
            with suppress(OSError):
                path.unlink()
        time.sleep(0.02)  # another process may be about to write it
    with suppress(OSError):
        path.unlink()  # it was killed before it did
    return None


_BINARY = getattr(os, "O_BINARY", 0)
_AS_IT_IS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # no link is followed, no pipe waited for


def _is_ours(status: os.stat_result) -> bool:
    return sys.platform == "win32" or status.st_uid == os.getuid()


@cache
def kernels_digest() -> str:
    """SHA-256 of the source of all kernels."""
    package = Path(__file__).parent
    return digest(b"".join(path.read_bytes() for pattern in _SOURCES for path in sorted(package.glob(pattern))))


@cache
def _folder() -> Path:
    # Named after the content of all kernels: Numba does not notice a change in a kernel that another one calls.
    return cache_folder() / "numba" / kernels_digest()[:16]


@cache
def _cached() -> bool:
    return not jit_disabled() and _writable(_folder()) and _is_private(_folder()) and _key() is not None


def jit_disabled() -> bool:
    """Whether NUMBA_DISABLE_JIT is set: the kernels then run as plain Python."""
    return bool(config.DISABLE_JIT)


def run(kernel: Callable[..., Any], *arguments: object) -> Any:
    """The kernel's result; says so on standard error if it has to be compiled, or cannot be kept, first."""
    if kernel in _ready:
        return kernel(*arguments)
    if jit_disabled():
        with numpy.errstate(all="ignore"):  # as compiled code does
            return kernel(*arguments)
    with event.install_listener("numba:compile", _Announcer()):
        try:
            result = kernel(*arguments)
        except OSError as error:
            # The code is compiled by then; only keeping it failed (a full disk).
            _say_not_kept(error)
            result = kernel(*arguments)
    _ready.add(kernel)
    return result


class _Announcer(event.Listener):
    def on_start(self, event: Any) -> None:
        refuse_too_little_memory(_COMPILING)
        _say("Compiling the engine for this machine; this happens once and takes some seconds.")

    def on_end(self, event: Any) -> None:
        pass


def _writable(folder: Path) -> bool:
    try:
        make_usable(folder, room=_ROOM)
    except OSError as error:
        _say(
            f"{folder} cannot be written ({error.strerror or error}), so the engine is compiled again in every "
            "process. "
            "Set IDIOGRAPH_CACHE to a folder that can be written to."
        )
        return False
    return True


def _is_private(folder: Path) -> bool:
    """Whether the folder of the code, up to the cache folder, is the user's own; others are kept from writing to it."""
    for path in (folder, folder.parent, folder.parent.parent):
        try:
            status = path.stat() if path == folder.parent.parent else path.lstat()  # the user may name a link
            if not _is_ours(status) or not stat.S_ISDIR(status.st_mode):
                raise PermissionError("it is a link, or belongs to another user")
            if status.st_mode & 0o022:
                path.chmod(stat.S_IMODE(status.st_mode) & ~0o022)
        except OSError as error:
            _say(
                f"{path} is not used for compiled code ({error.strerror or error}), so the engine is compiled again in "
                "every process. Set IDIOGRAPH_CACHE to a folder of your own."
            )
            return False
    return True


def _say_not_kept(error: OSError) -> None:
    _say(f"The compiled code could not be kept in {cache_folder()} ({error.strerror or error}).")


def _say(sentence: str) -> None:
    if sentence not in _told:
        _told.add(sentence)
        print(sentence, file=sys.stderr)
