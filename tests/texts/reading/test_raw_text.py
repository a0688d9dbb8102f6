"""From raw characters to a text, and back from its record."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph import read
from idiograph.texts.reading.report import looks_masked, plain_line_ends, raw_content
from read_files import write


@given(st.lists(st.sampled_from(["Words and more words here ", "a", " ", "-", ".", "\n", "\r\n", "\r", "é", "> "])))
def test_raw_characters_come_back_from_the_record(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    raw = "x" + "".join(pieces)
    path = tmp_path_factory.mktemp("raw") / "a.txt"
    path.write_bytes(raw.encode())
    for unwrap in ("auto", "always", "never"):
        [text] = read(path, unwrap=unwrap)
        assert raw_content(text) == raw
        assert "\r" not in text.content


def test_names_in_two_unicode_forms_are_one(tmp_path: Path) -> None:
    (tmp_path / "Rene\u0301").mkdir()
    (tmp_path / "Rene\u0301" / "a.txt").write_text("One.")
    [text] = read(tmp_path)
    assert (text.id, text.author) == ("Ren\u00e9/a.txt", "Ren\u00e9")


def test_text_that_looks_masked_is_noticed(tmp_path: Path) -> None:
    write(tmp_path, a_txt="the N V the J N of the N and P V . " * 5)
    assert "looks masked already" in read(tmp_path).report.notes[0].what


@pytest.mark.parametrize(
    ("raw", "content", "changes"),
    [
        ("a\nb", "a\nb", []),
        ("a\r\nb\r\n", "a\nb\n", [{"step": "line ends made line feeds", "found": "CR LF"}]),
        ("a\rb", "a\nb", [{"step": "line ends made line feeds", "found": "CR"}]),
        (
            "a\r\nb\n",
            "a\nb\n",
            [{"step": "line ends made line feeds", "found": "mixed", "edits": [[1, "\r\n", "\n"]]}],
        ),
    ],
)
def test_line_ends_by_hand(raw: str, content: str, changes: list[dict[str, Any]]) -> None:
    assert plain_line_ends(raw) == (content, changes)


def test_masked_text_is_known_by_its_placeholders() -> None:
    assert looks_masked("the N V the J N " * 6)
    assert not looks_masked("the N V the J N")  # too short to say
    assert not looks_masked("The cat sat on the mat and saw the N there . " * 6)
