"""What is read of a folder, in which order, and what is listed as not read."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from idiograph import InputError, read
from read_files import refusal, write


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
    assert "has no file that can be read. It holds 1 other file, such as a.dat (" in refusal(tmp_path)
    assert "ends in .dat, which is not a known kind of text" in refusal(tmp_path / "a.dat")
    assert [text.content for text in read(tmp_path, format="text")] == ["One."]
    assert [text.content for text in read(tmp_path / "a.dat", format="text")] == ["One."]


def test_a_known_kind_that_cannot_be_read(tmp_path: Path) -> None:
    write(tmp_path, a_doc="One.")
    assert refusal(tmp_path / "a.doc").endswith("a.doc is an old Word file; save it as .docx.")


def test_nothing_there(tmp_path: Path) -> None:
    assert "does not exist. Check the name; relative paths start at" in refusal(tmp_path / "nowhere")
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
    assert "b.txt was not found: it was removed in the meantime, or it is a broken link." in refusal(tmp_path)


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
            sentences = refusal(folder)
            inside = refusal(folder / "c" / "d.txt")
        (folder / "c").chmod(0o755)
        (folder / "e").chmod(0o755)
    assert "e/f.txt could not be read (Permission denied). Check its permissions" in sentences
    assert "a.txt could not be read (Permission denied). Check its permissions" in sentences
    assert "c could not be opened (Permission denied). Check its permissions." in sentences
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


def test_two_thousand_files_come_in_order(tmp_path: Path) -> None:
    for number in reversed(range(2_000)):
        (tmp_path / f"{number:04}.txt").write_text(f"Text number {number}.\n")
    assert [text.id for text in read(tmp_path)] == [f"{number:04}.txt" for number in range(2_000)]


def test_links_between_folders_make_no_paths_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve folders that each hold links to all the others have more paths than anybody can wait for."""
    names = [f"folder{number:02}" for number in range(12)]
    for name in names:
        (tmp_path / name).mkdir()
        for other in names:
            (tmp_path / name / other).symlink_to(tmp_path / other)
    monkeypatch.setattr("idiograph.texts.reading.folders._MOST", 5_000)
    with pytest.raises(InputError, match="holds more than 5,000 files and folders, those that links lead to counted"):
        read(tmp_path)
