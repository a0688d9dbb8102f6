"""A feature of Q repeated far beyond K's own spread between texts: what an imitator does (Starbuck, in the paper).

For every n-gram of Q that is typical of K, its count in Q is compared with a negative binomial whose mean is K's rate
and whose variance is what the n-gram's rate shows from text to text of one author, in K and in the reference:

    Var = mean + spread · mean²,    spread = Σ ((x − e)²·n/(n−1) − e) / Σ e²,  e a piece's share of its author's count

The texts are cut into pieces of Q's length, so that counts are compared at one scale.

What Q overuses, and the scores without it: a phrase that nobody at hand repeats so often proves nothing.

Somebody who imitates K puts in what is typical of K more often than K would. A trigram is overused in the trial of Q
with K if Q has it c ≥ 3 times and

    P(X ≥ c) < 0.2,    X ~ Poisson(N_Q · max(c_K / N_K, max_j c_j / N_j, 1 / N_C))

c and N are its count and the number of tokens in Q, in K, and in each K_j of the trial's cohort C (`cohort`), N_C that
of all of them together. In a Q that nobody tampered with this hits phrases that say little anyway.

Left out are the tokens of all its occurrences, and in λG also the event after each, which they predict.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, pairwise

import numpy as np

from idiograph.arithmetic import exp, log1p
from idiograph.evidence.trials import following
from idiograph.grammar.lambdag import Flags, Score
from idiograph.grammar.vocabulary import Numbers, Sentences
from idiograph.texts.text import Sentence

OVERUSED_AT_LEAST = 3
OVERUSE_IMPROBABLE = 0.2
Trigram = tuple[str, ...]
TokenFlags = tuple[Flags, ...]  # of each sentence, one per token
Piece = tuple[Sequence[str], bool, bool]  # tokens in a row, and whether the sentence starts and ends with them


@dataclass(frozen=True)
class Overuse:
    """The tokens of each Q (rows) that are left out with each K (columns): one of the Q's versions."""

    version_of: Numbers
    versions: tuple[tuple[TokenFlags, ...], ...]  # of each Q; in the first nothing is left out

    def left_out(self, row: int, column: int) -> TokenFlags:
        """What is left out of a Q with a K, per sentence and token."""
        return self.versions[row][int(self.version_of[row, column])]


def overuse(
    qs: Sequence[Sentences], ks: Sequence[Sentences], *, q_authors: Sequence[int], reference: Sequence[int]
) -> Overuse:
    """What each Q overuses with each K; K number a is author a's, and cohorts are taken from the reference."""
    in_ks, k_tokens = [trigrams(k) for k in ks], [sum(map(len, k)) for k in ks]
    n_all = sum(k_tokens[author] for author in reference)
    members = set(reference)
    version_of = np.zeros((len(qs), len(ks)), np.int64)
    versions = []
    for row, (q, b) in enumerate(zip(qs, q_authors, strict=True)):
        n_q = sum(map(len, q))
        often = {trigram: count for trigram, count in trigrams(q).items() if count >= OVERUSED_AT_LEAST}
        # Of each trigram the reference authors with the highest rates: at most three of them are not in a cohort.
        rates = {
            trigram: sorted(((in_ks[j][trigram] / max(k_tokens[j], 1), j) for j in reference), reverse=True)[:4]
            for trigram in often
        }
        versions_seen: dict[tuple[Trigram, ...], int] = {(): 0}
        for a, k in enumerate(in_ks):
            out = {a, b} & members
            if a == b and a in members:
                out.add(following(reference, a))
            n_cohort = n_all - sum(k_tokens[author] for author in out)
            overused = []
            for trigram, count in often.items():
                in_cohort = next((rate for rate, j in rates[trigram] if j not in out), 0.0)
                rate = max(k[trigram] / max(k_tokens[a], 1), in_cohort, 1 / max(n_cohort, 1))
                if n_q * rate < least_mean(count):
                    overused.append(trigram)
            version_of[row, a] = versions_seen.setdefault(tuple(overused), len(versions_seen))
        versions.append(tuple(_left_out(q, phrases) for phrases in versions_seen))
    return Overuse(version_of, tuple(versions))


@cache
def least_mean(count: int) -> float:
    """The mean of a Poisson distribution from which on this count or more is no longer improbable."""
    low, high = 0.0, float(count)
    while (middle := (low + high) / 2) not in (low, high):
        if _at_least(count, middle) < OVERUSE_IMPROBABLE:
            low = middle
        else:
            high = middle
    return high


def without(score: Score, left_out: TokenFlags) -> Score:
    """The score in which these tokens, and the event after each, do not count (`Score.counted`, `Score.distinct`)."""
    counted = []
    for flags, dropped in zip(score.counted, left_out, strict=True):
        kept = flags.copy()
        kept[:-1] &= ~dropped
        kept[1:] &= ~dropped
        kept.flags.writeable = False
        counted.append(kept)
    return replace(score, counted=tuple(counted))


