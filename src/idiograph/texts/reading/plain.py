"""Plain text files."""

from collections.abc import Iterator, Mapping
from typing import Any

from idiograph.errors import InputError
from idiograph.provenance import digest
from idiograph.texts.reading.authors import Authors
from idiograph.texts.reading.decoding import chunks, decoded, load
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.raw_text import Source, make_text, unwrap_step
from idiograph.texts.reading.reading_report import Log
from idiograph.texts.reading.source_file import Found
from idiograph.texts.text import Text


def texts_of_file(file: Found, authors: Authors, options: ReadingOptions, log: Log) -> Iterator[Text]:
    """The text of a plain file, its author found as the options say."""
    author, metadata = authors.of(file.place, id_=str(file.place))
    yield plain_text(file, author, metadata, options)


def plain_text(file: Found, author: str | None, metadata: Mapping[str, Any], options: ReadingOptions) -> Text:
    """The text of a plain file, compressed or not."""
    data = load(file.path)
    sha256, size = digest(data), len(data)
    if file.path.suffix.lower() == ".gz":
        data = b"".join(chunks(file.path))
    if not data:
        raise InputError("is empty: it has no bytes. Remove it or supply its text.")
    content, encoding = decoded(data, options.encoding)
    return make_text(
        str(file.place),
        content,
        author=author,
        metadata=metadata,
        source=Source(str(file.place), sha256, size, encoding),
        steps=[unwrap_step(options)],
        data=data,
    )
