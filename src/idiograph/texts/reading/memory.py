"""Texts that are in memory already: a list of strings, or a data frame of any kind that speaks Arrow.

They are read as files are: line ends, wrapped lines and characters that nobody sees, with a record of each change. The
sides of a case may be in memory too (`TextsInMemory`).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from idiograph.errors import InputError, nearest
from idiograph.files import write_whole
from idiograph.provenance import digest
from idiograph.texts.masking.corpus_file import CorpusHeader, write_masked
from idiograph.texts.reading.decoding import Encoding
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.report import RECORD, Origin, Reading, ReadingLog, make_text, normal_name, unwrap_step
from idiograph.texts.reading.tables import masked_text
from idiograph.texts.text import Corpus, MaskedText, Text

IN_MEMORY = "memory"  # what stands for the file in the record of such a text


def is_in_memory(source: Any) -> bool:
    """Whether it is a list of strings or a data frame rather than a path."""
    return isinstance(source, list | tuple) or _is_frame(source)


def _is_frame(source: Any) -> bool:
    return any(hasattr(type(source), name) for name in ("__arrow_c_stream__", "__dataframe__"))


def texts_in_memory(
    source: Any, options: ReadingOptions, log: ReadingLog, *, text: str | None, author: str | None, masked: bool
) -> Iterator[Text | MaskedText]:
    """The texts of a list of strings, or of the rows of a data frame, one after the other."""
    for number, raw in enumerate(_raw_texts(source, options, text, author), start=1):
        try:
            item = _read_text(raw, options, where=f"text {number}", masked=masked)
        except InputError as error:
            log.refuse(raw.id, str(error))
            continue
        if log.takes(item.id, item.author, item.metadata[RECORD]) and (options.skip_bad or not log.bad):
            yield item
    if log.bad and (not options.skip_bad or not log.seen):
        raise log.error()
    if not log.seen:
        raise InputError("There is no text to read: the list or the data frame has no rows.")


def _read_text(raw: Text, options: ReadingOptions, *, where: str, masked: bool) -> Text | MaskedText:
    """The text read as that of a file is; with the sentences it has if it is `masked` already."""
    encoded = raw.content.encode("utf-8", "surrogatepass")
    text = make_text(
        raw.id,
        raw.content,
        author=raw.author,
        metadata=raw.metadata,
        source=Origin(IN_MEMORY, digest(encoded), len(encoded), Encoding("utf-8", "certain")),
        options=options,
        steps=[] if masked else [unwrap_step(options)],
        where=where,
    )
    return masked_text(text, options.sentences) if masked else text


class TextsInMemory:
    """A side of a case whose texts are in memory: a text, a corpus, a list of strings or a data frame.

    `texts` are any of these. It is no dataclass, so that the settings of a case hold it as one value.
    """

    def __init__(self, texts: "TextsInMemory | Text | MaskedText | Corpus[Any] | Sequence[str]") -> None:
        if isinstance(texts, TextsInMemory):
            texts = texts.corpus
        elif isinstance(texts, Text | MaskedText):
            texts = Corpus((texts,))
        elif not isinstance(texts, Corpus):
            texts = Corpus(tuple(_raw_texts(texts, ReadingOptions())))
        if not len(texts):
            raise InputError("A side of a case has no text: it is an empty list, frame or corpus. Give at least one.")
        if len({type(text) for text in texts}) > 1:
            raise InputError(
                "A side of a case has some texts that are masked and some that are not. Give all of its texts masked, "
                "or none."
            )
        self.corpus: Corpus[Any] = texts

    @classmethod
    def accepts(cls, value: object) -> bool:
        """Whether a value is texts rather than the path of some."""
        return isinstance(value, cls | Corpus | Text | MaskedText) or is_in_memory(value)

    @property
    def is_masked(self) -> bool:
        """Whether its texts came masked."""
        return isinstance(self.corpus[0], MaskedText)

    def read(self, options: ReadingOptions, *, masked: bool) -> tuple[tuple[Text | MaskedText, ...], list[str]]:
        """Its texts, what `idiograph.read` or `mask` gave as it is and others read now; sentences on what that changed.

        Strings are `masked` already where the case says so.
        """
        log = ReadingLog(IN_MEMORY)
        texts: list[Text | MaskedText] = []
        for number, text in enumerate(self.corpus, start=1):
            text = replace(text, id=normal_name(text.id))
            if isinstance(text, Text) and (masked or RECORD not in text.metadata):
                text = _read_text(text, options, where=f"text {number}", masked=masked)
                log.takes(text.id, text.author, text.metadata[RECORD])
            texts.append(text)
        report = self.corpus.report if isinstance(self.corpus, Reading) else log.report()
        return tuple(texts), report.lines()[1:]  # the first line only counts what was read

    def write(self, folder: Path, name: str, options: ReadingOptions, *, masked: bool) -> Path:
        """Its texts, as `read` gives them, in a file named after what it holds, so that no other is overwritten.

        With lines left as they are (`unwrap = "never"`) the file is read as these texts.
        """
        texts, _ = self.read(options, masked=masked)
        rows = []
        for text in texts:
            content = {"text": text.content} if isinstance(text, Text) else {"sentences": text.sentences}
            rest = {key: value for key, value in text.metadata.items() if key != RECORD}
            rows.append({"id": text.id, "author": text.author, **content, "metadata": rest})
        try:
            lines = [json.dumps(row, ensure_ascii=False, allow_nan=False, default=str) + "\n" for row in rows]
        except ValueError as error:
            raise InputError(
                "The metadata of a text hold a number that is not finite, which no file of a case can. Remove it."
            ) from error
        path = folder / f"{name}-{digest(''.join(lines))[:12]}.jsonl"
        if path.exists():
            return path
        folder.mkdir(parents=True, exist_ok=True)
        if masked_texts := [text for text in texts if isinstance(text, MaskedText)]:
            write_masked(path, masked_texts, CorpusHeader(masked_texts[0].masking, None))
        else:
            write_whole(path, "".join(lines))
        return path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextsInMemory) and self.corpus == other.corpus

    def __hash__(self) -> int:
        return hash(self.corpus)

    def __deepcopy__(self, _: object) -> "TextsInMemory":
        return self  # nothing of it changes

    def __repr__(self) -> str:
        return f"TextsInMemory({self.corpus.in_a_line})"


def _raw_texts(
    source: Any, options: ReadingOptions, text: str | None = None, author: str | None = None
) -> Iterator[Text]:
    """The texts of a list or a data frame as they are; `text` and `author` name the columns of a frame."""
    if _is_frame(source):
        yield from _of_frame(source, options, text, author)
        return
    if text is not None:
        raise InputError("text names a column of a data frame, and a list of strings has none. Leave it out.")
    for number, content in enumerate(source, start=1):
        if not isinstance(content, str):
            raise InputError(
                f"A list to be read has texts, each a string, and item {number} is a {type(content).__name__}."
            )
    if source and all(len(content) < 1_000 and "\n" not in content and _is_file(content) for content in source):
        raise InputError(
            "Every string of the list is the path of a file. A list is read as texts; read each path by itself and add "
            "the corpora: idiograph.read(one) + idiograph.read(other)."
        )
    for number, content in enumerate(source, start=1):
        yield Text(f"text {number}", content, author or options.author)


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _of_frame(source: Any, options: ReadingOptions, text: str | None, author: str | None) -> Iterator[Text]:
    table = _arrow(source)
    names = [str(name) for name in table.column_names]
    text_column = _column(text or options.text_column, "text", names, needed=True)
    author_column = _column(author or options.author_column, "author", names)
    id_column = _column(options.id_column, "id", names)
    others = [name for name in names if name not in (text_column, author_column, id_column)]
    columns = {name: table.column(at).to_pylist() for at, name in enumerate(names)}
    for number in range(table.num_rows):
        content = columns[str(text_column)][number]
        if not isinstance(content, str):
            raise InputError(f"Row {number + 1} has no text: its {text_column} is {content!r}. Leave such rows out.")
        by = options.author if author_column is None else columns[author_column][number]
        id_ = f"row {number + 1}" if id_column is None else str(columns[id_column][number])
        # What is missing is None, and in pandas' older columns not a number.
        rest = {name: columns[name][number] for name in others}
        metadata = {name: value for name, value in rest.items() if value is not None and value == value}
        known = by is not None and by == by and str(by) != ""
        yield Text(normal_name(id_), content, normal_name(str(by)) if known else None, metadata)


def _arrow(source: Any) -> Any:
    """A data frame as an Arrow table."""
    import pyarrow as pa

    try:
        if hasattr(type(source), "__arrow_c_stream__"):
            return pa.table(source)
        from pyarrow.interchange import from_dataframe

        return from_dataframe(source)
    except (TypeError, ValueError, NotImplementedError, RuntimeError, ImportError, pa.ArrowException) as error:
        raise InputError(
            f"The {type(source).__name__} could not be read as a table ({str(error).splitlines()[0]}). Give columns of "
            "one type each."
        ) from error


def _column(named: str | None, usual: str, names: list[str], *, needed: bool = False) -> str | None:
    if named is None and usual not in names and not needed:
        return None
    wanted = named or usual
    if wanted not in names:
        raise InputError(
            f"The data frame has no column {wanted}{nearest(wanted, names)}. Its columns are {', '.join(names)}; name "
            f"the right one with {usual}=."
        )
    return wanted
