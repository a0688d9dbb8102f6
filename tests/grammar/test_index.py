"""The index: its facts, its parts, and what it refuses."""

import pickle

import numpy as np
import pytest

from idiograph import Corpus, Index, InputError, MaskedText
from made_index import corpus, toy_index


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
    assert part.n_hapaxes == MaskedText("x", None, part.sentences, "m").n_hapaxes


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
    assert index.text_ids[0].startswith("sentences-")
    assert Index([["a", "b"], [], ["b"]]).text_ids == index.text_ids
    assert Index([["a", "b"], ["b"]]).text_ids != index.text_ids


def test_another_process_opens_the_same_file_instead_of_copying_it(tmp_path):
    index = toy_index()
    index.save(tmp_path / "toy.index")
    opened = Index.open(tmp_path / "toy.index")
    assert len(pickle.dumps(opened)) < 500
    for one in (opened, index):
        again = pickle.loads(pickle.dumps(one.by("ann")))
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
