"""A case's files become masked texts: read as the case says, prepared alike, or refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import idiograph
from audited import findings_of
from idiograph import (
    Case,
    IdiographError,
    InputError,
    MaskedText,
    ProblemError,
    ReadingOptions,
    Text,
    Verification,
)
from idiograph.texts.masking.corpus_file import CorpusHeader, write_masked
from made_texts import case_of, case_texts, compare, sentences, write_case, write_text


def test_excluded_authors_are_out(texts: Path) -> None:
    comparison = idiograph.verify(case_of(texts, exclude_authors=("author00",)), quick=True).comparisons[0]
    assert comparison.reference.authors == tuple(f"author{n:02}" for n in range(1, 6))
    with pytest.raises(InputError, match="no text left"):
        idiograph.verify(case_of(texts, exclude_authors=tuple(f"author{n:02}" for n in range(6))), quick=True)
    with pytest.raises(InputError, match=r"no author autor00 to leave out \(did you mean author00\?\)"):
        idiograph.verify(case_of(texts, exclude_authors=("autor00",)), quick=True)


def test_an_error_says_which_side_a_file_is_of(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=6, n_texts=5)
    name = sorted((tmp_path / "known").iterdir())[0].name
    (tmp_path / "known" / name).write_bytes(b"")
    with pytest.raises(InputError, match=rf"^known/lee: {name} is empty: it has no bytes\."):
        idiograph.verify(case_of(tmp_path), quick=True)


def test_a_folder_of_questioned_texts_is_one_q(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=6, n_texts=5)
    for number in (1, 2):
        write_text(tmp_path / "mails" / f"{number}.txt", sentences("lee", tokens=150, seed=20 + number))
    comparison = idiograph.verify(case_of(tmp_path, questioned={"Q1": tmp_path / "mails"})).comparisons[0]
    assert comparison.q.texts == ("questioned/Q1/1.txt", "questioned/Q1/2.txt")
    assert sum(row.lambda_g for row in comparison.explanation.tokens) == pytest.approx(comparison.lambda_g, abs=1e-9)
    assert [row.text_id for row in comparison.explanation.sentences] == sorted(
        row.text_id for row in comparison.explanation.sentences
    )
    assert comparison.validation is not None
    assert comparison.validation.q_texts == 2
    assert comparison.validation.missing[:1] != (
        "In the validation problems Q and K consist of as many texts as needed, not of 2 and 2 as in the case.",
    )


def test_the_reference_is_read_as_the_case_says(texts: Path, tmp_path: Path) -> None:
    for path in sorted((texts / "reference").glob("*/*.txt")):
        write_text(tmp_path / "flat" / f"{path.parent.name}_{path.name}", ())
        (tmp_path / "flat" / f"{path.parent.name}_{path.name}").write_bytes(path.read_bytes())
    with pytest.raises(InputError, match="texts without an author"):
        idiograph.verify(case_of(texts, reference=tmp_path / "flat"), quick=True)
    case = case_of(texts, reference=tmp_path / "flat", reading=ReadingOptions(pattern="author_text.txt"))
    comparison = idiograph.verify(case, quick=True).comparisons[0]
    assert comparison.reference.authors == tuple(f"author{n:02}" for n in range(6))
    assert comparison.k.authors == ("lee",)
    rows = [f"{path.name},{path.name.split('_')[0].upper()},letter" for path in (tmp_path / "flat").iterdir()]
    rows += ["q.txt,,letter", "1.txt,,letter", "2.txt,,mail"]
    (tmp_path / "table.csv").write_text("file,author,register\n" + "\n".join(rows) + "\n", encoding="utf-8")
    case = case_of(texts, reference=tmp_path / "flat", reading=ReadingOptions(metadata=tmp_path / "table.csv"))
    done = idiograph.verify(case, quick=True)
    comparison = done.comparisons[0]
    assert comparison.reference.authors == tuple(f"AUTHOR{n:02}" for n in range(6))
    assert "registers-differ" in findings_of(comparison)
    assert "table.csv" in {file.name for file in done.provenance.inputs if file.role == "metadata"}


def test_every_text_has_a_digest_after_each_step(verified: Verification) -> None:
    assert len(verified.texts) == 1 + 2 + 18
    assert all(len(text.masked_sha256) == 64 and text.content_sha256 is None for text in verified.texts)


def test_the_candidate_among_the_reference_authors(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    case = case_of(tmp_path, known={"author03": tmp_path / "known"})
    with pytest.raises(ProblemError, match=r"share an author: author03\. .*--exclude-author 'author03'"):
        compare(case)
    assert compare(replace(case, exclude_authors=("author03",))).reference.authors == (
        "author00",
        "author01",
        "author02",
        "author04",
    )


def test_reference_texts_without_an_author(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    write_text(tmp_path / "reference" / "stray.txt", sentences("x", tokens=100, seed=1))
    with pytest.raises(InputError, match=r"texts without an author: reference/stray\.txt"):
        compare(case_of(tmp_path))


def test_empty_and_missing_files(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    with pytest.raises(InputError, match="does not exist"):
        compare(case_of(tmp_path, questioned={"Q1": tmp_path / "none.txt"}))
    (tmp_path / "q.txt").write_text("  \n", encoding="utf-8")
    with pytest.raises(IdiographError, match="empty"):
        compare(case_of(tmp_path))


def test_texts_masked_in_different_ways(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    other = MaskedText("q", "somebody", sentences("lee", tokens=300, seed=9), "frames|other")
    write_masked(tmp_path / "q.jsonl", [other], CorpusHeader("frames|other", None))
    case = case_of(tmp_path, questioned={"Q1": tmp_path / "q.jsonl"})
    with pytest.raises(ProblemError, match="masked in different ways"):
        compare(case)
    write_masked(tmp_path / "q.jsonl", [replace(other, masking="as-found")], CorpusHeader("as-found", None))
    # The author that the file names is not believed: the text is questioned.
    assert compare(case).q.authors == ()


@pytest.mark.usefixtures("fake_tagger")
def test_a_recipe_prepares_all_texts_alike(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    (tmp_path / "q.txt").write_text("@lee it iss so .\n" * 80, encoding="utf-8")
    recipe = tmp_path / "own.toml"

    def write(step: str) -> Case:
        recipe.write_text(f'schema = 1\nname = "own"\n[[steps]]\n{step}\n', encoding="utf-8")
        return case_of(tmp_path, masking="posnoise", recipe=str(recipe), primary="square_root")

    comparison = compare(write('step = "user_tags"\nreplace_with = ""'))
    # What was scored has no user tag; the words are shown as they were written.
    assert "lee" not in {row.original for row in comparison.explanation.tokens}
    content = comparison.explanation.originals["questioned/Q1/q.txt"]
    assert content.startswith("@lee it iss so .")
    rows = [row for row in comparison.explanation.tokens if not row.is_end]
    assert [row.original for row in rows[:4]] == ["it", "iss", "so", "."]
    assert all(content[row.start : row.end] == row.original for row in rows)
    assert any("1 of 18 texts changed, 0 left out" in sentence for sentence in comparison.wording.changes)
    longer = write('step = "text_length"\nmin_tokens = 100000')
    with pytest.raises(InputError, match="leaves out every text of questioned/Q1"):
        compare(longer)
    with pytest.raises(InputError, match="these texts are masked"):
        compare(case_of(tmp_path, recipe=str(recipe)))


def test_a_side_in_numbers(texts: Path, verified: Verification) -> None:
    known = verified.comparisons[0].k
    lines = [line.split() for path in (texts / "known").iterdir() for line in path.read_text("utf-8").splitlines()]
    assert (known.texts, known.authors) == (("known/lee/1.txt", "known/lee/2.txt"), ("lee",))
    assert (known.n_tokens, known.n_sentences) == (sum(map(len, lines)), len(lines))


def test_words_are_the_written_ones_where_there_are_any() -> None:
    q = MaskedText("q", None, (("the", "N"),), "posnoise", np.array([[0, 3], [4, 7]], np.int32))
    texts = case_texts(q=(q,), originals={"q": Text("q", "The DOG")})
    assert texts.words(q) == ["the", "dog"]
    assert replace(texts, originals={}).words(q) == ["the", "N"]
