"""Folders of plain text: who wrote them, in which encoding they are, and what is said about the rest."""

import gzip
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph import InputError, ReadingOptions, read
from idiograph.texts.reading.raw_text import raw_content
from idiograph.texts.reading.read import stream
from idiograph.texts.reading.reading_report import ReadingLog


def write(folder: Path, **files: str | bytes) -> Path:
    """Files by name (`__` is a slash, `_` before the ending a full stop) with their content."""
    for name, content in files.items():
        path = folder / (name.replace("__", "/").rpartition("_")[0] + "." + name.rpartition("_")[2])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def refusal(path: Path, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(path, **options)
    return str(caught.value)


def record(text: Any) -> dict[str, Any]:
    return dict(text.metadata["reading"])


def test_authors_are_the_sub_folders_and_ids_the_places(tmp_path: Path) -> None:
    write(tmp_path, lee__b_txt="Two.", lee__a_txt="One.", kim__old__c_txt="Three.", d_txt="Four.")
    corpus = read(tmp_path)
    assert [(text.id, text.author, text.content) for text in corpus] == [
        ("d.txt", None, "Four."),
        ("kim/old/c.txt", "kim", "Three."),
        ("lee/a.txt", "lee", "One."),
        ("lee/b.txt", "lee", "Two."),
    ]
    assert corpus.authors == ("kim", "lee")
    assert [note.what for note in corpus.report.notes] == ["1 of 4 texts have no author: d.txt."]


def test_each_way_of_naming_authors_changes_them(tmp_path: Path) -> None:
    write(tmp_path, kim__lee_letter_txt="One.")
    table = tmp_path / "authors.csv"
    table.write_text("file,author,topic\nkim/lee_letter.txt,Ann,money\n")

    def authors(**options: Any) -> list[str | None]:
        return [text.author for text in read(tmp_path / "kim" if options.pop("inside", False) else tmp_path, **options)]

    assert authors() == ["kim"]
    assert authors(author_from="folder") == ["kim"]
    assert authors(author_from="none") == [None]
    assert authors(author="Bo") == ["Bo"]
    assert authors(pattern="author_text.txt") == ["lee"]
    assert authors(pattern="{text}_{author}.txt") == ["letter"]
    assert authors(pattern=r"(?P<author>[a-z]+)_.*") == ["lee"]
    assert authors(pattern="{work}/{author}_{text}.txt") == ["lee"]
    assert authors(metadata=table) == ["Ann"]
    assert authors(metadata=table, author_from="folder") == ["kim"]
    assert authors(inside=True) == [None]


def test_fields_of_a_pattern_and_columns_of_a_table_become_metadata(tmp_path: Path) -> None:
    write(tmp_path / "texts", lee_2001_money_txt="One.")
    [text] = read(tmp_path / "texts", pattern="{author}_{date}_{topic}.txt")
    assert (text.author, text.metadata["date"], text.metadata["topic"]) == ("lee", "2001", "money")
    (tmp_path / "meta.tsv").write_text("file\tauthor\twork\tregister\nlee_2001_money.txt\tlee\tletters\tletter\n")
    [text] = read(tmp_path / "texts", metadata=tmp_path / "meta.tsv")
    assert (text.metadata["work"], text.metadata["register"]) == ("letters", "letter")


def test_a_name_that_fits_a_pattern_in_two_ways_is_refused(tmp_path: Path) -> None:
    write(tmp_path, van_der_berg_txt="One.")
    assert "in more than one way (author 'van' or 'van_der')" in refusal(tmp_path, pattern="author_text.txt")
    assert [text.author for text in read(tmp_path, pattern=r"(?P<author>.*)_[^_]*")] == ["van_der"]


def test_a_name_that_does_not_fit_the_pattern_is_refused(tmp_path: Path) -> None:
    write(tmp_path, lee_txt="One.")
    assert refusal(tmp_path, pattern="author_text.txt").startswith("lee.txt does not fit the file-name pattern")


@pytest.mark.parametrize("pattern", ["text.txt", "{author}_{author}.txt", "{author}_{colour}.txt", "(?P<author>["])
def test_a_faulty_pattern_is_one_error(tmp_path: Path, pattern: str) -> None:
    write(tmp_path, lee_a_txt="One.", kim_b_txt="Two.")
    assert refusal(tmp_path, pattern=pattern).startswith(f"The file-name pattern {pattern} ")


def test_a_file_in_no_sub_folder_has_no_author_to_take_from_one(tmp_path: Path) -> None:
    write(tmp_path, a_txt="One.")
    assert "a.txt is not in a sub-folder" in refusal(tmp_path, author_from="folder")


def test_metadata_and_files_must_answer_to_each_other(tmp_path: Path) -> None:
    write(tmp_path, a_txt="One.", b_txt="Two.", meta_csv="file,author\na.txt,lee\nc.txt,kim\n")
    assert "b.txt has no row in" in refusal(tmp_path, metadata=tmp_path / "meta.csv")
    corpus = read(tmp_path, metadata=tmp_path / "meta.csv", skip_bad=True)
    assert [text.author for text in corpus] == ["lee"]
    assert corpus.report.notes[0].what == "has rows for files that were not found: c.txt."
    # Where authors are named otherwise the table may speak of other files too.
    elsewhere = read(tmp_path, metadata=tmp_path / "meta.csv", author="ann")
    assert [text.author for text in elsewhere] == ["ann", "ann"]
    assert elsewhere.report.notes == ()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("name,author\na.txt,lee\n", "has no column file or id; its columns are name, author"),
        ("file,author\na.txt,lee\na.txt,kim\n", "names a.txt twice (the second time on line 3)"),
        ("", "is empty"),
    ],
)
def test_faulty_metadata(tmp_path: Path, content: str, said: str) -> None:
    write(tmp_path, a_txt="One.", meta_csv=content)
    assert said in refusal(tmp_path, metadata=tmp_path / "meta.csv")


