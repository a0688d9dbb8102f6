"""What Windows and macOS do differently, as far as it can be played here: locks, names, encodings, line ends.

No such machine was at hand; what these tests play is what the systems' documentation says.
"""

import ast
import errno
import fcntl
import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import idiograph
from idiograph import files
from idiograph.files import Holder, Lock, lock, locked, write_whole
from made_texts import case_options, command, write_case

SOURCE = Path(__file__).resolve().parents[1] / "src" / "idiograph"
_BEHIND_THE_NOTE = 1 << 30


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Locks as msvcrt has them, of bytes and against every other handle; what was closed and removed, in order."""
    done: list[str] = []

    def locking(descriptor: int, mode: int, size: int) -> None:
        assert (mode, size) == (2, 1)
        assert os.lseek(descriptor, 0, os.SEEK_CUR) == _BEHIND_THE_NOTE  # the note stays readable for others
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PermissionError(errno.EACCES, "Permission denied") from None

    module = ModuleType("msvcrt")
    module.locking, module.LK_NBLCK = locking, 2  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "msvcrt", module)
    monkeypatch.setattr(files, "sys", SimpleNamespace(platform="win32"))
    close, unlink = os.close, Path.unlink
    monkeypatch.setattr(os, "close", lambda descriptor: (done.append("close"), close(descriptor))[1])

    def unlink_closed(path: Path, missing_ok: bool = False) -> None:
        done.append("unlink")
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", unlink_closed)
    return done


def test_a_folder_is_locked_by_bytes_and_its_lock_is_closed_before_it_is_removed(
    tmp_path: Path, windows: list[str]
) -> None:
    held = lock(tmp_path / ".lock")
    assert isinstance(held, Lock)
    other = lock(tmp_path / ".lock")
    assert isinstance(other, Holder)
    assert str(os.getpid()) in other.by
    with pytest.raises(idiograph.InputError, match="is in use"), locked(tmp_path):
        pass
    windows.clear()
    held.release()
    assert windows == ["close", "unlink"]  # a file that is open cannot be removed there
    assert not (tmp_path / ".lock").exists()
    with locked(tmp_path):
        write_whole(tmp_path / "a.txt", "what is written, without a folder being synced")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_every_name_that_is_installed_is_one_that_windows_and_macos_allow() -> None:
    names = [
        path.relative_to(SOURCE.parent).as_posix() for path in SOURCE.rglob("*") if "__pycache__" not in path.parts
    ]
    assert len(names) > 150
    reserved = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
    for name in names:
        assert len(name) < 120
        for part in name.split("/"):
            assert not set(part) & set('<>:"\\|?*')
            assert not part.endswith((" ", "."))
            assert part.partition(".")[0].lower() not in reserved
    assert len({unicodedata.normalize("NFC", name).casefold() for name in names}) == len(names)


def test_no_call_that_only_some_systems_have_is_made_unguarded() -> None:
    """Text is read and written in a stated encoding, and nothing forks, goes by a shell or renames over a file."""
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            words = {word.arg for word in node.keywords}
            name, called = node.func.attr, ast.unparse(node.func)
            first = ast.unparse(node.args[0]) if node.args else "'r'"
            if name in ("read_text", "write_text") and "encoding" not in words and called != "distribution.read_text":
                wrong.append(f"{path.name}: {called} without an encoding")
            if name == "open" and "Path" in called and "b" not in first and "encoding" not in words:
                wrong.append(f"{path.name}: {called} without an encoding")
            if called in ("os.fork", "os.rename", "os.system") or "shell" in words:
                wrong.append(f"{path.name}: {called}")
    assert wrong == []


def test_output_that_the_system_cannot_encode_is_written_as_codes(tmp_path: Path) -> None:
    """Where output goes into a file on Windows, it is in the system's own encoding, which has no λ."""
    folder = tmp_path / "λG" / "case"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{", encoding="utf-8")
    (folder / "result.json").write_text("{}", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    call = [sys.executable, "-m", "idiograph", "affected", str(tmp_path)]
    done = subprocess.run(call, env=environment, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"\\u03bbG/case: cannot be judged" in done.stdout


@pytest.mark.usefixtures("unread_reports")
def test_line_ends_of_windows_change_no_number(tmp_path: Path) -> None:
    values = []
    for name, end in (("unix", b"\n"), ("windows", b"\r\n")):
        folder = tmp_path / name
        write_case(folder, n_authors=5)
        for path in folder.rglob("*.txt"):
            path.write_bytes(path.read_bytes().replace(b"\n", end))
        assert command("verify", *case_options(folder, out=folder / "case"), "--quick") == 0
        result = json.loads((folder / "case" / "result.json").read_bytes())
        case = folder / "case" / "case.toml"
        case.write_bytes(case.read_bytes().replace(b"\n", end))
        read = idiograph.read_case(case)
        assert result["lambda_g"] is not None
        values.append(
            (result["lambda_g"], read.population, [text.content for text in idiograph.read(folder / "known")])
        )
    assert values[0] == values[1]
