"""Files written whole or not at all, and the one cache folder."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs

from idiograph.errors import InputError


def cache_folder() -> Path:
    """The only place outside the user's own folders that Idiograph writes to."""
    named = os.environ.get("IDIOGRAPH_CACHE")
    return Path(named) if named else Path(platformdirs.user_cache_dir("idiograph", appauthor=False))


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """An empty folder in the cache folder, gone at the end: nothing of a case lies about in the system's own."""
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
        scratch = tempfile.TemporaryDirectory(dir=cache_folder())
    except OSError as error:
        raise cannot_write(cache_folder(), error) from error
    with scratch as name:
        yield Path(name)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; it becomes `path` at the end, or vanishes on any error.

    The data reach the disk before the name does, so a killed process or a full disk leaves the old file or none.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error
    os.close(descriptor)
    part = Path(name)
    try:
        yield part
        with part.open("rb+") as written:
            os.fsync(written.fileno())
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes text (UTF-8, line ends as given) or bytes to `path`, whole or not at all."""
    with whole_file(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def whole_folder(path: Path, *, force: bool = False) -> Iterator[Path]:
    """A temporary folder beside `path` to fill; it becomes `path` at the end, or vanishes on any error.

    An existing folder that holds anything is refused unless `force`; it is replaced once the new one is complete.
    """
    refuse_to_overwrite(path, force=force)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
    except OSError as error:
        raise cannot_write(path, error) from error
    try:
        yield part
        part.chmod(0o777 & ~_umask())
        aside = part.with_suffix(".old")
        if path.exists():
            path.replace(aside)
        part.replace(path)
        shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def refuse_to_overwrite(path: Path, *, force: bool) -> None:
    """An error in words if `path` is a file or a folder with something in it and `force` is not set."""
    occupied = path.is_file() or (path.is_dir() and any(path.iterdir()))
    if occupied and not force:
        raise InputError(
            f"{path} already exists and nothing is overwritten unasked. Name another place or pass --force."
        )


def cannot_write(path: Path, error: OSError) -> InputError:
    """The sentence for a file or folder that could not be written."""
    reason = error.strerror or str(error)
    return InputError(
        f"{path} could not be written ({reason}). Nothing was left half-written there; "
        "free some space or name a folder that can be written to."
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