def test_metadata_that_is_no_table(tmp_path: Path) -> None:
    write(tmp_path, a_txt="One.", b_txt="file,author")
    assert "metadata must be a .csv, .tsv or .jsonl table" in refusal(tmp_path, metadata=tmp_path / "b.txt")


def test_the_raw_file_can_be_traced(tmp_path: Path) -> None:
    data = "Caf\u00e9.\r\nTwo.\r\n".encode()
    write(tmp_path, lee__a_txt=data)
    [text] = read(tmp_path)
    assert text.content == "Caf\u00e9.\nTwo.\n"
    assert record(text) == {
        "file": "lee/a.txt",
        "sha256": hashlib.sha256(data).hexdigest(),
        "size": len(data),
        "encoding": "utf-8",
        "encoding_is": "certain",
        "changes": [{"step": "line ends made line feeds", "found": "CR LF"}],
        "warnings": [],
    }
    assert read(tmp_path).report.changes == {"line ends made line feeds": 1}


@given(st.lists(st.sampled_from(["Words and more words here ", "a", " ", "-", ".", "\n", "\r\n", "\r", "é", "> "])))
def test_raw_characters_come_back_from_the_record(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    raw = "x" + "".join(pieces)
    path = tmp_path_factory.mktemp("raw") / "a.txt"
    path.write_bytes(raw.encode())
    for unwrap in ("auto", "always", "never"):
        [text] = read(path, unwrap=unwrap)
        assert raw_content(text) == raw
        assert "\r" not in text.content


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff"), min_size=1).filter(str.strip),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
)
def test_marked_and_unicode_encodings_are_read_as_written(
    tmp_path_factory: pytest.TempPathFactory, content: str, codec: str
) -> None:
    path = tmp_path_factory.mktemp("encoding") / "a.txt"
    path.write_bytes(content.encode(codec))
    [text] = read(path, unwrap="never")
    assert raw_content(text) == content
    expected = "ascii" if codec == "utf-8" and content.isascii() else codec
    assert (record(text)["encoding"], record(text)["encoding_is"]) == (expected, "certain")


@given(st.text(st.characters(codec="cp1252", exclude_categories=["Cc"]), min_size=1).filter(str.strip))
def test_a_declared_encoding_is_used(tmp_path_factory: pytest.TempPathFactory, content: str) -> None:
    path = tmp_path_factory.mktemp("declared") / "a.txt"
    path.write_bytes(content.encode("cp1252"))
    [text] = read(path, encoding="cp1252", unwrap="never")
    assert text.content == content
    assert record(text)["encoding_is"] == "declared"


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


