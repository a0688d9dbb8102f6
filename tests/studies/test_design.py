"""Problems with known answers: made as stated, of the right texts, whatever the order and the company."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated import corpus
from idiograph import Condition, Corpus, Design, Index, Seeds, StudyError, score
from idiograph.studies import problems
from made_study import linked_problems, material_of

MADE = corpus(works=2)
MATERIAL = material_of(MADE)
CONDITIONS = [
    Condition(drawing="whole"),
    Condition(drawing="whole", q_texts=2, k_texts=1),
    Condition(drawing="random", q_tokens=100, k_tokens=150),
    Condition(drawing="random", q_tokens=60, k_tokens=120, across="work"),
    Condition(drawing="contiguous", q_tokens=60, k_tokens=150),
    Condition(drawing="contiguous", q_tokens=60, k_tokens=150, k_texts=2),
    Condition(drawing="contiguous", q_tokens=100, k_tokens=80, q_texts=2, across="work"),
    Condition(drawing="contiguous", q_tokens=60, k_tokens=80, within="work"),
    Condition(drawing="whole", across="work"),
]


def texts_of(numbers: np.ndarray, index: Index = MATERIAL.index) -> set[str]:
    return {index.text_ids[index.sentence_text[number]] for number in numbers}


def lengths(numbers: np.ndarray, index: Index = MATERIAL.index) -> list[int]:
    return [len(index.tokens_of(int(number))) for number in numbers]


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda condition: condition.name)
def test_q_and_k_never_share_a_text_and_the_reference_never_holds_their_authors(condition: Condition) -> None:
    plan = problems.plan(MATERIAL, corpus="toy", condition=condition)
    authors = dict(zip(MATERIAL.index.text_ids, MATERIAL.index.text_authors, strict=True))
    work = {text.id: text.metadata["work"] for text in MADE}
    assert len(plan.problems) == 24
    for planned in plan.problems:
        problem = plan.problem(planned)
        q, k, reference = (texts_of(part.sentence_numbers) for part in (problem.q, problem.k, problem.reference))
        assert not q & k
        assert condition.across is None or not {work[text] for text in q} & {work[text] for text in k}
        assert {authors[text] for text in q} == {planned.q_author}
        assert {authors[text] for text in k} == {planned.k_author}
        assert not {authors[text] for text in reference} & {planned.q_author, planned.k_author}


def test_each_author_is_in_one_same_author_and_one_different_author_problem() -> None:
    plan = problems.plan(MATERIAL, corpus="toy", condition=CONDITIONS[2])
    assert sorted(problem.k_author for problem in plan.problems if problem.same_author) == sorted(MADE.authors)
    different = [problem for problem in plan.problems if not problem.same_author]
    assert (
        sorted(problem.q_author for problem in different)
        == sorted(problem.k_author for problem in different)
        == list(MADE.authors)
    )


def test_halves_have_the_stated_share_and_never_meet() -> None:
    plan = problems.plan(MATERIAL, corpus="toy", condition=CONDITIONS[2], design=Design(calibration=0.5))
    assert len(plan.halves["calibration"]) == len(plan.halves["case"]) == 6
    for problem in plan.problems:
        assert {problem.k_author, problem.q_author} <= set(plan.halves[problem.half])


def test_random_sentences_stop_with_the_one_that_passes_the_count() -> None:
    plan = problems.plan(MATERIAL, corpus="toy", condition=CONDITIONS[2])
    for sides in plan.sides.values():
        for numbers, tokens in ((sides.q, 100), (sides.k, 150)):
            drawn = lengths(numbers)
            assert sum(drawn) > tokens
            assert numbers.tolist() == sorted(set(numbers.tolist()))
            assert any(sum(drawn) - length <= tokens for length in drawn)
    assert any(len(texts_of(sides.k)) > 1 for sides in plan.sides.values())


def test_contiguous_sentences_are_a_run_of_one_text_that_just_passes_the_count() -> None:
    plan = problems.plan(MATERIAL, corpus="toy", condition=CONDITIONS[4])
    for sides in plan.sides.values():
        assert len(texts_of(sides.q)) == 1
        assert list(np.diff(sides.q)) == [1] * (len(sides.q) - 1)
        assert sum(lengths(sides.q)) > 60 >= sum(lengths(sides.q)[:-1])
        # K: whole texts, then a run of the last one.
        assert sum(lengths(sides.k)) > 150
        texts = MATERIAL.index.sentence_text[sides.k]
        runs = [sides.k[texts == text] for text in np.unique(texts)]
        assert all((np.diff(run) == 1).all() for run in runs)
        assert sum(len(run) == 12 for run in runs) >= len(runs) - 1
    assert len({int(sides.q[0]) % 12 for sides in plan.sides.values()}) > 1  # not always from the beginning


def test_as_many_texts_as_asked_for_each_with_its_share() -> None:
    plan = problems.plan(MATERIAL, corpus="toy", condition=CONDITIONS[5])
    for sides in plan.sides.values():
        texts = MATERIAL.index.sentence_text[sides.k]
        assert len(np.unique(texts)) == 2
        for text in np.unique(texts):
            share = lengths(sides.k[texts == text])
            assert (np.diff(sides.k[texts == text]) == 1).all()
            assert sum(share) > 75 - 1
            assert sum(share[:-1]) <= 75


def test_pairs_across_a_field_differ_in_it_for_both_kinds_of_problem() -> None:
    topics = Corpus(
        tuple(replace(text, metadata={"topic": f"topic{text.id[-1]}"}) for text in corpus(authors=12, texts=3))
    )
    shared = material_of(topics)
    plan = problems.plan(shared, corpus="toy", condition=Condition(drawing="whole", across="topic", k_texts=1))
    topic = {text.id: text.metadata["topic"] for text in topics}
    assert len(plan.problems) > 12
    for planned in plan.problems:
        problem = plan.problem(planned)
        q, k = (texts_of(part.sentence_numbers, shared.index) for part in (problem.q, problem.k))
        assert not {topic[text] for text in q} & {topic[text] for text in k}


def test_pairs_within_a_field_agree_in_it() -> None:
    plan = problems.plan(MATERIAL, corpus="toy", condition=CONDITIONS[7])
    work = {text.id: text.metadata["work"] for text in MADE}
    for sides in plan.sides.values():
        assert len({work[text] for text in texts_of(sides.q) | texts_of(sides.k)}) == 1


def test_roles_that_the_corpus_names_are_kept_and_can_be_ignored() -> None:
    texts = corpus(roles=True)
    named = problems.plan(material_of(texts), corpus="toy", condition=Condition(drawing="whole"))
    role = {text.id: text.metadata["texttype"] for text in texts}
    for sides in named.sides.values():
        assert {role[text] for text in texts_of(sides.q, named.material.index)} == {"unknown"}
        assert len(texts_of(sides.k, named.material.index)) == 3
    with pytest.raises(StudyError, match="12 were left out: too short"):
        condition = Condition(drawing="random", q_tokens=10_000, k_tokens=10)
        problems.plan(material_of(texts), corpus="toy", condition=condition)
    free = problems.plan(material_of(texts, roles=False), corpus="toy", condition=Condition(drawing="whole"))
    assert any("known" in {role[t] for t in texts_of(s.q, free.material.index)} for s in free.sides.values())


def test_the_reference_is_what_the_setting_says() -> None:
    texts = corpus(roles=True)
    pool = tuple(
        replace(text, id=f"pool-{text.id}", author=f"p{text.author}", metadata={"role": "reference"})
        for text in corpus(authors=2, seed=9)
    )
    both = material_of(Corpus((*texts.texts, *pool)))

    def reference(**options: str) -> set[str]:
        plan = problems.plan(both, corpus="toy", condition=Condition(drawing="whole"), design=Design(**options))  # type: ignore[arg-type]
        problem = next(problem for problem in plan.problems if problem.half == "case" and not problem.same_author)
        at_hand = {problem.k_author, problem.q_author}
        ids = texts_of(plan.problem(problem).reference.sentence_numbers, both.index)
        assert not {both.index.text_authors[both.index.text_ids.index(id_)] for id_ in ids} & at_hand
        return ids

    n_case = 7
    assert len(reference()) == 3 * (n_case - 2)  # known texts of the other case authors
    assert len(reference(reference_texts="all")) == 4 * (n_case - 2)
    assert len(reference(reference="all")) == 3 * 10 + 8
    assert len(reference(reference="all", reference_texts="all")) == 4 * 10 + 8
    assert reference(reference="pool") == {text.id for text in pool}


def test_texts_of_a_pool_are_never_q_or_k_even_of_an_author_of_the_corpus() -> None:
    pool = tuple(replace(text, id=f"pool-{text.id}", metadata={"role": "reference"}) for text in corpus(seed=9))
    both = material_of(Corpus((*corpus().texts, *pool)))
    plan = problems.plan(both, corpus="toy", condition=CONDITIONS[2], design=Design(reference="pool"))
    for planned in plan.problems:
        problem = plan.problem(planned)
        for part, is_pool in ((problem.q, False), (problem.k, False), (problem.reference, True)):
            assert {id_.startswith("pool-") for id_ in texts_of(part.sentence_numbers, both.index)} == {is_pool}
        assert not {planned.k_author, planned.q_author} & set(problem.reference.authors)


def test_calibration_problems_have_the_reference_of_case_problems() -> None:
    plan = problems.plan(MATERIAL, corpus="toy", condition=CONDITIONS[0])
    problem = next(problem for problem in plan.problems if problem.half == "calibration")
    assert set(plan.problem(problem).reference.authors) == set(plan.halves["case"])


def test_pairs_are_anchored_as_asked() -> None:
    by = {
        name: problems.plan(MATERIAL, corpus="toy", condition=CONDITIONS[0], design=Design(pairs=name))
        for name in ("trace", "source", "outside")
    }  # type: ignore[arg-type]

    def different(plan: problems.Plan) -> list[tuple[str, str]]:
        return [
            (problem.k_author, problem.q_author)
            for problem in plan.problems
            if not problem.same_author and problem.half == "case"
        ]

    order = by["trace"].halves["case"]
    following = {author: order[(rank + 1) % len(order)] for rank, author in enumerate(order)}
    assert different(by["trace"]) == [(following[author], author) for author in sorted(order)]
    assert different(by["source"]) == [(author, following[author]) for author in sorted(order)]
    outside = different(by["outside"])
    assert {k for k, _ in outside} == set(order)
    assert {q for _, q in outside} <= set(by["outside"].halves["calibration"])


def test_more_pairs_an_author_when_asked() -> None:
    plan = problems.plan(MATERIAL, corpus="toy", condition=CONDITIONS[0], design=Design(calibration=0, n_pairs=5))
    assert len(plan.problems) == 12 * 6
    assert len({problem.id for problem in plan.problems}) == 12 * 6


@settings(max_examples=15)
@given(st.randoms(use_true_random=False), st.sampled_from(CONDITIONS))
def test_neither_the_order_of_files_nor_other_authors_change_what_an_author_contributes(
    random: "st.Random",
    condition: Condition,  # type: ignore[name-defined]
) -> None:
    texts = list(MADE.texts)
    random.shuffle(texts)
    texts = [text for text in texts if text.author != "a11"]
    fewer = material_of(Corpus(tuple(texts)))
    plan, all_made = (problems.plan(indexed, corpus="toy", condition=condition) for indexed in (fewer, MATERIAL))
    for author, sides in plan.sides.items():
        for numbers, other in ((sides.q, all_made.sides[author].q), (sides.k, all_made.sides[author].k)):
            assert [fewer.index.tokens_of(int(n)) for n in numbers] == [MATERIAL.index.tokens_of(int(n)) for n in other]


def test_each_seed_changes_its_own_draw_and_nothing_else() -> None:
    def by(**seeds: int) -> problems.Plan:
        return problems.plan(MATERIAL, corpus="toy", condition=CONDITIONS[2], seeds=Seeds(**seeds))

    def drawn(plan: problems.Plan) -> dict[str, tuple[int, ...]]:
        return {author: (*sides.q, -1, *sides.k) for author, sides in plan.sides.items()}

    base = by()
    assert by(split=2).halves != base.halves
    assert drawn(by(split=2)) == drawn(base)
    assert by(texts=2).halves == base.halves
    assert drawn(by(texts=2)) != drawn(base)
    other = by(reference=2)
    assert (other.halves, drawn(other), other.problems) == (base.halves, drawn(base), base.problems)
    assert other.seed(other.problems[0]) == (2, base.seed(base.problems[0])[1])


def test_a_problem_scores_as_its_sentences_do_on_their_own() -> None:
    plan = problems.plan(MATERIAL, corpus="toy", condition=CONDITIONS[0])
    planned = next(planned for planned in plan.problems if planned.half == "case" and not planned.same_author)
    assert planned.id == f"toy/whole/{planned.k_author}/{planned.q_id}"
    by_id = {text.id: text for text in MADE}
    q_texts = {author: texts_of(sides.q).pop() for author, sides in plan.sides.items()}
    k = [
        by_id[id_]
        for id_ in sorted(by_id)
        if by_id[id_].author == planned.k_author and id_ != q_texts[planned.k_author]
    ]
    reference = [
        by_id[id_]
        for id_ in sorted(by_id)
        if by_id[id_].author in set(plan.halves["case"]) - {planned.k_author, planned.q_author}
        and id_ != q_texts[str(by_id[id_].author)]
    ]
    by_hand = score(
        q=by_id[planned.q_id].sentences,
        k=[sentence for text in k for sentence in text.sentences],
        reference=[sentence for text in reference for sentence in text.sentences],
        seed=plan.seed(planned),
    )
    problem = plan.problem(planned)
    scored = score(q=problem.q, k=problem.k, reference=problem.reference, seed=plan.seed(planned))  # type: ignore[arg-type]
    assert scored.lambda_g == by_hand.lambda_g


def test_ready_made_problems_are_used_as_they_are_and_writers_are_kept_out_of_the_reference() -> None:
    texts = []
    ready, writers = {}, {}
    for number in range(10):
        label, q_label = f"p{number}", f"p{number}" if number % 2 else f"p{number} (another)"
        ready[label] = q_label
        for text, role, author in zip(
            corpus(authors=1, texts=2, seed=number), ("known", "unknown"), (label, q_label), strict=True
        ):
            texts.append(replace(text, id=f"{label}-{role}", author=author, metadata={"role": role}))
    writers = {"p0": "ann", "p5": "ann"}
    whole = Corpus(tuple(texts))
    ready_made = replace(material_of(whole), ready=ready, writers=writers)
    plan = problems.plan(ready_made, corpus="pan", condition=Condition(drawing="whole"), design=Design(reference="all"))
    taken = {(problem.k, problem.q_id, problem.same_author) for problem in plan.problems}
    assert taken == {
        (f"p{number}", f"p{number}-unknown", bool(number % 2))
        for number in range(10)
        if f"p{number}" not in plan.left_out
    }
    problem = next(problem for problem in plan.problems if problem.k == "p0")
    assert (problem.k_author, problem.q_author) == ("ann", "p0 (another)")
    reference = texts_of(plan.problem(problem).reference.sentence_numbers, ready_made.index)
    assert reference == {f"p{number}-known" for number in range(10)} - {"p0-known", "p5-known"}


def test_a_problem_between_the_halves_is_left_out() -> None:
    names = [f"w{n}" for n in range(6)]
    linked = linked_problems(*((k, q) for k in names for q in names))  # everyone is linked with everyone
    plan = problems.plan(linked, corpus="pan", condition=Condition(drawing="whole"), design=Design(fewest_authors=2))
    assert set(plan.left_out.values()) == {"its two writers are in different halves"}
    assert len(plan.problems) + len(plan.left_out) == 36
    for problem in plan.problems:
        assert {problem.k_author, problem.q_author} <= set(plan.halves[problem.half])
        reference = plan.problem(problem).reference
        behind = {linked.writer(str(author)) for author in reference.authors}
        assert not behind & {problem.k_author, problem.q_author}
        assert behind <= set(plan.halves["case"])


def test_no_reference_holds_a_copy_of_a_text_at_hand() -> None:
    texts = [replace(text, sentences=MADE.texts[0].sentences) if text.id == "a05-t3" else text for text in MADE]
    copied = material_of(Corpus(tuple(texts)))
    plan = problems.plan(
        copied, corpus="toy", condition=CONDITIONS[2], design=Design(reference="all", reference_texts="all")
    )
    for problem in plan.problems:
        held = texts_of(plan.problem(problem).reference.sentence_numbers, copied.index)
        assert ("a05-t3" in held) == (not {"a00", "a05"} & {problem.k, problem.q})
        assert plan.n_reference_of(problem) == len(plan.reference_of(problem))


def test_authors_that_are_too_short_are_left_out_with_the_reason() -> None:
    short = Corpus(
        tuple(
            replace(text, sentences=text.sentences[:1]) if text.author in ("a00", "a01") else text
            for text in MADE
            if text.id not in ("a02-t1", "a02-t2", "a02-t3")
        )
    )
    plan = problems.plan(material_of(short), corpus="toy", condition=CONDITIONS[2], design=Design(fewest_authors=2))
    assert plan.left_out == {"a00": "too short", "a01": "too short", "a02": "fewer than two texts"}
    assert "a00" not in {problem.k_author for problem in plan.problems}
    authors = {author for problem in plan.problems for author in plan.problem(problem).reference.authors}
    assert authors >= {"a00", "a01", "a02"} & set(plan.halves["case"])  # short writers still stand for others


def test_an_author_takes_part_in_every_run_if_any_division_suffices() -> None:
    uneven = Corpus(
        tuple(
            replace(text, sentences=text.sentences * 3) if text.id.endswith("t0") else text
            for text in corpus(texts=3, sentences=8)
        )
    )
    # K needs the one long text, whichever comes first.
    needs = Condition(drawing="random", q_tokens=60, k_tokens=180)
    for seed in range(6):
        assert not problems.plan(material_of(uneven), corpus="toy", condition=needs, seeds=Seeds(texts=seed)).left_out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"condition": Condition(drawing="random", q_tokens=10_000, k_tokens=10)},
            "too few authors for random_q10000_k10: 0 of 5 in the calibration half",
        ),
        ({"condition": Condition(drawing="whole", across="topic")}, "have no field topic"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_words(options: dict[str, object], words: str) -> None:
    with pytest.raises(StudyError, match=words):
        problems.plan(MATERIAL, corpus="toy", **{"condition": Condition(drawing="whole"), **options})  # type: ignore[arg-type]


def test_a_corpus_without_authors_is_refused() -> None:
    nobody = Corpus(tuple(replace(text, author=None) for text in MADE))
    with pytest.raises(StudyError, match="No text of toy has an author"):
        problems.plan(material_of(nobody), corpus="toy", condition=Condition(drawing="whole"))


def test_a_contiguous_q_is_one_text_where_one_is_long_enough_and_else_as_few_whole_texts_as_it_takes() -> None:
    # Where a corpus says which texts are questioned, one of them that is long enough is preferred, too.
    questioned = material_of(
        Corpus(tuple(replace(text, metadata={"role": "known" if text.id[-1] == "3" else "unknown"}) for text in MADE))
    )
    for drawn_from, longest in ((MATERIAL, slice(None)), (questioned, slice(3))):
        longest_of = [int(MATERIAL.text_tokens[texts[longest]].max()) for texts in MATERIAL.texts_by.values()]
        for q_tokens, n_texts in ((min(longest_of) - 1, 1), (max(longest_of) + 5, 2)):
            condition = Condition(drawing="contiguous", q_tokens=q_tokens, k_tokens=60)
            for sample in problems.plan(drawn_from, corpus="toy", condition=condition).sides.values():
                assert len(texts_of(sample.q)) == n_texts
                assert sum(lengths(sample.q)) > q_tokens
                assert not texts_of(sample.q) & texts_of(sample.k)


def test_a_condition_is_named_after_all_that_makes_it() -> None:
    condition = Condition(drawing="contiguous", q_tokens=5, k_tokens=9, k_texts=2, across="work")
    assert condition.name == "contiguous_q5_k9_ktexts2_across-work"
    assert Condition(drawing="whole").name == "whole"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"drawing": "random", "q_tokens": 5}, "at random need a length for Q and for K"),
        ({"drawing": "contiguous", "k_tokens": 5}, "in a row need a length"),
        ({"drawing": "whole", "q_tokens": 5}, "Whole texts keep their own lengths"),
        ({"drawing": "whole", "k_texts": 0}, "k_texts is 0"),
        ({"drawing": "whole", "across": "work", "within": "topic"}, "both differ in work and agree in topic"),
    ],
)
def test_conditions_that_contradict_themselves_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(StudyError, match=words):
        Condition(**settings)
