"""Messages and mailboxes, made by the standard library's mail package."""

import mailbox
from email.message import EmailMessage
from pathlib import Path

from idiograph import read
from idiograph.texts.reading.report import raw_content
from read_files import message, only, refusal, saved


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
    assert raw_content(text) == content
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
    said = refusal(tmp_path)
    assert "a.eml is empty: it has no message." in said
    assert "b.eml has no text, only cake.png." in said
    assert "c.eml is empty: it has nothing but white space." in said
    assert "d.mbox does not begin like an mbox file" in said
    assert "e.mbox is empty: it has no message." in said


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
