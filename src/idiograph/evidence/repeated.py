"""A feature of Q repeated far beyond K's own spread between texts: what an imitator does (Starbuck, in the paper).

For every n-gram of Q that is typical of K, its count in Q is compared with a negative binomial whose mean is K's rate
and whose variance is what the n-gram's rate shows from text to text of one author, in K and in the reference:

    Var = mean + spread · mean²,    spread = Σ ((x − e)²·n/(n−1) − e) / Σ e²,  e a piece's share of its author's count

The texts are cut into pieces of Q's length, so that counts are compared at one scale.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from idiograph.arithmetic import exp, log1p
from idiograph.texts.text import Sentence

AT_LEAST = 6  # times in Q
TYPICAL_OF_K = 2.0  # K's rate, as a multiple of the reference's
IMPROBABLE = 0.05  # over all n-grams tried
_LONGEST = 4
# Even a feature that looks evenly spread in few texts varies; 0.1 is a standard deviation of a third of the mean.
_LEAST_SPREAD = 0.1
# Where no author shows how a feature varies, it is taken to vary as much as its mean.
_UNKNOWN_SPREAD = 1.0

Ngram = tuple[str, ...]


@dataclass(frozen=True)
class CountedText:
    """A text by the tokens of its sentences, and in which sentence each occurrence of an n-gram is."""

    lengths: tuple[int, ...]
    places: Mapping[Ngram, Sequence[int]]


@dataclass(frozen=True)
class Repeated:
    """An n-gram that Q has `count` times, where `expected` is what K's rate predicts; `chance` is over all tried."""

    ngram: Ngram
    count: int
    expected: float
    most_in_k: float  # the highest count of a piece of K, scaled to Q's length
    chance: float


def find_repeated(
    q: Iterable[Sentence], k: Sequence[CountedText], reference: Iterable[Sequence[CountedText]]
) -> list[Repeated]:
    """The n-grams that Q repeats beyond K's spread, the least probable first.

    K and each author of the reference come as texts in which the n-grams of `often(q)` were counted.
    """
    q = list(q)
    n_q = sum(map(len, q))
    counts = often(q)
    k_pieces = _pieces(k, n_q, counts)
    in_k, n_k = _total(k_pieces)
    counts = {ngram: count for ngram, count in counts.items() if in_k[ngram]}
    if not counts:
        return []
    by_author = [_pieces(texts, n_q, counts) for texts in reference]
    in_reference, n_r = _total(piece for pieces in by_author for piece in pieces)
    typical = [g for g in counts if in_k[g] / n_k >= TYPICAL_OF_K * (in_reference[g] + 1) / n_r]
    hits = []
    for ngram in typical:
        most = max(piece.counts.get(ngram, 0) / piece.n_tokens for piece in k_pieces) * n_q
        if counts[ngram] <= most:
            continue
        # One more than was counted: K is a sample, and its rate is not known better than that.
        expected = (in_k[ngram] + 1) / n_k * n_q
        size = 1 / _spread(ngram, [k_pieces, *by_author])
        chance = at_least(counts[ngram], mean=expected, size=size) * len(typical)
        if chance < IMPROBABLE:
            hits.append(Repeated(ngram, counts[ngram], expected, most, chance))
    return sorted(hits, key=lambda hit: (hit.chance, hit.ngram))


def often(q: Iterable[Sentence]) -> dict[Ngram, int]:
    """The n-grams that Q has often enough to be looked at."""
    counts: Counter[Ngram] = Counter()
    for sentence in q:
        counts.update(_ngrams(sentence))
    return {ngram: count for ngram, count in counts.items() if count >= AT_LEAST}


def counted(text: Iterable[Sentence], wanted: Collection[Ngram]) -> CountedText:
    """A text in which the n-grams wanted were looked for."""
    lengths, places = [], dict[Ngram, list[int]]()
    for number, sentence in enumerate(text):
        lengths.append(len(sentence))
        for ngram in filter(wanted.__contains__, _ngrams(sentence)):
            places.setdefault(ngram, []).append(number)
    return CountedText(tuple(lengths), places)


def at_least(count: int, *, mean: float, size: float) -> float:
    """The chance of this count or more under a negative binomial of this mean and Var = mean + mean²/size.

        P(x) = Γ(x + size)/(x!·Γ(size)) · p^size · (1 − p)^x,    p = size/(size + mean)

    Summed upwards from `count`, where the terms fall, so that small chances keep their digits.
    """
    rest = mean / (size + mean)  # 1 − p
    term = exp(-size * log1p(mean / size))
    for x in range(count):
        term *= (x + size) / (x + 1) * rest
    chance, x = 0.0, count
    while chance + term != chance or x < mean:
        chance += term
        term *= (x + size) / (x + 1) * rest
        x += 1
    return chance


@dataclass(frozen=True)
class _Piece:
    n_tokens: int
    counts: Counter[Ngram]


def _squared(x: float) -> float:
    return x * x


def _spread(ngram: Ngram, authors: Sequence[Sequence[_Piece]]) -> float:
    beyond = squares = 0.0
    for pieces in authors:
        total, n = sum(piece.counts.get(ngram, 0) for piece in pieces), len(pieces)
        if n < 2 or total < 2:
            continue
        rate = total / sum(piece.n_tokens for piece in pieces)
        for piece in pieces:
            expected = rate * piece.n_tokens
            beyond += _squared(piece.counts.get(ngram, 0) - expected) * n / (n - 1) - expected
            squares += _squared(expected)
    return max(_LEAST_SPREAD, beyond / squares) if squares else _UNKNOWN_SPREAD


def _pieces(texts: Iterable[CountedText], length: int, wanted: Collection[Ngram]) -> list[_Piece]:
    """Each text in runs of about `length` tokens; a remainder shorter than half of that joins the run before it."""
    pieces: list[_Piece] = []
    for text in texts:
        starts, sizes = [0], [0]
        for number, n_tokens in enumerate(text.lengths):
            if sizes[-1] >= length:
                starts.append(number)
                sizes.append(0)
            sizes[-1] += n_tokens
        if len(sizes) > 1 and sizes[-1] < length / 2:
            starts.pop()
            sizes[-2:] = [sum(sizes[-2:])]
        own = [_Piece(n_tokens, Counter()) for n_tokens in sizes]
        for ngram in wanted:
            for place in text.places.get(ngram, ()):
                own[bisect_right(starts, place) - 1].counts[ngram] += 1
        pieces += [piece for piece in own if piece.n_tokens]
    return pieces


def _ngrams(sentence: Sentence) -> Iterable[Ngram]:
    starts = [sentence[i:] for i in range(_LONGEST)]
    return chain.from_iterable(zip(*starts[:n], strict=False) for n in range(1, _LONGEST + 1))


def _total(pieces: Iterable[_Piece]) -> tuple[Counter[Ngram], int]:
    """How often all pieces have each n-gram, and their tokens."""
    counts: Counter[Ngram] = Counter()
    n_tokens = 0
    for piece in pieces:
        counts.update(piece.counts)
        n_tokens += piece.n_tokens
    return counts, n_tokens
