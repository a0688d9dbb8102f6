"""From raw characters to a Text: line ends, wrapped lines, and the record of both.

What was read, what was odd, what was left out and why: kept beside the texts, so that nothing is lost in silence.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from idiograph.errors import InputError, counted, some
from idiograph.showing import one_line
from idiograph.texts.characters import CLEANED, cleaning
from idiograph.texts.edits import Edits, apply, inverse, replacing
from idiograph.texts.reading.decoding import Encoding, oddities
from idiograph.texts.reading.options import RULES, ReadingOptions
from idiograph.texts.reading.wrapping import JOINED, unwrapping
from idiograph.texts.text import Corpus, T, Text

_SHOWN = 10  # bad files and notes named on the screen; the report itself has all


@dataclass(frozen=True)
class Note:
    """A remark about a file or a text, in a sentence."""

    where: str
    what: str


@dataclass(frozen=True)
class ReadingReport:
    """How a reading went.

    `notes` are oddities and decisions, `skipped` what could not be read and was left out because the user allowed
    it, `not_read` files of the folder that are not texts. Counts are of texts.
    """

    source: str
    n_texts: int
    encodings: Mapping[str, int]
    changes: Mapping[str, int]
    notes: tuple[Note, ...] = ()
    skipped: tuple[Note, ...] = ()
    not_read: tuple[Note, ...] = ()

    def lines(self) -> list[str]:
        """The report for people, the first few of each kind of remark."""
        encodings = ", ".join(f"{name} {count:,}" for name, count in self.encodings.items())
        lines = [f"{self.source}: {counted(self.n_texts, 'text')} read ({encodings or 'none'})."]
        if self.changes:
            lines.append("Changed while reading: " + "; ".join(f"{k} in {n:,}" for k, n in self.changes.items()) + ".")
        for label, notes, sep in (
            ("", self.notes, ": "),
            ("Skipped: ", self.skipped, " "),
            ("Not read: ", self.not_read, ": "),
        ):
            lines += [f"{label}{note.where}{sep}{note.what}" for note in notes[:_SHOWN]]
            if len(notes) > _SHOWN:
                lines.append(f"{label}… and {len(notes) - _SHOWN:,} more.")
        return lines

    def as_json(self) -> dict[str, Any]:
        """The whole report for machines."""
        return {
            "source": self.source,
            "n_texts": self.n_texts,
            "encodings": dict(self.encodings),
            "changes": dict(self.changes),
            **{name: [vars(note) for note in getattr(self, name)] for name in ("notes", "skipped", "not_read")},
        }


@one_line
@dataclass(frozen=True)
class Reading(Corpus[T]):
    """A corpus with the report on how it was read."""

    report: ReadingReport = field(kw_only=True, compare=False, repr=False)


@dataclass
class ReadingLog:
    """Collects a report while texts stream by."""

    source: str
    notes: list[Note] = field(default_factory=list)
    bad: list[Note] = field(default_factory=list)
    not_read: list[Note] = field(default_factory=list)
    seen: dict[str, str] = field(default_factory=dict)  # text id -> where it came from
    authors: dict[str, str] = field(default_factory=dict)  # folded name -> name
    nameless: list[str] = field(default_factory=list)  # ids of texts without an author
    encodings: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)

    def refuse(self, where: str, what: str) -> None:
        """Something that cannot be read: an error in the end, or left out if the user allowed that."""
        self.bad.append(Note(where, what))

    def note(self, where: str, what: str) -> None:
        """Something the user should know of."""
        self.notes.append(Note(where, what))

    def takes(self, id_: str, author: str | None, record: Mapping[str, Any]) -> bool:
        """Enters a text into the counts; False, and a refusal, if its id is taken."""
        where = f"{record['file']}{' ' + record['place'] if record.get('place') else ''}"
        if id_ in self.seen:
            self.refuse(
                where,
                f"has the id {id_}, which {self.seen[id_]} has too. Results name texts by their ids, so rename one.",
            )
            return False
        self.seen[id_] = where
        self.encodings[f"{record['encoding']} {record['encoding_is']}"] += 1
        self.changes.update({change["step"] for change in record["changes"]})
        for warning in record["warnings"]:
            self.note(where, warning)
        if author is None:
            self.nameless.append(id_)
        else:
            self._compare(author, where)
        return True

    def _compare(self, author: str, where: str) -> None:
        folded = " ".join(unicodedata.normalize("NFKC", author).casefold().split())
        first = self.authors.setdefault(folded, author)
        if first != author and f"{folded}/{author}" not in self.authors:
            self.authors[f"{folded}/{author}"] = author
            self.note(where, f"the authors {first!r} and {author!r} differ only in case or blanks; they count as two.")

    def report(self) -> ReadingReport:
        """What was collected, frozen and in an order that does not depend on the file system."""
        notes = list(self.notes)
        if self.nameless and self.authors:
            n = len(self.nameless)
            notes.append(
                Note(self.source, f"{n:,} of {len(self.seen):,} texts have no author: {some(self.nameless, 3)}.")
            )
        return ReadingReport(
            source=self.source,
            n_texts=len(self.seen),
            encodings=dict(sorted(self.encodings.items())),
            changes=dict(sorted(self.changes.items())),
            notes=tuple(notes),
            skipped=tuple(self.bad),
            not_read=tuple(self.not_read),
        )

    def error(self) -> InputError:
        """The error for all that cannot be read, the first few in full."""
        if len(self.bad) == 1:
            note = self.bad[0]
            going_on = " Or pass --skip-bad to go on without it." if self.seen else ""
            return InputError(f"{note.where} {note.what}{going_on}")
        shown = "\n".join(f"  {note.where} {note.what}" for note in self.bad[:_SHOWN])
        more = f"\n  … and {len(self.bad) - _SHOWN:,} more" if len(self.bad) > _SHOWN else ""
        return InputError(
            f"{len(self.bad):,} texts or files of {self.source} cannot be read:\n{shown}{more}\n"
            "Fix them, or pass --skip-bad to go on without them; each is then named in the report."
        )


ReadingStep = tuple[str, Callable[[str], Edits]]  # its name in the record, and the edits it makes

RECORD = "reading"  # the key of a text's metadata under which its record is kept
_LINE_ENDS = {"\r\n": "CR LF", "\r": "CR"}
_MASKED = frozenset("NPVJBDS")


@dataclass(frozen=True)
class Origin:
    """The file a text came from, as it lay there."""

    file: str
    sha256: str
    size: int
    encoding: Encoding


def record_of(
    source: Origin, *, where: str | None, changes: list[dict[str, Any]], warnings: list[str], earlier: Any = None
) -> dict[str, Any]:
    """What is kept about a reading: enough to find the raw characters again and to undo every change."""
    record = {
        "file": source.file,
        "sha256": source.sha256,
        "size": source.size,
        "encoding": source.encoding.name,
        "encoding_is": source.encoding.known,
        "changes": changes,
        "warnings": warnings,
    }
    return record | ({"place": where} if where else {}) | ({"earlier": earlier} if earlier is not None else {})


def make_text(
    id_: str,
    raw: str,
    *,
    author: str | None,
    metadata: Mapping[str, Any],
    source: Origin,
    options: ReadingOptions,
    steps: Sequence[ReadingStep],
    where: str | None = None,
    prior: Sequence[dict[str, Any]] = (),
    warnings: Sequence[str] = (),
) -> Text:
    """A text from its raw characters, cleaned, its line ends made plain and the steps taken; an empty one is an error.

    Characters without a visible form go before all else, so that lines are as long as they look.
    """
    content, done = plain_line_ends(raw)
    changes = [*prior, *done]
    noticed = [*warnings, *oddities(content)]
    cleaned = cleaning(content) if options.cleans else ()
    if not apply(content, cleaned).strip():
        unseen = " and characters without a visible form" if content.strip() else ""
        raise InputError(f"is empty: it has nothing but white space{unseen}. Remove it or supply its text.")
    taken: list[ReadingStep] = [(CLEANED, lambda _: cleaned), *steps]
    for name, step in taken:
        edits = step(content)
        if edits:
            content = apply(content, edits)
            changes.append({"step": name, "edits": [list(edit) for edit in edits]})
    rest = {key: value for key, value in metadata.items() if key != RECORD}
    record = record_of(source, where=where, changes=changes, warnings=noticed, earlier=metadata.get(RECORD))
    return Text(id_, content, author, {**rest, RECORD: record})


def unwrap_step(options: ReadingOptions, *, laid_out: bool = False) -> ReadingStep:
    """The step that joins hard-wrapped lines, as the options say."""
    undivided = options.rules < RULES
    return JOINED, lambda content: unwrapping(content, options.unwrap, laid_out=laid_out, keep_hyphens=undivided)


def plain_line_ends(raw: str) -> tuple[str, list[dict[str, Any]]]:
    """The text with every line end a line feed, and the record of it."""
    if "\r" not in raw:
        return raw, []
    kinds = set(re.findall(r"\r\n|\r|\n", raw))
    if len(kinds) == 1:
        kind = kinds.pop()
        return raw.replace(kind, "\n"), [{"step": "line ends made line feeds", "found": _LINE_ENDS[kind]}]
    edits = replacing(r"\r\n|\r", "\n", in_ascii=True)(raw)
    record = {"step": "line ends made line feeds", "found": "mixed", "edits": [list(edit) for edit in edits]}
    return apply(raw, edits), [record]


def raw_content(text: Text) -> str:
    """The characters a text was made from, its recorded changes undone."""
    content = text.content
    for change in reversed(text.metadata[RECORD]["changes"]):
        if "edits" in change:
            content = apply(content, inverse([tuple(edit) for edit in change["edits"]]))
        elif "found" in change:
            ends = {name: end for end, name in _LINE_ENDS.items()}
            content = content.replace("\n", ends[change["found"]])
    return content


def normal_name(name: str) -> str:
    """An id or author in one Unicode form: some systems store file names decomposed."""
    return unicodedata.normalize("NFC", name).strip()


def looks_masked(content: str) -> bool:
    """Whether POSNoise's placeholders make up a fifth of the tokens or more."""
    tokens = content[:5_000].split()
    return len(tokens) >= 30 and sum(token in _MASKED for token in tokens) > 0.2 * len(tokens)
