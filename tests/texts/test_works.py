"""Works are proposed from names and dates alone; a case can be read by the table that the command writes."""

import csv
from pathlib import Path

import pytest

from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.read import read
from idiograph.texts.text import Text
from idiograph.texts.works import propose_works, works_in_words
from made_texts import command


def works(*names: str, **metadata: str) -> dict[str, str]:
    """The proposed work of each file of one author."""
    return {row.file: row.work for row in propose_works(Text(name, "x", "lee", metadata) for name in names)}


def test_names_that_count_on_are_parts_of_one_work() -> None:
    found = works("a_01_1.txt", "a_01_2.txt", "a_02_1.txt", "a_02_2.txt", "b.txt")
    assert found == {"a_01_1.txt": "a_01", "a_01_2.txt": "a_01", "a_02_1.txt": "a_02", "a_02_2.txt": "a_02", "b.txt":
                     "b.txt"}  # fmt: skip
    # Parts are parts even where there is but one beginning.
    assert set(works("diary part 1.txt", "diary part 2.txt").values()) == {"diary"}


@pytest.mark.parametrize("names", [("1.txt", "2.txt", "3.txt"), ("essay1.txt", "essay2.txt", "essay3.txt")])
def test_files_that_are_only_numbered_are_works_of_their_own(names: tuple[str, ...]) -> None:
    assert works(*names) == {name: name for name in names}


def test_files_of_one_date_belong_together_and_the_date_is_said() -> None:
    rows = propose_works(Text(f"lee/{name}.txt", "x", "lee") for name in ("2020-03-01 a", "20200301b", "2020-13-01"))
    assert [(row.work, row.date, row.how) for row in rows] == [
        ("2020-03-01", "2020-03-01", "of one date"),
        ("2020-03-01", "2020-03-01", "of one date"),
        ("lee/2020-13-01.txt", "", "taken for a work of its own"),  # there is no thirteenth month
    ]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["q"], "1 file, taken for a work of its own."),
        (["b", "q"], "2 files, each taken for a work of its own."),
        (
            ["a_1", "a_2", "b", "c_1", "c_2"],
            "5 files, 3 works: 4 with names that count on; 1 taken for a work of its own.",
        ),
    ],
)
def test_what_a_proposal_comes_to_is_said(names: list[str], words: str) -> None:
    rows = propose_works(Text(f"{name}.txt", "x", "lee") for name in names)
    assert works_in_words(rows) == f"{words} Their content was not looked at."


def test_authors_do_not_share_works_and_what_is_said_stays() -> None:
    texts = [Text(f"{author}/{name}_{n}.txt", "x", author) for author in "ab" for name in ("x", "y") for n in (1, 2)]
    assert len({row.work for row in propose_works(texts)}) == 4
    assert works("a_1.txt", "a_2.txt", "b.txt", work="Letters") == dict.fromkeys(
        ("a_1.txt", "a_2.txt", "b.txt"), "Letters"
    )


def test_content_decides_nothing() -> None:
    names = ("a_1.txt", "a_2.txt", "b.txt")
    one, other = (
        [row.work for row in propose_works(Text(name, f"{content} {n}", "lee") for n, name in enumerate(names))]
        for content in ("the same words", "others")
    )
    assert one == other


def test_the_command_writes_a_table_that_names_works_when_texts_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("lee/a_1", "lee/a_2", "lee/b_1", "kim/1"):
        (tmp_path / "texts" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "texts" / f"{name}.txt").write_text("A few words.", encoding="utf-8")
    assert command("works", tmp_path / "texts", "--out", tmp_path / "works.csv") == 0
    assert capsys.readouterr().out == (
        "4 files, 3 works: 2 each taken for a work of its own; 2 with names that count on. Their content was not "
        "looked at.\n"
    )
    with (tmp_path / "works.csv").open(encoding="utf-8", newline="") as table:
        assert next(csv.reader(table)) == ["file", "author", "work", "date", "topic", "how"]
    again = read(tmp_path / "texts", ReadingOptions(metadata=tmp_path / "works.csv"))
    assert {text.id: (text.author, text.metadata["work"]) for text in again} == {
        "kim/1.txt": ("kim", "kim/1.txt"), "lee/a_1.txt": ("lee", "lee/a"), "lee/a_2.txt": ("lee", "lee/a"),
        "lee/b_1.txt": ("lee", "lee/b_1.txt"),
    }  # fmt: skip
    # A table that somebody may have changed is not lost.
    assert command("works", tmp_path / "texts", "--out", tmp_path / "works.csv") == 2
    assert command("works", tmp_path / "texts", "--out", tmp_path / "works.csv", "--force") == 0
    capsys.readouterr()
    assert command("works", tmp_path / "texts") == 0
    assert capsys.readouterr().out.startswith("file,author,work,date,topic,how\n")
