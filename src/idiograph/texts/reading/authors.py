"""Who wrote a file: its sub-folder, its name, a table of metadata, or nobody that is known."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from idiograph.errors import InputError, some
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.report import normal_name

_DEEPEST = 6  # folders above the one that was named which a row of the metadata may name, too
_FIELDS = ("author", "text", "work", "topic", "register", "date")


@dataclass
class Authors:
    """Finds the author and metadata of each file, and remembers which rows of the metadata were used."""

    options: ReadingOptions
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)  # file name or text id -> its row
    folder: PurePosixPath | None = None  # that the files lie in
    used: set[str] = field(default_factory=set)

    def of(self, path: PurePosixPath, *, id_: str, stated: str | None = None) -> tuple[str | None, dict[str, Any]]:
        """Author and metadata of the text `id_` in the file at `path`; `stated` is the author the file itself names."""
        options = self.options
        metadata = self._row(path, id_) if options.metadata is not None else {}
        listed = metadata.pop("author", None)
        if options.author is not None:
            return normal_name(options.author), metadata
        if options.pattern is not None:
            fields = self._fields(path)
            return normal_name(fields.pop("author")), {**fields, **metadata}
        if self.by_table:
            return (normal_name(listed) or None) if listed else None, metadata
        in_folder = len(path.parts) > 1
        if options.author_from == "folder" and not in_folder:
            raise InputError(
                "is not in a sub-folder, so no author can be taken from one. Put it into a folder named after its "
                "author, or name the authors another way (--pattern, --metadata, --author)."
            )
        if options.author_from == "folder" or (options.author_from == "auto" and stated is None and in_folder):
            return normal_name(path.parts[0]), metadata
        return None if options.author_from == "none" else stated, metadata

    def _row(self, path: PurePosixPath, id_: str) -> dict[str, Any]:
        for key in (*_ends(self.folder, id_), *_ends(self.folder, str(path)), path.name):
            if key in self.rows:
                self.used.add(key)
                return dict(self.rows[key])
        if not self.by_table:
            return {}
        raise InputError(f"has no row in {self.options.metadata}. Add one with its name in the column file.")

    @cached_property
    def by_table(self) -> bool:
        """Whether it is the metadata that names the authors, so that every text needs a row."""
        options = self.options
        elsewhere = options.author is not None or options.pattern is not None
        may_be = not elsewhere and options.author_from in ("auto", "metadata")
        return may_be and any("author" in row for row in self.rows.values())

    def unused(self) -> str:
        """The rows of the metadata that no file matched, as a sentence, where every file has one."""
        if self.options.metadata is None or not self.by_table:
            return ""
        # A row may be about a file of another side of the case, which lies beside or below the table.
        folders = list(self.options.metadata.parents)[:2]
        left = {key for key in set(self.rows) - self.used if not any((above / key).is_file() for above in folders)}
        return f"has rows for files that were not found: {some(sorted(left), 3)}." if left else ""

    def _fields(self, path: PurePosixPath) -> dict[str, str]:
        pattern = self.options.pattern or ""
        name = str(path) if "/" in pattern else path.name
        lazy, greedy = patterns_of(pattern)
        first, last = lazy.fullmatch(name), greedy.fullmatch(name)
        if first is None or last is None:
            raise InputError(
                f"does not fit the file-name pattern {pattern}, so its author is not known. Rename it or change the "
                "pattern."
            )
        if first["author"] != last["author"]:
            raise InputError(
                f"fits the file-name pattern {pattern} in more than one way (author {first['author']!r} or "
                f"{last['author']!r}). Rename it, or pass a regular expression with (?P<author>…)."
            )
        return {key: value for key, value in first.groupdict().items() if value is not None and key != "text"}


def _ends(folder: PurePosixPath | None, path: str) -> Iterator[str]:
    """The ends of a file's path, as long as its place below the folder or longer, the longest first."""
    above = () if folder is None else folder.parts[-_DEEPEST:]
    for first in range(len(above)):
        yield "/".join((*above[first:], path))
    yield path


def patterns_of(pattern: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A file-name pattern, its fields as short and as long as possible.

    `author_text.txt` and `{author}_{text}.txt` are the same; a regular expression has a group (?P<author>…).
    """
    if "(?P<author>" in pattern:
        try:
            expression = re.compile(pattern)
        except re.error as error:
            raise InputError(f"The file-name pattern {pattern} is not a valid regular expression: {error}.") from error
        return expression, expression
    names = "|".join(_FIELDS)
    marked = pattern if "{" in pattern else re.sub(rf"(?<![A-Za-z])({names})(?![A-Za-z])", r"{\1}", pattern)
    pieces = re.split(r"(\{\w+\}|\*)", marked)
    fields = [piece[1:-1] for piece in pieces if piece.startswith("{")]
    if "author" not in fields or len(set(fields)) < len(fields) or not set(fields) <= set(_FIELDS):
        raise InputError(
            f"The file-name pattern {pattern} must say exactly once where the author's name is, as in author_text.txt "
            f"or {{author}}_{{text}}.txt. The fields are {', '.join(_FIELDS)}; * stands for anything."
        )

    def part(piece: str, quantifier: str) -> str:
        if piece.startswith("{"):
            return f"(?P<{piece[1:-1]}>[^/]{quantifier})"
        return ".*" if piece == "*" else re.escape(piece)

    lazy, greedy = ("".join(part(piece, quantifier) for piece in pieces) for quantifier in ("+?", "+"))
    return re.compile(lazy), re.compile(greedy)
