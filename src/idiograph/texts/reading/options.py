"""Everything a user can say about how files are to be read, checked once."""

from dataclasses import dataclass
from pathlib import Path

from idiograph.checking import check, whole_number
from idiograph.errors import InputError
from idiograph.settings import check_settings, setting
from idiograph.texts.reading.file_kinds import FORMATS

DETECT = "detect"
# 1, before 0.4: characters without a visible form stay, a stated encoding holds for every file, and words that are
# divided at the ends of a text file's lines keep their hyphens.
RULES = 2


def _is_encoding(name: str) -> bool:
    try:
        b"a".decode(name)  # a codec from bytes to bytes, such as base64, is a LookupError too
    except UnicodeDecodeError:
        return True
    except (LookupError, ValueError):
        return name == DETECT
    return True


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How files are read; the same names serve the library, the command line and the case and study files."""

    format: str = setting(
        "auto",
        choices=("auto", *FORMATS),
        help="What the files are; auto goes by their names.",
    )
    author: str | None = setting(None, help="All texts are by this author.")
    author_from: str = setting(
        "auto",
        choices=("auto", "folder", "pattern", "metadata", "column", "mail", "none"),
        help="Where authors are named: the sub-folder, the file name's pattern, the table of metadata, a column of the "
        "table of texts, the sender of a mail, or nowhere; auto takes what applies.",
    )
    pattern: str | None = setting(
        None, help="Pattern of file names, such as author_text.txt or {author}-{work}-{date}.txt."
    )
    metadata: Path | None = setting(None, help="Table with a column file (or id), author, and any others.")
    id_column: str | None = setting(None, help="Column of a table that names each text (default: id).")
    text_column: str | None = setting(None, help="Column of a table that holds the text (default: text).")
    author_column: str | None = setting(None, help="Column of a table that names the author (default: author).")
    delimiter: str | None = setting(
        None,
        must="a single character, such as ; or a tab",
        allows=lambda text: len(text) == 1,
        help="What separates the cells of a CSV table (default: a comma).",
    )
    encoding: str | None = setting(
        None,
        must="a text encoding such as utf-8, cp1252, latin-1 or utf-16, or detect",
        allows=_is_encoding,
        help="Encoding of files that are not UTF-8, such as cp1252; detect takes what the bytes of each file suggest.",
    )
    unwrap: str = setting("auto", choices=("auto", "always", "never"), help="Join hard-wrapped lines.")
    quotes: str = setting("cut", choices=("cut", "keep"), help="What becomes of quoted and forwarded text in mail.")
    sentences: str = setting(
        "lines",
        choices=("lines", "marks"),
        help="Where sentences of already masked text end: at line ends, or also at the tokens . ? !",
    )
    skip_bad: bool = setting(False, help="Go on without what cannot be read; each is named in the report.")
    # No settings: what every text is read by, except where a result of an earlier version is computed again.
    rules: int = RULES
    clean: bool = True  # false for text that is masked already, whose tokens are what they are

    @property
    def cleans(self) -> bool:
        """Whether characters without a visible form are taken out."""
        return self.clean and self.rules >= RULES

    def __post_init__(self) -> None:
        check_settings(self)
        whole_number(self.rules, "The rules of reading", least=1, most=RULES)
        check(self.clean, bool, "clean")
        for name, needs in (("pattern", self.pattern), ("metadata", self.metadata)):
            if self.author_from == name and needs is None:
                raise InputError(f"Authors are to come from the {name}, but no {name} was given. Set {name}.")
        if self.pattern is not None and self.author_from not in ("auto", "pattern"):
            raise InputError(
                f"A file-name pattern was given, but authors are to come from {self.author_from}. Name one of the two."
            )
        if self.author is not None and self.author_from != "auto":
            raise InputError(
                f"All texts are to be by {self.author}, and authors are also to come from {self.author_from}. "
                "Name one of the two."
            )
