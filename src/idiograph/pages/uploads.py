"""Files that a browser sends, taken in as they come: never more than the limits, and never under a name of its own.

Each file lies under a number in a scratch folder until everything has arrived and every name has been checked. What is
to be read is looked up among what lies there; a name of the browser's becomes a part of a path, inside the folder that
the user chose, only where something new is made, and only after it was checked. Links are never followed.
"""

import asyncio
import os
import re
import stat
import unicodedata
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header

from idiograph.errors import InputError, cannot_read
from idiograph.files import everything_below
from idiograph.pages import words

LONGEST = 120  # characters of a name
DEEPEST = 12  # folders inside folders
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³")}
_FORBIDDEN = set('<>:"/\\|?*')


class NotThere(InputError):
    """Something that is not in the folder the user chose."""


def checked_name(name: str) -> str:
    """A name that every system can give to a file or a folder, as it is."""
    if not name or name.strip(". ") == "":
        raise InputError("A file or folder without a name cannot be kept. Give it a name.")
    shown = name if len(name) <= 60 else f"{name[:59]}…"
    if len(name) > LONGEST or len(name.encode("utf-8", "replace")) > 2 * LONGEST:
        raise InputError(f"The name {shown!r} is longer than {LONGEST} characters. Shorten it and try again.")
    if any(char in _FORBIDDEN or unicodedata.category(char) in ("Cc", "Cs") for char in name):
        raise InputError(f"The name {shown!r} has a character that a file name cannot have. Rename it and try again.")
    if name.startswith(".") or name != name.strip() or name.endswith("."):
        raise InputError(f"The name {shown!r} begins or ends with a dot or a blank. Rename it and try again.")
    if name.split(".")[0].strip().lower() in _RESERVED:
        raise InputError(f"The name {shown!r} is one that Windows keeps for devices. Rename it and try again.")
    return name


def checked_parts(name: str) -> tuple[str, ...]:
    """The folders and the file name in the relative path of an uploaded file, each of them checked."""
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
        raise InputError(
            f"The file name {name[:60]!r} is a whole path. Only a name, or a path below a folder, is kept."
        )
    parts = name.replace("\\", "/").split("/")
    if len(parts) > DEEPEST:
        raise InputError(f"{name[:60]!r} lies more than {DEEPEST} folders deep. Move it up and try again.")
    return tuple(checked_name(part) for part in parts)


def child(folder: Path, name: str) -> Path:
    """What lies in a folder under this very name; a link is treated as absent."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name == name and not entry.is_symlink():
                    return folder / entry.name
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise cannot_read(folder, error) from error
    raise NotThere(f"There is no {name[:60]!r} here. It may have been renamed or removed.")


def existing(folder: Path, parts: Sequence[str]) -> Path:
    """The file or folder that these names lead to, one step after the other."""
    for part in parts:
        folder = child(folder, part)
    return folder


def folders(folder: Path) -> Iterator[Path]:
    """The visible folders in a folder, by name; links are left out."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return
    except OSError as error:
        raise cannot_read(folder, error) from error
    yield from (folder / name for name in sorted(names, key=str.casefold) if not name.startswith("."))


@dataclass(frozen=True)
class Lying:
    """A file below a folder, with its place there."""

    path: Path
    place: str
    size: int
    changed: int  # when, in nanoseconds


