"""The text of each page of PDF files, read by a process of its own, started as a script.

A PDF file can hold a few bytes that unpack to gigabytes or loop for hours. Here that ends a process with little memory
and little time, not the program. It imports nothing of Idiograph, so that it starts at once.
"""

import json
import math
import sys
import time
from typing import Any

MEMORY = 900_000_000  # bytes; the longest of ordinary documents take a tenth
SECONDS = 120  # of processor time for one file
PASSWORD, DAMAGED = "password", "damaged"


def main() -> None:
    """Reads one file after the other, each preceded by its length in eight bytes, and prints a line of JSON for it."""
    while length := sys.stdin.buffer.read(8):
        _limit()
        print(json.dumps(_pages(sys.stdin.buffer.read(int.from_bytes(length, "big")))), flush=True)


def _pages(data: bytes) -> dict[str, Any]:
    """`pages`: text, empty where nothing is on a page, None where something is, but no text; or `error` and `why`."""
    import pypdfium2

    try:
        with pypdfium2.PdfDocument(data) as document:
            return {"pages": [_page(document, number) for number in range(len(document))]}
    except pypdfium2.PdfiumError as error:
        return {"error": PASSWORD if "password" in str(error).lower() else DAMAGED, "why": str(error)}


def _page(document: Any, number: int) -> str | None:
    page = document[number]
    try:
        layer = page.get_textpage()
        try:
            content: str = layer.get_text_range()
        finally:
            layer.close()
        if content.strip():
            return content
        return None if next(page.get_objects(), None) is not None else ""
    finally:
        page.close()


def _limit() -> None:
    """Sets the limits for the next file where the system has them; the reading process sets one on time besides."""
    try:
        import resource
    except ImportError:
        return
    seconds = SECONDS + math.ceil(time.process_time())
    # No core file either: it would lie about in the working folder.
    for what, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(what)
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (least, hard))


if __name__ == "__main__":
    main()
