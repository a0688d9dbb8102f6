"""Reading options: which contradict each other, and which values are none."""

from pathlib import Path
from typing import Any

import pytest

from idiograph import InputError, ReadingOptions


def test_a_path_may_be_text_and_nothing_is_not_set() -> None:
    options = ReadingOptions(metadata="table.csv", author="", pattern="")  # type: ignore[arg-type]
    assert options == ReadingOptions(metadata=Path("table.csv"))


@pytest.mark.parametrize("name", ["utf-8", "UTF_8", "cp1252", "latin-1", "utf-16", "detect", "idna", "punycode"])
def test_text_encodings_are_known_by_every_name(name: str) -> None:
    assert ReadingOptions(encoding=name).encoding == name


@pytest.mark.parametrize("name", ["klingon", "rot13", "base64", "undefined", "\0", "\x1b[2J", "utf-8\0", "é" * 500])
def test_anything_else_is_not_a_text_encoding(name: str) -> None:
    with pytest.raises(InputError, match=r"^encoding must be a text encoding such as utf-8, .* or detect, not "):
        ReadingOptions(encoding=name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unwrap": "sometimes"}, 'unwrap must be one of auto, always, never, not "sometimes"'),
        ({"author_from": "pattern"}, "Authors are to come from the pattern, but no pattern was given. Set pattern."),
        ({"author_from": "metadata"}, "Authors are to come from the metadata, but no metadata was given."),
        ({"author_from": "folder", "pattern": "author_text.txt"}, "A file-name pattern was given, but authors are"),
        ({"author_from": "folder", "author": "lee"}, "All texts are to be by lee, and authors are also to come from"),
        ({"skip_bad": "yes"}, 'skip_bad must be true or false, not "yes".'),
        ({"author": 3}, "author must be text in quotation marks, not 3."),
        ({"delimiter": "::"}, 'delimiter must be a single character, such as ; or a tab, not "::".'),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        ReadingOptions(**options)
    assert str(caught.value).startswith(message)
