"""Bytes to characters: which encoding, how it is known, and never a guess in silence."""

import codecs
import gzip
import hashlib
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from idiograph.errors import InputError
from idiograph.texts.characters import MISDECODED
from idiograph.texts.reading.options import DETECT, RULES, ReadingOptions

# Of one text, after decompression. War and Peace has 3 MB; what is larger is a collection, a mistake or a bomb, and
# finding wrapped lines in it may take fifty times its size in memory.
LARGEST_TEXT = 16_000_000  # bytes
LARGEST_FILE = 200_000_000  # bytes of a document or message with its pictures and attachments
C1 = frozenset(range(0x80, 0xA0))  # bytes that are controls in Latin-1 and quotes and dashes in cp1252
_SAMPLE = 16_000_000  # bytes from which an encoding is guessed
_CHUNK = 1 << 20
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Windows-1252's euro, ellipsis, quotes, dashes, bullet and trade mark: no other common encoding has punctuation there.
_TYPOGRAPHIC = frozenset(b"\x80\x82\x84\x85\x8b\x91\x92\x93\x94\x95\x96\x97\x99\x9b")


@dataclass(frozen=True)
class Encoding:
    """A codec and how it is known: `certain` by its mark or validity, `declared`, or `detected` from the bytes."""

    codec: str
    known: str
    ascii_only: bool = False

    @property
    def name(self) -> str:
        """The name for records: ASCII is said where nothing else occurs."""
        return "ascii" if self.ascii_only and self.codec == "utf-8" else self.codec


def bytes_of(path: Path, *, most: int = LARGEST_FILE, unpacked: bool = False) -> bytes:
    """A file's bytes as they lie there, or `unpacked`."""
    pieces, size = [], 0
    for piece in chunks(path, unpacked=unpacked):
        pieces.append(piece)
        size += len(piece)
        refuse_too_large(size, most)
    return b"".join(pieces)


def refuse_no_bytes(data: bytes) -> None:
    """An error about a file without a byte."""
    if not data:
        raise InputError("is empty: it has no bytes. Remove it or supply its text.")


def digest_and_size(path: Path) -> tuple[str, int]:
    """SHA-256 and size of a file as it lies there, found without holding it in memory."""
    sha256, size = hashlib.sha256(), 0
    for piece in chunks(path, unpacked=False):
        sha256.update(piece)
        size += len(piece)
    return sha256.hexdigest(), size


def refuse_too_large(size: int, most: int) -> None:
    """An error for more bytes than one text or file may have."""
    if size > most:
        raise InputError(
            f"has more than {most:,} bytes, and one text may have no more. If it holds several texts, split it "
            "into one file per text, or make it a table with one row per text."
        )


