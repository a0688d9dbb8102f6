"""A case or a study that is being written: its TOML file as far as it goes, the texts given to it, and the bins.

What was removed lies in a bin and can be put back: a case in that of the pages' folder, files in that of their case, as
they stood there, with a note of the part they belonged to. A removal is one move.

There is no other state. A file that is complete is written as the command line writes it; one that is not holds what
was typed, also what is still wrong. Every change is made under the folder's lock, so no run sees half of it.
"""

import os
import re
import shutil
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from filecmp import cmp
from pathlib import Path
from typing import Any

from idiograph.casework.case import AUTO, case_in, written
from idiograph.casework.case import SCHEMA as CASE_SCHEMA
from idiograph.casework.case_folder import CASE as CASE_FILE
from idiograph.errors import IdiographError, InputError, cannot_read, cannot_write
from idiograph.files import (
    bytes_without_link,
    everything_below,
    locked,
    put_all_back,
    refuse_link,
    refuse_links,
    whole_folder,
    write_whole,
)
from idiograph.pages import words
from idiograph.pages.uploads import (
    Arrived,
    Lying,
    NotThere,
    checked_name,
    child,
    existing,
    files_below,
    folder_name,
    folders,
    is_inside,
)
from idiograph.provenance import digest, now
from idiograph.records import misfit, read_record, record_text
from idiograph.toml import LARGEST, parse_toml, toml_text

TEXTS = "texts"
_BY_OTHERS = ("primary", "bounds")
_EXAMPLE = "one that the pages wrote"

Keys = tuple[str, ...]  # where a setting stands in the file: its tables and its name


class ChangedElsewhere(InputError):
    """A file that another window has changed since the page was made."""


@dataclass(frozen=True)
class Kind:
    """What is being written: the file, the setting that is its title, how it is read and written once complete."""

    name: str
    file: str
    title: str
    schema: int
    read: Callable[[Mapping[str, Any], Path], Any]
    write: Callable[[Any, Path], str] | None = None


def _read_study(content: Mapping[str, Any], path: Path) -> Any:
    from idiograph.studies.settings import study_from

    return study_from(content, folder=path.parent, where=str(path))


CASE = Kind(
    "case",
    CASE_FILE,
    "title",
    CASE_SCHEMA,
    lambda content, path: case_in(content, folder=path.parent, where=str(path)),
    lambda case, folder: written(case, folder=folder),
)
# As studies/settings.py has them, which is not loaded before a study is looked at.
STUDY = Kind("study", "study.toml", "name", 1, _read_study)


@dataclass(frozen=True)
class Draft:
    """A file as far as it goes; `settings` once it is complete, else `problem` says what it lacks."""

    folder: Path
    kind: Kind
    content: dict[str, Any]
    version: str
    settings: Any
    problem: str

    @property
    def path(self) -> Path:
        """Its file."""
        return self.folder / self.kind.file

    @property
    def title(self) -> str:
        """What it is called; else its folder's name."""
        return str(self.held((self.kind.title,)) or self.folder.name)

    def held(self, keys: Keys) -> Any:
        """What the file has there, or None."""
        held: Any = self.content
        for key in keys:
            held = held.get(key) if isinstance(held, dict) else None
        return held

    def names(self, table: str) -> tuple[str, ...]:
        """The keys of a table of the file: the labels of the questioned texts, or the candidates."""
        held = self.held((table,))
        return tuple(held) if isinstance(held, dict) else ()

    def role_path(self, keys: Keys) -> Path | None:
        """Where the texts of a role lie; None where the file names none."""
        held = self.held(keys)
        return self.folder / held if isinstance(held, str) and held else None

    def holds(self, path: Path | None) -> bool:
        """Whether texts lie where the pages keep them, so that they may change them."""
        return path is None or is_inside(path, self.folder / TEXTS)


