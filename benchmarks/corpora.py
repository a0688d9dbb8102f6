"""Sentences to measure on: generated ones that anybody can make again, like masked text in what they repeat."""

import gzip
import json
from pathlib import Path

import numpy as np

Sentences = list[tuple[str, ...]]
SHARED = Path(__file__).resolve().parents[2] / "shared" / "corpora"
N_TYPES = 1200


def generated(n_tokens: int, seed: int = 0) -> Sentences:
    """About `n_tokens` tokens in sentences of 15 on average; types follow Zipf's law, and what follows two tokens is
    drawn mostly from a dozen of their own. In a million tokens an n-gram is met again up to a length of 3.7 on average
    (in masked fiction 3.9).
    """
    rng = np.random.default_rng(seed)
    n = n_tokens // 15
    lengths = 1 + rng.geometric(1 / 15, n) % 60
    cumulative = np.cumsum(np.arange(2, N_TYPES + 2) ** -1.3)
    cumulative /= cumulative[-1]
    habits = np.searchsorted(cumulative, np.random.default_rng(1).random((1024, 12)))
    columns = np.zeros((n, 60), np.int32)
    last = np.zeros(n, np.int64)
    before = np.zeros(n, np.int64)
    for position in range(60):
        usual = habits[(last * 31 + before * 17) % 1024, np.minimum(rng.geometric(0.35, n) - 1, 11)]
        anything = np.searchsorted(cumulative, rng.random(n))
        before, last = last, np.where(rng.random(n) < 0.75, usual, anything)
        columns[:, position] = last
    names = [f"w{number}" for number in range(N_TYPES)]
    return [tuple(names[word] for word in row[:length].tolist()) for row, length in zip(columns, lengths, strict=True)]


def masked_fiction() -> Sentences | None:
    """Real masked fiction (dickens_masked), where the reference material lies beside the project."""
    path = SHARED / "dickens_masked.jsonl.gz"
    if not path.is_file():
        return None
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["sentences"] for line in lines]
    return [tuple(sentence.split() if isinstance(sentence, str) else sentence) for text in texts for sentence in text]