def files_below(folder: Path) -> list[Lying]:
    """Every visible file below a folder, by name; links are left out, and a folder without end is refused."""
    below = (
        (path, path.relative_to(folder), status)
        for path, status in everything_below(folder)
        if stat.S_ISREG(status.st_mode)
    )
    return [
        Lying(path, relative.as_posix(), status.st_size, status.st_mtime_ns)
        for path, relative, status in below
        if not any(part.startswith(".") for part in relative.parts)
    ]


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path leads into a folder once every link in it is followed; a folder that is a link leads out."""
    try:
        return Path(os.path.realpath(path)).is_relative_to(Path(os.path.realpath(folder.parent)) / folder.name)
    except ValueError:  # a name that no file can have
        return False


def folder_name(title: str, taken: Collection[str]) -> str:
    """A folder's name made of a title: its letters and digits, and a number where that is taken.

    >>> folder_name("The Smith / Jones case", ["the-smith-jones-case"])
    'the-smith-jones-case-2'
    """
    plain = unicodedata.normalize("NFC", title).lower()
    words = re.findall(r"[^\W_]+", plain)
    base = "-".join(words)[:60].strip("-") or "case"
    base = f"{base}-1" if base in _RESERVED else base
    used, number, name = {other.casefold() for other in taken}, 1, base
    while name.casefold() in used:
        number += 1
        name = f"{base}-{number}"
    return name


_PATIENCE = 60.0  # seconds without a byte
_LONGEST_FIELD = 100_000  # bytes of a field that is not a file
_MOST_FIELDS = 200
_LEFT_ALONE = ("Thumbs.db", "desktop.ini")  # what systems put into folders by themselves; so is all that is hidden


class TooMuch(InputError):
    """A request with more in it than is taken."""


@dataclass(frozen=True)
class Limits:
    """How much is taken: bytes of one file, bytes of one request, files of one request."""

    file: int = 200_000_000
    request: int = 1_000_000_000
    files: int = 20_000

    @classmethod
    def of(cls, megabytes: int) -> "Limits":
        """Limits by the size of the largest file."""
        return cls(file=megabytes * 1_000_000, request=5 * megabytes * 1_000_000)


@dataclass(frozen=True)
class Arrived:
    """A file that has arrived: the names of its folders and its own, and where it lies for now."""

    parts: tuple[str, ...]
    path: Path


@dataclass
class Received:
    """The fields and files of a form."""

    fields: dict[str, str] = field(default_factory=dict)
    files: list[Arrived] = field(default_factory=list)

    def without_common_folder(self, *, keep_authors: bool) -> list[Arrived]:
        """The files without the one folder that all of them lie in; with `keep_authors` not if that is an author's.

        A folder with texts directly in it is taken for an author's, one with folders in it for the corpus.
        """
        tops = {file.parts[0] for file in self.files}
        deep = [len(file.parts) > (2 if keep_authors else 1) for file in self.files]
        if len(tops) == 1 and deep and all(deep):
            return [Arrived(file.parts[1:], file.path) for file in self.files]
        return self.files


async def receive(
    chunks: AsyncIterator[bytes],
    *,
    content_type: str,
    length: str | None,
    into: Path,
    limits: Limits,
    admit: Callable[[dict[str, str]], bool],
) -> Received:
    """The fields and files of a multipart form; `admit` is asked before the first file, with the fields before it."""
    kind, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if kind != b"multipart/form-data" or not boundary:
        raise InputError(words.NOT_A_FORM)
    if length is not None and length.isdecimal() and int(length) > limits.request:
        raise TooMuch(words.too_much(limits.request))
    parts = _Parts(into, limits, admit)
    try:
        parser = MultipartParser(
            boundary,
            {
                "on_part_begin": parts.begin,
                "on_header_field": parts.header_field,
                "on_header_value": parts.header_value,
                "on_header_end": parts.header_end,
                "on_headers_finished": parts.headers_finished,
                "on_part_data": parts.data,
                "on_part_end": parts.end,
                "on_end": parts.close,
            },
        )
        taken = 0
        iterator = aiter(chunks)
        while (chunk := await asyncio.wait_for(anext(iterator, None), _PATIENCE)) is not None:
            taken += len(chunk)
            if taken > limits.request:
                raise TooMuch(words.too_much(limits.request))
            parser.write(chunk)
    except FormParserError as error:
        raise InputError(words.NOT_A_FORM) from error
    except TimeoutError as error:
        raise InputError(words.TOO_SLOW) from error
    finally:
        parts.shut()
    if not parts.complete:
        raise InputError(words.CUT_OFF)
    return parts.received


@dataclass
class _Parts:
    """What the parser finds, part by part."""

    into: Path
    limits: Limits
    admit: Callable[[dict[str, str]], bool]
    received: Received = field(default_factory=Received)
    complete: bool = False
    headers: dict[bytes, bytes] = field(default_factory=dict)
    name: bytes = b""
    value: bytes = b""
    key: str = ""
    content: bytearray = field(default_factory=bytearray)
    file: BinaryIO | None = None
    parts: tuple[str, ...] = ()
    size: int = 0
    is_file: bool = False
    n_files: int = 0

    def begin(self) -> None:
        self.headers, self.name, self.value = {}, b"", b""
        self.content, self.size = bytearray(), 0

    def header_field(self, data: bytes, start: int, end: int) -> None:
        self.name += data[start:end]

    def header_value(self, data: bytes, start: int, end: int) -> None:
        self.value += data[start:end]

    def header_end(self) -> None:
        self.headers[self.name.lower()] = self.value
        self.name = self.value = b""

    def headers_finished(self) -> None:
        _, options = parse_options_header(self.headers.get(b"content-disposition", b"").decode("latin-1"))
        self.key = options.get(b"name", b"").decode("utf-8", "replace")
        self.is_file = b"filename" in options
        if not self.is_file:
            return
        name = options[b"filename"].decode("utf-8", "replace")
        if not name:  # a file field that was left empty
            return
        if not self.n_files and not self.admit(self.received.fields):
            raise PermissionError(words.OTHER_FORM)
        self.n_files += 1
        if self.n_files > self.limits.files:
            raise TooMuch(words.too_many(self.limits.files))
        last = name.replace("\\", "/").rpartition("/")[2]
        hidden = last in _LEFT_ALONE or any(part.startswith(".") and part.strip(".") for part in name.split("/"))
        self.parts = () if hidden else checked_parts(name)
        path = self.into / str(self.n_files)
        self.file = path.open("wb")
        if self.parts:
            self.received.files.append(Arrived(self.parts, path))

    def data(self, data: bytes, start: int, end: int) -> None:
        self.size += end - start
        if self.file is not None:
            if self.size > self.limits.file:
                raise TooMuch(words.file_too_large("/".join(self.parts), self.limits.file))
            self.file.write(data[start:end])
        elif not self.is_file:
            if self.size > _LONGEST_FIELD or len(self.received.fields) > _MOST_FIELDS:
                raise TooMuch(words.too_much(_LONGEST_FIELD))
            self.content += data[start:end]

    def end(self) -> None:
        if self.is_file:
            self.shut()
        else:
            self.received.fields[self.key] = self.content.decode("utf-8", "replace")

    def close(self) -> None:
        self.complete = True

    def shut(self) -> None:
        if self.file is not None:
            self.file.close()
            self.file = None