def test_position_of_a_bad_byte_in_a_large_file(tmp_path: Path) -> None:
    write(tmp_path, a_txt=b"a" * 3_000_000 + b"\x92")
    assert "byte 0x92 at position 3,000,000" in refusal(tmp_path)


def test_a_character_cut_off_at_the_end(tmp_path: Path) -> None:
    write(tmp_path, a_txt="abc\u00e9".encode()[:-1])
    assert "byte 0xc3 at position 3" in refusal(tmp_path)


def test_a_declared_encoding_that_does_not_fit(tmp_path: Path) -> None:
    write(tmp_path, a_txt=b"abc\x92")
    assert refusal(tmp_path, encoding="ascii").startswith(
        "a.txt is not ascii: byte 0x92 at position 3. It was declared"
    )


def test_a_declared_encoding_for_what_is_utf_8_is_doubted(tmp_path: Path) -> None:
    write(tmp_path, a_txt="Caf\u00e9".encode())
    assert "its bytes are valid UTF-8" in "".join(read(tmp_path, encoding="latin-1").report.lines())


def test_a_damaged_marked_file(tmp_path: Path) -> None:
    write(tmp_path, a_txt=b"\xef\xbb\xbfabc\xff", b_txt="abc".encode("utf-16") + b"\x00")
    said = refusal(tmp_path)
    assert "a.txt begins as utf-8, but not all of it is: byte 0xff at position 6" in said
    assert "b.txt begins as utf-16, but not all of it is:" in said


def test_utf_16_without_a_mark_is_named(tmp_path: Path) -> None:
    write(tmp_path, a_txt="Hello there, how are you?".encode("utf-16-le"))
    assert "It looks like utf-16-le: pass --encoding utf-16-le" in refusal(tmp_path)
    [text] = read(tmp_path, encoding="utf-16-le")
    assert text.content == "Hello there, how are you?"


def test_zero_bytes_are_no_text(tmp_path: Path) -> None:
    write(tmp_path, a_txt=b"abc\x00def")
    assert "a.txt has zero bytes (the first at position 3)" in refusal(tmp_path)


def test_bytes_of_no_encoding(tmp_path: Path) -> None:
    write(tmp_path, a_txt=bytes(range(256)) * 4)
    assert "No encoding fits its bytes: it is probably not text." in refusal(tmp_path)


def test_a_likely_encoding_must_fit_to_the_last_byte(tmp_path: Path) -> None:
    write(tmp_path, a_txt="Hello there, how are you?".encode("utf-16-le") + b"\x92\x00\xd8")
    assert "No encoding fits its bytes" in refusal(tmp_path, encoding="detect")


def test_mistaken_characters_are_noticed_and_left(tmp_path: Path) -> None:
    write(tmp_path, a_txt="It’s caf\u00e9".encode().decode("cp1252"), b_txt="lost \ufffd here")
    corpus = read(tmp_path)
    assert corpus.text("a.txt").content == "Itâ€™s cafÃ©"
    assert "look mis-decoded ('â€™', 2 in all)" in record(corpus.text("a.txt"))["warnings"][0]
    assert "characters were lost before the text came here (U+FFFD, 1 in all)" in "".join(corpus.report.lines())


def test_empty_files_are_refused(tmp_path: Path) -> None:
    write(tmp_path, a_txt="", b_txt=" \n\t\n")
    said = refusal(tmp_path)
    assert said.startswith("2 texts or files of ")
    assert "a.txt is empty: it has no bytes." in said
    assert "b.txt is empty: it has nothing but white space." in said
    assert said.endswith("pass --skip-bad to go on without them; each is then named in the report.")


def test_one_bad_file_among_many_stops_all_unless_allowed(tmp_path: Path) -> None:
    for number in range(30):
        write(tmp_path, **{f"a{number:02}_txt": "Words." if number % 2 else ""})
    said = refusal(tmp_path)
    assert said.startswith("15 texts or files of")
    assert "a18.txt" in said
    assert "a20.txt" not in said
    assert "… and 5 more" in said
    corpus = read(tmp_path, skip_bad=True)
    assert len(corpus) == 15
    assert [note.where for note in corpus.report.skipped] == [f"a{number:02}.txt" for number in range(0, 30, 2)]
    assert "Skipped: … and 5 more." in corpus.report.lines()
    assert len(corpus.report.as_json()["skipped"]) == 15


