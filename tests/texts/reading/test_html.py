"""HTML mail made plain lines, what it quotes marked."""

from pathlib import Path

import pytest

from idiograph.texts.reading.mail import plain_lines
from read_files import message, only, saved


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
