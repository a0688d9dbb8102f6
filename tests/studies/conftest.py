"""What the tests of whole studies share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import idiograph
from made_study import folder_with_study, without_pages


@pytest.fixture(scope="module")
def unread_pages() -> Iterator[None]:
    """Where nobody reads them: no page, tables and figures of the studies of a file."""
    with without_pages():
        yield


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, unread_pages: None) -> Path:
    """A folder with a study and its results, without the page."""
    folder = tmp_path_factory.mktemp("finished")
    idiograph.study(folder_with_study(folder), folder / "out", workers=1)
    return folder
