"""The body of a mail message: which of its parts, in which encoding, plain or made plain."""

import codecs
import email.message
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from idiograph.errors import InputError
from idiograph.texts.reading.decoding import Encoding, encoding_of
from idiograph.texts.reading.html import plain_lines
from idiograph.texts.reading.options import ReadingOptions

_Message = email.message.Message
_C1 = range(0x80, 0xA0)  # controls in Latin-1, which no mail has; quotes and dashes in Windows-1252


@dataclass(frozen=True)
class MailBody:
    """What a message says, and how its lines were meant."""

    content: str
    encoding: Encoding
    flowed: bool
    delsp: bool
    attachments: tuple[str, ...]
    changes: tuple[dict[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()


def body_of(message: _Message, options: ReadingOptions) -> MailBody:
    """The text of a message: its plain part, or its HTML part made plain."""
    attachments: list[_Message] = []
    parts = _texts(message, attachments)
    names = tuple(_name(part) for part in attachments)
    if not parts:
        raise InputError(
            f"has no text{', only ' + ', '.join(names) if names else ''}. Leave it out, or save its text as a file of "
            "its own."
        )
    warnings: list[str] = []
    contents = []
    encodings = []
    for part in parts:
        content, encoding = _decoded(part, options, warnings)
        contents.append(plain_lines(content) if part.get_content_type() == "text/html" else content)
        encodings.append(encoding)
    made_plain = any(part.get_content_type() == "text/html" for part in parts)
    return MailBody(
        content="\n".join(contents),
        encoding=_common(encodings),
        flowed=all(str(part.get_param("format", "")).lower() == "flowed" for part in parts),
        delsp=all(str(part.get_param("delsp", "")).lower() == "yes" for part in parts),
        attachments=names,
        changes=({"step": "HTML made plain lines"},) if made_plain else (),
        warnings=tuple(warnings),
    )


def _texts(part: _Message, attachments: list[_Message]) -> list[_Message]:
    """The parts that make up the body, in order; everything else is attached."""
    kind = part.get_content_type()
    if kind == "multipart/alternative":
        choices = [choice for choice in (_texts(one, attachments) for one in _parts(part)) if choice]
        # Plain before rich, and what says something before what is there only for form.
        choices.sort(key=lambda choice: (not _says(choice), choice[0].get_content_type() != "text/plain"))
        return choices[0] if choices else []
    if part.is_multipart() and not kind.startswith("message/"):
        return [text for one in _parts(part) for text in _texts(one, attachments)]
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
    return [one for one in payload if isinstance(one, _Message)] if isinstance(payload, list) else []


def _says(choice: list[_Message]) -> bool:
    return any(_bytes(part).strip() for part in choice)


def _bytes(part: _Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _name(part: _Message) -> str:
    return part.get_filename() or f"a part of type {part.get_content_type()}"


def _decoded(part: _Message, options: ReadingOptions, warnings: list[str]) -> tuple[str, Encoding]:
    """A part's characters by its declared charset, or, where that does not fit, as files are decoded."""
    data = _bytes(part)
    declared = part.get_content_charset()
    if declared and not (declared in ("us-ascii", "ascii") and not data.isascii()):
        try:
            codec = codecs.lookup(declared).name
            if codec == "iso8859-1" and any(byte in _C1 for byte in data):
                warnings.append(
                    f"its charset is declared {declared}, but it has characters of cp1252, so it was read as that."
                )
                return data.decode("cp1252"), Encoding("cp1252", "detected")
            return data.decode(codec), Encoding(codec, "declared", data.isascii())
        except (LookupError, ValueError):
            pass
    if declared:
        warnings.append(f"its charset is declared {declared}, which its bytes do not fit.")
    encoding = encoding_of(lambda: [data], options.encoding)
    return data.decode(encoding.codec), encoding


def _common(encodings: list[Encoding]) -> Encoding:
    names = sorted({encoding.name for encoding in encodings})
    known = {encoding.known for encoding in encodings}
    least = next(how for how in ("detected", "declared", "certain") if how in known)
    return Encoding("+".join(names), least)
