"""What in a message is not its sender's own."""

import random

import pytest

from idiograph.texts.quoting import forwarded_spans, quoted_spans, salutation_spans, signature_spans

QUOTED = {
    "marked lines": ("Yes.\n\n> Will you?\n> Really?\n\nI think so.\n", ["> Will you?\n> Really?\n"]),
    "with their introduction": (
        "Yes.\n\nOn Tue, Jan 4, 2011 at 5:00 PM, Ann <a@x.org> wrote:\n\n> Will you?\n",
        ["On Tue, Jan 4, 2011 at 5:00 PM, Ann <a@x.org> wrote:\n\n> Will you?\n"],
    ),
    "an introduction over two lines": (
        "Yes.\n\nOn Tue, Jan 4, 2011 at 5:00 PM, Ann Lee <ann.lee@x.org>\nwrote:\n> Will you?\n",
        ["On Tue, Jan 4, 2011 at 5:00 PM, Ann Lee <ann.lee@x.org>\nwrote:\n> Will you?\n"],
    ),
    "introduced lines with an answer below": (
        "On 4 January 2011 Ann wrote:\n> Will you?\nYes.\nOn 5 January 2011 Ann wrote:\n\n> And then?\nNo.\n",
        ["On 4 January 2011 Ann wrote:\n> Will you?\n", "On 5 January 2011 Ann wrote:\n\n> And then?\n"],
    ),
    "a short introduction": ("Ann Lee wrote:\n> Will you?\nYes.", ["Ann Lee wrote:\n> Will you?\n"]),
    "an introduction in German": (
        "Ja.\n\nAm 4. Januar 2011 um 17:00 schrieb Ann:\n> Kommst du?\n",
        ["Am 4. Januar 2011 um 17:00 schrieb Ann:\n> Kommst du?\n"],
    ),
    "an introduced message without marks": (
        "Yes.\n\nOn 4 January 2011 Ann wrote:\n\nWill you?\nAnn\n",
        ["On 4 January 2011 Ann wrote:\n\nWill you?\nAnn\n"],
    ),
    "the end of a quoted line that spilt over": (
        f"> {'word ' * 14}\nspilt\n> more\nMine.\n",
        [f"> {'word ' * 14}\nspilt\n> more\n"],
    ),
    "an original message below": (
        "Yes.\n\n -----Original Message-----\nFrom: Ann\nSent: now\nWill you?\n",
        [" -----Original Message-----\nFrom: Ann\nSent: now\nWill you?\n"],
    ),
    "a header below": (
        "Yes.\n\n________________________________\nFrom: Ann\nSent: Monday\nTo: Bo\nSubject: x\n\nWill you?",
        ["________________________________\nFrom: Ann\nSent: Monday\nTo: Bo\nSubject: x\n\nWill you?"],
    ),
    "a header of Lotus Notes below": (
        "Yes.\n\n\tAnn Lee\n\t03/02/2001 01:23 PM\n\t\t \n\t\t To: Bo\n\t\t cc: \n\t\t Subject: x\n\nWill you?",
        ["\tAnn Lee\n\t03/02/2001 01:23 PM\n\t\t \n\t\t To: Bo\n\t\t cc: \n\t\t Subject: x\n\nWill you?"],
    ),
    "nothing in a letter that tells what somebody wrote": ("On Monday he wrote:\nI am not coming.\nSo there.", []),
    "no angry face": (">:( no\n>:( never\n", []),
    "no header at the very beginning": ("From: Ann\nSent: Monday\nTo: Bo\nSubject: x\n\nMy own words.", []),
    "no list of places": ("From: here on, we agree.\nWe do.\n", []),
}


@pytest.mark.parametrize("case", QUOTED)
def test_quoted_text(case: str) -> None:
    content, expected = QUOTED[case]
    assert [content[start:end] for start, end in quoted_spans(content)] == expected


@pytest.mark.parametrize(
    "mark",
    [
        "---------- Forwarded message ---------",
        "---------------------- Forwarded by Ann Lee/HOU on 01/01/2001 12:00 PM ----------------------",
        "Begin forwarded message:",
        "-------- Weitergeleitete Nachricht --------",
    ],
)
def test_forwarded_text_goes_to_the_end(mark: str) -> None:
    content = f"See below.\n\n{mark}\n\nTheir words.\n"
    assert [content[start:end] for start, end in forwarded_spans(content)] == [f"{mark}\n\nTheir words.\n"]
    assert forwarded_spans("I forwarded the message.\n") == []


