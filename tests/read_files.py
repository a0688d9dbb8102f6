"""Files for the tests of reading, and what reading says about them."""

from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from idiograph import InputError, Text, read


def write(folder: Path, **files: str | bytes) -> Path:
    """Files by name (`__` is a slash, `_` before the ending a full stop) with their content."""
    for name, content in files.items():
        path = folder / (name.replace("__", "/").rpartition("_")[0] + "." + name.rpartition("_")[2])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def refusal(path: Path, **options: Any) -> str:
    """The sentence with which reading refuses."""
    with pytest.raises(InputError) as caught:
        read(path, **options)
    return str(caught.value)


def no_problems(path: Path, **options: Any) -> str:
    """The sentence with which reading refuses a set of problems."""
    return refusal(path, kind="problems", **options)


def record(text: Text) -> dict[str, Any]:
    """What is on record about how a text was read."""
    return dict(text.metadata["reading"])


def as_written(text: Text) -> str:
    """The characters that lay in the file, every change on record undone."""
    content = text.content
    for change in reversed(record(text)["changes"]):
        if change.get("found") in LINE_ENDS:
            content = content.replace("\n", LINE_ENDS[change["found"]])
        # From the first to the last: what stands before an edit is as it was again.
        for start, removed, inserted in change.get("edits", ()):
            assert content.startswith(inserted, start)
            content = content[:start] + removed + content[start + len(inserted) :]
    return content


LINE_ENDS = {"CR LF": "\r\n", "CR": "\r"}


def only(path: Path, **options: Any) -> Text:
    """The one text that is there."""
    [text] = read(path, **options)
    return text


def message(content: str = "My own words.\n", **headers: str) -> EmailMessage:
    """A mail by Ann Lee, unless the headers say otherwise."""
    mail = EmailMessage()
    for name, value in ({"From": "Ann Lee <Ann.Lee@Example.org>", "To": "bo@x.org"} | headers).items():
        mail[name.replace("_", "-")] = value
    mail.set_content(content)
    return mail


def saved(folder: Path, mail: EmailMessage | bytes, name: str = "a.eml") -> Path:
    """The file of a mail."""
    path = folder / name
    path.write_bytes(mail if isinstance(mail, bytes) else mail.as_bytes())
    return path
