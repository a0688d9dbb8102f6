"""The texts of one comparison: counted, as words, and as they were written."""

from dataclasses import replace

import numpy as np

from idiograph import Corpus, MaskedText, Text, prepare
from idiograph.casework.inputs import n_tokens, sentences, side
from idiograph.texts.preparing.recipes import Recipe, Step
from made_texts import case_texts


def test_a_side_in_numbers() -> None:
    texts = case_texts()
    summary = side(texts.k)
    assert summary.texts == ("k1", "k2")
    assert summary.authors == ("lee",)
    assert summary.n_tokens == n_tokens(texts.k) == sum(map(len, sentences(texts.k)))
    assert summary.n_sentences == len(sentences(texts.k))
    assert texts.name == "Q1 and lee"


def test_words_are_the_written_ones_where_there_are_any() -> None:
    q = MaskedText("q", None, (("the", "N"),), "posnoise", np.array([[0, 3], [4, 7]], np.int32))
    texts = case_texts(q=(q,), originals={"q": Text("q", "The DOG")})
    assert texts.words(q) == ["the", "dog"]
    assert replace(texts, originals={}).words(q) == ["the", "N"]


def test_a_recipe_is_followed_back_to_what_was_written() -> None:
    read = Text("q", "@lee The DOG barks.")
    done = prepare(Corpus((read,)), Recipe(name="own", steps=(Step("user_tags", {"replace_with": ""}),)))
    prepared = done.corpus.texts[0]
    start = prepared.content.index("DOG")
    q = MaskedText("q", None, (("N",),), "posnoise", np.array([[start, start + 3]], np.int32))
    texts = case_texts(q=(q,), originals={"q": prepared})
    texts = replace(texts, as_read={"q": read}, record=done.record)
    content, spans = texts.as_written(q) or ("", np.empty((0, 2)))
    (first, last) = spans[0]
    assert content == read.content
    assert content[first:last] == "DOG"
    assert (first, last) != (start, start + 3)
    assert texts.as_written(texts.k[0]) is None
