"""What lies in a folder, in an order that no file system decides, and what of it is text."""

import os
import stat
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from idiograph.errors import InputError, cannot_read
from idiograph.files import is_link, recover
from idiograph.texts.reading.kinds import SourceFile, is_table, kind_of
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.report import Note, ReadingLog

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
_TOP = PurePosixPath()
_DEEPEST = 200  # folders inside folders
CORPUS, RECORD = "corpus.jsonl", "record.jsonl"  # a folder that `idiograph prepare` wrote holds both


def files_of(path: Path, options: ReadingOptions, log: ReadingLog) -> list[SourceFile]:
    """The files to be read at `path`, sorted; everything else in a folder is entered as not read."""
    refuse_absent(path)
    if not path.is_dir():
        kind = kind_of(path.name) if options.format == "auto" else options.format
        if kind is None and path.suffix.lower() in _ADVICE:
            raise InputError(f"{path} is {_ADVICE[path.suffix.lower()]}.")
        if kind is None:
            raise InputError(
                f"{path} ends in {path.suffix or 'nothing'}, which is not a known kind of text. Pass --format to say "
                "what it is (text, csv, tsv, jsonl, docx, pdf, eml, mbox)."
            )
        return [SourceFile(path, PurePosixPath(recorded_name(path.name)), kind)]
    found = []
    metadata = os.path.realpath(options.metadata) if options.metadata else None
    for file, place in walk(path, log):
        if metadata is not None and os.path.realpath(file) == metadata:
            continue
        if _hidden(file.name):
            log.not_read.append(Note(str(place), "a hidden or temporary file."))
            continue
        kind = kind_of(file.name) if options.format == "auto" else options.format
        if kind is None:
            advice = _ADVICE.get(
                file.suffix.lower(), f"not a kind of file that holds texts ({file.suffix or 'no ending'})"
            )
            log.not_read.append(Note(str(place), f"{advice}."))
        else:
            found.append(SourceFile(file, place, kind))
    if options.format == "auto" and any(not is_table(one.kind) for one in found):
        for one in [one for one in found if is_table(one.kind)]:
            log.not_read.append(
                Note(str(one.place), "a table beside documents; pass it as --metadata if it describes them.")
            )
        found = [one for one in found if not is_table(one.kind)]
    if all((path / name).is_file() for name in (CORPUS, RECORD)):
        found = [one for one in found if str(one.place) == CORPUS]
        log.not_read.append(Note(RECORD, f"the record of how {CORPUS} was prepared."))
    if not found:
        there = f" It holds {len(log.not_read):,} other files, such as {log.not_read[0].where}." if log.not_read else ""
        raise InputError(
            f"{path} has no file that can be read.{there} Texts may be .txt, .docx, .pdf, .eml, .mbox, .csv, .tsv or "
            ".jsonl; --format names the kind where the endings do not."
        )
    return sorted(found, key=lambda one: one.place.parts)


def refuse_absent(path: Path) -> None:
    """An error if there is nothing at `path`, or nothing that can be read: reading from a pipe might never end."""
    recover(path)  # a prepared folder that was being replaced when the process was killed
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist. Check the name; relative paths start at {Path.cwd()}.") from error
    except OSError as error:
        raise cannot_read(path, error) from error
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise InputError(f"{path} is a pipe, socket or device. Save its content to a file and name that.")


def walk(folder: Path, log: ReadingLog) -> Iterator[tuple[Path, PurePosixPath]]:
    """Every file below a folder; a link back to a folder above is entered as not read, one out of it is refused."""
    return _walk(folder, log, Path(os.path.realpath(folder)), _TOP, ())


def _walk(
    folder: Path, log: ReadingLog, top: Path, place: PurePosixPath, above: tuple[tuple[int, int], ...]
) -> Iterator[tuple[Path, PurePosixPath]]:
    try:
        status = folder.stat()
        names = sorted(entry.name for entry in os.scandir(folder))
    except OSError as error:
        log.refuse(str(place), f"could not be opened ({error.strerror or error}). Check its permissions.")
        return
    here = (status.st_dev, status.st_ino)
    if here in above:
        log.not_read.append(Note(str(place), "a link back to a folder above it."))
        return
    if len(above) > _DEEPEST:
        log.refuse(str(place), f"lies below {_DEEPEST} other folders, too deep to be intended. Move it up.")
        return
    for name in names:
        path = folder / name
        inside = place / recorded_name(name)
        if is_link(path) and not Path(os.path.realpath(path)).is_relative_to(top):
            log.refuse(
                str(inside),
                "is a link that leads out of the folder, and a folder that somebody else made could show any file by "
                "one. Put the file itself in its place, or name the folder where it lies.",
            )
        elif _holds(path.is_dir):
            if _hidden(name):
                log.not_read.append(Note(f"{inside}/", "a hidden or system folder."))
            else:
                yield from _walk(path, log, top, inside, (*above, here))
        elif _holds(path.exists) and not _holds(path.is_file):
            log.not_read.append(Note(str(inside), "a pipe, socket or device, not a file."))
        else:
            yield path, inside


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