SIGNATURES = {
    "after the delimiter": ("My words.\n\n-- \nAnn Lee\nAny street 1\n", "\n-- \nAnn Lee\nAny street 1\n"),
    "a closing formula": ("My words.\n\nBest regards,\nAnn", "\nBest regards,\nAnn"),
    "thanks and a title": ("My words.\nThanks,\n\nAnn Lee\nHead of Things\n", "Thanks,\n\nAnn Lee\nHead of Things\n"),
    "a name alone": ("My words.\n\nAnn\n", "\nAnn\n"),
    "a name after a sentence": ("My words.\nAnn Lee", "Ann Lee"),
    "telephone numbers": ("My words go here\n\nann lee\ntel: 555-123-4567", "\nann lee\ntel: 555-123-4567"),
    "a device": ("My words.\n\nSent from my iPhone\n", "\nSent from my iPhone\n"),
    "a notice": (
        "My words.\n\nAnn\n\n**********\nThis e-mail is confidential and\nintended only for Bo.\n",
        "\nAnn\n\n**********\nThis e-mail is confidential and\nintended only for Bo.\n",
    ),
    "above a quotation": ("My words.\n\nCheers,\nAnn\n\n> Will you?\n", "\nCheers,\nAnn\n\n"),
    "none where thanks begin a sentence": ("Thanks for the long letter that you sent me.\nI read it.", None),
    "none where all is formula": ("Thanks", None),
    "none after a plain ending": ("My words go on\nand on and end here.", None),
}


@pytest.mark.parametrize("case", SIGNATURES)
def test_signatures(case: str) -> None:
    content, expected = SIGNATURES[case]
    signature = "".join(content[start:end] for start, end in signature_spans(content))
    assert signature.strip("\n") == (expected or "").strip("\n")


SALUTATIONS = {
    "a line": ("Dear Ms Lee,\n\nMy words.", "Dear Ms Lee,\n"),
    "several people": ("Hi Ann, Bo and Cy,\nMy words.", "Hi Ann, Bo and Cy,\n"),
    "without a comma": ("Good morning\nMy words.", "Good morning\n"),
    "within a line": ("Hi Ann, I am late.", "Hi Ann, "),
    "a name alone": ("Ann,\n\nMy words.", "Ann,\n"),
    "after empty lines": ("\n\nHello all!\nMy words.", "Hello all!\n"),
    "none in a sentence": ("Dear me. What a day.", ""),
    "none where nothing else is said": ("Hello Ann,", ""),
    "none in an empty message": ("\n", ""),
}


@pytest.mark.parametrize("case", SALUTATIONS)
def test_salutations(case: str) -> None:
    content, expected = SALUTATIONS[case]
    assert "".join(content[start:end] for start, end in salutation_spans(content)) == expected


def test_spans_are_whole_lines_in_order_and_apart() -> None:
    draw = random.Random(1)
    pieces = [
        "> a",
        "b wrote:",
        "On 1 May Ann wrote:",
        "",
        "-- ",
        "Thanks,",
        "Ann",
        "From: a",
        "To: b",
        "Subject: c",
        "Some words.",
    ]
    for _ in range(2_000):
        content = "\n".join(draw.choices(pieces, k=draw.randint(0, 12)))
        for spans in (quoted_spans(content), forwarded_spans(content), signature_spans(content)):
            edges = [edge for span in spans for edge in span]
            assert edges == sorted(edges)
            assert all(start < end for start, end in spans)
            assert all(edge in (0, len(content)) or content[edge - 1] == "\n" for edge in edges)


@pytest.mark.parametrize(
    "content",
    [
        "\n" * 20_000,
        "On 1 " * 50_000,
        "On 1 May a wrote:\n" * 5_000,
        "From: a\n" * 10_000,
        "-" * 200_000,
        "> a\nb\n" * 10_000,
    ],
)
def test_hostile_messages_end(content: str) -> None:
    for spans in (quoted_spans, forwarded_spans, signature_spans, salutation_spans):
        assert len(spans(content)) <= len(content)
