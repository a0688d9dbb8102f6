"""From masked texts to a reference-normalised LLR in one call, which draws the reference authors' Qs and Ks."""

from dataclasses import replace
from typing import TypeAlias

import numpy as np

from idiograph.checking import checks_arguments, whole_number
from idiograph.errors import CalibrationError, ProblemError
from idiograph.evidence.normalised import LEAST_TO_NORMALISE, ReferenceNormalised, reference_normalised
from idiograph.grammar.index import Index, Part
from idiograph.studies.drawing import Condition, draw_q_and_k
from idiograph.studies.material import Material
from idiograph.texts.problem import Problem
from idiograph.texts.text import Corpus, MaskedText

MaskedTexts: TypeAlias = MaskedText | Corpus[MaskedText]


@checks_arguments
def normalised(
    *, q: MaskedTexts, k: MaskedTexts, reference: Corpus[MaskedText], seed: int = 0, workers: int | None = None
) -> ReferenceNormalised:
    """The LLR of Q and K, measured by a Q and a K as long of every reference author who has the text.

    `q` and `k` are masked texts, `reference` a corpus by other authors; `seed` decides every draw, and `workers`
    threads share the scoring. A Q and a K are contiguous sentences of different texts. Whoever has too little text
    still serves in λG's reference. This is one draw of the reference authors' texts, so that another seed may give a
    value several times as large or small; `verify` averages several draws, validates, bounds the value and says its
    range. For a case take `verify`.
    """
    seed = whole_number(seed, "seed", least=0)
    Problem(q, k, reference)  # what may not be compared is refused
    # The names of Q and K carry their side: files of different folders may have one name.
    sides = [
        tuple(replace(text, id=f"{name}{text.id}") for text in (side.texts if isinstance(side, Corpus) else (side,)))
        for name, side in (("Q/", q), ("K/", k), ("", reference))
    ]
    if any(text.author is None for text in sides[2]):
        raise ProblemError("The reference has a text without an author. Name the author of every reference text.")
    index = Index(Corpus(tuple(text for side in sides for text in side)))
    material = Material.of(index, sides[2], roles=False)
    numbers = {id_: number for number, id_ in enumerate(index.text_ids)}

    def part(texts: tuple[MaskedText, ...]) -> Part:
        return index.take(material.sentences(np.array([numbers[text.id] for text in texts], np.int64)))

    of_q, of_k = part(sides[0]), part(sides[1])
    condition = Condition.like(of_q.n_tokens, of_k.n_tokens)
    pairs = {}
    for author in sorted({text.author for text in sides[2] if text.author is not None}):
        sample = draw_q_and_k(material, author, material.texts_by[author], condition, seed=seed)
        if sample is not None:
            pairs[author] = (index.take(sample.q), index.take(sample.k))
    if len(pairs) < LEAST_TO_NORMALISE:
        raise CalibrationError(
            f"{len(pairs)} reference authors have texts for a Q of {of_q.n_tokens:,} and a K of {of_k.n_tokens:,} "
            f"tokens, and a score is normalised with at least {LEAST_TO_NORMALISE}. Add reference authors, or use a "
            "correction."
        )
    return reference_normalised(q=of_q, k=of_k, pairs=pairs, seed=seed, workers=workers)
