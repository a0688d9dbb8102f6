"""Folders of plain text: who wrote them, in which encoding they are, and what is said about the rest."""

from pathlib import Path

import pytest

from idiograph import InputError, ReadingOptions, read
from idiograph.texts.reading.read import stream
from idiograph.texts.reading.report import ReadingLog
from read_files import refusal, write


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


def test_a_stream_stops_at_the_first_bad_file_and_names_them_all(tmp_path: Path) -> None:
    write(tmp_path, a_txt="One.", b_txt="", c_txt="Three.", d_txt="")
    texts = stream(tmp_path, ReadingOptions(), ReadingLog("here"))
    assert next(texts).id == "a.txt"
    with pytest.raises(InputError, match=r"(?s)b\.txt is empty.*d\.txt is empty"):
        next(texts)


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
