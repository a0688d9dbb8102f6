"""A made corpus of four writers with two texts each, for the tests of the engine."""

import numpy as np

from idiograph import Corpus, Index, MaskedText

AUTHORS = ("ann", "bob", "cid", "dot")


def sentences(seed: list[int], n: int, n_types: int = 25) -> tuple[tuple[str, ...], ...]:
    """Sentences of 0 to 9 tokens; low numbers are frequent."""
    rng = np.random.default_rng(seed)
    return tuple(tuple(f"w{word}" for word in rng.zipf(1.5, rng.integers(0, 10)).clip(max=n_types)) for _ in range(n))


def corpus(sentences_a_text: int = 20) -> Corpus[MaskedText]:
    return Corpus(
        tuple(
            MaskedText(f"{author}-{text}", author, sentences([7, number, text], sentences_a_text), "m")
            for number, author in enumerate(AUTHORS)
            for text in range(2)
        )
    )


def toy_index(sentences: int = 20) -> Index:
    return Index(corpus(sentences))
