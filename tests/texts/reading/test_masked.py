"""Text that came already masked."""

import json
from pathlib import Path
from typing import Any

import pytest

from idiograph import MaskedText, read
from read_files import refusal


def sentences(path: Path, **options: Any) -> list[tuple[tuple[str, ...], ...]]:
    return [text.sentences for text in read(path, kind="masked", **options)]


def test_one_sentence_a_line(tmp_path: Path) -> None:
    (tmp_path / "lee").mkdir()
    (tmp_path / "lee" / "a.txt").write_text("the N V .  i  V\r\n\nwe V !\n", newline="")
    corpus = read(tmp_path, kind="masked")
    [text] = corpus
    assert isinstance(text, MaskedText)
    assert (text.id, text.author, text.masking) == ("lee/a.txt", "lee", "as-found")
    assert text.sentences == (("the", "N", "V", ".", "i", "V"), ("we", "V", "!"))
    assert len(text.spans) == 0
    assert text.metadata["reading"]["file"] == "lee/a.txt"


def test_sentences_that_end_at_marks(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("the N V . i V ? ! yes\nno . more")
    assert sentences(path, sentences="marks") == [
        (("the", "N", "V", "."), ("i", "V", "?", "!"), ("yes",), ("no", "."), ("more",))
    ]


def test_only_a_plain_blank_separates_tokens(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a\tb c\u00a0d\u2003e  <s> .x", encoding="utf-8")
    assert sentences(path) == [(("a\tb", "c\u00a0d\u2003e", "<s>", ".x"),)]


def test_lines_of_masked_text_are_never_joined(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("the N V\nand V\n")
    assert sentences(path, unwrap="always") == [(("the", "N", "V"), ("and", "V"))]


def test_sentences_listed_in_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows: list[dict[str, Any]] = [
        {"id": "1", "author": "lee", "work": "w", "sentences": ["the N .", ""], "text": "other words"},
        {"id": "2", "author": "kim", "sentences": [["a b", "c"], ["d"]]},
        {"id": "3", "author": "kim", "text": "the N . yes"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert sentences(path) == [(("the", "N", "."), ()), (("a b", "c"), ("d",)), (("the", "N", ".", "yes"),)]
    assert sentences(path, text_column="text", skip_bad=True)[0] == (("other", "words"),)
    [first, *_] = read(path, kind="masked")
    assert (first.metadata["work"], "sentences" in first.metadata) == ("w", False)


def test_masked_text_in_csv(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('id,author,text\n1,lee,"the N .\ni V ."\n')
    assert sentences(path) == [(("the", "N", "."), ("i", "V", "."))]


def test_a_masked_corpus_of_idiographs_own_keeps_its_masking(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines: list[dict[str, Any]] = [
        {"idiograph_masked_corpus": 1, "masking": "posnoise|x", "tagger": None},
        {"id": "1", "author": "lee", "sentences": [["the", "N"]], "spans": [], "metadata": {"reading": {"file": "x"}}},
        {"id": "2", "author": "kim", "sentences": [], "spans": []},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    text, empty = read(path, kind="masked")
    assert (empty.sentences, empty.author) == ((), "kim")
    assert {text.author for text in read(path, kind="masked", author="bo")} == {"bo"}
    assert (text.id, text.author, text.sentences, text.masking) == ("1", "lee", (("the", "N"),), "posnoise|x")
    assert text.metadata["reading"]["earlier"] == {"file": "x"}
    assert 'a.jsonl is a masked corpus, so it no longer holds plain texts. Use kind="masked"' in refusal(path)
    with path.open("a") as file:
        file.write("broken\n")
    assert "a.jsonl cannot be used. Line 4 of" in refusal(path, kind="masked")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"sentences": "the N"}, "a.jsonl line 1 has sentences that are not a list of strings or of lists of tokens."),
        ({"sentences": [["a", 1]]}, "a.jsonl line 1 has sentences that are not a list of strings or of lists"),
        ({"sentences": ["", ""]}, "a.jsonl line 1 is empty"),
        ({"text": 1}, "a.jsonl line 1 has 1 in text where its text should be."),
        ({"content": "x"}, "a.jsonl has no column text; its columns are content."),
    ],
)
def test_faults_of_masked_rows(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row) + "\n")
    assert refusal(path, kind="masked").startswith(message)


def test_an_overlong_sentence_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("the N V . " * 200)
    [note] = read(path, kind="masked").report.notes
    assert note.what == (
        "a.txt has a sentence of 800 tokens. Pass --sentences marks if they end at . ? ! instead of line ends."
    )
    assert read(path, kind="masked", sentences="marks").report.notes == ()


def test_text_that_is_not_masked_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Dear Ann , I saw Bo in Leeds .\n")
    [note] = read(path, kind="masked").report.notes
    assert note.what.startswith("a.txt does not look masked: it has words such as Dear.")


def test_documents_are_not_masked_text(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_text("From: a@x.org\n\nthe N\n")
    assert "a.eml is a document or mail. Already masked text is read from" in refusal(tmp_path, kind="masked")


@pytest.mark.shared
def test_sentences_are_those_of_the_reference_implementation(shared: Path) -> None:
    corpus = read(shared / "corpora" / "enron_masked.jsonl.gz", kind="masked", sentences="marks")
    assert (len(corpus), len(corpus.authors)) == (218, 48)

    def of(author: str, texttype: str) -> list[MaskedText]:
        return [text for text in corpus.by(author) if text.metadata["texttype"] == texttype]

    for problem in json.loads((shared / "golden" / "lambdag_fixed_punct.json").read_text()):
        k = [" ".join(tokens) for text in of(problem["K"], "known") for tokens in text.sentences]
        q = [" ".join(tokens) for text in of(problem["Q"], "unknown") for tokens in text.sentences]
        assert (k, q) == (problem["k_sents"], problem["q_sents"])
    golden = json.loads((shared / "golden" / "enron96_punct.json").read_text())
    columns = ("K", "Qauthor", "NQ", "V1", "NK", "nK", "nQ", "nref")
    n_known = {author: sum(len(text.sentences) for text in of(author, "known")) for author in corpus.authors}
    for k_author, q_author, *sizes in zip(*(golden[column] for column in columns), strict=True):
        [q] = of(q_author, "unknown")
        n_k_tokens = sum(text.n_tokens for text in of(k_author, "known"))
        n_reference = sum(n for author, n in n_known.items() if author not in (k_author, q_author))
        assert sizes == [q.n_tokens, q.n_hapaxes, n_k_tokens, n_known[k_author], len(q.sentences), n_reference]


@pytest.mark.shared
def test_a_published_corpus_of_listed_sentences(shared: Path) -> None:
    corpus = read(shared / "corpora" / "dickens_masked.jsonl.gz", kind="masked")
    assert (len(corpus), len(corpus.authors)) == (51, 25)
    assert {role: sum(text.metadata["role"] == role for text in corpus) for role in ("Q", "K", "ref")} == {
        "Q": 1,
        "K": 2,
        "ref": 48,
    }
