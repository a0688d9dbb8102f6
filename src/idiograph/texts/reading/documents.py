"""Word documents: the text as it stands with all tracked changes accepted, and what was left out, counted.

The XML is read as a stream and never held as a tree, so a small file that unpacks to a huge one takes little memory.

PDF files with a text layer, page by page; a page without one is named, never passed over.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BytesIO
from threading import Timer
from typing import Any
from xml.parsers import expat
from zipfile import ZipFile

from idiograph.errors import InputError
from idiograph.provenance import digest
from idiograph.texts.edits import replacing
from idiograph.texts.reading import pdf_pages
from idiograph.texts.reading.authors import Authors
from idiograph.texts.reading.decoding import Encoding, bytes_of, refuse_no_bytes
from idiograph.texts.reading.file_kinds import SourceFile
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.report import Origin, ReadingLog, make_text, unwrap_step
from idiograph.texts.reading.wrapping import HYPHEN
from idiograph.texts.text import Text

_PAGES_FOR_A_HEAD = 3  # fewer pages cannot show that a line is repeated on each


class PageReader:
    """Reads PDF files in a process of its own, which starts with the first of them and ends with `close`."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def pages(self, data: bytes) -> list[str | None]:
        """The text of each page: empty where nothing is on it, None where something is, but no text."""
        refuse_no_bytes(data)
        has_read_others = self._process is not None
        answer = self._answer(data)
        if answer is None and has_read_others:  # what they left in memory is not this file's fault
            answer = self._answer(data)
        if answer is None:
            raise InputError(
                f"could not be read within {pdf_pages.MEMORY // 1_000_000} MB of memory and {pdf_pages.SECONDS} "
                "seconds: it is damaged, or unpacks to far more than it seems. Print it to a new PDF and try again."
            )
        if "pages" in answer:
            return list(answer["pages"])
        if answer["error"] == pdf_pages.PASSWORD:
            raise InputError(
                "is protected by a password. Save it without one (print it to a new PDF, for example) and try again."
            )
        raise InputError(f"is damaged or not a PDF file ({answer['why']}). Save or download it again.")

    def _answer(self, data: bytes) -> dict[str, Any] | None:
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
                answer: dict[str, Any] = json.loads(self._process.stdout.readline())
            finally:
                timer.cancel()
        except (OSError, ValueError):
            self.close()
            return None
        return answer

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
                f"{file.relative} page {number}",
                "has no text layer: it is probably a scan. Run text recognition (OCR) on it and supply a PDF with "
                "text, or type it.",
            )
        else:
            pages.append(page)
    if not any(page.strip() for page in pages):
        raise InputError(
            "has no page with text. Run text recognition (OCR) on it and supply a PDF with text, or type it."
        )
    author, metadata = authors.of(file.relative, id_=str(file.relative))
    yield make_text(
        str(file.relative),
        "\n".join(page.rstrip("\r\n") for page in pages),
        author=author,
        metadata={**metadata, "n_pages": len(pages)},
        source=Origin(str(file.relative), digest(data), len(data), Encoding("pdf", "certain")),
        options=options,
        steps=[
            # PDFium swallows the line break after a hyphen at a line's end; without it the lines would seem longer.
            ("line breaks after hyphens made plain", replacing(f"(?<={HYPHEN})(?!\n)", "\n")),
            unwrap_step(options, laid_out=True),
            ("hyphens at line ends made plain", replacing(HYPHEN, "-")),
        ],
        warnings=_repeated(pages),
    )


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


# Word's own, and the one of “Strict Open XML”.
_WORD = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
)
_COMPATIBILITY = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_OLD_CONTAINER = b"\xd0\xcf\x11\xe0"  # what old .doc files and password-protected .docx files begin with
_USUAL_PART = "word/document.xml"
_LARGEST_PART = 50_000_000  # bytes of XML; a long novel has a fifth of it, a bomb any number
_DEEPEST = 1_000  # elements inside elements; tables inside tables reach a few dozen
_LEFT_OUT = {
    "del": "tracked deletions",
    "moveFrom": "tracked deletions",
    "txbxContent": "text boxes",
    "footnoteReference": "footnotes",
    "endnoteReference": "endnotes",
    "commentReference": "comments",
}
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def texts_of_docx(file: SourceFile, authors: Authors, options: ReadingOptions, log: ReadingLog) -> Iterator[Text]:
    """The text of a Word document: paragraphs in order, those in tables and content controls included, a line each."""
    data = bytes_of(file.path)
    refuse_no_bytes(data)
    if data.startswith(_OLD_CONTAINER):
        raise InputError(
            "is password-protected or an old .doc file. Open it in Word and save it as .docx without a password."
        )
    body = _Paragraphs()
    try:
        with ZipFile(BytesIO(data)) as parts:
            _parse(parts, _main_part(parts), body.start, body.text, body.end)
    except InputError:
        raise
    except Exception as error:  # whatever the zip and XML readers make of damaged bytes: they name no common error
        raise InputError(
            f"is damaged or not a Word document ({error}). Open it in Word and save it again as .docx."
        ) from error
    author, metadata = authors.of(file.relative, id_=str(file.relative))
    counted = dict(sorted(body.left_out.items()))
    warnings = [f"left out: {', '.join(f'{count} {what}' for what, count in counted.items())}."] if counted else []
    yield make_text(
        str(file.relative),
        "\n".join(body.paragraphs),
        author=author,
        metadata={**metadata, "left_out": counted} if counted else metadata,
        source=Origin(str(file.relative), digest(data), len(data), Encoding("docx", "certain")),
        options=options,
        steps=[],  # a paragraph of a document is never wrapped
        warnings=warnings,
    )


