"""Mail: the sender's own words, the headers as metadata, what was quoted set apart and on record.

HTML mail to plain lines, what it quotes marked with > as in plain mail.

The body of a mail message: which of its parts, in which encoding, plain or made plain.
"""

import codecs
import email.message
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header, make_header
from email.utils import getaddresses, parsedate_to_datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from idiograph.errors import InputError
from idiograph.provenance import digest
from idiograph.texts import quoting
from idiograph.texts.edits import Edits, removals, replacing
from idiograph.texts.reading.authors import Authors
from idiograph.texts.reading.decoding import (
    C1,
    LARGEST_FILE,
    Encoding,
    bytes_of,
    digest_and_size,
    encoding_of,
    open_bytes,
    refuse_too_large,
)
from idiograph.texts.reading.file_kinds import SourceFile
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.report import Origin, ReadingLog, ReadingStep, make_text, normal_name, unwrap_step
from idiograph.texts.text import Text

_NAMES = (
    "address article aside blockquote body dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav "
    "ol p pre section table tbody td tfoot th thead tr ul"
)
_BLOCKS = frozenset(_NAMES.split())
_SPACED = frozenset({"p", "blockquote", "table", "ul", "ol"})  # an empty line before and after each
_SILENT = frozenset({"head", "script", "style", "template", "title"})
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_QUOTING_CLASSES = ("gmail_quote", "yahoo_quoted", "moz-cite-prefix", "protonmail_quote")