def test_a_stream_stops_at_the_first_bad_file_and_names_them_all(tmp_path: Path) -> None:
    write(tmp_path, a_txt="One.", b_txt="", c_txt="Three.", d_txt="")
    texts = stream(tmp_path, ReadingOptions(), ReadingLog("here"))
    assert next(texts).id == "a.txt"
    with pytest.raises(InputError, match=r"(?s)b\.txt is empty.*d\.txt is empty"):
        next(texts)


def test_a_single_bad_file_among_others_says_how_to_go_on(tmp_path: Path) -> None:
    write(tmp_path, a_txt="Words.", b_txt="")
    assert refusal(tmp_path) == (
        "b.txt is empty: it has no bytes. Remove it or supply its text. Or pass --skip-bad to go on without it."
    )


def test_of_a_prepared_folder_only_the_texts_are_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        corpus_jsonl='{"id": "1", "author": "lee", "text": "One.", "metadata": {"topic": "t"}}\n',
        record_jsonl='{"schema": 1}\n',
        summary_json="{}",
        recipe_toml="",
    )
    corpus = read(tmp_path)
    assert [(text.id, text.author, text.metadata["topic"]) for text in corpus] == [("1", "lee", "t")]
    assert [note.where for note in corpus.report.not_read] == ["recipe.toml", "summary.json", "record.jsonl"]


def test_only_bad_files_is_an_error_even_if_bad_ones_are_skipped(tmp_path: Path) -> None:
    write(tmp_path, a_txt="")
    assert refusal(tmp_path, skip_bad=True).startswith("Nothing in ")


def test_what_is_no_text_is_listed(tmp_path: Path) -> None:
    write(tmp_path, a_txt="One.", b_jpg=b"\xff\xd8", c_doc=b"\xd0", d_csv="x,y\n1,2\n")
    (tmp_path / ".hidden.txt").write_text("x")
    (tmp_path / "~$lock.docx").write_text("x")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "e.txt").write_text("x")
    (tmp_path / "README").write_text("x")
    corpus = read(tmp_path)
    assert [text.id for text in corpus] == ["a.txt"]
    assert {note.where: note.what for note in corpus.report.not_read} == {
        ".git/": "a hidden or system folder.",
        ".hidden.txt": "a hidden or temporary file.",
        "README": "not a kind of file that holds texts (no ending).",
        "b.jpg": "not a kind of file that holds texts (.jpg).",
        "c.doc": "an old Word file; save it as .docx.",
        "d.csv": "a table beside documents; pass it as --metadata if it describes them.",
        "~$lock.docx": "a hidden or temporary file.",
    }


def test_format_names_the_kind_where_endings_do_not(tmp_path: Path) -> None:
    write(tmp_path, a_dat="One.")
    assert "has no file that can be read. It holds 1 other files, such as a.dat." in refusal(tmp_path)
    assert "ends in .dat, which is not a known kind of text" in refusal(tmp_path / "a.dat")
    assert [text.content for text in read(tmp_path, format="text")] == ["One."]
    assert [text.content for text in read(tmp_path / "a.dat", format="text")] == ["One."]


def test_a_known_kind_that_cannot_be_read(tmp_path: Path) -> None:
    write(tmp_path, a_doc="One.")
    assert refusal(tmp_path / "a.doc").endswith("a.doc is an old Word file; save it as .docx.")


def test_nothing_there(tmp_path: Path) -> None:
    assert "does not exist. Check its name; relative names count from" in refusal(tmp_path / "nowhere")
    assert "has no file that can be read. Texts may be" in refusal(tmp_path)


def test_links_back_and_links_to_nothing(tmp_path: Path) -> None:
    write(tmp_path, lee__a_txt="One.")
    (tmp_path / "lee" / "loop").symlink_to(tmp_path)
    corpus = read(tmp_path)
    assert [text.id for text in corpus] == ["lee/a.txt"]
    assert [(note.where, note.what) for note in corpus.report.not_read] == [
        ("lee/loop", "a link back to a folder above it.")
    ]
    (tmp_path / "b.txt").symlink_to(tmp_path / "gone.txt")
    assert "b.txt was not found when it was to be read: it vanished, or a link leads nowhere." in refusal(tmp_path)