class _Paragraphs:
    """Collects the paragraphs of a document while its elements stream by."""

    def __init__(self) -> None:
        self.paragraphs: list[str] = []
        self.left_out: Counter[str] = Counter()
        self._open: list[str] = []  # the elements around the current place
        self._skipped_from = 0  # how many of them are open where something is left out; 0 if nothing is
        self._words: list[str] = []
        self._run_begins = 0  # how many words there were when the current run began
        self._joins_next = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        space, _, tag = name.rpartition(" ")
        tag = tag if space in _WORD else "Fallback" if (space, tag) == (_COMPATIBILITY, "Fallback") else ""
        self._open.append(tag)
        if len(self._open) > _DEEPEST:
            raise InputError(
                f"has elements nested more than {_DEEPEST:,} deep, which Word never writes. It is damaged or "
                "malicious; supply the text another way."
            )
        if tag in ("headerReference", "footerReference"):
            self.left_out["headers and footers"] += 1
        if self._skipped_from:
            return
        if tag == "r":
            self._run_begins = len(self._words)
        elif tag in _LEFT_OUT and "pPr" in self._open:
            # A paragraph mark that was deleted joins the paragraph to the next one.
            self._joins_next = self._joins_next or self._open[-3:] == ["pPr", "rPr", "del"]
        elif tag in _LEFT_OUT and "p" in self._open:
            self.left_out[_LEFT_OUT[tag]] += 1
            self._skipped_from = len(self._open)
        elif tag in ("Fallback", "txbxContent"):
            self._skipped_from = len(self._open)
        elif tag == "vanish" and self._open[-3:-1] == ["r", "rPr"]:
            self.left_out["hidden passages"] += 1
            del self._words[self._run_begins :]
            self._skipped_from = len(self._open) - 2  # to the end of the run
        elif tag in _SIGNS and "p" in self._open and "pPr" not in self._open:
            self._words.append(_SIGNS[tag])

    def text(self, content: str) -> None:
        if self._open[-1:] == ["t"] and not self._skipped_from and "p" in self._open:
            self._words.append(content)

    def end(self, name: str) -> None:
        tag = self._open.pop()
        if len(self._open) < self._skipped_from:
            self._skipped_from = 0
        if self._skipped_from or tag not in ("p", "body"):
            return
        if (self._words or tag == "p") and not (self._joins_next and tag == "p"):
            self.paragraphs.append("".join(self._words))
            self._words = []
        self._joins_next = False


def _main_part(parts: ZipFile) -> str:
    """The name of the part with the text; nearly always the usual one."""
    if _USUAL_PART in parts.namelist():
        return _USUAL_PART
    targets = []

    def relation(name: str, attributes: dict[str, str]) -> None:
        if attributes.get("Type", "").endswith("/officeDocument"):
            targets.append(attributes.get("Target", "").lstrip("/"))

    _parse(parts, "_rels/.rels", relation)
    if not targets:
        raise InputError("is not a Word document: it has no text part. Open it in Word and save it again as .docx.")
    return targets[0]


def _parse(
    parts: ZipFile,
    name: str,
    start: Callable[[str, dict[str, str]], None],
    text: Callable[[str], None] | None = None,
    end: Callable[[str], None] | None = None,
) -> None:
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.CharacterDataHandler, parser.EndElementHandler = start, text, end
    parser.StartDoctypeDeclHandler = _refuse_doctype
    size = 0
    with parts.open(name) as stream:
        while chunk := stream.read(1 << 16):
            size += len(chunk)
            if size > _LARGEST_PART:
                raise InputError(
                    f"unpacks to more than {_LARGEST_PART:,} bytes of text with its formatting, far more than any "
                    "document has. It is damaged or malicious; supply the text another way."
                )
            parser.Parse(chunk)
    parser.Parse(b"", True)


def _refuse_doctype(*declared: Any) -> None:
    raise InputError(
        "declares a document type or entities in its XML, which Word never does, so parts of the text could be lost. "
        "Open it in Word and save it again as .docx."
    )
