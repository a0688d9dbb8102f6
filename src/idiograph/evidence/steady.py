"""Score A, which a few phrases hardly move: how frequent the commonest n-grams are, as authors differ in them.

Of a text x_g = √(c_g / N) for every n-gram g of a table (masked tokens, length 1 to 3, one start and one end to a
sentence), N its tokens. B is how much x_g varies between authors, w within one, both learnt on open corpora. With μ the
mean of x over the Ks of the trial's cohort, u = x(Q) − μ and v = x(K) − μ:

    t_Q = B + w + 1/(4·N_Q),    t_K = B + w/2 + 1/(4·N_K),    D = t_Q·t_K − B²
    A = Σ_g  −½·ln(D/(t_Q·t_K)) − ½·(t_K·u² − 2·B·u·v + t_Q·v²)/D + ½·u²/t_Q + ½·v²/t_K

It is the logarithm of an LR only if n-grams were independent, which they are not: a score, to be normalised and
calibrated as the others are. `docs/validation/steady.py` learns the table.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

import numpy as np

from idiograph.arithmetic import FloatArray, log
from idiograph.evidence.trials import following
from idiograph.grammar.vocabulary import Sentences
from idiograph.provenance import shipped_file
from idiograph.texts.text import Sentence

STEADY = "steady"  # what the score is called where scores are kept by name
FILE = "steady.json"
SENTENCE_START, SENTENCE_END = "<s>", "</s>"
_LONGEST = 3


@dataclass(frozen=True, eq=False)
class NGramTable:
    """The n-grams that are compared, the commonest first, and how they vary between authors and within one."""

    ngrams: tuple[Sentence, ...]
    between: FloatArray  # B
    within: FloatArray  # w
    source: str
    digest: str


@cache
def shipped_table() -> NGramTable:
    """The table that comes with the project."""
    record, file_digest = shipped_file("idiograph.evidence", FILE)
    rows = record["ngrams"]
    between, within = (np.array([row[column] for row in rows], np.float64) for column in (1, 2))
    return NGramTable(tuple(tuple(row[0].split(" ")) for row in rows), between, within, record["source"], file_digest)


def n_grams_of(sentence: Sentence) -> Iterable[Sentence]:
    """The n-grams of a sentence, its start and its end among them; the start alone is none."""
    events = (SENTENCE_START, *sentence, SENTENCE_END)
    longer = (zip(*(events[i:] for i in range(length)), strict=False) for length in range(2, _LONGEST + 1))
    return chain(zip(events[1:], strict=True), *longer)


def ngram_counts(texts: Sequence[Sentences], table: NGramTable) -> FloatArray:
    """How often each text (rows) has each n-gram of the table (columns)."""
    column = {ngram: number for number, ngram in enumerate(table.ngrams)}
    counts = np.zeros((len(texts), len(column)))
    for row, text in enumerate(texts):
        ngrams = chain.from_iterable(n_grams_of(tuple(sentence)) for sentence in text)
        times = Counter(filter(column.__contains__, ngrams))
        for ngram, n in times.items():
            counts[row, column[ngram]] = n
    return counts


def steady_scores(
    qs: Sequence[Sentences],
    ks: Sequence[Sentences],
    *,
    q_authors: Sequence[int],
    reference: Sequence[int],
    table: NGramTable | None = None,
) -> FloatArray:
    """Score A of every Q with every K: one row per Q, one column per K.

    K number a is author a's; `q_authors` says whose each Q is, `reference` which authors cohorts are taken from.
    """
    table = table or shipped_table()
    n_q, n_k = (np.array([sum(map(len, text)) for text in texts], np.float64) for texts in (qs, ks))
    sides = ((qs, n_q), (ks, n_k))
    x_q, x_k = (np.sqrt(ngram_counts(texts, table) / np.maximum(n, 1.0)[:, None]) for texts, n in sides)
    means = CohortMeans.of(x_k, q_authors=q_authors, reference=reference)
    scores = np.zeros((len(qs), len(ks)))
    for g in range(len(table.ngrams)):
        scores += _part(x_q[:, g, None], x_k[None, :, g], means.at(g), n_q[:, None], n_k[None, :], table, g)
    return scores


def score_of(
    x_q: FloatArray, x_k: FloatArray, mean: FloatArray, n_q: FloatArray, n_k: float, table: NGramTable
) -> FloatArray:
    """Score A of several Qs (rows of x) with one K, the cohort's mean being the same for all."""
    scores, of_k = np.zeros(len(x_q)), np.array(n_k)
    for g in range(len(table.ngrams)):
        scores += _part(x_q[:, g], x_k[g : g + 1], mean[g : g + 1], n_q, of_k, table, g)
    return scores


def _part(
    x_q: FloatArray, x_k: FloatArray, mean: FloatArray, n_q: FloatArray, n_k: FloatArray, table: NGramTable, g: int
) -> FloatArray:
    """What one n-gram says of each pair."""
    between, within = float(table.between[g]), float(table.within[g])
    u, v = x_q - mean, x_k - mean
    t_q = between + within + 0.25 / np.maximum(n_q, 1.0)
    t_k = between + within / 2 + 0.25 / np.maximum(n_k, 1.0)
    d = t_q * t_k - between * between
    together = (t_k * u * u - 2.0 * between * u * v + t_q * v * v) / d
    part: FloatArray = 0.5 * (u * u / t_q + v * v / t_k - together - log(d / (t_q * t_k)))
    return part


@dataclass(frozen=True, eq=False)
class CohortMeans:
    """The means of x over the Ks of every trial's cohort."""

    x_k: FloatArray
    sums: FloatArray  # of each n-gram over the reference
    q_author: FloatArray  # 1 where Q's author is of the reference, per Q
    q_column: list[int]  # whose K that is
    k_author: FloatArray  # 1 where K's author is of the reference and not Q's, per Q and K
    after: list[tuple[int, int, int]]  # same-author trials of the reference: Q, K, and who is left out besides
    n: FloatArray

    @classmethod
    def of(cls, x_k: FloatArray, *, q_authors: Sequence[int], reference: Sequence[int]) -> "CohortMeans":
        """What the Ks of all authors give; see `steady_scores`."""
        sums = np.zeros(x_k.shape[1])
        for author in reference:
            sums = sums + x_k[author]
        members = set(reference)
        q_author = np.array([[float(b in members)] for b in q_authors])
        k_author = np.array([[float(a in members and a != b) for a in range(len(x_k))] for b in q_authors])
        after = [
            (row, b, following(reference, b))
            for row, b in enumerate(q_authors)
            if b in members and following(reference, b) != b
        ]
        n = len(reference) - q_author - k_author
        for row, a, _ in after:
            n[row, a] -= 1.0
        q_column = [b if b in members else 0 for b in q_authors]
        return cls(x_k, sums, q_author, q_column, k_author, after, np.maximum(n, 1.0))

    def at(self, g: int) -> FloatArray:
        """The means of one n-gram, per Q and K."""
        x = self.x_k[:, g]
        summed = self.sums[g] - self.q_author * x[self.q_column][:, None] - self.k_author * x[None, :]
        for row, a, out in self.after:
            summed[row, a] -= x[out]
        means: FloatArray = summed / self.n
        return means
