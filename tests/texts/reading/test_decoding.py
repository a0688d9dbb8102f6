"""Encodings: read as written, named where they are known, never guessed in silence."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph import read
from read_files import as_written, record, refusal, write


@given(
    # Ends in a letter, since a text that nobody sees is refused.
    st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff")).map(lambda text: f"{text}x"),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
)
def test_marked_and_unicode_encodings_are_read_as_written(
    tmp_path_factory: pytest.TempPathFactory, content: str, codec: str
) -> None:
    path = tmp_path_factory.mktemp("encoding") / "a.txt"
    path.write_bytes(content.encode(codec))
    [text] = read(path, unwrap="never")
    assert as_written(text) == content
    expected = "ascii" if codec == "utf-8" and content.isascii() else codec
    assert (record(text)["encoding"], record(text)["encoding_is"]) == (expected, "certain")


@given(st.text(st.characters(codec="cp1252", exclude_categories=["Cc"]), min_size=1).filter(str.strip))
def test_a_declared_encoding_is_used_for_what_is_not_utf_8(
    tmp_path_factory: pytest.TempPathFactory, content: str
) -> None:
    folder, content = tmp_path_factory.mktemp("declared"), f"{content} é!"  # a lone é is never UTF-8
    (folder / "a.txt").write_bytes(content.encode("cp1252"))
    (folder / "b.txt").write_bytes(content.encode())
    (folder / "c.txt").write_bytes(b"plain")
    texts = read(folder, encoding="cp1252", unwrap="never")
    assert [as_written(text) for text in texts] == [content, content, "plain"]
    assert [record(text)["encoding_is"] for text in texts] == ["declared", "certain", "certain"]


@pytest.mark.parametrize("content", ["\u200b", "\u00ad \ufeff\n", "\x07"])
def test_a_text_that_nobody_can_see_is_empty(tmp_path: Path, content: str) -> None:
    write(tmp_path, a_txt=content.encode())
    assert refusal(tmp_path).startswith("a.txt is empty: it has nothing but white space and characters without a")


def test_other_encodings_are_named_not_guessed(tmp_path: Path) -> None:
    write(tmp_path, q1_txt="It’s “mine” – all of it.".encode("cp1252"))
    assert refusal(tmp_path) == (
        "q1.txt is not UTF-8 (byte 0x92 at position 2). Save it as UTF-8 or pass --encoding cp1252 (it looks like "
        "that) or --encoding detect."
    )
    [text] = read(tmp_path, encoding="detect")
    assert text.content == "It’s “mine” – all of it."
    assert (record(text)["encoding"], record(text)["encoding_is"]) == ("cp1252", "detected")
    assert read(tmp_path, encoding="detect").report.encodings == {"cp1252 detected": 1}


def test_detection_leaves_certain_encodings_alone(tmp_path: Path) -> None:
    write(tmp_path, a_txt="Caf\u00e9".encode(), b_txt="plain")
    assert read(tmp_path, encoding="detect").report.encodings == {"ascii certain": 1, "utf-8 certain": 1}


def test_a_cyrillic_file_is_detected(tmp_path: Path) -> None:
    words = "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. " * 5
    write(tmp_path, a_txt=words.encode("cp1251"))
    [text] = read(tmp_path, encoding="detect")
    assert text.content == words


def test_what_is_called_latin_1_and_has_quotes_of_cp1252_is_read_as_that(tmp_path: Path) -> None:
    write(tmp_path, a_txt="It’s a café.".encode("cp1252"), b_txt="Un café.".encode("latin-1"))
    texts = read(tmp_path, encoding="latin-1")
    assert [text.content for text in texts] == ["It’s a café.", "Un café."]
    assert [record(text)["encoding"] for text in texts] == ["cp1252", "iso8859-1"]


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-32-be", "iso2022_jp", "utf-7", "hz"])
def test_encodings_whose_bytes_are_valid_utf_8_too_are_read_as_declared(tmp_path: Path, codec: str) -> None:
    content = "plain words" if codec.startswith("utf-16") or codec.startswith("utf-32") else "日本 and words"
    write(tmp_path, a_txt=content.encode(codec), b_txt="Café".encode())
    assert [text.content for text in read(tmp_path, encoding=codec)] == [content, "Café"]


@pytest.mark.parametrize("codec", ["cp1252", "latin-1"])
def test_utf_8_that_was_read_in_a_wrong_encoding_before_is_noticed(tmp_path: Path, codec: str) -> None:
    content = "It’s “mine” – a café." if codec == "latin-1" else "It’s “mine – a café."  # cp1252 has no byte 0x9d
    write(tmp_path, a_txt=content.encode().decode(codec).encode())
    sentences = "".join(read(tmp_path).report.lines())
    assert f"characters look mis-decoded ({chr(0xE2)!r}"[:-1] in sentences
    assert f"{5 if codec == 'latin-1' else 4} in all" in sentences


WIDE = "Hello there, how are you?".encode("utf-16-le")
FAULTS: dict[str, tuple[bytes, dict[str, str]]] = {
    "a.txt is not UTF-8 (byte 0x92 at position 3,000,000)": (b"a" * 3_000_000 + b"\x92", {}),
    "a.txt is not UTF-8 (byte 0xc3 at position 3)": (b"abc\xc3", {}),  # a character cut off at the end
    "a.txt is neither UTF-8 nor ascii: byte 0x92 at position 3. Files that are not UTF-8 were declared to be ascii": (
        b"abc\x92",
        {"encoding": "ascii"},
    ),
    "a.txt begins as utf-8, but not all of it is: byte 0xff at position 6": (b"\xef\xbb\xbfabc\xff", {}),
    "a.txt begins as utf-16, but not all of it is:": ("abc".encode("utf-16") + b"\x00", {}),
    "a.txt has null bytes (the first at position 3)": (b"abc\x00def", {}),
    "It looks like utf-16-le: pass --encoding utf-16-le": (WIDE, {}),
    "No encoding fits its bytes: it is probably not text.": (bytes(range(256)) * 4, {}),
    "byte 0x92 at position 50). No encoding fits its bytes": (WIDE + b"\x92\x00\xd8", {"encoding": "detect"}),
}


@pytest.mark.parametrize("message", FAULTS)
def test_what_is_wrong_with_the_bytes_is_said(tmp_path: Path, message: str) -> None:
    data, options = FAULTS[message]
    write(tmp_path, a_txt=data)
    assert message in refusal(tmp_path, **options)


def test_utf_16_without_a_mark_is_read_as_declared(tmp_path: Path) -> None:
    write(tmp_path, a_txt=WIDE)
    [text] = read(tmp_path, encoding="utf-16-le")
    assert text.content == "Hello there, how are you?"


def test_mistaken_characters_are_noticed_and_left(tmp_path: Path) -> None:
    write(tmp_path, a_txt="It’s caf\u00e9".encode().decode("cp1252"), b_txt="lost \ufffd here")
    corpus = read(tmp_path)
    assert corpus.text("a.txt").content == "Itâ€™s cafÃ©"
    assert "look mis-decoded ('â€™', 2 in all)" in record(corpus.text("a.txt"))["warnings"][0]
    assert "characters were lost before the text came here (U+FFFD, 1 in all)" in "".join(corpus.report.lines())
