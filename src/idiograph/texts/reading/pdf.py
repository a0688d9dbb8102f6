"""PDF files with a text layer, page by page; a page without one is named, never passed over."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from threading import Timer
from typing import Any

from idiograph.errors import InputError
from idiograph.provenance import digest
from idiograph.texts.edits import Edits
from idiograph.texts.reading import pdf_pages
from idiograph.texts.reading.authors import Authors
from idiograph.texts.reading.decoding import Encoding, bytes_of
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.raw_text import Origin, make_text, unwrap_step
from idiograph.texts.reading.reading_report import ReadingLog
from idiograph.texts.reading.source_file import SourceFile
from idiograph.texts.reading.wrapping import HYPHEN
from idiograph.texts.text import Text

_PAGES_FOR_A_HEAD = 3  # fewer pages cannot show that a line is repeated on each


class PageReader:
    """Reads PDF files in a process of its own, which starts with the first of them and ends with `close`."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def pages(self, data: bytes) -> list[str | None]:
        """The text of each page: empty where nothing is on it, None where something is, but no text."""
        if not data:
            raise InputError("is empty: it has no bytes. Remove it or supply its text.")
        has_read_others = self._process is not None
        found = self._found(data)
        if found is None and has_read_others:  # what they left in memory is not this file's fault
            found = self._found(data)
        if found is None:
            raise InputError(
                f"could not be read within {pdf_pages.MEMORY // 1_000_000} MB of memory and {pdf_pages.SECONDS} "
                "seconds: it is damaged, or unpacks to far more than it seems. Print it to a new PDF and try again."
            )
        if "pages" in found:
            return list(found["pages"])
        if found["error"] == pdf_pages.PASSWORD:
            raise InputError(
                "is protected by a password. Save it without one (print it to a new PDF, for example) and try again."
            )
        raise InputError(f"is damaged or not a PDF file ({found['why']}). Save or download it again.")

    def _found(self, data: bytes) -> dict[str, Any] | None:
        """What the process found; None, and no process any more, if it died or took too long."""
        try:
            # -P: the folder of the script has modules named like Python's own.
            self._process = self._process or subprocess.Popen(
                [sys.executable, "-P", pdf_pages.__file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            timer = Timer(2 * pdf_pages.SECONDS, self._process.kill)
            timer.start()
            try:
                self._process.stdin.write(len(data).to_bytes(8, "big") + data)
                self._process.stdin.flush()
                found: dict[str, Any] = json.loads(self._process.stdout.readline())
            finally:
                timer.cancel()
        except (OSError, ValueError):
            self.close()
            return None
        return found

    def close(self) -> None:
        """Ends the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(OSError), process:  # closes its pipes and waits for it; unsent data go nowhere
                process.kill()


def texts_of_pdf(
    file: SourceFile, authors: Authors, options: ReadingOptions, log: ReadingLog, *, reader: PageReader
) -> Iterator[Text]:
    """The text of a PDF file, its pages one after the other."""
    data = bytes_of(file.path)
    pages = []
    for number, page in enumerate(reader.pages(data), start=1):
        if page is None:
            log.refuse(
                f"{file.place} page {number}",
                "has no text layer: it is probably a scan. Run text recognition (OCR) on it and supply a PDF with "
                "text, or type it.",
            )
        else:
            pages.append(page)
    if not any(page.strip() for page in pages):
        raise InputError(
            "has no page with text. Run text recognition (OCR) on it and supply a PDF with text, or type it."
        )
    author, metadata = authors.of(file.place, id_=str(file.place))
    yield make_text(
        str(file.place),
        "\n".join(page.rstrip("\r\n") for page in pages),
        author=author,
        metadata={**metadata, "n_pages": len(pages)},
        source=Origin(str(file.place), digest(data), len(data), Encoding("pdf", "certain")),
        steps=[
            ("line breaks after hyphens made plain", _breaks_after_hyphens),
            unwrap_step(options, laid_out=True),
            ("hyphens at line ends made plain", _plain_hyphens),
        ],
        warnings=_repeated(pages),
    )


def _breaks_after_hyphens(content: str) -> Edits:
    """PDFium swallows the line break after a hyphen at a line's end; without it the lines would seem longer."""
    return tuple((found.end(), "", "\n") for found in re.finditer(f"{HYPHEN}(?!\n)", content))


def _plain_hyphens(content: str) -> Edits:
    return tuple((found.start(), HYPHEN, "-") for found in re.finditer(HYPHEN, content))


def _repeated(pages: list[str]) -> list[str]:
    """A warning for each line that most pages begin or end with: running heads are not the author's sentences."""
    if len(pages) < _PAGES_FOR_A_HEAD:
        return []
    edges: Counter[str] = Counter()
    for page in pages:
        lines = [re.sub(r"\d+", "#", line.strip()) for line in page.splitlines() if line.strip()]
        edges.update({lines[0], lines[-1]} if lines else ())
    return [
        f"the line {line!r} (# for any number) begins or ends {count} of {len(pages)} pages; it is left in. Remove it "
        "if it is a running head."
        for line, count in sorted(edges.items())
        if count > len(pages) / 2
    ]
