"""Validation problems are made as the case is; whoever has the text takes part, and what had to be given up is said."""

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph import Condition, Corpus, Index, MaskedText
from idiograph.casework.taking_part import (
    ValidationPlan,
    draw_sample,
    draw_samples,
    may_meet,
    plan_validation,
    relaxed_terms,
    shortage,
    why_not,
)
from idiograph.studies.drawing import draw_q_and_k
from idiograph.studies.material import Material
from indexed import CaseIndex, index_of, text_ids
from made_texts import CaseTexts, authors, sentences, write_case, write_text

SENTENCE = ("the", "N", "of", "the", "N", "is", "V", "by", "a", ".")  # ten tokens


def material_of(**texts: list[int]) -> Material:
    """Authors with texts of so many tokens, in sentences of ten."""
    written = [
        MaskedText(
            f"{author}/{number:03}", author, (SENTENCE,) * (tokens // 10), "as-found", metadata={"work": f"{number}"}
        )
        for author, lengths in texts.items()
        for number, tokens in enumerate(lengths)
    ]
    return Material.of(Index(Corpus(tuple(written)), order=2), written, roles=False)


def condition(
    q: int, k: int, *, q_texts: int | None = 1, k_texts: int | None = 2, across: str | None = None
) -> Condition:
    """A Q of at least `q` and a K of at least `k` tokens."""
    return Condition(
        drawing="contiguous", q_tokens=q - 1, k_tokens=k - 1, q_texts=q_texts, k_texts=k_texts, across=across
    )


def taking_part(material: Material, wanted: Condition, *, seed: int = 1) -> list[str]:
    return [sample.author for sample in draw_samples(material, material.texts_by, wanted, seed=seed)]


def tokens_of(material: Material, numbers: np.ndarray) -> int:
    return int(material.index.sentence_lengths[numbers].sum())


@pytest.mark.parametrize("seed", range(5))
def test_the_number_of_texts_is_as_many_as_it_takes(seed: int) -> None:
    """Six authors of 6,900 to 10,600 tokens in short texts: no single one holds a Q of 1,138, nor two a K of 3,375."""
    lengths = {f"author{n}": [700] * (10 + n) for n in range(6)}
    assert sorted({sum(length) for length in lengths.values()})[0] == 7_000
    material = material_of(**lengths)
    assert taking_part(material, condition(1_138, 3_375), seed=seed) == sorted(lengths)
    for sample in draw_samples(material, material.texts_by, condition(1_138, 3_375), seed=seed):
        assert tokens_of(material, sample.q) >= 1_138
        assert tokens_of(material, sample.k) >= 3_375
        q, k = (set(material.index.sentence_text[side].tolist()) for side in (sample.q, sample.k))
        assert not q & k
        assert (sample.condition.q_texts, sample.condition.k_texts) == (None, None)


def test_the_strictest_terms_that_an_author_meets_are_taken() -> None:
    material = material_of(exact=[200, 200, 200], many=[70] * 10, short=[190, 190, 195], shorter=[100, 90, 90])
    wanted = condition(200, 400)
    samples = {sample.author: sample for sample in draw_samples(material, material.texts_by, wanted, seed=1)}
    assert samples["exact"].condition == wanted
    assert samples["many"].condition == replace(wanted, q_texts=None, k_texts=None)
    assert "shorter" not in samples
    # 575 tokens in all: not 600, but 0.95 times 200 and 0.95 times 400 are 190 and 380.
    assert (samples["short"].condition.q_tokens, samples["short"].condition.k_tokens) == (189, 379)
    assert tokens_of(material, samples["short"].q) == 190
    notes, remarks = relaxed_terms(list(samples.values()), wanted, q_texts=1, k_texts=2)
    assert [(note.author, note.reason) for note in notes] == [
        ("many", "any number of texts, not 1 for Q and 2 for K as in the case"),
        ("short", "any number of texts, not 1 for Q and 2 for K as in the case"),
        ("short", "lengths that fall short by up to a tenth"),
    ]
    assert remarks == (
        "In the validation problems of 2 of the 3 authors (many, short), Q and K come from any number of texts, not "
        "from 1 and 2 as in the case.",
        "In the validation problems of 1 of the 3 authors (short), Q and K are up to a tenth shorter than in the case.",
    )


def test_nothing_is_said_where_nothing_is_relaxed() -> None:
    material = material_of(one=[200, 200, 200], two=[300, 300, 300])
    samples = draw_samples(material, material.texts_by, condition(200, 400), seed=1)
    assert relaxed_terms(samples, condition(200, 400), q_texts=1, k_texts=2) == ((), ())


@pytest.mark.parametrize(("tokens", "takes_part"), [(540, True), (530, False)])
def test_a_tenth_less_is_enough_and_more_is_not(tokens: int, takes_part: bool) -> None:
    material = material_of(author=[180, tokens - 180])
    assert bool(taking_part(material, condition(200, 400))) == takes_part


@pytest.mark.parametrize("seed", range(20))
def test_a_division_that_hides_in_another_order_is_found(seed: int) -> None:
    """Q must be the two short texts together, which stand side by side in some orders only."""
    material = material_of(author=[70, 500, 70])
    sample = draw_sample(material, "author", material.texts_by["author"], condition(140, 500), seed=seed)
    assert sample is not None
    assert (tokens_of(material, sample.q), tokens_of(material, sample.k)) == (140, 500)


@given(st.lists(st.tuples(st.sampled_from([50, 150, 250, 400]), st.sampled_from("AB")), min_size=2, max_size=5))
def test_a_q_of_one_text_is_drawn_wherever_there_is_one(texts: list[tuple[int, str]]) -> None:
    """One order is tried for it: the slow way tries every text as Q with every two of other works as K."""
    material = material_of(author=[tokens for tokens, _ in texts])
    works = dict(zip(material.index.text_ids, [work for _, work in texts], strict=True))
    material = replace(material, fields={"work": works})
    possible = any(
        q >= 200 and any(sum(pair) >= 400 for pair in combinations([k for k, other in texts if other != work], 2))
        for q, work in texts
    )
    wanted = condition(200, 400, across="work")
    drawn = draw_q_and_k(material, "author", material.texts_by["author"], wanted, seed=1, orders=1)
    assert (drawn is not None) == possible


@pytest.mark.parametrize(
    ("lengths", "options", "reason"),
    [
        ([900], {}, "only one text, and Q and K must come from different texts"),
        ([900], {"n_copies": 1}, "only one text (besides 1 that repeats another), and Q and K must come from different "
         "texts"),
        ([100, 200], {}, "300 tokens in 2 texts, and Q and K take at least 540 (180 and 360)"),
        ([100, 200], {"n_copies": 2}, "300 tokens in 2 texts (besides 2 that repeat another), and Q and K take at "
         "least 540 (180 and 360)"),
        ([150, 800], {}, "950 tokens in 2 texts that cannot be divided into 180 for Q and 360 in other texts for K"),
        ([300, 200], {"one_text": True}, "the longest text has 300 tokens, and Q and K take at least 540 (180 and "
         "360)"),
    ],
)  # fmt: skip
def test_why_an_author_takes_no_part(lengths: list[int], options: dict[str, int], reason: str) -> None:
    material = material_of(author=lengths)
    numbers = material.texts_by["author"]
    one_text = bool(options.get("one_text", False))
    assert draw_sample(material, "author", numbers, condition(200, 400), one_text=one_text, seed=1) is None
    assert why_not(material, numbers, condition(200, 400), **options) == reason


def test_why_an_author_of_one_work_takes_no_part() -> None:
    material = material_of(author=[300, 300, 300])
    numbers = material.texts_by["author"]
    wanted = condition(200, 400, across="work")
    assert draw_sample(material, "author", numbers, wanted, seed=1) is not None
    one_work = replace(material, fields={"work": dict.fromkeys(material.index.text_ids, "same")})
    nameless = replace(material, fields={"work": {}})
    for other, which in ((one_work, "are of one work"), (nameless, "name no work")):
        assert draw_sample(other, "author", numbers, wanted, seed=1) is None
        assert why_not(other, numbers, wanted) == f"all texts {which}, and Q and K must differ in it"


def test_one_text_gives_q_and_k_only_in_need() -> None:
    material = material_of(author=[100, 700])
    numbers = material.texts_by["author"]
    sample = draw_sample(material, "author", numbers, condition(200, 400), one_text=True, seed=1)
    assert sample is not None
    assert set(material.index.sentence_text[np.concatenate([sample.q, sample.k])].tolist()) == {1}
    assert sample.q[-1] < sample.k[0]


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
    case_index, texts = index_of(folder, reference=folder / "reference.jsonl")
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
    plan = plan_validation(*index_of(folder, reference=folder / "reference.jsonl"))
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
