"""Texts without a format of their own: plain files, the rows of CSV, TSV and JSON Lines, text that is masked already.

Tables may be compressed and are read one row at a time, so that a large one needs little memory. Masked text is taken
as it is: tokens stand between plain blanks.
"""

import csv
import io
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from idiograph.errors import InputError
from idiograph.provenance import digest
from idiograph.records import parsed_json
from idiograph.texts.reading.authors import Authors
from idiograph.texts.reading.decoding import (
    LARGEST_TEXT,
    bytes_of,
    chunks,
    decoded,
    digest_and_size,
    encoding_of,
    open_bytes,
    refuse_no_bytes,
    why_unreadable,
)
from idiograph.texts.reading.file_kinds import SourceFile, endings, is_table, kind_of
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.report import Origin, ReadingLog, make_text, normal_name, unwrap_step
from idiograph.texts.text import MaskedText, Sentence, Text


def texts_of_file(file: SourceFile, authors: Authors, options: ReadingOptions, log: ReadingLog) -> Iterator[Text]:
    """The text of a plain file, its author found as the options say."""
    author, metadata = authors.of(file.relative, id_=str(file.relative))
    yield plain_text(file, author, metadata, options)


def plain_text(file: SourceFile, author: str | None, metadata: Mapping[str, Any], options: ReadingOptions) -> Text:
    """The text of a plain file, compressed or not."""
    packed = bytes_of(file.path, most=LARGEST_TEXT)
    is_packed = file.path.suffix.lower() == ".gz"
    data = bytes_of(file.path, most=LARGEST_TEXT, unpacked=True) if is_packed else packed
    refuse_no_bytes(data)
    content, encoding = decoded(data, options)
    return make_text(
        str(file.relative),
        content,
        author=author,
        metadata=metadata,
        source=Origin(str(file.relative), digest(packed), len(packed), encoding),
        options=options,
        steps=[unwrap_step(options)],
    )


AS_FOUND = "as-found"  # the masking signature of text that came masked
_MARKS = frozenset(".?!")
_CAPITALS = 0.02  # share of capitalised words; masked text is in small letters but for its placeholders
_LONGEST = 400  # tokens; a longer sentence is nearly always a text whose sentences were not found


def tokens_of(line: str) -> Sentence:
    """The tokens of a line: only a plain blank separates them."""
    return tuple(token for token in line.split(" ") if token)


def sentences_of(content: str, rule: str) -> tuple[Sentence, ...]:
    """The sentences of masked text: one per line, and with the rule `marks` also ending at the tokens . ? !"""
    sentences: list[Sentence] = []
    for line in content.split("\n"):
        tokens = tokens_of(line)
        if rule == "lines":
            sentences += [tokens] if tokens else []
            continue
        begin = 0
        for position, token in enumerate(tokens, start=1):
            # Several marks in a row end one sentence, as in the reference implementation.
            if token in _MARKS and not _MARKS.intersection(tokens[position : position + 1]):
                sentences.append(tokens[begin:position])
                begin = position
        if begin < len(tokens):
            sentences.append(tokens[begin:])
    return tuple(sentences)


def listed_sentences(value: Any) -> tuple[Sentence, ...]:
    """The sentences of a list: strings to split at blanks, or lists of tokens taken as they are."""
    if not isinstance(value, list) or not all(
        isinstance(sentence, str) or (isinstance(sentence, list) and all(isinstance(token, str) for token in sentence))
        for sentence in value
    ):
        raise InputError("has sentences that are not a list of strings or of lists of tokens.")
    return tuple(tokens_of(sentence) if isinstance(sentence, str) else tuple(sentence) for sentence in value)


def masked_text(text: Text, rule: str, listed: tuple[Sentence, ...] | None = None) -> MaskedText:
    """A text whose content, or list of sentences, is already masked."""
    sentences = sentences_of(text.content, rule) if listed is None else listed
    if not any(sentences):
        raise InputError("is empty: it has no token. Remove it or supply its sentences.")
    return MaskedText(text.id, text.author, sentences, AS_FOUND, metadata=text.metadata)


