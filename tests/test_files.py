"""Files are written whole or not at all: with processes killed at every step, full disks and names that are taken."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from idiograph import InputError
from idiograph.files import (
    cache_folder,
    locked,
    make_usable,
    put_all_back,
    refuse_inside,
    remove_hidden,
    scratch_folder,
    whole_file,
    whole_folder,
    write_whole,
)
from killing import every_kill, leftovers


def test_a_written_file_holds_what_was_given(tmp_path: Path) -> None:
    write_whole(tmp_path / "new" / "a.txt", "one\r\ntwo – λ")
    assert (tmp_path / "new" / "a.txt").read_bytes() == "one\r\ntwo – λ".encode()
    assert leftovers(tmp_path / "new") == ["a.txt"]


def test_results_do_not_go_where_texts_are_read(tmp_path: Path) -> None:
    (tmp_path / "texts" / "lee").mkdir(parents=True)
    (tmp_path / "link").symlink_to("texts")
    for folder in (tmp_path / "texts", tmp_path / "texts" / "lee" / "out", tmp_path / "link" / "out"):
        with pytest.raises(InputError, match=r"lies inside .*texts, whose files are read as texts"):
            refuse_inside(folder, [tmp_path / "texts"])
    for folder in (tmp_path, tmp_path / "texts2", tmp_path / "out"):  # texts may lie in the folder of their case
        refuse_inside(folder, [tmp_path / "texts", tmp_path / "gone", Path("a" * 5000)])


def test_an_error_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.txt", "old")
    with pytest.raises(ZeroDivisionError), whole_file(tmp_path / "a.txt") as part:
        part.write_text("half of the n")
        raise ZeroDivisionError
    assert (tmp_path / "a.txt").read_text() == "old"
    assert leftovers(tmp_path) == ["a.txt"]


def test_an_error_while_filling_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), whole_folder(tmp_path / "case") as part:
        (part / "result.json").write_text("{")
        raise ZeroDivisionError
    assert leftovers(tmp_path) == []


def test_a_folder_that_holds_something_is_replaced_only_when_forced(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "case") as part:
        (part / "old").write_text("1")
    with pytest.raises(InputError, match="already exists and is not overwritten"), whole_folder(tmp_path / "case"):
        pass
    with whole_folder(tmp_path / "case", force=True) as part:
        (part / "new").write_text("2")
    assert leftovers(tmp_path / "case") == ["new"]
    assert leftovers(tmp_path) == ["case"]


def test_an_empty_folder_may_be_filled(tmp_path: Path) -> None:
    (tmp_path / "case").mkdir()
    with whole_folder(tmp_path / "case") as part:
        (part / "a").write_text("1")
    assert leftovers(tmp_path / "case") == ["a"]


def test_a_killed_process_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    code = (
        "import sys, time; from pathlib import Path; from idiograph.files import whole_file\n"
        "with whole_file(Path(sys.argv[1])) as part:\n"
        "    part.write_text('half'); print('writing', flush=True); time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(target)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    process.kill()
    process.communicate()
    assert target.read_text() == "old"


def test_a_full_disk_gets_a_sentence_and_leaves_the_old_file(small_disk: Path) -> None:
    write_whole(small_disk / "a", b"old")
    with pytest.raises(InputError, match=r"a could not be written \(No space left on device\)"):
        write_whole(small_disk / "a", b"x" * 500_000)
    with pytest.raises(InputError, match="could not be written"), whole_folder(small_disk / "case") as part:
        (part / "b").write_bytes(b"x" * 500_000)
    assert leftovers(small_disk) == ["a"]
    assert (small_disk / "a").read_bytes() == b"old"


def test_a_folder_that_cannot_be_made_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="could not be written"):
        write_whole(tmp_path / "file" / "a.txt", "x")
    with pytest.raises(InputError, match="could not be written"), whole_folder(tmp_path / "file" / "case"):
        pass


def rights(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_new_files_and_folders_are_their_owners_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under any umask; a file that is there already keeps the rights that it was given."""
    before = os.umask(0o002)
    try:
        write_whole(tmp_path / "file", "")
        with whole_folder(tmp_path / "folder") as part:
            (part / "a").write_text("")
        with locked(tmp_path / "case"):
            (tmp_path / "case" / "a").write_text("")
        monkeypatch.setenv("IDIOGRAPH_CACHE", str(tmp_path / "cache"))
        assert cache_folder().is_dir()
        assert rights(tmp_path / "file") == 0o600
        assert [rights(tmp_path / name) for name in ("folder", "case", "cache")] == [0o700] * 3
        (tmp_path / "file").chmod(0o640)
        write_whole(tmp_path / "file", "more")
        assert rights(tmp_path / "file") == 0o640
    finally:
        os.umask(before)


