"""The material of a corpus: lengths, authors, roles and fields of its texts, as drawing asks for them."""

from dataclasses import replace

import numpy as np
import pytest

from idiograph.errors import InputError
from idiograph.grammar.index import Index
from idiograph.studies.material import Material, author_rng
from idiograph.texts.text import Corpus, MaskedText

SENTENCES = {
    "a1": (("the", "N"), ("a", "J", "N")),
    "a2": (("V",),),
    "b1": (("we", "V", "it"), ("N",), ("you", "V")),
}


def text(id_: str, author: str | None, **metadata: object) -> MaskedText:
    return MaskedText(id_, author, SENTENCES.get(id_, (("x",),)), "masked", metadata=metadata)


def material(*texts: MaskedText, roles: bool = True) -> Material:
    corpus = Corpus(texts)
    return Material.of(Index(corpus), corpus, roles=roles)


TEXTS = (
    text("a1", "ann", role="Known", work="one", year=1864),
    text("a2", "ann", role="questioned", work=""),
    text("b1", "bob", texttype="ref"),
    text("c1", None),
)


def test_lengths_and_authors_of_texts() -> None:
    made = material(*TEXTS)
    number = {id_: place for place, id_ in enumerate(made.index.text_ids)}
    assert {id_: int(made.text_tokens[place]) for id_, place in number.items()} == {"a1": 5, "a2": 1, "b1": 6, "c1": 1}
    assert {author: len(texts) for author, texts in made.texts_by.items()} == {"ann": 2, "bob": 1}
    assert made.starts[-1] == made.index.n_sentences == 7
    assert made.tokens_before[-1] == 13


def test_sentences_of_texts_come_in_order() -> None:
    made = material(*TEXTS)
    number = {id_: place for place, id_ in enumerate(made.index.text_ids)}
    found = made.sentences(np.array([number["b1"], number["a1"]]))
    assert [made.index.tokens_of(int(place)) for place in found] == [*SENTENCES["a1"], *SENTENCES["b1"]]
    assert made.sentences(np.empty(0, np.int64)).size == 0


def test_roles_by_the_names_that_corpora_use_unless_all_texts_are_taken_alike() -> None:
    made = material(*TEXTS)
    assert made.roles == {"a1": "known", "a2": "unknown", "b1": "reference"}
    assert made.has_roles
    assert dict(zip(made.index.text_ids, made.text_roles.tolist(), strict=True))["c1"] == ""
    assert material(*TEXTS, roles=False).roles == {}
    assert not material(TEXTS[2], TEXTS[3]).has_roles


def test_fields_are_what_the_metadata_say() -> None:
    made = material(*TEXTS)
    texts = made.texts_by["ann"]
    assert sorted(made.values("work", texts), key=str) == [None, "one"]
    assert "1864" in made.values("year", texts)
    assert made.values("topic", texts) == [None, None]


def test_the_texts_of_a_writer_are_those_of_all_labels_and_their_copies() -> None:
    made = Corpus(
        tuple(
            MaskedText(id_, author, (tuple(f"{word}{n}" for n in range(n_tokens)),), "masked")
            for id_, author, word, n_tokens in (
                ("1", "p1", "a", 30),
                ("2", "p2", "b", 30),
                ("3", "p3", "c", 30),
                ("4", "p4", "a", 30),  # the same text as 1, by somebody else
                ("5", "p5", "b", 19),
                ("6", "p6", "b", 19),  # too short to mean anything
            )
        )
    )
    found = Material(Index(made), writers={"p1": "ann", "p3": "ann"})
    ids = found.index.text_ids
    assert ids is not None
    assert [ids[text] for text in found.texts_of("p1")] == ["1", "3", "4"]
    assert [ids[text] for text in found.texts_of("p2", "p5")] == ["2", "5"]
    assert [ids[text] for text in found.texts_of("p4")] == ["1", "4"]
    assert (found.writer("p3"), found.writer("p4")) == ("ann", "p4")


def test_a_generator_depends_on_the_seed_and_the_names_alone() -> None:
    def drawn(*given: object) -> float:
        return float(author_rng(*given).random())  # type: ignore[arg-type]

    assert drawn(1, "ann", "k") == drawn(1, "ann", "k")
    assert len({drawn(1, "ann"), drawn(2, "ann"), drawn(1, "bob"), drawn(1, "ann", "k")}) == 4


def test_disguises_are_roles_that_make_no_ready_problems() -> None:
    made = material(text("a1", "ann", role="imitation"), text("a2", "ann", texttype="Obfuscation"))
    assert sorted(made.text_roles.tolist()) == ["imitation", "obfuscation"]
    assert not made.has_roles


def test_a_missing_original_is_an_error_and_never_nothing() -> None:
    made = material(*TEXTS[:3])  # a1 has the first two sentences, a2 the third
    with pytest.raises(InputError, match=r"originals of 1 text are not at hand \(a1\)"):
        made.written(np.array([0, 1]))
    whole = replace(made, originals={"a1": ("The N.", "A J N.")})
    assert "".join(whole.written(np.array([0, 1]))).replace(" ", "") == "TheN.AJN."
    with pytest.raises(InputError, match=r"not at hand \(a2\).*leave out typing and original"):
        whole.written(np.array([1, 2]))