def doubts(text: MaskedText, rule: str) -> list[str]:
    """Warnings where a text may have been read by the wrong rule, or not be masked at all."""
    noticed = []
    longest = max(map(len, text.sentences), default=0)
    if longest > _LONGEST:
        advice = " Pass --sentences marks if they end at . ? ! instead of line ends." if rule == "lines" else ""
        noticed.append(f"has a sentence of {longest:,} tokens.{advice}")
    capital = [token for tokens in text.sentences for token in tokens if len(token) > 1 and token.istitle()]
    if len(capital) > _CAPITALS * text.n_tokens:
        noticed.append(f"does not look masked: it has words such as {capital[0]}. Mask it first if it is plain text.")
    return noticed


Row = tuple[int, dict[str, Any]]  # the line it begins or ends on, and its fields


class _TableLines:
    """The lines of a table. One without end, or a row of quoted cells that never ends, is refused in time."""

    def __init__(self, lines: io.TextIOWrapper) -> None:
        self._lines = lines
        self.row = 0  # characters read since the last row was complete

    def __iter__(self) -> Iterator[str]:
        while line := self._lines.readline(LARGEST_TEXT + 1):
            self.row += len(line)
            if self.row > LARGEST_TEXT:
                raise InputError(
                    f"has a row of more than {LARGEST_TEXT:,} characters, and one text may have no more. Is a "
                    "quotation mark never closed? Otherwise split the text."
                )
            yield line


def survey(path: Path, name: str, options: ReadingOptions) -> Origin:
    """Digest, size and encoding of a table, found without holding it in memory."""
    sha256, size = digest_and_size(path)
    encoding = encoding_of(lambda: chunks(path), options)
    if size == 0:
        raise InputError("is empty: it has no header and no rows. Remove it or supply its rows.")
    return Origin(name, sha256, size, encoding)


def rows(path: Path, kind: str, source: Origin, options: ReadingOptions, log: ReadingLog) -> Iterator[Row]:
    """The rows of a table; one that cannot be read is refused and the next one tried where that is possible."""
    with open_bytes(path, unpacked=True) as stream:
        lines = _TableLines(io.TextIOWrapper(stream, source.encoding.codec, newline="\n" if kind == "jsonl" else ""))
        try:
            if kind == "jsonl":
                yield from _json_rows(lines, source.file, log)
            else:
                yield from _separated_rows(
                    lines, options.delimiter or ("\t" if kind == "tsv" else ","), source.file, log
                )
        except (OSError, EOFError, zlib.error) as error:
            raise why_unreadable(error) from error


def _separated_rows(lines: _TableLines, delimiter: str, name: str, log: ReadingLog) -> Iterator[Row]:
    limit = csv.field_size_limit(LARGEST_TEXT)  # Python's own of 131,072 characters is shorter than a novel
    try:
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        header = _header(next(reader, []), delimiter)
        for cells in reader:
            lines.row = 0
            if not cells:
                continue
            if len(cells) != len(header):
                log.refuse(
                    f"{name} line {reader.line_num}",
                    f"has {len(cells)} cell{'' if len(cells) == 1 else 's'}, but the header has {len(header)} columns. "
                    "A cell with a separator or a line end in it must be in quotation marks.",
                )
                continue
            yield reader.line_num, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise InputError(
            f"could not be parsed near line {reader.line_num:,} ({error}): probably a quotation mark that is not "
            'closed. Nothing after it was read. Inside a quoted cell a quotation mark is written twice ("").'
        ) from error
    finally:
        csv.field_size_limit(limit)


def _header(cells: list[str], delimiter: str) -> list[str]:
    header = [normal_name(cell) for cell in cells]
    if not any(header):
        raise InputError("has no header line. The first line must name the columns, such as id, author, text.")
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise InputError(f"has the column {', '.join(map(repr, twice))} more than once in its header. Rename one.")
    other = next((mark for mark in ";\t,|" if len(header) == 1 and mark != delimiter and mark in header[0]), None)
    if other:
        shown = "tabs: pass --format tsv" if other == "\t" else f"{other}: pass --delimiter '{other}'"
        raise InputError(f"has a single column, {header[0]!r}. Its cells seem to be separated by {shown}.")
    return header


def _json_rows(lines: _TableLines, name: str, log: ReadingLog) -> Iterator[Row]:
    for number, line in enumerate(lines, start=1):
        lines.row = 0
        if not line.strip():
            continue
        try:
            value = parsed_json(line)
        except ValueError as error:
            log.refuse(f"{name} line {number}", f"is not valid JSON ({error}). Every line must be one JSON object.")
            continue
        if not isinstance(value, dict):
            log.refuse(f"{name} line {number}", "is not a JSON object. Every line must be one, with named fields.")
            continue
        yield number, value


