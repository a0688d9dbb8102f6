"""The n-gram cosine: how alike Q and K are in their token n-grams of length 1 to 3. A score, not a likelihood ratio."""

from collections.abc import Sequence

import numpy as np

from idiograph.evidence.weighted_cosine import Counts, FloatArray, weighted_cosines

Sentences = Sequence[Sequence[str]]

START, END = 0, 1  # tokens are numbered from 2


def ngram_cosine(q: Sentences, k: Sentences, *, cohort: Sequence[Sentences]) -> float:
    """The cosine of Q and K, each n-gram weighted by how many of the cohort's Ks and K have it."""
    return float(ngram_cosines([q], [k, *cohort], q_authors=[0], reference=range(1, len(cohort) + 1))[0, 0])


def ngram_cosines(
    qs: Sequence[Sentences], ks: Sequence[Sentences], *, q_authors: Sequence[int], reference: Sequence[int]
) -> FloatArray:
    """The cosine of every Q with every K, weighted by the cohort of each trial: one row per Q, one column per K.

    K number a is author a's; `q_authors` says whose each Q is, `reference` which authors cohorts are taken from.
    """
    return weighted_cosines(token_n_grams([*qs, *ks]), q_authors=q_authors, reference=reference)


def token_n_grams(texts: Sequence[Sentences]) -> Counts:
    """The n-grams of length 1 to 3 of each text, with one start and one end to a sentence, which count by themselves.

    They are numbered by length, then in the order of their tokens, so that other texts change no order of summing.
    """
    types = sorted({token for text in texts for sentence in text for token in sentence})
    numbers = {token: number for number, token in enumerate(types, start=2)}
    events: list[int] = []
    sizes: list[int] = []
    lengths: list[int] = []
    for text in texts:
        before = len(events)
        for sentence in text:
            events.append(START)
            events += map(numbers.__getitem__, sentence)
            events.append(END)
            lengths.append(len(sentence) + 2)
        sizes.append(len(events) - before)
    own = np.array(events, np.int64)
    text_of = np.repeat(np.arange(len(texts)), sizes)
    place = np.arange(len(own)) - np.repeat(np.cumsum([0, *lengths[:-1]]) if lengths else 0, lengths)
    n_types = len(types) + 2
    found, of_texts = [own], [text_of]
    n_ids, longer = n_types, own
    for length in (2, 3):
        # The n-gram that ends at an event, numbered from the (n − 1)-gram one event earlier and the event.
        there = place >= length - 1
        ends = np.flatnonzero(there)
        pairs = longer[ends - 1] * n_types + own[ends]
        unique, inverse = np.unique(pairs, return_inverse=True)
        longer = np.full(len(own), -1, np.int64)
        longer[ends] = inverse.reshape(-1)
        found.append(n_ids + longer[ends])
        of_texts.append(text_of[ends])
        n_ids += len(unique)
    return Counts.of(np.concatenate(found), np.concatenate(of_texts), len(texts))
