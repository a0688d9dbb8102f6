"""Arguments of public calls: the right types pass, all others get a sentence."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from idiograph import InputError
from idiograph.checking import check, in_order, one_of, whole_number
from idiograph.records import bytes_of_file, parsed_json


@pytest.mark.parametrize(
    ("value", "wanted", "sentence"),
    [
        (3, str, "The author must be a string, not 3."),
        (True, int, "The author must be a whole number, not True."),
        ([], str | None, "The author must be a string or None, not a list."),
        (np.ones(2), str, "The author must be a string, not a ndarray."),
        ("x" * 500, int, "The author must be a whole number, not 'xxxxxxxxxxxx...xxxxxxxxxxxxx'."),
    ],
)
def test_a_wrong_type_is_named_with_what_was_wanted(value: Any, wanted: Any, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        check(value, wanted, "The author")
    assert str(caught.value) == sentence


def test_pipes_and_devices_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(OSError, match="it is a pipe, a socket or a device, not a file"):
            bytes_of_file(path)
    with pytest.raises(IsADirectoryError):
        bytes_of_file(tmp_path)
    (tmp_path / "file").write_bytes(b"a")
    assert bytes_of_file(tmp_path / "file") == b"a"
    assert bytes_of_file(tmp_path / "file", most=1 << 60) == b"a"  # without asking for as much memory
    told_empty = Path("/proc/self/status")
    if told_empty.is_file():
        assert bytes_of_file(told_empty, most=1_000_000).startswith(b"Name:")
        with pytest.raises(OSError, match="it has more than 9 bytes"):
            bytes_of_file(told_empty, most=9)


def test_the_right_type_passes() -> None:
    assert check(None, str | None, "The author") is None
    assert check(True, bool, "skip") is True
    assert whole_number(np.int64(3), "n", least=1) == 3
    assert one_of("b", ("a", "b"), "The letter") == "b"
    assert in_order((number for number in range(3)), "Numbers", "numbers") == (0, 1, 2)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "Expecting property name"),
        ("[" * 100_000, "its brackets are nested too deeply"),
        ('{"a": 1, "a": 2}', "a field occurs twice"),
        ("[NaN]", "NaN is not a JSON value"),
        ('{"a": "\\ud800"}', "it has half a surrogate pair"),
        ("{}" * 1_000_001, "it has more than 1,000,000 objects or 8,000,000 lists"),
        ("1" * 5_000, "Exceeds the limit"),
        (b"\xff", "can't decode byte"),
    ],
)
def test_json_that_cannot_be_used_is_a_value_error_with_the_reason(text: str | bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parsed_json(text)


def test_json_is_parsed() -> None:
    assert parsed_json(b'{"a": ["\\ud83d\\ude00", 1.5, null]}') == {"a": ["😀", 1.5, None]}


def test_numbers_outside_their_limits_are_refused() -> None:
    for value, sentence in ((0, "not 0"), (11, "not 11"), (1.0, "not 1.0"), (False, "not False"), ("1", "not '1'")):
        with pytest.raises(InputError, match=f"n must be a whole number from 1 to 10, {sentence}"):
            whole_number(value, "n", least=1, most=10)
    with pytest.raises(InputError, match="n must be a whole number, 1 or more, not -1"):
        whole_number(-1, "n", least=1)


def test_a_word_that_is_none_of_the_choices_is_refused() -> None:
    for value in ("c", None, ["a"]):
        with pytest.raises(InputError, match="The letter must be a or b, not"):
            one_of(value, ("a", "b"), "The letter")


def test_sets_strings_and_strange_items_are_refused_where_a_list_is_needed() -> None:
    with pytest.raises(InputError, match="The words must be strings in a list, not a set: a set has no order"):
        in_order({"a"}, "The words", "strings")
    with pytest.raises(InputError, match="The words must be strings in a list, not 'ab'"):
        in_order("ab", "The words", "strings")
    with pytest.raises(InputError, match="The words must be strings in a list: item 2 must be one of them, not None"):
        in_order(["a", None], "The words", "strings", lambda item: isinstance(item, str))
