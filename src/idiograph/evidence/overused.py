"""What Q overuses, and the scores without it: a phrase that nobody at hand repeats so often proves nothing.

Somebody who imitates K puts in what is typical of K more often than K would. A trigram is overused in the trial of Q
with K if Q has it c ≥ 3 times and

    P(X ≥ c) < 0.2,    X ~ Poisson(N_Q · max(c_K / N_K, max_j c_j / N_j, 1 / N_C))

c and N are its count and the number of tokens in Q, in K, and in each K_j of the trial's cohort C (`cohort`), N_C that
of all of them together. In a Q that nobody tampered with this hits phrases that say little anyway.

Left out are the tokens of all its occurrences, and in λG also the event after each, which they predict.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import numpy as np

from idiograph.arithmetic import exp
from idiograph.evidence.cohort import following
from idiograph.grammar.lambdag import Score
from idiograph.grammar.trigrams import Flags
from idiograph.grammar.vocabulary import Numbers, Sentences

AT_LEAST = 3
IMPROBABLE = 0.2
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
    in_ks, k_tokens = [trigrams(k) for k in ks], [_n_tokens(k) for k in ks]
    n_all = sum(k_tokens[author] for author in reference)
    members = set(reference)
    version_of = np.zeros((len(qs), len(ks)), np.int64)
    versions = []
    for row, (q, b) in enumerate(zip(qs, q_authors, strict=True)):
        n_q = _n_tokens(q)
        often = {one: count for one, count in trigrams(q).items() if count >= AT_LEAST}
        # Of each trigram the reference authors with the highest rates: at most three of them are not in a cohort.
        rates = {
            one: sorted(((in_ks[j][one] / max(k_tokens[j], 1), j) for j in reference), reverse=True)[:4]
            for one in often
        }
        found: dict[tuple[Trigram, ...], int] = {(): 0}
        for a, k in enumerate(in_ks):
            out = {a, b} & members
            if a == b and a in members:
                out.add(following(reference, a))
            n_cohort = n_all - sum(k_tokens[author] for author in out)
            overused = []
            for one, count in often.items():
                in_cohort = next((rate for rate, j in rates[one] if j not in out), 0.0)
                rate = max(k[one] / max(k_tokens[a], 1), in_cohort, 1 / max(n_cohort, 1))
                if n_q * rate < least_mean(count):
                    overused.append(one)
            version_of[row, a] = found.setdefault(tuple(overused), len(found))
        versions.append(tuple(_left_out(q, phrases) for phrases in found))
    return Overuse(version_of, tuple(versions))


@cache
def least_mean(count: int) -> float:
    """The mean of a Poisson distribution from which on this count or more is no longer improbable."""
    low, high = 0.0, float(count)
    while (middle := (low + high) / 2) not in (low, high):
        if _at_least(count, middle) < IMPROBABLE:
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
    counts: Counter[Trigram] = Counter()
    for sentence in sentences:
        counts.update(zip(sentence, sentence[1:], sentence[2:], strict=False))
    return counts


def _n_tokens(sentences: Sentences) -> int:
    return sum(map(len, sentences))


def _left_out(q: Sentences, overused: Collection[Trigram]) -> TokenFlags:
    flags = []
    for sentence in q:
        own = np.zeros(len(sentence), bool)
        for first, one in enumerate(zip(sentence, sentence[1:], sentence[2:], strict=False)):
            if one in overused:
                own[first : first + 3] = True
        flags.append(own)
    return tuple(flags)
