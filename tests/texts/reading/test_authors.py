"""Who wrote a file: by its folder, its name, a table or nobody."""

from pathlib import Path
from typing import Any

import pytest

from idiograph import read
from read_files import refusal, write


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
    ("content", "message"),
    [
        ("name,author\na.txt,lee\n", "has no column file or id; its columns are name, author"),
        ("file,author\na.txt,lee\na.txt,kim\n", "names a.txt twice (the second time on line 3)"),
        ("", "is empty"),
    ],
)
def test_faulty_metadata(tmp_path: Path, content: str, message: str) -> None:
    write(tmp_path, a_txt="One.", meta_csv=content)
    assert message in refusal(tmp_path, metadata=tmp_path / "meta.csv")


def test_metadata_that_is_no_table(tmp_path: Path) -> None:
    write(tmp_path, a_txt="One.", b_txt="file,author")
    assert "metadata must be a .csv, .tsv or .jsonl table" in refusal(tmp_path, metadata=tmp_path / "b.txt")
