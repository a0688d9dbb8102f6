"""A file to be read, and what it is by its name."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

TABLES = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_DOCUMENTS = {".docx": "docx", ".pdf": "pdf", ".eml": "eml", ".mbox": "mbox"}
_TEXTS = {".txt": "text", ".text": "text"}


@dataclass(frozen=True)
class SourceFile:
    """A file to be read: where it is, its place below the folder that was named, and its kind."""

    path: Path
    place: PurePosixPath
    kind: str


def kind_of(name: str) -> str | None:
    """What a file is by its name, or None; plain texts and tables may be compressed."""
    name = name.lower()
    if name.endswith(".gz"):
        return (TABLES | _TEXTS).get(PurePosixPath(name.removesuffix(".gz")).suffix)
    return (TABLES | _TEXTS | _DOCUMENTS).get(PurePosixPath(name).suffix)


def is_table(kind: str | None) -> bool:
    """Whether a kind of file has rows."""
    return kind in TABLES.values()
