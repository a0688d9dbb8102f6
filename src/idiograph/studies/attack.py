"""An attack on a problem: somebody else's Q into which phrases of K were put, as an imitator would.

*Inserted* trigrams are those that K has three times or more, ranked by how much they tell K from the rest,

    p_K · ln(p_K / p_rest),    p_K = c_K / n_K,    p_rest = (c_rest + 1) / (n_rest + 1)

c a trigram's count and n that of all trigrams. The first of them are put before the last token of one sentence of Q
after the other, in turn, from the first sentence on and again when the last was reached.

*Imitations* are more: an imitator with a concordance of K takes its typical phrases (`evidence.phrases`, the rest being
all texts of the corpus that are not by K's author) and puts them in the same places, once each or in turn; others know
what Idiograph does against that. `IMITATIONS` says what each takes. What is drawn at random is drawn by the study's
seed of texts, K's and Q's author.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import cycle, islice
from typing import Any, Literal

import numpy as np

from idiograph.arithmetic import log
from idiograph.errors import StudyError
from idiograph.evidence.phrases import LONGEST, Phrases, typical_of
from idiograph.evidence.repetition import Trigram
from idiograph.evidence.steady import CohortMeans, NGramTable, ngram_counts, score_of, shipped_table
from idiograph.grammar.index import Index
from idiograph.grammar.vocabulary import Numbers
from idiograph.settings import check_settings, setting
from idiograph.texts.text import Sentence

NOTHING = "nothing"
_TYPICAL_FROM = 3  # times in K
Insertion = tuple[int, int]
Imitation = Literal[
    "10 once", "20 once", "40 once", "5 x 4", "5 x 8", "bigrams", "4-grams", "replacing", "half of K",
    "beyond the list", "rare", "quotes", "mixed", "knows score A",
]  # fmt: skip
IMITATIONS: Mapping[Imitation, str] = {
    "10 once": "K's 10 most typical trigrams, once each",
    "20 once": "K's 20 most typical trigrams, once each",
    "40 once": "K's 40 most typical trigrams, once each",
    "5 x 4": "the first five of them in turn, 20 in all",
    "5 x 8": "the first five of them in turn, 40 in all",
    "bigrams": "K's 20 most typical bigrams, once each",
    "4-grams": "K's 20 most typical phrases of four tokens, once each",
    "replacing": "the 20 trigrams in the place of the three tokens before a sentence's last",
    "half of K": "the 20 most typical trigrams of the first half of K",
    "beyond the list": "20 typical trigrams from rank 101 on that hold none of K's 40 most typical bigrams, filled up "
    "with rare ones",
    "rare": "20 trigrams that K has once and nobody else has, drawn at random",
    "quotes": "whole sentences of K of 4 to 25 tokens, drawn at random as long as they fit into 60 tokens, each as a "
    "sentence of its own after one of Q",
    "mixed": "K's five most typical phrases of each length from two to five tokens",
    "knows score A": "20 of K's 130 most typical trigrams, each time the one that raises score A most",
}
_MANY, _RANKED, _FIRST_BIGRAMS = 20, 100, 40
_MOST: Mapping[Imitation, int] = {"10 once": 10, "40 once": 40, "5 x 4": 5, "5 x 8": 5, "knows score A": 130}
_IN_ALL: Mapping[Imitation, int] = {"5 x 4": 20, "5 x 8": 40}
_QUOTED, _SHORTEST_QUOTE, _LONGEST_QUOTE = 60, 4, 25  # tokens


@dataclass(frozen=True, kw_only=True)
class Attack:
    """How a study attacks its own problems; every kind of attack is on all different-author problems."""

    insert: bool = setting(
        False,
        help="Put the trigrams most typical of K into the Q of each different-author problem, and judge these, too.",
    )
    kinds: tuple[Insertion, ...] = setting(
        ((1, 10), (1, 20), (5, 20), (5, 40)),
        must="a list of pairs of whole numbers from 1 to 1,000, such as [[1, 10], [5, 40]], none twice",
        allows=lambda kinds: (
            len(set(kinds)) == len(kinds) > 0 and all(1 <= number <= 1000 for kind in kinds for number in kind)
        ),
        help="How many different trigrams are put in, and how many in all.",
    )
    disguised: bool = setting(
        False, help="Judge problems whose Q is a text that role or texttype calls imitation or obfuscation, too."
    )
    imitate: tuple[Imitation, ...] = setting(
        (), help="Imitators with a concordance of K, whose Qs are judged, too; what each does is in the table below."
    )
    targets: int | None = setting(
        None,
        minimum=1,
        maximum=1_000_000,
        help="How many authors of its fold each Q is made to imitate (default: all); the next ones in the fold.",
    )

    def __post_init__(self) -> None:
        check_settings(self, error=StudyError)

    @property
    def on(self) -> bool:
        """Whether anything is attacked."""
        return self.insert or self.disguised or bool(self.imitate)

    def as_json(self) -> dict[str, Any]:
        """The settings as plain data; those that came later only where they are used."""
        return {name: value for name, value in asdict(self).items() if value or name not in ("imitate", "targets")}


def name_of(kind: Insertion) -> str:
    """What tables call a kind of attack."""
    phrases, times = kind
    return f"one trigram {times} times" if phrases == 1 else f"{phrases} trigrams, {times} in all"


def most_typical(k: Mapping[Trigram, int], rest: Mapping[Trigram, int], n: int) -> list[Trigram]:
    """The n trigrams that tell K best from the rest, the best first; fewer if K repeats fewer."""
    n_k, n_rest = sum(k.values()), sum(rest.values())
    worth = {}
    for phrase, count in k.items():
        if count >= _TYPICAL_FROM:
            p_k, p_rest = count / n_k, (rest.get(phrase, 0) + 1) / (n_rest + 1)
            worth[phrase] = p_k * log(p_k / p_rest)
    return sorted(worth, key=lambda phrase: (-worth[phrase], phrase))[:n]


def inserted(
    q: Sequence[Sentence], phrases: Sequence[Sentence], times: int, *, instead: int = 0
) -> tuple[Sentence, ...]:
    """Q with the phrases put in, `times` in all, `instead` of so many tokens before a sentence's last."""
    sentences = [list(sentence) for sentence in q]
    for number in range(times):
        sentence = sentences[number % len(sentences)]
        end = max(len(sentence) - 1, 0)
        sentence[max(end - instead, 0) : end] = phrases[number % len(phrases)]
    return tuple(map(tuple, sentences))


