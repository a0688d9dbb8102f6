"""Messages: what they quote is seen and does nothing; long lists are cut."""

import pickle

import pytest

from idiograph.errors import IdiographError, InputError, StudyError, cannot_read, nearest, some, visible


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain λG, ü, 漢", "plain λG, ü, 漢"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b]0;title\x07", "⟨U+001B⟩]0;title⟨U+0007⟩"),
        ("safe\r gone", "safe⟨U+000D⟩ gone"),
        ("\x9b31m", "⟨U+009B⟩31m"),
        ("abc\u202egpj.exe", "abc⟨U+202E⟩gpj.exe"),
        ("\ud800", "⟨U+D800⟩"),
    ],
)
def test_what_acts_in_a_terminal_is_written_as_its_code(text: str, seen: str) -> None:
    assert visible(text) == seen


def test_the_message_of_an_error_does_nothing_in_a_terminal_wherever_it_is_printed() -> None:
    error = InputError("\x1b[2J.txt could not be read.")
    assert str(error) == "⟨U+001B⟩[2J.txt could not be read."
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_file_that_cannot_be_read_is_named_with_the_reason() -> None:
    error = cannot_read("a.txt", PermissionError(13, "Permission denied"), StudyError)
    assert isinstance(error, StudyError)
    assert str(error) == "a.txt could not be read (Permission denied). Check the name and permissions."


def test_long_lists_are_cut_and_counted() -> None:
    assert some(["a", "b"]) == "a, b"
    assert some([str(n) for n in range(1_007)], 2) == "0, 1 and 1,005 more"


def test_the_nearest_name_is_offered() -> None:
    assert nearest("postnoise", ["posnoise", "frames"]) == " (did you mean posnoise?)"
    assert nearest("xyz", ["posnoise", "frames"]) == ""


def test_all_errors_are_one_family() -> None:
    assert issubclass(InputError, IdiographError)
