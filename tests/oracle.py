"""λG as METHOD.md writes it, slow and obvious: dictionaries, sets and tuples. Imports nothing of what it checks."""

from collections import Counter, defaultdict
from math import log10

import numpy as np

BOS, EOS = object(), object()


class Model:
    """Interpolated Kneser-Ney of one list of sentences."""

    def __init__(self, sentences, order, discount):
        self.order, self.discount = order, discount
        self.count = Counter()  # c(g)
        self.times_as_context = Counter()  # c(h)
        self.before = defaultdict(set)  # N1+(•g)
        self.after = defaultdict(set)  # N1+(g•)
        self.around = defaultdict(set)  # N1+(•g•)
        for sentence in sentences:
            padded = (BOS,) * (order - 1) + tuple(sentence) + (EOS,)
            for end in range(order - 1, len(padded)):
                for length in range(1, order + 1):
                    gram = padded[end + 1 - length : end + 1]
                    self.count[gram] += 1
                    self.times_as_context[gram[:-1]] += 1
                    self.after[gram[:-1]].add(gram[-1])
                    if length > 1:
                        self.before[gram[1:]].add(gram[0])
                        self.around[gram[1:-1]].add((gram[0], gram[-1]))
        self.types = self.after[()]

    def prob(self, token, context):
        """P(w|h) of a full context."""
        assert len(context) == self.order - 1
        if context and context not in self.after:
            return self.lower(token, context[1:])
        n = self.times_as_context[context]
        base = self.lower(token, context[1:]) if context else 1 / (len(self.types) + 1)
        return (
            max(self.count[(*context, token)] - self.discount, 0) / n
            + self.discount * len(self.after[context]) / n * base
        )

    def lower(self, token, context):
        """P'(w|h) of a shorter context."""
        if context and context not in self.after:
            return self.lower(token, context[1:])
        n = len(self.around[context])
        base = self.lower(token, context[1:]) if context else 1 / (len(self.types) + 1)
        seen = len(self.before.get((*context, token), ()))
        return max(seen - self.discount, 0) / n + self.discount * len(self.after[context]) / n * base

    def log10_probs(self, sentence):
        padded = (BOS,) * (self.order - 1) + tuple(sentence) + (EOS,)
        return [
            log10(self.prob(padded[end], padded[end - self.order + 1 : end]))
            for end in range(self.order - 1, len(padded))
        ]


def score(q, k, reference, order=10, repetitions=30, discount=0.75, seed=0):
    """λG, the evidence a sentence, and the totals of the reference models."""
    rng = np.random.default_rng(seed)
    draws = [rng.choice(len(reference), size=len(k), replace=False) for _ in range(repetitions)]
    return score_with(q, k, [[reference[i] for i in draw] for draw in draws], order, discount)


def score_with(q, k, samples, order, discount):
    """The same with the sentences of each reference model given."""
    known = Model(k, order, discount)
    models = [Model(sample, order, discount) for sample in samples]
    evidence, totals = [], np.zeros(len(models))
    for sentence in q:
        references = np.array([model.log10_probs(sentence) for model in models])
        evidence.append(np.array(known.log10_probs(sentence)) - references.mean(axis=0))
        totals += references.sum(axis=1)
    return sum(part.sum() for part in evidence), evidence, totals
