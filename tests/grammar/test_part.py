"""Parts of an index: what they know of their sentences."""

import numpy as np
import pytest

from idiograph import MaskedText
from made_index import corpus, toy_index


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
