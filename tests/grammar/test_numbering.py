"""N-grams numbered once: the same number for the same n-gram, none for what occurs once, by a slow count."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from idiograph import Index
from idiograph.grammar.numbering import fits, grown
from stream_events import events

SENTENCES = st.lists(st.lists(st.sampled_from("abcd"), max_size=7), min_size=1, max_size=8)


def n_grams(sentence: list[str], end: int, order: int) -> list[tuple[str, ...]]:
    """The 2-gram, 3-gram … that end at an event, at most one start mark included."""
    marked = ["<BOS>", *sentence, "<EOS>"]
    return [tuple(marked[end + 2 - n : end + 2]) for n in range(2, min(order, end + 2) + 1)]


@given(SENTENCES, st.integers(1, 6))
def test_an_n_gram_has_a_number_if_it_occurs_twice(sentences, order):
    index = Index(sentences, order=order)
    times = Counter(gram for s in sentences for end in range(len(s) + 1) for gram in n_grams(s, end, order))
    named: dict[int, tuple[str, ...]] = {}
    for number, sentence in enumerate(sentences):
        for end, (_, numbers) in enumerate(events(index, number)):
            grams = n_grams(sentence, end, order)
            assert len(numbers) == sum(times[gram] > 1 for gram in grams)
            for gram, number_of in zip(grams, numbers, strict=False):
                assert named.setdefault(number_of, gram) == gram
    assert sorted(named) == list(range(1, index.n_ids + 1)) == list(range(1, sum(n > 1 for n in times.values()) + 1))


@given(SENTENCES, st.integers(1, 6))
def test_what_was_numbered_fits(sentences, order):
    index = Index(sentences, order=order)
    parts = [index.tokens, index.starts, index.stream, index.places]
    assert fits(*parts, index.n_ids, order)
    assert not fits(parts[0], parts[1], parts[2][:-1], parts[3], index.n_ids, order)
    assert not fits(parts[0], parts[1], parts[2], parts[3] + 1, index.n_ids, order)
    if index.n_ids:
        assert not fits(*parts, index.n_ids - 1, order)


def test_a_table_that_grows_keeps_its_entries():
    table = np.zeros((8, 2), np.int64)
    for slot, key in enumerate((5 << 32 | 1, 7, 9 << 32)):
        table[slot] = key, slot + 1
    larger = grown(table, 64)
    assert sorted(map(tuple, larger[larger[:, 0] != 0].tolist())) == sorted(
        map(tuple, table[table[:, 0] != 0].tolist())
    )
