"""The other methods, all of them together, on one problem; and the matrices of a case's normalisation."""

import time
from itertools import pairwise

from benchmarks.corpora import Sentences, generated
from benchmarks.figure import Figure, at_most
from idiograph.evidence.comparators import (
    as_text,
    delta,
    general_impostors,
    ngram_tracing,
    ppm,
    rank_based_impostors,
    sentences_of,
    tfidf,
    word_counts,
)
from idiograph.evidence.cosine import ngram_cosines

N_AUTHORS, Q_TOKENS, K_TOKENS = 40, 1_000, 3_000
TIMES = 5


def run(quick: bool) -> list[Figure]:
    """CPU seconds per problem with no text met before, and of the full matrix of n-gram cosines."""
    n_authors = 5 if quick else N_AUTHORS
    tokens = [Q_TOKENS, K_TOKENS] * (n_authors + 1)
    sides = cut(generated(round(1.2 * sum(tokens))), tokens)
    qs, ks = sides[::2], sides[1::2]
    q, k, reference = spelt(qs[0]), [spelt(ks[0])], [spelt(known) for known in ks[1:]]
    how = f"Q {Q_TOKENS:,}, K {K_TOKENS:,} tokens, {n_authors} reference authors, generated; CPU time, one thread"
    return [
        at_most("all other methods, per problem", cpu_seconds(lambda: all_methods(q, k, reference)), "s", 0.2, how),
        at_most(
            "matrix of n-gram cosines",
            cpu_seconds(lambda: ngram_cosines(qs, ks, q_authors=range(len(qs)), reference=range(1, len(qs)))),
            "s", 1.0, how,
        ),
    ]  # fmt: skip


def spelt(sentences: Sentences) -> str:
    """As a text, the digits of the generated tokens as letters: some methods leave digits out."""
    return as_text(sentences).translate(str.maketrans("0123456789", "etaoinshrd"))


def all_methods(q: str, k: list[str], reference: list[str]) -> list[float]:
    """The scores of one problem, nothing kept from an earlier one."""
    sentences_of.cache_clear()
    word_counts.cache_clear()
    return [
        ngram_tracing(q, k),
        delta(q, k, reference),
        rank_based_impostors(q, k, reference),
        general_impostors(q, k, reference),
        tfidf(q, k, reference),
        ppm(q, k),
    ]


def cut(sentences: Sentences, tokens: list[int]) -> list[Sentences]:
    """Pieces of these many tokens, one after the other."""
    passed, ends = 0, [0]
    for number, sentence in enumerate(sentences, start=1):
        passed += len(sentence)
        if len(ends) <= len(tokens) and passed >= tokens[len(ends) - 1]:
            ends.append(number)
            passed = 0
    return [sentences[start:end] for start, end in pairwise(ends)]


def cpu_seconds(work) -> float:  # type: ignore[no-untyped-def]
    """The least CPU time of some calls, after one that compiles."""
    taken = []
    work()
    for _ in range(TIMES):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)
