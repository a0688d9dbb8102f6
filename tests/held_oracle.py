"""K's own phrases, score A and the ceiling, slow and obvious. Imports nothing of what it checks."""

from collections import Counter
from math import log, sqrt

from guarded_oracle import distinct, left
from normalised_oracle import cohort, cosine, mean, n_grams


def phrases(text, m):
    """How often a text has each run of m tokens; none runs into the next sentence."""
    return Counter(
        tuple(sentence[i : i + m]) for sentence in text for i in range(len(sentence) - m + 1)
    )  # fmt: skip


def typical(k, rest, m, n):
    """The n phrases of m tokens that are most typical of K; `rest` has the counts of all others."""
    counts = phrases(k, m)
    n_k, n_rest = sum(counts.values()), max(sum(rest.values()), 1)

    def worth(phrase):
        p_k = counts[phrase] / n_k
        return p_k * log(p_k / ((rest[phrase] + 1) / n_rest))

    taken = []
    for phrase in sorted((p for p, c in counts.items() if c >= 2), key=lambda p: (-worth(p), p)):
        if len(taken) < n and not any(phrase[1:] == t[:-1] or t[1:] == phrase[:-1] for t in taken):
            taken.append(phrase)
    return taken


def covered(q, wanted):
    """Per sentence and token, whether it is inside an occurrence of one of the phrases."""
    flags = []
    for sentence in q:
        of_sentence = [False] * len(sentence)
        for phrase in wanted:
            for i in range(len(sentence) - len(phrase) + 1):
                if tuple(sentence[i : i + len(phrase)]) == phrase:
                    of_sentence[i : i + len(phrase)] = [True] * len(phrase)
        flags.append(of_sentence)
    return flags


def left_out(q, k, others, n):
    """The flags by the lists, and those by the lists and by what K alone has; `others` are the cohort's Ks."""
    lists = set()
    for m in (3, 4, 5):
        rest = sum((phrases(other, m) for other in others), Counter())
        lists.update(typical(k, rest, m, n))
    held_by = Counter(phrase for other in others for phrase in phrases(other, 3))
    alone = {phrase for phrase in phrases(k, 3) if held_by[phrase] <= 1}
    return covered(q, lists), covered(q, lists | alone)


def matrices(scores, qs, ks, reference, n):
    """Unlisted and bare: distinct λG and cosine of every Q with every K; `scores` by cell, one per set of models."""
    k_counts = [n_grams(k) for k in ks]
    names = ("unlisted_distinct", "unlisted_cosine", "bare_distinct", "bare_cosine")
    by_name = {name: [[None] * len(ks) for _ in qs] for name in names}
    for b, q in enumerate(qs):
        for a, k in enumerate(ks):
            members = cohort(reference, b, a)
            by_kind = left_out(q, k, [ks[j] for j in members], n)
            for kind, flags in zip(("unlisted", "bare"), by_kind, strict=True):
                df_over = [*(k_counts[j] for j in members), k_counts[a]]
                by_name[f"{kind}_cosine"][b][a] = cosine(left(q, flags), k_counts[a], df_over)
                if (b, a) in scores:
                    sums = [distinct(score.evidence, score.counted, flags) for score in scores[b, a]]
                    by_name[f"{kind}_distinct"][b][a] = mean(sums)
    return by_name


def frequencies(text, table):
    """√(c/N) of every n-gram of the table."""
    counts = Counter()
    for sentence in text:
        events = ["<s>", *sentence, "</s>"]
        for length in (1, 2, 3):
            for i in range(len(events) - length + 1):
                counts[" ".join(events[i : i + length])] += 1
    n = sum(map(len, text))
    return [sqrt(counts[ngram] / n) for ngram, _, _ in table]


def score_a(q, k, others, table):
    """Score A of one Q and K; `others` are the cohort's Ks."""
    x, y, rest = frequencies(q, table), frequencies(k, table), [frequencies(other, table) for other in others]
    n_q, n_k = sum(map(len, q)), sum(map(len, k))
    score = 0.0
    for g, (_, between, within) in enumerate(table):
        mu = sum(other[g] for other in rest) / len(rest)
        u, v = x[g] - mu, y[g] - mu
        t_q, t_k = between + within + 1 / (4 * n_q), between + within / 2 + 1 / (4 * n_k)
        d = t_q * t_k - between**2
        score += -0.5 * log(d / (t_q * t_k)) - 0.5 * (t_k * u**2 - 2 * between * u * v + t_q * v**2) / d
        score += 0.5 * u**2 / t_q + 0.5 * v**2 / t_k
    return score


def held(nats, bare, steady):
    """The ceiling, in nats."""
    if nats <= 0:
        return nats
    return min(nats, max(0.0, bare + log(4)), max(0.0, steady + log(4)))


def put_in(q, taken, times, instead=0):
    """Q with phrases before the last token of its sentences, one after the other and from the first again."""
    sentences = [list(sentence) for sentence in q]
    for n in range(times):
        sentence = sentences[n % len(sentences)]
        before, last = sentence[:-1], sentence[-1:]
        sentence[:] = (
            (before[: len(before) - instead] if instead <= len(before) else []) + list(taken[n % len(taken)]) + last
        )
    return [tuple(sentence) for sentence in sentences]


def imitated(kind, q, k, others, cohort, table):
    """Q as an imitator of K leaves it who draws nothing at random; `others` has all texts that are not K's author's."""
    rest = {m: phrases(others, m) for m in (2, 3, 4, 5)}
    most = {m: typical(k, rest[m], m, 10_000) for m in (2, 3, 4, 5)}
    if kind in ("10 once", "20 once", "40 once"):
        taken = most[3][: int(kind.split()[0])]
        return put_in(q, taken, len(taken))
    if kind in ("5 x 4", "5 x 8"):
        return put_in(q, most[3][:5], 5 * int(kind[-1]))
    if kind in ("bigrams", "4-grams"):
        taken = most[2 if kind == "bigrams" else 4][:20]
        return put_in(q, taken, len(taken))
    if kind == "replacing":
        return put_in(q, most[3][:20], len(most[3][:20]), instead=3)
    if kind == "half of K":
        half, n = [], sum(map(len, k))
        while 2 * sum(map(len, half)) < n:
            half.append(k[len(half)])
        taken = typical(half, rest[3], 3, 20)
        return put_in(q, taken, len(taken))
    if kind == "mixed":
        taken = [phrase for m in (2, 3, 4, 5) for phrase in most[m][:5]]
        return put_in(q, taken, len(taken))
    assert kind == "knows score A"
    left, imitation, n = most[3][:130], list(q), 0
    while left and n < 20:
        at = n % len(imitation)

        def with_phrase(phrase, imitation=imitation, at=at):
            return [*imitation[:at], put_in([imitation[at]], [phrase], 1)[0], *imitation[at + 1 :]]

        best = max(left, key=lambda phrase: score_a(with_phrase(phrase), k, cohort, table))
        imitation, n = with_phrase(best), n + 1
        left.remove(best)
    return imitation


def beyond(k, others):
    """Typical trigrams from rank 101 on without the 40 first bigrams."""
    bigrams = typical(k, phrases(others, 2), 2, 40)
    later = typical(k, phrases(others, 3), 3, 10_000)[100:]
    return [phrase for phrase in later if phrase[:2] not in bigrams and phrase[1:] not in bigrams]


def rare(k, others):
    """The trigrams that K has once and nobody else has."""
    theirs = phrases(others, 3)
    return {phrase for phrase, n in phrases(k, 3).items() if n == 1 and not theirs[phrase]}
