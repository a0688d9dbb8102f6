"""Plain text files."""

from collections.abc import Iterator, Mapping
from typing import Any

from idiograph.errors import InputError
from idiograph.provenance import digest
from idiograph.texts.reading.authors import Authors
from idiograph.texts.reading.decoding import LARGEST_TEXT, bytes_of, decoded
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.raw_text import Origin, make_text, unwrap_step
from idiograph.texts.reading.reading_report import ReadingLog
from idiograph.texts.reading.source_file import SourceFile
from idiograph.texts.text import Text


def texts_of_file(file: SourceFile, authors: Authors, options: ReadingOptions, log: ReadingLog) -> Iterator[Text]:
    """The text of a plain file, its author found as the options say."""
    author, metadata = authors.of(file.place, id_=str(file.place))
    yield plain_text(file, author, metadata, options)


def plain_text(file: SourceFile, author: str | None, metadata: Mapping[str, Any], options: ReadingOptions) -> Text:
    """The text of a plain file, compressed or not."""
    packed = bytes_of(file.path, most=LARGEST_TEXT)
    is_packed = file.path.suffix.lower() == ".gz"
    data = bytes_of(file.path, most=LARGEST_TEXT, unpacked=True) if is_packed else packed
    if not data:
        raise InputError("is empty: it has no bytes. Remove it or supply its text.")
    content, encoding = decoded(data, options.encoding)
    return make_text(
        str(file.place),
        content,
        author=author,
        metadata=metadata,
        source=Origin(str(file.place), digest(packed), len(packed), encoding),
        steps=[unwrap_step(options)],
        data=data,
    )