def texts_of_table(
    file: SourceFile, authors: Authors, options: ReadingOptions, log: ReadingLog, *, masked: bool = False
) -> Iterator[Any]:
    """The texts of a table, one per row; columns other than id, text and author become metadata.

    Those of already `masked` text come from the field `sentences` if it has one. A row that makes no text is refused; a
    missing column ends the table.
    """
    source = survey(file.path, str(file.relative), options)
    for line, row in rows(file.path, file.kind, source, options, log):
        try:
            listed = row.pop("sentences", None) if masked and options.text_column is None else None
            sentences = None if listed is None else listed_sentences(listed)
            content = (
                cell(row, options.text_column, "text") if sentences is None else " ".join(map(" ".join, sentences))
            )
            id_, author, metadata = identity(row, file.relative, line, authors, options)
            if not isinstance(content, str):
                raise InputError(f"has {content!r} in {options.text_column or 'text'} where its text should be.")
            text = make_text(
                id_,
                well_formed(content),
                author=author,
                metadata=metadata,
                source=source,
                options=options,
                steps=[unwrap_step(options)],
                where=f"line {line}",
            )
            yield masked_text(text, options.sentences, sentences) if masked else text
        except MissingColumn:
            raise
        except InputError as error:
            log.refuse(f"{file.relative} line {line}", str(error))


class MissingColumn(InputError):
    """A column that no row of the table can be expected to have."""


def cell(row: dict[str, Any], column: str | None, default: str) -> Any:
    """The value of a column that must be there."""
    name = column or default
    if name in row:
        return row[name]
    columns = ", ".join(map(str, row)) or "none"
    if {"known", "unknown"} <= set(row) or "pair" in row:
        raise MissingColumn(
            f"has no column {name}; its columns are those of verification problems ({columns}). Read it with "
            'kind="problems".'
        )
    raise MissingColumn(
        f"has no column {name}; its columns are {columns}. Pass --{default}-column with the name of the one that holds "
        f"the {default}."
    )


def identity(
    row: dict[str, Any], path: PurePosixPath, line: int, authors: Authors, options: ReadingOptions
) -> tuple[str, str | None, dict[str, Any]]:
    """Id, author and metadata of a row; without an id column a text is named after its file and line."""
    if options.id_column or "id" in row:
        id_ = _name(cell(row, options.id_column, "id"), "id")
        if not id_:
            raise InputError("has no id. Every text needs one, since results name texts by their ids.")
    else:
        id_ = f"{path}#{line}"
    stated = None
    if options.author_column or "author" in row:
        stated = _name(cell(row, options.author_column, "author"), "author") or None
    taken = {options.id_column or "id", options.text_column or "text", options.author_column or "author"}
    columns = {key: value for key, value in row.items() if key not in taken and key is not None}
    if isinstance(nested := row.get("metadata"), dict):
        columns = nested | {key: value for key, value in columns.items() if key != "metadata"}
    # In a table the author column speaks; folder names only where there is none.
    author, metadata = authors.of(path, id_=id_, stated=stated)
    return id_, author, {**columns, **metadata}


def _name(value: Any, what: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(f"has an {what} that is neither a name nor a number: {value!r}.")
    return normal_name(str(value))


def well_formed(content: str) -> str:
    """The text, if it has no null character, which no program that reads it again expects."""
    if "\0" in content:
        raise InputError(f"has a null character at {content.index(chr(0)):,}, which no text has. Remove it.")
    return content


def metadata_rows(path: Path, log: ReadingLog) -> dict[str, dict[str, Any]]:
    """The rows of a metadata table by file name or id."""
    kind = kind_of(path.name)
    if kind is None or not is_table(kind):
        raise InputError(f"{path}: metadata must be a {endings('rows', last='or')} table with a column file or id.")
    by_key: dict[str, dict[str, Any]] = {}
    options = ReadingOptions()
    try:
        for line, row in rows(path, kind, survey(path, path.name, options), options, log):
            column = next((name for name in ("file", "id") if name in row), None)
            if column is None:
                raise InputError(f"has no column file or id; its columns are {', '.join(row)}. Rename one of them.")
            key = _name(row.pop(column), column).replace("\\", "/")
            if key in by_key:
                raise InputError(f"names {key} twice (the second time on line {line:,}). Remove one of the rows.")
            by_key[key] = row
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    return by_key
