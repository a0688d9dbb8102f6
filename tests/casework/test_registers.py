"""The registers that a case names: printed, compared, and no part of a digest while none is named."""

import math
import random
import statistics
from pathlib import Path

import pytest

import idiograph
from audited import findings_of
from idiograph import MaskedText, Verification, read_case
from idiograph.casework.case import case_digest
from idiograph.casework.registers import registers_apart, unlike_reference
from made_texts import CaseTexts, case_of, compare, write_case, write_case_file
from seen_report import filed_result, report_page

NAMED = {"questioned_register": "e-mail", "known_register": " E-Mail ", "reference_register": "forum posts"}


def test_different_registers_are_a_point_of_caution_on_page_one(tmp_path: Path) -> None:
    folder = write_case(tmp_path, n_authors=5)
    done = idiograph.verify(case_of(folder, **NAMED), quick=True)
    (comparison,) = done.comparisons
    entry = findings_of(comparison)["registers-differ"]
    assert entry.severity == "amber"
    assert entry.message == "The case names different registers: Q e-mail; K E-Mail; the reference forum posts."
    page = report_page(done).text
    assert "different registers" in page.partition("Finding:")[0]
    assert "Registers as the case file names them: Q1: e-mail, K: E-Mail, the reference: forum posts." in page
    result = filed_result(done)
    assert result["reference"]["register"] == result["settings"]["reference_register"] == "forum posts"


def test_the_same_register_in_other_letters_is_the_same(tmp_path: Path) -> None:
    folder = write_case(tmp_path, n_authors=5)
    same = {**NAMED, "reference_register": "E-MAIL"}
    for named in (same, {"known_register": "e-mail"}, {}):
        comparison = compare(case_of(folder, **named))
        assert "registers-differ" not in findings_of(comparison)


def test_a_report_says_that_none_is_named(verified: Verification) -> None:
    page = report_page(verified).text
    assert "The case file does not name the registers of Q, K and the reference." in page


def test_a_case_that_names_none_has_the_digest_of_before(tmp_path: Path) -> None:
    plain, named = case_of(tmp_path), case_of(tmp_path, known_register="chat")
    assert case_digest(plain, ()) != case_digest(named, ())
    path = write_case_file(tmp_path)
    content = path.read_text(encoding="utf-8")
    start, end = content.index("[register]\n"), content.index("[texts]")
    path.write_text(content[:start] + content[end:], encoding="utf-8")  # as a file from before
    assert case_digest(read_case(path), ()) == case_digest(plain, ())


WORDS = ("N", "V", "J", "B", "P", "D", "the", "of", ",", "i", "it", "and")


def text(
    id_: str, author: str | None, *, seed: int, weights: tuple[int, ...] = (), length: int = 12, n: int = 30
) -> MaskedText:
    """Masked sentences of about this length, each token drawn by weight."""
    rng = random.Random(seed)
    usual = weights or (20, 12, 6, 4, 3, 1, 20, 10, 8, 2, 8, 6)
    sentences = tuple(tuple(rng.choices(WORDS, usual, k=rng.randint(length - 4, length + 4))) for _ in range(n))
    return MaskedText(id_, author, sentences, "posnoise-2.1+toy")


def compared(q: MaskedText, k: MaskedText, **more: str) -> CaseTexts:
    reference = tuple(text(f"r{n}", f"author {n // 2}", seed=n) for n in range(24))
    return CaseTexts("Q1", "Lee", (q,), (k,), reference, {}, **more)


def test_what_is_measured_lies_among_stretches_of_the_reference_as_long() -> None:
    """The figures by hand: every author's sentences in stretches of at least Q's length, √p or ln of the length."""
    q = text("q", None, seed=100, weights=(20, 12, 6, 4, 3, 1, 20, 10, 8, 20, 8, 6))
    case = compared(q, text("k", "Lee", seed=101))
    n_q = sum(map(len, q.sentences))
    stretches: list[list[tuple[str, ...]]] = []
    for author in range(12):
        lines = [line for text in case.reference if text.author == f"author {author}" for line in text.sentences]
        stretch: list[tuple[str, ...]] = []
        for line in lines:
            stretch.append(line)
            if sum(map(len, stretch)) >= n_q:
                stretches.append(stretch)
                stretch = []

    def z(value: float, others: list[float]) -> float:
        return (value - statistics.fmean(others)) / statistics.stdev(others) / math.sqrt(1 + 1 / len(others))

    def share(lines: list[tuple[str, ...]], *tokens: str) -> float:
        return sum(token in tokens for line in lines for token in line) / sum(map(len, lines))

    measured = {measure.name: measure for measure in unlike_reference(case, case.q)}
    of_q = list(q.sentences)
    for name, tokens in (
        ("first person", ("i",)),
        ("nouns", ("N",)),
        ("punctuation", (",",)),
        ("words kept by masking", ("the", "of", ",", "i", "it", "and")),
    ):
        usual = [share(stretch, *tokens) for stretch in stretches]
        assert measured[name].value == pytest.approx(share(of_q, *tokens))
        assert measured[name].usual == pytest.approx(statistics.fmean(usual))
        assert measured[name].z == pytest.approx(
            z(math.sqrt(share(of_q, *tokens)), [math.sqrt(rate) for rate in usual])
        )
    lengths = [statistics.fmean(map(len, stretch)) for stretch in stretches]
    expected = z(math.log(n_q / len(of_q)), [math.log(length) for length in lengths])
    assert measured["tokens a sentence"].z == pytest.approx(expected)
    assert max(measured.values(), key=lambda measure: abs(measure.z)).name == "first person"


def test_a_register_that_is_not_the_references_is_said_with_figures() -> None:
    usual = text("k", "Lee", seed=101)
    assert registers_apart(compared(text("q", None, seed=100), usual)) == []
    personal = text("q", None, seed=100, weights=(20, 12, 6, 4, 3, 1, 20, 10, 8, 20, 8, 6))
    (entry,) = registers_apart(compared(personal, usual))
    assert (entry.code, entry.severity, entry.where) == ("registers-apart", "amber", ("Q1",))
    assert entry.message.startswith("The register may not be that of the reference: Q1 has ")
    assert " % first person (in the reference " in entry.message
    (entry,) = registers_apart(compared(personal, text("k", "Lee", seed=101, length=30, n=12)))
    assert entry.where == ("Q1", "K")
    assert "; K has " in entry.message
    assert "tokens a sentence (in the reference 11.9" in entry.message
    # In another language nobody knows its first person; with a small reference nobody knows the spread.
    assert "first person" not in {
        comparison.name for comparison in unlike_reference(compared(personal, usual, language="de"), (personal,))
    }
    long = MaskedText("q", None, personal.sentences * 4, personal.masking)
    assert unlike_reference(compared(long, usual), (long,)) == []
