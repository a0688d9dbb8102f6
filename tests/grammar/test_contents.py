"""What an index holds: made of texts in their order, and refused where it cannot be."""

import pytest

from idiograph import Corpus, Index, InputError, MaskedText, ProblemError, Text
from idiograph.grammar.stream import MAX_TYPES
from idiograph.grammar.vocabulary import common_masking, contents_of, masked_texts


def masked(id_, author, masking="m"):
    return MaskedText(id=id_, author=author, sentences=(("a", "b"), ("b",)), masking=masking)


def test_contents_of_plain_sentences_are_one_text_without_a_name():
    contents = contents_of([["a", "b"], ["b"]], 3)
    assert (contents.tokens.tolist(), contents.starts.tolist()) == ([1, 2, 2], [0, 2, 3])
    assert (contents.text_names, contents.text_authors, contents.masking) == (None, (None,), None)
    assert contents.sentence_text.tolist() == [0, 0]
    assert (contents.order, contents.types, contents.path) == (3, ("a", "b"), None)


def test_contents_of_texts_know_whose_they_are():
    contents = contents_of(Corpus((masked("t2", "bob"), masked("t1", "ann"))), 3)
    assert (contents.text_names, contents.text_authors) == (("t1", "t2"), ("ann", "bob"))
    assert contents.sentence_text.tolist() == [0, 0, 1, 1]
    assert contents.masking == "m"


def test_texts_are_told_from_sentences():
    assert masked_texts([["a"], ["b"]]) is None
    assert masked_texts("abc") is None
    assert masked_texts(Corpus(())) == ()
    assert masked_texts([masked("t2", "ann"), masked("t1", "ann")]) == (masked("t1", "ann"), masked("t2", "ann"))


@pytest.mark.parametrize("source", [Text("t", "A text."), [Text("t", "A text.")], Corpus((Text("t", "A text."),))])
def test_texts_that_are_not_masked_are_refused(source):
    with pytest.raises(InputError, match=r"The text t is not masked\. Mask it before it is scored"):
        Index(source)


def test_texts_masked_in_two_ways_are_refused():
    with pytest.raises(ProblemError, match=r"masked in different ways: t1 by m, t2 by n\..*mask all texts alike"):
        Index([masked("t1", "ann"), masked("t2", "bob", masking="n")])
    assert common_masking([("Q", "m"), ("K", None), ("R", "m")]) == "m"
    assert common_masking([]) is None


def test_more_types_than_an_index_holds_are_refused(monkeypatch):
    assert MAX_TYPES == 2**24 - 1
    monkeypatch.setattr("idiograph.grammar.vocabulary.MAX_TYPES", 2)
    with pytest.raises(InputError, match=r"3 different tokens, and an index holds at most 2\. Mask the texts"):
        Index([["a", "b", "c"]])


def test_more_tokens_than_an_index_holds_are_refused(monkeypatch):
    monkeypatch.setattr("idiograph.grammar.vocabulary.MAX_WORDS", 40)
    with pytest.raises(InputError, match=r"3 tokens, and an index of order 10 holds about 4\. Index its parts one by"):
        Index([["a", "b", "c"]])
