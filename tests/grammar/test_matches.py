"""What Q and K share: against a search token by token."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph import Index, InputError
from idiograph.grammar.matches import find_n_gram, longest_matches
from made_index import toy_index

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


def test_an_n_gram_is_found_in_its_sentences_only():
    index = Index([["a", "b"], ["c", "a", "b", "a", "b"], ["b", "a"], ["a"], ["b"]])
    assert find_n_gram(index.all(), ["a", "b"]).tolist() == [0, 1]
    assert find_n_gram(index.take([1, 2]), ("a", "b")).tolist() == [1]
    assert find_n_gram(index.all(), ["a", "x"]).tolist() == []
    assert find_n_gram(index.all(), ["a"] * 30).tolist() == []
    part = toy_index().by("ann")
    assert find_n_gram(part, ["w1"]).tolist() == [
        number for number in part.sentence_numbers.tolist() if "w1" in part.index.tokens_of(number)
    ]


def test_an_n_gram_must_be_given_as_tokens():
    for wrong in ("a b", []):
        with pytest.raises(InputError, match=r"The n-gram to look for is .*Give its tokens as a list"):
            find_n_gram(Index([["a"]]).all(), wrong)