def test_the_cache_folder_is_the_named_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("IDIOGRAPH_CACHE")
    assert cache_folder().name == "idiograph"


def test_importing_writes_nothing_outside_the_cache(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    environment = {**os.environ, "HOME": str(tmp_path / "home"), "IDIOGRAPH_CACHE": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", "import idiograph"], cwd=work, env=environment, check=True)
    assert leftovers(work) == []
    assert not (tmp_path / "home").exists()


def test_what_a_killed_process_was_writing_is_removed_by_the_next(tmp_path: Path) -> None:
    for operation in every_kill(
        lambda: write_whole(tmp_path / "a.txt", "new"), prepare=lambda: write_whole(tmp_path / "a.txt", "old")
    ):
        assert (tmp_path / "a.txt").read_text() in ("old", "new"), operation
        write_whole(tmp_path / "a.txt", "next")
        assert leftovers(tmp_path) == ["a.txt"], operation


def test_a_folder_survives_every_kill(tmp_path: Path) -> None:
    target = tmp_path / "prepared"

    def fill(content: str) -> None:
        with whole_folder(target, force=True) as part:
            (part / "one").write_text(content)
            (part / "two").write_text(content)

    for operation in every_kill(lambda: fill("new"), prepare=lambda: fill("old")):
        put_all_back(tmp_path)
        contents = {path.read_text() for path in target.iterdir()}
        assert contents in ({"old"}, {"new"}), operation
        assert leftovers(target) == ["one", "two"], operation
        assert leftovers(tmp_path) == ["prepared"], operation


def test_a_new_folder_is_whole_or_absent_after_every_kill(tmp_path: Path) -> None:
    target = tmp_path / "prepared"

    def fill() -> None:
        with whole_folder(target) as part:
            (part / "one").write_text("1")

    for operation in every_kill(fill, prepare=lambda: shutil.rmtree(target, ignore_errors=True)):
        put_all_back(tmp_path)
        if not target.exists():
            fill()
            assert leftovers(tmp_path) == ["prepared"], operation
        assert leftovers(target) == ["one"], operation


def test_an_error_in_the_second_rename_puts_the_old_folder_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with whole_folder(tmp_path / "case") as part:
        (part / "old").write_text("1")
    replace = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if self.suffix == ".part":
            raise PermissionError(13, "Permission denied")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(InputError, match="Permission denied"), whole_folder(tmp_path / "case", force=True) as part:
        (part / "new").write_text("2")
    assert leftovers(tmp_path) == ["case"]
    assert leftovers(tmp_path / "case") == ["old"]


def test_a_scratch_folder_is_gone_afterwards_and_those_of_killed_processes_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(tmp_path / "cache"))

    def work() -> None:
        with scratch_folder() as folder:
            (folder / "a").touch()

    for _ in every_kill(work, prepare=lambda: shutil.rmtree(tmp_path / "cache", ignore_errors=True)):
        with scratch_folder() as folder:
            assert leftovers(folder) == []
            assert leftovers(folder.parent) == [folder.name]
        assert not folder.parent.exists()


def test_processes_that_make_and_remove_scratch_folders_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    code = "from idiograph.files import scratch_folder\nfor _ in range(1000):\n    with scratch_folder(): pass"
    environment = {**os.environ, "IDIOGRAPH_CACHE": str(tmp_path / "cache")}
    processes = [
        subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [process.communicate()[1] for process in processes] == ["", "", ""]
    assert not (tmp_path / "cache" / "scratch").exists()


def test_hidden_remains_are_removed_and_nothing_else(tmp_path: Path) -> None:
    for name in (".a.part", ".b.old", ".c.lock", ".lock", ".hidden", "d.part"):
        (tmp_path / name).mkdir()
    remove_hidden(tmp_path)
    assert leftovers(tmp_path) == [".hidden", ".lock", "d.part"]
    remove_hidden(tmp_path / "none")


def test_a_folder_is_usable_if_it_can_be_written_and_has_room(small_disk: Path) -> None:
    make_usable(small_disk / "new" / "folder", room=100_000)
    with pytest.raises(OSError, match="No space left"):
        make_usable(small_disk / "new", room=300_000)
    (small_disk / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(OSError, match=r"Not a directory|File exists"):
        make_usable(small_disk / "file" / "folder", room=1)
    assert sorted(path.name for path in small_disk.rglob("*")) == ["file", "folder", "new"]
