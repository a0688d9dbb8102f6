"""The comparators in one table: each takes Q, K's texts, the reference's texts (strings) and a seed.

What comes back is a score, higher where Q and K are more alike, and no likelihood ratio before it is calibrated or
normalised. Vocabulary, z-scores and idf come from these texts alone: from what is counted here, characters of sentences
and words.

Cosine Delta (Burrows 2002; Smith & Aldridge 2011): Q and K in their most frequent words. A score, not an LR.

N-gram tracing (Grieve et al. 2019): which character 9-grams of Q does K have? A score, not a likelihood ratio.

Impostors: is K nearer to Q than texts by others, whatever features are looked at? Scores, not likelihood ratios.

Rank-based (Potha & Stamatatos 2017, as in R's idiolect) and General Impostors (Koppel & Winter 2014, idiolect's KGI).
The texts of the reference are the impostors.

The tf-idf baseline of PAN 2023: the cosine of Q and K in character 4-grams. A score, not a likelihood ratio.

The compression baseline of PAN 2023: how many bits Q takes by a model of K, and K by one of Q. A score, not an LR.

A character is predicted by the longest context, of at most 5 characters, after which the model saw it, and by that
context's counts alone; one it never saw has probability 1/256.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import FloatArray, dot, log, log2, log10, mean, sd, total
from idiograph.checking import checks_arguments
from idiograph.errors import InputError
from idiograph.grammar.settings import LambdaGSettings, Seed
from idiograph.grammar.vocabulary import Numbers

Characters = npt.NDArray[np.int32]

BREAK = -1  # between texts, and between sentences: no n-gram runs across
_TEXTS_KEPT = 4096  # a reference serves many problems


def as_text(sentences: Sequence[Sequence[str]]) -> str:
    """Masked sentences as a text: tokens joined by blanks, one sentence per line."""
    return "\n".join(" ".join(sentence) for sentence in sentences)


@lru_cache(_TEXTS_KEPT)
def sentences_of(text: str) -> str:
    """The sentences, one per line, without digits and symbols (Unicode's S categories).

    A sentence ends after a run of `.`, `?`, `!` and at the end of a line.
    """
    pieces = (piece.strip() for piece in _ENDS.sub(r"\1\n", text).split("\n"))
    return "\n".join(piece for piece in pieces if piece).translate(_DROPPED)


@lru_cache(_TEXTS_KEPT)
def word_counts(text: str) -> Counter[str]:
    """How often each word and punctuation mark occurs, in lower case, in order of appearance.

    Symbols and pure numbers do not count; `'` and `.` inside a word do not divide it.
    """
    counts = Counter(_WORDS.findall(text.lower()))
    for word in [word for word in counts if word.isdecimal() or unicodedata.category(word[0])[0] == "S"]:
        del counts[word]
    return counts


@dataclass(frozen=True)
class CharacterNGrams:
    """The n-grams of several texts, numbered in order of appearance.

    Text i has the n-grams `ids[starts[i]:starts[i + 1]]`, each as often as `times` says, `totals[i]` in all.
    """

    starts: Numbers
    ids: Numbers
    times: Numbers
    totals: Numbers
    firsts: Numbers  # where each n-gram first starts among the characters of all texts, a break after each

    @property
    def n_texts(self) -> int:
        return len(self.totals)

    @property
    def n_ids(self) -> int:
        return len(self.firsts)

    def document_frequencies(self) -> Numbers:
        """How many texts have each n-gram."""
        return np.bincount(self.ids, minlength=self.n_ids)

    def frequencies(self) -> Numbers:
        """How often each n-gram occurs in all texts."""
        return np.bincount(self.ids, self.times, self.n_ids).astype(np.int64)

    def relative_frequencies(self, chosen: Numbers) -> FloatArray:
        """One row per text, one column per chosen n-gram: its share of all n-grams of the text."""
        return self.table(self.times / np.repeat(self.totals, np.diff(self.starts)), chosen)

    def table(self, values: FloatArray, chosen: Numbers) -> FloatArray:
        """One row per text, one column per chosen n-gram, of values in the order of `ids`."""
        columns = np.full(self.n_ids, -1, np.int64)
        columns[chosen] = np.arange(len(chosen))
        rows = np.repeat(np.arange(self.n_texts), np.diff(self.starts))
        is_chosen = columns[self.ids] >= 0
        table = np.zeros((self.n_texts, len(chosen)))
        table[rows[is_chosen], columns[self.ids[is_chosen]]] = values[is_chosen]
        return table


def n_grams(texts: Sequence[str], n: int, *, within_lines: bool) -> CharacterNGrams:
    """The character n-grams of the texts; within lines if so wanted, else across their ends too."""
    from idiograph.compiling import run
    from idiograph.evidence.kernels import by_appearance, count_texts

    characters, text_starts = characters_of(texts, within_lines=within_lines)
    numbers, firsts = run(by_appearance, characters, n)
    starts, ids, times, totals = run(count_texts, numbers, text_starts, len(firsts))
    return CharacterNGrams(starts, ids, times, totals, firsts)


def characters_of(texts: Sequence[str], *, within_lines: bool) -> tuple[Characters, Numbers]:
    """The code points of all texts in a row with a break after each, and where each starts (and the end)."""
    joined = "\0".join([*texts, ""])
    characters = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.int32).copy()
    ends = np.cumsum([len(text) + 1 for text in texts], dtype=np.int64)
    characters[ends - 1] = BREAK
    if within_lines:
        characters[characters == ord("\n")] = BREAK
    return characters, np.concatenate([np.zeros(1, np.int64), ends])


def most_frequent(worth: FloatArray | Numbers, n: int) -> Numbers:
    """The numbers of the n-grams worth most, ascending; of equals the earlier ones."""
    return np.sort(np.argsort(-worth, kind="stable")[:n])


def cosine(left: FloatArray, right: FloatArray) -> float:
    """Σ x·y / sqrt(Σ x² · Σ y²); 0 where one of them is all zeros."""
    norms = dot(left, left) * dot(right, right)
    return dot(left, right) / sqrt(norms) if norms > 0.0 else 0.0


class _Dropped(dict[int, str | None]):
    """Code point → itself, or None for digits and symbols; found when first met."""

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        category = unicodedata.category(character)
        kept = None if category == "Nd" or category[0] == "S" else character
        self[code] = kept
        return kept


_DROPPED = _Dropped()
_ENDS = re.compile(r"([.?!]+)\s*")
_WORDS = re.compile(r"[^\W_]+(?:['.][^\W\d_]+)*|[^\w\s]|_")


N_WORDS = 150


def delta(q: str, k: Sequence[str], reference: Sequence[str]) -> float:
    """The mean cosine of Q with each of K's texts; words and z-scores come from these texts and the reference."""
    z = z_scores([*reference, q, *k])
    of_q = z[len(reference)]
    return mean([cosine(of_q, row) for row in z[len(reference) + 1 :]])


def z_scores(texts: Sequence[str]) -> FloatArray:
    """One row per text: how far each of the most frequent words is from its mean relative frequency, in sd (n − 1)."""
    counts = [word_counts(text) for text in texts]
    totals = [sum(words.values()) for words in counts]
    if not all(totals):
        raise InputError(f"Text {totals.index(0) + 1} of {len(texts)} has no word, so it cannot be compared.")
    words = list(dict.fromkeys(word for of_text in counts for word in of_text))
    shares = [{word: times / n for word, times in of_text.items()} for of_text, n in zip(counts, totals, strict=True)]
    summed = np.array([total(of_text.get(word, 0.0) for of_text in shares) for word in words])
    chosen = [words[number] for number in most_frequent(summed, N_WORDS)]
    z = np.zeros((len(texts), len(chosen)))
    for column, word in enumerate(chosen):
        values = [of_text.get(word, 0.0) for of_text in shares]
        middle, spread = mean(values), sd(values)
        if spread > 0.0:
            z[:, column] = [(value - middle) / spread for value in values]
    return z


TRACING_N = 9


def ngram_tracing(q: str, k: Sequence[str]) -> float:
    """How many of the different 9-grams of Q, in lower case, K's texts have: Simpson's coefficient."""
    ngrams = n_grams([sentences_of(text).lower() for text in (q, *k)], TRACING_N, within_lines=True)
    of_q, of_k = np.split(ngrams.ids, [ngrams.starts[1]])
    if not (len(of_q) and len(of_k)):
        raise InputError(
            f"{'K' if len(of_q) else 'Q'} has no sentence of {TRACING_N} characters, so no n-gram to trace."
        )
    return int(np.count_nonzero(np.isin(of_q, of_k))) / len(of_q)


RANK_BASED_N, RANK_BASED_FEATURES = 5, 1500
GENERAL_N, GENERAL_ROUNDS = 4, 100
MOST_IMPOSTORS = 100


def rank_based_impostors(q: str, k: Sequence[str], reference: Sequence[str], *, seed: Seed = 0) -> float:
    """The mean of 1/rank of K's texts among impostors by their distance to Q: 1 is always the nearest.

    For each text of K the 100 texts of the reference most like it are the pool; a fifth as many rounds are made, each
    with a tenth as many impostors and half the features, drawn by [seed, text of K, which].
    """
    from idiograph.compiling import run
    from idiograph.evidence.kernels import distances, ranks
    from idiograph.grammar.reference_draws import draw

    _refuse_one_alone(reference)
    size = min(MOST_IMPOSTORS, len(reference))
    rounds, n_drawn = max(1, size // 5), max(1, size // 10)
    shares = rank_based_shares([*reference, q, *k])
    impostors, of_q, known = np.split(shares, [len(reference), len(reference) + 1])
    n_features = shares.shape[1]
    seeds = list(seed) if isinstance(seed, Sequence) else [seed]
    scores = []
    for number, text in enumerate(known):
        pool = impostors[most_frequent(-run(distances, text, impostors), size)]
        features = draw([*seeds, number, 0], n_features, size=n_features // 2, repetitions=rounds)
        drawn = draw([*seeds, number, 1], size, size=n_drawn, repetitions=rounds)
        ranked = run(ranks, of_q[0], text, pool, features, drawn)
        scores.append(mean(1.0 / rank for rank in ranked.tolist()))
    return mean(scores)


def general_impostors(q: str, k: Sequence[str], reference: Sequence[str], *, seed: Seed = 0) -> float:
    """The share of rounds, each with half the features and half the impostors, in which a text of K is nearest to Q."""
    from idiograph.compiling import run
    from idiograph.evidence.kernels import rounds_won
    from idiograph.grammar.reference_draws import draw

    _refuse_one_alone(reference)
    weights = general_weights([*reference, q, *k])
    impostors, of_q, known = np.split(weights, [len(reference), len(reference) + 1])
    seeds = list(seed) if isinstance(seed, Sequence) else [seed]
    n_features, half = weights.shape[1], max(1, len(reference) // 2)
    features = np.sort(draw([*seeds, 0], n_features, size=n_features // 2, repetitions=GENERAL_ROUNDS), axis=1)
    drawn = draw([*seeds, 1], len(reference), size=half, repetitions=GENERAL_ROUNDS)
    return int(run(rounds_won, of_q[0], known, impostors, features, drawn)) / GENERAL_ROUNDS


def rank_based_shares(texts: Sequence[str]) -> FloatArray:
    """One row per text: the relative frequencies of the 1,500 character 5-grams most frequent by their sum."""
    from idiograph.compiling import run
    from idiograph.evidence.kernels import summed_shares

    ngrams = _n_grams(texts, RANK_BASED_N)
    summed = run(summed_shares, ngrams.starts, ngrams.ids, ngrams.times, ngrams.totals, ngrams.n_ids)
    return ngrams.relative_frequencies(most_frequent(summed, RANK_BASED_FEATURES))


def general_weights(texts: Sequence[str]) -> FloatArray:
    """One row per text: the relative frequency of each character 4-gram times log10(texts / texts that have it)."""
    ngrams = _n_grams(texts, GENERAL_N)
    idf = log10(len(texts) / ngrams.document_frequencies().astype(np.float64))
    return ngrams.relative_frequencies(np.arange(ngrams.n_ids)) * idf


def _n_grams(texts: Sequence[str], n: int) -> CharacterNGrams:
    ngrams = n_grams([sentences_of(text) for text in texts], n, within_lines=True)
    if not ngrams.totals.all():
        number = int(np.flatnonzero(ngrams.totals == 0)[0])
        raise InputError(
            f"Text {number + 1} of {len(texts)} has no sentence of {n} characters, so it cannot be compared."
        )
    return ngrams


def _refuse_one_alone(reference: Sequence[str]) -> None:
    if len(reference) < 2:
        raise InputError(f"There are {len(reference)} impostors, and at least 2 are needed. Add reference texts.")


TFIDF_N, N_FEATURES = 4, 3000


def tfidf(q: str, k: Sequence[str], reference: Sequence[str]) -> float:
    """The cosine of Q and K; n-grams and their idf come from both and the reference, one text per author."""
    ngrams = fitted_n_grams([*reference, "\n".join(k), q])
    weights = tfidf_weights(ngrams, most_frequent(ngrams.frequencies(), N_FEATURES))
    return cosine(weights[-2], weights[-1])


def fitted_n_grams(texts: Sequence[str]) -> CharacterNGrams:
    """The 4-grams in lower case; two or more white-space characters count as one blank."""
    return n_grams([_BLANKS.sub(" ", text.lower()) for text in texts], TFIDF_N, within_lines=False)


def tfidf_weights(ngrams: CharacterNGrams, chosen: Numbers) -> FloatArray:
    """One row per text: tf · (ln((1 + n) / (1 + df)) + 1) of each chosen n-gram."""
    document_frequencies = ngrams.document_frequencies().astype(np.float64)
    idf = log((1.0 + ngrams.n_texts) / (1.0 + document_frequencies)) + 1.0
    return ngrams.table(ngrams.times * idf[ngrams.ids], chosen)


_BLANKS = re.compile(r"\s\s+")


ORDER = 5
ALPHABET = 256


def ppm(q: str, k: Sequence[str]) -> float:
    """Minus the mean of the cross-entropies of Q given K and of K given Q, in bits per character."""
    known = "\n".join(k)
    return -(cross_entropy(q, known) + cross_entropy(known, q)) / 2


def cross_entropy(text: str, model: str) -> float:
    """Bits per character of a text by a model of another."""
    from idiograph.compiling import run
    from idiograph.evidence.kernels import backed_off, by_appearance

    if not text or not model:
        raise InputError("A text without a character cannot be compared. Check how it was read.")
    characters, starts = characters_of([model, text], within_lines=False)
    numbered = [run(by_appearance, characters, n + 1) for n in range(ORDER + 1)]
    numbers = np.stack([of_n for of_n, _ in numbered])
    n_ids = np.array([max(1, len(firsts)) for _, firsts in numbered])
    probs = run(backed_off, numbers, 0, int(starts[1]) - 1, int(starts[1]), int(starts[2]) - 1, n_ids)
    probs[probs == 0.0] = 1.0 / ALPHABET
    return -total(log2(probs)) / len(text)


@dataclass(frozen=True)
class Comparator:
    """A method to compare with: its key in files, its name for people, where it comes from, and how it compares."""

    key: str
    name: str
    source: str
    compare: Callable[[str, Sequence[str], Sequence[str], Seed], float]

    @checks_arguments
    def score(self, q: str, k: Sequence[str], reference: Sequence[str], seed: Seed = 0) -> float:
        """How alike Q and K are."""
        if not k:
            raise InputError("K has no text, so there is nothing to compare Q with. Add known writings.")
        return self.compare(q, k, reference, LambdaGSettings(seed=seed).seed)


COMPARATORS: dict[str, Comparator] = {
    comparator.key: comparator
    for comparator in (
        Comparator(
            "delta",
            "Cosine Delta",
            "Burrows 2002, Smith & Aldridge 2011; as in idiolect",
            lambda q, k, reference, seed: delta(q, k, reference),
        ),
        Comparator(
            "ngram_tracing",
            "N-gram tracing",
            "Grieve et al. 2019; as in idiolect, Simpson's coefficient",
            lambda q, k, reference, seed: ngram_tracing(q, k),
        ),
        Comparator(
            "impostors",
            "Rank-based impostors",
            "Potha & Stamatatos 2017; as in idiolect",
            lambda q, k, reference, seed: rank_based_impostors(q, k, reference, seed=seed),
        ),
        Comparator(
            "general_impostors",
            "General Impostors",
            "Koppel & Winter 2014; idiolect's KGI",
            lambda q, k, reference, seed: general_impostors(q, k, reference, seed=seed),
        ),
        Comparator(
            "tfidf",
            "tf-idf of character 4-grams",
            "PAN 2023 baseline",
            lambda q, k, reference, seed: tfidf(q, k, reference),
        ),
        Comparator("ppm", "Compression (PPM)", "PAN 2023 baseline", lambda q, k, reference, seed: ppm(q, k)),
    )
}
