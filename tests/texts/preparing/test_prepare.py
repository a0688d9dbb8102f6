"""prepare: what it does to texts and metadata, and what it refuses."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idiograph import Corpus, InputError, Text, prepare
from prepared_texts import MAIL, corpora, prepared_by, recipe_names, recipes


@settings(deadline=None)
@given(corpus=corpora, recipe=recipes)
def test_any_recipe_can_be_undone(corpus: Corpus[Text], recipe: Any) -> None:
    prepared = prepare(corpus, recipe)
    assert prepared.restored() == corpus
    assert [text.content.encode() for text in prepared.restored()] == [text.content.encode() for text in corpus]
    assert len(prepared.corpus) + sum(text.left_out is not None for text in prepared.record.texts) == len(corpus)


@given(corpus=corpora, recipe=recipes, data=st.data())
def test_files_in_another_order_change_nothing(corpus: Corpus[Text], recipe: Any, data: st.DataObject) -> None:
    shuffled = Corpus(tuple(data.draw(st.permutations(corpus.texts))))
    before, after = prepare(corpus, recipe), prepare(shuffled, recipe)
    assert {text.id: text for text in before.corpus} == {text.id: text for text in after.corpus}
    assert before.record.steps == after.record.steps
    assert {text.id: text for text in before.record.texts} == {text.id: text for text in after.record.texts}
    kept = {text.id for text in before.corpus}
    assert [text.id for text in after.corpus] == [text.id for text in shuffled if text.id in kept]


def test_metadata_is_changed_and_changed_back() -> None:
    corpus = Corpus((Text("1", "one two", "a", {"role": "x", "date": "1999"}), Text("2", "one two", "b")))
    prepared = prepared_by(corpus, "assign_q_k", q_tokens=1, k_tokens=0)
    assert [dict(text.metadata) for text in prepared.corpus] == [{"role": "Q", "date": "1999"}, {"role": "Q"}]
    assert list(prepared.record.diff("1")) == ["1 assign_q_k, role: 'x' -> 'Q'"]
    assert prepared.restored() == corpus


def test_a_text_of_which_nothing_is_left_is_named() -> None:
    texts = [Text("1", "http://a.b"), Text("2", " www.a.b"), Text("3", "x")]
    (note,) = prepared_by(texts, "urls", replace_with="").record.steps[-1].notes
    assert note == "Nothing is left of 2 texts (1, 2); the step text_length removes those."


@pytest.mark.parametrize("name", recipe_names())
def test_every_named_recipe_runs_and_can_be_undone(name: str) -> None:
    rows = [(f"{author}{n}", f"{MAIL} {n} {author}", author) for author in "abcdef" for n in range(3)]
    if name == "paper-enron":  # of which mails that share ten words leave nothing
        rows = [(id_, " ".join(f"{word}{id_}" for word in MAIL.split()), author) for id_, _, author in rows]
    corpus = Corpus(tuple(Text(*row) for row in rows))
    assert prepare(corpus, name).restored() == corpus


def test_what_cannot_be_prepared() -> None:
    with pytest.raises(InputError, match="The corpus has no text"):
        prepare(Corpus(()), "plain")
    with pytest.raises(InputError, match=r"The text half has half a character \(a surrogate at position 1"):
        prepare(Corpus((Text("half", "a\ud800"),)), "plain")
