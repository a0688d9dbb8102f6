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
import errno
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
    advice = _ADVICE.get(error.errno or 0, "Check the name and permissions.")
    return kind(f"{path} could not be read ({error.strerror or error}). {advice}")


def cannot_write(path: Path, error: OSError) -> InputError:
    """The error for a file or folder that could not be written."""
    advice = _ADVICE.get(error.errno or 0, "free some space or name a folder that can be written to.")
    return InputError(
        f"{path} could not be written ({error.strerror or error}). Nothing was left half-written there; "
        f"{advice[0].lower()}{advice[1:]}"
    )


_ADVICE = {
    errno.EIO: "The disk, or the connection to it, failed: try it again, and copy what can still be read elsewhere.",
    errno.EMFILE: "This process has too many files open: close other programs, or raise the limit (ulimit -n).",
    errno.ENFILE: "The machine has too many files open: close other programs.",
    errno.ENOMEM: "There is too little memory: close other programs, or raise the limit (ulimit -v).",
    errno.EFBIG: "Look at what it is; it does not belong there.",
    errno.EINVAL: "Look at what it is; it may not belong there.",
}


def machine_cause(error: BaseException) -> str | None:
    """A sentence about an error that is the machine's: memory, a library, a disk. None for any other.

    What was raised last is often only what came of it, so that all errors before it are looked at, too.
    """
    chain: list[BaseException] = []
    before: BaseException | None = error
    while before is not None and before not in chain:
        chain.append(before)
        before = before.__cause__ or before.__context__
    for cause in chain:
        if is_out_of_memory(cause):
            file = getattr(cause, "path", None) or getattr(cause, "filename", None)
            where = f" while {file} was being loaded" if file else ""
            return (
                f"The memory that this process may use ran out{where}. What was filed before is untouched. Close other "
                "programs, raise the limit if one is set (ulimit -v), or use fewer workers; about 1 GB is needed."
            )
    if isinstance(error, ImportError):
        library = error.path or error.name or "a library"
        return (
            f"{library} could not be loaded ({error}). It is missing, damaged or made for another system: install "
            "Idiograph and what it needs again in a clean environment (see the README)."
        )
    if isinstance(error, RecursionError):
        return "Something in the input is nested too deeply to be read. Look for folders or brackets without end."
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        if error.errno is None and "shared object" in str(error):
            return f"A library could not be loaded ({reason}). Install Idiograph and what it needs again."
        advice = _ADVICE.get(error.errno or 0) or _FURTHER.get(error.errno or 0, "Check the name and permissions.")
        named = [str(name) for name in (error.filename, error.filename2) if name is not None]
        return f"{' and '.join(named) or 'A file'} could not be used ({reason}). {advice}"
    return None


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out, be it for data, a library or a thread."""
    return isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in _OUT_OF_MEMORY)


_OUT_OF_MEMORY = (
    "failed to map segment", "cannot allocate memory", "bad_alloc", "unable to allocate", "launch worker thread",
    "can't start new thread",
)  # fmt: skip
_FURTHER = {
    errno.ENOSPC: "The disk is full: free some space, or name a folder on another disk.",
    errno.EDQUOT: "Your share of the disk is used up: free some space, or name a folder on another disk.",
    errno.EROFS: "The disk can only be read: name a folder on another one.",
    errno.ENAMETOOLONG: "Shorten the name.",
}


def refuse_too_little_memory(room: int) -> None:
    """A MemoryError where a limit leaves less than so many bytes, to be called before what would end the process."""
    if sys.platform == "linux":
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        if limit != resource.RLIM_INFINITY and limit - used < room:
            raise MemoryError


def some(names: Sequence[str], most: int = 5, *, between: str = ", ") -> str:
    """The first names of a list, and how many more there are.

    >>> some(["a", "b", "c", "d"], 2)
    'a, b and 2 more'
    """
    more = len(names) - most
    return between.join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def counted(n: int, singular: str, plural: str | None = None) -> str:
    """So many of something.

    >>> counted(1, "text"), counted(1200, "text")
    ('1 text', '1,200 texts')
    """
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"


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
