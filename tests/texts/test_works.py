"""Works are proposed from names and dates alone; a case can be read by the table that the command writes."""

import csv
import io
from pathlib import Path

import pytest

from idiograph import read
from made_texts import in_full

Rows = list[dict[str, str]]


def proposed(folder: Path, *names: str, content: str = "x", options: tuple[object, ...] = ()) -> tuple[Rows, str]:
    """The rows that the command proposes for files of these names, and what it says of them."""
    for number, name in enumerate(names):
        path = folder / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content} {number}", encoding="utf-8")
    done = in_full("works", folder, *options)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout))), done.stderr


def works(folder: Path, *names: str) -> list[str]:
    return [row["work"] for row in proposed(folder, *names)[0]]


def test_names_that_count_on_are_parts_of_one_work(tmp_path: Path) -> None:
    names = ("a_01_1", "a_01_2", "a_02_1", "a_02_2", "b")
    assert works(tmp_path / "a", *names) == ["a_01", "a_01", "a_02", "a_02", "b.txt"]
    # Parts are parts even where there is but one beginning.
    assert set(works(tmp_path / "b", "diary part 1", "diary part 2")) == {"diary"}


@pytest.mark.parametrize("names", [("1", "2", "3"), ("essay1", "essay2", "essay3")])
def test_files_that_are_only_numbered_are_works_of_their_own(tmp_path: Path, names: tuple[str, ...]) -> None:
    assert works(tmp_path, *names) == [f"{name}.txt" for name in names]


def test_files_of_one_date_belong_together_and_the_date_is_said(tmp_path: Path) -> None:
    rows, _ = proposed(tmp_path, "lee/2020-03-01 a", "lee/20200301b", "lee/2020-13-01")
    assert [(row["work"], row["date"], row["how"]) for row in rows] == [
        ("2020-03-01", "2020-03-01", "of one date"),
        ("lee/2020-13-01.txt", "", "taken for a work of its own"),  # there is no thirteenth month
        ("2020-03-01", "2020-03-01", "of one date"),
    ]


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["q"], "1 file, taken for a work of its own."),
        (["b", "q"], "2 files, each taken for a work of its own."),
        (
            ["a_1", "a_2", "b", "c_1", "c_2"],
            "5 files, 3 works: 4 with names that count on; 1 taken for a work of its own.",
        ),
        (
            ["lee/a_1", "lee/a_2", "lee/b_1", "kim/1"],
            "4 files, 3 works: 2 each taken for a work of its own; 2 with names that count on.",
        ),
    ],
)
def test_what_a_proposal_comes_to_is_said(tmp_path: Path, names: list[str], sentence: str) -> None:
    _, told = proposed(tmp_path, *names)
    assert told == f"{sentence} Their content was not looked at.\n"


def test_authors_do_not_share_works_and_what_is_said_stays(tmp_path: Path) -> None:
    names = [f"{author}/{name}_{n}" for author in "ab" for name in ("x", "y") for n in (1, 2)]
    assert len(set(works(tmp_path / "texts", *names))) == 4
    dated = ("a/2020-03-01", "b/2020-03-01")
    assert works(tmp_path / "dated", *dated) == [f"{name}.txt" for name in dated]
    table = tmp_path / "works.csv"
    table.write_text("file,work\n" + "".join(f"{name}.txt,Letters\n" for name in names), encoding="utf-8")
    rows, _ = proposed(tmp_path / "texts", options=("--metadata", table))
    assert {(row["work"], row["how"]) for row in rows} == {("Letters", "named by the texts or their table")}


def test_content_decides_nothing(tmp_path: Path) -> None:
    names = ("a_1", "a_2", "b")
    assert proposed(tmp_path, *names, content="the same words") == proposed(tmp_path, *names, content="others")


def test_the_command_writes_a_table_that_names_works_when_texts_are_read(tmp_path: Path) -> None:
    table = tmp_path / "works.csv"
    proposed(tmp_path / "texts", "lee/a_1", "lee/a_2", "lee/b_1", "kim/1", options=("--out", table))
    assert table.read_text(encoding="utf-8").startswith("file,author,work,date,topic,how\n")
    again = read(tmp_path / "texts", metadata=table)
    assert {text.id: (text.author, text.metadata["work"]) for text in again} == {
        "kim/1.txt": ("kim", "kim/1.txt"), "lee/a_1.txt": ("lee", "lee/a"), "lee/a_2.txt": ("lee", "lee/a"),
        "lee/b_1.txt": ("lee", "lee/b_1.txt"),
    }  # fmt: skip
    # A table that somebody may have changed is not lost.
    assert in_full("works", tmp_path / "texts", "--out", table).returncode == 2
    assert in_full("works", tmp_path / "texts", "--out", table, "--force").returncode == 0
