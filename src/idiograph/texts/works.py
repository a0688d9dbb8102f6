"""Which files are parts of one work, proposed from their names and dates alone, never from what they say.

What a text is about is what is being controlled, so content decides nothing here. A proposal is a table to be looked at
and changed: a validation that takes parts of one work for two looks better than it is.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import astuple, dataclass
from datetime import date
from pathlib import PurePosixPath

from idiograph.errors import counted
from idiograph.spreadsheet import csv_rows
from idiograph.texts.repeats import holders
from idiograph.texts.text import MaskedText, Text

COLUMNS = ("file", "author", "work", "date", "topic")
_COUNTER = re.compile(r"^(.*?)(\d+)\D*$", re.DOTALL)
_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)([-_.]?)(\d\d)\2(\d\d)(?!\d)")
_PART = re.compile(r"(?:part|chapter|chap|ch|page|pt|vol|volume|teil|kapitel|seite|partie|chapitre|p)$", re.IGNORECASE)
_EDGE = " _-.,()[]"


@dataclass(frozen=True)
class ProposedWork:
    """A row of the table, and how it was arrived at, in words."""

    file: str  # as the column of that name has it: the path below the folder that was read
    author: str
    work: str
    date: str
    topic: str
    how: str


def propose_works(texts: Iterable[Text | MaskedText]) -> tuple[ProposedWork, ...]:
    """A row for every text of a side, in order: which work it belongs to, its date and topic, and how that is known.

    What the texts say themselves (work, date, topic in their metadata) is kept. Else files of an author whose names
    count on after the same beginning (`letter2_1`, `letter2_2`, `diary part 3`) are one work, and so are files that
    bear the same date. Files that are only numbered (`1`, `2`, `3`, or one beginning for all of an author's files) are
    taken for works of their own, since a number then is all that tells them apart. No topic is ever proposed.

    The texts are as `read` gives them; ids are the paths below the folder, which is how a table of metadata names them.
    """
    texts = tuple(texts)
    works: dict[str, tuple[str, str]] = {}  # id -> work, how
    for author_texts in holders((text, [text.author or ""]) for text in texts).values():
        works |= _works_of(author_texts)
    return tuple(
        ProposedWork(
            file=text.id,
            author=text.author or "",
            work=works[text.id][0],
            date=_date_of(text),
            topic=_stated(text, "topic"),
            how=works[text.id][1],
        )
        for text in texts
    )


def works_csv(rows: Iterable[ProposedWork]) -> str:
    """The proposal as a table of metadata, which `--metadata` takes; how each row came about is a column more."""
    return csv_rows((*COLUMNS, "how"), map(astuple, rows))


def works_in_words(rows: Iterable[ProposedWork]) -> str:
    """What a proposal comes to, in a sentence."""
    rows = tuple(rows)
    how = Counter(row.how for row in rows)
    named = {(row.author, row.work) for row in rows}
    ways = sorted(how.items(), key=lambda item: (-item[1], item[0]))
    counts = "; ".join(f"{n:,} {'each ' if way == ALONE and n > 1 else ''}{way}" for way, n in ways)
    told = f"{counted(len(named), 'work')}: {counts}"
    if how.keys() == {ALONE}:
        told = ALONE if len(rows) == 1 else f"each {ALONE}"
    return f"{counted(len(rows), 'file')}, {told}. Their content was not looked at."


SAID, COUNTED, SAME_DATE, ALONE = (
    "named by the texts or their table",
    "with names that count on",
    "of one date",
    "taken for a work of its own",
)


def _works_of(author_texts: list[Text | MaskedText]) -> dict[str, tuple[str, str]]:
    """The work of each text of one author, and how it was arrived at."""
    begun: dict[str, list[str]] = defaultdict(list)  # beginning of the name -> ids
    dated: dict[str, list[str]] = defaultdict(list)
    for text in author_texts:
        path = PurePosixPath(text.id)
        if day := _date_of(text):
            dated[day].append(text.id)
        elif (match := _COUNTER.match(path.stem)) is not None:
            begun[path.as_posix().removesuffix(path.name) + match[1]].append(text.id)
    works: dict[str, tuple[str, str]] = {}
    for text in author_texts:
        works[text.id] = (work, SAID) if (work := _stated(text, "work")) else (text.id, ALONE)
    # One beginning for all says nothing, unless it names parts: then the numbers may as well be those of works.
    alone = len(begun) == 1 and len(next(iter(begun.values()))) == len(author_texts)
    for beginning, ids in begun.items():
        counts_parts = _PART.search(beginning.rstrip(_EDGE)) is not None
        tells = bool(beginning.rstrip(_EDGE).rpartition("/")[2]) and not alone
        if len(ids) > 1 and (counts_parts or tells):
            name = _PART.sub("", beginning.rstrip(_EDGE)).rstrip(_EDGE) or beginning.rstrip(_EDGE)
            works |= {id_: (name, COUNTED) for id_ in ids if works[id_][1] != SAID}
    for day, ids in dated.items():
        if len(ids) > 1:
            works |= {id_: (day, SAME_DATE) for id_ in ids if works[id_][1] != SAID}
    return works


def _stated(text: Text | MaskedText, name: str) -> str:
    value = text.metadata.get(name)
    return str(value) if isinstance(value, str | int | float) else ""


def _date_of(text: Text | MaskedText) -> str:
    """The date that a text states or its file name bears, year first; empty where there is none that exists."""
    if stated := _stated(text, "date"):
        return stated
    for match in _ISO.finditer(PurePosixPath(text.id).stem):
        with suppress(ValueError):
            return date(int(match[1]), int(match[3]), int(match[4])).isoformat()
    return ""
