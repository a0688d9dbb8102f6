"""What Q and K share: against a search token by token."""

from hypothesis import given
from hypothesis import strategies as st

from idiograph.grammar.model import longest_matches

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
