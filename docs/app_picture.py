"""Makes docs/app.png, a picture of the pages: python docs/app_picture.py. It needs chromium and its driver.

The case is the made-up one of the tests: no real text lies in this project.
"""

import importlib
import io
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

from idiograph import write_reports
from idiograph.casework import case_folder
from idiograph.casework.case import written
from idiograph.casework.verification import as_result
from idiograph.files import write_whole
from idiograph.records import record_text

DOCS = Path(__file__).resolve().parent
_HEIGHT = 1_540  # pixels: the finding, the comparisons and the audit
_SKIPPED = "section[aria-labelledby=h-r]"  # the list of files
_COLOURS = 128


def file_made_up_case(folder: Path) -> None:
    """Files a run whose numbers are made up."""
    sys.path.insert(0, str(DOCS.parent / "tests"))
    done = importlib.import_module("made_up_case").verification()
    number = case_folder.begin_run(folder, quick=False)
    case_folder.start_run(folder, number, done.case_digest, [], quick=False)
    run = case_folder.run_folder(folder, number)
    write_reports(done, run)
    for top in (folder, run):
        write_whole(top / case_folder.CASE, written(done.case, folder=folder))
    write_whole(run / case_folder.RESULT, record_text(as_result(done)))
    case_folder.end_run(folder, number, "reported")


def picture(path: Path) -> None:
    """Writes a picture of the page of a result."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        file_made_up_case(folder / "cases" / "harbour")
        served: Any = importlib.import_module("served")
        browsing: Any = importlib.import_module("browsing")
        with (
            served.served(folder / "cases") as server,
            browsing.browser(folder / "profile", width=1_000, pictures=folder) as seen,
        ):
            seen.open(server.address)
            seen.click(seen.find("tbody a").text)
            seen.wait_for("Where in the text")
            seen.driver.execute_script("document.querySelector(arguments[0]).remove()", _SKIPPED)
            seen.driver.execute_script("document.querySelector('#map a.p3, #map a.p2').focus()")
            seen.wait_for("more expected in K")
            whole = Image.open(seen.picture("app"))
            shown = whole.crop((0, 0, whole.width, min(whole.height, _HEIGHT))).quantize(_COLOURS)
    written_to = io.BytesIO()
    shown.save(written_to, "png", optimize=True)
    write_whole(path, written_to.getvalue())


if __name__ == "__main__":
    picture(DOCS / "app.png")
