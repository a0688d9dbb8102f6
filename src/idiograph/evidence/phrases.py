"""K's own phrases, those that anybody with a concordance of K would take from it, and the scores of a Q without them.

*Typical* of K are the phrases of m tokens that it has twice or more, ranked by how much they tell it from the rest:

    p_K · ln(p_K / p_rest),    p_K = c_K / n_K,    p_rest = (c_rest + 1) / n_rest

c is a phrase's count and n that of all phrases of m tokens; one that ends as another that was taken begins, or begins
as it ends, in m − 1 tokens, is passed over. *K alone* has the trigrams that at most one K of the trial's cohort has.

**Bare** are the scores without both: of each K the 60 first typical phrases of 3, 4 and 5 tokens each, by its trial's
cohort, and the trigrams that it alone has. Left out are the tokens of Q inside any of them; of distinct λG also the
event after each, of the n-gram cosine every n-gram that touches one. **Unlisted** are those without the lists alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import FloatArray, total
from idiograph.evidence.cosine import END, Counts, NGrams, number_n_grams, number_texts, tf_and_idf_weights
from idiograph.evidence.trials import following
from idiograph.grammar.index import Index
from idiograph.grammar.lambdag import Score
from idiograph.grammar.vocabulary import Numbers, Sentences
from idiograph.texts.text import Sentence

LISTED = 60  # typical phrases of each length that are left out
LONGEST = 5  # tokens of a phrase
UNLISTED, BARE = ("unlisted_distinct", "unlisted_cosine"), ("bare_distinct", "bare_cosine")
Codes = npt.NDArray[np.uint8]  # of each token of Q: 1 in a listed phrase, 2 in one that K alone has, 3 in both


@dataclass(frozen=True, eq=False)
class Phrases:
    """The phrases of up to five tokens of texts, in the order of their tokens; none runs into the next sentence."""

    numbered: NGrams
    tokens: Numbers  # of all texts, numbered in alphabetical order
    types: Sequence[str]

    @classmethod
    def of(cls, texts: Sequence[Sentences]) -> "Phrases":
        """The phrases of texts that are given by their sentences."""
        types = sorted({token for text in texts for sentence in text for token in sentence})
        rank = {token: number for number, token in enumerate(types)}
        tokens = np.array([rank[token] for text in texts for sentence in text for token in sentence], np.int64)
        sizes = [[len(sentence) for sentence in text] for text in texts]
        return cls(number_n_grams(tokens, sizes=sizes, lengths=range(1, LONGEST + 1)), tokens, types)

    @classmethod
    def of_index(cls, index: Index) -> "Phrases":
        """The phrases of the sentences of an index, each a text."""
        types = sorted(index.types)
        rank = {token: number for number, token in enumerate(types)}
        ranks = np.array([-1, *(rank[token] for token in index.types)], np.int64)  # tokens are numbered from 1
        tokens = ranks[index.tokens]
        sizes = [[size] for size in index.sentence_lengths.tolist()]
        return cls(number_n_grams(tokens, sizes=sizes, lengths=range(1, LONGEST + 1)), tokens, types)

    @cached_property
    def of_length(self) -> Numbers:
        """The first number of each length, from 0 (which none has) to one beyond the longest."""
        # Where no sentence is that long, the last number is that of the length before.
        last = np.maximum.accumulate(self.numbered.ending.max(axis=1, initial=-1))
        return np.concatenate([[0, 0], last + 1])

    @cached_property
    def ends(self) -> Numbers:
        """Where one occurrence of each phrase ends."""
        ends = np.zeros(self.numbered.n_ids, np.int64)
        for ending in self.numbered.ending:
            tokens = np.flatnonzero(ending >= 0)[::-1]  # so that the first occurrence stays
            ends[ending[tokens]] = tokens
        return ends

    @cached_property
    def shorter(self) -> tuple[Numbers, Numbers]:
        """For each phrase, the phrases one token shorter that it begins and ends with; 0 for a single token."""
        first, last = np.zeros((2, self.numbered.n_ids), np.int64)
        for length in range(2, LONGEST + 1):
            phrases = np.arange(self.of_length[length], self.of_length[length + 1])
            ending = self.numbered.ending[length - 2]
            first[phrases], last[phrases] = ending[self.ends[phrases] - 1], ending[self.ends[phrases]]
        return first, last

    def words(self, phrase: int) -> Sentence:
        """The tokens of a phrase."""
        length = int(np.searchsorted(self.of_length, phrase, side="right")) - 1
        end = int(self.ends[phrase]) + 1
        return tuple(self.types[token] for token in self.tokens[end - length : end].tolist())

    def counted(self, tokens: Numbers, length: int) -> tuple[Numbers, Numbers]:
        """The phrases of a length that end at these tokens, ascending, and how often each does."""
        ending = self.numbered.ending[length - 1, tokens]
        ids, times = np.unique(ending[ending >= 0], return_counts=True)
        return ids, times


def typical_of(phrases: Phrases, ids: Numbers, times: Numbers, rest: Numbers, *, n_rest: int, most: int) -> list[int]:
    """The phrases of one length most typical of a K, which has `ids` so many `times`; `rest` counts by number."""
    from idiograph.compiling import run
    from idiograph.evidence.kernels import typical

    clear = np.zeros((2, phrases.numbered.n_ids), bool)
    first, last = phrases.shorter
    taken = run(typical, ids, times, rest, int(times.sum()), n_rest, first, last, most, clear[0], clear[1])
    return [int(phrase) for phrase in taken]


def left_out(
    qs: Sequence[Sentences], ks: Sequence[Sentences], *, q_authors: Sequence[int], reference: Sequence[int]
) -> tuple[list[Codes], FloatArray]:
    """What each Q owes to each K's own phrases: the codes of its tokens, one row per K, and the cosines of the rest.

    The cosines are unlisted, then bare. K number a is author a's, and cohorts are taken from the reference.
    """
    # Imported late: Numba takes half a second.
    from idiograph.compiling import run
    from idiograph.evidence import kernels

    n_qs, n_ks = len(qs), len(ks)
    phrases = Phrases.of([*qs, *ks])
    edges = np.cumsum([0, *(sum(map(len, q)) for q in qs)], dtype=np.int64)
    counts = phrases.numbered.counts()
    of_qs = int(counts.starts[n_qs])
    of_ks = Counts(counts.starts[n_qs:] - of_qs, counts.ids[of_qs:], counts.times[of_qs:], counts.n_ids)
    first, last = phrases.shorter
    of_phrases = (
        phrases.numbered.ending, edges, phrases.of_length, first, last, of_ks.starts, of_ks.ids, of_ks.times,
    )  # fmt: skip
    events = number_texts([*qs, *ks])
    event_edges = np.searchsorted(events.text_of, np.arange(n_qs + 1))
    is_token = events.ending[0] > END  # n-grams of one symbol are numbered first, starts and ends before tokens
    token_of = np.where(is_token, np.cumsum(is_token, dtype=np.int64) - 1, -1)
    ngrams = events.counts()
    of_ngrams = (events.ending, event_edges, token_of, ngrams.starts, ngrams.ids, ngrams.times)
    is_reference = np.zeros(n_ks, bool)
    is_reference[list(reference)] = True
    rest, df = np.zeros((2, phrases.numbered.n_ids), np.int64)
    n_rest, ngram_df = np.zeros(LONGEST + 2, np.int64), np.zeros(ngrams.n_ids, np.int64)
    for author in reference:
        text = slice(of_ks.starts[author], of_ks.starts[author + 1])
        rest[of_ks.ids[text]] += of_ks.times[text]
        df[of_ks.ids[text]] += 1
        length = np.searchsorted(phrases.of_length, of_ks.ids[text], side="right") - 1
        np.add.at(n_rest, length, of_ks.times[text])
        ngram_df[ngrams.ids[ngrams.starts[n_qs + author] : ngrams.starts[n_qs + author + 1]]] += 1
    tf_weights, idf = tf_and_idf_weights(ngrams, n_ks)
    codes, cosines = [], np.zeros((2, n_qs, n_ks))
    for row, b in enumerate(q_authors):
        after = following(reference, b) if b in reference else -1
        flags, cosines[:, row] = run(
            kernels.without_phrases, row, b, after, of_phrases, of_ngrams, is_reference, rest, df, n_rest, ngram_df,
            len(reference), tf_weights, idf, LISTED,
        )  # fmt: skip
        codes.append(flags)
    return codes, cosines


def without_phrases(
    cells: Mapping[tuple[int, int], Sequence[Score]],
    qs: Sequence[Sentences],
    ks: Sequence[Sentences],
    *,
    q_authors: Sequence[int],
    reference: Sequence[int],
) -> dict[str, FloatArray]:
    """The scores without K's own phrases of every Q (rows) with every K (columns); λG of the cells alone."""
    codes, cosines = left_out(qs, ks, q_authors=q_authors, reference=reference)
    events = [_event_of(q) for q in qs]
    scores = {name: np.full((len(qs), len(ks)), np.nan) for name in (UNLISTED[0], BARE[0])}
    for (b, a), by_models in cells.items():
        for name, mask in ((UNLISTED[0], 1), (BARE[0], 3)):
            scores[name][b, a] = kept_distinct(by_models, events[b][(codes[b][a] & mask) > 0])
    return {**scores, UNLISTED[1]: cosines[0], BARE[1]: cosines[1]}