def read_draft(folder: Path, kind: Kind = CASE) -> Draft:
    """The file of a folder, whatever state it is in; one that is not a file, or a link, is not read."""
    path = folder / kind.file
    if not os.path.lexists(path):
        raise NotThere(words.NO_DRAFT.format(kind.file))
    try:
        return _draft(folder, kind, bytes_without_link(path, most=LARGEST))
    except IdiographError as error:
        return Draft(folder, kind, {}, "", None, str(error))
    except OSError as error:
        return Draft(folder, kind, {}, "", None, str(cannot_read(path, error)))


def _draft(folder: Path, kind: Kind, raw: bytes) -> Draft:
    """What a folder's file holds, or would hold with these bytes."""
    path = folder / kind.file
    try:
        content = parse_toml(raw, where=str(path), example=_EXAMPLE)
    except IdiographError as error:
        return Draft(folder, kind, {}, "", None, str(error))
    settings, problem = None, ""
    try:
        settings = kind.read(content, path)
    except IdiographError as error:
        problem = str(error).removeprefix(f"{path}: ").removeprefix(f"{path}, ")
    return Draft(folder, kind, content, digest(raw), settings, problem)


def new_draft(root: Path, called: str, kind: Kind = CASE, **content: Any) -> Path:
    """A new folder, named after what it is called, with a file that holds `content`."""
    if not called.strip():
        raise InputError(words.UNTITLED)
    name = folder_name(called, [path.name for path in folders(root)])
    folder = root / checked_name(name)
    try:
        root.mkdir(parents=True, exist_ok=True)
        folder.mkdir()
    except OSError as error:
        raise cannot_write(folder, error) from error
    with locked(folder):
        write_whole(folder / kind.file, toml_text({"schema": kind.schema, **content}))
    return folder


def change(folder: Path, changes: Mapping[Keys, Any], *, version: str | None = None, kind: Kind = CASE) -> Draft:
    """Sets what is typed, None to leave a setting at its usual value; other settings stay as they are."""
    with locked(folder):
        draft = read_draft(folder, kind)
        if not draft.version:
            raise InputError(draft.problem)
        if version is not None and version != draft.version:
            raise ChangedElsewhere(words.ELSEWHERE)
        return entered(draft, changes)


def add_files(
    folder: Path,
    keys: Keys,
    files: Sequence[Arrived],
    *,
    kind: Kind = CASE,
    alone: bool = False,
    held: Callable[[Draft], Path | None] | None = None,
    enter: Callable[[str], Mapping[Keys, Any]] | None = None,
) -> Draft:
    """Keeps files as the texts of a role, all or none, and then enters the role; with `alone` it is the one file.

    `held` and `enter` say where a role lies and what is entered, if that is not a path at its keys.

    The role's folder is made anew beside the old one, with its files and the new ones, and takes its place in one step.
    A folder that no role names holds what a killed upload left, or the user's own: another name is taken.
    """
    with locked(folder):
        draft = read_draft(folder, kind)
        if not draft.version:
            raise InputError(draft.problem)
        before = draft.role_path(keys) if held is None else held(draft)
        if not draft.holds(before):
            raise InputError(words.OUTSIDE)
        tidy(folder)
        role_folder = folder / TEXTS / Path(*_role_folder(folder, keys)) if before is None or alone else before
        if not is_inside(role_folder.parent, folder):
            raise InputError(words.OUTSIDE)
        refuse_link(role_folder)
        with whole_folder(role_folder, force=True) as part:
            if role_folder == before:
                _copy_folder(role_folder, part)
            for file in files:
                target = part.joinpath(*file.parts)
                # Another text of the same name would vanish without a word.
                if target.exists() and not cmp(target, file.path, shallow=False):
                    raise InputError(words.THERE_ALREADY.format("/".join(file.parts)))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file.path, target)
        named = role_folder.joinpath(*files[-1].parts) if alone else role_folder
        path = named.relative_to(folder).as_posix()
        after = entered(draft, {keys: path} if enter is None else enter(path))
        if alone and before is not None:
            before.unlink(missing_ok=True)
            remove_empty(before.parent, folder / TEXTS)
        return after


