"""read: any path to texts, masked texts or problems; the one way in for the library and the command line."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, overload

from idiograph.errors import InputError
from idiograph.progress import progress
from idiograph.provenance import digest
from idiograph.texts.reading.authors import Authors, compiled
from idiograph.texts.reading.decoding import chunks, decoded, load
from idiograph.texts.reading.folders import files_of
from idiograph.texts.reading.found import Found, is_table
from idiograph.texts.reading.making import RECORD, Source, looks_masked, make_text
from idiograph.texts.reading.masked import masked_text, overlong
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.report import Log, Reading
from idiograph.texts.reading.tables import masked_texts_of_table, metadata_rows, texts_of_table
from idiograph.texts.text import MaskedText, Text


@overload
def read(
    path: Path | str, options: ReadingOptions | None = None, *, kind: Literal["texts"] = "texts", **named: Any
) -> Reading[Text]: ...
@overload
def read(
    path: Path | str, options: ReadingOptions | None = None, *, kind: Literal["masked"], **named: Any
) -> Reading[MaskedText]: ...
def read(path: Path | str, options: ReadingOptions | None = None, *, kind: str = "texts", **named: Any) -> Any:
    """The texts of a file or a folder, with the report of how they were read.

    `kind` is texts or masked (text that is already masked). The options are those of `ReadingOptions`, given whole
    or by name: `read("letters", author_from="folder", skip_bad=True)`.
    """
    options = replace(options or ReadingOptions(), **named)
    path = Path(path)
    log = Log(str(path))
    if kind == "texts":
        found: Iterable[Any] = stream(path, options, log)
    elif kind == "masked":
        found = stream_masked(path, options, log)
    else:
        raise InputError(f"The kind to be read is {kind!r}. It can be texts or masked.")
    texts = []
    with progress("Reading", total=None, unit="texts") as advance:
        for text in found:
            texts.append(text)
            advance()
    return Reading(tuple(texts), report=log.report())


def stream(path: Path, options: ReadingOptions, log: Log) -> Iterator[Text]:
    """The texts of `path` one after the other, in the order of their names, so that few are in memory at a time.

    What cannot be read ends the stream with an error that names it all, unless the options say to go on without it.
    """
    for text in _streamed(path, options, log, masked=False):
        if looks_masked(text.content):
            log.note(text.metadata[RECORD]["file"], f"{text.id} looks already masked. Read it as masked text if it is.")
        yield text


def stream_masked(path: Path, options: ReadingOptions, log: Log) -> Iterator[MaskedText]:
    """The already masked texts of `path` one after the other, as `stream` does."""
    # A line end is a sentence end in masked text, so lines are never joined.
    for text in _streamed(path, replace(options, unwrap="never"), log, masked=True):
        warning = overlong(text, options.sentences)
        if warning:
            log.note(text.metadata[RECORD]["file"], f"{text.id} {warning}")
        yield text


def _streamed(path: Path, options: ReadingOptions, log: Log, *, masked: bool) -> Iterator[Any]:
    authors = Authors(options)
    if options.pattern is not None:
        compiled(options.pattern)  # a faulty pattern is one error, not one a file
    if options.metadata is not None:
        authors.rows, authors.has_authors = metadata_rows(options.metadata, log)
    for file in files_of(path, options, log):
        read_one = _masked_texts_of(file, authors, options, log) if masked else _texts_of(file, authors, options, log)
        with closing(_guarded(read_one, file, log)) as texts:
            for text in texts:
                taken = log.takes(text.id, text.author, text.metadata[RECORD])
                # After the first bad one the others are only looked for, so that the error names them all.
                if taken and (options.skip_bad or not log.bad):
                    yield text
    if log.bad and not options.skip_bad:
        raise log.error()
    if not log.seen:
        raise InputError(f"Nothing in {path} could be read:\n" + "\n".join(f"  {n.where} {n.what}" for n in log.bad))
    for name in authors.unused():
        log.note(str(options.metadata), f"has a row for {name}, which was not found.")


def _guarded(texts: Iterator[Any], file: Found, log: Log) -> Generator[Any, None, None]:
    """A file's texts; an error that ends the file is entered with the file's name."""
    try:
        yield from texts
    except InputError as error:
        log.refuse(str(file.place), str(error))


def _texts_of(file: Found, authors: Authors, options: ReadingOptions, log: Log) -> Iterator[Text]:
    if is_table(file.kind):
        yield from texts_of_table(file, authors, options, log)
    else:
        yield _plain_text(file, authors, options)


def _masked_texts_of(file: Found, authors: Authors, options: ReadingOptions, log: Log) -> Iterator[MaskedText]:
    if is_table(file.kind):
        yield from masked_texts_of_table(file, authors, options, log)
    elif file.kind == "text":
        yield masked_text(_plain_text(file, authors, options), options.sentences)
    else:
        raise InputError("is a document or mail. Already masked text is read from .txt, .csv, .tsv and .jsonl files.")


def _plain_text(file: Found, authors: Authors, options: ReadingOptions) -> Text:
    data = load(file.path)
    sha256, size = digest(data), len(data)
    if file.path.suffix.lower() == ".gz":
        data = b"".join(chunks(file.path))
    if not data:
        raise InputError("is empty: it has no bytes. Remove it or supply its text.")
    content, encoding = decoded(data, options.encoding)
    source = Source(str(file.place), sha256, size, encoding)
    author, metadata = authors.of(file.place, id_=str(file.place))
    return make_text(
        str(file.place), content, author=author, metadata=metadata, source=source, options=options, data=data
    )
