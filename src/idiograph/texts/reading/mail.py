"""Mail: the sender's own words, the headers as metadata, what was quoted set apart and on record."""

import email.message
import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header, make_header
from email.utils import getaddresses, parsedate_to_datetime
from pathlib import Path
from typing import Any

from idiograph.errors import InputError
from idiograph.provenance import digest
from idiograph.texts import quoting
from idiograph.texts.edits import Edits, removals
from idiograph.texts.reading.authors import Authors
from idiograph.texts.reading.decoding import LARGEST_FILE, bytes_of, digest_of, open_bytes, refuse_too_large
from idiograph.texts.reading.mail_body import MailBody, body_of
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.raw_text import Origin, ReadingStep, make_text, normal_name, unwrap_step
from idiograph.texts.reading.reading_report import ReadingLog
from idiograph.texts.reading.source_file import SourceFile
from idiograph.texts.text import Text

# The line before each message of an mbox file: a sender and a time. `From here on …` in a letter has no time.
_SEPARATOR = re.compile(rb"From \S+ .{0,80}\d:\d\d")
_SET_APART = "quoted and forwarded text set apart"


def texts_of_eml(file: SourceFile, authors: Authors, options: ReadingOptions, log: ReadingLog) -> Iterator[Text]:
    """The text of a file with one message."""
    data = bytes_of(file.path)
    if not data.strip():
        raise InputError("is empty: it has no message. Remove it or supply it.")
    yield _text(data, str(file.place), None, file, (digest(data), len(data)), authors, options)


def texts_of_mbox(file: SourceFile, authors: Authors, options: ReadingOptions, log: ReadingLog) -> Iterator[Text]:
    """The texts of a mailbox file, one per message, named by their number; the file may be larger than the memory."""
    traced = digest_of(file.path)
    for number, message in enumerate(_messages(file.path), start=1):
        try:
            yield _text(message, f"{file.place}#{number}", f"message {number}", file, traced, authors, options)
        except InputError as error:
            log.refuse(f"{file.place} message {number}", str(error))


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
    place: str | None,
    file: SourceFile,
    traced: tuple[str, int],
    authors: Authors,
    options: ReadingOptions,
) -> Text:
    try:
        message = message_from_bytes(data, policy=policy.compat32)
        body = body_of(message, options)
        headers = _headers(message, body)
    except RecursionError as error:
        raise InputError(
            "has parts nested hundreds deep, which no mail program produces. It is damaged or malicious; save "
            "its text as a file of its own."
        ) from error
    sender = headers["from"].lower() if headers["from"] else None
    author, metadata = authors.of(file.place, id_=id_, own=sender)
    text = make_text(
        id_,
        body.content,
        author=author,
        metadata={**{key: value for key, value in headers.items() if value}, **metadata},
        source=Origin(str(file.place), *traced, body.encoding),
        place=place,
        steps=list(_steps(body, options, stuffed=place is not None)),
        prior=body.changes,
        warnings=[*body.warnings, *([] if sender else ["it has no sender's address."])],
    )
    if not text.content.strip():
        raise InputError(
            "has no words of the sender: all of it is quoted or forwarded. Leave it out, or pass --quotes keep."
        )
    return text


def _steps(body: MailBody, options: ReadingOptions, *, stuffed: bool) -> Iterator[ReadingStep]:
    if stuffed:
        yield "mbox marks before From removed", _unstuffed
    if body.flowed:
        yield "flowed lines joined", lambda content: _flowed(content, delsp=body.delsp)
    if options.quotes == "cut":
        spans = (quoting.quoted_spans, quoting.forwarded_spans)
        yield _SET_APART, lambda content: removals(content, [span for found in spans for span in found(content)])
    yield unwrap_step(options)


def _unstuffed(content: str) -> Edits:
    return tuple((found.start(), ">", "") for found in re.finditer(r"^>(?=>*From )", content, re.MULTILINE))


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


def _headers(message: email.message.Message, body: MailBody) -> dict[str, Any]:
    """From, to, cc (addresses), date, subject, message id and the names of what was attached."""
    senders = _addresses(message, "from")
    return {
        "from": senders[0] if senders else "",
        "to": _addresses(message, "to"),
        "cc": _addresses(message, "cc"),
        "date": _date(message),
        "subject": _decoded(message.get("subject")),
        "message_id": str(message.get("message-id", "")).strip(),
        "attachments": list(body.attachments),
    }


def _addresses(message: email.message.Message, header: str) -> list[str]:
    values = [_decoded(value) for value in message.get_all(header, [])]
    return [normal_name(address) for _, address in getaddresses(values) if address]


def _date(message: email.message.Message) -> str:
    raw = str(message.get("date", "")).strip()
    try:
        return parsedate_to_datetime(raw).isoformat() if raw else ""
    except (ValueError, TypeError, IndexError, OverflowError):
        return raw


def _decoded(value: Any) -> str:
    if value is None:
        return ""
    try:
        text = str(make_header(decode_header(value)))
    except (LookupError, ValueError, MessageError):
        text = str(value)
    # A header may carry bytes of no declared encoding; what they were is not known.
    return " ".join(text.encode("utf-8", "replace").decode().split())
