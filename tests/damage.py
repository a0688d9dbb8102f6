"""Damaged and hostile files, made from small valid ones with a fixed seed: bytes, JSON values and containers."""

import copy
import io
import json
import random
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any

# What a JSON value may be replaced by: every type, and the values that programs stumble over.
WRONG_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    10**400,
    0.5,
    1e308,
    "",
    "a",
    "\ud800",
    "\0",
    "\x1b[31m",
    "é" * 300,
    [],
    [[]],
    [None],
    [1, 2],
    ["a", "b"],
    [[1, "a", "b"]],
    [["a"], ["b", 1]],
    [[0, 1], [1]],
    {},
    {"a": 1},
    {"": None},
    [{}],
)
# What a file of any kind may turn out to hold.
JUNK: tuple[bytes, ...] = (
    b"",
    b"\0",
    b"\n",
    b" \t\r\n",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xff" * 100,
    bytes(range(256)),
    b"[" * 100_000,
    b"{" * 10_000,
    b'{"a":' * 10_000,
    b"<" * 10_000,
    b"PK\x03\x04" + b"\0" * 100,
    b"\x1f\x8b\x08" + b"\0" * 50,
    b"%PDF-1.7\n",
    b"From nobody\n\n",
    b"null",
    b"[]",
    b"{}",
    b'"a"',
    b"0",
    b"NaN",
    b"1" * 10_000,
    b"\x1b]0;title\x07",
    b'"' * 1001,
    b",\n" * 1000,
    b"SQLite format 3\0" + b"\0" * 100,
)


def cut(data: bytes, rng: random.Random) -> bytes:
    """The file up to some byte, as an interrupted copy leaves it."""
    return data[: rng.randrange(len(data))] if data else data


def flipped(data: bytes, rng: random.Random) -> bytes:
    """A few bits changed."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8) if data else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def overwritten(data: bytes, rng: random.Random) -> bytes:
    """A stretch replaced by zeros, by chance or by junk."""
    start = rng.randrange(len(data) + 1)
    length = rng.randint(1, 40)
    put = rng.choice([b"\0" * length, rng.randbytes(length), rng.choice(JUNK)[:length]])
    return data[:start] + put + data[start + length :]


def repeated(data: bytes, rng: random.Random) -> bytes:
    """A stretch that occurs many times."""
    start = rng.randrange(len(data) + 1)
    end = min(len(data), start + rng.randint(1, 60))
    return data[:start] + data[start:end] * rng.randint(2, 50) + data[end:]


def missing(data: bytes, rng: random.Random) -> bytes:
    """A stretch that is gone."""
    start = rng.randrange(len(data) + 1)
    return data[:start] + data[start + rng.randint(1, 60) :]


def swapped_lines(data: bytes, rng: random.Random) -> bytes:
    """Lines in another order, one of them twice."""
    lines = data.split(b"\n")
    rng.shuffle(lines)
    return b"\n".join([*lines, rng.choice(lines)])


def numbers_changed(data: bytes, rng: random.Random) -> bytes:
    """A digit replaced by others: lengths, places and counts that are wrong."""
    places = [position for position, byte in enumerate(data) if 48 <= byte < 58]
    if not places:
        return data + b"9"
    position = rng.choice(places)
    return data[:position] + rng.choice([b"-1", b"0", b"99999999999", b"4294967295", b"1e9"]) + data[position + 1 :]


BYTE_DAMAGE: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    cut,
    flipped,
    overwritten,
    repeated,
    missing,
    swapped_lines,
    numbers_changed,
)


def damaged_bytes(data: bytes, n: int, *, seed: int) -> Iterator[tuple[str, bytes]]:
    """`n` damaged versions of a file, each with the name of what was done to it; then all the junk."""
    rng = random.Random(seed)
    for number in range(n):
        damage = BYTE_DAMAGE[number % len(BYTE_DAMAGE)]
        yield f"{damage.__name__} {number}", damage(data, rng)
    for number, junk in enumerate(JUNK):
        yield f"junk {number}", junk


def damaged_json(value: Any, *, deep: bool = True) -> Iterator[tuple[str, Any]]:
    """Every value inside a JSON value replaced by every wrong one, every key removed, added or renamed."""
    for path in _paths(value):
        for wrong in WRONG_VALUES:
            yield f"{_shown(path)} = {_short(wrong)}", _with(value, path, wrong)
        if path and isinstance(_at(value, path[:-1]), dict):
            without = copy.deepcopy(value)
            removed = _at(without, path[:-1]).pop(path[-1])
            yield f"without {_shown(path)}", without
            renamed = copy.deepcopy(without)
            _at(renamed, path[:-1])[f"{path[-1]}x"] = removed
            yield f"{_shown(path)} renamed", renamed
    nested: Any = "deep"
    for _ in range(900):
        nested = [nested]
    for path in _paths(value) if deep else ():
        yield f"{_shown(path)} nested", _with(value, path, nested)


def dumped(value: Any) -> str:
    """JSON of whatever was made above, half characters as escapes."""
    return json.dumps(value)


def zip_with(data: bytes, changed: dict[str, bytes]) -> bytes:
    """A zip container with some members replaced."""
    archive = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, changed.get(name, old.read(name)))
    return archive.getvalue()


def deflate_bomb(size: int, unit: bytes, *, wrapped: int) -> bytes:
    """A few bytes that unpack to `size`, as zlib (wrapped 15) or gzip (31) data; only its checksum is wrong."""
    packer = zlib.compressobj(9, zlib.DEFLATED, wrapped)
    first = packer.compress(unit * (1_000_000 // len(unit))) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(unit * (1_000_000 // len(unit))) + packer.flush(zlib.Z_FULL_FLUSH)
    return first + block * (size // 1_000_000 - 1) + packer.flush()


Path_ = tuple[Any, ...]


def _paths(value: Any, here: Path_ = ()) -> Iterator[Path_]:
    yield here
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield from _paths(part, (*here, key))


def _at(value: Any, path: Path_) -> Any:
    for key in path:
        value = value[key]
    return value


def _with(value: Any, path: Path_, new: Any) -> Any:
    if not path:
        return new
    changed = copy.deepcopy(value)
    _at(changed, path[:-1])[path[-1]] = new
    return changed


def _shown(path: Path_) -> str:
    return ".".join(map(str, path)) or "all"


def _short(value: Any) -> str:
    return ascii(value)[:40]


# Printed by a child process. Linux counts what the parent held before the child's program began into ru_maxrss.
PRINT_PEAK = """
import re, resource
from pathlib import Path
status = Path("/proc/self/status")
own = re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1] if status.exists() else resource.getrusage(0).ru_maxrss
print(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
