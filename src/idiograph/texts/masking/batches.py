"""Many texts masked one after the other: from the cache, in this process or in several, in order and bounded memory.

The cache is one SQLite file of masked texts, limited in size, so that nothing is tagged twice.
"""

import hashlib
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from idiograph.errors import InputError, MaskingError, print
from idiograph.files import cache_folder, remove_from_cache
from idiograph.texts.characters import cleaning
from idiograph.texts.masking import tagger
from idiograph.texts.masking.fast import ways
from idiograph.texts.masking.rules import MaskedContent, Masking, mask_contents, masked_metadata
from idiograph.texts.text import MaskedText, Text

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
        held: dict[bytes, bytes] = {}
        with self._usable():
            if self._connection is None:
                return held
            now, stale = int(time.time()), []
            for start in range(0, len(keys), _AT_A_TIME):
                batch = keys[start : start + _AT_A_TIME]
                marks = ",".join("?" * len(batch))
                rows = self._connection.execute(f"SELECT key, packed, used FROM entries WHERE key IN ({marks})", batch)
                for key, packed, used in rows:
                    held[key] = packed
                    # SQLite keeps any type in any column, so what another program wrote may be of another one.
                    if not isinstance(used, int) or used < now - _REMEMBERED:
                        stale.append((now, key))
            if stale:
                with self._connection:
                    self._connection.executemany("UPDATE entries SET used = ? WHERE key = ?", stale)
        return held

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
    try:
        with closing(_open(path)) as connection:
            (entries,) = connection.execute("SELECT count(*) FROM entries").fetchone()
            return CacheState(path, entries, _used_bytes(connection), limit)
    except (sqlite3.Error, OSError) as error:
        raise InputError(
            f"The cache of masked texts at {path} cannot be read ({error}). Check its permissions, or clear it."
        ) from error


def clear_cache() -> None:
    """Removes the cache, whatever state it is in; a process that is using it loses nothing but time."""
    remove_from_cache(cache_path().parent.name)


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


class Masked(NamedTuple):
    """Contents masked and packed, and the way in which they were tagged."""

    packed: list[bytes]
    way: str


class Processes:
    """So many processes at most, beside this one; each starts with its first work and loads the model then.

    Each is a `python -P` that gets its work through a pipe, so a script needs no `if __name__ == "__main__":`, and no
    file that lies about is imported in place of a module.
    """

    def __init__(self, how: Masking, n: int) -> None:
        self._how = how
        self._threads = ThreadPoolExecutor(n, thread_name_prefix="masking")
        self._mine = threading.local()
        self._started: list[subprocess.Popen[bytes]] = []
        self._closed = False

    def submit(self, contents: Sequence[str]) -> "Future[Masked]":
        return self._threads.submit(self._masked, contents)

    def close(self) -> None:
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
            answer: Masked | Exception
            try:
                loaded = tagger.load_tagger(how.model)
                answer = Masked([masked.pack() for masked in mask_contents(contents, how, loaded)], loaded.way)
            except Exception as error:  # said where the work was asked for
                answer = error
            pickle.dump(answer, answers)
            answers.flush()
    except (EOFError, OSError):
        return


AnyText = Text | MaskedText

# Texts handed on at a time: enough to keep a process busy for a second, few enough for many processes to share.
_PORTION = 50_000  # characters
_MOST_TEXTS = 2_000
_LONG, _LONG_FOR_KERNELS = 150_000, 1_000_000  # characters


def mask_stream(
    texts: Iterable[AnyText],
    how: Masking,
    *,
    workers: int = 1,
    cache: bool = True,
    advance: Callable[[float], None] = lambda characters: None,
    ways_taken: set[str] | None = None,
) -> Iterator[MaskedText]:
    """The texts masked one after the other, in order, the same whatever the number of workers.

    More than one worker are as many processes, which start as soon as there is so much to do that it pays. Texts of
    which no token is left are among them. `advance` is told how many characters were done, and `ways_taken` gets the
    ways in which they were tagged.
    """
    if workers < 1:
        raise InputError(f"The number of workers is {workers}; at least one is needed.")
    taken = set() if ways_taken is None else ways_taken
    with ExitStack() as opened:
        kept = opened.enter_context(closing(MaskCache(cache_path(), limit=size_limit()))) if cache else None
        pool: Processes | None = None
        begun: deque[_Portion] = deque()
        for portion in _portions(texts):
            begun.append(_Portion.of(portion, how, kept))
            if workers > 1 and pool is None:
                if sum(waiting.size for waiting in begun) < _long(how):
                    continue  # it is too early to tell
                if 2 * sum(waiting.to_do for waiting in begun) >= _long(how):
                    pool = opened.enter_context(closing(Processes(how, workers - 1)))  # and this one
                    print(f"Masking in {workers} processes.", file=sys.stderr)
            if pool is not None:
                for waiting in begun:
                    if waiting.missing and waiting.elsewhere is None:
                        waiting.elsewhere = pool.submit(list(waiting.missing.values()))
            # So many ahead that no process waits while the first portion is fetched, and no more.
            while len(begun) > (2 * workers if pool else 0):
                yield from _first(begun, how, taken).finished(how, kept, advance, taken)
        while begun:
            yield from _first(begun, how, taken).finished(how, kept, advance, taken)


