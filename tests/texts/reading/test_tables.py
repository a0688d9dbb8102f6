"""CSV, TSV and JSON Lines."""

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph import Text, read
from read_files import as_written, refusal


def table(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def plain(text: Text) -> tuple[str, str | None, str, dict[str, Any]]:
    return text.id, text.author, text.content, {k: v for k, v in text.metadata.items() if k != "reading"}


def test_csv_with_the_usual_columns(tmp_path: Path) -> None:
    path = table(tmp_path, "a.csv", 'id,author,text,date\n1,lee,"One, and\r\ntwo.",2001\n2,,Three.,\n')
    corpus = read(path)
    assert [plain(text) for text in corpus] == [
        ("1", "lee", "One, and\ntwo.", {"date": "2001"}),
        ("2", None, "Three.", {"date": ""}),
    ]
    assert corpus.text("1").metadata["reading"]["place"] == "line 3"
    assert corpus.text("1").metadata["reading"]["changes"][0]["step"] == "line ends made line feeds"


def test_tsv_json_lines_and_compressed_tables_say_the_same(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "author": "lee", "text": "One.", "work": "x"},
        {"id": "2", "author": "kim", "text": "Two.", "work": "y"},
    ]
    csv_text = "id,author,text,work\n1,lee,One.,x\n2,kim,Two.,y\n"
    paths = [
        table(tmp_path, "a.csv", csv_text),
        table(tmp_path, "a.tsv", csv_text.replace(",", "\t")),
        table(tmp_path, "a.jsonl", lines(*rows)),
        table(tmp_path, "a.csv.gz", gzip.compress(csv_text.encode())),
        table(tmp_path, "a.jsonl.gz", gzip.compress(lines(*rows).encode())),
    ]
    read_rows = [[plain(text) for text in read(path)] for path in paths]
    assert all(of_file == read_rows[0] for of_file in read_rows)
    assert read_rows[0][1] == ("2", "kim", "Two.", {"work": "y"})


def test_columns_of_other_names(tmp_path: Path) -> None:
    path = table(tmp_path, "a.csv", "nr,who,body,id\n7,lee,One.,x\n")
    [text] = read(path, id_column="nr", author_column="who", text_column="body")
    assert plain(text) == ("7", "lee", "One.", {"id": "x"})
    assert refusal(path).startswith("a.csv has no column text; its columns are nr, who, body, id. Pass --text-column")
    assert "has no column ID; its columns are" in refusal(path, id_column="ID", text_column="body")
    assert "has no column whom; its columns are" in refusal(path, author_column="whom", text_column="body")


def test_each_column_option_changes_what_is_read(tmp_path: Path) -> None:
    path = table(
        tmp_path, "a.jsonl", lines({"id": "1", "nr": "2", "author": "a", "who": "b", "text": "T", "body": "B"})
    )

    def key(**options: Any) -> tuple[str, str | None, str]:
        [text] = read(path, **options)
        return text.id, text.author, text.content

    assert key() == ("1", "a", "T")
    assert key(id_column="nr") == ("2", "a", "T")
    assert key(author_column="who") == ("1", "b", "T")
    assert key(text_column="body") == ("1", "a", "B")
    assert key(author="c") == ("1", "c", "T")
    assert key(author_from="none") == ("1", None, "T")


def test_without_ids_texts_are_named_after_their_line(tmp_path: Path) -> None:
    assert [text.id for text in read(table(tmp_path, "a.csv", "text\nOne.\nTwo.\n"))] == ["a.csv#2", "a.csv#3"]


def test_a_folder_of_tables_takes_authors_from_columns_then_from_folders(tmp_path: Path) -> None:
    (tmp_path / "lee").mkdir()
    table(tmp_path / "lee", "a.csv", "id,text\n1,One.\n")
    table(tmp_path, "b.jsonl", lines({"id": 2, "text": "Two.", "author": "kim"}))
    assert [(text.id, text.author) for text in read(tmp_path)] == [("2", "kim"), ("1", "lee")]
    assert [(text.id, text.author) for text in read(tmp_path, author_from="column")] == [("2", "kim"), ("1", None)]


