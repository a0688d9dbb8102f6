import subprocess
import sys
from pathlib import Path

import pytest

from idiograph.cli import more as pages
from idiograph.pages.uploads import Limits
from made_texts import command


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """What the server was started with; it ends at once."""
    seen: list[dict[str, object]] = []
    monkeypatch.setattr("idiograph.pages.server.serve", lambda folder, **how: seen.append({"folder": folder, **how}))
    return seen


def test_the_folder_and_every_option_reach_the_server(started: list[dict[str, object]], tmp_path: Path) -> None:
    assert command("app", tmp_path, "--no-browser", "--port", 4711, "--max-upload", 3) == 0
    (how,) = started
    assert (how["folder"], how["open_browser"], how["port"], how["limits"]) == (tmp_path, False, 4711, Limits.of(3))


def test_without_a_folder_it_is_idiograph_in_the_documents_folder(
    started: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("platformdirs.user_documents_dir", lambda: "/home/somebody/Documents")
    assert command("app") == 0
    assert started[0]["folder"] == Path("/home/somebody/Documents/Idiograph")
    assert started[0]["open_browser"] is True
    assert "/home/somebody/Documents/Idiograph" in capsys.readouterr().err


def test_ctrl_c_is_how_it_is_stopped(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("idiograph.pages.server.serve", interrupted)
    assert command("app", "x") == 0
    assert "stopped" in capsys.readouterr().err


def test_the_address_alone_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    pages._say("http://127.0.0.1:1/start?token=x")
    assert capsys.readouterr().out == "http://127.0.0.1:1/start?token=x\n"


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['uvicorn'] = None; sys.argv = ['idiograph', 'app', 'x']\n"
        "from idiograph.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "idiograph: The pages need packages that are not installed (uvicorn). Run: pip install '.[app]' in a clone of "
        "Idiograph, or 'idiograph[app]' where it came from an index.\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_help_needs_none_of_it() -> None:
    code = (
        "import sys, idiograph.cli; print([m for m in ('starlette', 'uvicorn', 'idiograph.pages') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
