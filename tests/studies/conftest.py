"""What the tests of whole studies share."""

from pathlib import Path

import pytest

from idiograph.studies.study import run_study
from made_study import folder_with_study


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study and its results."""
    folder = tmp_path_factory.mktemp("finished")
    run_study(folder_with_study(folder), folder / "out", workers=1)
    return folder