def test_metadata_for_the_rows_of_a_table(tmp_path: Path) -> None:
    path = table(tmp_path, "a.csv", "id,text\n1,One.\n2,Two.\n")
    meta = table(tmp_path, "meta.jsonl", lines({"id": 1, "author": "lee"}, {"id": 2, "author": "kim", "topic": "t"}))
    assert [(text.id, text.author, text.metadata.get("topic")) for text in read(path, metadata=meta)] == [
        ("1", "lee", None),
        ("2", "kim", "t"),
    ]


def test_marks_at_the_beginning_of_a_header_are_no_part_of_it(tmp_path: Path) -> None:
    path = table(tmp_path, "a.csv", "id,text\n1,One.\n".encode("utf-8-sig"))
    [text] = read(path)
    assert (text.id, text.metadata["reading"]["encoding"]) == ("1", "utf-8-sig")
    wide = table(tmp_path, "b.tsv", "id\ttext\n1\tOne.\n".encode("utf-16"))
    assert [text.id for text in read(wide)] == ["1"]


def test_blanks_and_unicode_forms_of_names_do_not_matter(tmp_path: Path) -> None:
    path = table(tmp_path, "a.csv", " id , author , text \n 1 ,Rene\u0301 ,One.\n2,Ren\u00e9,Two.\n")
    assert [(text.id, text.author) for text in read(path)] == [("1", "Ren\u00e9"), ("2", "Ren\u00e9")]


def test_the_delimiter_is_named_not_guessed(tmp_path: Path) -> None:
    path = table(tmp_path, "a.csv", "id;text\n1;One.\n")
    assert "Its cells seem to be separated by ;: pass --delimiter ';'." in refusal(path)
    assert [text.content for text in read(path, delimiter=";")] == ["One."]
    assert "separated by tabs: pass --format tsv" in refusal(table(tmp_path, "b.csv", "id\ttext\n1\tOne.\n"))
    assert [text.content for text in read(tmp_path / "b.csv", format="tsv")] == ["One."]


def test_cells_longer_than_pythons_limit(tmp_path: Path) -> None:
    words = "word " * 50_000
    before = csv.field_size_limit()
    assert [text.content for text in read(table(tmp_path, "a.csv", f"text\n{words}\n"))] == [words]
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,text,id\n1,One.,2\n", "a.csv has the column 'id' more than once in its header. Rename one."),
        ("id,text\n1,One.,x\n", "a.csv line 2 has 3 cells, but the header has 2 columns."),
        ("id,text\n1\n", "a.csv line 2 has 1 cell, but the header has 2 columns."),
        (
            'id,text\n1,"One.\n2,Two.\n',
            "a.csv could not be parsed near line 3 (unexpected end of data): probably a quotation",
        ),
        ("\nid,text\n", "a.csv has no header line."),
        ("", "a.csv is empty: it has no header and no rows."),
        ("id,text\n1,\n", "a.csv line 2 is empty: it has nothing but white space."),
        ("id,text\n,One.\n", "a.csv line 2 has no id."),
        ("id,text\n1,One.\n1,Two.\n", "a.csv line 3 has the id 1, which a.csv line 2 has too."),
        ("id,text\n1,a\0b\n", "a.csv line 2 has a null character at 1, which no text has."),
        ("id,text\n1,caf\udce9\n", "a.csv is not UTF-8 (byte 0xe9 at position 13)."),
    ],
)
def test_faults_of_csv(tmp_path: Path, content: str, message: str) -> None:
    assert refusal(table(tmp_path, "a.csv", content.encode("utf-8", "surrogateescape"))).startswith(message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"id": 1, "text": "One."}\n{"id": 2, "text": \n', "a.jsonl line 2 is not valid JSON (Expecting value"),
        ('["One."]\n', "a.jsonl line 1 is not a JSON object."),
        ('{"id": 1, "id": 2, "text": "One."}\n', "a.jsonl line 1 is not valid JSON (a field occurs twice)."),
        ('{"text": "One.", "x": NaN}\n', "a.jsonl line 1 is not valid JSON (NaN is not a JSON value)."),
        ('{"text": 3}\n', "a.jsonl line 1 has 3 in text where its text should be."),
        ('{"text": "a", "id": [1]}\n', "a.jsonl line 1 has an id that is neither a name nor a number: [1]."),
        ('{"text": "a", "author": true}\n', "a.jsonl line 1 has an author that is neither a name nor a number: True."),
        (
            '{"text": "a\\ud800"}\n',
            "a.jsonl line 1 is not valid JSON (it has half a surrogate pair",
        ),
        ('{"text": "a\\u0000"}\n', "a.jsonl line 1 has a null character at 1"),
        ('{"content": "a"}\n', "a.jsonl has no column text; its columns are content."),
        (
            '{"id": 1, "known": ["a"], "unknown": "b"}\n',
            "a.jsonl has no column text; its columns are those of verification problems",
        ),
    ],
)
def test_faults_of_json_lines(tmp_path: Path, content: str, message: str) -> None:
    assert refusal(table(tmp_path, "a.jsonl", content)).startswith(message)


