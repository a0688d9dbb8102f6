"""Masked corpora as JSON Lines: a header that says how they were made, then one text per line."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from idiograph.checking import check
from idiograph.errors import InputError, cannot_read
from idiograph.files import whole_file
from idiograph.records import parsed_json
from idiograph.texts.masking.rules import Masking
from idiograph.texts.text import Corpus, MaskedText

_SCHEMA = 1
_MARK = "idiograph_masked_corpus"  # the header's first key, with the schema's version
_HEAD_BYTES = 65_536  # no header is longer
_LONGEST_LINE = 3 * 16_000_000  # bytes; the largest text that is read, with a span for every token


@dataclass(frozen=True)
class CorpusHeader:
    """The first line: how the texts were masked, and by which tagger (None where they were masked elsewhere)."""

    masking: str
    tagger: Mapping[str, str] | None

    @classmethod
    def of(cls, how: Masking) -> "CorpusHeader":
        model = how.model
        return cls(how.signature, {"name": model.name, "version": model.version, "digest": model.digest})


@contextmanager
def masked_writer(path: Path, header: CorpusHeader) -> Iterator[Callable[[MaskedText], None]]:
    """Writes texts as they come to a file that appears under its name only when all are there."""
    with whole_file(path) as part, part.open("w", encoding="utf-8", newline="\n") as file:

        def line(value: Mapping[str, Any]) -> None:
            # Metadata may hold dates and the like: written as they print.
            encoded = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)
            file.write(encoded + "\n")

        def write(text: MaskedText, /) -> None:
            entry: dict[str, Any] = {"id": text.id, "author": text.author, "sentences": text.sentences}
            entry |= {"spans": text.spans.tolist(), "metadata": dict(text.metadata)}
            # Only where it is not the header's: texts that came masked may stand among others.
            entry |= {} if text.masking == header.masking else {"masking": text.masking}
            try:
                line(entry)
            except ValueError as error:
                raise InputError(
                    f"The metadata of {text.id} hold a number that is not finite, which JSON cannot express. Remove it."
                ) from error

        line({_MARK: _SCHEMA, "masking": header.masking, "tagger": header.tagger})
        yield write


def write_masked(path: Path, texts: Iterable[MaskedText], header: CorpusHeader) -> None:
    """Writes a masked corpus, whole or not at all."""
    with masked_writer(path, header) as write:
        for text in texts:
            write(text)


def is_masked_corpus(path: Path) -> bool:
    """Whether the file begins like a masked corpus of any schema version; a folder or a missing file does not."""
    try:
        return path.is_file() and _first_line(path).lstrip(b"\xef\xbb\xbf {").startswith(f'"{_MARK}"'.encode())
    except OSError:
        return False


def read_header(path: Path) -> CorpusHeader:
    """How the texts of a masked corpus were made."""
    try:
        line = _first_line(path)
    except OSError as error:
        raise cannot_read(path, error) from error
    try:
        header = parsed_json(line.decode("utf-8-sig"))
        version = header[_MARK]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} does not begin with the header of a masked corpus, so how it was masked is not known. "
            "Make it with idiograph mask; text masked elsewhere is read as plain text, one sentence per line."
        ) from error
    if type(version) is not int or version != _SCHEMA:
        raise InputError(
            f"{path} is a masked corpus of schema version {version!r}, and this Idiograph reads version {_SCHEMA}. "
            "Mask the texts again, or use the Idiograph that made the file."
        )
    try:
        tagger = _field(header, "tagger", Mapping | None)
        for name in tagger or ():
            _field(tagger, name, str)
        return CorpusHeader(_field(header, "masking", str), tagger)
    except InputError as error:
        raise _damaged(path, 1, str(error)) from error


def iter_masked(path: Path) -> Iterator[MaskedText]:
    """The texts of a masked corpus one after the other; damage is an error that names the line and the field."""
    header = read_header(path)
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(_LONGEST_LINE + 1):
                number += 1
                if number == 1 or not line.strip():
                    continue
                try:
                    yield _text(line, header.masking)
                except InputError as error:
                    raise _damaged(path, number, str(error)) from error
    except OSError as error:
        raise cannot_read(path, error) from error


def read_masked(path: Path) -> Corpus[MaskedText]:
    """A masked corpus; two texts with the same id are refused."""
    return Corpus(tuple(iter_masked(path)))


def _first_line(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.readline(_HEAD_BYTES)


def _text(line: bytes, masking: str) -> MaskedText:
    if len(line) > _LONGEST_LINE:
        raise InputError(f"it has more than {_LONGEST_LINE:,} bytes")
    try:
        entry = parsed_json(line)
    except ValueError as error:
        raise InputError(f"it is not valid JSON ({error})") from error
    if not isinstance(entry, dict):
        raise InputError("it is not a JSON object")
    sentences = _field(entry, "sentences", list)
    if not all(isinstance(tokens, list) for tokens in sentences):
        raise InputError("sentences must be a list of lists of tokens")
    spans = _field(entry, "spans", list)
    try:
        rows = np.array(spans, np.int32).reshape(-1, 2) if spans else np.empty((0, 2), np.int32)
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError("spans must be a list of pairs of whole numbers") from error
    return MaskedText(
        _field(entry, "id", str),
        _field(entry, "author", str | None),
        tuple(map(tuple, sentences)),
        _field({"masking": masking, **entry}, "masking", str),
        rows,
        _field({"metadata": {}, **entry}, "metadata", dict),
    )


def _field(entry: Mapping[str, Any], name: str, wanted: Any) -> Any:
    """A field that must be there and of this type."""
    if name not in entry:
        raise InputError(f"{name} is missing")
    return check(entry[name], wanted, name)


def _damaged(path: Path, number: int, what: str) -> InputError:
    return InputError(
        f"Line {number} of {path} is damaged: {what.rstrip('.')}. Nothing after it can be trusted; mask the "
        "texts again."
    )
