"""How a Q and a K are drawn from an author's texts: sentences at random, runs of sentences, as many texts as asked."""

import numpy as np

from generated import corpus
from idiograph.grammar.index import Index
from idiograph.studies.design import plan
from idiograph.studies.drawing import Condition
from idiograph.studies.material import Material

MADE = corpus(works=2)
MATERIAL = Material.of(Index(MADE), MADE)


def texts_of(numbers: np.ndarray) -> set[str]:
    index = MATERIAL.index
    return {index.text_ids[index.sentence_text[number]] for number in numbers}


def lengths(numbers: np.ndarray) -> list[int]:
    return [len(MATERIAL.index.tokens_of(int(number))) for number in numbers]


def test_random_sentences_stop_with_the_one_that_passes_the_count() -> None:
    made = plan(MATERIAL, corpus="toy", condition=Condition(drawing="random", q_tokens=100, k_tokens=150))
    for sides in made.sides.values():
        for numbers, tokens in ((sides.q, 100), (sides.k, 150)):
            drawn = lengths(numbers)
            assert sum(drawn) > tokens
            assert any(sum(drawn) - length <= tokens for length in drawn)
    assert any(len(texts_of(sides.k)) > 1 for sides in made.sides.values())


def test_contiguous_sentences_are_a_run_of_one_text_that_just_passes_the_count() -> None:
    made = plan(MATERIAL, corpus="toy", condition=Condition(drawing="contiguous", q_tokens=60, k_tokens=150))
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
    made = plan(MATERIAL, corpus="toy", condition=Condition(drawing="contiguous", q_tokens=60, k_tokens=150, k_texts=2))
    for sides in made.sides.values():
        texts = MATERIAL.index.sentence_text[sides.k]
        assert len(np.unique(texts)) == 2
        for text in np.unique(texts):
            share = lengths(sides.k[texts == text])
            assert sum(share) > 75 - 1
            assert sum(share[:-1]) <= 75


def test_pairs_within_a_field_agree_in_it() -> None:
    made = plan(
        MATERIAL, corpus="toy", condition=Condition(drawing="contiguous", q_tokens=60, k_tokens=80, within="work")
    )
    work = {text.id: text.metadata["work"] for text in MADE}
    for sides in made.sides.values():
        assert len({work[text] for text in texts_of(sides.q) | texts_of(sides.k)}) == 1
