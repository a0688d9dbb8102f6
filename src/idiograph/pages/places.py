"""Names that a browser sends, made into places inside the folder that the user chose, and nowhere else.

What is to be read is looked up among what lies there; a name of the browser's becomes a part of a path only where
something new is made, and only after it was checked. Links are never followed.
"""

import os
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path, PurePosixPath

from idiograph.errors import InputError, cannot_read

LONGEST = 120  # characters of a name
DEEPEST = 12  # folders inside folders
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³")}
_FORBIDDEN = set('<>:"/\\|?*')


class NotThere(InputError):
    """Something that is not in the folder the user chose."""


def checked_name(name: str) -> str:
    """A name that every system can give to a file or a folder, as it is."""
    if not name or name.strip(". ") == "":
        raise InputError("A file or folder without a name cannot be kept. Give it a name.")
    shown = name if len(name) <= 60 else f"{name[:59]}…"
    if len(name) > LONGEST or len(name.encode("utf-8", "replace")) > 2 * LONGEST:
        raise InputError(f"The name {shown!r} is longer than {LONGEST} characters. Shorten it and try again.")
    if any(char in _FORBIDDEN or unicodedata.category(char) in ("Cc", "Cs") for char in name):
        raise InputError(f"The name {shown!r} has a character that a file name cannot have. Rename it and try again.")
    if name.startswith(".") or name != name.strip() or name.endswith("."):
        raise InputError(f"The name {shown!r} begins or ends with a dot or a blank. Rename it and try again.")
    if name.split(".")[0].strip().lower() in _RESERVED:
        raise InputError(f"The name {shown!r} is one that Windows keeps for devices. Rename it and try again.")
    return name


def checked_parts(name: str) -> tuple[str, ...]:
    """The folders and the file name in the relative path of an uploaded file, each of them checked."""
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
        raise InputError(
            f"The file name {name[:60]!r} is a whole path. Only a name, or a path below a folder, is kept."
        )
    parts = name.replace("\\", "/").split("/")
    if len(parts) > DEEPEST:
        raise InputError(f"{name[:60]!r} lies more than {DEEPEST} folders deep. Move it up and try again.")
    return tuple(checked_name(part) for part in parts)


def child(folder: Path, name: str) -> Path:
    """What lies in a folder under this very name; a link is treated as absent."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name == name and not entry.is_symlink():
                    return folder / entry.name
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise cannot_read(folder, error) from error
    raise NotThere(f"There is no {name[:60]!r} here. It may have been renamed or removed.")


def existing(folder: Path, parts: Sequence[str]) -> Path:
    """The file or folder that these names lead to, one step after the other."""
    for part in parts:
        folder = child(folder, part)
    return folder


def folders(folder: Path) -> Iterator[Path]:
    """The visible folders in a folder, by name; links are left out."""
    try:
        with os.scandir(folder) as entries:
            found = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return
    except OSError as error:
        raise cannot_read(folder, error) from error
    yield from (folder / name for name in sorted(found, key=str.casefold) if not name.startswith("."))


def files_below(folder: Path) -> Iterator[tuple[Path, PurePosixPath]]:
    """Every visible file below a folder with its place there, by name; links are left out."""
    for top, inside, names in os.walk(folder):
        inside[:] = sorted(name for name in inside if not name.startswith(".") and not (Path(top) / name).is_symlink())
        for name in sorted(names):
            path = Path(top) / name
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path, PurePosixPath(path.relative_to(folder).as_posix())


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path leads into a folder once every link in it is followed; a folder that is a link leads out."""
    return path.resolve().is_relative_to(folder.parent.resolve() / folder.name)


def folder_name(title: str, taken: Collection[str]) -> str:
    """A folder's name made of a title: its letters and digits, and a number where that is taken.

    >>> folder_name("The Smith / Jones case", ["the-smith-jones-case"])
    'the-smith-jones-case-2'
    """
    plain = unicodedata.normalize("NFC", title).lower()
    words = re.findall(r"[^\W_]+", plain)
    base = "-".join(words)[:60].strip("-") or "case"
    base = f"{base}-1" if base in _RESERVED else base
    used, number, name = {one.casefold() for one in taken}, 1, base
    while name.casefold() in used:
        number += 1
        name = f"{base}-{number}"
    return name
