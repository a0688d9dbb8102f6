"""Files that a browser sends, taken in as they come: never more than the limits, and never under a name of its own.

Each file lies under a number in a scratch folder until everything has arrived and every name has been checked.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header

from idiograph.errors import InputError
from idiograph.pages import words
from idiograph.pages.places import checked_parts

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
        tops = {one.parts[0] for one in self.files}
        deep = [len(one.parts) > (2 if keep_authors else 1) for one in self.files]
        if len(tops) == 1 and deep and all(deep):
            return [Arrived(one.parts[1:], one.path) for one in self.files]
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
