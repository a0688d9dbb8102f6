"""The body of a message: which part, in which encoding."""

from pathlib import Path

import pytest

from read_files import message, only, refusal, saved


@pytest.mark.parametrize("encoding", ["quoted-printable", "base64", "8bit"])
def test_transfer_encodings(tmp_path: Path, encoding: str) -> None:
    mail = message()
    mail.set_content("Caf\u00e9 \u2013 \u201cyes\u201d = ok\n", cte=encoding)
    text = only(saved(tmp_path, mail))
    assert text.content == "Caf\u00e9 \u2013 \u201cyes\u201d = ok\n"
    assert (text.metadata["reading"]["encoding"], text.metadata["reading"]["encoding_is"]) == ("utf-8", "declared")


def test_plain_text_is_preferred_and_attachments_are_named(tmp_path: Path) -> None:
    mail = message("Plain words.\n")
    mail.add_alternative("<p>Rich words.</p>", subtype="html")
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="cake.png")
    mail.add_attachment("their words", filename="letter.txt")
    text = only(saved(tmp_path, mail))
    assert text.content == "Plain words.\n"
    assert text.metadata["attachments"] == ["cake.png", "letter.txt"]


def test_an_empty_plain_part_gives_way_to_html(tmp_path: Path) -> None:
    mail = message(" \n")
    mail.add_alternative("<p>Rich words.</p>", subtype="html")
    assert only(saved(tmp_path, mail)).content == "Rich words.\n"


def test_text_around_a_picture_is_one_body(tmp_path: Path) -> None:
    parts = "\n".join(
        f"--x\nContent-Type: {kind}\n\n{content}"
        for kind, content in (("text/plain", "Before."), ("image/png", "..."), ("text/plain", "After.\n"))
    )
    raw = f"From: a@x.org\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n{parts}\n--x--\n"
    text = only(saved(tmp_path, raw.encode()))
    assert text.content.split() == ["Before.", "After."]
    assert text.metadata["attachments"] == ["a part of type image/png"]


def test_a_message_within_a_message_is_not_read(tmp_path: Path) -> None:
    mail = message("See the attached message.\n")
    mail.add_attachment(message("Their words.\n"))
    text = only(saved(tmp_path, mail))
    assert text.content == "See the attached message.\n"
    assert text.metadata["attachments"] == ["a part of type message/rfc822"]


def raw_mail(body: bytes, content_type: str | None) -> bytes:
    declared = f"Content-Type: {content_type}\n" if content_type else ""
    return f"From: a@x.org\n{declared}Content-Transfer-Encoding: 8bit\n\n".encode() + body


def test_charsets_that_are_declared_wrongly(tmp_path: Path) -> None:
    path = saved(tmp_path, raw_mail(b"It\x92s mine", "text/plain; charset=iso-8859-1"))
    text = only(path)
    assert text.content == "It’s mine"
    assert (text.metadata["reading"]["encoding"], text.metadata["reading"]["encoding_is"]) == ("cp1252", "detected")
    assert "declared iso-8859-1, but it has characters of cp1252" in text.metadata["reading"]["warnings"][0]
    path = saved(tmp_path, raw_mail("caf\u00e9".encode(), "text/plain; charset=x-unknown"))
    assert only(path).content == "caf\u00e9"
    assert "declared x-unknown, which its bytes do not fit" in only(path).metadata["reading"]["warnings"][0]
    path = saved(tmp_path, raw_mail(b"It\x92s mine", "text/plain; charset=us-ascii"))
    assert "a.eml is not UTF-8 (byte 0x92 at position 2)" in refusal(path)
    assert only(path, encoding="detect").content == "It’s mine"
    path = saved(tmp_path, raw_mail(b"It\x92s mine", None))
    assert only(path, encoding="cp1252").content == "It’s mine"


def test_a_charset_that_no_codec_can_be_named_is_not_the_end(tmp_path: Path) -> None:
    text = only(saved(tmp_path, raw_mail(b"words", 'text/plain; charset="a\0b"')))
    assert text.content == "words"
    assert "which its bytes do not fit" in text.metadata["reading"]["warnings"][0]
