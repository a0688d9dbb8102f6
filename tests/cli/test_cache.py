"""idiograph cache: shows and clears what is kept on disk."""

import json
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
    said = json.loads(capsys.readouterr().out)
    assert (said["cleared"], said["matplotlib_bytes"], said["entries"]) == (True, 2_000_000, 0)
    assert not (tmp_path / "matplotlib").exists()
