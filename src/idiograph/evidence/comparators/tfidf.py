"""The tf-idf baseline of PAN 2023: the cosine of Q and K in character 4-grams. A score, not a likelihood ratio."""

import re
from collections.abc import Sequence

import numpy as np

from idiograph.arithmetic import FloatArray, log
from idiograph.evidence.comparators.features import NGrams, Numbers, cosine, most_frequent, n_grams

N, N_FEATURES = 4, 3000


def tfidf(q: str, k: Sequence[str], reference: Sequence[str]) -> float:
    """The cosine of Q and K; n-grams and their idf come from both and the reference, one text per author."""
    found = fitted_n_grams([*reference, "\n".join(k), q])
    weights = tfidf_weights(found, most_frequent(found.frequencies(), N_FEATURES))
    return cosine(weights[-2], weights[-1])


def fitted_n_grams(texts: Sequence[str]) -> NGrams:
    """The 4-grams in lower case; two or more white-space characters count as one blank."""
    return n_grams([_BLANKS.sub(" ", text.lower()) for text in texts], N, within_lines=False)


def tfidf_weights(found: NGrams, chosen: Numbers) -> FloatArray:
    """One row per text: tf · (ln((1 + n) / (1 + df)) + 1) of each chosen n-gram."""
    document_frequencies = found.document_frequencies().astype(np.float64)
    idf = log((1.0 + found.n_texts) / (1.0 + document_frequencies)) + 1.0
    return found.table(found.times * idf[found.ids], chosen)


_BLANKS = re.compile(r"\s\s+")
