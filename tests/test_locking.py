"""One process at a time: a lock tells who holds it, and dies with its process."""

import json
import os
import platform
import threading
from pathlib import Path

import pytest

from idiograph import InputError
from idiograph.files import (
    locked,
    whole_folder,
)
from killing import leftovers, operations


def test_a_second_process_is_told_who_is_in_the_folder(tmp_path: Path) -> None:
    with (
        locked(tmp_path / "case"),
        pytest.raises(InputError, match=rf"case is in use: process {os.getpid()} on .* since \d{{4}}-"),
        locked(tmp_path / "case"),
    ):
        pass
    assert leftovers(tmp_path) == []


def test_two_processes_cannot_fill_one_folder(tmp_path: Path) -> None:
    with (
        whole_folder(tmp_path / "case") as part,
        pytest.raises(InputError, match="is in use: process"),
        whole_folder(tmp_path / "case"),
    ):
        pass
    assert not part.exists()


def test_a_process_may_wait_for_another(tmp_path: Path) -> None:
    waiting = threading.Event()

    def second() -> None:
        waiting.set()
        with whole_folder(tmp_path / "case", wait=True, force=True) as part:
            (part / "second").write_text("2")

    thread = threading.Thread(target=second)
    with whole_folder(tmp_path / "case") as part:
        thread.start()
        waiting.wait()
        (part / "first").write_text("1")
    thread.join()
    assert leftovers(tmp_path / "case") == ["second"]
    assert leftovers(tmp_path) == ["case"]


def test_the_lock_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    def work() -> None:
        with locked(tmp_path / "case"):
            (tmp_path / "case" / "a").touch()
            os.kill(os.getpid(), 9)

    with pytest.raises(AssertionError, match="failed by itself"):
        operations(work)
    assert leftovers(tmp_path / "case") == [".lock", "a"]
    with locked(tmp_path / "case"):
        pass
    assert leftovers(tmp_path / "case") == ["a"]


def test_where_the_system_cannot_lock_the_note_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl", reason="this system has other locks")

    def cannot(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", cannot)
    with locked(tmp_path), pytest.raises(InputError, match="is in use"), locked(tmp_path):
        pass
    (tmp_path / ".lock").write_text(json.dumps({"process": 4_194_305, "host": platform.node()}))
    with locked(tmp_path):
        pass
    assert leftovers(tmp_path) == []


def test_many_processes_never_hold_one_lock_together(tmp_path: Path) -> None:
    """Each adds one to a number under the lock; a lock that let two in would lose some."""
    (tmp_path / "n").write_text("0")

    def work() -> None:
        for _ in range(20):
            with whole_folder(tmp_path / "made", force=True, wait=True):
                (tmp_path / "n").write_text(str(int((tmp_path / "n").read_text()) + 1))

    children = []
    for _ in range(4):
        child = os.fork()
        if not child:
            work()
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert (tmp_path / "n").read_text() == "80"


def test_a_folder_in_the_place_of_a_lock_is_named(tmp_path: Path) -> None:
    (tmp_path / ".lock").mkdir()
    with pytest.raises(InputError, match=r"\.lock is not a lock that Idiograph made"), locked(tmp_path):
        pass


def test_a_locked_folder_that_cannot_be_written_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="could not be written"), locked(tmp_path / "file" / "case"):
        pass
