"""The layout of an index in memory, by hand."""

from idiograph import Index
from idiograph.grammar.stream import END
from stream_events import events


def test_events_of_a_sentence_carry_the_numbers_of_repeated_n_grams():
    index = Index([["a", "b"], ["a", "b"], ["c"]], order=3)
    first, second, third = (list(events(index, number)) for number in range(3))
    assert first == second
    tokens, numbers = zip(*first, strict=True)
    assert tokens == (1, 2, END)
    # <BOS> a; a b, <BOS> a b; b <EOS>, a b <EOS>: five n-grams that occur twice, each with a number of its own.
    assert [len(own) for own in numbers] == [1, 2, 2]
    assert len({number for own in numbers for number in own}) == 5
    assert third == [(3, []), (END, [])]
