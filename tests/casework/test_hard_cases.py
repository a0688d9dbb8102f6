"""Bad input and hard cases: each ends in a sentence or a sound result, and no half-written case."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from audited import findings_of
from idiograph import ProblemError
from made_texts import GERMAN, authors, case_of, compare, compare_fully, file_case_of, sentences, write_case, write_text
from made_topic_case import LEE, topic_case, write_topic_case, write_topic_text


def test_one_reference_author(tmp_path: Path) -> None:
    comparison = compare_fully(write_case(tmp_path, n_authors=1, n_texts=8))
    assert comparison.reported is None
    assert "The reference has 1 author. Below 5 no value is reported." in (comparison.refusal or "")
    assert findings_of(comparison)["few-reference-authors"].severity == "red"


def test_k_of_one_sentence(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    shutil.rmtree(tmp_path / "known")
    write_text(tmp_path / "known" / "1.txt", sentences("lee", tokens=5, seed=1)[:1])
    comparison = compare_fully(tmp_path)
    assert comparison.k.n_sentences == 1
    assert findings_of(comparison)["short-k"].severity == "red"
    assert comparison.wording.conclusion


def test_q_of_three_tokens(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    (tmp_path / "q.txt").write_text("it is N\n", encoding="utf-8")
    comparison = compare_fully(tmp_path)
    assert comparison.q.n_tokens == 3
    assert comparison.reported is None
    text = "No likelihood ratio is reported because the texts do not allow one: Q1 has 3 tokens after masking. Below"
    assert (comparison.refusal or "").startswith(text)


def test_a_k_longer_than_the_reference(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=1, n_texts=1)
    with pytest.raises(ProblemError, match=r"The reference has \d+ sentences and K has \d+"):
        compare(case_of(tmp_path))


@pytest.mark.usefixtures("fake_tagger")
@pytest.mark.parametrize("times", [1, 4])
def test_a_text_in_another_language_is_red(times: int, tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    (tmp_path / "q.txt").write_text("\n".join([GERMAN] * times), encoding="utf-8")
    comparison = compare(case_of(tmp_path, masking="posnoise"))
    red = {entry.code: entry for entry in comparison.audit if entry.severity == "red"}
    assert ("short-q" in red) == (times == 1)
    assert red["not-english"].where == ("questioned/Q1/q.txt",)
    assert comparison.reported is None
    assert (comparison.refusal or "").startswith(
        "No likelihood ratio is reported because the texts do not allow one: Q1 does not look like English: q.txt (7."
    )


def test_a_k_far_longer_than_any_of_the_reference_is_cut_to_a_length_that_there_is(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=8)
    for number in (1, 2):
        write_text(tmp_path / "known" / f"{number}.txt", sentences("lee", tokens=2_000 * number, seed=number))
    comparison = compare_fully(tmp_path)
    assert comparison.reported is not None
    cut = findings_of(comparison)["cut"]
    whole = sum(len(path.read_text(encoding="utf-8").split()) for path in (tmp_path / "known").iterdir())
    assert comparison.k.n_tokens < whole / 3
    assert f"{comparison.k.n_tokens:,} of the {whole:,} tokens of K" in cut.message
    assert len(comparison.k.texts) == 2
    assert comparison.validation is not None
    assert comparison.validation.trials is not None
    assert min(comparison.validation.trials.k_tokens) >= 0.9 * comparison.k.n_tokens
    # 0.3.0 refused such a case, and its cases are replayed by its rules.
    assert compare_fully(tmp_path, rules=1).reported is None


def test_what_the_reference_measures_is_compared_at_the_length_that_its_texts_have(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=9)
    for seed, path in ((9, "q.txt"), (1, "known/1.txt"), (2, "known/2.txt")):
        write_text(tmp_path / path, sentences("lee", tokens=600, seed=seed))
    halved = compare_fully(tmp_path, primary="normalised")
    assert halved.validation is not None
    trials = halved.validation.trials
    assert trials is not None
    for tokens, side in ((trials.n_tokens, halved.q), (trials.k_tokens, halved.k)):
        assert 0.9 * side.n_tokens <= min(tokens) <= max(tokens) <= 1.1 * side.n_tokens
    cut = findings_of(halved)["cut"]
    assert f"{halved.q.n_tokens:,} of the 6" in cut.message
    assert f" and {halved.k.n_tokens:,} of the 1,2" in cut.message
    assert cut.where == ("questioned/Q1/q.txt", "known/lee/1.txt", "known/lee/2.txt")
    # A formula measures nothing by the reference's texts; that these are shorter is said.
    whole = compare_fully(tmp_path)
    assert whole.q.n_tokens >= 600
    assert "validated-shorter" in findings_of(whole)


def test_what_is_left_out_of_a_cut_text_is_no_evidence(tmp_path: Path) -> None:
    write_topic_case(tmp_path)
    for seed, path in ((1, "q.txt"), (10, "known/0.txt"), (11, "known/1.txt")):
        write_topic_text(tmp_path / path, author=LEE, topics=(0, 1), seed=seed, sentences=40 if seed == 1 else 32)
    comparison = compare(topic_case(tmp_path), quick=False)
    assert comparison.refusal is None
    assert "cut" in findings_of(comparison)
    written = (tmp_path / "q.txt").read_text(encoding="utf-8").splitlines()
    told = comparison.explanation
    assert [row.original for row in told.sentences] == written[: len(told.sentences)]
    assert len(told.sentences) == comparison.q.n_sentences < len(written)
    assert len(told.tokens) == comparison.q.n_tokens + comparison.q.n_sentences
    masked = [row.masked.split() for row in told.sentences]
    for strong in told.ngrams:
        n = len(strong.tokens)
        starts = [(line, at) for line in masked for at in range(len(line))]
        assert strong.n_q == sum(tuple(line[at : at + n]) == strong.tokens for line, at in starts)


def test_two_thousand_reference_files(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=1, n_texts=1, tokens=120)
    shutil.rmtree(tmp_path / "reference")
    for author in authors(20):
        lines = sentences(author, tokens=6_000, seed=1)
        for number in range(100):
            write_text(tmp_path / "reference" / author / f"{number}.txt", lines[number * 4 : number * 4 + 4])
    comparison = compare(case_of(tmp_path, repetitions=3))
    assert len(comparison.reference.texts) == 2_000
    assert comparison.reported is not None


def test_a_long_q(tmp_path: Path) -> None:
    """A tenth of the length that was tried by hand."""
    write_case(tmp_path, n_authors=5)
    write_text(tmp_path / "q.txt", sentences("lee", tokens=20_000, seed=9))
    comparison = compare(case_of(tmp_path, repetitions=3, primary="square_root"))
    assert comparison.q.n_tokens >= 20_000
    assert sum(row.lambda_g for row in comparison.explanation.tokens) == pytest.approx(comparison.lambda_g, abs=1e-6)


def test_markup_and_formulas_come_out_inert(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    evil = "<script>alert(1)</script>"
    write_text(tmp_path / "q.txt", ((evil, "=cmd()", "+1", "@x", "N", "."), *sentences("lee", tokens=200, seed=9)))
    (tmp_path / "known" / "1.txt").rename(tmp_path / "known" / "=cmd()<img src=x>.txt")
    assert file_case_of(tmp_path, "--quick", "--title", evil, "--caveat", f"{evil} =cmd()") == 0
    html = (tmp_path / "case" / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in html
    assert "<img src=x>" not in html
    with (tmp_path / "case" / "tokens.csv").open(encoding="utf-8-sig", newline="") as table:
        cells = [cell for row in csv.reader(table) for cell in row]
    assert any("=cmd()" in cell for cell in cells)
    assert not any(cell.startswith(("=", "@")) for cell in cells)
    result = json.loads((tmp_path / "case" / "result.json").read_text(encoding="utf-8"))
    assert "known/lee/=cmd()<img src=x>.txt" in result["k"]["texts"]
