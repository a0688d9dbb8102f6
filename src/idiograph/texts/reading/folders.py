"""What lies in a folder, in an order that no file system decides, and what of it is text."""

import os
import stat
import unicodedata
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path, PurePosixPath

from idiograph.errors import InputError, cannot_read, counted
from idiograph.files import is_link, refuse_left_hidden
from idiograph.texts.preparing.record import CORPUS, RECORD
from idiograph.texts.reading.file_kinds import FORMATS, SourceFile, advice, endings, is_table, kind_of
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.report import Note, ReadingLog

_DEEPEST = 200  # folders inside folders
_MOST = 1_000_000  # files and folders: links between folders could make paths without end


def files_of(path: Path, options: ReadingOptions, log: ReadingLog) -> list[SourceFile]:
    """The files to be read at `path`, sorted; everything else in a folder is entered as not read."""
    refuse_absent(path)
    if not path.is_dir():
        kind = kind_of(path.name) if options.format == "auto" else options.format
        if kind is None:
            unknown = (
                f"ends in {path.suffix or 'nothing'}, which is not a known kind of text. Pass --format to say what it "
                f"is ({', '.join(FORMATS)})"
            )
            raise InputError(f"{path} {f'is {advised}' if (advised := advice(path)) else unknown}.")
        return [SourceFile(path, PurePosixPath(recorded_name(path.name)), kind)]
    sources = []
    metadata = os.path.realpath(options.metadata) if options.metadata else None
    for file, relative in walk(path, log):
        if metadata is not None and os.path.realpath(file) == metadata:
            continue
        if _hidden(file.name):
            log.not_read.append(Note(str(relative), "a hidden or temporary file."))
            continue
        kind = kind_of(file.name) if options.format == "auto" else options.format
        if kind is None:
            unknown = f"not a kind of file that holds texts ({file.suffix or 'no ending'})"
            log.not_read.append(Note(str(relative), f"{advice(file) or unknown}."))
        else:
            sources.append(SourceFile(file, relative, kind))
    tables = [source for source in sources if is_table(source.kind)]
    if options.format == "auto" and len(tables) < len(sources):
        beside = "a table beside documents; pass it as --metadata if it describes them."
        log.not_read += [Note(str(table.relative), beside) for table in tables]
        sources = [source for source in sources if not is_table(source.kind)]
    if all((path / name).is_file() for name in (CORPUS, RECORD)):  # `idiograph prepare` wrote the folder
        sources = [source for source in sources if str(source.relative) == CORPUS]
        log.not_read.append(Note(RECORD, f"the record of how {CORPUS} was prepared."))
    if not sources:
        there = ""
        if log.not_read:
            first, others = log.not_read[0], counted(len(log.not_read), "other file")
            there = f" It holds {others}, such as {first.where} ({first.what.rstrip('.')})."
        readable = endings("text", "document", "rows", last="or")
        raise InputError(
            f"{path} has no file that can be read.{there} Texts may be {readable}; --format names the kind where the "
            "endings do not."
        )
    return sorted(sources, key=lambda source: source.relative.parts)


def refuse_absent(path: Path) -> None:
    """An error if there is nothing at `path`, or nothing that can be read: reading from a pipe might never end."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        refuse_left_hidden(path)
        raise InputError(f"{path} does not exist. Check the name; relative paths start at {Path.cwd()}.") from error
    except OSError as error:
        raise cannot_read(path, error) from error
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise InputError(f"{path} is a pipe, socket or device. Save its content to a file and name that.")


def walk(folder: Path, log: ReadingLog) -> Iterator[tuple[Path, PurePosixPath]]:
    """Every file below a folder; a link back to a folder above is entered as not read, one out of it is refused."""
    top, looked = Path(os.path.realpath(folder)), count(1)

    def below(
        folder: Path, relative: PurePosixPath, above: tuple[tuple[int, int], ...]
    ) -> Iterator[tuple[Path, PurePosixPath]]:
        try:
            status = folder.stat()
            names = sorted(entry.name for entry in os.scandir(folder))
        except OSError as error:
            log.refuse(str(relative), f"could not be opened ({error.strerror or error}). Check its permissions.")
            return
        here = (status.st_dev, status.st_ino)
        if here in above:
            log.not_read.append(Note(str(relative), "a link back to a folder above it."))
            return
        if len(above) > _DEEPEST:
            log.refuse(str(relative), f"lies below {_DEEPEST} other folders, too deep to be intended. Move it up.")
            return
        for name in names:
            if next(looked) > _MOST:
                raise InputError(
                    f"{top} holds more than {_MOST:,} files and folders, those that links lead to counted as often as "
                    "they do, and no more are looked through. Name a folder that holds the texts alone."
                )
            path, inside = folder / name, relative / recorded_name(name)
            if is_link(path) and not Path(os.path.realpath(path)).is_relative_to(top):
                log.refuse(
                    str(inside),
                    "is a link that leads out of the folder, and through one a folder that somebody else made could "
                    "show any file. Put the file itself in its place, or name the folder where it lies.",
                )
            elif _holds(path.is_dir):
                if _hidden(name):
                    log.not_read.append(Note(f"{inside}/", "a hidden or system folder."))
                else:
                    yield from below(path, inside, (*above, here))
            elif _holds(path.exists) and not _holds(path.is_file):
                log.not_read.append(Note(str(inside), "a pipe, socket or device, not a file."))
            else:
                yield path, inside

    return below(folder, PurePosixPath(), ())


def _holds(question: Callable[[], bool]) -> bool:
    """The answer to a question about a path; what may not be asked is no."""
    try:
        return question()
    except OSError:
        return False


def _hidden(name: str) -> bool:
    return name.startswith((".", "~$")) or name in ("__MACOSX", "Thumbs.db", "desktop.ini")


def recorded_name(name: str) -> str:
    """A file's name as records have it: composed, and with ? for bytes that cannot be printed and written."""
    return unicodedata.normalize("NFC", name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
