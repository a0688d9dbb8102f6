"""The comparators in one table: each takes Q, K's texts, the reference's texts (strings) and a seed.

What comes back is a score, higher where Q and K are more alike, and no likelihood ratio before it is calibrated or
normalised. Vocabulary, z-scores and idf come from these texts alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from idiograph.arguments import checks_arguments
from idiograph.errors import InputError
from idiograph.evidence.comparators.delta import delta
from idiograph.evidence.comparators.impostors import general_impostors, rank_based_impostors
from idiograph.evidence.comparators.ngram_tracing import ngram_tracing
from idiograph.evidence.comparators.ppm import ppm
from idiograph.evidence.comparators.tfidf import tfidf
from idiograph.grammar.settings import LambdaGSettings, Seed


@dataclass(frozen=True)
class Comparator:
    """A method to compare with: its key in files, its name for people, where it comes from, and how it compares."""

    key: str
    name: str
    source: str
    compare: Callable[[str, Sequence[str], Sequence[str], Seed], float]

    @checks_arguments
    def score(self, q: str, k: Sequence[str], reference: Sequence[str], seed: Seed = 0) -> float:
        """How alike Q and K are."""
        if not k:
            raise InputError("K has no text, so there is nothing to compare Q with. Add known writings.")
        return self.compare(q, k, reference, LambdaGSettings(seed=seed).seed)


COMPARATORS: dict[str, Comparator] = {
    one.key: one
    for one in (
        Comparator(
            "delta",
            "Cosine Delta",
            "Burrows 2002, Smith & Aldridge 2011; as in idiolect",
            lambda q, k, reference, seed: delta(q, k, reference),
        ),
        Comparator(
            "ngram_tracing",
            "N-gram tracing",
            "Grieve et al. 2019; as in idiolect, Simpson's coefficient",
            lambda q, k, reference, seed: ngram_tracing(q, k),
        ),
        Comparator(
            "impostors",
            "Rank-based impostors",
            "Potha & Stamatatos 2017; as in idiolect",
            lambda q, k, reference, seed: rank_based_impostors(q, k, reference, seed=seed),
        ),
        Comparator(
            "general_impostors",
            "General Impostors",
            "Koppel & Winter 2014; idiolect's KGI",
            lambda q, k, reference, seed: general_impostors(q, k, reference, seed=seed),
        ),
        Comparator(
            "tfidf",
            "tf-idf of character 4-grams",
            "PAN 2023 baseline",
            lambda q, k, reference, seed: tfidf(q, k, reference),
        ),
        Comparator("ppm", "Compression (PPM)", "PAN 2023 baseline", lambda q, k, reference, seed: ppm(q, k)),
    )
}
