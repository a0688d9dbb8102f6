"""Tokens as numbers: how they are given, and every way in which they cannot be."""

import numpy as np
import pytest

from idiograph import Index, InputError
from idiograph.grammar.vocabulary import Vocabulary, encoded, frozen, token_numbers


def test_tokens_are_numbered_from_one_in_order_of_appearance():
    vocabulary = Vocabulary()
    tokens, starts = encoded([["b", "a"], [], ["b"]], vocabulary)
    assert (tokens.tolist(), starts.tolist(), dict(vocabulary)) == ([1, 2, 1], [0, 2, 2, 3], {"b": 1, "a": 2})
    again, _ = encoded([("c", "a")], vocabulary)
    assert again.tolist() == [3, 2]


def test_the_tokens_of_some_sentences():
    tokens, starts = encoded([["a", "b"], [], ["c"], ["d", "e"]], Vocabulary())
    assert token_numbers(tokens, starts, np.array([3, 1, 0])).tolist() == [4, 5, 1, 2]
    assert token_numbers(tokens, starts, np.array([], np.int64)).tolist() == []


def test_a_frozen_array_is_contiguous_and_read_only():
    array = frozen(np.arange(10)[::2])
    assert array.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


@pytest.mark.parametrize(
    ("sentences", "shown"),
    [
        ("a b c", '"a b c"'),
        (17, "17"),
        (None, "nothing"),
        ({("a",)}, "a value of type set"),
        ({"a": 1}, "a table"),
        (np.array([["a"]]), "a value of type ndarray"),
        ((s for s in [["a"]]), "a value of type generator"),
    ],
)
def test_sentences_must_be_a_list_of_token_lists(sentences, shown):
    with pytest.raises(InputError, match=f"must be a list of token lists, not {shown}.*keep their order"):
        Index(sentences)


@pytest.mark.parametrize("sentence", ["b c", {"b"}, {"b": 1}, None, 3, np.array(["b"]), iter(["b"])])
def test_each_sentence_must_be_a_list(sentence):
    with pytest.raises(InputError, match=r"Sentence 1 must be a list of tokens, not .*Split it into its tokens"):
        Index([["a"], sentence])


@pytest.mark.parametrize("token", [3, None, ["b"], b"b", 2.5, ("b",), {"b"}])
def test_each_token_must_be_a_string(token):
    with pytest.raises(InputError, match=r"A token must be a string, not .*Give each sentence as a list of strings"):
        Index([["a", token]])


def test_a_token_has_no_blank_and_is_not_empty():
    for token in ("b c", "b\n", " ", "\u00a0b"):
        with pytest.raises(
            InputError, match=r"contains a blank\. Tokens are separated by blanks, so split it or remove"
        ):
            Index([["a", token]])
    with pytest.raises(InputError, match=r"A token is empty\. Tokens are separated by blanks"):
        Index([["a", ""]])
