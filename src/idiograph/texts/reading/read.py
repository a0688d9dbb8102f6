"""read: any path to texts, masked texts or problems; the one way in for the library and the command line."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal, overload

from idiograph.checking import check, one_of
from idiograph.errors import InputError, nearest
from idiograph.files import as_path
from idiograph.progress import progress
from idiograph.settings import settings_of
from idiograph.texts.masking.corpus_file import is_masked_corpus, iter_masked
from idiograph.texts.reading.authors import Authors, patterns_of
from idiograph.texts.reading.documents import PageReader, texts_of_docx, texts_of_pdf
from idiograph.texts.reading.file_kinds import SourceFile, endings, is_table, kind_of
from idiograph.texts.reading.folders import files_of, refuse_absent
from idiograph.texts.reading.mail import texts_of_eml, texts_of_mbox
from idiograph.texts.reading.memory import IN_MEMORY, is_in_memory, texts_in_memory
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.problem_sets import (
    ProblemSet,
    TextProblem,
    problems_of_folder,
    problems_of_pairs,
    role_by_name,
)
from idiograph.texts.reading.report import RECORD, Reading, ReadingLog, looks_masked, record_of
from idiograph.texts.reading.tables import doubts, masked_text, metadata_rows, survey, texts_of_file, texts_of_table
from idiograph.texts.text import MaskedText, Text

# How one says so in the library, on the command line and in a study file.
_AS_MASKED = 'kind="masked" (in Python), --masked (idiograph mask) or masking = "masked" (study file)'
_READERS = {"docx": texts_of_docx, "eml": texts_of_eml, "mbox": texts_of_mbox}


@overload
def read(
    path: Any, options: ReadingOptions | None = None, *, kind: Literal["texts"] = "texts", **named: Any
) -> Reading[Text]: ...
@overload
def read(
    path: Any, options: ReadingOptions | None = None, *, kind: Literal["masked"], **named: Any
) -> Reading[MaskedText]: ...
@overload
def read(
    path: Path | str, options: ReadingOptions | None = None, *, kind: Literal["problems"], **named: Any
) -> ProblemSet: ...
def read(
    path: Any, options: ReadingOptions | None = None, *, kind: str = "texts", text: str | None = None, **named: Any
) -> Any:
    """The texts of a file or a folder, of a list of strings or of a data frame, with the report on how they were read.

    `path` is where they are: `read("letters")`. A list of strings is read as texts that are called text 1, text 2 and
    so on. Of a data frame (pandas, polars, Arrow, whatever has `__arrow_c_stream__` or `__dataframe__`) each row is a
    text: `read(frame, text="body", author="writer")` names the columns of the `text` and the author, which are
    otherwise called text, author and, if there is one, id; all others become metadata. `kind` is texts, masked (text
    that is already masked) or problems (a set of verification problems). The `options` are those of `ReadingOptions`,
    given whole or by name as `named`: `read("letters", author_from="folder", skip_bad=True)`.
    """
    in_memory = is_in_memory(path)
    path = path if in_memory else as_path(path, "The path to be read")
    given = check(options, ReadingOptions | None, "The options") or ReadingOptions()
    known = [option.name for option in settings_of(ReadingOptions)]
    for name in named:
        if name not in known:
            raise InputError(
                f"There is no reading option {name}{nearest(name, known)}. The options are {', '.join(known)}."
            )
    streams = {"texts": stream, "masked": stream_masked, "problems": stream_problems}
    log = ReadingLog(IN_MEMORY if in_memory else str(path))
    kind = one_of(kind, tuple(streams), "The kind to be read")
    incoming: Iterator[Any]
    if in_memory:
        if kind == "problems":
            raise InputError("Problems are read from a folder or a file. Give its path.")
        check(author := named.pop("author", None), str | None, "author")
        check(text, str | None, "text")
        given = replace(given, clean=given.clean and kind != "masked", **named)
        incoming = texts_in_memory(path, given, log, text=text, author=author, masked=kind == "masked")
    else:
        if text is not None:
            raise InputError("text names a column of a data frame. For the tables of a path there is text_column.")
        incoming = streams[kind](path, replace(given, **named) if named else given, log)
    items: list[Any] = []
    with progress("Reading", total=None, unit="problems" if kind == "problems" else "texts") as advance:
        for item in incoming:
            items.append(item)
            advance()
    if kind == "problems":
        return ProblemSet(tuple(items), report=log.report())
    return Reading(tuple(items), report=log.report())


def stream(path: Path, options: ReadingOptions, log: ReadingLog) -> Iterator[Text]:
    """The texts of `path` one after the other, in the order of their names, so that few are in memory at a time.

    What cannot be read ends the stream with an error that names it all, unless the options say to go on without it.
    """
    for text in _streamed(path, options, log, masked=False):
        if looks_masked(text.content):
            log.note(text.metadata[RECORD]["file"], f"{text.id} looks masked already. If it is, use {_AS_MASKED}.")
        yield text


def stream_masked(path: Path, options: ReadingOptions, log: ReadingLog) -> Iterator[MaskedText]:
    """The already masked texts of `path` one after the other, as `stream` does."""
    # A line end is a sentence end in masked text, so lines are never joined; and its tokens are what they are.
    for text in _streamed(path, replace(options, unwrap="never", clean=False), log, masked=True):
        for warning in doubts(text, options.sentences):
            log.note(text.metadata[RECORD]["file"], f"{text.id} {warning}")
        yield text


def stream_problems(path: Path, options: ReadingOptions, log: ReadingLog) -> Iterator[TextProblem]:
    """The verification problems of a folder or a JSON Lines file, one after the other."""
    refuse_absent(path)
    if (options.author, options.pattern, options.metadata, options.author_from) != (None, None, None, "auto"):
        raise InputError(
            "Problems name their authors themselves. Read them without --author, --author-from, --pattern and "
            "--metadata."
        )
    in_lines = not path.is_dir() or any(is_table(kind_of(file.name)) for file in path.iterdir())
    for problem in (problems_of_pairs if in_lines else problems_of_folder)(path, options, log):
        taken = [log.takes(text.id, text.author, text.metadata[RECORD]) for text in (*problem.k, problem.q)]
        if all(taken) and (options.skip_bad or not log.bad):
            yield problem
    _refuse_bad(path, options, log)


def _streamed(path: Path, options: ReadingOptions, log: ReadingLog, *, masked: bool) -> Iterator[Any]:
    authors = Authors(options)
    if options.pattern is not None:
        patterns_of(options.pattern)  # a faulty pattern is one error, not one per file
    if options.metadata is not None:
        authors.rows = metadata_rows(options.metadata, log)
        authors.folder = PurePosixPath((path if path.is_dir() else path.parent).as_posix())
    files = files_of(path, options, log)
    # A set of problems read as texts would take the problems' names for authors.
    roles = {(file.relative.parent, role_by_name(file.relative.name)) for file in files if file.kind == "text"}
    problem_folders = sorted(str(folder) for folder, role in roles if role == "known" and (folder, "unknown") in roles)
    if problem_folders:
        raise InputError(
            f"{path} is a set of verification problems: {problem_folders[0]} has known and unknown texts. "
            'Read it with kind="problems", or its texts one folder at a time.'
        )
    with closing(PageReader()) as pages:
        for file in files:
            try:
                for text in _texts_of(file, authors, options, log, pages, masked=masked):
                    taken = log.takes(text.id, text.author, text.metadata[RECORD])
                    # After the first bad one the others are only looked for, so that the error names them all.
                    if taken and (options.skip_bad or not log.bad):
                        yield text
            except InputError as error:
                log.refuse(str(file.relative), str(error))
    _refuse_bad(path, options, log)
    if authors.unused():
        log.note(str(options.metadata), authors.unused())


def _refuse_bad(path: Path, options: ReadingOptions, log: ReadingLog) -> None:
    """An error for what could not be read, if bad ones are not to be skipped or nothing else is there."""
    if log.bad and not options.skip_bad:
        raise log.error()
    if not log.seen and not log.bad:
        raise InputError(f"Nothing in {path} could be read: it has no rows. Check that it is the right file.")
    if not log.seen:
        raise InputError(f"Nothing in {path} could be read:\n" + "\n".join(f"  {n.where} {n.what}" for n in log.bad))


def _texts_of(
    file: SourceFile, authors: Authors, options: ReadingOptions, log: ReadingLog, pages: PageReader, *, masked: bool
) -> Iterator[Any]:
    if is_masked_corpus(file.path):
        if not masked:
            raise InputError(f"is a masked corpus, so it no longer holds plain texts. Use {_AS_MASKED}.")
        yield from _texts_of_masked_corpus(file, authors)
    elif is_table(file.kind):
        yield from texts_of_table(file, authors, options, log, masked=masked)
    elif file.kind == "text":
        for text in texts_of_file(file, authors, options, log):
            yield masked_text(text, options.sentences) if masked else text
    elif masked:
        readable = endings("text", "rows", last="and")
        raise InputError(f"is a document or mail. Already masked text is read from {readable} files.")
    elif file.kind == "pdf":
        yield from texts_of_pdf(file, authors, options, log, reader=pages)
    else:
        yield from _READERS[file.kind](file, authors, options, log)


def _texts_of_masked_corpus(file: SourceFile, authors: Authors) -> Iterator[MaskedText]:
    """The texts of a corpus that `idiograph mask` wrote, with the masking it names."""
    source = survey(file.path, str(file.relative), ReadingOptions())
    try:
        for text in iter_masked(file.path):
            author, metadata = authors.of(file.relative, id_=text.id, stated=text.author)
            record = record_of(source, where=None, changes=[], warnings=[], earlier=text.metadata.get(RECORD))
            yield replace(text, author=author, metadata={**text.metadata, **metadata, RECORD: record})
    except InputError as error:
        raise InputError(f"cannot be used. {error}") from error
