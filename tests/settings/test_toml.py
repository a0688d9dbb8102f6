"""TOML is read with a sentence for whatever is wrong, and a value written reads back the same."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph import InputError, StudyError
from idiograph.toml import read_toml, relative, toml_key, toml_value

texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    texts | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(texts, values)
def test_what_is_written_reads_back_the_same(key: str, value: object) -> None:
    assert tomllib.loads(f"{toml_key(key)} = {toml_value(value)}\n") == {key: value}


def test_what_cannot_be_seen_is_escaped() -> None:
    assert toml_value('\x1b \x7f \x85 \u2028 \u202e "\\') == '"\\u001b \\u007f \\u0085 \\u2028 \\u202e \\"\\\\"'


def test_paths_are_written_as_seen_from_a_folder() -> None:
    assert toml_value(Path("/a/b/c.txt"), Path("/a/d")) == '"../b/c.txt"'
    assert toml_value(Path("a") / "b") == '"a/b"'
    assert relative(Path("a/b"), Path("a")) == "b"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a = = 1", "is not valid TOML: Invalid value"),
        (b"a = " + b"9" * 5000, "is not valid TOML: Exceeds the limit"),
        (b"a = " + b"[" * 100_000, "is not valid TOML: brackets are nested too deeply"),
        (b"a" + b".a" * 400_000 + b" = 1", "is not valid TOML: a key has more than 100 parts"),
        (b"b = {a" + b".'a'" * 20_000 + b" = 1}", "is not valid TOML: a key has more than 100 parts"),
        (b"a = '\xff'", "is not UTF-8 (at byte 5). Save it as UTF-8."),
    ],
)
def test_a_damaged_file_is_refused_with_a_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "study.toml"
    path.write_bytes(content)
    with pytest.raises(StudyError) as caught:
        read_toml(path, error=StudyError, example="the example in docs/studies.md")
    assert str(caught.value).startswith(f"{path} {sentence}")


def test_dots_that_are_no_keys_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    dots = "." * 200
    lines = [f"# {dots}", f"a = {[0.5] * 200}", rf'b = "{dots}\"="', f'c = """{dots}"""', f"d = '{dots}'"]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert read_toml(path, example="another") == {"a": [0.5] * 200, "b": f'{dots}"=', "c": dots, "d": dots}


def test_a_file_that_is_missing_and_one_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with pytest.raises(
        InputError, match=r"a\.toml could not be read \(No such file or directory\)\. Check the name and"
    ):
        read_toml(path, example="another")
    path.write_bytes(b"\xef\xbb\xbfa = 1")
    assert read_toml(path, example="another") == {"a": 1}
