"""Every error a user can cause, each with a sentence: what was found, where, why it matters, what to do.

IdiographError
├── InputError          a file, a text, an option or a value that cannot be used as it is
├── ProblemError        a Q, a K and a reference that may not be compared
├── MaskingError        the tagger, its model or its word list
├── CalibrationError    scores from which no calibration can be learnt
└── StudyError          a study or case that cannot be run, resumed or replayed as described

The one way onto the terminal: nothing from a file or its name acts there.
"""

import builtins
import difflib
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TextIO, TypeVar


class IdiographError(Exception):
    """The base of all errors that are the input's, not the program's; names in its message do nothing in a terminal."""

    def __init__(self, message: str = "") -> None:
        super().__init__(visible(message))


class InputError(IdiographError):
    """A file, a text, an option or a value that cannot be used as it is."""


class ProblemError(IdiographError):
    """A Q, a K and a reference that may not be compared."""


class MaskingError(IdiographError):
    """The tagger, its model or its word list."""


class CalibrationError(IdiographError):
    """Scores from which no calibration can be learnt."""


class StudyError(IdiographError):
    """A study or case that cannot be run, resumed or replayed as described."""


E = TypeVar("E", bound=IdiographError)


def cannot_read(path: Path | str, error: OSError, kind: type[E] = InputError) -> E:  # type: ignore[assignment]
    """The error for a file or folder that could not be read."""
    return kind(f"{path} could not be read ({error.strerror or error}). Check the name and permissions.")


def cannot_write(path: Path, error: OSError) -> InputError:
    """The error for a file or folder that could not be written."""
    return InputError(
        f"{path} could not be written ({error.strerror or error}). Nothing was left half-written there; "
        "free some space or name a folder that can be written to."
    )


def some(names: Sequence[str], most: int = 5, *, between: str = ", ") -> str:
    """The first names of a list, and how many more there are.

    >>> some(["a", "b", "c", "d"], 2)
    'a, b and 2 more'
    """
    more = len(names) - most
    return between.join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def counted(n: int, one: str, several: str | None = None) -> str:
    """So many of something.

    >>> counted(1, "text"), counted(1200, "text")
    ('1 text', '1,200 texts')
    """
    return f"{n:,} {one if n == 1 else several or one + 's'}"


def nearest(name: str, known: Iterable[str]) -> str:
    """` (did you mean …?)` with the known name that is most like `name`, or nothing."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" (did you mean {close[0]}?)" if close else ""


def visible(text: str) -> str:
    r"""The text with every character that acts instead of being seen written as its code; line ends and tabs stay.

    Escape sequences act in a terminal, control characters are illegal in DOCX, and marks of writing direction can make
    a name read as another one.

    >>> visible("a\x1b[31mb")
    'a⟨U+001B⟩[31mb'
    """
    return text if text.isprintable() else "".join(map(_seen, text))


def _seen(char: str) -> str:
    # Cc: controls, Cf: marks of direction and the like, Cs: halves of a pair, Co and Cn: no agreed glyph.
    if char in "\n\t\u00ad\u200c\u200d" or unicodedata.category(char)[0] != "C":
        return char
    return f"⟨U+{ord(char):04X}⟩"


def print(text: object = "", *, file: TextIO | None = None, end: str = "\n") -> None:
    """Prints text with every character that would act written as its code; JSON is printed in ASCII and not changed."""
    builtins.print(visible(str(text)), file=file or sys.stdout, end=end)
