"""The index: its facts, its parts, and what it refuses."""

import pickle

import numpy as np
import pytest

from idiograph import Corpus, Index, InputError, MaskedText, ProblemError, Text, score
from idiograph.grammar.sides import bring_together
from idiograph.grammar.stream import END, MAX_TYPES
from made_index import corpus, toy_index
from stream_events import events


def masked(id_, author, *lines, masking="m"):
    return MaskedText(id=id_, author=author, sentences=tuple(tuple(line.split()) for line in lines), masking=masking)


def test_texts_are_put_in_author_and_id_order_whatever_the_order_of_files():
    texts = corpus().texts
    index, turned = Index(Corpus(texts)), Index(Corpus(texts[::-1]))
    assert index.text_ids == turned.text_ids == tuple(sorted(index.text_ids))
    assert index.digest == turned.digest
    assert [index.tokens_of(n) for n in range(index.n_sentences)] == [
        turned.tokens_of(n) for n in range(index.n_sentences)
    ]


def test_facts_of_a_corpus():
    index = Index(Corpus((masked("t2", "ann", "a b c", ""), masked("t1", "bob", "b b"), masked("t0", None, "c"))))
    assert index.text_ids == ("t0", "t2", "t1")
    assert index.text_authors == (None, "ann", "bob")
    assert index.sentence_text.tolist() == [0, 1, 1, 2]
    assert index.sentence_lengths.tolist() == [1, 3, 0, 2]
    assert (index.n_sentences, index.n_tokens) == (4, 6)
    assert index.tokens_of(1) == ("a", "b", "c")
    with pytest.raises(InputError, match="The number of a sentence"):
        index.tokens_of(index.n_sentences)
    assert index.masking == "m"


def test_parts_hold_the_sentences_they_are_named_after():
    index = toy_index()
    assert index.by("ann").authors == ("ann",)
    assert index.excluding("ann", "bob").authors == ("cid", "dot")
    assert index.text("bob-1").text_ids == ("bob-1",)
    assert index.texts("bob-1", "ann-0").text_ids == ("ann-0", "bob-1")
    assert index.take([3, 1]).sentence_numbers.tolist() == [3, 1]
    assert index.take([]).n_sentences == 0
    assert index.all().n_tokens == index.n_tokens
    part = index.by("ann")
    assert part.sentences == tuple(index.tokens_of(int(n)) for n in part.sentence_numbers)


def test_arrays_are_read_only():
    index = toy_index()
    for array in (index.tokens, index.starts, index.stream, index.sentence_text, index.by("ann").sentence_numbers):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_plain_sentences_are_an_index_too():
    index = Index([["a", "b"], [], ("b",)])
    assert index.tokens_of(0) == ("a", "b")
    assert index.n_sentences == 3
    assert index.all().authors == ()
    assert (index.text_names, index.text_authors, index.sentence_text.tolist()) == (None, (None,), [0, 0, 0])
    assert (index.masking, index.path) == (None, None)
    assert index.text_ids[0].startswith("sentences-")
    assert Index([["a", "b"], [], ["b"]]).text_ids == index.text_ids
    assert Index([["a", "b"], ["b"]]).text_ids != index.text_ids


def test_another_process_opens_the_same_file_instead_of_copying_it(tmp_path):
    index = toy_index()
    index.save(tmp_path / "toy.index")
    opened = Index.open(tmp_path / "toy.index")
    assert len(pickle.dumps(opened)) < 500
    for source in (opened, index):
        again = pickle.loads(pickle.dumps(source.by("ann")))
        assert again.sentences == index.by("ann").sentences
        assert again.index.digest == index.digest


def test_an_index_is_frozen_and_says_what_it_is():
    index = Index([["a", "b"], []], order=4)
    assert repr(index) == "Index(2 sentences, 2 tokens, order 4)"
    with pytest.raises(AttributeError):
        index.order = 5


def test_texts_may_come_in_a_list():
    texts = corpus().texts
    assert Index(list(texts)).digest == Index(texts).digest == Index(Corpus(texts)).digest
    assert Index(texts[0]).text_ids == (texts[0].id,)
    assert Index(Corpus(())).text_ids == ()


NOT_NUMBERS = [
    None,
    5,
    "12",
    b"12",
    {1, 2},
    frozenset({1}),
    {1: 2},
    [0.5],
    [True],
    ["1"],
    [None],
    np.array(3),
    np.zeros((2, 2), int),
]


@pytest.mark.parametrize("numbers", [*NOT_NUMBERS, np.array([0.5]), np.array([True])])
def test_sentences_are_taken_by_whole_numbers_in_order(numbers):
    with pytest.raises(InputError, match=r"taken by a list of whole numbers from 0, in the order wanted, not by"):
        toy_index().take(numbers)


def test_sentences_may_be_taken_by_anything_with_an_order():
    index = toy_index()
    for numbers in ([3, 1], (3, 1), np.array([3, 1]), np.array([3, 1], np.uint8), iter([3, 1]), range(3, 0, -2)):
        assert index.take(numbers).sentence_numbers.tolist() == [3, 1]


@pytest.mark.parametrize("number", [9999, -1, 2**64, -(2**64)])
def test_a_sentence_that_is_not_there_is_refused(number):
    with pytest.raises(InputError, match=r"There is no sentence .*: the index has .*, numbered from 0"):
        toy_index().take([0, number])


