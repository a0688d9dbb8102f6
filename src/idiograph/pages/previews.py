"""The texts given so far: what lies there, what reading them gives and what is doubtful about it, and their table.

Nothing is read twice: a preview is kept until its files or the way of reading change. The table says which work each
text belongs to, when it was written and about what. It is filled in with what was read, edited on the page or
elsewhere, and kept as the table of metadata that reading knows; only what lies in the case's own folder is in it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from idiograph import Case, Corpus, ReadingOptions, Text, prepare, read, read_case
from idiograph.casework.case import Side, is_recipe_file
from idiograph.casework.inputs import role_options
from idiograph.casework.replay import is_there
from idiograph.errors import IdiographError, some
from idiograph.files import write_whole
from idiograph.pages import words
from idiograph.pages.drafts import TEXTS, Draft, Keys, change
from idiograph.pages.jobs import Job, Jobs
from idiograph.pages.uploads import Lying, files_below, is_inside
from idiograph.provenance import digest
from idiograph.settings import read_settings
from idiograph.spreadsheet import csv_text
from idiograph.texts.masking.corpus_file import is_masked_corpus
from idiograph.texts.preparing.recipes import find_recipe
from idiograph.texts.reading.report import RECORD
from idiograph.texts.words import count_words
from idiograph.texts.works import ProposedWork, propose_works, works_in_words

FIELDS = ("work", "date", "topic")  # of a text's metadata that a preview and the table show
FEW = 100  # words from which on a text is not called short here
_KEPT = 200  # previews that are remembered


@dataclass(frozen=True)
class Role:
    """A part of the case that texts are given for: a Q, a candidate or the reference."""

    keys: Keys
    title: str
    path: Path
    held: bool  # whether the texts lie where the pages keep them
    named: dict[str, Any]  # how its author is known

    @property
    def name(self) -> str:
        """The part in forms and addresses."""
        return "/".join(self.keys)


@dataclass(frozen=True)
class Survey:
    """What lies where a draft says that its texts are; each part by its name."""

    draft: Draft
    roles: tuple[Role, ...]
    files: Mapping[str, tuple[str, ...]]
    marks: Mapping[str, str]  # each changes with the files of its part and with the way of reading
    problems: Mapping[str, str]  # why a part cannot be looked at
    unasked: tuple[Path, ...]  # outside the folder of the case: read only once the user has said so

    @property
    def mark(self) -> str:
        """Changes with the case file and with any of its texts."""
        return digest(" ".join([self.draft.version, *self.marks.values()]))

    def waits(self, role: Role) -> bool:
        """Whether a part is not read before the user says so: it, or a file that it is read with, lies outside."""
        return role.path in self.unasked or bool(set(self.unasked) - {other.path for other in self.roles})


@dataclass
class Previews:
    """What was read before, as long as neither the files nor the way of reading have changed."""

    known: dict[str, dict[str, Any]] = field(default_factory=dict)
    allowed: set[tuple[Path, Path]] = field(default_factory=set)  # folders, and paths outside that may be read for them

    def allow(self, draft: Draft) -> None:
        """Enters that what a draft names outside its folder may be read, as long as the server runs."""
        self.allowed |= {(draft.folder, path) for path in outside(draft)}

    def survey(self, draft: Draft) -> Survey:
        """What lies there now; folders are walked through, so not to be called where others wait."""
        unasked = tuple(path for path in outside(draft) if (draft.folder, path) not in self.allowed)
        survey = Survey(draft, tuple(roles_of(draft)), {}, {}, {}, unasked)
        files: dict[str, tuple[str, ...]] = {}
        marks, problems = {}, {}
        named = draft.role_path(("reading", "metadata"))
        table = files_of(named) if named is not None and is_inside(named, draft.folder) and not named.is_dir() else []
        for role in survey.roles:
            lying: list[Lying] = []
            try:
                if not survey.waits(role):
                    lying = files_of(role.path)
            except IdiographError as error:
                problems[role.name] = str(error)
            files[role.name] = tuple(file.place for file in lying)
            facts = [[file.place, file.size, file.changed] for file in [*lying, *table]]
            how = [draft.held(("reading",)), draft.held(("texts", "masking")), problems.get(role.name)]
            marks[role.name] = digest(json.dumps([str(role.path), role.named, facts, how], default=str))
        return replace(survey, files=files, marks=marks, problems=problems)

    def of(self, survey: Survey) -> dict[str, dict[str, Any]]:
        """The previews that are known, by role."""
        previews: dict[str, dict[str, Any]] = {}
        for role in survey.roles:
            if survey.waits(role):
                previews[role.name] = _not_read(waits=True)
            elif role.name in survey.problems:
                previews[role.name] = _not_read(survey.problems[role.name])
            elif survey.marks[role.name] in self.known:
                previews[role.name] = self.known[survey.marks[role.name]]
        return previews

    def look(self, jobs: Jobs, survey: Survey) -> Job | None:
        """Reads what is not known yet; None if all is."""
        known, draft = self.of(survey), survey.draft
        missing = [role for role in survey.roles if role.name not in known]
        if not missing:
            return None
        marks = [survey.marks[role.name] for role in missing]
        before, tag = jobs.latest("look", draft.folder.name), " ".join(marks)
        if before is not None and before.tag == tag:
            if before.state == "done":
                self._keep(marks, before.result)
                return None
            return before
        options = {
            "roles": [{"path": str(role.path), "named": role.named} for role in missing],
            "options": draft.held(("reading",)) or {},
            "masked": draft.held(("texts", "masking")) == "masked",
            "folder": str(draft.folder),
        }
        return jobs.start("look", draft.folder.name, options, tag=tag)

    def _keep(self, marks: list[str], results: list[dict[str, Any]]) -> None:
        self.known.update(zip(marks, results, strict=True))
        for old in list(self.known)[: max(0, len(self.known) - _KEPT)]:
            del self.known[old]


def _not_read(error: str = "", *, waits: bool = False) -> dict[str, Any]:
    """In place of a preview: why there is none."""
    return {"texts": [], "notes": [], "error": error, "unreadable": [words.ALL] if error else [], "waits": waits}


def files_of(path: Path) -> list[Lying]:
    """The files at a path, which is a folder or a file; none where there is nothing."""
    if is_there(path, Path.is_dir):
        return files_below(path)
    try:
        status = path.lstat()
    except (OSError, ValueError):
        return []
    return [Lying(path, path.name, status.st_size, status.st_mtime_ns)]


_FILES = (("reading", "metadata"), ("texts", "word_list"), ("texts", "recipe"))  # that texts are read with


def outside(draft: Draft) -> list[Path]:
    """What a draft names that lies outside its folder: the sender of a case could name any file."""
    named = [role.path for role in roles_of(draft)]
    for keys in _FILES:
        held, path = draft.held(keys), draft.role_path(keys)
        if path is not None and (keys[-1] != "recipe" or is_recipe_file(held)):
            named.append(path)
    return [path for path in dict.fromkeys(named) if not is_inside(path, draft.folder)]


def roles_of(draft: Draft) -> list[Role]:
    """Every part that has texts, in the order of the file."""
    parts: list[tuple[Keys, str, dict[str, Any]]] = [
        *((("questioned", label), label, {"author_from": "none"}) for label in draft.names("questioned")),
        *((("known", candidate), candidate, {"author": candidate}) for candidate in draft.names("known")),
        (("inputs", "reference"), "", {}),
    ]
    return [
        Role(keys, title, path, draft.holds(path), named)
        for keys, title, named in parts
        if (path := draft.role_path(keys)) is not None
    ]


def missing(draft: Draft) -> list[str]:
    """The parts that have no texts yet, as sentences."""
    have = {role.keys[0] for role in roles_of(draft)}
    return [sentence for part, sentence in words.MISSING.items() if {"reference": "inputs"}.get(part, part) not in have]


def unreadable(draft: Draft, read: Mapping[str, dict[str, Any]]) -> list[str]:
    """What to do about files that cannot be read, a sentence for each part of the case that has any."""
    return [
        (words.UNREADABLE_ALL if files == [words.ALL] else words.UNREADABLE).format(
            role.title or "the reference", some(files, 3)
        )
        for role in roles_of(draft)
        if (files := read.get(role.name, {}).get("unreadable"))
    ] + [words.UNASKED] * any(preview.get("waits") for preview in read.values())


def doubts(draft: Draft, read: Mapping[str, dict[str, Any]]) -> list[str]:
    """What is doubtful about the texts as they were read, a sentence each."""
    sentences: list[str] = []
    first: dict[str, str] = {}  # the text that has a content first
    for role in roles_of(draft):
        texts = read.get(role.name, {}).get("texts", [])
        for text in texts:
            name = f"{role.title or 'reference'}/{text['id']}"
            if text["same"] in first:
                sentences.append(words.COPY.format(first[text["same"]], name))
            first.setdefault(text["same"], name)
        if role.keys[0] in ("questioned", "known"):
            total = sum(text["words"] for text in texts)
            if texts and total < FEW:
                sentences.append(words.FEW_WORDS.format(role.title, total))
            continue
        authors = {text["author"] for text in texts}
        nameless = [text["id"] for text in texts if text["author"] is None]
        if nameless:
            sentences.append(words.NO_AUTHOR.format(some(nameless, 3)))
        elif len(authors) == 1:
            sentences.append(words.ONE_AUTHOR)
        excluded = draft.held(("texts", "exclude_authors"))
        left_out = excluded if isinstance(excluded, list) else ()
        shared = (name for name in draft.names("known") if name in authors and name not in left_out)
        sentences += map(words.SHARED_AUTHOR.format, shared)
    return sentences


_FIRST = 240  # characters of a text that a preview shows


def preview(roles: list[dict[str, Any]], options: dict[str, Any], masked: bool, folder: str) -> list[dict[str, Any]]:
    """What is read from each role: its texts with author, encoding, words and first lines, and what was odd."""
    reading = read_settings(ReadingOptions, options, where="[reading]", folder=Path(folder))
    return [_preview(Path(role["path"]), role_options(reading, **role["named"]), masked) for role in roles]


def _preview(path: Path, options: ReadingOptions, masked: bool) -> dict[str, Any]:
    kind = "masked" if masked or is_masked_corpus(path) else "texts"
    error = ""
    try:
        result: Any = read(path, options, kind=kind)  # type: ignore[call-overload]
    except IdiographError as refused:
        error = str(refused)
        try:  # what can be read is shown all the same
            result = read(path, replace(options, skip_bad=True), kind=kind)  # type: ignore[call-overload]
        except IdiographError:
            return _not_read(error)
    texts = []
    proposed = {row.file: row for row in propose_works(result.texts)}
    for text in result.texts:
        content = text.content if isinstance(text, Text) else "\n".join(map(" ".join, text.sentences))
        texts.append(
            {
                "id": text.id,
                "author": text.author,
                "encoding": text.metadata[RECORD]["encoding"],
                "file": text.metadata[RECORD]["file"],
                "words": count_words(content) if isinstance(text, Text) else text.n_tokens,
                "first": content if len(content) <= _FIRST else content[: _FIRST - 1] + "…",
                "metadata": {name: str(text.metadata[name]) for name in FIELDS if text.metadata.get(name)},
                "proposed": {name: getattr(proposed[text.id], name) for name in (*FIELDS, "how")},
                "same": digest(" ".join(content.split()).casefold()),
            }
        )
    unreadable = [note.where for note in result.report.skipped] if error else []
    notes = [line for line in result.report.lines()[1:] if not (error and line.startswith("Skipped: "))]
    return {"texts": texts, "notes": notes, "error": error, "unreadable": unreadable}


_SHOWN = 1_500  # characters of a text before and after a recipe
_MOST_SHOWN = 40  # texts that are shown before and after a recipe
_CHANGES = 20  # changes of one of them


def before_and_after(case: str, recipe: str) -> dict[str, Any]:
    """What a recipe would change in the texts of a case: each step in numbers, and some texts before and after it."""
    settings = read_case(case)
    sides = [
        *(_read(settings, path, label, author_from="none") for label, path in settings.questioned.items()),
        *(_read(settings, path, candidate, author=candidate) for candidate, path in settings.known.items()),
        _read(settings, settings.reference, "reference"),
    ]
    corpus = Corpus(tuple(text for texts in sides for text in texts))
    done = prepare(corpus, find_recipe(recipe))
    after = {text.id: text.content for text in done.corpus}
    histories = [(text, history) for text in corpus if (history := done.record.text(text.id)).changes]
    changed = []
    for text, history in histories[:_MOST_SHOWN]:
        changes = list(done.record.diff(text.id))
        changed.append(
            {
                "id": text.id,
                "before": text.content[:_SHOWN],
                "after": after.get(text.id, "")[:_SHOWN],
                "left_out": history.left_out is not None,
                "changes": changes[:_CHANGES],
                "n_changes": len(changes),
            }
        )
    steps = [
        {
            "step": step.step,
            "changed": step.texts_changed,
            "edits": step.edits,
            "removed": step.texts_removed,
            "texts": step.texts,
        }
        for step in done.record.steps
    ]
    return {"recipe": recipe, "steps": steps, "texts": changed, "n_changed": len(histories), "n_texts": len(corpus)}


def _read(case: Case, path: Side, role: str, **named: Any) -> list[Text]:
    result = read(path, role_options(case.reading, **named))
    return [Text(f"{role}/{text.id}", text.content, text.author, text.metadata) for text in result.texts]


TABLE = "works.csv"
MOST_ROWS = 200  # texts up to which the table is edited on the page


@dataclass(frozen=True)
class Row:
    """A text in the table; `file` is its place below the folder of the texts."""

    role: str  # the part of the case
    side: str  # its name for people
    file: str
    author: str
    work: str
    date: str
    topic: str
    proposed: Mapping[str, str]  # what file names and dates suggest, and how


def table_rows(draft: Draft, read: Mapping[str, dict[str, Any]]) -> list[Row]:
    """A row for every text that was read of the case's own folder."""
    return [
        Row(
            role.name,
            role.title or words.REFERENCE,
            f"{role.path.relative_to(draft.folder / TEXTS).as_posix()}/{text['id']}"
            if role.path.is_dir()
            else text["id"],
            text["author"] or "",
            proposed=text["proposed"],
            **{field: str(text["metadata"].get(field) or "") for field in FIELDS},
        )
        for role in roles_of(draft)
        if role.held
        for text in read.get(role.name, {}).get("texts", ())
    ]


