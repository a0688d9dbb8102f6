"""The n-gram cosine: how alike Q and K are in their token n-grams of length 1 to 3. A score, not a likelihood ratio."""

from collections.abc import Sequence

import numpy as np

from idiograph.arguments import checks_arguments
from idiograph.arithmetic import FloatArray
from idiograph.evidence.n_grams import Counts, count_n_grams
from idiograph.grammar.vocabulary import Sentences

START, END = 0, 1  # tokens are numbered from 2


@checks_arguments
def ngram_cosine(q: Sentences, k: Sentences, *, cohort: Sequence[Sentences]) -> float:
    """The cosine of Q and K, each n-gram weighted by how many of the cohort's Ks and K have it."""
    return float(ngram_cosines([q], [k, *cohort], q_authors=[0], reference=range(1, len(cohort) + 1))[0, 0])


def ngram_cosines(
    qs: Sequence[Sentences], ks: Sequence[Sentences], *, q_authors: Sequence[int], reference: Sequence[int]
) -> FloatArray:
    """The cosine of every Q with every K, weighted by the cohort of each trial: one row per Q, one column per K.

    K number a is author a's; `q_authors` says whose each Q is, `reference` which authors cohorts are taken from.
    """
    # Imported late: Numba takes half a second.
    from idiograph.evidence.weighted_cosine import weighted_cosines

    return weighted_cosines(token_n_grams([*qs, *ks]), q_authors=q_authors, reference=reference)


def token_n_grams(texts: Sequence[Sentences]) -> Counts:
    """The n-grams of length 1 to 3 of each text, with one start and one end to a sentence, which count too."""
    types = sorted({token for text in texts for sentence in text for token in sentence})
    numbers = {token: number for number, token in enumerate(types, start=2)}
    events: list[int] = []
    for text in texts:
        for sentence in text:
            events.append(START)
            events += map(numbers.__getitem__, sentence)
            events.append(END)
    sizes = [[len(sentence) + 2 for sentence in text] for text in texts]
    return count_n_grams(np.array(events, np.int64), sizes=sizes, lengths=range(1, 4))
