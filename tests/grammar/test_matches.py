"""What Q and K share: against a search token by token."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph.errors import InputError
from idiograph.grammar.index import Index
from idiograph.grammar.model import longest_matches
from idiograph.texts.text import Corpus, MaskedText

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
    texts = [MaskedText(id_, None, tuple(map(tuple, own)), "as-found") for id_, own in sentences.items()]
    index = Index(Corpus((*texts, MaskedText("other", None, (("you", "do", "not"),), "as-found"))), order=6)
    for order in (1, 3, 6):
        matches = longest_matches(index.text("q"), index.text("k"), order=order)
        by_lists = longest_matches(sentences["q"], sentences["k"], order=order)
        assert [lengths.tolist() for lengths in matches] == [lengths.tolist() for lengths in by_lists]
    with pytest.raises(InputError, match="only up to 6"):  # a new index would have any order
        longest_matches(index.text("q"), index.text("k"), order=7)
