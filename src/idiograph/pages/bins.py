"""What was removed and can be put back: a case in the bin of the pages' folder, files in the bin of their case.

A removal is one move. Files stand in the bin as they stood in the case, with a note of the part they belonged to.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from idiograph.errors import IdiographError, InputError, cannot_write
from idiograph.files import locked, refuse_link, write_whole
from idiograph.pages import words
from idiograph.pages.drafts import CASE, TEXTS, Keys, change, entered, read_draft, remove_empty, tidy
from idiograph.pages.uploads import Lying, NotThere, child, existing, files_below, folder_name, folders, is_inside
from idiograph.provenance import now
from idiograph.records import misfit, read_record, record_text

BIN = "bin"
_NOTE = "removed.json"


@dataclass(frozen=True)
class Removed:
    """Files that were removed together."""

    name: str  # of their folder in the bin
    keys: Keys  # the part of the case that they belonged to
    files: tuple[str, ...]
    when: str


def remove_case(root: Path, folder: Path) -> None:
    """Moves a case into the bin; whoever writes to it at the moment keeps it where it is."""
    with locked(folder):
        pass
    bin_folder = _bin(root)
    _move(folder, bin_folder / folder_name(folder.name, [binned.name for binned in folders(bin_folder)]))


def removed_cases(root: Path) -> list[tuple[str, str]]:
    """The cases in the bin, by folder and title."""
    if not (root / BIN).is_dir() or (root / BIN).is_symlink():
        return []
    return [(case.name, read_draft(case).title) for case in folders(root / BIN) if (case / CASE.file).is_file()]


def put_case_back(root: Path, name: str) -> str:
    """Moves a case out of the bin, under another name where its own is taken; its name."""
    folder = child(_bin(root), name)
    back = root / folder_name(folder.name, [case.name for case in folders(root)])
    _move(folder, back)
    return back.name


def remove_texts(folder: Path, keys: Keys, name: str | None = None) -> None:
    """Moves one file of a part, or the whole part, which is taken out of the case file first, into the case's bin."""
    with locked(folder):
        draft = read_draft(folder)
        kept_at = draft.role_path(keys)
        tidy(folder)
        if kept_at is None or not draft.holds(kept_at):
            entered(draft, {keys: None})
            return
        lying = (
            [(file.path, file.place) for file in files_below(kept_at)]
            if kept_at.is_dir()
            else [(kept_at, kept_at.name)]
        )
        wanted = [(path, inside) for path, inside in lying if (name is None or inside == name) and path.exists()]
        if name is not None and not wanted:
            raise NotThere(words.NO_FILE)
        aside = _bin(folder) / folder_name(keys[-1], [binned.name for binned in folders(_bin(folder))])
        if len(wanted) in (0, len(lying)):
            entered(draft, {keys: None})
        if wanted:
            where = kept_at.relative_to(folder).as_posix()
            note = {"keys": list(keys), "place": where, "alone": kept_at.is_file(), "removed": now()}
            write_whole(aside / _NOTE, record_text(note))
        for path, inside in wanted:
            _move(path, aside / TEXTS / inside)
            remove_empty(path.parent, folder / TEXTS)


def removed_texts(folder: Path) -> list[Removed]:
    """What lies in the bin of a case, the last removal first; what cannot be read is passed over."""
    if not (folder / BIN).is_dir() or (folder / BIN).is_symlink():
        return []
    all_removed = []
    for binned in folders(folder / BIN):
        try:
            note, files = _note(binned), _removed_files(binned)
        except IdiographError:
            continue
        if files:
            places = tuple(file.place for file in files)
            all_removed.append(Removed(binned.name, tuple(map(str, note["keys"])), places, str(note["removed"])))
    return sorted(all_removed, key=lambda removed: removed.when, reverse=True)


def put_texts_back(folder: Path, name: str) -> None:
    """Moves what was removed together back to where it was; a file that has come there since is not overwritten."""
    aside = child(_bin(folder), name)
    note = _note(aside)
    keys = tuple(map(str, note["keys"]))
    back = folder / str(note["place"])
    if not is_inside(back, folder / TEXTS) or not _is_part(keys):
        raise InputError(words.OUTSIDE)
    with locked(folder):
        moves = [(file.path, back if note["alone"] else back / file.place) for file in _removed_files(aside)]
        for _, target in moves:
            if os.path.lexists(target):
                raise InputError(words.THERE_ALREADY.format(target.name))
            if not is_inside(target.parent, folder / TEXTS):
                raise InputError(words.OUTSIDE)
        for path, target in moves:
            _move(path, target)
        (aside / _NOTE).unlink()
        remove_empty(aside / TEXTS, folder)
        remove_empty(aside, folder)
    if read_draft(folder).role_path(keys) is None:
        change(folder, {keys: str(note["place"])})


def _is_part(keys: Sequence[str]) -> bool:
    return len(keys) == 2 and keys[0] in ("questioned", "known", "inputs", "reading", "texts")


def _note(folder: Path) -> dict[str, Any]:
    """What was written about a removal; a folder that came from somebody else may say anything."""
    note: dict[str, Any] = read_record(existing(folder, [_NOTE]), damaged=words.NO_NOTE, other=words.NO_NOTE)
    if misfit(note, {"keys": [str], "place": str, "removed": str, "alone": bool}):
        raise NotThere(words.NO_FILE)
    return note


def _removed_files(folder: Path) -> list[Lying]:
    """The files of a removal, never through a link."""
    refuse_link(folder / TEXTS)
    return files_below(folder / TEXTS)


def _bin(folder: Path) -> Path:
    """The bin of a folder, made where it is missing; never through a link."""
    path = folder / BIN
    refuse_link(path)
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def _move(path: Path, target: Path) -> None:
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.rename(target)
    except OSError as error:
        raise cannot_write(target, error) from error
