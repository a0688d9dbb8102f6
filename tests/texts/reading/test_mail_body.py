"""The body of a message: which part, in which encoding."""

from pathlib import Path

import pytest

from idiograph.texts.reading.mail import plain_lines
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


@pytest.mark.parametrize(
    ("markup", "lines"),
    [
        ("<p>One <b>two</b>three.</p><p>Four.</p>", "One twothree.\n\nFour.\n"),
        ("One<br>two<br><br>three", "One\ntwo\n\nthree\n"),
        ("<div>One</div><div>two</div>", "One\ntwo\n"),
        ("  many \n  blanks\tare  one ", "many blanks are one\n"),
        ("a<script>no()</script><style>p{}</style>b", "ab\n"),
        ("<blockquote>theirs<blockquote>older</blockquote></blockquote>mine", "> theirs\n>\n> > older\n>\nmine\n"),
        ("<div class='x yahoo_quoted'>theirs</div>mine", "> theirs\nmine\n"),
        ("<pre>a\nb  c\n\nd</pre>e", "a\nb  c\n\nd\ne\n"),
        ("&lt;b&gt; &eacute; &#x2019;", "<b> é ’\n"),
        ("</p></div>never opened", "never opened\n"),
        ("<div><b>never closed", "never closed\n"),
        ("<table><tr><td>a</td><td>b</td></tr></table>c", "a\nb\n\nc\n"),
        ("<img src=x alt=y>words<hr>more", "words\nmore\n"),
        ("", "\n"),
    ],
)
def test_markup_becomes_lines(markup: str, lines: str) -> None:
    assert "\n".join(line.rstrip() for line in plain_lines(markup).split("\n")) == lines


def test_html_is_made_plain_and_what_it_quotes_is_set_apart(tmp_path: Path) -> None:
    mail = message()
    mail.set_content(
        "<html><head><title>no</title><style>p {}</style></head><body><p>One &amp; two,\n <b>three</b>.<br>Four.</p>"
        "<ul><li>five</li><li>six</li></ul><pre>a  b\nc</pre>"
        '<div class="gmail_quote">On Monday Bo wrote:<blockquote>Seven?</blockquote></div></body></html>',
        subtype="html",
    )
    path = saved(tmp_path, mail)
    text = only(path)
    assert text.content.rstrip() == "One & two, three.\nFour.\n\nfive\nsix\n\na  b\nc"
    assert text.metadata["reading"]["changes"][0] == {"step": "HTML made plain lines"}
    assert "Seven?" in only(path, quotes="keep").content
