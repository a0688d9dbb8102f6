"""What is read: files by their names, plain text in whatever encoding, folders, and what is said about the rest."""

import gzip
import hashlib
from pathlib import Path

import pytest

from idiograph import read
from read_files import record, refusal, write


def test_authors_are_the_sub_folders_and_ids_the_places(tmp_path: Path) -> None:
    write(tmp_path, lee__b_txt="Two.", lee__a_txt="One.", kim__old__c_txt="Three.", d_txt="Four.")
    corpus = read(tmp_path)
    assert [(text.id, text.author, text.content) for text in corpus] == [
        ("d.txt", None, "Four."),
        ("kim/old/c.txt", "kim", "Three."),
        ("lee/a.txt", "lee", "One."),
        ("lee/b.txt", "lee", "Two."),
    ]
    assert corpus.authors == ("kim", "lee")
    assert [note.what for note in corpus.report.notes] == ["1 of 4 texts have no author: d.txt."]


def test_only_bad_files_is_an_error_even_if_bad_ones_are_skipped(tmp_path: Path) -> None:
    write(tmp_path, a_txt="")
    assert refusal(tmp_path, skip_bad=True).startswith("Nothing in ")


def test_an_unknown_kind(tmp_path: Path) -> None:
    write(tmp_path, a_txt="One.")
    assert refusal(tmp_path, kind="poems") == "The kind to be read must be texts, masked or problems, not 'poems'."


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "n_texts", "n_authors"),
    [
        ("c50_reuters", 4_240, 50),
        ("novels100", 990, 34),
        ("ubuntu_irc", 2_093, 216),
        ("tripadvisor", 1_283, 100),
        ("drexel1", 102, 12),
    ],
)
def test_the_open_corpora(shared: Path, name: str, n_texts: int, n_authors: int) -> None:
    corpus = read(shared / "corpora" / f"{name}.jsonl.gz")
    assert (len(corpus), len(corpus.authors)) == (n_texts, n_authors)
    assert corpus.report.skipped == ()
    # None of them is hard-wrapped but three newswire texts; a chat line that happens to be full is chance.
    assert corpus.report.changes.get("hard-wrapped lines joined", 0) <= n_texts / 100


def test_kinds_by_name(tmp_path: Path) -> None:
    texts = ("a.txt", "B.TXT", "c.text", "d.txt.gz")
    others = ("e.docx.gz", "f.gz", "g", ".txt", "h.txt.bak")
    for name in (*texts, *others):
        (tmp_path / name).write_bytes(gzip.compress(b"One.") if name.endswith(".gz") else b"One.")
    assert sorted(text.id for text in read(tmp_path)) == sorted(texts)
    assert sorted(note.where for note in read(tmp_path).report.not_read) == sorted(others)
    tables = {"a.csv": "text\nOne.\n", "b.tab": "text\nOne.\n", "c.ndjson": '{"text": "One."}\n'}
    write(tmp_path / "tables", **{name.replace(".", "_"): content for name, content in tables.items()})
    assert [text.id for text in read(tmp_path / "tables")] == ["a.csv#2", "b.tab#2", "c.ndjson#1"]


def test_the_raw_file_can_be_traced(tmp_path: Path) -> None:
    data = "Caf\u00e9.\r\nTwo.\r\n".encode()
    write(tmp_path, lee__a_txt=data)
    [text] = read(tmp_path)
    assert text.content == "Caf\u00e9.\nTwo.\n"
    assert record(text) == {
        "file": "lee/a.txt",
        "sha256": hashlib.sha256(data).hexdigest(),
        "size": len(data),
        "encoding": "utf-8",
        "encoding_is": "certain",
        "changes": [{"step": "line ends made line feeds", "found": "CR LF"}],
        "warnings": [],
    }
    assert read(tmp_path).report.changes == {"line ends made line feeds": 1}


def test_empty_files_are_refused(tmp_path: Path) -> None:
    write(tmp_path, a_txt="", b_txt=" \n\t\n")
    sentences = refusal(tmp_path)
    assert sentences.startswith("2 texts or files of ")
    assert "a.txt is empty: it has no bytes." in sentences
    assert "b.txt is empty: it has nothing but white space." in sentences
    assert sentences.endswith("pass --skip-bad to go on without them; each is then named in the report.")


def test_compressed_texts_and_damaged_ones(tmp_path: Path) -> None:
    packed = gzip.compress(b"One.")
    (tmp_path / "a.txt.gz").write_bytes(packed)
    [text] = read(tmp_path)
    assert (text.content, record(text)["sha256"]) == ("One.", hashlib.sha256(packed).hexdigest())
    (tmp_path / "b.txt.gz").write_bytes(packed[:-6])
    assert "b.txt.gz is damaged or incompletely compressed" in refusal(tmp_path)
    (tmp_path / "b.txt.gz").write_bytes(b"not packed")
    assert "b.txt.gz is damaged or incompletely compressed" in refusal(tmp_path)
