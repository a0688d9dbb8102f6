"""Q, K and reference of any kind become sentences of one index."""

import numpy as np
import pytest

from idiograph import Corpus, Index, InputError, MaskedText, ProblemError, Text, score
from idiograph.grammar.index import bring_together
from made_index import corpus, toy_index

REFERENCE = [["r"], ["s", "t"], ["u"]]


def test_sides_may_be_of_any_kind():
    texts = corpus()
    index = Index(texts)
    q, k, reference = texts.text("ann-0"), texts.by("ann").texts[1], texts.excluding("ann")
    expected = score(q=index.text("ann-0"), k=index.text("ann-1"), reference=index.excluding("ann")).lambda_g
    plain = [sentence for text in reference.sorted() for sentence in text.sentences]
    apart = Index(Corpus((q, k)))
    for sides in (
        {"q": q, "k": k, "reference": reference},
        {"q": q.sentences, "k": list(map(list, k.sentences)), "reference": plain},
        {"q": q, "k": Corpus((k,)), "reference": index.excluding("ann")},
        {"q": apart.text("ann-0"), "k": apart.text("ann-1"), "reference": index.excluding("ann")},
        {"q": q, "k": k, "reference": Index(reference)},
        {"q": q.sentences, "k": k, "reference": Corpus(reference.texts[::-1])},
    ):
        assert score(**sides).lambda_g == expected
    assert score(q=Index(Corpus((q,))), k=k, reference=reference).lambda_g == expected


def test_parts_of_one_index_stay_in_it():
    index = toy_index()
    sides = bring_together(q=index.text("ann-0"), k=index.text("ann-1"), reference=index, order=3)
    assert sides.index is index
    assert np.array_equal(sides.k, index.text("ann-1").sentence_numbers)
    assert len(sides.reference) == index.n_sentences


def test_other_sides_get_an_index_of_their_own():
    sides = bring_together(q=[["a"]], k=MaskedText("k", "ann", (("b", "a"),), "m"), reference=[["c"], []], order=3)
    assert (sides.q.tolist(), sides.k.tolist(), sides.reference.tolist()) == ([0], [1], [2, 3])
    assert [sides.index.tokens_of(number) for number in range(4)] == [("a",), ("b", "a"), ("c",), ()]
    assert (sides.index.order, sides.masking) == (3, "m")


def test_texts_masked_in_two_ways_are_refused():
    one, other = MaskedText("t1", None, (("a",),), "posnoise"), MaskedText("t2", None, (("a",),), "frames")
    with pytest.raises(ProblemError, match=r"masked in different ways: Q by posnoise, K by frames"):
        score(q=one, k=other, reference=REFERENCE)


def test_an_order_beyond_the_index_is_refused():
    index = Index(corpus(), order=4)
    sides = {"q": index.text("ann-0"), "k": index.text("ann-1"), "reference": index.excluding("ann")}
    with pytest.raises(
        InputError, match=r"order is 5, but the index numbers n-grams only up to 4\. Build it with Index"
    ):
        score(**sides, order=5)
    whole = toy_index()
    expected = score(q=whole.text("ann-0"), k=whole.text("ann-1"), reference=whole.excluding("ann"), order=4)
    assert score(**sides, order=4).lambda_g == expected.lambda_g


@pytest.mark.parametrize("side", ["q", "k", "reference"])
@pytest.mark.parametrize(
    "given", [None, 3, "a b", {("a",)}, {"a": 1}, b"ab", 2.5, np.array([["a"]]), Text("t", "A text.")]
)
def test_each_side_must_be_sentences_texts_or_a_part(side, given):
    with pytest.raises(InputError, match=r"must be a list of token lists|is not masked|must be a list of tokens"):
        score(**{"q": [["a"]], "k": [["b"]], "reference": REFERENCE, side: given})
