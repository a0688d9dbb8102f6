"""An attack: which trigrams it takes and where it puts them, by hand and as an obvious way of doing it has it."""

from collections import Counter
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph import StudyError
from idiograph.evidence.repetition import trigrams
from idiograph.studies.attack import Attack, inserted, most_typical, name_of

TEXT = st.lists(st.lists(st.sampled_from("abc"), max_size=9).map(tuple), min_size=1, max_size=9)
PHRASE, OTHER = ("x", "y", "z"), ("u", "v", "w")


def test_trigrams_stay_within_a_sentence():
    assert trigrams([("a", "b", "c", "d"), ("a", "b", "c"), ("e", "f")]) == {("a", "b", "c"): 2, ("b", "c", "d"): 1}


def test_the_most_typical_by_hand():
    # Of 8 trigrams of K: 4 × x, 3 × u, 1 × other. The rest has x 3 times and u never, among 7.
    # x: 4/8·ln((4/8)/(4/8)) = 0; u: 3/8·ln((3/8)/(1/8)) = 0.41; other, which K has once, does not count.
    k = Counter({PHRASE: 4, OTHER: 3, ("a", "b", "c"): 1})
    rest = Counter({PHRASE: 3, ("p", "q", "r"): 4})
    assert most_typical(k, rest, 5) == [OTHER, PHRASE]
    assert most_typical(k, rest, 1) == [OTHER]
    # Without the rest's habit of x it is the other way round: 4/8·ln((4/8)/(1/8)) = 0.69.
    assert most_typical(k, Counter({("p", "q", "r"): 7}), 2) == [PHRASE, OTHER]


def test_phrases_stand_before_the_last_token_of_one_sentence_after_the_other():
    q = [("a", "b", "."), ("c",), ()]
    assert inserted(q, [PHRASE], 2) == (("a", "b", "x", "y", "z", "."), ("x", "y", "z", "c"), ())
    assert inserted(q, [PHRASE, OTHER], 4) == (
        ("a", "b", "x", "y", "z", "u", "v", "w", "."),
        ("u", "v", "w", "c"),
        ("x", "y", "z"),
    )


@given(TEXT, TEXT, st.integers(1, 5))
def test_the_most_typical_as_one_would_sort_them(k, rest, n):
    of_k = [tuple(line[i : i + 3]) for line in k for i in range(len(line) - 2)]
    of_rest = [tuple(line[i : i + 3]) for line in rest for i in range(len(line) - 2)]
    ranked = []
    for trigram in sorted(set(of_k)):
        if of_k.count(trigram) >= 3:
            p, other = of_k.count(trigram) / len(of_k), (of_rest.count(trigram) + 1) / (len(of_rest) + 1)
            ranked.append((-p * log(p / other), trigram))
    typical = most_typical(trigrams(k), trigrams(rest), n)
    worth = {trigram: value for value, trigram in ranked}
    assert [worth[trigram] for trigram in typical] == pytest.approx([value for value, _ in sorted(ranked)[:n]])


@given(TEXT, st.integers(1, 3), st.integers(1, 40))
def test_nothing_else_changes(q, n_phrases, times):
    # Tokens that Q has not, so that taking them out again must give Q.
    phrases = [tuple(f"{letter}{number}" for letter in "xyz") for number in range(n_phrases)]
    attacked = inserted(q, phrases, times)
    assert [tuple(token for token in line if len(token) == 1) for line in attacked] == [tuple(line) for line in q]
    counts = Counter(token for line in attacked for token in line)
    for letter in "xyz":
        each = [counts[f"{letter}{number}"] for number in range(n_phrases)]
        assert sum(each) == times
        assert max(each) - min(each) <= 1


def test_kinds_have_names():
    assert name_of((1, 20)) == "one trigram 20 times"
    assert name_of((5, 40)) == "5 trigrams, 40 in all"


def test_settings():
    assert not Attack().on
    assert Attack(insert=True).on
    assert Attack(disguised=True).on
    assert Attack().kinds == ((1, 10), (1, 20), (5, 20), (5, 40))
    for wrong in ((), ((1, 10), (1, 10)), ((0, 10),), ((1, 2000),)):
        with pytest.raises(StudyError, match="kinds must be a list of pairs of whole numbers from 1 to 1,000"):
            Attack(kinds=wrong)
