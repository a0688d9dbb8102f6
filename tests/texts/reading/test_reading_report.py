"""The report on a reading: what was skipped, noticed and counted."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph import read
from read_files import as_written, only, record, refusal, write


def test_one_bad_file_among_many_stops_all_unless_allowed(tmp_path: Path) -> None:
    for number in range(30):
        write(tmp_path, **{f"a{number:02}_txt": "Words." if number % 2 else ""})
    sentences = refusal(tmp_path)
    assert sentences.startswith("15 texts or files of")
    assert "a18.txt" in sentences
    assert "a20.txt" not in sentences
    assert "… and 5 more" in sentences
    corpus = read(tmp_path, skip_bad=True)
    assert len(corpus) == 15
    assert [note.where for note in corpus.report.skipped] == [f"a{number:02}.txt" for number in range(0, 30, 2)]
    assert "Skipped: … and 5 more." in corpus.report.lines()
    assert len(corpus.report.as_json()["skipped"]) == 15


def test_a_single_bad_file_among_others_says_how_to_go_on(tmp_path: Path) -> None:
    write(tmp_path, a_txt="Words.", b_txt="")
    assert refusal(tmp_path) == (
        "b.txt is empty: it has no bytes. Remove it or supply its text. Or pass --skip-bad to go on without it."
    )


def test_authors_that_differ_only_in_case_are_noticed_once(tmp_path: Path) -> None:
    write(tmp_path, Lee__a_txt="One.", lee__a_txt="One.", lee__b_txt="Two.")
    notes = [note.what for note in read(tmp_path).report.notes]
    assert notes == ["the authors 'Lee' and 'lee' differ only in case or blanks; they count as two."]


def test_the_report_by_hand(tmp_path: Path) -> None:
    write(tmp_path, lee__a_txt="One.\r\n", kim__b_txt="Two é.", c_txt="Three.", d_jpg="x")
    report = read(tmp_path).report
    assert report.lines() == [
        f"{tmp_path}: 3 texts read (ascii certain 2, utf-8 certain 1).",
        "Changed while reading: line ends made line feeds in 1.",
        f"{tmp_path}: 1 of 3 texts have no author: c.txt.",
        "Not read: d.jpg: not a kind of file that holds texts (.jpg).",
    ]
    assert report.as_json() == {
        "source": str(tmp_path),
        "n_texts": 3,
        "encodings": {"ascii certain": 2, "utf-8 certain": 1},
        "changes": {"line ends made line feeds": 1},
        "notes": [{"where": str(tmp_path), "what": "1 of 3 texts have no author: c.txt."}],
        "skipped": [],
        "not_read": [{"where": "d.jpg", "what": "not a kind of file that holds texts (.jpg)."}],
    }


@given(st.lists(st.sampled_from(["Words and more words here ", "a", " ", "-", ".", "\n", "\r\n", "\r", "é", "> "])))
def test_raw_characters_come_back_from_the_record(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    raw = "x" + "".join(pieces)
    path = tmp_path_factory.mktemp("raw") / "a.txt"
    path.write_bytes(raw.encode())
    for unwrap in ("auto", "always", "never"):
        [text] = read(path, unwrap=unwrap)
        assert as_written(text) == raw
        assert "\r" not in text.content


def test_names_in_two_unicode_forms_are_one(tmp_path: Path) -> None:
    (tmp_path / "Rene\u0301").mkdir()
    (tmp_path / "Rene\u0301" / "a.txt").write_text("One.")
    [text] = read(tmp_path)
    assert (text.id, text.author) == ("Ren\u00e9/a.txt", "Ren\u00e9")


@pytest.mark.parametrize(
    ("raw", "content", "changes"),
    [
        ("a\nb", "a\nb", []),
        ("a\r\nb\r\n", "a\nb\n", [{"step": "line ends made line feeds", "found": "CR LF"}]),
        ("a\rb", "a\nb", [{"step": "line ends made line feeds", "found": "CR"}]),
        (
            "a\r\nb\n",
            "a\nb\n",
            [{"step": "line ends made line feeds", "found": "mixed", "edits": [[1, "\r\n", "\n"]]}],
        ),
    ],
)
def test_line_ends_by_hand(tmp_path: Path, raw: str, content: str, changes: list[dict[str, Any]]) -> None:
    text = only(write(tmp_path, a_txt=raw))
    assert (text.content, record(text)["changes"]) == (content, changes)


def test_text_that_looks_masked_is_noticed_by_its_placeholders(tmp_path: Path) -> None:
    masked, short, plain = (
        "the N V the J N " * 6,
        "the N V the J N",
        "The cat sat on the mat and saw the N there . " * 6,
    )
    notes = read(write(tmp_path, a_txt=masked, b_txt=short, c_txt=plain)).report.notes
    assert ["looks masked already" in note.what for note in notes if note.where.endswith(".txt")] == [True]