def _long(how: Masking) -> int:
    """Characters from which on other processes pay for their start, if at least half are not in the cache."""
    return _LONG if ways.why_not(how.model) else _LONG_FOR_KERNELS


def characters_to_mask(texts: Iterable[Text], how: Masking) -> int:
    """How many characters of these texts the cache does not hold masked."""
    salt = how.key.encode()
    missing = 0
    with closing(MaskCache(cache_path(), limit=size_limit())) as kept:
        for portion in _portions(texts):
            lengths = {_key(salt, text.content): len(text.content) for text in portion if isinstance(text, Text)}
            missing += sum(lengths.values()) - sum(lengths[key] for key in kept.get(list(lengths)))
    return missing


@dataclass
class _Portion:
    """Some texts on their way: what the cache had of them, and the rest, which another process may be masking."""

    texts: Sequence[AnyText]
    keys: Sequence[bytes]  # one per text; empty for what was already masked
    masked: dict[bytes, MaskedContent]
    missing: dict[bytes, str]  # contents
    elsewhere: "Future[Masked] | None" = None
    here: list[MaskedContent] | None = None

    @classmethod
    def of(cls, texts: Sequence[AnyText], how: Masking, kept: MaskCache | None) -> "_Portion":
        salt = how.key.encode()
        keys = [_key(salt, text.content) if isinstance(text, Text) else b"" for text in texts]
        contents = {key: text.content for key, text in zip(keys, texts, strict=True) if isinstance(text, Text)}
        masked = _held(kept, list(contents)) if kept else {}
        return cls(texts, keys, masked, {key: content for key, content in contents.items() if key not in masked})

    @property
    def size(self) -> int:
        return sum(len(text.content) for text in self.texts if isinstance(text, Text))

    @property
    def to_do(self) -> int:
        return sum(map(len, self.missing.values()))

    def finished(
        self, how: Masking, kept: MaskCache | None, advance: Callable[[float], None], taken: set[str]
    ) -> Iterator[MaskedText]:
        fresh = dict(zip(self.missing, self._masked(how, taken) if self.missing else [], strict=True))
        if self.masked:
            taken.add(ways.KEPT)
        if kept and fresh:
            # A list, so that nothing is packed while other processes wait for the file.
            kept.put([(key, masked.pack()) for key, masked in fresh.items()])
        self.masked.update(fresh)
        signature = how.signature
        for text, key in zip(self.texts, self.keys, strict=True):
            if isinstance(text, MaskedText):
                yield text
                continue
            result = self.masked[key]
            advance(len(text.content))
            metadata = masked_metadata(text, how)
            yield MaskedText(text.id, text.author, result.sentences, signature, result.spans, metadata)

    def _masked(self, how: Masking, taken: set[str]) -> list[MaskedContent]:
        if self.elsewhere is not None and not self.elsewhere.cancelled():
            packed, way = self.elsewhere.result()
            taken.add(way)
            return list(map(MaskedContent.unpack, packed))
        if self.here is None:
            loaded = tagger.load_tagger(how.model)
            self.here = mask_contents(list(self.missing.values()), how, loaded)
            taken.add(loaded.way)
        return self.here


def _first(begun: "deque[_Portion]", how: Masking, taken: set[str]) -> _Portion:
    """The first portion; while another process is at it, this one masks the last of those that none has begun."""
    first = begun.popleft()
    while first.elsewhere is not None and not first.elsewhere.done():
        free = (portion for portion in reversed(begun) if portion.elsewhere is not None and portion.elsewhere.cancel())
        free = (portion for portion in free if portion.here is None)
        if (last := next(free, None)) is None:
            break
        last._masked(how, taken)
    return first


def _portions(texts: Iterable[AnyText]) -> Iterator[list[AnyText]]:
    portion: list[AnyText] = []
    size = 0
    for text in texts:
        portion.append(text)
        size += len(text.content) if isinstance(text, Text) else 0
        if size >= _PORTION or len(portion) >= _MOST_TEXTS:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def _key(salt: bytes, content: str) -> bytes:
    # What has characters to clean was masked otherwise before they were; all else keeps its key.
    return hashlib.sha256(
        salt + (b"cleaned" if cleaning(content) else b"") + content.encode("utf-8", "surrogatepass")
    ).digest()


def _held(kept: MaskCache, keys: Sequence[bytes]) -> dict[bytes, MaskedContent]:
    masked, damaged = {}, []
    for key, packed in kept.get(keys).items():
        try:
            masked[key] = MaskedContent.unpack(packed)
        except ValueError:
            damaged.append(key)
    if damaged:
        kept.forget(damaged)
    return masked
