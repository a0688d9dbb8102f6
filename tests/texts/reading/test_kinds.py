"""What a file is by its name."""

import pytest

from idiograph.texts.reading.file_kinds import is_table, kind_of


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.txt", "text"),
        ("A.TXT", "text"),
        ("a.text", "text"),
        ("a.csv", "csv"),
        ("a.tab", "tsv"),
        ("a.ndjson", "jsonl"),
        ("a.jsonl.gz", "jsonl"),
        ("a.txt.gz", "text"),
        ("a.docx", "docx"),
        ("a.docx.gz", None),
        ("a.mbox", "mbox"),
        ("a.gz", None),
        ("a", None),
        (".txt", None),
        ("a.txt.bak", None),
    ],
)
def test_kinds_by_name(name: str, kind: str | None) -> None:
    assert kind_of(name) == kind


def test_tables_have_rows() -> None:
    assert [kind for kind in ("csv", "tsv", "jsonl", "text", "docx", None) if is_table(kind)] == ["csv", "tsv", "jsonl"]
