"""N-grams of several texts, numbered and counted."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from idiograph.evidence.cosine import count_n_grams


def test_by_hand():
    # 0 1 0 1 | 0: 0 three times, 1 twice, 01 twice, 10 once; a second text 1 1.
    counts = count_n_grams(np.array([0, 1, 0, 1, 0, 1, 1]), sizes=[[4, 1], [2]], lengths=range(1, 3))
    # 0, 1; 01, 10, 11
    assert counts.n_ids == 5
    assert counts.ids.tolist() == [0, 1, 2, 3, 1, 4]
    assert counts.times.tolist() == [3, 2, 2, 1, 2, 1]
    assert counts.starts.tolist() == [0, 4, 6]


def test_some_texts_put_together_as_the_last_one():
    # 0 1 | 1 1 | 0 | 1 1 0: the first alone, then the second and the last as one text.
    counts = count_n_grams(np.array([0, 1, 1, 1, 0, 1, 1, 0]), sizes=[[2], [2], [1], [3]], lengths=range(1, 3))
    joined = counts.with_last(1, [1, 3])
    # 0, 1; 01, 10, 11
    assert joined.starts.tolist() == [0, 3, 7]
    assert joined.ids.tolist() == [0, 1, 2, 0, 1, 3, 4]
    assert joined.times.tolist() == [1, 1, 1, 1, 4, 1, 2]
    assert joined.n_ids == counts.n_ids == 5


@given(
    st.lists(st.lists(st.lists(st.integers(0, 3), max_size=6), max_size=3), min_size=1, max_size=3),
    st.sampled_from([range(1, 4), range(2, 6), range(1, 2)]),
)
def test_as_counters_would_count(texts, lengths):
    symbols = [symbol for text in texts for piece in text for symbol in piece]
    counts = count_n_grams(np.array(symbols, np.int64), sizes=[[len(p) for p in t] for t in texts], lengths=lengths)
    slow = [
        Counter(tuple(p[i : i + n]) for p in text for n in lengths for i in range(len(p) - n + 1)) for text in texts
    ]
    numbers = {gram: i for i, gram in enumerate(sorted({g for c in slow for g in c}, key=lambda g: (len(g), g)))}
    for number, expected in enumerate(slow):
        part = slice(counts.starts[number], counts.starts[number + 1])
        found = dict(zip(counts.ids[part].tolist(), counts.times[part].tolist(), strict=True))
        assert found == {numbers[gram]: times for gram, times in expected.items()}
