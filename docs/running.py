"""Pages that are run: the Python of a page block by block, what it prints, and the page as a notebook.

A block of Python that prints is followed by a block of text with what it printed.
"""

import contextlib
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

_BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n.*?```\n)?", re.DOTALL)


def run_again(page: str, folder: Path) -> str:
    """The page with what its blocks print now, run one after the other in the folder."""
    names: dict[str, object] = {}

    def with_output(block: re.Match[str]) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block[1], "page", "exec"), names)
        shown = f"\n```text\n{printed.getvalue()}```\n" if printed.getvalue() else ""
        return f"```python\n{block[1]}```\n{shown}"

    with contextlib.chdir(folder):
        return _BLOCK.sub(with_output, page)


def notebook(page: str) -> str:
    """The page as a Jupyter notebook, its printed outputs kept."""
    cells = [_cell(number, kind, text, printed) for number, (kind, text, printed) in enumerate(_parts(page))]
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def _parts(page: str) -> Iterator[tuple[str, str, str]]:
    """Prose and code in turn, with what the code printed."""
    end = 0
    for block in _BLOCK.finditer(page):
        yield "markdown", page[end : block.start()].strip(), ""
        printed = re.search(r"```text\n(.*?)```", block[0], re.DOTALL)
        yield "code", block[1].rstrip("\n"), printed[1] if printed else ""
        end = block.end()
    yield "markdown", page[end:].strip(), ""


def _cell(number: int, kind: str, text: str, printed: str) -> dict[str, object]:
    cell: dict[str, object] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": _lines(text)}
    if kind == "code":
        outputs = [{"name": "stdout", "output_type": "stream", "text": _lines(printed)}] if printed else []
        cell |= {"execution_count": None, "outputs": outputs}
    return cell


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