def proposal(table: Sequence[Row], role: str) -> str:
    """What file names and dates suggest for a part, in a sentence."""
    rows = [row for row in table if row.role == role]
    return works_in_words(ProposedWork(file=row.file, author=row.author, **row.proposed) for row in rows)


def separate(table: Sequence[Row], role: str) -> bool:
    """Whether every text of a part is a work of its own."""
    named = [row.work for row in table if row.role == role]
    return bool(named) and all(named) and len(set(named)) == len(named)


def table_text(table: Sequence[Row], *, proposed: bool = False) -> str:
    """The table as a file, with `proposed` filled in; a table that named authors would have to name them all."""
    columns = {
        field: [getattr(row, field) or (row.proposed[field] if proposed else "") for row in table] for field in FIELDS
    }
    return csv_text({"file": [row.file for row in table], **columns})


def keep_table(draft: Draft, table: Sequence[Row], form: Mapping[str, str]) -> None:
    """Keeps the table as it was edited; a part whose files are separate works has each named after its file."""
    edited = []
    for number, row in enumerate(table):
        values = {field: form.get(f"{field}.{number}", getattr(row, field)).strip() for field in FIELDS}
        answer = form.get(f"separate.{row.role}")
        if answer == "yes":
            values["work"] = row.file
        elif answer == "names":
            values |= {field: values[field] or row.proposed[field] for field in ("work", "date")}
        elif answer == "no" and separate(table, row.role) and values["work"] == row.file:
            values["work"] = ""
        edited.append(replace(row, **values))
    write_whole(draft.folder / TEXTS / TABLE, table_text(edited))
    change(draft.folder, {("reading", "metadata"): f"{TEXTS}/{TABLE}"})
