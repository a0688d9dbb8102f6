"""Numba's compiled code: kept in the cache folder, in memory where that cannot be written, never beside the source."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

import numba
import numpy
from numba.core import config as numba_config
from numba.core import event
from numba.extending import register_jitable

from idiograph import elementary
from idiograph.errors import print
from idiograph.files import cache_folder, make_usable
from idiograph.provenance import digest

F = TypeVar("F", bound=Callable[..., Any])

config: Any = numba_config  # its settings are made at run time

# Where kernels and whatever they call may stand: all of it is digested, so that none can be forgotten.
_SOURCES = ("compiling.py", "elementary.py", "grammar/*.py", "evidence/*.py")
_ready: set[Callable[..., Any]] = set()  # kernels that have run in this process
_said: set[str] = set()
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
    # Set for the moment of decoration only: other users of Numba in this process keep their own folder.
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_folder())
    try:
        decorated: F = decorate(kernel)
    finally:
        config.CACHE_DIR = before
    return decorated


@cache
def _folder() -> Path:
    # Named after the content of all kernels: Numba does not notice a change in a kernel that another one calls.
    package = Path(__file__).parent
    sources = b"".join(path.read_bytes() for pattern in _SOURCES for path in sorted(package.glob(pattern)))
    return cache_folder() / "numba" / digest(sources)[:16]


@cache
def _cached() -> bool:
    return not jit_disabled() and _writable(_folder())


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
        _say("Compiling the engine for this machine; this happens once and takes some seconds.")

    def on_end(self, event: Any) -> None:
        pass


def _writable(folder: Path) -> bool:
    try:
        make_usable(folder, room=_ROOM)
    except OSError as error:
        _say(
            f"{folder} cannot be written ({error.strerror or error}), so the engine is compiled anew in every process. "
            "Set IDIOGRAPH_CACHE to a folder that can be written to."
        )
        return False
    return True


def _say_not_kept(error: OSError) -> None:
    _say(f"The compiled code could not be kept in {cache_folder()} ({error.strerror or error}).")


def _say(sentence: str) -> None:
    if sentence not in _said:
        _said.add(sentence)
        print(sentence, file=sys.stderr)
