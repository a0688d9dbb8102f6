"""Masked texts kept on disk, so that nothing is tagged twice: one SQLite file, whole or not at all, limited in size."""

import os
import sqlite3
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from idiograph.errors import InputError
from idiograph.files import cache_folder

_NAME = "masked.sqlite"
_DEFAULT_LIMIT = 2_000_000_000  # bytes
_PATIENCE = 60.0  # seconds to wait for another process's write
_AT_A_TIME = 500  # keys in one question; SQLite takes no more than a thousand
_REMEMBERED = 3600  # seconds within which a use is not noted again, so that reading seldom writes
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (key BLOB NOT NULL UNIQUE, packed BLOB NOT NULL, used INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS by_use ON entries (used);
"""


@dataclass(frozen=True)
class CacheState:
    """What `idiograph cache` shows."""

    path: Path
    entries: int
    size: int
    limit: int


def cache_path() -> Path:
    """The file of masked texts in the one cache folder."""
    return cache_folder() / "masked" / _NAME


def size_limit() -> int:
    """Bytes the cache may take: IDIOGRAPH_CACHE_LIMIT (in megabytes), else two gigabytes."""
    named = os.environ.get("IDIOGRAPH_CACHE_LIMIT")
    if named is None:
        return _DEFAULT_LIMIT
    try:
        megabytes = float(named)
        if not 0 <= megabytes < float("inf"):
            raise ValueError
    except ValueError:
        raise InputError(
            f"IDIOGRAPH_CACHE_LIMIT is {named!r}, which is not a number of megabytes. "
            "Set it to one, such as 500, or unset it."
        ) from None
    return int(megabytes * 1_000_000)


class MaskCache:
    """Packed masked texts by key. Whatever goes wrong with the file is said once, and work goes on without it."""

    def __init__(self, path: Path, *, limit: int) -> None:
        self._path, self._limit = path, limit
        self._connection: sqlite3.Connection | None = None
        with self._usable():
            self._connection = _open(path)

    def get(self, keys: Sequence[bytes]) -> Mapping[bytes, bytes]:
        """The entries that exist among these keys."""
        found: dict[bytes, bytes] = {}
        with self._usable():
            if self._connection is None:
                return found
            now, stale = int(time.time()), []
            for start in range(0, len(keys), _AT_A_TIME):
                batch = keys[start : start + _AT_A_TIME]
                marks = ",".join("?" * len(batch))
                rows = self._connection.execute(f"SELECT key, packed, used FROM entries WHERE key IN ({marks})", batch)
                for key, packed, used in rows:
                    # SQLite keeps any type in any column, so what another program wrote may be of another one.
                    found[key] = packed if isinstance(packed, bytes) else b""
                    if not isinstance(used, int) or used < now - _REMEMBERED:
                        stale.append((now, key))
            if stale:
                with self._connection:
                    self._connection.executemany("UPDATE entries SET used = ? WHERE key = ?", stale)
        return found

    def put(self, entries: Iterable[tuple[bytes, bytes]]) -> None:
        """Adds entries, all or none; the least recently used go when the file would outgrow its limit."""
        with self._usable():
            if self._connection is None:
                return
            now = int(time.time())
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany(
                    "INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", ((key, packed, now) for key, packed in entries)
                )
                evicted = self._evict()
            if evicted:
                self._connection.execute("PRAGMA incremental_vacuum").fetchall()

    def forget(self, keys: Sequence[bytes]) -> None:
        """Removes entries that turned out to be unreadable."""
        with self._usable():
            if self._connection is not None:
                with self._connection:
                    self._connection.executemany("DELETE FROM entries WHERE key = ?", ((key,) for key in keys))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _evict(self) -> bool:
        """Beyond the limit, deletes the least recently used entries, a tenth more than need be; whether it did."""
        assert self._connection is not None
        excess = _used_bytes(self._connection) - self._limit
        if excess <= 0:
            return False
        doomed, freed = [], 0
        oldest_first = "SELECT rowid, length(packed) FROM entries ORDER BY used, rowid"
        for row, size in self._connection.execute(oldest_first):
            doomed.append((row,))
            freed += size
            if freed >= excess + self._limit // 10:
                break
        self._connection.executemany("DELETE FROM entries WHERE rowid = ?", doomed)
        return True

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """Runs the block; an error of the file or its folder ends the use of the cache, not the work."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            self.close()
            if _is_damage(error):
                with suppress(OSError):
                    _set_aside(self._path, error)
                    return
            warnings.warn(
                f"The cache of masked texts at {self._path} cannot be used ({error}); masking goes on without it.",
                RuntimeWarning,
                stacklevel=4,
            )


def cache_state() -> CacheState:
    """Where the cache is, how much it holds and how much it may hold."""
    path, limit = cache_path(), size_limit()
    if not path.is_file():
        return CacheState(path, 0, 0, limit)
    with _opened(path, "read") as connection:
        (entries,) = connection.execute("SELECT count(*) FROM entries").fetchone()
        return CacheState(path, entries, _used_bytes(connection), limit)


def clear_cache() -> CacheState:
    """Empties the cache and says what it held; a process that is using it loses nothing but time."""
    state = cache_state()
    if state.path.is_file():
        with _opened(state.path, "cleared") as connection:
            connection.execute("DELETE FROM entries")
            connection.execute("PRAGMA incremental_vacuum").fetchall()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return state


@contextmanager
def _opened(path: Path, done: str) -> Iterator[sqlite3.Connection]:
    """The database; whatever goes wrong with it is an error that says what could not be `done`."""
    try:
        with closing(_open(path)) as connection:
            yield connection
    except (sqlite3.Error, OSError) as error:
        raise InputError(
            f"The cache of masked texts at {path} cannot be {done} ({error}). Check its permissions."
        ) from error


def _open(path: Path) -> sqlite3.Connection:
    """The database, made if need be; a damaged one is set aside and a new one begun."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _connect(path)
    except sqlite3.DatabaseError as error:
        if not _is_damage(error):
            raise
        _set_aside(path, error)
        return _connect(path)


def _is_damage(error: Exception) -> bool:
    """Whether the file's content is at fault; locks, permissions and full disks are not."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the last byte is the kind, the rest the details
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _set_aside(path: Path, error: Exception) -> None:
    aside = path.with_name(f"{path.name}.damaged-{time.time_ns()}")
    path.replace(aside)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    warnings.warn(
        f"The cache of masked texts was damaged ({error}). It was moved to {aside} and a new one was started; "
        "texts will be masked again, and the old file can be deleted.",
        RuntimeWarning,
        stacklevel=5,
    )


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = NORMAL")
        begun = time.monotonic()
        while connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'by_use'").fetchone() is None:
            # SQLite does not wait by itself for another process that is setting the same file up.
            try:
                # Before the first table, or it has no effect; then freed pages can be given back.
                connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
                # Readers and one writer at a time; a killed writer leaves only what was committed.
                connection.execute("PRAGMA journal_mode = WAL").fetchall()
                connection.executescript(_SCHEMA)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() - begun > _PATIENCE:
                    raise
                time.sleep(0.02)
    except BaseException:
        connection.close()
        raise
    return connection


def _used_bytes(connection: sqlite3.Connection) -> int:
    (pages,), (free,), (size,) = (
        connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)