class _LineCollector(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[tuple[int, str]] = []  # depth of quotation, words
        self.words = ""
        self.open: list[tuple[str, bool]] = []  # tag, whether it quotes
        self.names: Counter[str] = Counter()  # how often each tag is open
        self.depth = 0  # of quotation
        self.silent = 0
        self.preformatted = 0

    def break_line(self, *, keep_empty: bool = False) -> None:
        if self.words.strip() or keep_empty:
            self.lines.append((self.depth, self.words.strip(" \t\n")))
        self.words = ""

    def space(self, tag: str) -> None:
        if tag in _SPACED and self.lines and self.lines[-1][1]:
            self.lines.append((self.depth, ""))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.break_line()
        self.space(tag)
        if tag == "br":
            self.break_line(keep_empty=True)
        if tag in _VOID:
            return
        self.silent += tag in _SILENT
        self.preformatted += tag == "pre"
        classes = next((value or "" for name, value in attributes if name == "class"), "")
        quotes = tag == "blockquote" or any(name in classes for name in _QUOTING_CLASSES)
        self.open.append((tag, quotes))
        self.names[tag] += 1
        self.depth += quotes

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.break_line()
        if not self.names[tag]:
            return
        while self.open:
            closed, quotes = self.open.pop()
            self.names[closed] -= 1
            self.depth -= quotes
            self.silent -= closed in _SILENT
            self.preformatted -= closed == "pre"
            if closed == tag:
                break
        self.space(tag)

    def handle_data(self, data: str) -> None:
        if self.silent:
            return
        if self.preformatted:
            *lines, last = data.split("\n")
            for line in lines:
                self.words += line
                self.break_line(keep_empty=True)
            self.words += last
            return
        blank = " " if data[:1].isspace() and self.words and not self.words.endswith(" ") else ""
        self.words += blank + " ".join(data.split()) + (" " if data.strip() and data[-1:].isspace() else "")


def plain_lines(markup: str) -> str:
    """The words of an HTML page as lines; quoted ones begin with `> `."""
    parser = _LineCollector()
    parser.feed(markup)
    parser.close()
    parser.break_line()
    return "\n".join("> " * depth + words if depth else words for depth, words in parser.lines).strip("\n") + "\n"


_Message = email.message.Message


def _texts(part: _Message, attachments: list[_Message]) -> list[_Message]:
    """The parts that make up the body, in order; everything else is attached."""
    kind = part.get_content_type()
    if kind == "multipart/alternative":
        choices = [choice for choice in (_texts(nested, attachments) for nested in _parts(part)) if choice]
        # Plain before rich, and what says something before what is there only for form.
        choices.sort(
            key=lambda choice: (
                not any(_bytes(part).strip() for part in choice),
                choice[0].get_content_type() != "text/plain",
            )
        )
        return choices[0] if choices else []
    if part.is_multipart() and not kind.startswith("message/"):
        return [text for nested in _parts(part) for text in _texts(nested, attachments)]
    if (
        kind in ("text/plain", "text/html")
        and part.get_content_disposition() != "attachment"
        and not part.get_filename()
    ):
        return [part]
    attachments.append(part)
    return []


def _parts(part: _Message) -> Sequence[_Message]:
    payload = part.get_payload()
    return [nested for nested in payload if isinstance(nested, _Message)] if isinstance(payload, list) else []


def _bytes(part: _Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _decoded_body(part: _Message, options: ReadingOptions, warnings: list[str]) -> tuple[str, Encoding]:
    """A part's characters by its declared charset, or, where that does not fit, as files are decoded."""
    data = _bytes(part)
    declared = part.get_content_charset()
    if declared and not (declared in ("us-ascii", "ascii") and not data.isascii()):
        try:
            codec = codecs.lookup(declared).name
            if codec == "iso8859-1" and any(byte in C1 for byte in data):
                warnings.append(
                    f"its charset is declared {declared}, but it has characters of cp1252, so it was read as that."
                )
                return data.decode("cp1252"), Encoding("cp1252", "detected")
            return data.decode(codec), Encoding(codec, "declared", data.isascii())
        except (LookupError, ValueError):
            pass
    if declared:
        warnings.append(f"its charset is declared {declared}, which its bytes do not fit.")
    encoding = encoding_of(lambda: [data], options)
    return data.decode(encoding.codec), encoding


def _common(encodings: Sequence[Encoding]) -> Encoding:
    names = sorted({encoding.name for encoding in encodings})
    least = min((encoding.known for encoding in encodings), key=("detected", "declared", "certain").index)
    return Encoding("+".join(names), least)


# The line before each message of an mbox file: a sender and a time. `From here on …` in a letter has no time.
_SEPARATOR = re.compile(rb"From \S+ .{0,80}\d:\d\d")


def texts_of_eml(file: SourceFile, authors: Authors, options: ReadingOptions, log: ReadingLog) -> Iterator[Text]:
    """The text of a file with one message."""
    data = bytes_of(file.path)
    if not data.strip():
        raise InputError("is empty: it has no message. Remove it or supply it.")
    yield _text(data, str(file.relative), None, file, (digest(data), len(data)), authors, options)


def texts_of_mbox(file: SourceFile, authors: Authors, options: ReadingOptions, log: ReadingLog) -> Iterator[Text]:
    """The texts of a mailbox file, one per message, named by their number; the file may be larger than the memory."""
    traced = digest_and_size(file.path)
    for number, message in enumerate(_messages(file.path), start=1):
        try:
            yield _text(message, f"{file.relative}#{number}", f"message {number}", file, traced, authors, options)
        except InputError as error:
            log.refuse(f"{file.relative} message {number}", str(error))


def _messages(path: Path) -> Iterator[bytes]:
    lines: list[bytes] = []
    size = 0
    after_blank = True
    begun = False
    with open_bytes(path, unpacked=False) as stream:
        while line := stream.readline(LARGEST_FILE):
            if after_blank and line.startswith(b"From ") and (not begun or _SEPARATOR.match(line)):
                if begun:
                    yield b"".join(lines)
                lines, size, begun = [], 0, True
            elif not begun and line.strip():
                raise InputError(
                    "does not begin like an mbox file, with a line 'From …'. Check what it is, or pass --format."
                )
            else:
                lines.append(line)
                size += len(line)
                refuse_too_large(size, LARGEST_FILE)
            after_blank = not line.strip()
    if not begun:
        raise InputError("is empty: it has no message. Remove it or supply it.")
    yield b"".join(lines)


def _text(
    data: bytes,
    id_: str,
    where: str | None,
    file: SourceFile,
    traced: tuple[str, int],
    authors: Authors,
    options: ReadingOptions,
) -> Text:
    """The text of a message: its plain part, or its HTML part made plain."""
    attached: list[_Message] = []
    try:
        message = message_from_bytes(data, policy=policy.compat32)
        parts, headers = _texts(message, attached), _headers(message)
    except RecursionError as error:
        raise InputError(
            "has parts nested hundreds deep, which no mail program produces. It is damaged or malicious; save "
            "its text as a file of its own."
        ) from error
    attachments = [part.get_filename() or f"a part of type {part.get_content_type()}" for part in attached]
    if not parts:
        only = f", only {', '.join(attachments)}" if attachments else ""
        raise InputError(f"has no text{only}. Leave it out, or save its text as a file of its own.")
    warnings: list[str] = []
    contents, encodings = zip(*(_decoded_body(part, options, warnings) for part in parts), strict=True)
    made_plain = [part.get_content_type() == "text/html" for part in parts]
    sender = headers["from"].lower() or None
    author, metadata = authors.of(file.relative, id_=id_, stated=sender)
    text = make_text(
        id_,
        "\n".join(plain_lines(raw) if is_html else raw for raw, is_html in zip(contents, made_plain, strict=True)),
        author=author,
        metadata={key: value for key, value in {**headers, "attachments": attachments}.items() if value} | metadata,
        source=Origin(str(file.relative), *traced, _common(encodings)),
        where=where,
        options=options,
        steps=list(_steps(parts, options, stuffed=where is not None)),
        prior=[{"step": "HTML made plain lines"}] if any(made_plain) else [],
        warnings=[*warnings, *([] if sender else ["it has no sender's address."])],
    )
    if not text.content.strip():
        raise InputError(
            "has no words of the sender: all of it is quoted or forwarded. Leave it out, or pass --quotes keep."
        )
    return text


def _steps(parts: Sequence[_Message], options: ReadingOptions, *, stuffed: bool) -> Iterator[ReadingStep]:
    if stuffed:
        yield "mbox marks before From removed", replacing(r"(?m)^>(?=>*From )", "", in_ascii=True)
    flowed, delsp = (
        all(str(part.get_param(name, "")).lower() == asked for part in parts)
        for name, asked in (("format", "flowed"), ("delsp", "yes"))
    )
    if flowed:
        yield "flowed lines joined", lambda content: _flowed(content, delsp=delsp)
    if options.quotes == "cut":
        yield (
            "quoted and forwarded text set apart",
            lambda content: removals(content, quoting.quoted_spans(content) + quoting.forwarded_spans(content)),
        )
    yield unwrap_step(options)


def _flowed(content: str, *, delsp: bool) -> Edits:
    """RFC 3676: a line that ends in a blank goes on in the next; a blank at a line's beginning may be stuffing."""
    edits: list[tuple[int, str, str]] = []
    start = 0
    goes_on = False
    for line in content.split("\n"):
        quoted = line.startswith(">")
        if goes_on and not quoted and line != "-- ":
            cut = 1 + delsp
            stuffing = " " if line.startswith(" ") else ""
            edits.append((start - cut, content[start - cut : start] + stuffing, ""))
        elif line.startswith(" "):
            edits.append((start, " ", ""))
        goes_on = line.removeprefix(" ").endswith(" ") and not quoted and line != "-- "
        start += len(line) + 1
    return tuple(edits)


def _headers(message: _Message) -> dict[str, Any]:
    """From, to, cc (addresses), date, subject and message id."""
    date = str(message.get("date", "")).strip()
    with suppress(ValueError, TypeError, IndexError, OverflowError):
        date = parsedate_to_datetime(date).isoformat()
    return {
        "from": next(iter(_addresses(message, "from")), ""),
        "to": _addresses(message, "to"),
        "cc": _addresses(message, "cc"),
        "date": date,
        "subject": _decoded(message.get("subject", "")),
        "message_id": str(message.get("message-id", "")).strip(),
    }


def _addresses(message: _Message, header: str) -> list[str]:
    values = [_decoded(value) for value in message.get_all(header, [])]
    return [normal_name(address) for _, address in getaddresses(values) if address]


def _decoded(value: Any) -> str:
    try:
        text = str(make_header(decode_header(value)))
    except (LookupError, ValueError, MessageError):
        text = str(value)
    # A header may carry bytes of no declared encoding; what they were is not known.
    return " ".join(text.encode("utf-8", "replace").decode().split())
