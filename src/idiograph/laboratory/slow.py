"""λG, the corrections, the n-gram cosine and Cllr as their formulas are written: dictionaries, sets and loops.

Nothing here is compiled, fast or shared with the engine, of which it imports nothing; it is what the engine is compared
with on the machine at hand. The formulas are those of docs/method.md and docs/evidence.md.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

Sentence = Sequence[str]
Gram = tuple[object, ...]
_BEGIN, _END = object(), object()


class KneserNey:
    """Interpolated Kneser-Ney over sentences, each with N − 1 marks before it and one behind."""

    def __init__(self, sentences: Iterable[Sentence], order: int, discount: float) -> None:
        self.order, self.discount = order, discount
        self.counts: Counter[Gram] = Counter()
        self.before: dict[Gram, set[object]] = defaultdict(set)
        self.after: dict[Gram, set[object]] = defaultdict(set)
        for sentence in sentences:
            padded = _padded(sentence, order)
            for end in range(order, len(padded) + 1):
                for start in range(end - order, end):
                    gram = padded[start:end]
                    self.counts[gram] += 1
                    self.after[gram[:-1]].add(gram[-1])
                    if start > end - order:
                        self.before[gram].add(padded[start - 1])

    def probability(self, token: object, context: Gram) -> float:
        """P(w|h) = max(n(hw) − D, 0)/n(h) + D·N1+(h•)/n(h) · P(w|h′); h′ alone where h was never seen.

        n counts occurrences where the context is full, and different tokens before it where it is shorter.
        """
        if context and context not in self.after:
            return self.probability(token, context[1:])
        full = len(context) == self.order - 1
        times = {after: self._times((*context, after), full) for after in self.after[context]}
        total = sum(times.values())
        lower = self.probability(token, context[1:]) if context else 1 / (len(self.after[()]) + 1)
        discounted = max(times.get(token, 0) - self.discount, 0) / total
        return discounted + self.discount * len(times) / total * lower

    def _times(self, gram: Gram, full: bool) -> int:
        return self.counts[gram] if full else len(self.before[gram])

    def log10_probabilities(self, sentence: Sentence) -> list[float]:
        """Of every token, and of the sentence's end."""
        padded = _padded(sentence, self.order)
        return [
            math.log10(self.probability(padded[end], padded[end - self.order + 1 : end]))
            for end in range(self.order - 1, len(padded))
        ]


def _padded(sentence: Sentence, order: int) -> Gram:
    return (*[_BEGIN] * (order - 1), *sentence, _END)


def lambda_g(
    q: Sequence[Sentence], k: Sequence[Sentence], reference: Sequence[Sentence], *, order: int, repetitions: int,
    discount: float, seed: int,
) -> list[float]:  # fmt: skip
    """λG(t) = log10 P(t|G_K) − mean_i log10 P(t|G_i) of every token of Q and every sentence's end."""
    rng = np.random.default_rng(seed)
    draws = [rng.choice(len(reference), size=len(k), replace=False) for _ in range(repetitions)]
    of_k = KneserNey(k, order, discount)
    models = [KneserNey([reference[sentence] for sentence in draw], order, discount) for draw in draws]
    evidence: list[float] = []
    for sentence in q:
        known = of_k.log10_probabilities(sentence)
        others = [model.log10_probabilities(sentence) for model in models]
        evidence += [
            p - math.fsum(column) / repetitions for p, column in zip(known, zip(*others, strict=True), strict=True)
        ]
    return evidence


def hapax_bits(total: float, q: Sequence[Sentence]) -> float:
    """λG · V1(Q) / N(Q)."""
    times = Counter(token for sentence in q for token in sentence)
    return total * sum(count == 1 for count in times.values()) / sum(times.values())


def square_root_bits(total: float, q: Sequence[Sentence]) -> float:
    """λG / sqrt(N(Q))."""
    return total / math.sqrt(sum(map(len, q)))


def cosine(q: Sequence[Sentence], k: Sequence[Sentence], cohort: Sequence[Sequence[Sentence]]) -> float:
    """The cosine of token n-grams of length 1 to 3, each weighing (1 + ln tf)·(ln((1 + n)/(1 + df)) + 1)."""
    texts = [_grams(text) for text in (k, *cohort)]
    of_q, of_k = _grams(q), texts[0]

    def weights(counts: Counter[Gram]) -> dict[Gram, float]:
        held = {gram: sum(gram in text for text in texts) for gram in counts}
        return {
            gram: (1 + math.log(times)) * (math.log((1 + len(texts)) / (1 + held[gram])) + 1)
            for gram, times in counts.items()
            if held[gram]
        }

    first, other = weights(of_q), weights(of_k)
    product = math.fsum(weight * other[gram] for gram, weight in first.items() if gram in other)
    norms = [math.sqrt(math.fsum(weight**2 for weight in side.values())) for side in (first, other)]
    return product / (norms[0] * norms[1])


def _grams(text: Sequence[Sentence]) -> Counter[Gram]:
    grams: Counter[Gram] = Counter()
    for sentence in text:
        marked = (_BEGIN, *sentence, _END)
        for length in (1, 2, 3):
            grams.update(marked[start : start + length] for start in range(len(marked) - length + 1))
    return grams


def cllr(same: Sequence[float], different: Sequence[float]) -> float:
    """½·(mean log2(1 + 1/LR) over same authors + mean log2(1 + LR) over different ones), from ln LRs."""
    cost = [math.fsum(math.log1p(math.exp(-llr)) for llr in same) / len(same)]
    cost.append(math.fsum(math.log1p(math.exp(llr)) for llr in different) / len(different))
    return sum(cost) / 2 / math.log(2)


def cllr_min(same: Sequence[float], different: Sequence[float]) -> float:
    """Cllr after the best rising transform, by max-min of weighted means over blocks of distinct LLRs."""
    values = sorted({*same, *different})
    weights = [
        (same.count(value) / len(same), different.count(value) / len(different)) for value in values
    ]  # what each class has there, both classes weighing the same
    costs = 0.0
    for at, (of_same, of_different) in enumerate(weights):
        share = max(
            min(_share(weights[first : last + 1]) for last in range(at, len(weights))) for first in range(at + 1)
        )
        costs -= of_same * math.log2(share) if of_same else 0.0
        costs -= of_different * math.log2(1 - share) if of_different else 0.0
    return costs / 2


def _share(block: Sequence[tuple[float, float]]) -> float:
    of_same, of_different = (math.fsum(side) for side in zip(*block, strict=True))
    return of_same / (of_same + of_different)
