"""What Q overuses and what is then left of its scores, slow and obvious. Imports nothing of what it checks."""

from collections import Counter
from math import exp

from normalised_oracle import END, START, cohort, cosine, mean, n_grams


def counted(text):
    counts = {}
    for sentence in text:
        for first in range(len(sentence) - 2):
            trigram = sentence[first : first + 3]
            counts[trigram] = counts.get(trigram, 0) + 1
    return counts


def overused(q, k, cohort):
    """The flags of one trial, by the definition."""
    n_q = sum(map(len, q))
    n_c = sum(len(sentence) for text in cohort for sentence in text)
    bad, texts = set(), [(counted(text), max(sum(map(len, text)), 1)) for text in (k, *cohort)]
    for trigram, count in counted(q).items():
        rates = [counts.get(trigram, 0) / n for counts, n in texts]
        mean = n_q * max(*rates, 1 / max(n_c, 1))
        term, below = exp(-mean), 0.0
        for x in range(count):
            below, term = below + term, term * mean / (x + 1)
        if count >= 3 and 1 - below < 0.2:
            bad.add(trigram)
    return [
        [any(sentence[i : i + 3] in bad for i in range(max(at - 2, 0), at + 1)) for at in range(len(sentence))]
        for sentence in q
    ]


def left(q, flags):
    """The n-grams of Q, start and end of a sentence among them, none of whose tokens is left out."""
    counts = Counter()
    for sentence, dropped in zip(q, flags, strict=True):
        events, gone = [START, *sentence, END], [False, *dropped, False]
        for length in (1, 2, 3):
            for first in range(len(events) - length + 1):
                if not any(gone[first : first + length]):
                    counts[tuple(events[first : first + length])] += 1
    return counts


def distinct(evidence, counted, flags):
    """The sum of the evidence that counts, none of it at a token left out or right after one."""
    kept = 0.0
    for values, first, dropped in zip(evidence, counted, flags, strict=True):
        gone = [*dropped, False]
        for at, value in enumerate(values):
            if first[at] and not gone[at] and not (at and gone[at - 1]):
                kept += value
    return kept


def matrices(scores, qs, ks, reference):
    """Both scores of every Q with every K, whose scores are by one group of models or by several, by the oracle."""
    everyone = range(len(qs))
    flags = {
        (i, j): overused(qs[i], ks[j], [ks[o] for o in cohort(reference, i, j)]) for i in everyone for j in everyone
    }
    sums = [
        [
            mean([distinct(by_group.evidence, by_group.counted, flags[i, j]) for by_group in scores[i, j]])
            for j in everyone
        ]
        for i in everyone
    ]
    k_counts = [n_grams(k) for k in ks]
    cosines = [
        [
            cosine(
                left(qs[i], flags[i, j]),
                k_counts[j],
                [*(k_counts[o] for o in cohort(reference, i, j)), k_counts[j]],
            )
            for j in everyone
        ]
        for i in everyone
    ]
    return sums, cosines
