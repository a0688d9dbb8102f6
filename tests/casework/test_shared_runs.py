"""Runs of words that two texts share are found, said, and refused where they are most of a text."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import idiograph
from audited import findings
from idiograph.casework.case import Case
from idiograph.casework.copies import find_shared
from idiograph.casework.verification import Comparison
from idiograph.errors import ProblemError
from idiograph.texts.text import Sentence
from made_texts import case_of, case_texts, write_case


def _with_run(made: tuple[Sentence, ...], run: tuple[str, ...]) -> tuple[Sentence, ...]:
    return (*made[:3], run, *made[3:])


_RUN = "it was not for the first time that we would ask you about this and then hear what they say now"


RUN = tuple(_RUN.split())


@pytest.mark.parametrize(
    ("code", "sides"),
    [("shared-q", ("q", "k")), ("shared-q", ("q", "reference")), ("shared-k", ("k", "reference"))],
)
def test_long_runs_shared_between_sides(code: str, sides: tuple[str, str]) -> None:
    assert len(RUN) == 21
    for run, made in ((RUN[:20], True), (RUN[:19], False)):
        plain = case_texts()
        changed = {}
        for name in sides:
            first, *rest = getattr(plain, name)
            # What stands around the run differs, so that the run alone is shared.
            around = ({"q": "N", "k": "V", "reference": "J"}[name], *run, {"q": "D", "k": "B", "reference": "P"}[name])
            changed[name] = (replace(first, sentences=_with_run(first.sentences, around)), *rest)
        found = findings(replace(plain, **changed))
        assert (code in found) == made
        if made:
            assert {getattr(plain, name)[0].id for name in sides} == set(found[code].where)


def test_long_runs_shared_among_reference_authors() -> None:
    for run, made in ((RUN[:20], True), (RUN[:19], False)):
        plain = case_texts()
        one, own, two, *rest = plain.reference
        assert one.author == own.author != two.author
        one = replace(one, sentences=_with_run(one.sentences, ("J", *run, "N")))
        two = replace(two, sentences=_with_run(two.sentences, ("B", *run, "V")))
        found = findings(replace(plain, reference=(one, own, two, *rest)))
        assert ("shared-reference" in found) == made
    # An author may repeat himself.
    own = replace(own, sentences=_with_run(own.sentences, (*RUN, "N")))
    one = replace(one, sentences=_with_run(one.sentences, (*RUN, "V")))
    assert "shared-reference" not in findings(replace(plain, reference=(one, own, *rest)))


def test_runs_of_few_different_words_are_no_copy() -> None:
    plain = case_texts()
    poor = ("P", ",", "N", ",") * 10
    q = (replace(plain.q[0], sentences=_with_run(plain.q[0].sentences, poor)),)
    k = (replace(plain.k[0], sentences=_with_run(plain.k[0].sentences, poor)), plain.k[1])
    assert "shared-q" not in findings(replace(plain, q=q, k=k))


def test_a_copy_of_most_of_a_text_is_refused() -> None:
    plain = case_texts()
    copied = replace(plain.k[0], sentences=(*plain.q[0].sentences, *plain.k[0].sentences))
    with pytest.raises(ProblemError, match=r"Q1 and K share text: 100 % of the words of q also stand in k1"):
        find_shared(replace(plain, k=(copied, plain.k[1]))).refuse_copies()
    a_third = plain.q[0].sentences[: len(plain.q[0].sentences) // 3]
    quoted = replace(plain.k[0], sentences=(*a_third, *plain.k[0].sentences))
    find_shared(replace(plain, k=(quoted, plain.k[1]))).refuse_copies()


def compare(case: Case, *, quick: bool = True) -> Comparison:
    return idiograph.verify(case, quick=quick).comparisons[0]


def test_q_inside_k(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    shutil.copy(tmp_path / "q.txt", tmp_path / "known" / "copy.txt")
    with pytest.raises(ProblemError, match=r"Q1 and K share text: 100 % of the words of questioned/Q1/q\.txt"):
        compare(case_of(tmp_path))


def test_q_inside_the_reference(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    with (tmp_path / "reference" / "author00" / "0.txt").open("a", encoding="utf-8") as lines:
        lines.write((tmp_path / "q.txt").read_text(encoding="utf-8"))
    with pytest.raises(ProblemError, match="Q1 and the reference share text"):
        compare(case_of(tmp_path))


def test_a_known_text_inside_the_reference(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    shutil.copy(tmp_path / "known" / "1.txt", tmp_path / "reference" / "author00" / "9.txt")
    with pytest.raises(ProblemError, match="K and the reference share text"):
        compare(case_of(tmp_path))
