"""Problems with known answers: made as stated, of the right texts, whatever the order and the company."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated import corpus
from idiograph.errors import StudyError
from idiograph.grammar.index import Index
from idiograph.grammar.lambdag import score
from idiograph.studies.drawing import Condition
from idiograph.studies.material import Material
from idiograph.studies.problems import Plan, plan, split_authors
from idiograph.studies.settings import Design, Seeds
from idiograph.texts.text import Corpus, MaskedText
from made_study import linked_problems

MADE = corpus(works=2)
MATERIAL = Material.of(Index(MADE), MADE)
CONDITIONS = [
    Condition(drawing="whole"),
    Condition(drawing="whole", q_texts=2, k_texts=1),
    Condition(drawing="random", q_tokens=100, k_tokens=150),
    Condition(drawing="random", q_tokens=60, k_tokens=120, across="work"),
    Condition(drawing="contiguous", q_tokens=60, k_tokens=150),
    Condition(drawing="contiguous", q_tokens=60, k_tokens=150, k_texts=2),
    Condition(drawing="contiguous", q_tokens=100, k_tokens=80, q_texts=2, across="work"),
    Condition(drawing="contiguous", q_tokens=60, k_tokens=80, within="work"),
]


def material(made: Corpus[MaskedText], **options: bool) -> Material:
    return Material.of(Index(made), made, **options)


def texts_of(numbers: np.ndarray, index: Index = MATERIAL.index) -> set[str]:
    return {index.text_ids[index.sentence_text[number]] for number in numbers}


def lengths(numbers: np.ndarray, index: Index = MATERIAL.index) -> list[int]:
    return [len(index.tokens_of(int(number))) for number in numbers]


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda condition: condition.name)
def test_q_and_k_never_share_a_text_and_the_reference_never_holds_their_authors(condition: Condition) -> None:
    made = plan(MATERIAL, corpus="toy", condition=condition)
    authors = dict(zip(MATERIAL.index.text_ids, MATERIAL.index.text_authors, strict=True))
    assert len(made.problems) == 24
    for planned in made.problems:
        problem = made.problem(planned)
        q, k, reference = (texts_of(part.sentence_numbers) for part in (problem.q, problem.k, problem.reference))
        assert not q & k
        assert {authors[text] for text in q} == {planned.q_author}
        assert {authors[text] for text in k} == {planned.k_author}
        assert not {authors[text] for text in reference} & {planned.q_author, planned.k_author}


def test_each_author_is_in_one_same_author_and_one_different_author_problem() -> None:
    made = plan(MATERIAL, corpus="toy", condition=CONDITIONS[2])
    assert sorted(one.k_author for one in made.problems if one.same_author) == sorted(MADE.authors)
    different = [one for one in made.problems if not one.same_author]
    assert sorted(one.q_author for one in different) == sorted(one.k_author for one in different) == list(MADE.authors)


def test_halves_have_the_stated_share_and_never_meet() -> None:
    made = plan(MATERIAL, corpus="toy", condition=CONDITIONS[2], design=Design(calibration=0.5))
    assert len(made.halves["calibration"]) == len(made.halves["case"]) == 6
    for problem in made.problems:
        assert {problem.k_author, problem.q_author} <= set(made.halves[problem.half])
    assert [len(half) for half in split_authors(MADE.authors, share=0.4, seed=1).values()] == [5, 7]


def test_random_sentences_stop_with_the_one_that_passes_the_count() -> None:
    made = plan(MATERIAL, corpus="toy", condition=CONDITIONS[2])
    for sides in made.sides.values():
        for numbers, tokens in ((sides.q, 100), (sides.k, 150)):
            drawn = lengths(numbers)
            assert sum(drawn) > tokens
            assert any(sum(drawn) - length <= tokens for length in drawn)
    assert any(len(texts_of(sides.k)) > 1 for sides in made.sides.values())


def test_contiguous_sentences_are_a_run_of_one_text_that_just_passes_the_count() -> None:
    made = plan(MATERIAL, corpus="toy", condition=CONDITIONS[4])
    for sides in made.sides.values():
        assert len(texts_of(sides.q)) == 1
        assert list(np.diff(sides.q)) == [1] * (len(sides.q) - 1)
        assert sum(lengths(sides.q)) > 60 >= sum(lengths(sides.q)[:-1])
        # K: whole texts, then a run of the last one.
        assert sum(lengths(sides.k)) > 150
        texts = MATERIAL.index.sentence_text[sides.k]
        runs = [sides.k[texts == text] for text in np.unique(texts)]
        assert all((np.diff(run) == 1).all() for run in runs)
        assert sum(len(run) == 12 for run in runs) >= len(runs) - 1
    assert len({int(sides.q[0]) % 12 for sides in made.sides.values()}) > 1  # not always from the beginning


def test_as_many_texts_as_asked_for_each_with_its_share() -> None:
    made = plan(MATERIAL, corpus="toy", condition=CONDITIONS[5])
    for sides in made.sides.values():
        texts = MATERIAL.index.sentence_text[sides.k]
        assert len(np.unique(texts)) == 2
        for text in np.unique(texts):
            share = lengths(sides.k[texts == text])
            assert sum(share) > 75 - 1
            assert sum(share[:-1]) <= 75


def test_pairs_across_a_field_differ_in_it_for_both_kinds_of_problem() -> None:
    topics = Corpus(
        tuple(replace(text, metadata={"topic": f"topic{text.id[-1]}"}) for text in corpus(authors=12, texts=3))
    )
    shared = material(topics)
    made = plan(shared, corpus="toy", condition=Condition(drawing="whole", across="topic", k_texts=1))
    topic = {text.id: text.metadata["topic"] for text in topics}
    assert len(made.problems) > 12
    for planned in made.problems:
        problem = made.problem(planned)
        q, k = (texts_of(part.sentence_numbers, shared.index) for part in (problem.q, problem.k))
        assert not {topic[text] for text in q} & {topic[text] for text in k}


def test_pairs_within_a_field_agree_in_it() -> None:
    made = plan(MATERIAL, corpus="toy", condition=CONDITIONS[7])
    work = {text.id: text.metadata["work"] for text in MADE}
    for sides in made.sides.values():
        assert len({work[text] for text in texts_of(sides.q) | texts_of(sides.k)}) == 1


def test_roles_that_the_corpus_names_are_kept_and_can_be_ignored() -> None:
    made = corpus(roles=True)
    named = plan(material(made), corpus="toy", condition=Condition(drawing="whole"))
    role = {text.id: text.metadata["texttype"] for text in made}
    for sides in named.sides.values():
        assert {role[text] for text in texts_of(sides.q, named.material.index)} == {"unknown"}
        assert len(texts_of(sides.k, named.material.index)) == 3
    free = plan(material(made, roles=False), corpus="toy", condition=Condition(drawing="whole"))
    assert any("known" in {role[t] for t in texts_of(s.q, free.material.index)} for s in free.sides.values())


def test_the_reference_is_what_the_setting_says() -> None:
    made = corpus(roles=True)
    pool = tuple(
        replace(text, id=f"pool-{text.id}", author=f"p{text.author}", metadata={"role": "reference"})
        for text in corpus(authors=2, seed=9)
    )
    both = material(Corpus((*made.texts, *pool)))

    def reference(**options: str) -> set[str]:
        planned = plan(both, corpus="toy", condition=Condition(drawing="whole"), design=Design(**options))  # type: ignore[arg-type]
        one = next(one for one in planned.problems if one.half == "case" and not one.same_author)
        at_hand = {one.k_author, one.q_author}
        ids = texts_of(planned.problem(one).reference.sentence_numbers, both.index)
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
    both = material(Corpus((*corpus().texts, *pool)))
    planned = plan(both, corpus="toy", condition=CONDITIONS[2], design=Design(reference="pool"))
    for one in planned.problems:
        problem = planned.problem(one)
        for part, is_pool in ((problem.q, False), (problem.k, False), (problem.reference, True)):
            assert {id_.startswith("pool-") for id_ in texts_of(part.sentence_numbers, both.index)} == {is_pool}
        assert not {one.k_author, one.q_author} & set(problem.reference.authors)


def test_calibration_problems_have_the_reference_of_case_problems() -> None:
    made = plan(MATERIAL, corpus="toy", condition=CONDITIONS[0])
    one = next(one for one in made.problems if one.half == "calibration")
    assert set(made.problem(one).reference.authors) == set(made.halves["case"])


def test_pairs_are_anchored_as_asked() -> None:
    by = {
        name: plan(MATERIAL, corpus="toy", condition=CONDITIONS[0], design=Design(pairs=name))
        for name in ("trace", "source", "outside")
    }  # type: ignore[arg-type]

    def different(made: Plan) -> list[tuple[str, str]]:
        return [
            (problem.k_author, problem.q_author)
            for problem in made.problems
            if not problem.same_author and problem.half == "case"
        ]

    order = by["trace"].halves["case"]
    following = {author: order[(place + 1) % len(order)] for place, author in enumerate(order)}
    assert different(by["trace"]) == [(following[author], author) for author in sorted(order)]
    assert different(by["source"]) == [(author, following[author]) for author in sorted(order)]
    outside = different(by["outside"])
    assert {k for k, _ in outside} == set(order)
    assert {q for _, q in outside} <= set(by["outside"].halves["calibration"])


def test_more_pairs_an_author_when_asked() -> None:
    made = plan(MATERIAL, corpus="toy", condition=CONDITIONS[0], design=Design(calibration=0, n_pairs=5))
    assert len(made.problems) == 12 * 6
    assert len({problem.id for problem in made.problems}) == 12 * 6


@settings(max_examples=15)
@given(st.randoms(use_true_random=False), st.sampled_from(CONDITIONS))
def test_neither_the_order_of_files_nor_other_authors_change_what_an_author_contributes(
    random: "st.Random",
    condition: Condition,  # type: ignore[name-defined]
) -> None:
    texts = list(MADE.texts)
    random.shuffle(texts)
    texts = [text for text in texts if text.author != "a11"]
    fewer = material(Corpus(tuple(texts)))
    made, all_made = (plan(one, corpus="toy", condition=condition) for one in (fewer, MATERIAL))
    for author, sides in made.sides.items():
        for own, other in ((sides.q, all_made.sides[author].q), (sides.k, all_made.sides[author].k)):
            assert [fewer.index.tokens_of(int(n)) for n in own] == [MATERIAL.index.tokens_of(int(n)) for n in other]


def test_each_seed_changes_its_own_draw_and_nothing_else() -> None:
    def made(**seeds: int) -> Plan:
        return plan(MATERIAL, corpus="toy", condition=CONDITIONS[2], seeds=Seeds(**seeds))

    def drawn(one: Plan) -> dict[str, tuple[int, ...]]:
        return {author: (*sides.q, -1, *sides.k) for author, sides in one.sides.items()}

    base = made()
    assert made(split=2).halves != base.halves
    assert drawn(made(split=2)) == drawn(base)
    assert made(texts=2).halves == base.halves
    assert drawn(made(texts=2)) != drawn(base)
    other = made(reference=2)
    assert (other.halves, drawn(other), other.problems) == (base.halves, drawn(base), base.problems)
    assert other.seed(other.problems[0]) == (2, base.seed(base.problems[0])[1])


def test_a_problem_scores_as_its_sentences_do_on_their_own() -> None:
    made = plan(MATERIAL, corpus="toy", condition=CONDITIONS[0])
    one = next(one for one in made.problems if one.half == "case" and not one.same_author)
    assert one.id == f"toy/whole/{one.k_author}/{one.q_id}"
    by_id = {text.id: text for text in MADE}
    q_texts = {author: texts_of(sides.q).pop() for author, sides in made.sides.items()}
    k = [by_id[id_] for id_ in sorted(by_id) if by_id[id_].author == one.k_author and id_ != q_texts[one.k_author]]
    reference = [
        by_id[id_]
        for id_ in sorted(by_id)
        if by_id[id_].author in set(made.halves["case"]) - {one.k_author, one.q_author}
        and id_ != q_texts[str(by_id[id_].author)]
    ]
    by_hand = score(
        q=by_id[one.q_id].sentences,
        k=[sentence for text in k for sentence in text.sentences],
        reference=[sentence for text in reference for sentence in text.sentences],
        seed=made.seed(one),
    )
    problem = made.problem(one)
    scored = score(q=problem.q, k=problem.k, reference=problem.reference, seed=made.seed(one))  # type: ignore[arg-type]
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
    made = Corpus(tuple(texts))
    ready_made = replace(material(made), ready=ready, writers=writers)
    planned = plan(ready_made, corpus="pan", condition=Condition(drawing="whole"), design=Design(reference="all"))
    taken = {(one.k, one.q_id, one.same_author) for one in planned.problems}
    assert taken == {
        (f"p{number}", f"p{number}-unknown", bool(number % 2))
        for number in range(10)
        if f"p{number}" not in planned.left_out
    }
    one = next(one for one in planned.problems if one.k == "p0")
    assert (one.k_author, one.q_author) == ("ann", "p0 (another)")
    reference = texts_of(planned.problem(one).reference.sentence_numbers, ready_made.index)
    assert reference == {f"p{number}-known" for number in range(10)} - {"p0-known", "p5-known"}


def test_a_problem_between_the_halves_is_left_out() -> None:
    names = [f"w{n}" for n in range(6)]
    made = linked_problems(*((k, q) for k in names for q in names))  # everyone is linked with everyone
    planned = plan(made, corpus="pan", condition=Condition(drawing="whole"), design=Design(fewest_authors=2))
    assert set(planned.left_out.values()) == {"its two writers are in different halves"}
    assert len(planned.problems) + len(planned.left_out) == 36
    for problem in planned.problems:
        assert {problem.k_author, problem.q_author} <= set(planned.halves[problem.half])
        reference = planned.problem(problem).reference
        behind = {made.writer(str(author)) for author in reference.authors}
        assert not behind & {problem.k_author, problem.q_author}
        assert behind <= set(planned.halves["case"])


def test_no_reference_holds_a_copy_of_a_text_at_hand() -> None:
    texts = [replace(text, sentences=MADE.texts[0].sentences) if text.id == "a05-t3" else text for text in MADE]
    made = material(Corpus(tuple(texts)))
    planned = plan(made, corpus="toy", condition=CONDITIONS[2], design=Design(reference="all", reference_texts="all"))
    for problem in planned.problems:
        held = texts_of(planned.problem(problem).reference.sentence_numbers, made.index)
        assert ("a05-t3" in held) == (not {"a00", "a05"} & {problem.k, problem.q})
        assert planned.n_reference_of(problem) == len(planned.reference_of(problem))


def test_authors_that_are_too_short_are_left_out_with_the_reason() -> None:
    short = Corpus(
        tuple(
            replace(text, sentences=text.sentences[:1]) if text.author in ("a00", "a01") else text
            for text in MADE
            if text.id not in ("a02-t1", "a02-t2", "a02-t3")
        )
    )
    made = plan(material(short), corpus="toy", condition=CONDITIONS[2], design=Design(fewest_authors=2))
    assert made.left_out == {"a00": "too short", "a01": "too short", "a02": "fewer than two texts"}
    assert "a00" not in {problem.k_author for problem in made.problems}
    authors = {author for problem in made.problems for author in made.problem(problem).reference.authors}
    assert authors >= {"a00", "a01", "a02"} & set(made.halves["case"])  # short writers still stand for others


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
        assert not plan(material(uneven), corpus="toy", condition=needs, seeds=Seeds(texts=seed)).left_out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"condition": Condition(drawing="random", q_tokens=10_000, k_tokens=10)},
            "too few authors for random_q10000_k10: 0 of 5 in the calibration half",
        ),
        ({"design": Design(fewest_authors=6)}, "5 of 5 in the calibration half remain, and at least 6"),
        ({"condition": Condition(drawing="whole", across="topic")}, "have no field topic"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_words(options: dict[str, object], words: str) -> None:
    with pytest.raises(StudyError, match=words):
        plan(MATERIAL, corpus="toy", **{"condition": Condition(drawing="whole"), **options})  # type: ignore[arg-type]


def test_a_corpus_without_authors_is_refused() -> None:
    nobody = Corpus(tuple(replace(text, author=None) for text in MADE))
    with pytest.raises(StudyError, match="No text of toy has an author"):
        plan(material(nobody), corpus="toy", condition=Condition(drawing="whole"))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Condition(drawing="random", q_tokens=5), "at random need a length"),
        (lambda: Condition(drawing="contiguous", k_tokens=5), "in a row need a length"),
        (lambda: Condition(drawing="whole", q_tokens=5), "Whole texts keep their own lengths"),
        (lambda: Condition(drawing="whole", k_texts=0), "k_texts is 0"),
        (lambda: Condition(drawing="whole", across="work", within="topic"), "both differ in work and agree in topic"),
        (lambda: Design(calibration=1.0), "share of calibration authors is 1"),
        (lambda: Design(calibration=0, pairs="outside"), "need authors outside it"),
        (lambda: Design(n_pairs=0), "n_pairs must be a whole number from 1 to 100,000, not 0"),
        (lambda: Design(fewest_authors=1), "fewest_authors must be a whole number from 2 to 100,000, not 1"),
    ],
)
def test_contradictions_are_refused_in_words(make: "object", words: str) -> None:
    with pytest.raises(StudyError, match=words):
        make()  # type: ignore[operator]
