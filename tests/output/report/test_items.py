"""What was examined: a row and a digest for each author, and every file in a CSV."""

import csv
import hashlib
import io
from dataclasses import replace

from idiograph.casework.verification import Verification
from idiograph.output.annexes import files_csv, items
from idiograph.output.document import Paragraph, Table
from idiograph.provenance import InputFile
from made_up_case import verification


def rows(case: Verification) -> tuple[tuple[str, ...], ...]:
    return next(block for block in items(case) if isinstance(block, Table)).rows


def test_an_author_is_a_row_with_a_digest_that_can_be_made_again() -> None:
    table = rows(verification())
    assert [row[:4] for row in table] == [
        ("questioned/Q1", "in question", "1", "312"),
        ("known/Lee", "Lee", "1", "4,100"),
        ("reference", "a0", "2", "11,000"),
        ("reference", "a1", "1", "7,000"),
    ]
    # One file: its own digest; several: that of their digests, one a line.
    assert table[0][4] == "0123456789abcdef" * 4
    assert table[2][4] == hashlib.sha256(f"{'00' * 32}\n{'11' * 32}\n".encode()).hexdigest()


def test_every_file_is_in_the_csv_whose_digest_is_given() -> None:
    case = verification()
    table = files_csv(case)
    read = list(csv.DictReader(io.StringIO(table)))
    assert [row["name"] for row in read] == ["q.txt", "k1.txt", "a0/r0.txt", "a0/r1.txt", "a1/r2.txt"]
    assert [row["author"] for row in read] == ["in question", "Lee", "a0", "a0", "a1"]
    assert read[2]["sha256"] == "00" * 32
    text = "".join(run.text for block in items(case) if isinstance(block, Paragraph) for run in block.runs)
    assert "files.csv lists the 5 files (22,412 bytes) one by one." in text
    assert hashlib.sha256(table.encode()).hexdigest() in text


def with_reference(*files: InputFile) -> Verification:
    case = verification()
    return replace(case, provenance=replace(case.provenance, inputs=files))


def test_a_file_of_many_texts_names_their_authors_and_one_of_none_says_so() -> None:
    table = InputFile("reference", "all.csv", 9, "ff" * 32)
    assert rows(with_reference(table))[0][1] == "a0, a1"
    alone = tuple(file for file in verification().provenance.inputs if file.role == "reference")
    left_out = InputFile("reference", "b/r9.txt", 9, "ee" * 32)
    assert rows(with_reference(*alone, left_out))[-1][1] == "not used"


def test_a_recipe_or_table_of_metadata_has_no_author() -> None:
    assert rows(with_reference(InputFile("metadata", "m.csv", 9, "ff" * 32)))[0][:2] == ("metadata", "")