def quoted(q: Sequence[Sentence], quotes: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Q with a quotation after each of its sentences, as long as there are any; the rest at the end."""
    sentences: list[Sentence] = []
    for number, sentence in enumerate(q):
        sentences += [sentence, *quotes[number : number + 1]]
    return (*sentences, *quotes[len(q) :])


@lru_cache(maxsize=2)
def _phrases(index: Index) -> Phrases:
    return Phrases.of_index(index)


@lru_cache(maxsize=2)
def _totals(index: Index) -> Numbers:
    """How often the corpus has each phrase."""
    numbered = _phrases(index).numbered
    return np.bincount(numbered.ending[numbered.ending >= 0], minlength=numbered.n_ids)


@dataclass(frozen=True, eq=False)
class Imitated:
    """A K as an imitator sees it: its sentences, and those of its author's texts, which are not of the rest."""

    index: Index
    k: Numbers
    author: Numbers

    def typical(self, length: int, most: int, *, k: Numbers | None = None) -> list[Sentence]:
        """The most typical phrases of a length, of K or of a part of it."""
        phrases = _phrases(self.index)
        ids, times = phrases.counted(self._tokens(self.k if k is None else k), length)
        rest, n_rest = self._rest(length)
        return [phrases.words(id_) for id_ in typical_of(phrases, ids, times, rest, n_rest=n_rest, most=most)]

    def rare(self) -> list[Sentence]:
        """The trigrams that K has once and nobody else has, in alphabetical order."""
        phrases = _phrases(self.index)
        ids, times = phrases.counted(self._tokens(self.k), 3)
        rest, _ = self._rest(3)
        return [phrases.words(int(id_)) for id_ in ids[(times == 1) & (rest[ids] == 0)]]

    @property
    def first_half(self) -> Numbers:
        """The sentences of K up to the one that passes half of its tokens."""
        passed = np.cumsum(self.index.sentence_lengths[self.k], dtype=np.int64)
        return self.k[: int(np.searchsorted(passed, passed[-1] / 2)) + 1]

    def _rest(self, length: int) -> tuple[Numbers, int]:
        """How often texts of others have each phrase, and all of that length."""
        ids, times = _phrases(self.index).counted(self._tokens(self.author), length)
        rest = _totals(self.index).copy()
        rest[ids] -= times
        first, last = _phrases(self.index).of_length[length : length + 2]
        return rest, int(rest[first:last].sum())

    def _tokens(self, sentences: Numbers) -> Numbers:
        """The places of the tokens of sentences in the index."""
        starts = self.index.starts
        return np.concatenate([np.arange(starts[sentence], starts[sentence + 1]) for sentence in sentences.tolist()])


def imitation(
    kind: Imitation,
    q: Sequence[Sentence],
    k: Imitated,
    *,
    cohort: Sequence[Sequence[Sentence]],
    rng: np.random.Generator,
) -> tuple[Sentence, ...] | None:
    """Q as this imitator of K leaves it; None where K has nothing to take. `cohort` has the Ks of the reference."""
    if kind == "quotes":
        quotes = _quotes(k.index.take(k.k).sentences, rng)
        return quoted(q, quotes) if quotes else None
    phrases = _taken(kind, k, rng)
    if not phrases:
        return None
    if kind == "knows score A":
        return _raising(q, phrases, k.index.take(k.k).sentences, cohort, shipped_table())
    return inserted(q, phrases, len(phrases), instead=3 if kind == "replacing" else 0)


def _taken(kind: Imitation, k: Imitated, rng: np.random.Generator) -> list[Sentence]:
    """The phrases of an imitator, in the order in which they are put in."""
    if kind in ("bigrams", "4-grams"):
        return k.typical(2 if kind == "bigrams" else 4, _MANY)
    if kind == "half of K":
        return k.typical(3, _MANY, k=k.first_half)
    if kind == "mixed":
        return [phrase for length in range(2, LONGEST + 1) for phrase in k.typical(length, _MANY // 4)]
    if kind in ("rare", "beyond the list"):
        rare = k.rare()
        rare = [rare[number] for number in rng.permutation(len(rare))]
        if kind == "rare":
            return rare[:_MANY]
        bigrams = set(k.typical(2, _FIRST_BIGRAMS))
        later = k.typical(3, sys.maxsize)[_RANKED:]
        later = [trigram for trigram in later if trigram[:2] not in bigrams and trigram[1:] not in bigrams]
        return [*later, *rare][:_MANY]
    phrases = k.typical(3, _MOST.get(kind, _MANY))
    return list(islice(cycle(phrases), _IN_ALL.get(kind, len(phrases))))


def _quotes(k: Sequence[Sentence], rng: np.random.Generator) -> list[Sentence]:
    """Sentences of K at random, each that still fits."""
    quotes: list[Sentence] = []
    for number in rng.permutation(len(k)):
        n = len(k[number])
        if _SHORTEST_QUOTE <= n <= _LONGEST_QUOTE and n + sum(map(len, quotes)) <= _QUOTED:
            quotes.append(k[number])
    return quotes


def _raising(
    q: Sequence[Sentence],
    phrases: Sequence[Sentence],
    k: Sequence[Sentence],
    cohort: Sequence[Sequence[Sentence]],
    table: NGramTable,
) -> tuple[Sentence, ...]:
    """Q with 20 of the phrases, each time that which raises score A most where the next one goes."""
    texts = ngram_counts([q, k, *cohort], table)
    sizes = np.array([sum(map(len, text)) for text in (q, k, *cohort)], np.float64)
    x_k = np.sqrt(texts[1:] / sizes[1:, None])
    means = CohortMeans.of(x_k, q_authors=[len(x_k)], reference=range(1, len(x_k)))
    mean = np.array([means.at(g)[0, 0] for g in range(x_k.shape[1])])
    counts_of_q, n_q = texts[0], sizes[0]
    raised, left = tuple(q), list(phrases)
    for number in range(min(_MANY, len(left))):
        at = number % len(raised)
        before = ngram_counts([[raised[at]]], table)[0]
        tried = [inserted([raised[at]], [phrase], 1)[0] for phrase in left]
        counts = counts_of_q - before + ngram_counts([[sentence] for sentence in tried], table)
        n = n_q + np.array([len(phrase) for phrase in left], np.float64)
        scores = score_of(np.sqrt(counts / n[:, None]), x_k[0], mean, n, sizes[1], table)
        best = int(np.argmax(scores))
        raised = (*raised[:at], tried[best], *raised[at + 1 :])
        counts_of_q, n_q = counts[best], float(n[best])
        del left[best]
    return raised
