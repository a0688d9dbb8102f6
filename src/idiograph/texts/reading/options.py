"""Everything a user can say about how files are to be read, checked once."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from idiograph.errors import InputError

DETECT = "detect"

_CHOICES: dict[str, tuple[str, ...]] = {
    "format": ("auto", "text", "csv", "tsv", "jsonl", "docx", "pdf", "eml", "mbox"),
    "author_from": ("auto", "folder", "pattern", "metadata", "column", "mail", "none"),
    "unwrap": ("auto", "always", "never"),
    "quotes": ("cut", "keep"),
    "sentences": ("lines", "marks"),
}


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How files are read; the same names serve the library, the command line and the case and study files.

    `format` says what the files are where their names do not. `author` names one author for everything read;
    otherwise `author_from`: the sub-folder, a file-name `pattern` such as `author_text.txt`, a `metadata` table
    (columns file or id, author, and any others), a table's author column, a mail's sender, or none; auto takes the
    one that applies. `encoding` is a codec, or `detect` to accept what the bytes suggest. `unwrap` joins hard-wrapped
    lines, `quotes` says what becomes of quoted and forwarded text in mail, `sentences` where sentences of already
    masked text end: at line ends, or also at the tokens `. ? !`. `skip_bad` goes on without what cannot be read.
    """

    format: str = "auto"
    author: str | None = None
    author_from: str = "auto"
    pattern: str | None = None
    metadata: Path | None = None
    id_column: str | None = None
    text_column: str | None = None
    author_column: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    unwrap: str = "auto"
    quotes: str = "cut"
    sentences: str = "lines"
    skip_bad: bool = False

    def __post_init__(self) -> None:
        for option in fields(self):
            value = getattr(self, option.name)
            wanted = bool if option.name == "skip_bad" else str | Path if option.name == "metadata" else str
            if not isinstance(value, wanted) and value is not option.default:
                raise InputError(
                    f"The reading option {option.name} is {value!r}. It must be "
                    f"{'true or false' if wanted is bool else 'text in quotation marks'}."
                )
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise InputError(f"The reading option {name} is {value!r}. It can be {', '.join(choices)}.")
        if self.metadata is not None:
            object.__setattr__(self, "metadata", Path(self.metadata))
        if self.encoding is not None and self.encoding != DETECT:
            _refuse_unknown_codec(self.encoding)
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise InputError(f"The delimiter is {self.delimiter!r}. It must be a single character, such as ; or a tab.")
        self._refuse_two_sources_of_authors()

    def _refuse_two_sources_of_authors(self) -> None:
        for name, needs in (("pattern", self.pattern), ("metadata", self.metadata)):
            if self.author_from == name and needs is None:
                raise InputError(f"Authors are to come from the {name}, but no {name} was given. Pass --{name}.")
        if self.pattern is not None and self.author_from not in ("auto", "pattern"):
            raise InputError(
                f"A file-name pattern was given, but authors are to come from {self.author_from}. Name one of the two."
            )
        if self.author is not None and self.author_from != "auto":
            raise InputError(
                f"All texts are to be by {self.author}, and authors are also to come from {self.author_from}. "
                "Name one of the two."
            )

    @classmethod
    def from_table(cls, table: Mapping[str, Any], *, where: str) -> "ReadingOptions":
        """The options of a table in a case or study file; a key that is none of them is an error in words."""
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(table) - known)
        if unknown:
            raise InputError(
                f"{where} has the unknown reading option{'s' if len(unknown) > 1 else ''} {', '.join(unknown)}. "
                f"Known are {', '.join(sorted(known))}."
            )
        return cls(**table)


def _refuse_unknown_codec(name: str) -> None:
    try:
        b"a".decode(name)  # bytes that are bytes again when decoded, such as base64's, are a LookupError too
    except UnicodeDecodeError:
        return
    except (LookupError, ValueError) as error:
        raise InputError(
            f"There is no text encoding called {name}. Common ones are utf-8, cp1252, latin-1, utf-16; "
            f"{DETECT} accepts what the bytes of each file suggest."
        ) from error
