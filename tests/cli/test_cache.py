"""idiograph cache: shows and clears what is kept on disk."""

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from made_texts import command


def test_the_cache_is_shown_and_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(tmp_path))
    (tmp_path / "matplotlib").mkdir()
    (tmp_path / "matplotlib" / "fonts.json").write_bytes(b"x" * 2_000_000)
    assert command("cache") == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"{tmp_path}\n0 masked texts, 0.0 MB of at most ")
    assert "list of fonts, 2.0 MB." in shown
    assert command("cache", "--clear", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["cleared"], record["matplotlib_bytes"], record["entries"]) == (True, 2_000_000, None)
    assert not (tmp_path / "matplotlib").exists()


def with_database(*statements: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        connection = sqlite3.connect(folder / "masked" / "masked.sqlite")
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()

    return make


def set_aside(folder: Path) -> None:
    (folder / "masked" / "masked.sqlite.damaged-17").write_bytes(b"x" * 1000)


def left_by_a_kill(folder: Path) -> None:
    (folder / "scratch" / "..0-1-x.part").mkdir(parents=True)
    (folder / "scratch" / "..0-1-x.part" / "q.txt").write_text("a text of a case", encoding="utf-8")


def folders_without_end(folder: Path) -> None:
    """Deeper than a path may be long, and than Python may call itself."""
    here = Path.cwd()
    try:
        (folder / "studies").mkdir()
        os.chdir(folder / "studies")
        for _ in range(2500):
            Path("d").mkdir()
            os.chdir("d")
    finally:
        os.chdir(here)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "no table": with_database("CREATE TABLE other (x)"),
    "a view": with_database(
        "CREATE VIEW entries AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT 1) SELECT * FROM n"
    ),
    "a trigger": with_database(
        "CREATE TABLE entries (key, packed, used)",
        "CREATE TRIGGER no BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'no'); END",
    ),
    "no database": lambda folder: (folder / "masked" / "masked.sqlite").write_bytes(b"junk" * 1000),
    "a pipe": lambda folder: os.mkfifo(folder / "masked" / "masked.sqlite"),
    "a link": lambda folder: (folder / "studies").symlink_to(folder.parent / "private"),
    "all of it a link": lambda folder: ((folder / "masked").rmdir(), (folder / "masked").symlink_to("../private")),
    "a file": lambda folder: (folder / "numba").write_bytes(b"x"),
    "set aside": set_aside,
    "left by a kill": left_by_a_kill,
    "folders without end": folders_without_end,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_whatever_is_in_the_cache_can_be_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    private, folder = tmp_path / "private", tmp_path / "cache"
    (folder / "masked").mkdir(parents=True)
    private.mkdir()
    (private / "diary.txt").write_text("private", encoding="utf-8")
    (folder / "mine.txt").write_text("not Idiograph's", encoding="utf-8")
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(folder))
    DAMAGE[damage](folder)
    if damage in ("a link", "folders without end"):
        assert command("cache") == 0
    assert command("cache", "--clear") == 0
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert (private / "diary.txt").is_file()
    assert command("cache") == 0


def test_the_cache_can_be_cleared_on_a_full_disk(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(small_disk))
    (small_disk / "masked").mkdir()
    with_database("CREATE TABLE entries (key, packed, used)")(small_disk)
    with pytest.raises(OSError, match="No space"), (small_disk / "masked" / "x.damaged-1").open("wb") as file:
        while True:
            file.write(b"x" * 1024)
            file.flush()
    assert command("cache", "--clear") == 0
    assert list(small_disk.iterdir()) == []


def test_what_a_killed_replay_left_is_shown_and_what_is_in_use_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from idiograph.files import scratch_folder

    monkeypatch.setenv("IDIOGRAPH_CACHE", str(tmp_path))
    left_by_a_kill(tmp_path)
    (tmp_path / "scratch" / "..0-1-x.part" / "k.txt").write_bytes(b"x" * 1_000_000)
    assert command("cache") == 0
    assert (
        "copies of texts that work under way needs, or that a killed process left, 1.0 MB." in capsys.readouterr().out
    )
    with scratch_folder() as used:
        assert command("cache", "--clear") == 0
        assert [path.name for path in (tmp_path / "scratch").iterdir()] == [used.name]