def test_a_table_without_rows(tmp_path: Path) -> None:
    path = table(tmp_path, "a.csv", "id,text\n")
    assert refusal(path) == f"Nothing in {path} could be read: it has no rows. Check that it is the right file."


def test_bad_rows_are_left_out_if_allowed(tmp_path: Path) -> None:
    rows = (
        '{"id": 1, "text": "One."}\nbroken\n{"id": 2, "text": ""}\n\n'
        '{"id": 3, "text": "Three."}\n{"id": 1, "text": "Four."}\n'
    )
    corpus = read(table(tmp_path, "a.jsonl", rows), skip_bad=True)
    assert [text.content for text in corpus] == ["One.", "Three."]
    assert [note.where for note in corpus.report.skipped] == ["a.jsonl line 2", "a.jsonl line 3", "a.jsonl line 6"]
    rows = 'id,text\n1,One.\n2\n3,Three.\n4,"Four.\n'
    corpus = read(table(tmp_path, "b.csv", rows), skip_bad=True)
    assert [text.content for text in corpus] == ["One.", "Three."]
    assert [note.where for note in corpus.report.skipped] == ["b.csv line 3", "b.csv"]


def test_a_damaged_compressed_table(tmp_path: Path) -> None:
    packed = gzip.compress(lines(*({"id": n, "text": f"Text {n * 7919}."} for n in range(500))).encode())
    assert "a.jsonl.gz is damaged or incompletely compressed" in refusal(table(tmp_path, "a.jsonl.gz", packed[:-200]))


def test_what_was_read_before_stays_on_record(tmp_path: Path) -> None:
    [text] = read(
        table(tmp_path, "a.jsonl", lines({"id": 1, "text": "One.", "metadata": {"reading": {"file": "x"}, "t": 1}}))
    )
    assert (text.metadata["reading"]["earlier"], text.metadata["t"]) == ({"file": "x"}, 1)


def test_wrapped_text_in_a_table_is_unwrapped_as_the_option_says(tmp_path: Path) -> None:
    path = table(tmp_path, "a.jsonl", lines({"id": 1, "text": "One line\nand another"}))
    assert [text.content for text in read(path)] == ["One line\nand another"]
    assert [text.content for text in read(path, unwrap="always")] == ["One line and another"]


@given(
    st.lists(
        st.tuples(
            # A letter, since a text that nobody sees is refused.
            st.text(st.characters(codec="utf-8", exclude_characters="\0\r")).map(lambda text: f"{text}x"),
            st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zs"]), max_size=5),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_csv_and_json_lines_give_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("tables")
    with (folder / "a.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([("text", "note"), *rows])
    (folder / "a.jsonl").write_text(lines(*({"text": text, "note": note} for text, note in rows)), encoding="utf-8")
    for name in ("a.csv", "a.jsonl"):
        texts = read(folder / name, unwrap="never")
        assert [(as_written(text), text.metadata["note"]) for text in texts] == rows