def open_bytes(path: Path, *, unpacked: bool) -> BinaryIO:
    """A file's bytes as a stream, decompressed if its name ends in .gz; pipes and devices are refused: they block."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise InputError("is a folder, pipe, socket or device, not a file. Name a file.")
        packed = unpacked and path.suffix.lower() == ".gz"
        return cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb")
    except OSError as error:
        raise why_unreadable(error) from error


def chunks(path: Path, *, unpacked: bool = True) -> Iterator[bytes]:
    """The bytes of a file, a megabyte at a time."""
    with open_bytes(path, unpacked=unpacked) as stream:
        try:
            while chunk := stream.read(_CHUNK):
                yield chunk
        except (OSError, EOFError, zlib.error) as error:
            raise why_unreadable(error) from error


def why_unreadable(error: Exception) -> InputError:
    """The sentence for a file that could not be read."""
    if isinstance(error, EOFError | zlib.error | gzip.BadGzipFile):
        return InputError(f"is damaged or incompletely compressed ({error}). Copy or download it again.")
    if isinstance(error, FileNotFoundError):
        return InputError("was not found: it was removed in the meantime, or it is a broken link. Put it back.")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return InputError(f"could not be read ({reason}). Check its permissions and whether it is still there.")


def encoding_of(pieces: Callable[[], Iterable[bytes]], options: ReadingOptions) -> Encoding:
    """The encoding of bytes, tried to the last of them: by mark, by validity as UTF-8, as declared or as detected.

    What is declared holds for bytes that are not UTF-8: text in another encoding is hardly ever valid UTF-8 by chance.
    """
    start = next(iter(pieces()), b"")
    marked = next((codec for bom, codec in _BOMS if start.startswith(bom)), None)
    option = options.encoding
    if option is not None and option != DETECT:
        if options.rules < RULES:
            return _declared(
                pieces, marked if marked and codecs.lookup(option).name == marked.removesuffix("-sig") else option
            )
        if marked is None and (_hidden_in_utf8(pieces(), option) or _fails(pieces(), "utf-8")[0]):
            latin_1 = codecs.lookup(option).name == "iso8859-1" and any(
                byte in C1 for piece in pieces() for byte in piece
            )
            # Nobody means controls: what is called Latin-1 is then cp1252, as browsers take it.
            return _declared(pieces, "cp1252" if latin_1 and not _fails(pieces(), "cp1252")[0] else option)
    codec = marked or "utf-8"
    # The mark is left in for this: positions count from the file's first byte.
    failure, ascii_only = _fails(pieces(), codec.removesuffix("-sig"))
    if not failure:
        return Encoding(codec, "certain", ascii_only)
    if marked:
        raise InputError(f"begins as {codec.removesuffix('-sig')}, but not all of it is: {failure}. Save it again.")
    likely = _likely_encoding(b"".join(islice(pieces(), _SAMPLE // _CHUNK + 1))[:_SAMPLE])
    if likely and _fails(pieces(), likely)[0]:
        likely = None
    if option == DETECT and likely:
        return Encoding(likely, "detected")
    advice = (
        f"Save it as UTF-8 or pass --encoding {likely} (it looks like that) or --encoding {DETECT}"
        if likely
        else "No encoding fits its bytes: it is probably not text. Save it as UTF-8 or name its --encoding"
    )
    raise InputError(f"is not UTF-8 ({failure}). {advice}.")


def _declared(pieces: Callable[[], Iterable[bytes]], option: str) -> Encoding:
    """The encoding that was declared, if all bytes fit it."""
    failure, _ = _fails(pieces(), option)
    if failure:
        raise InputError(
            f"is neither UTF-8 nor {option}: {failure}. Files that are not UTF-8 were declared to be {option}; name "
            f"another --encoding or {DETECT}, which looks at each file."
        )
    return Encoding(codecs.lookup(option).name, "declared")


def _hidden_in_utf8(pieces: Iterable[bytes], option: str) -> bool:
    """Whether bytes may be valid UTF-8 and yet in the declared encoding: those with null bytes, and seven-bit ones."""
    codec = codecs.lookup(option).name
    if codec.startswith(("utf-16", "utf-32")):
        return any(b"\0" in piece for piece in pieces)
    return codec.startswith(("iso2022", "utf-7", "hz")) and all(piece.isascii() for piece in pieces)


def _likely_encoding(data: bytes) -> str | None:
    """What the bytes suggest, or None if they do not look like text in any encoding."""
    if b"\0" in data:
        return _wide(data)
    high = {byte for byte in data if byte >= 0x80}
    if any(byte in _TYPOGRAPHIC for byte in high) and all(byte in _TYPOGRAPHIC or byte >= 0xA0 for byte in high):
        return "cp1252"
    # Imported late: most files never need it.
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    return best.encoding.replace("_", "-") if best is not None else None


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of English text is zero."""
    even, odd = data[0::2].count(0), data[1::2].count(0)
    if max(even, odd) <= 0.2 * len(data) or min(even, odd) >= 0.05 * len(data):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _fails(pieces: Iterable[bytes], codec: str) -> tuple[str, bool]:
    """Where the bytes stop being `codec` ('' if nowhere), and whether all of them are ASCII."""
    decoder = codecs.getincrementaldecoder(codec)("strict")
    offset = 0
    ascii_only = True
    piece = b""
    try:
        for piece in pieces:
            pending = len(decoder.getstate()[0])
            ascii_only = ascii_only and piece.isascii()
            decoder.decode(piece)
            offset += len(piece)
        pending, piece = len(decoder.getstate()[0]), b""
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        position = offset - pending + error.start
        return f"byte 0x{error.object[error.start]:02x} at position {position:,}", ascii_only
    except UnicodeError as error:
        return str(error), ascii_only
    return "", ascii_only


def decoded(data: bytes, options: ReadingOptions) -> tuple[str, Encoding]:
    """Characters and the encoding they were in; null bytes are refused, which no text has."""
    encoding = encoding_of(lambda: [data], options)
    content = data.decode(encoding.codec)
    if "\0" in content:
        likely = _wide(data)
        raise InputError(
            f"has null bytes (the first at position {data.index(0):,}), which no text has. "
            + (f"It looks like {likely}: pass --encoding {likely}." if likely else "It is probably not a text file.")
        )
    return content, encoding


def oddities(content: str) -> list[str]:
    """Signs that characters were lost or mistaken before the text came here; nothing is repaired."""
    noticed = []
    if broken := MISDECODED.findall(content):
        noticed.append(
            f"characters look mis-decoded ({broken[0]!r}, {len(broken):,} in all): the text was read in a wrong "
            "encoding before it came here. They are left as found; the recipe characters puts them right."
        )
    if "\ufffd" in content:
        noticed.append(
            f"characters were lost before the text came here (U+FFFD, {content.count(chr(0xFFFD)):,} in all)."
        )
    return noticed
