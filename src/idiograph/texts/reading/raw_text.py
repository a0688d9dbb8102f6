"""From raw characters to a Text: line ends, wrapped lines, and the record of both."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from idiograph.errors import InputError
from idiograph.texts.edits import Edits, apply, inverse
from idiograph.texts.reading.decoding import Encoding, oddities
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.wrapping import JOINED, unwrapping
from idiograph.texts.text import Text

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
    source: Origin, *, place: str | None, changes: list[dict[str, Any]], warnings: list[str], earlier: Any = None
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
    return record | ({"place": place} if place else {}) | ({"earlier": earlier} if earlier is not None else {})


def make_text(
    id_: str,
    raw: str,
    *,
    author: str | None,
    metadata: Mapping[str, Any],
    source: Origin,
    steps: Sequence[ReadingStep],
    place: str | None = None,
    prior: Sequence[dict[str, Any]] = (),
    warnings: Sequence[str] = (),
    data: bytes | None = None,
) -> Text:
    """A text from its raw characters, its line ends made plain and the steps taken; an empty one is an error."""
    content, done = plain_line_ends(raw)
    changes = [*prior, *done]
    if not content.strip():
        raise InputError("is empty: it has nothing but white space. Remove it or supply its text.")
    for name, step in steps:
        edits = step(content)
        if edits:
            content = apply(content, edits)
            changes.append({"step": name, "edits": [list(edit) for edit in edits]})
    noticed = [*warnings, *oddities(content, source.encoding, data)]
    rest = {key: value for key, value in metadata.items() if key != RECORD}
    record = record_of(source, place=place, changes=changes, warnings=noticed, earlier=metadata.get(RECORD))
    return Text(id_, content, author, {**rest, RECORD: record})


def unwrap_step(options: ReadingOptions, *, laid_out: bool = False) -> ReadingStep:
    """The step that joins hard-wrapped lines, as the options say."""
    return JOINED, lambda content: unwrapping(content, options.unwrap, laid_out=laid_out)


def plain_line_ends(raw: str) -> tuple[str, list[dict[str, Any]]]:
    """The text with every line end a line feed, and the record of it."""
    if "\r" not in raw:
        return raw, []
    kinds = set(re.findall(r"\r\n|\r|\n", raw))
    if len(kinds) == 1:
        kind = kinds.pop()
        return raw.replace(kind, "\n"), [{"step": "line ends made line feeds", "found": _LINE_ENDS[kind]}]
    edits = tuple((match.start(), match[0], "\n") for match in re.finditer(r"\r\n|\r", raw))
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