def kept_distinct(scores: Sequence[Score], dropped: Numbers) -> float:
    """Distinct λG without these events and those after them, by several sets of reference models: the mean of sums."""
    counted = np.concatenate(scores[0].counted)
    counted[dropped] = False
    counted[dropped + 1] = False
    summed = 0.0
    for score in scores:
        summed += total(np.concatenate(score.evidence)[counted])
    return summed / len(scores)


def shared_phrases(q: Sentences, k: Sentences, cohort: Sequence[Sentences]) -> tuple[list[Sentence], list[Sentence]]:
    """K's own phrases that Q has too: typical ones, the longest first; and trigrams that K alone has.

    One that is part of another is not named again.
    """
    phrases = Phrases.of([q, k, *cohort])
    n = phrases.numbered.n_ids
    edges = np.cumsum([0, *(sum(map(len, text)) for text in (q, k, *cohort))], dtype=np.int64)
    of_q, of_k, *of_others = (np.arange(first, last) for first, last in pairwise(edges.tolist()))
    typical: list[Sentence] = []
    for length in range(LONGEST, 2, -1):
        in_q = set(phrases.counted(of_q, length)[0].tolist())
        ids, times = phrases.counted(np.arange(edges[2], edges[-1]), length)
        rest = np.bincount(ids, times, minlength=n).astype(np.int64)
        listed = typical_of(phrases, *phrases.counted(of_k, length), rest, n_rest=int(times.sum()), most=LISTED)
        shared = [phrases.words(phrase) for phrase in listed if phrase in in_q]
        typical += [words for words in shared if not _inside(words, typical)]
    df = np.bincount(np.concatenate([phrases.counted(other, 3)[0] for other in of_others]), minlength=n)
    both = np.intersect1d(phrases.counted(of_q, 3)[0], phrases.counted(of_k, 3)[0])
    alone = [phrases.words(int(phrase)) for phrase in both[df[both] <= 1]]
    return typical, [words for words in alone if not _inside(words, typical)]


def _inside(phrase: Sentence, others: Sequence[Sentence]) -> bool:
    n = len(phrase)
    return any(phrase == other[at : at + n] for other in others for at in range(len(other) - n + 1))


def _event_of(q: Sentences) -> Numbers:
    """The place of each token among the events of a score, where each sentence's end comes after its tokens."""
    sizes = np.array([len(sentence) for sentence in q], np.int64)
    return np.arange(int(sizes.sum())) + np.repeat(np.arange(len(sizes)), sizes)
