"""An index as one file: a line that names version and digest, a header, then the arrays, ready to be memory-mapped."""

import hashlib
import json
import mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from idiograph.errors import InputError
from idiograph.files import whole_file

if TYPE_CHECKING:
    from idiograph.grammar.index import Index

_MAGIC = b"idiograph index "
_VERSION = 1
_FIRST_LINE = len(_MAGIC) + 4 + 1 + 64 + 1  # magic, version, blank, digest, line end
_ALIGNED = 64
_ARRAYS = {"tokens": "<i4", "starts": "<i8", "stream": "<u4", "places": "<i8", "sentence_text": "<i4"}


def save(index: "Index", path: Path) -> None:
    """Writes the index to `path`, whole or not at all."""
    arrays = {
        name: np.ascontiguousarray(getattr(index, name)).astype(kind, copy=False) for name, kind in _ARRAYS.items()
    }
    header = json.dumps(
        {
            "types": index.types,
            "text_ids": index.text_ids,
            "text_authors": index.text_authors,
            "masking": index.masking,
            "n_ids": index.n_ids,
            "order": index.order,
            "lengths": {name: len(array) for name, array in arrays.items()},
        },
        ensure_ascii=False,
        separators=(",", ":"),
    ).encode(errors="surrogatepass")
    blocks = [len(header).to_bytes(8, "little"), header]
    for array in arrays.values():
        blocks += [bytes(-(_FIRST_LINE + sum(map(len, blocks))) % _ALIGNED), array.tobytes()]
    hashed = hashlib.sha256()
    for block in blocks:
        hashed.update(block)
    with whole_file(path) as part, part.open("wb") as file:
        file.write(_MAGIC + b"%04d " % _VERSION + hashed.hexdigest().encode() + b"\n")
        for block in blocks:
            file.write(block)


def read(path: Path) -> dict[str, Any]:
    """What an index is made of, its arrays memory-mapped; every byte is checked against the file's digest."""
    try:
        with path.open("rb") as file:
            line = file.read(_FIRST_LINE)
            if not line.startswith(_MAGIC):
                raise InputError(f"{path} is not an index of Idiograph. Name a file that Index.save wrote.")
            version = line[len(_MAGIC) : len(_MAGIC) + 4]
            if version != b"%04d" % _VERSION:
                raise InputError(
                    f"{path} was written by another version of Idiograph (index format "
                    f"{version.decode(errors='replace')}, this one reads {_VERSION:04d}). Build the index again."
                )
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise InputError(
            f"{path} could not be opened ({error.strerror or error}). Check its name and rights."
        ) from error
    except ValueError as error:
        raise _damaged(path) from error
    body = memoryview(content)[_FIRST_LINE:]
    if hashlib.sha256(body).hexdigest().encode() + b"\n" != line[-65:]:
        raise _damaged(path)
    end = 8 + int.from_bytes(body[:8], "little")
    header = json.loads(bytes(body[8:end]).decode(errors="surrogatepass"))
    arrays = {}
    at = _FIRST_LINE + end
    for name, kind in _ARRAYS.items():
        at += -at % _ALIGNED
        arrays[name] = np.frombuffer(content, kind, header["lengths"][name], at)
        at += arrays[name].nbytes
    return {
        **arrays,
        "types": tuple(header["types"]),
        "text_ids": tuple(header["text_ids"]),
        "text_authors": tuple(header["text_authors"]),
        "masking": header["masking"],
        "n_ids": header["n_ids"],
        "order": header["order"],
        "path": path.resolve(),
    }


def _damaged(path: Path) -> InputError:
    return InputError(f"{path} is damaged or cut short: its content does not match its digest. Build the index again.")
