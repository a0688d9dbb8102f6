"""Texts come out of the package files that are stated, and out of no others; the files here are made up."""

import hashlib
import io
import json
import re
import runpy
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from idiograph import InputError

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "validation" / "package_texts.py"
MAKER = runpy.run_path(str(SCRIPT))
FILE = "made-up-1.0.tar.gz"
Package, Work = MAKER["Package"], MAKER["Work"]


def _package(folder: Path, content: bytes, *, name: str = "made-up-1.0/texts.txt"):  # type: ignore[no-untyped-def]
    """A package file with one member, and its right description."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    (folder / "made-up-1.0.tar.gz").write_bytes(packed.getvalue())
    sha256 = hashlib.sha256(packed.getvalue()).hexdigest()
    return Package("made-up 1.0", FILE, sha256, "made-up-1.0/texts.txt")


def test_the_member_of_the_right_file_is_taken(tmp_path: Path) -> None:
    assert MAKER["member"](_package(tmp_path, b"abc"), tmp_path) == b"abc"


def test_a_missing_file_is_named_with_where_it_is_fetched_from(tmp_path: Path) -> None:
    package = _package(tmp_path, b"abc")
    (tmp_path / package.file).unlink()
    with pytest.raises(
        InputError, match=r"made-up-1\.0\.tar\.gz is not there.*from PyPI's list of files of made-up 1\.0"
    ):
        MAKER["member"](package, tmp_path)


def test_another_file_of_that_name_is_refused(tmp_path: Path) -> None:
    right = _package(tmp_path, b"abc")
    _package(tmp_path, b"abd")
    with pytest.raises(InputError, match=f"another file than the study was made of.* instead of {right.sha256[:16]}"):
        MAKER["member"](right, tmp_path)


def test_a_file_without_the_texts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no made-up-1\.0/texts\.txt"):
        MAKER["member"](_package(tmp_path, b"abc", name="made-up-1.0/others.txt"), tmp_path)


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "made-up-1.0.tar.gz").write_bytes(b"no archive")
    package = Package("made-up 1.0", FILE, hashlib.sha256(b"no archive").hexdigest(), "made-up-1.0/texts.txt")
    with pytest.raises(InputError, match=r"has no made-up-1\.0/texts\.txt"):
        MAKER["member"](package, tmp_path)


def _novel(name: str, n_sentences: int) -> str:
    return " ".join(f"{name} a vu {number} de ces neuf belles choses là." for number in range(n_sentences))


def test_a_novel_is_cut_out_between_mentions_of_its_names() -> None:
    # Ten words a sentence: pieces of 200 sentences; "Zoé" once in another book does not count.
    other = "Zoé passe. " + "Rien de lui. " * 6_000
    whole = (other + _novel("Zoé", 500) + " Fin de rien. " + "Un autre livre. " * 10).encode()
    rows = list(MAKER["novels"](whole, [Work("A", "Le Livre", "Zoé|Zaza")]))
    assert [row["id"] for row in rows] == ["A, Le Livre, 001", "A, Le Livre, 002"]
    assert {(row["author"], row["work"]) for row in rows} == {("A", "Le Livre")}
    # The sentence of the first mention is cut into, so the text begins with the next one.
    assert rows[0]["text"].startswith("Zoé a vu 1 de")
    assert [len(row["text"].split()) for row in rows] == [2_000, 2_000]
    assert rows[1]["text"].startswith("Zoé a vu 201 de")


def test_a_novel_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="mention none of Zoé, Zaza, so Le Livre by A cannot be cut"):
        list(MAKER["novels"](b"Un autre livre.", [Work("A", "Le Livre", "Zoé|Zaza")]))


def _speeches(rows: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bt18_speeches_sample.csv", f",speaker_fp,text\n{rows}")
    return packed.getvalue()


def test_speakers_are_numbers_and_those_who_said_little_are_left_out() -> None:
    content = _speeches('7,jane-doe,"eins zwei\n\ndrei"\n8,richard-roe,eins\n9,jane-doe,vier fünf\n')
    rows = list(MAKER["speeches"](content, fewest=5))
    assert rows == [
        {"id": "speech 7", "author": "speaker 001", "text": "eins zwei\n\ndrei"},
        {"id": "speech 9", "author": "speaker 001", "text": "vier fünf"},
    ]
    assert [row["author"] for row in MAKER["speeches"](content, fewest=1)][1] == "speaker 002"


def test_poems_under_two_names_or_nobodys_or_with_gaps_are_left_out() -> None:
    poems = [
        {"author": "甲", "paragraphs": ["春眠不覺曉，", "處處聞啼鳥。"]},
        {"author": "甲", "paragraphs": ["白日依山盡。"]},
        {"author": "乙", "paragraphs": ["白日，依山盡。"]},  # the same signs under another name
        {"author": "乙", "paragraphs": ["床前明月光。"]},
        {"author": "乙", "paragraphs": ["床前□月光。"]},
        {"author": "佚名", "paragraphs": ["月落烏啼霜滿天，江楓漁火對愁眠。"]},
    ]
    content = json.dumps(poems).encode()
    assert [(row["id"], row["text"]) for row in MAKER["poems"](content)] == [
        ("甲 1", "春眠不覺曉，\n處處聞啼鳥。"),
        ("乙 1", "床前明月光。"),
    ]
    assert [row["author"] for row in MAKER["poems"](content, n_poets=1)] == ["甲"]


def test_poems_of_a_long_work_are_spread_over_it() -> None:
    poems = [{"author": "甲", "paragraphs": [chr(0x4E00 + number) * 5]} for number in range(100)]
    rows = MAKER["poems"](json.dumps(poems).encode(), signs=100)
    assert [row["id"] for row in rows] == [f"甲 {number}" for number in range(1, 101, 5)]


def test_nothing_is_written_unless_every_package_is_there(tmp_path: Path) -> None:
    speech = "9,jane-doe," + "wort " * 2_000 + "\n"
    here = _package(tmp_path, _speeches(speech))
    absent = Package("absent 2.0", "absent-2.0.tar.gz", "0" * 64, "absent-2.0/texts.txt")
    with pytest.raises(InputError, match="absent"):
        MAKER["make"](tmp_path, tmp_path / "out", {"de": here, "fr": absent})
    assert not (tmp_path / "out").exists()
    MAKER["make"](tmp_path, tmp_path / "out", {"de": here})
    (line,) = (tmp_path / "out" / "de.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["author"] == "speaker 001"


def test_the_command_says_how_it_is_used_and_what_is_missing(tmp_path: Path) -> None:
    for arguments, sentence in (
        ([], "PACKAGES OUT"),
        ([tmp_path, tmp_path / "out"], "is not there, and the texts are in"),
    ):
        done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert sentence in done.stderr
        assert "Traceback" not in done.stderr


def test_every_package_is_stated_by_its_whole_digest() -> None:
    for package in MAKER["PACKAGES"].values():
        assert re.fullmatch("[0-9a-f]{64}", package.sha256)
        assert package.file.startswith(package.member.split("/")[0])
