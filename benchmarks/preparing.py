"""Preparing: near-duplicates among many short texts, some of them planted."""

import time

import numpy as np

from benchmarks.figure import Figure, at_least, at_most
from idiograph import Text
from idiograph.texts.preparing.steps import near_duplicates

N_TEXTS = 50_000
N_TEXTS_QUICK = 2_000


def run(quick: bool) -> list[Figure]:
    """The time of the whole step, and whether it finds what was planted."""
    texts, copies = short_texts(N_TEXTS_QUICK if quick else N_TEXTS)
    start = time.perf_counter()
    removed = near_duplicates(texts).removed
    seconds = time.perf_counter() - start
    share = sum(id_ in removed for id_ in copies) / len(copies)
    how = f"{len(texts):,} made texts of 12 to 40 words; 240 hashes, 80 bands, 10-word shingles; one process"
    return [
        at_most("near-duplicates among 50,000 short texts", seconds, "s", 120, how),
        at_least("planted near-duplicates found", share, "of 1", 0.99, "every tenth text a copy but for one word"),
    ]


def short_texts(n_texts: int) -> tuple[list[Text], list[str]]:
    """Texts by Zipf's law, every tenth a copy of the one before with its last word changed; and the copies' ids."""
    rng = np.random.default_rng(0)
    vocabulary = np.array([f"w{rank}" for rank in range(20_000)])
    weights = 1 / np.arange(1, len(vocabulary) + 1)
    texts: list[Text] = []
    copies = []
    for number in range(n_texts):
        if number % 10 == 9:
            words = [*texts[-1].content.split()[:-1], "changed"]
            copies.append(str(number))
        else:
            words = list(rng.choice(vocabulary, size=rng.integers(12, 41), p=weights / weights.sum()))
        texts.append(Text(str(number), " ".join(words), f"author{number % 100}"))
    return texts, copies
