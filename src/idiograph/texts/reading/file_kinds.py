"""The list of file kinds, what is said about it, and a file with its kind: a further kind is one entry here."""

from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath
from typing import Literal


@dataclass(frozen=True)
class FileKind:
    """A kind of file: the name of its format, its endings and what it is called, {} standing for a list of endings."""

    name: str
    endings: tuple[str, ...]  # the first is the one that sentences name
    called: str
    holds: Literal["text", "rows", "document"]  # what is no document may be compressed, or masked already


KINDS = (
    FileKind("text", (".txt", ".text"), "plain text", "text"),
    FileKind("csv", (".csv",), "tables ({})", "rows"),
    FileKind("tsv", (".tsv", ".tab"), "tables ({})", "rows"),
    FileKind("jsonl", (".jsonl", ".ndjson"), "tables ({})", "rows"),
    FileKind("docx", (".docx",), "Word ({})", "document"),
    FileKind("pdf", (".pdf",), "PDF", "document"),
    FileKind("eml", (".eml",), "mail ({})", "document"),
    FileKind("mbox", (".mbox",), "mail ({})", "document"),
)
FORMATS = tuple(kind.name for kind in KINDS)

_ADVICE = {
    ".doc": "an old Word file; save it as .docx",
    ".odt": "an OpenDocument text; save it as .docx",
    ".rtf": "a rich-text file; save it as .docx",
    ".msg": "an Outlook message; save it as .eml",
    ".pst": "an Outlook mailbox; export it as .mbox or .eml",
    ".xlsx": "a spreadsheet; save it as .csv",
    ".xls": "a spreadsheet; save it as .csv",
    ".html": "a web page; save its text as .txt",
    ".htm": "a web page; save its text as .txt",
    ".json": "JSON of unknown form; write one object per line as .jsonl",
    ".zip": "an archive; unpack it first",
}


@dataclass(frozen=True)
class SourceFile:
    """A file to be read: where it is, its path below the folder that was named, and its kind."""

    path: Path
    relative: PurePosixPath
    kind: str


def kind_of(name: str) -> str | None:
    """What a file is by its name, or None; plain texts and tables may be compressed."""
    path = PurePosixPath(name.lower())
    packed = path.suffix == ".gz"
    ending = PurePosixPath(path.stem).suffix if packed else path.suffix
    named = (kind.name for kind in KINDS if ending in kind.endings and not (packed and kind.holds == "document"))
    return next(named, None)


def is_table(kind: str | None) -> bool:
    """Whether a kind of file has rows."""
    return any(known.name == kind and known.holds == "rows" for known in KINDS)


def advice(path: PurePath) -> str | None:
    """What a file of no known kind is, and what to make of it; None if its ending says nothing."""
    return _ADVICE.get(path.suffix.lower())


def endings(*holding: str, last: str) -> str:
    """The endings of the kinds that hold such things, the last two with a word between them; tables come last."""
    *first, final = (kind.endings[0] for kind in _tables_last() if kind.holds in holding)
    return f"{', '.join(first)} {last} {final}"


def families() -> str:
    """All kinds as the pages name them: "plain text, Word (.docx), … or tables (.csv, …)"."""
    grouped: dict[str, list[str]] = {}
    for kind in _tables_last():
        grouped.setdefault(kind.called, []).append(kind.endings[0])
    *first, final = (called.format(", ".join(shown)) for called, shown in grouped.items())
    return f"{', '.join(first)}, or {final}"


def _tables_last() -> list[FileKind]:
    return sorted(KINDS, key=lambda kind: kind.holds == "rows")
