"""Messages and mailboxes, made by the standard library's mail package: whose words, which part, which encoding."""

import mailbox
from email.message import EmailMessage
from pathlib import Path

import pytest

from idiograph import read
from read_files import as_written, message, only, refusal, saved


def test_the_sender_is_the_author_and_headers_are_metadata(tmp_path: Path) -> None:
    mail = message(
        To="Bo <bo@x.org>, cy@x.org",
        Cc="dee@x.org",
        Subject="Café",
        Date="Tue, 04 Jan 2011 17:00:00 +0100",
        Message_ID="<1@x>",
    )
    text = only(saved(tmp_path, mail))
    assert (text.id, text.author, text.content) == ("a.eml", "ann.lee@example.org", "My own words.\n")
    assert {key: value for key, value in text.metadata.items() if key != "reading"} == {
        "from": "Ann.Lee@Example.org",
        "to": ["bo@x.org", "cy@x.org"],
        "cc": ["dee@x.org"],
        "subject": "Café",
        "date": "2011-01-04T17:00:00+01:00",
        "message_id": "<1@x>",
    }


def test_authors_of_mail_can_be_named_otherwise(tmp_path: Path) -> None:
    (tmp_path / "lee").mkdir()
    saved(tmp_path / "lee", message())
    assert only(tmp_path).author == "ann.lee@example.org"
    assert only(tmp_path, author_from="mail").author == "ann.lee@example.org"
    assert only(tmp_path, author_from="folder").author == "lee"
    assert only(tmp_path, author_from="none").author is None
    assert only(tmp_path, author="A").author == "A"


def test_quoted_text_is_set_apart_and_can_be_put_back(tmp_path: Path) -> None:
    content = "Yes, I will.\n\nOn 4 Jan 2011 Bo wrote:\n> Will you come?\n\nAnd I bring cake.\n"
    path = saved(tmp_path, message(content))
    text = only(path)
    assert text.content == "Yes, I will.\n\n\nAnd I bring cake.\n"
    assert [change["step"] for change in text.metadata["reading"]["changes"]] == ["quoted and forwarded text set apart"]
    assert as_written(text) == content
    assert only(path, quotes="keep").content == content


def test_a_message_with_nothing_of_its_own(tmp_path: Path) -> None:
    path = saved(tmp_path, message("---------- Forwarded message ---------\nFrom: bo@x.org\n\nTheirs.\n"))
    assert refusal(path).startswith("a.eml has no words of the sender: all of it is quoted or forwarded.")
    assert "Theirs." in only(path, quotes="keep").content


def test_wrapped_mail_is_unwrapped(tmp_path: Path) -> None:
    lines = [
        "I was wondering whether you could send me the newest figures for our",
        "market, since I need them for the meeting with the people from the bank",
        "tomorrow.",
    ]
    path = saved(tmp_path, message("Hi Bo,\n\n" + "\n".join(lines) + "\n\nAnn\n"))
    assert only(path).content == f"Hi Bo,\n\n{' '.join(lines)}\n\nAnn\n"
    assert only(path, unwrap="never").content == "Hi Bo,\n\n" + "\n".join(lines) + "\n\nAnn\n"


def test_flowed_lines_are_joined_as_the_standard_says(tmp_path: Path) -> None:
    mail = message("One line that \ngoes on\n \n From here. \n-- \nAnn \nLee\n> quoted \n> text\n")
    mail.set_param("format", "flowed")
    path = saved(tmp_path, mail)
    assert only(path, unwrap="never").content == "One line that goes on\n\nFrom here. \n-- \nAnn Lee\n"
    mail.set_param("delsp", "yes")
    assert only(saved(tmp_path, mail), unwrap="never").content.startswith("One line thatgoes on\n")


def test_headers_that_make_no_sense(tmp_path: Path) -> None:
    raw = b"From: \xe9 nobody\nDate: some day\nSubject: =?x-none?q?abc?=\nTo: undisclosed-recipients:;\n\nMy words.\n"
    text = only(saved(tmp_path, raw))
    assert text.content == "My words.\n"
    assert text.metadata["date"] == "some day"


def test_a_message_without_a_sender(tmp_path: Path) -> None:
    text = only(saved(tmp_path, b"Subject: x\n\nMy words.\n"))
    assert text.author is None
    assert text.metadata["reading"]["warnings"] == ["it has no sender's address."]


def test_messages_that_cannot_be_read(tmp_path: Path) -> None:
    picture = EmailMessage()
    picture["From"] = "a@x.org"
    picture.set_content(b"\x89PNG", maintype="image", subtype="png", filename="cake.png")
    saved(tmp_path, b"", "a.eml")
    saved(tmp_path, picture, "b.eml")
    saved(tmp_path, message("\n\n"), "c.eml")
    saved(tmp_path, b"no mailbox", "d.mbox")
    saved(tmp_path, b"\n", "e.mbox")
    sentences = refusal(tmp_path)
    assert "a.eml is empty: it has no message." in sentences
    assert "b.eml has no text, only cake.png." in sentences
    assert "c.eml is empty: it has nothing but white space." in sentences
    assert "d.mbox does not begin like an mbox file" in sentences
    assert "e.mbox is empty: it has no message." in sentences


def test_a_mailbox(tmp_path: Path) -> None:
    box = mailbox.mbox(str(tmp_path / "in.mbox"))
    box.add(message("First words.\n\nFrom here on it is mine.\n"))
    box.add(message("> only theirs\n", From="bo@x.org"))
    box.add(message("Third words.\n", From="Bo <bo@x.org>"))
    box.close()
    path = tmp_path / "in.mbox"
    before = path.read_bytes()
    assert refusal(path).startswith("in.mbox message 2 has no words of the sender")
    corpus = read(path, skip_bad=True)
    assert path.read_bytes() == before
    assert [(text.id, text.author) for text in corpus] == [
        ("in.mbox#1", "ann.lee@example.org"),
        ("in.mbox#3", "bo@x.org"),
    ]
    assert corpus.texts[0].content.rstrip() == "First words.\n\nFrom here on it is mine."
    assert corpus.texts[0].metadata["reading"]["changes"][0]["step"] == "mbox marks before From removed"
    assert corpus.texts[1].metadata["reading"]["place"] == "message 3"


def test_a_letter_that_says_from_is_not_cut_in_two(tmp_path: Path) -> None:
    raw = b"From - Tue Jan 04 17:00:00 2011\nFrom: a@x.org\n\nOne.\n\nFrom now on, two.\n"
    assert only(saved(tmp_path, raw, "in.mbox")).content.endswith("From now on, two.\n")


def test_mail_without_an_ending_is_read_if_the_format_is_named(tmp_path: Path) -> None:
    saved(tmp_path, message(), "1.")
    assert only(tmp_path, format="eml").author == "ann.lee@example.org"


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
    ],
)
def test_markup_becomes_lines(tmp_path: Path, markup: str, lines: str) -> None:
    mail = message()
    mail.set_content(markup, subtype="html")
    content = only(saved(tmp_path, mail), quotes="keep", unwrap="never").content
    assert "\n".join(line.rstrip() for line in content.split("\n")) == lines


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
