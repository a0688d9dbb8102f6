"""A feature of Q repeated far beyond K's own spread between texts: what an imitator does (Starbuck, in the paper).

For every n-gram of Q that is typical of K, its count in Q is compared with a negative binomial whose mean is K's rate
and whose variance is what the n-gram's rate shows from text to text of one author, in K and in the reference:

    Var = mean + spread · mean²,    spread = Σ ((x − e)²·n/(n−1) − e) / Σ e²,  e a piece's share of its author's count

The texts are cut into pieces of Q's length, so that counts are compared at one scale.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from idiograph.arithmetic import exp, log1p
from idiograph.casework.comparison_texts import CaseTexts, Texts, n_tokens, sentences
from idiograph.casework.findings import REPEATED_AMBER, REPEATED_AT_LEAST, REPEATED_RED, TYPICAL_OF_K, finding
from idiograph.casework.verification import Finding
from idiograph.errors import some
from idiograph.texts.text import Sentence

_LONGEST = 4
# Even a feature that looks evenly spread in few texts varies; 0.1 is a standard deviation of a third of the mean.
_LEAST_SPREAD = 0.1
# Where no author shows how a feature varies, it is taken to vary as much as its mean.
_UNKNOWN_SPREAD = 1.0
_SHOWN = 3

Ngram = tuple[str, ...]


@dataclass(frozen=True)
class _Piece:
    n_tokens: int
    counts: Mapping[Ngram, int]


@dataclass(frozen=True)
class Repeated:
    """An n-gram that Q has `count` times, where `expected` is what K's rate predicts; `chance` is over all tried."""

    ngram: Ngram
    count: int
    expected: float
    most_in_k: float  # the highest count of a piece of K, scaled to Q's length
    chance: float


def repeated_features(texts: CaseTexts) -> list[Finding]:
    """The finding about Q's repeated features, or none."""
    hits = find_repeated(texts)
    if not hits:
        return []
    grave = hits[0].chance < REPEATED_RED
    said = [
        f"“{' '.join(hit.ngram)}” {hit.count} times ({hit.expected:.1f} expected from K's rate; at most "
        f"{hit.most_in_k:.1f} in any stretch of K)"
        for hit in hits
    ]
    message = f"{texts.label} repeats what is typical of K far more than K itself: {some(said, _SHOWN, between='; ')}."
    return [finding("repeated-feature", "red" if grave else "amber", message, [text.id for text in texts.q])]


def find_repeated(texts: CaseTexts) -> list[Repeated]:
    """The n-grams that Q repeats beyond K's spread, the least probable first."""
    n_q, n_k, n_r = n_tokens(texts.q), n_tokens(texts.k), n_tokens(texts.reference)
    often = {g: c for g, c in _ngrams(sentences(texts.q)).items() if c >= REPEATED_AT_LEAST}
    k_pieces = _pieces(texts.k, n_q, often)
    in_k = _total(k_pieces)
    often = {g: c for g, c in often.items() if in_k[g]}
    by_author: dict[str, list[_Piece]] = {}
    if often:
        for author in sorted({text.author or "" for text in texts.reference}):
            own = tuple(text for text in texts.reference if (text.author or "") == author)
            by_author[author] = _pieces(own, n_q, often)
    in_reference = _total(piece for pieces in by_author.values() for piece in pieces)
    typical = [g for g in often if in_k[g] / n_k >= TYPICAL_OF_K * (in_reference[g] + 1) / n_r]
    hits = []
    for ngram in typical:
        most = max(piece.counts.get(ngram, 0) / piece.n_tokens for piece in k_pieces) * n_q
        if often[ngram] <= most:
            continue
        # One more than was counted: K is a sample, and its rate is not known better than that.
        expected = (in_k[ngram] + 1) / n_k * n_q
        size = 1 / _spread(ngram, [k_pieces, *by_author.values()])
        chance = at_least(often[ngram], mean=expected, size=size) * len(typical)
        if chance < REPEATED_AMBER:
            hits.append(Repeated(ngram, often[ngram], expected, most, chance))
    return sorted(hits, key=lambda hit: (hit.chance, hit.ngram))


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


def _pieces(texts: Texts, length: int, wanted: Mapping[Ngram, int]) -> list[_Piece]:
    """Each text in runs of about `length` tokens; a remainder shorter than half of that joins the run before it."""
    pieces: list[list[Sentence]] = []
    for text in texts:
        first = len(pieces)
        current: list[Sentence] = []
        n = 0
        for sentence in text.sentences:
            current.append(sentence)
            n += len(sentence)
            if n >= length:
                pieces.append(current)
                current, n = [], 0
        if current and len(pieces) > first and n < length / 2:
            pieces[-1] = pieces[-1] + current
        elif current:
            pieces.append(current)
    counted = ((sum(map(len, piece)), piece) for piece in pieces)
    return [_Piece(n, _ngrams(piece, wanted)) for n, piece in counted if n]


def _ngrams(among: Iterable[Sentence], wanted: Mapping[Ngram, int] | None = None) -> Counter[Ngram]:
    counts: Counter[Ngram] = Counter()
    for sentence in among:
        for n in range(1, _LONGEST + 1):
            grams = zip(*(sentence[i:] for i in range(n)), strict=False)
            counts.update(grams if wanted is None else (gram for gram in grams if gram in wanted))
    return counts


def _total(pieces: Iterable[_Piece]) -> Counter[Ngram]:
    total: Counter[Ngram] = Counter()
    for piece in pieces:
        total.update(piece.counts)
    return total
