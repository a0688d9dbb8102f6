"""GrammarModel: probabilities by hand, by property, and against the oracle; and what it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from idiograph import Corpus, GrammarModel, Index, InputError, MaskedText, ProblemError
from idiograph.grammar.model import longest_matches

D = 0.75
WORDS = st.sampled_from(["a", "b", "c", "the", "N", "<s>", "</s>", "<unk>", "___EOS___"])
SENTENCES = st.lists(st.lists(WORDS, max_size=7).map(tuple), min_size=1, max_size=8)
ORDERS = st.integers(1, 10)


def test_probability_by_hand():
    # <BOS> the N V the N <EOS>: the→N twice; N completes 1 of 5 bigram types; 4 types seen, 5 possible.
    model = GrammarModel.fit([("the", "N", "V", "the", "N")], order=2, discount=D)
    lower = (1 - D) / 5 + D * 4 / 5 * 1 / 5
    assert model.prob("N", after=("the",)) == pytest.approx((2 - D) / 2 + D * 1 / 2 * lower)


def test_a_sentence_start_by_hand():
    # Two of three sentences start with a; a follows <BOS> and b; bigram types: <BOS>a <BOS>b ba a<EOS>.
    model = GrammarModel.fit([("a",), ("a",), ("b", "a")], order=2, discount=D)
    lower = (2 - D) / 4 + D * 3 / 4 * 1 / 4
    assert model.prob("a", marks=1) == pytest.approx((2 - D) / 3 + D * 2 / 3 * lower)


def test_order_one_uses_raw_counts():
    model = GrammarModel.fit([("a", "a", "b")], order=1, discount=D)
    assert model.prob("a") == pytest.approx((2 - D) / 4 + D * 3 / 4 * 1 / 4)


def test_an_unseen_context_is_passed_over():
    model = GrammarModel.fit([("a", "b"), ("b", "c")], order=3, discount=D)
    assert model.prob("b", after=("never", "a")) == pytest.approx(
        oracle.Model([("a", "b"), ("b", "c")], 3, D).lower("b", ("a",))
    )


def test_tokens_that_look_like_marks_are_ordinary():
    plain = GrammarModel.fit([("x", "y", "z", "x"), ("y", "x")], order=4)
    dressed = GrammarModel.fit([("<s>", "</s>", "___EOS___", "<s>"), ("</s>", "<s>")], order=4)
    assert plain.log10_probs(("x", "y", "u")).tolist() == dressed.log10_probs(("<s>", "</s>", "<unk>")).tolist()


@given(SENTENCES, st.lists(WORDS, max_size=4).map(tuple), ORDERS, st.integers(0, 2), st.sampled_from([0.1, 0.75, 1.0]))
def test_probabilities_sum_to_one(sentences, context, order, marks, discount):
    model = GrammarModel.fit(sentences, order=order, discount=discount)
    vocabulary = sorted({token for sentence in sentences for token in sentence})
    everything = [*vocabulary, None, "never seen, so unknown".replace(" ", "_")]
    assert sum(model.prob(token, after=context, marks=marks) for token in everything) == pytest.approx(1, rel=1e-12)


@given(SENTENCES, SENTENCES, ORDERS, st.sampled_from([0.1, 0.75, 1.0]))
def test_every_token_has_the_oracles_probability(trained, asked, order, discount):
    model = GrammarModel.fit(trained, order=order, discount=discount)
    slow = oracle.Model(trained, order, discount)
    for sentence in asked:
        assert model.log10_probs(sentence) == pytest.approx(slow.log10_probs(sentence), rel=1e-11, abs=1e-13)


def test_a_model_of_nothing_is_refused():
    with pytest.raises(ProblemError, match=r"no sentence to make a model of\. Give at least one"):
        GrammarModel.fit([]).prob("a")


def test_settings_of_a_model_are_checked():
    for make in (GrammarModel.fit, GrammarModel):
        with pytest.raises(InputError, match=r"order must be a whole number from 1 to 30, not 0"):
            make([("a",)], order=0)
        with pytest.raises(InputError, match=r"discount must be a number from"):
            make([("a",)], discount=2)


@pytest.mark.parametrize("given", ["a b", None, 3, {"a"}, np.array(["a"]), iter(["a"])])
def test_a_sentence_is_asked_for_as_a_list_of_tokens(given):
    model = GrammarModel.fit([("a", "b")])
    with pytest.raises(InputError, match=r"A sentence must be a list of tokens, not"):
        model.log10_probs(given)
    with pytest.raises(InputError, match=r"A context must be a list of tokens, not"):
        model.prob("a", given)
    with pytest.raises(InputError, match=r"must be a list of token lists, not"):
        GrammarModel.fit(given).prob("a")


@pytest.mark.parametrize("marks", [-1, 1.0, True, None, "1"])
def test_marks_are_a_whole_number(marks):
    with pytest.raises(InputError, match=r"marks must be a whole number, 0 or more, not"):
        GrammarModel.fit([("a",)]).prob("a", marks=marks)


LISTS = st.lists(st.lists(st.sampled_from("abc"), max_size=7), min_size=1, max_size=5)


def occurs(gram: list[str], sentences: list[list[str]]) -> bool:
    return any(
        gram == events[start : start + len(gram)]
        for events in ([*sentence, "<end>"] for sentence in sentences)
        for start in range(len(events))
    )


@given(LISTS, LISTS, st.integers(1, 6))
def test_the_longest_match_at_each_token(q, k, order):
    for sentence, lengths in zip(q, longest_matches(q, k, order=order), strict=True):
        events = [*sentence, "<end>"]
        for end, length in enumerate(lengths, start=1):
            possible = range(min(order, end), -1, -1)
            assert length == next(n for n in possible if n == 0 or occurs(events[end - n : end], k))


def test_matches_by_hand():
    (lengths,) = longest_matches([["i", "do", "not", "know"]], [["we", "do", "not", "know"], ["i", "am"]])
    assert lengths.tolist() == [1, 1, 2, 3, 4]


def test_parts_of_an_index_are_matched_on_it_whatever_its_order():
    sentences = {"q": [["i", "do", "not", "know"], ["no"]], "k": [["we", "do", "not", "know", "."], ["i", "am"]]}
    texts = [MaskedText(id_, None, tuple(map(tuple, of_text)), "as-found") for id_, of_text in sentences.items()]
    index = Index(Corpus((*texts, MaskedText("other", None, (("you", "do", "not"),), "as-found"))), order=6)
    for order in (1, 3, 6):
        matches = longest_matches(index.text("q"), index.text("k"), order=order)
        by_lists = longest_matches(sentences["q"], sentences["k"], order=order)
        assert [lengths.tolist() for lengths in matches] == [lengths.tolist() for lengths in by_lists]
    with pytest.raises(InputError, match="only up to 6"):  # a new index would have any order
        longest_matches(index.text("q"), index.text("k"), order=7)
