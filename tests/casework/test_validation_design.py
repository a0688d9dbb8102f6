"""The validation problems are made as the case is; what had to be given up is said."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from idiograph.casework.case_index import CaseIndex
from idiograph.casework.inputs import CaseTexts, read_inputs
from idiograph.casework.taking_part import ValidationPlan, may_meet, plan_validation, shortage
from indexed import index_of, text_ids
from made_texts import authors, sentences, write_case, write_text


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> tuple[CaseIndex, CaseTexts, ValidationPlan]:
    case_index, texts = index_of(write_case(tmp_path_factory.mktemp("case"), n_authors=6))
    return case_index, texts, plan_validation(case_index, texts)


def test_problems_are_made_as_the_case_is(planned: tuple[CaseIndex, CaseTexts, ValidationPlan]) -> None:
    case_index, texts, plan = planned
    n_q, n_k = texts.q[0].n_tokens, sum(text.n_tokens for text in texts.k)
    assert plan.given_up == ()
    longest = int(case_index.index.sentence_lengths.max())
    of_case = {text.id for text in (*texts.q, *texts.k)}
    author_of = {text.id: text.author for text in texts.reference}
    assert len(plan.draws) > 1  # few authors give more than one Q each
    for sample in (sample for samples in plan.draws for sample in samples):
        q, k = case_index.index.take(sample.q), case_index.index.take(sample.k)
        assert n_q <= q.n_tokens < n_q + longest
        assert n_k <= k.n_tokens < n_k + 2 * longest  # a last sentence in each of two texts
        assert (len(q.text_ids), len(k.text_ids)) == (1, 2)
        assert not of_case & {*q.text_ids, *k.text_ids}
        assert not {*q.text_ids} & {*k.text_ids}
        assert {author_of[id_] for id_ in (*q.text_ids, *k.text_ids)} == {sample.author}
        for side in (q, k):
            for id_ in side.text_ids:
                of_text = [n for n in side.sentence_numbers if text_ids(case_index, np.array([n])) == {id_}]
                assert np.all(np.diff(of_text) == 1)  # in a row


def jsonl_case(folder: Path, *, works: int) -> Path:
    """A case whose reference names the work of every text, three texts a work."""
    write_case(folder, n_authors=1)
    lines = [
        json.dumps(
            {
                "id": f"{author}/{work}/{part}",
                "author": author,
                "work": f"{author} {work}",
                "text": "\n".join(" ".join(s) for s in sentences(author, tokens=340, seed=10 * work + part)),
            }
        )
        for author in authors(6)
        for work in range(works)
        for part in range(3)
    ]
    (folder / "reference.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_q_and_k_come_from_different_works_where_the_texts_say_so(tmp_path: Path) -> None:
    folder = jsonl_case(tmp_path, works=2)
    case_index, texts = index_of(folder)
    case = replace(case_index.case, reference=folder / "reference.jsonl")
    inputs = read_inputs(case)
    case_index, texts = CaseIndex.of(case, inputs, workers=1), inputs.texts("Q1", "lee")
    plan = plan_validation(case_index, texts)
    assert plan.condition.across == "work"
    work_of = {text.id: text.metadata["work"] for text in texts.reference}
    samples = plan.draws[0]
    for sample in samples:
        q, k = ({work_of[id_] for id_ in text_ids(case_index, side)} for side in (sample.q, sample.k))
        assert not q & k
        assert may_meet(case_index.material, plan.condition, sample, sample)
    # A Q and a K of one work may not meet.
    assert not may_meet(case_index.material, plan.condition, samples[0], replace(samples[1], k=samples[0].q))


def test_one_work_an_author_is_given_up_in_words(tmp_path: Path) -> None:
    folder = jsonl_case(tmp_path, works=1)
    case_index, _ = index_of(folder)
    case = replace(case_index.case, reference=folder / "reference.jsonl")
    inputs = read_inputs(case)
    plan = plan_validation(CaseIndex.of(case, inputs, workers=1), inputs.texts("Q1", "lee"))
    assert "In the validation problems Q and K of an author may have the same work." in plan.given_up
    assert len(plan.authors) == 6


def test_fewer_texts_than_the_case_has_are_said(tmp_path: Path) -> None:
    case_index, texts = index_of(write_case(tmp_path, n_authors=6, n_texts=2, tokens=300))
    for author in authors(6):
        write_text(tmp_path / "reference" / author / "1.txt", sentences(author, tokens=700, seed=5))
    case_index, texts = index_of(tmp_path)
    plan = plan_validation(case_index, texts)
    assert plan.given_up == (
        "In the validation problems of all authors, Q and K come from any number of texts, not from 1 and 2 as in the "
        "case.",
    )
    assert [sample.author for sample in plan.relaxed] == authors(6)
    assert plan.left_out == ()


def test_whoever_takes_no_part_is_named_with_the_reason(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=7)
    for number in (1, 2):
        (tmp_path / "reference" / "author02" / f"{number}.txt").unlink()
    case_index, texts = index_of(tmp_path)
    plan = plan_validation(case_index, texts)
    assert [(author.author, author.reason) for author in plan.left_out] == [
        ("author02", "only one text, and Q and K must come from different texts")
    ]
    assert set(plan.authors) | {"author02"} == set(authors(7))


def test_what_it_would_take_is_true(tmp_path: Path) -> None:
    """Authors that are given just what the sentence asks for take part, until nothing is lacking."""
    write_case(tmp_path, n_authors=6)
    case_index, texts = index_of(tmp_path)
    n_q, n_k = texts.q[0].n_tokens, sum(text.n_tokens for text in texts.k)
    lack = shortage(case_index, texts, plan_validation(case_index, texts))
    assert lack == (
        "All 6 reference authors could take part. Narrower intervals and wider bounds need 20 authors with "
        f"{n_q:,} tokens for Q and {n_k:,} tokens in other texts for K, from any number of texts; up to a "
        "tenth less will do."
    )
    for number in range(14):
        written = sentences(f"new{number}", tokens=n_q + n_k + 40, seed=1)
        pieces = [written[start : start + 12] for start in range(0, len(written), 12)]
        for at, piece in enumerate(pieces):
            write_text(tmp_path / "reference" / f"new{number}" / f"{at}.txt", piece)
    case_index, texts = index_of(tmp_path)
    plan = plan_validation(case_index, texts)
    assert len(plan.authors) == 20
    assert shortage(case_index, texts, plan) is None


def test_more_authors_than_there_is_time_for_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case_index, texts = index_of(write_case(tmp_path, n_authors=24, tokens=60))
    assert len(plan_validation(case_index, texts).authors) == 24
    monkeypatch.setattr("idiograph.casework.taking_part._BUDGET", 1)
    plan = plan_validation(case_index, texts)
    assert len(plan.authors) == 20
    assert len(plan.left_out) == 4
    assert {author.reason for author in plan.left_out} == {
        "could take part, and is not among those drawn to limit the computing time"
    }
    assert (
        "Of the 24 authors who could take part, 20 were drawn at random to limit the computing time." in plan.given_up
    )
    assert len(plan.draws) == 1