def test_names_that_are_not_there_are_refused():
    index = toy_index()
    with pytest.raises(InputError, match=r'None of the 8 texts in the index is "ann-7" \(did you mean ann-'):
        index.text("ann-7")
    with pytest.raises(
        InputError, match=r'None of the 4 authors in the index is "bobb" \(did you mean bob\?\)\. Check it'
    ):
        index.by("ann", "bobb")
    # Everybody but somebody who is not there would be everybody: a leak by a typing error.
    with pytest.raises(InputError, match=r'None of the 4 authors in the index is "anne" \(did you mean ann\?\)'):
        index.excluding("anne")


@pytest.mark.parametrize("name", [None, 3, ["ann"], {"ann"}, ("ann", "bob"), b"ann", np.array(["ann"])])
@pytest.mark.parametrize("call", ["by", "excluding", "text", "texts"])
def test_names_must_be_strings(call, name):
    with pytest.raises(InputError, match=r"to look for must be a string, not .*one after the other"):
        getattr(toy_index(), call)(name)


@pytest.mark.parametrize("order", [0, 31, 2.0, True, "10", None, [10]])
def test_order_of_an_index_is_checked(order):
    with pytest.raises(InputError, match=r"order must be a whole number from 1 to 30, not"):
        Index([["a"]], order=order)


def text_of(id_, author, masking="m"):
    return MaskedText(id=id_, author=author, sentences=(("a", "b"), ("b",)), masking=masking)


@pytest.mark.parametrize("source", [Text("t", "A text."), [Text("t", "A text.")], Corpus((Text("t", "A text."),))])
def test_texts_that_are_not_masked_are_refused(source):
    with pytest.raises(InputError, match=r"The text t is not masked\. Mask it before it is scored"):
        Index(source)


def test_an_index_of_texts_masked_in_two_ways_is_refused():
    with pytest.raises(ProblemError, match=r"masked in different ways: t1 by m, t2 by n\..*mask all texts alike"):
        Index([text_of("t1", "ann"), text_of("t2", "bob", masking="n")])


def test_more_types_than_an_index_holds_are_refused(monkeypatch):
    assert MAX_TYPES == 2**24 - 1
    monkeypatch.setattr("idiograph.grammar.vocabulary.MAX_TYPES", 2)
    with pytest.raises(InputError, match=r"3 different tokens, and an index holds at most 2\. Mask the texts"):
        Index([["a", "b", "c"]])


def test_more_tokens_than_an_index_holds_are_refused(monkeypatch):
    monkeypatch.setattr("idiograph.grammar.vocabulary.MAX_WORDS", 40)
    with pytest.raises(InputError, match=r"3 tokens, and an index of order 10 holds about 4\. Index its parts one by"):
        Index([["a", "b", "c"]])


def test_a_part_knows_the_sentences_it_shares():
    index = toy_index()
    numbers = index.text("ann-0").sentence_numbers
    assert index.take(numbers[:3]).shared_with(index.take(numbers[3:])) == ()
    assert index.take(numbers[:3]).shared_with(index.by("ann")) == ("ann-0",)
    # Of another corpus, what both hold of a text of one name.
    assert index.take(numbers[:3]).shared_with(corpus().text("ann-0")) == ("ann-0",)
    assert corpus().by("ann").shared_with(index.by("ann")) == index.by("ann").text_ids


def test_a_part_keeps_its_sentences_when_the_callers_array_changes():
    numbers = np.array([1, 2])
    part = toy_index().take(numbers)
    numbers[0] = 7
    assert part.sentence_numbers.tolist() == [1, 2]


def test_a_part_counts_its_tokens_and_hapaxes():
    part = toy_index().by("ann")
    whole = MaskedText("x", None, part.sentences, "m")
    assert (part.n_sentences, part.n_tokens, part.n_hapaxes) == (len(part.sentences), whole.n_tokens, whole.n_hapaxes)
    assert (part.masking, part.authors) == ("m", ("ann",))
    assert repr(part) == "Part(40 of 160 sentences)"


def test_a_part_names_its_texts_in_the_order_of_the_index():
    index = toy_index()
    last, first = index.text("dot-1").sentence_numbers[0], index.text("ann-0").sentence_numbers[0]
    assert index.take([last, first]).text_ids == ("ann-0", "dot-1")
    assert index.take([last, first]).authors == ("ann", "dot")


def test_a_part_cannot_be_changed():
    part = toy_index().by("ann")
    with pytest.raises(AttributeError):
        part.sentence_numbers = np.zeros(1, np.int64)


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
    # Masking is known where any side's is.
    masked_sides = [score(q=side, k=k.sentences, reference=plain).masking for side in (q, q.sentences)]
    assert masked_sides == ["m", None]


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
    q, k = MaskedText("t1", None, (("a",),), "posnoise"), MaskedText("t2", None, (("a",),), "frames")
    with pytest.raises(ProblemError, match=r"masked in different ways: Q by posnoise, K by frames"):
        score(q=q, k=k, reference=REFERENCE)


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


def test_events_of_a_sentence_carry_the_numbers_of_repeated_n_grams():
    index = Index([["a", "b"], ["a", "b"], ["c"]], order=3)
    first, second, third = (list(events(index, number)) for number in range(3))
    assert first == second
    tokens, numbers = zip(*first, strict=True)
    assert tokens == (1, 2, END)
    # <BOS> a; a b, <BOS> a b; b <EOS>, a b <EOS>: five n-grams that occur twice, each with a number of its own.
    assert [len(of_event) for of_event in numbers] == [1, 2, 2]
    assert len({number for of_event in numbers for number in of_event}) == 5
    assert third == [(3, []), (END, [])]
