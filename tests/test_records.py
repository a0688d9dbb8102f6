"""What records are read from: plain files up to a size, and JSON that is parsed strictly."""

import os
from pathlib import Path

import pytest

from idiograph.records import bytes_of_file, parsed_json


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
