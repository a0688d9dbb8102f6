"""The table of the texts: which work each belongs to, when it was written and about what.

It is filled in with what was read, edited on the page or elsewhere, and kept as the table of metadata that reading
knows. Only what lies in the case's own folder is in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from idiograph.files import write_whole
from idiograph.pages import words
from idiograph.pages.cases import roles_of
from idiograph.pages.drafts import TEXTS, Draft, change
from idiograph.spreadsheet import csv_text
from idiograph.texts.works import ProposedWork, works_in_words

FILE = "works.csv"
FIELDS = ("work", "date", "topic")
MOST = 200  # texts up to which the table is edited on the page


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

    def value(self, field: str, *, proposed: bool = False) -> str:
        """What is said of a field; with `proposed` what is suggested, where nothing is said."""
        return str(getattr(self, field) or (self.proposed[field] if proposed else ""))


def rows(draft: Draft, read: Mapping[str, dict[str, Any]]) -> list[Row]:
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
    return csv_text(
        {
            "file": [row.file for row in table],
            **{field: [row.value(field, proposed=proposed) for row in table] for field in FIELDS},
        }
    )


def keep(draft: Draft, table: Sequence[Row], form: Mapping[str, str]) -> None:
    """Keeps the table as it was edited; a part whose files are separate works has each named after its file."""
    edited = []
    for number, row in enumerate(table):
        values = {field: form.get(f"{field}.{number}", row.value(field)).strip() for field in FIELDS}
        answer = form.get(f"separate.{row.role}")
        if answer == "yes":
            values["work"] = row.file
        elif answer == "names":
            values |= {field: values[field] or row.proposed[field] for field in ("work", "date")}
        elif answer == "no" and separate(table, row.role) and values["work"] == row.file:
            values["work"] = ""
        edited.append(replace(row, work=values["work"], date=values["date"], topic=values["topic"]))
    write_whole(draft.folder / TEXTS / FILE, table_text(edited))
    change(draft.folder, {("reading", "metadata"): f"{TEXTS}/{FILE}"})