def pieces(q: Sentences, left_out: TokenFlags) -> Iterator[Piece]:
    """What is left of each sentence."""
    for sentence, dropped in zip(q, left_out, strict=True):
        edges = [-1, *np.flatnonzero(dropped).tolist(), len(sentence)]
        for before, after in pairwise(edges):
            yield sentence[before + 1 : after], before < 0, after == len(sentence)


def _at_least(count: int, mean: float) -> float:
    term = exp(-mean)
    below = 0.0
    for x in range(count):
        below += term
        term *= mean / (x + 1)
    return 1.0 - below


def trigrams(sentences: Iterable[Sequence[str]]) -> Counter[Trigram]:
    """How often the sentences have each trigram; none runs from one sentence into the next."""
    of_sentences = (zip(sentence, sentence[1:], sentence[2:], strict=False) for sentence in sentences)
    return Counter(chain.from_iterable(of_sentences))


def _left_out(q: Sentences, overused: Collection[Trigram]) -> TokenFlags:
    flags = []
    for sentence in q:
        of_sentence = np.zeros(len(sentence), bool)
        for first, trigram in enumerate(zip(sentence, sentence[1:], sentence[2:], strict=False)):
            if trigram in overused:
                of_sentence[first : first + 3] = True
        flags.append(of_sentence)
    return tuple(flags)


REPEATED_AT_LEAST = 6  # times in Q
TYPICAL_OF_K = 2.0  # K's rate, as a multiple of the reference's
REPETITION_IMPROBABLE = 0.05  # over all n-grams tried
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
    in_k: Counter[Ngram] = Counter()
    for piece in k_pieces:
        in_k.update(piece.counts)
    n_k = sum(piece.n_tokens for piece in k_pieces)
    counts = {ngram: count for ngram, count in counts.items() if in_k[ngram]}
    if not counts:
        return []
    authors = [list(texts) for texts in reference]
    n_r = sum(sum(text.lengths) for texts in authors for text in texts)
    in_reference = {g: sum(len(text.places.get(g, ())) for texts in authors for text in texts) for g in counts}
    typical = [g for g in counts if in_k[g] / n_k >= TYPICAL_OF_K * (in_reference[g] + 1) / n_r]
    most_in_k = {g: max(piece.counts.get(g, 0) / piece.n_tokens for piece in k_pieces) * n_q for g in typical}
    beyond = [ngram for ngram in typical if counts[ngram] > most_in_k[ngram]]
    # Only what is left is looked for in pieces of the reference, which takes longest.
    by_author = [_pieces(texts, n_q, beyond) for texts in authors] if beyond else []
    hits = []
    for ngram in beyond:
        most = most_in_k[ngram]
        # One more than was counted: K is a sample, and its rate is not known better than that.
        expected = (in_k[ngram] + 1) / n_k * n_q
        size = 1 / _spread(ngram, [k_pieces, *by_author])
        chance = at_least(counts[ngram], mean=expected, size=size) * len(typical)
        if chance < REPETITION_IMPROBABLE:
            hits.append(Repeated(ngram, counts[ngram], expected, most, chance))
    return sorted(hits, key=lambda hit: (hit.chance, hit.ngram))


def often(q: Iterable[Sentence]) -> dict[Ngram, int]:
    """The n-grams that Q has often enough to be looked at."""
    counts = Counter(chain.from_iterable(map(_ngrams, q)))
    return {ngram: count for ngram, count in counts.items() if count >= REPEATED_AT_LEAST}


def count_ngrams(text: Iterable[Sentence], wanted: Collection[Ngram]) -> CountedText:
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


def _spread(ngram: Ngram, authors: Sequence[Sequence[_Piece]]) -> float:
    beyond = squares = 0.0
    for pieces in authors:
        total, n = sum(piece.counts.get(ngram, 0) for piece in pieces), len(pieces)
        if n < 2 or total < 2:
            continue
        rate = total / sum(piece.n_tokens for piece in pieces)
        for piece in pieces:
            expected = rate * piece.n_tokens
            away = piece.counts.get(ngram, 0) - expected
            beyond += away * away * n / (n - 1) - expected
            squares += expected * expected
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
        of_text = [_Piece(n_tokens, Counter()) for n_tokens in sizes]
        for ngram in wanted:
            for at in text.places.get(ngram, ()):
                of_text[bisect_right(starts, at) - 1].counts[ngram] += 1
        pieces += [piece for piece in of_text if piece.n_tokens]
    return pieces


def _ngrams(sentence: Sentence) -> Iterable[Ngram]:
    starts = [sentence[i:] for i in range(_LONGEST)]
    return chain.from_iterable(zip(*starts[:n], strict=False) for n in range(1, _LONGEST + 1))
