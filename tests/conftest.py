"""What all tests share: where the reference material is, and an honest count of what could not be checked."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference material beside the project; without it the check is counted as not made."""
    if not SHARED.is_dir():
        pytest.skip("the reference material (../shared) is absent")
    return SHARED


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tests share compiled code with the user's runs but nothing else: other caches go to a temporary folder."""
    return tmp_path_factory.mktemp("cache")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = sorted({str(report.longrepr[2]).removeprefix("Skipped: ") for report in skipped})
    because = f" ({'; '.join(reasons)})" if reasons else ""
    terminalreporter.write_line(f"checks that could not be made: {len(skipped)}{because}")