@contextmanager
def without_privileges() -> Iterator[None]:
    """Rights do not bind the administrator, so what is tried here is tried as nobody in particular."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(os.name != "posix", reason="file rights of POSIX systems")
def test_files_and_folders_without_permissions() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = write(Path(name), a_txt="One.", b_txt="Two.", c__d_txt="Three.")
        folder.chmod(0o755)
        (folder / "a.txt").chmod(0)
        (folder / "c").chmod(0)
        write(folder, e__f_txt="Four.")
        (folder / "e").chmod(0o644)  # names may be listed, but nothing may be asked about them
        with without_privileges():
            said = refusal(folder)
            inside = refusal(folder / "c" / "d.txt")
        (folder / "c").chmod(0o755)
        (folder / "e").chmod(0o755)
    assert "e/f.txt could not be read (Permission denied). Check its permissions" in said
    assert "a.txt could not be read (Permission denied). Check its permissions" in said
    assert "c could not be opened (Permission denied). Check its permissions." in said
    assert inside.endswith("c/d.txt could not be read (Permission denied). Check the name and permissions.")


@pytest.mark.skipif(os.name != "posix", reason="named pipes of POSIX systems")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    write(tmp_path, a_txt="One.")
    os.mkfifo(tmp_path / "b.txt")
    corpus = read(tmp_path)
    assert [(note.where, note.what) for note in corpus.report.not_read] == [
        ("b.txt", "a pipe, socket or device, not a file.")
    ]


def test_a_folder_that_ends_like_a_file_is_a_folder(tmp_path: Path) -> None:
    write(tmp_path, lee_txt__a_txt="One.")
    (tmp_path / "lee_txt").rename(tmp_path / "lee.txt")
    assert [text.id for text in read(tmp_path)] == ["lee.txt/a.txt"]


def test_compressed_texts_and_damaged_ones(tmp_path: Path) -> None:
    packed = gzip.compress(b"One.")
    (tmp_path / "a.txt.gz").write_bytes(packed)
    [text] = read(tmp_path)
    assert (text.content, record(text)["sha256"]) == ("One.", hashlib.sha256(packed).hexdigest())
    (tmp_path / "b.txt.gz").write_bytes(packed[:-6])
    assert "b.txt.gz is damaged or incompletely compressed" in refusal(tmp_path)
    (tmp_path / "b.txt.gz").write_bytes(b"not packed")
    assert "b.txt.gz is damaged or incompletely compressed" in refusal(tmp_path)


def test_names_in_two_unicode_forms_are_one(tmp_path: Path) -> None:
    (tmp_path / "Rene\u0301").mkdir()
    (tmp_path / "Rene\u0301" / "a.txt").write_text("One.")
    [text] = read(tmp_path)
    assert (text.id, text.author) == ("Ren\u00e9/a.txt", "Ren\u00e9")


def test_authors_that_differ_only_in_case_are_noticed_once(tmp_path: Path) -> None:
    write(tmp_path, Lee__a_txt="One.", lee__a_txt="One.", lee__b_txt="Two.")
    notes = [note.what for note in read(tmp_path).report.notes]
    assert notes == ["the authors 'Lee' and 'lee' differ only in case or blanks; they count as two."]


def test_text_that_looks_masked_is_noticed(tmp_path: Path) -> None:
    write(tmp_path, a_txt="the N V the J N of the N and P V . " * 5)
    assert "looks masked already" in read(tmp_path).report.notes[0].what


def test_an_unknown_kind(tmp_path: Path) -> None:
    write(tmp_path, a_txt="One.")
    assert refusal(tmp_path, kind="poems") == "The kind to be read must be texts, masked or problems, not 'poems'."


def test_two_thousand_files_come_in_order(tmp_path: Path) -> None:
    for number in reversed(range(2_000)):
        (tmp_path / f"{number:04}.txt").write_text(f"Text number {number}.\n")
    assert [text.id for text in read(tmp_path)] == [f"{number:04}.txt" for number in range(2_000)]