def tidy(folder: Path) -> None:
    """Puts back, or removes, what killed uploads left hidden among the texts; the folder must be locked."""
    for path in (folder / TEXTS, *(folder / TEXTS / table for table in ("questioned", "known"))):
        if is_inside(path, folder) and path.is_dir():
            put_all_back(path)


def _copy_folder(folder: Path, into: Path) -> None:
    """Puts all files of a folder into another as well: by a second name where the system can, which costs nothing."""
    refuse_links(folder)
    for path, status in everything_below(folder):
        target = into / path.relative_to(folder)
        if stat.S_ISDIR(status.st_mode):
            target.mkdir()
            continue
        try:
            os.link(path, target)
        except OSError:
            shutil.copyfile(path, target)


def rename_role(folder: Path, keys: Keys, name: str) -> Draft:
    """Gives a questioned text or a candidate another name; the files stay where they are."""
    with locked(folder):
        draft = read_draft(folder)
        table = draft.held(keys[:-1])
        if not isinstance(table, dict) or keys[-1] not in table or not name.strip():
            return draft
        if name in table and name != keys[-1]:
            raise InputError(words.NAMED_TWICE)
        renamed = {name.strip() if key == keys[-1] else key: value for key, value in table.items()}
        return entered(draft, {keys[:-1]: renamed})


def _role_folder(folder: Path, keys: Keys) -> Keys:
    """The folders for the texts of a role; a candidate's name need not be a possible name of a folder."""
    *tables, name = keys
    if not tables or tables[0] not in ("questioned", "known"):
        return (folder_name(name, [path.name for path in folders(folder / TEXTS)]),)
    taken = [path.name for path in folders(folder / TEXTS / tables[0])]
    # A label such as Q1 stays as it is where it can.
    with suppress(InputError):
        if name not in taken and name.isalnum() and name.isascii():
            return (*tables, checked_name(name))
    return (*tables, folder_name(name, taken))


def remove_empty(folder: Path, top: Path) -> None:
    """Removes a folder and those above it, up to `top`, as far as nothing is in them."""
    while folder != top and folder.is_relative_to(top):
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def entered(draft: Draft, changes: Mapping[Keys, Any]) -> Draft:
    """Writes changes into the file of a draft; its folder must be locked."""
    content: dict[str, Any] = _copied(draft.content)
    for keys, value in changes.items():
        table = content
        for key in keys[:-1]:
            held = table.get(key)
            table[key] = table = held if isinstance(held, dict) else {}
        if value is None:
            table.pop(keys[-1], None)
        else:
            table[keys[-1]] = value
    if content == draft.content:
        return draft
    text = toml_text(content)
    after = _draft(draft.folder, draft.kind, text.encode())
    if after.settings is not None and draft.kind.write is not None:
        text = draft.kind.write(after.settings, draft.folder)
        # What goes by other settings still does when these are changed later.
        for key in _BY_OTHERS:
            if content.get(key) in (None, AUTO):
                text = re.sub(rf'^{key} = ".*"$', f'{key} = "{AUTO}"', text, flags=re.MULTILINE)
        after = _draft(draft.folder, draft.kind, text.encode())
    write_whole(draft.path, text)
    return after


def _copied(content: Any) -> Any:
    return {key: _copied(value) for key, value in content.items()} if isinstance(content, dict) else content


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
    return [(case.name, read_draft(case).title) for case in _binned(root) if (case / CASE.file).is_file()]


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
    all_removed = []
    for binned in _binned(folder):
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
    is_part = len(keys) == 2 and keys[0] in ("questioned", "known", "inputs", "reading", "texts")
    if not is_inside(back, folder / TEXTS) or not is_part:
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


def _binned(folder: Path) -> list[Path]:
    """What lies in the bin of a folder, if it has one; never through a link."""
    path = folder / BIN
    return [*folders(path)] if path.is_dir() and not path.is_symlink() else []


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
