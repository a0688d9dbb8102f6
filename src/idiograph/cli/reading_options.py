"""The options for reading files, the same in every command that reads any."""

import inspect
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from idiograph.cli.printing import print
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.reading_report import ReadingReport

_PANEL = "Reading"


def _option(*names: str, help: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=_PANEL)


_OPTIONS: dict[str, Any] = {
    "format": Annotated[
        str,
        _option(
            "--format",
            help="What the files are: text, csv, tsv, jsonl, docx, pdf, eml, mbox; auto goes by their names.",
        ),
    ],
    "author": Annotated[str | None, _option("--author", help="All texts are by this author.")],
    "author_from": Annotated[
        str,
        _option(
            "--author-from",
            help="Where authors are named: folder, pattern, metadata, column, mail or none; auto takes what applies.",
        ),
    ],
    "pattern": Annotated[
        str | None,
        _option("--pattern", help="Pattern of file names, such as author_text.txt or '{author}-{work}-{date}.txt'."),
    ],
    "metadata": Annotated[
        Path | None, _option("--metadata", help="Table with a column file (or id), author, and any others.")
    ],
    "id_column": Annotated[
        str | None, _option("--id-column", help="Column of a table that names each text (default: id).")
    ],
    "text_column": Annotated[
        str | None, _option("--text-column", help="Column of a table that holds the text (default: text).")
    ],
    "author_column": Annotated[
        str | None, _option("--author-column", help="Column of a table that names the author (default: author).")
    ],
    "delimiter": Annotated[
        str | None, _option("--delimiter", help="What separates the cells of a CSV table (default: a comma).")
    ],
    "encoding": Annotated[
        str | None,
        _option("--encoding", help="Encoding of files that are not UTF-8, such as cp1252; detect accepts a detection."),
    ],
    "unwrap": Annotated[str, _option("--unwrap", help="Join hard-wrapped lines: auto, always or never.")],
    "quotes": Annotated[str, _option("--quotes", help="Quoted and forwarded text in mail: cut or keep.")],
    "sentences": Annotated[
        str,
        _option("--sentences", help="Where sentences of already masked text end: lines, or marks (also at . ? !)."),
    ],
    "skip_bad": Annotated[
        bool, _option("--skip-bad", help="Go on without what cannot be read; each is named in the report.")
    ],
}


def reads(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the reading options; it receives them as one argument `reading: ReadingOptions`."""
    signature = inspect.signature(command, eval_str=True)
    own = [parameter for name, parameter in signature.parameters.items() if name != "reading"]
    defaults = ReadingOptions()
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=getattr(defaults, name), annotation=annotation)
        for name, annotation in _OPTIONS.items()
    ]

    @wraps(command)
    def with_reading(*arguments: Any, **named: Any) -> None:
        reading = ReadingOptions(**{name: named.pop(name) for name in _OPTIONS})
        command(*arguments, **named, reading=reading)

    with_reading.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
    with_reading.__annotations__ = {parameter.name: parameter.annotation for parameter in [*own, *added]}
    del with_reading.__wrapped__
    return with_reading


def say(report: ReadingReport) -> None:
    """Prints how a reading went on standard error."""
    for line in report.lines():
        print(line, file=sys.stderr)
