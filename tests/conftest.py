"""What all tests share: where the reference material is, and an honest count of what could not be checked."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from fake_tagger import FakeTagger


# A shell lets what it starts in the background ignore Ctrl-C, and children inherit that; here some are sent it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No assertion is timed: the first example of a test may import or compile, and the machine may be busy.
settings.register_profile("untimed", deadline=None, max_examples=25)
settings.register_profile("many", settings.get_profile("untimed"), max_examples=200)
settings.load_profile("untimed")

# A cache of the tests' own, kept between runs so that compiled code is found again; never the user's.
os.environ.setdefault("IDIOGRAPH_CACHE", str(Path(__file__).resolve().parents[1] / ".pytest_cache" / "idiograph"))

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference material beside the project; without it the check is counted as not made."""
    if not SHARED.is_dir():
        pytest.skip("the reference material (../shared) is absent")
    return SHARED


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real disk of 256 kB to fill."""
    disk = tmp_path / "small-disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("no right to mount a small disk here")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


@pytest.fixture
def fake_tagger(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> "FakeTagger":
    """In place of the real tagger, with an empty cache of masked texts."""
    # Not above: Idiograph may only be imported once its cache folder is set.
    from fake_tagger import FakeTagger

    fake = FakeTagger()
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("idiograph.texts.masking.tagger.load_tagger", lambda model: fake)
    return fake


@pytest.fixture(scope="session")
def filed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A quick case that was filed, with its texts beside it; not to be changed."""
    from filed_case import file_a_case

    return file_a_case(tmp_path_factory.mktemp("filed"))


@pytest.fixture(scope="session")
def filed_plainly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, with a line in place of each report, for what is not about them; not to be changed."""
    from filed_case import file_a_case, without_reports

    with pytest.MonkeyPatch.context() as patch:
        without_reports(patch)
        return file_a_case(tmp_path_factory.mktemp("filed-plainly"))


@pytest.fixture
def unread_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody reads them: a line in place of each report of a case, and no page, tables and figures of a study."""
    from filed_case import without_reports

    without_reports(monkeypatch)
    monkeypatch.setattr("idiograph.output.study_page.publish", lambda result, out: out / "index.html")


@pytest.fixture
def copied(filed: Path, tmp_path: Path) -> Path:
    """A copy of the filed case and its texts."""
    shutil.copytree(filed, tmp_path / "copy")
    return tmp_path / "copy"


@pytest.fixture
def copied_plainly(filed_plainly: Path, tmp_path: Path, unread_reports: None) -> Path:
    """A copy of the case without reports, which is replayed without any, too."""
    shutil.copytree(filed_plainly, tmp_path / "copy")
    return tmp_path / "copy"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-faults", action="store_true", help="let every file operation fail, not a sample of them")
    parser.addoption("--many-examples", action="store_true", help="try 200 examples of every property instead of 25")
    parser.addoption("--fault-counts", help="a file to which the number of faults of each command is added")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--many-examples"):
        settings.load_profile("many")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = sorted({str(report.longrepr[2]).removeprefix("Skipped: ") for report in skipped})
    because = f" ({'; '.join(reasons)})" if reasons else ""
    terminalreporter.write_line(f"checks that could not be made: {len(skipped)}{because}")
