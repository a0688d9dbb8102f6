"""An index as one file: a line that names version and digest, a header, then the arrays, ready to be memory-mapped."""

import hashlib
import mmap
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from idiograph.checking import shown
from idiograph.errors import InputError
from idiograph.files import whole_file
from idiograph.grammar.settings import ORDER
from idiograph.grammar.vocabulary import IndexContents, Vocabulary
from idiograph.records import parsed_json, record_line

_MAGIC = b"idiograph index "
_VERSION = 1
_FIRST_LINE = len(_MAGIC) + 4 + 1 + 64 + 1  # magic, version, blank, digest, line end
_ALIGNED = 64
_ARRAYS = {"tokens": "<i4", "starts": "<i8", "stream": "<u4", "places": "<i8", "sentence_text": "<i4"}
_HEADER = [field.name for field in fields(IndexContents) if field.name not in {*_ARRAYS, "text_names", "path"}]


def save(contents: IndexContents, text_ids: tuple[str, ...], path: Path) -> None:
    """Writes an index to `path`, whole or not at all; its texts have these names."""
    arrays = {name: getattr(contents, name).astype(kind, copy=False) for name, kind in _ARRAYS.items()}
    header = {name: getattr(contents, name) for name in _HEADER} | {"text_ids": text_ids}
    header["lengths"] = {name: len(array) for name, array in arrays.items()}
    written = record_line(header, compact=True).encode(errors="surrogatepass")
    blocks = [len(written).to_bytes(8, "little"), written]
    for array in arrays.values():
        blocks += [bytes(-(_FIRST_LINE + sum(map(len, blocks))) % _ALIGNED), array.tobytes()]
    hashed = hashlib.sha256()
    for block in blocks:
        hashed.update(block)
    with whole_file(path) as part, part.open("wb") as file:
        file.write(_MAGIC + b"%04d " % _VERSION + hashed.hexdigest().encode() + b"\n")
        for block in blocks:
            file.write(block)


def read(path: Path) -> IndexContents:
    """The contents of an index, its arrays memory-mapped.

    Every byte is checked against the file's digest, and every number against what it may be: the kernels do not look
    whether a number is within its array.
    """
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not a file. Name a file that Index.save wrote.")
    try:
        with path.open("rb") as file:
            line = file.read(_FIRST_LINE)
            if not line.startswith(_MAGIC):
                raise InputError(f"{path} is not an index of Idiograph. Name a file that Index.save wrote.")
            version = line[len(_MAGIC) : len(_MAGIC) + 4]
            if version != b"%04d" % _VERSION:
                theirs = shown(version.decode("latin-1"))
                raise InputError(
                    f"{path} was written by another version of Idiograph (its index format is {theirs}, and this one "
                    f'reads "{_VERSION:04d}"). Build the index again.'
                )
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise InputError(
            f"{path} could not be opened ({error.strerror or error}). Check the name and permissions."
        ) from error
    body = memoryview(content)[_FIRST_LINE:]
    if hashlib.sha256(body).hexdigest().encode() + b"\n" != line[-65:]:
        raise _damaged(path)
    # The digest protects against accidents; whoever forges a file can forge its digest.
    try:
        contents = _parsed(content, path.resolve())
        if not _sound(contents):
            raise _damaged(path)
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise _damaged(path) from error
    return contents


def _parsed(content: mmap.mmap, path: Path) -> IndexContents:
    end = _FIRST_LINE + 8 + int.from_bytes(content[_FIRST_LINE : _FIRST_LINE + 8], "little")
    header = parsed_json(content[_FIRST_LINE + 8 : end].decode(errors="surrogatepass"), halves=True)
    parts: dict[str, Any] = {name: header[name] for name in _HEADER}
    for name, kind in _ARRAYS.items():
        end += -end % _ALIGNED
        length = header["lengths"][name]
        if type(length) is not int or length < 0:
            raise ValueError(length)
        parts[name] = np.frombuffer(content, kind, length, end)
        end += parts[name].nbytes
    parts["text_names"] = header["text_ids"]
    for name in ("types", "text_names", "text_authors"):
        if not isinstance(parts[name], list):
            raise TypeError(name)
        parts[name] = tuple(parts[name])
    return IndexContents(**parts, path=path)


def _sound(of: IndexContents) -> bool:
    """Whether the parts fit together."""
    from idiograph.compiling import run
    from idiograph.grammar.numbering import fits

    n_sentences, n_texts = len(of.starts) - 1, len(of.text_authors)
    texts = (*of.types, *(of.text_names or ()), *(author for author in of.text_authors if author is not None))
    if not all(isinstance(text, str) for text in texts) or not isinstance(of.masking, str | None):
        return False
    for token in of.types:
        Vocabulary.check(token)
    return (
        type(of.order) is type(of.n_ids) is int
        and 1 <= of.order <= ORDER["maximum"]
        and 0 <= of.n_ids <= len(of.stream)
        and len(set(of.types)) == len(of.types)
        and len(set(of.text_names or ())) == n_texts
        and 0 <= n_sentences == len(of.places) - 1 == len(of.sentence_text)
        and _within(of.sentence_text, 0, n_texts)
        and _within(of.tokens, 1, len(of.types) + 1)
        and bool(run(fits, of.tokens, of.starts, of.stream, of.places, of.n_ids, of.order))
    )


def _within(numbers: Any, least: int, beyond: int) -> bool:
    return len(numbers) == 0 or (least <= int(numbers.min()) and int(numbers.max()) < beyond)


def _damaged(path: Path) -> InputError:
    return InputError(
        f"{path} is damaged or cut short: its content does not match its digest, or its parts do not "
        "match each other. Build the index again."
    )
