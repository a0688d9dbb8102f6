"""Masked corpora as JSON Lines: a header that says how they were made, then a text a line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from idiograph.errors import InputError, cannot_write
from idiograph.files import whole_file
from idiograph.texts.masking.rules import Masking
from idiograph.texts.masking.tagger import Model
from idiograph.texts.text import Corpus, MaskedText

_SCHEMA = 1
_MARK = "idiograph_masked_corpus"  # the header's first key, with the schema's version
_HEAD_BYTES = 65_536  # no header is longer


class Write(Protocol):
    """Writes one more text."""

    def __call__(self, text: MaskedText, /) -> None: ...


@dataclass(frozen=True)
class Header:
    """The first line: how the texts were masked, and by which tagger, which is None where they came masked."""

    masking: str
    tagger: Mapping[str, str] | None

    @classmethod
    def of(cls, how: Masking) -> "Header":
        return cls(how.signature, _named(how.model))


def _named(model: Model) -> dict[str, str]:
    return {"name": model.name, "version": model.version, "digest": model.digest}


@contextmanager
def masked_writer(path: Path, header: Header) -> Iterator[Write]:
    """Writes texts as they come to a file that appears under its name only when all are there."""
    with whole_file(path) as part, part.open("w", encoding="utf-8", newline="\n") as file:

        def line(value: Mapping[str, Any]) -> None:
            # Metadata may hold dates and the like: written as they print.
            encoded = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)
            try:
                file.write(encoded + "\n")
            except OSError as error:
                raise cannot_write(path, error) from error

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


def write_masked(path: Path, texts: Iterable[MaskedText], header: Header) -> None:
    """Writes a masked corpus, whole or not at all."""
    with masked_writer(path, header) as write:
        for text in texts:
            write(text)


def is_masked_corpus(path: Path) -> bool:
    """Whether the file begins like a masked corpus of any schema version; a folder or a missing file does not."""
    try:
        with path.open("rb") as file:
            return file.readline(_HEAD_BYTES).lstrip(b"\xef\xbb\xbf {").startswith(f'"{_MARK}"'.encode())
    except OSError:
        return False


def read_header(path: Path) -> Header:
    """How the texts of a masked corpus were made."""
    try:
        with path.open("rb") as file:
            return _header(path, file.readline(_HEAD_BYTES))
    except OSError as error:
        raise _cannot_read(path, error) from error


def iter_masked(path: Path) -> Iterator[MaskedText]:
    """The texts of a masked corpus one after the other; damage is an error that names the line."""
    header = read_header(path)
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if number > 1 and line.strip():
                    yield _text(path, number, line, header.masking)
    except OSError as error:
        raise _cannot_read(path, error) from error


def read_masked(path: Path) -> Corpus[MaskedText]:
    """A masked corpus; two texts with one id are refused."""
    return Corpus(tuple(iter_masked(path)))


def _header(path: Path, line: bytes) -> Header:
    try:
        header = json.loads(line.decode("utf-8-sig"))
        version = header[_MARK]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} does not begin with the header of a masked corpus, so how it was masked is not known. "
            "Make it with idiograph mask; text masked elsewhere is read as plain text, one sentence a line."
        ) from error
    if version != _SCHEMA:
        raise InputError(
            f"{path} is a masked corpus of schema version {version}, and this Idiograph reads version {_SCHEMA}. "
            "Mask the texts again, or use the Idiograph that made the file."
        )
    try:
        tagger = header["tagger"]
        return Header(
            _string(header["masking"]), None if tagger is None else {k: _string(v) for k, v in tagger.items()}
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise _damaged(path, 1, "the header does not say how the texts were masked") from error


def _text(path: Path, number: int, line: bytes, masking: str) -> MaskedText:
    try:
        entry = json.loads(line)
        sentences = tuple(tuple(map(_string, sentence)) for sentence in entry["sentences"])
        spans = np.array(entry["spans"], np.int32).reshape(-1, 2)
        author = entry["author"]
        text = MaskedText(
            _string(entry["id"]),
            None if author is None else _string(author),
            sentences,
            _string(entry.get("masking", masking)),
            spans,
            dict(entry.get("metadata", {})),
        )
    except KeyError as error:
        raise _damaged(path, number, f"{error.args[0]} is missing") from error
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        raise _damaged(path, number, "it is no text in JSON as idiograph mask writes it") from error
    if len(spans) not in (0, text.n_tokens):
        raise _damaged(path, number, f"{text.id} has {text.n_tokens:,} tokens but {len(spans):,} spans")
    return text


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no string")
    return value


def _damaged(path: Path, number: int, what: str) -> InputError:
    return InputError(
        f"Line {number} of {path} is damaged: {what}. Nothing after it can be trusted; mask the texts again."
    )


def _cannot_read(path: Path, error: OSError) -> InputError:
    return InputError(f"{path} could not be read ({error.strerror or error}). Check its name and rights.")
