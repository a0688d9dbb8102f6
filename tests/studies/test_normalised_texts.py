"""One call from masked texts to a reference-normalised LLR."""

from dataclasses import replace

import pytest

import idiograph
from generated import corpus
from idiograph import CalibrationError, Corpus, ProblemError
from idiograph.evidence.normalised import reference_normalised
from idiograph.studies.drawing import Condition, draw_q_and_k
from idiograph.studies.material import Material

MADE = corpus(authors=10, texts=6, sentences=14, habit=0.6)
REFERENCE = Corpus(tuple(text for text in MADE if text.author != "a09"))
OWN = [replace(text, author=None if text.id.endswith("t0") else "lee") for text in MADE if text.author == "a09"]


def test_five_lines() -> None:
    q, k = OWN[0], Corpus(tuple(OWN[1:3]))
    found = idiograph.normalised(q=q, k=k, reference=REFERENCE, seed=1)
    assert found.trial.llr.how == "normalised"
    assert found.trial.llr.nats > 0  # the same writer
    assert found.normalisation.n_authors == 9
    other = idiograph.normalised(q=REFERENCE.by("a03").texts[0], k=k, reference=REFERENCE.excluding("a03"), seed=1)
    assert other.trial.llr.nats < found.trial.llr.nats


def test_it_is_the_same_as_with_pairs_made_by_hand() -> None:
    q, k = OWN[0], Corpus(tuple(OWN[1:3]))
    index = idiograph.Index(Corpus((q, *k, *REFERENCE)))
    material = Material.of(index, REFERENCE, roles=False)
    condition = Condition(drawing="contiguous", q_tokens=q.n_tokens - 1, k_tokens=k.n_tokens - 1)
    samples = [draw_q_and_k(material, name, material.texts_by[name], condition, seed=1) for name in REFERENCE.authors]
    pairs = {sample.author: (index.take(sample.q), index.take(sample.k)) for sample in samples if sample is not None}
    by_hand = reference_normalised(q=index.text(q.id), k=index.by("lee"), pairs=pairs, seed=1, workers=1)
    found = idiograph.normalised(q=q, k=k, reference=REFERENCE, seed=1)
    assert found.trial == by_hand.trial


def test_what_cannot_be_done_is_said() -> None:
    with pytest.raises(CalibrationError, match="2 reference authors have texts for a Q of"):
        idiograph.normalised(q=OWN[0], k=OWN[1], reference=REFERENCE.by("a00", "a01"))
    nameless = Corpus((*REFERENCE, replace(OWN[3], author=None)))
    with pytest.raises(ProblemError, match="The reference has a text without an author"):
        idiograph.normalised(q=OWN[0], k=OWN[1], reference=nameless)
