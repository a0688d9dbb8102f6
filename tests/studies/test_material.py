"""The material of a corpus: lengths, authors, roles and fields of its texts, as drawing asks for them."""

from dataclasses import replace

import numpy as np
import pytest

from idiograph import Corpus, Index, InputError, MaskedText
from idiograph.studies.material import Material, author_rng

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
    indexed = material(*TEXTS)
    number = {id_: rank for rank, id_ in enumerate(indexed.index.text_ids)}
    assert {id_: int(indexed.text_tokens[rank]) for id_, rank in number.items()} == {"a1": 5, "a2": 1, "b1": 6, "c1": 1}
    assert {author: len(texts) for author, texts in indexed.texts_by.items()} == {"ann": 2, "bob": 1}
    assert indexed.starts[-1] == indexed.index.n_sentences == 7
    assert indexed.tokens_before[-1] == 13


def test_sentences_of_texts_come_in_order() -> None:
    indexed = material(*TEXTS)
    number = {id_: rank for rank, id_ in enumerate(indexed.index.text_ids)}
    sentences = indexed.sentences(np.array([number["b1"], number["a1"]]))
    assert [indexed.index.tokens_of(int(rank)) for rank in sentences] == [*SENTENCES["a1"], *SENTENCES["b1"]]
    assert indexed.sentences(np.empty(0, np.int64)).size == 0


def test_roles_by_the_names_that_corpora_use_unless_all_texts_are_taken_alike() -> None:
    indexed = material(*TEXTS)
    assert indexed.roles == {"a1": "known", "a2": "unknown", "b1": "reference"}
    assert indexed.has_roles
    assert dict(zip(indexed.index.text_ids, indexed.text_roles.tolist(), strict=True))["c1"] == ""
    assert material(*TEXTS, roles=False).roles == {}
    assert not material(TEXTS[2], TEXTS[3]).has_roles


def test_fields_are_what_the_metadata_say() -> None:
    indexed = material(*TEXTS)
    texts = indexed.texts_by["ann"]
    assert sorted(indexed.values("work", texts), key=str) == [None, "one"]
    assert "1864" in indexed.values("year", texts)
    assert indexed.values("topic", texts) == [None, None]


def test_the_texts_of_a_writer_are_those_of_all_labels_and_their_copies() -> None:
    corpus = Corpus(
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
    indexed = Material(Index(corpus), writers={"p1": "ann", "p3": "ann"})
    ids = indexed.index.text_ids
    assert ids is not None
    assert [ids[text] for text in indexed.texts_of("p1")] == ["1", "3", "4"]
    assert [ids[text] for text in indexed.texts_of("p2", "p5")] == ["2", "5"]
    assert [ids[text] for text in indexed.texts_of("p4")] == ["1", "4"]
    assert (indexed.writer("p3"), indexed.writer("p4")) == ("ann", "p4")


def test_a_generator_depends_on_the_seed_and_the_names_alone() -> None:
    def drawn(*given: object) -> float:
        return float(author_rng(*given).random())  # type: ignore[arg-type]

    assert drawn(1, "ann", "k") == drawn(1, "ann", "k")
    assert len({drawn(1, "ann"), drawn(2, "ann"), drawn(1, "bob"), drawn(1, "ann", "k")}) == 4


def test_disguises_are_roles_that_make_no_ready_problems() -> None:
    indexed = material(text("a1", "ann", role="imitation"), text("a2", "ann", texttype="Obfuscation"))
    assert sorted(indexed.text_roles.tolist()) == ["imitation", "obfuscation"]
    assert not indexed.has_roles


def test_a_missing_original_is_an_error_and_never_nothing() -> None:
    indexed = material(*TEXTS[:3])  # a1 has the first two sentences, a2 the third
    with pytest.raises(InputError, match=r"originals of 1 text are not at hand \(a1\)"):
        indexed.written(np.array([0, 1]))
    whole = replace(indexed, originals={"a1": ("The N.", "A J N.")})
    assert "".join(whole.written(np.array([0, 1]))).replace(" ", "") == "TheN.AJN."
    with pytest.raises(InputError, match=r"not at hand \(a2\).*leave out typing and original"):
        whole.written(np.array([1, 2]))
