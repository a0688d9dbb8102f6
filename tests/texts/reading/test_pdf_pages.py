"""The process that reads PDF files: one after the other, within its limits."""

import json
import subprocess
import sys
from typing import Any

import typst

from idiograph.texts.reading import pdf_pages


def asked(*files: bytes) -> list[Any]:
    """What the process prints for each file."""
    sent = b"".join(len(data).to_bytes(8, "big") + data for data in files)
    run = subprocess.run([sys.executable, "-P", pdf_pages.__file__], input=sent, capture_output=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_every_file_gets_a_line() -> None:
    page: Any = typst.compile(b"One.\n#pagebreak()\n#pagebreak()\n#rect(fill: red)")
    damaged = {"error": pdf_pages.DAMAGED, "why": "Failed to load document (PDFium: Data format error)."}
    assert asked(page, b"no pdf", page) == [{"pages": ["One.", "", None]}, damaged, {"pages": ["One.", "", None]}]
    assert asked() == []


def test_the_limits_hold_for_each_file_anew() -> None:
    code = (
        "import resource, time, pdf_pages\n"
        "end = time.process_time() + 1.1\n"
        "while time.process_time() < end: pass\n"
        "pdf_pages._limit()\n"
        "print(*(resource.getrlimit(one)[0] for one in (resource.RLIMIT_AS, resource.RLIMIT_CPU)))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=pdf_pages.__file__.rpartition("/")[0],
    )
    memory, seconds = map(int, run.stdout.split())
    assert memory == pdf_pages.MEMORY
    assert pdf_pages.SECONDS + 2 <= seconds <= pdf_pages.SECONDS + 10
