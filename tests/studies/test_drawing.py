"""Drawing Q and K of an author's texts: never a text in both, as long as asked, by the generator alone."""

import numpy as np
import pytest

from generated import corpus
from idiograph.errors import StudyError
from idiograph.grammar.index import Index
from idiograph.studies.drawing import Condition, divide, draw_side
from idiograph.studies.material import Material

MADE = corpus(authors=3, texts=5, works=2)
MATERIAL = Material.of(Index(MADE), MADE)
TEXTS = MATERIAL.texts_by["a01"]
RANDOM = Condition(drawing="random", q_tokens=60, k_tokens=120)
CONTIGUOUS = Condition(drawing="contiguous", q_tokens=40, k_tokens=60, k_texts=2)


def test_a_condition_is_named_after_all_that_makes_it() -> None:
    made = Condition(drawing="contiguous", q_tokens=5, k_tokens=9, k_texts=2, across="work")
    assert made.name == "contiguous_q5_k9_ktexts2_across-work"
    assert (Condition(drawing="whole").name, Condition(drawing="whole").n_q_texts) == ("whole", 1)
    assert RANDOM.n_q_texts is None


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"drawing": "random"}, "need a length for Q and for K"),
        ({"drawing": "whole", "q_tokens": 5, "k_tokens": 5}, "Whole texts keep their own lengths"),
        ({"drawing": "whole", "across": "work", "within": "work"}, "both differ in work and agree in work"),
    ],
)
def test_conditions_that_contradict_themselves_are_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(StudyError, match=said):
        Condition(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("condition", [RANDOM, CONTIGUOUS, Condition(drawing="whole")])
def test_q_and_k_share_no_text(condition: Condition) -> None:
    for seed in range(5):
        divided = divide(MATERIAL, TEXTS, condition, np.random.default_rng(seed))
        assert divided is not None
        q, k = divided
        assert not set(q.tolist()) & set(k.tolist())
        assert set(q.tolist()) | set(k.tolist()) <= set(TEXTS.tolist())


def test_across_a_field_both_sides_differ_in_it() -> None:
    divided = divide(MATERIAL, TEXTS, Condition(drawing="whole", across="work"), np.random.default_rng(1))
    assert divided is not None
    q, k = (set(MATERIAL.values("work", side)) for side in divided)
    assert not q & k


def test_sentences_pass_the_length_and_no_further_than_one_sentence() -> None:
    lengths = MATERIAL.index.sentence_lengths
    found = draw_side(MATERIAL, TEXTS, RANDOM, "q", np.random.default_rng(2))
    assert found is not None
    assert found.tolist() == sorted(set(found.tolist()))
    assert 60 < lengths[found].sum() <= 60 + lengths.max()


def test_contiguous_sentences_are_runs_of_as_many_texts() -> None:
    found = draw_side(MATERIAL, TEXTS, CONTIGUOUS, "k", np.random.default_rng(3))
    assert found is not None
    texts = MATERIAL.index.sentence_text[found]
    assert len(set(texts.tolist())) == 2
    for text in set(texts.tolist()):
        run = found[texts == text]
        assert run.tolist() == list(range(run[0], run[-1] + 1))


def test_too_little_text_is_none() -> None:
    long = Condition(drawing="random", q_tokens=9_000, k_tokens=9_000)
    assert divide(MATERIAL, TEXTS, long, np.random.default_rng(1)) is None
    assert draw_side(MATERIAL, TEXTS, long, "q", np.random.default_rng(1)) is None


def test_a_contiguous_q_is_one_text_where_one_is_long_enough_and_else_as_few_whole_texts_as_it_takes() -> None:
    lengths = MATERIAL.text_tokens[TEXTS]
    short = Condition(drawing="contiguous", q_tokens=int(lengths.max()) - 1, k_tokens=60)
    long = Condition(drawing="contiguous", q_tokens=int(lengths.max()) + 5, k_tokens=60)
    for condition, n_texts in ((short, 1), (long, 2)):
        divided = divide(MATERIAL, TEXTS, condition, np.random.default_rng(4))
        assert divided is not None
        q, k = divided
        assert len(q) == n_texts
        assert not set(q.tolist()) & set(k.tolist())
        found = draw_side(MATERIAL, q, condition, "q", np.random.default_rng(4))
        assert found is not None
        assert condition.q_tokens is not None
        assert MATERIAL.index.sentence_lengths[found].sum() > condition.q_tokens
        assert set(MATERIAL.index.sentence_text[found].tolist()) == set(q.tolist())
    # Where a corpus says which texts are questioned, one of them that is long enough is preferred, too.
    for seed in range(6):
        found = draw_side(MATERIAL, TEXTS, short, "q", np.random.default_rng(seed))
        assert found is not None
        assert len(set(MATERIAL.index.sentence_text[found].tolist())) == 1
