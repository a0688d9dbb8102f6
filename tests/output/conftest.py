"""A made-up case and its report, written once."""

from pathlib import Path

import docx
import pytest

from idiograph import Verification, write_reports
from idiograph.output.plot import Plot
from made_plots import every_plot
from made_up_case import verification
from seen_report import Page, docx_text, pdf_pages


@pytest.fixture(scope="session", name="case")
def _case() -> Verification:
    return verification()


@pytest.fixture(scope="session", name="folder")
def _folder(case: Verification, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("case")
    write_reports(case, folder)
    return folder


@pytest.fixture(scope="session", name="page")
def _page(folder: Path) -> Page:
    return Page((folder / "report.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="session", name="annex_page")
def _annex_page(folder: Path) -> Page:
    return Page((folder / "annexes.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="session", name="texts")
def _texts(folder: Path, page: Page) -> dict[str, str]:
    return _seen(folder, "report", page)


@pytest.fixture(scope="session", name="annex_texts")
def _annex_texts(folder: Path, annex_page: Page) -> dict[str, str]:
    return _seen(folder, "annexes", annex_page)


def _seen(folder: Path, name: str, page: Page) -> dict[str, str]:
    return {
        "html": page.text,
        "docx": docx_text(docx.Document(str(folder / f"{name}.docx"))),
        "pdf": "".join(pdf_pages((folder / f"{name}.pdf").read_bytes())),
    }


@pytest.fixture(scope="session", name="plots")
def _plots() -> dict[str, Plot]:
    return every_plot()
