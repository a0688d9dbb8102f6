"""Word documents: the text as it stands with all tracked changes accepted, and what was left out, counted."""

from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from idiograph.errors import InputError
from idiograph.provenance import digest
from idiograph.texts.reading.authors import Authors
from idiograph.texts.reading.decoding import Encoding, load
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.raw_text import Source, make_text
from idiograph.texts.reading.reading_report import Log
from idiograph.texts.reading.source_file import Found
from idiograph.texts.text import Text

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_OLD_CONTAINER = b"\xd0\xcf\x11\xe0"  # what old .doc files and password-protected .docx files begin with
_LEFT_OUT = {
    f"{_W}del": "tracked deletions",
    f"{_W}moveFrom": "tracked deletions",
    f"{_W}txbxContent": "text boxes",
    f"{_W}footnoteReference": "footnotes",
    f"{_W}endnoteReference": "endnotes",
    f"{_W}commentReference": "comments",
    f"{_W}headerReference": "headers and footers",
    f"{_W}footerReference": "headers and footers",
}
_SIGNS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}


def texts_of_docx(file: Found, authors: Authors, options: ReadingOptions, log: Log) -> Iterator[Text]:
    """The text of a Word document: paragraphs and tables in order, a line each paragraph."""
    data = load(file.path)
    left_out: Counter[str] = Counter()
    content = "\n".join(_paragraphs(_body(data), left_out))
    author, metadata = authors.of(file.place, id_=str(file.place))
    counted = dict(sorted(left_out.items()))
    warnings = [f"left out: {', '.join(f'{count} {what}' for what, count in counted.items())}."] if counted else []
    yield make_text(
        str(file.place),
        content,
        author=author,
        metadata={**metadata, "left_out": counted} if counted else metadata,
        source=Source(str(file.place), digest(data), len(data), Encoding("docx", "certain")),
        steps=[],  # a paragraph of a document is never wrapped
        warnings=warnings,
    )


def _body(data: bytes) -> Any:
    # Imported late: lists of plain texts need no Word reader.
    import docx

    if not data:
        raise InputError("is empty: it has no bytes. Remove it or supply its text.")
    if data.startswith(_OLD_CONTAINER):
        raise InputError(
            "is password-protected or an old .doc file. Open it in Word and save it as .docx without a password."
        )
    try:
        return docx.Document(BytesIO(data)).element.body
    except Exception as error:  # whatever its zip and XML readers make of damaged bytes: they name no common error
        raise InputError(
            f"is damaged or no Word document ({error}). Open it in Word and save it again as .docx."
        ) from error


def _paragraphs(body: Any, left_out: Counter[str]) -> Iterator[str]:
    """The paragraphs of the body in order, those in tables and content controls included."""
    pending = ""
    for paragraph in body.iter(f"{_W}p"):
        if any(above.tag in (f"{_W}txbxContent", _FALLBACK) for above in paragraph.iterancestors()):
            continue
        pending += "".join(_characters(paragraph, left_out))
        # A paragraph mark that was deleted joins the paragraph to the next one.
        if paragraph.find(f"{_W}pPr/{_W}rPr/{_W}del") is None:
            yield pending
            pending = ""
    if pending:
        yield pending
    for reference in body.iter(f"{_W}headerReference", f"{_W}footerReference"):
        left_out[_LEFT_OUT[reference.tag]] += 1


def _characters(element: Any, left_out: Counter[str]) -> Iterator[str]:
    for child in element:
        if child.tag == f"{_W}pPr" or child.tag == _FALLBACK:
            continue
        if child.tag in _LEFT_OUT:
            left_out[_LEFT_OUT[child.tag]] += 1
        elif child.tag == f"{_W}r" and child.find(f"{_W}rPr/{_W}vanish") is not None:
            left_out["hidden passages"] += 1
        elif child.tag == f"{_W}t":
            yield child.text or ""
        elif child.tag in _SIGNS:
            yield _SIGNS[child.tag]
        else:
            yield from _characters(child, left_out)
