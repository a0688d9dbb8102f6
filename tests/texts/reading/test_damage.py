"""Damaged files of every kind: read, or refused in a sentence, never a failure of the program."""

import gzip
import io
import json
import random
from pathlib import Path
from typing import Any

import docx
import pytest
import typst

from idiograph import IdiographError, read

MAIL = (
    b"From: Ann <a@x.org>\r\nSubject: =?utf-8?q?Caf=C3=A9?=\r\nMIME-Version: 1.0\r\n"
    b'Content-Type: multipart/alternative; boundary="b"\r\n\r\n--b\r\n'
    b'Content-Type: text/plain; charset="utf-8"; format=flowed\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n'
    b"Hello=20there \r\nmore\r\n> q\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>Hi<blockquote>x</blockquote>\r\n"
    b"--b--\r\n"
)
BOX = (
    b"From a@x Tue Jan 04 17:00:00 2011\nFrom: a@x.org\n\nOne.\n\n"
    b"From b@x Tue Jan 04 17:00:00 2011\nFrom: b@x.org\nDate: x\n\nTwo.\n>From here\n"
)
WHOLE = {
    "a.txt": "Hello there. Café “x”.\r\nMore.\n".encode(),
    "a.txt.gz": gzip.compress(b"Hello there."),
    "a.csv": b'id,author,text\n1,lee,"One, ""two"""\n2,kim,Three\n',
    "a.tsv": b"id\ttext\n1\tOne\n",
    "a.jsonl": b'{"id": 1, "author": "x", "text": "One \\u00e9"}\n{"id": 2, "text": "Two", "metadata": {"a": 1}}\n',
    "masked.jsonl": b'{"id": 1, "author": "x", "sentences": ["One N", "b"]}\n',
    "pairs.jsonl": b'{"id": 1, "pair": ["a", "b"], "fandoms": ["x", "y"]}\n{"known": ["a"], "unknown": "b"}\n',
    "a.eml": MAIL,
    "a.mbox": BOX,
}
INSERTED = (
    b"\0",
    b'"',
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\n\n",
    b"{",
    b"\xed\xa0\x80",
    b"=?x?b?!!?=",
    b"\x92",
    b"<",
    b"--b\r\n",
)


def damaged(data: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 5, 20])):
        at = draw.randrange(len(changed) + 1)
        match draw.randrange(5):
            case 0:
                changed[at : at + 1] = bytes([draw.randrange(256)])
            case 1:
                del changed[at : at + draw.randrange(1, 20)]
            case 2:
                changed[at:at] = draw.choice(INSERTED)
            case 3:
                del changed[at:]
            case _:
                changed[at:at] = changed[at : at + 30]
    return bytes(changed)


def documents() -> dict[str, bytes]:
    document = docx.Document()
    document.add_paragraph("Hello there. This is me.")
    document.add_table(1, 2)
    stream = io.BytesIO()
    document.save(stream)
    page: Any = typst.compile(b"Hello there, this is a page.\n#pagebreak()\nMore.")
    return {"a.docx": stream.getvalue(), "a.pdf": page}


@pytest.mark.parametrize("name", [*WHOLE, "a.docx", "a.pdf"])
def test_damage_is_said_in_words(tmp_path: Path, name: str) -> None:
    draw = random.Random(name)
    data = (WHOLE | (documents() if name.endswith(("docx", "pdf")) else {}))[name]
    path = tmp_path / name
    refused = 0
    for _ in range(40):
        path.write_bytes(damaged(data, draw))
        for options in ({}, {"encoding": "detect", "skip_bad": True}, {"kind": "masked"}, {"kind": "problems"}):
            try:
                found = read(path, **options)  # type: ignore[call-overload]
            except IdiographError:
                refused += 1
                continue
            for text in found.texts:
                json.dumps(text.metadata, allow_nan=False).encode()
                getattr(text, "content", "").encode()
    assert refused > 0
