"""Two cosines of Q and K: the n-gram cosine of their tokens, and the typing score of their originals. Scores, not LRs.

**The n-gram cosine** is how alike Q and K are in their token n-grams of length 1 to 3.

**The typing score** is how alike two originals are in capitals, spacing, punctuation, quotes, line ends and digits. It
says nothing about topics, but a device, an editor, a mail program, a transcriber or the way a corpus was prepared
leaves the same traces: two texts from one phone look alike whoever typed them. So it is for originals whose line
wraps and quotes were made alike, beside other scores, never alone.

In both, what two texts share counts the more the rarer it is in the cohort:

    weight of an n-gram in a text = (1 + ln tf) · (ln((1 + n) / (1 + df)) + 1)

df is how many of n texts have the n-gram: the Ks of the trial's cohort and the K of the trial. An n-gram in none of
them is left out of both vectors, norms included.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from idiograph.arithmetic import FloatArray, log
from idiograph.checking import checks_arguments
from idiograph.evidence.repetition import Overuse, Piece, pieces
from idiograph.evidence.trials import following
from idiograph.grammar.index import Part
from idiograph.grammar.vocabulary import Numbers, Sentences, token_numbers

START, END = 0, 1  # tokens are numbered from 2


@dataclass(frozen=True)
class Counts:
    """How often each n-gram occurs in each text: text i has the n-grams `ids[starts[i]:starts[i + 1]]`, ascending."""

    starts: Numbers
    ids: Numbers
    times: Numbers
    n_ids: int

    def with_last(self, first: int, chosen: Sequence[int]) -> "Counts":
        """The texts before `first`, and as the last one all of the texts chosen together."""
        slices = [slice(self.starts[text], self.starts[text + 1]) for text in chosen]
        ids, column = np.unique(np.concatenate([self.ids[text] for text in slices]), return_inverse=True)
        times = np.zeros(len(ids), np.int64)
        np.add.at(times, column.reshape(-1), np.concatenate([self.times[text] for text in slices]))
        end = int(self.starts[first])
        return Counts(
            starts=np.append(self.starts[: first + 1], end + len(ids)),
            ids=np.concatenate([self.ids[:end], ids]),
            times=np.concatenate([self.times[:end], times]),
            n_ids=self.n_ids,
        )


@dataclass(frozen=True, eq=False)
class NGrams:
    """The n-grams of texts, each told by its last symbol: a row for every length, a column for every symbol.

    They are numbered by length, then in the order of their symbols: other texts change the numbers, but not their
    order, in which sums run. −1 is where no n-gram of that length ends.
    """

    ending: Numbers
    text_of: Numbers  # of each symbol
    n_texts: int
    n_ids: int

    def counts(self) -> Counts:
        """How often each occurs in each text."""
        there = self.ending >= 0
        texts = np.broadcast_to(self.text_of, self.ending.shape)[there]
        pairs, times = np.unique(texts * self.n_ids + self.ending[there], return_counts=True)
        starts = np.searchsorted(pairs, np.arange(self.n_texts + 1) * self.n_ids)
        return Counts(starts, pairs % self.n_ids, times, self.n_ids)


def number_n_grams(symbols: Numbers, *, sizes: Sequence[Sequence[int]], lengths: range) -> NGrams:
    """The n-grams of these lengths; `sizes` says of how many symbols each piece of each text is.

    No n-gram runs from one piece into the next.
    """
    n_symbols = int(symbols.max(initial=0)) + 1
    of_pieces = np.array([size for text in sizes for size in text], np.int64)
    text_of = np.repeat(np.arange(len(sizes)), [sum(text) for text in sizes])
    position = np.arange(len(symbols)) - np.repeat(np.cumsum(of_pieces, dtype=np.int64) - of_pieces, of_pieces)
    rows = []
    ending, n_ids = np.zeros(len(symbols), np.int64), 0  # the number of the n-gram that ends at each symbol
    for length in range(1, lengths.stop):
        ends = np.flatnonzero(position >= length - 1)
        # From the (n − 1)-gram that ends one symbol earlier and the symbol.
        numbered, inverse = np.unique(ending[ends - 1] * n_symbols + symbols[ends], return_inverse=True)
        ending = np.zeros(len(symbols), np.int64)
        ending[ends] = inverse.reshape(-1)
        if length in lengths:
            rows.append(np.where(position >= length - 1, n_ids + ending, -1))
            n_ids += len(numbered)
    return NGrams(np.array(rows), text_of, len(sizes), max(n_ids, 1))


@checks_arguments
def ngram_cosine(q: Sentences, k: Sentences, *, cohort: Sequence[Sentences]) -> float:
    """The cosine of Q and K, each n-gram weighted by how many of the cohort's Ks and K have it.

    `q`, `k` and each K of the `cohort` are masked sentences, lists of tokens.
    """
    return float(ngram_cosines([q], [k, *cohort], q_authors=[0], reference=range(1, len(cohort) + 1))[0, 0])


def ngram_cosines(
    qs: Sequence[Sentences],
    ks: Sequence[Sentences],
    *,
    q_authors: Sequence[int],
    reference: Sequence[int],
    overused: Overuse | None = None,
) -> FloatArray:
    """The cosine of every Q with every K, weighted by the cohort of each trial: one row per Q, one column per K.

    K number a is author a's; `q_authors` says whose each Q is, `reference` which authors cohorts are taken from. An
    n-gram of Q that touches an overused token is not counted.
    """
    counts, versions = (token_n_grams([*qs, *ks]), None) if overused is None else counted_versions(qs, ks, overused)
    return weighted_cosines(counts, q_authors=q_authors, reference=reference, versions=versions)


def weighted_cosines(
    counts: Counts,
    *,
    q_authors: Sequence[int],
    reference: Sequence[int],
    versions: Numbers | None = None,
    unseen: bool = False,
) -> FloatArray:
    """The cosine of every Q with every K: one row per Q, one column per author.

    In `counts` stand first the Qs, of the authors `q_authors`, then the Ks of authors 0, 1, 2 …; `reference` names
    the authors that cohorts are taken from. `versions` says which text of `counts` stands for each Q with each K;
    those that are neither a Q nor a K come last. `unseen` keeps what none of a trial's Ks has in Q's norm, with df 0.
    """
    # Imported late: Numba takes half a second.
    from idiograph.compiling import run
    from idiograph.evidence.kernels import cosines

    if versions is None:
        n_ks = len(counts.starts) - 1 - len(q_authors)
        versions = np.repeat(np.arange(len(q_authors))[:, None], n_ks, axis=1)
    n_ks = versions.shape[1]
    is_reference = np.zeros(n_ks, np.bool_)
    is_reference[list(reference)] = True
    after = [following(reference, b) if b in reference else -1 for b in q_authors]
    tf_weights, idf_weights = tf_and_idf_weights(counts, n_ks)
    matrix: FloatArray = run(
        cosines, counts.starts, counts.ids, tf_weights[counts.times - 1], counts.n_ids,
        np.array(q_authors, np.int64), versions, is_reference, np.array(after, np.int64), idf_weights, unseen,
    )  # fmt: skip
    return matrix


def tf_and_idf_weights(counts: Counts, n_ks: int) -> tuple[FloatArray, FloatArray]:
    """What being in a text so many times weighs, and, by the size n of a cohort, being in so many of its Ks.

    tf: 1 + ln times        idf: ln((1 + n) / (1 + Ks)) + 1
    """
    tf = 1.0 + log(np.arange(1, int(counts.times.max(initial=1)) + 1, dtype=np.float64))
    n = np.arange(n_ks + 2, dtype=np.float64)
    return tf, log((1.0 + n[:, None]) / (1.0 + n[None, :])) + 1.0


def token_n_grams(texts: Sequence[Sentences]) -> Counts:
    """The n-grams of length 1 to 3 of each text, with one start and one end to a sentence, which count too."""
    return number_texts(texts).counts()


def part_n_grams(parts: Sequence[Part]) -> Counts:
    """The n-grams of parts of one index, whose tokens are numbers already."""
    index = parts[0].index
    # By the tokens, not by their numbers, so that the order of n-grams, in which sums run, is the same.
    ranks = np.empty(len(index.types) + 1, np.int64)
    ranks[np.array(sorted(range(len(index.types)), key=index.types.__getitem__), np.int64) + 1] = np.arange(
        2, len(index.types) + 2
    )
    sentences = np.concatenate([part.sentence_numbers for part in parts])
    sizes = index.sentence_lengths[sentences].astype(np.int64) + 2
    ends = np.cumsum(sizes, dtype=np.int64)
    events = np.full(int(sizes.sum()), -1, np.int64)
    events[ends - sizes], events[ends - 1] = START, END
    events[events < 0] = ranks[token_numbers(index.tokens, index.starts, sentences)]
    edges = np.cumsum([part.n_sentences for part in parts], dtype=np.int64).tolist()
    by_part = [sizes[first:last].tolist() for first, last in zip([0, *edges], edges, strict=False)]
    return number_n_grams(events, sizes=by_part, lengths=range(1, 4)).counts()


def counted_versions(qs: Sequence[Sentences], ks: Sequence[Sentences], overused: Overuse) -> tuple[Counts, Numbers]:
    """The n-grams of the Qs, of the Ks, and of each Q without what it overuses; and which of them is for which K."""
    texts, cut = [*qs, *ks], list[list[Piece]]()
    numbers = overused.version_of.copy()
    for row, (q, versions) in enumerate(zip(qs, overused.versions, strict=True)):
        version = overused.version_of[row]
        numbers[row] = np.where(version == 0, row, version - 1 + len(texts) + len(cut))
        cut += [list(pieces(q, left_out)) for left_out in versions[1:]]
    return number_texts(texts, cut).counts(), numbers


def number_texts(whole: Sequence[Sentences], cut: Sequence[Sequence[Piece]] = ()) -> NGrams:
    """The n-grams that the cosine counts, of whole texts, then of texts that something was cut out of."""
    texts = [*([(sentence, True, True) for sentence in text] for text in whole), *cut]
    types = sorted({token for text in texts for tokens, _, _ in text for token in tokens})
    numbers = {token: number for number, token in enumerate(types, start=2)}
    events: list[int] = []
    for text in texts:
        for tokens, starts, ends in text:
            events += [START] * starts
            events += map(numbers.__getitem__, tokens)
            events += [END] * ends
    sizes = [[len(tokens) + starts + ends for tokens, starts, ends in text] for text in texts]
    return number_n_grams(np.array(events, np.int64), sizes=sizes, lengths=range(1, 4))


WARNING = (
    "The typing score compares capitals, spacing, punctuation and line ends. A device, an editor, a mail program or a "
    "transcriber leaves such traces too, so two texts from one device can look alike whoever typed them."
)

Original = Sequence[str]
"""The pieces of an original that a Q or a K is made of; no n-gram runs from one piece into the next."""


@checks_arguments
def typing_score(q: Original, k: Original, *, cohort: Sequence[Original]) -> float:
    """The cosine of how Q and K are typed, each n-gram weighted by how many of the cohort's Ks and K have it.

    `q`, `k` and each K of the `cohort` are pieces of text as they were typed.
    """
    reference = range(1, len(cohort) + 1)
    return float(weighted_cosines(typed_n_grams([q, k, *cohort]), q_authors=[0], reference=reference)[0, 0])


def typed_n_grams(originals: Sequence[Original]) -> Counts:
    """The character n-grams, of length 2 to 5, of how each original's pieces are typed."""
    texts = [[typed(piece) for piece in original] for original in originals]
    characters = np.frombuffer("".join(map("".join, texts)).encode("utf-32-le", "surrogatepass"), np.uint32)
    symbols = np.unique(characters, return_inverse=True)[1].reshape(-1)
    sizes = [[len(piece) for piece in text] for text in texts]
    return number_n_grams(symbols, sizes=sizes, lengths=range(2, 6)).counts()


def typed(original: str) -> str:
    """The original with each run of lower-case letters as `a`, of capitals as `A`, of digits as `0`; the rest stays.

    >>> typed("Dear Mr O'Neil,  see you at 10:30!!")
    "Aa Aa A'Aa,  a a a 0:0!!"
    """
    return _RUNS.sub(r"\1", original.translate(_SHAPES))


class _Shapes(dict[int, str]):
    """Code point → what stands for it; found when first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        shape = character
        if character.islower():
            shape = "a"
        elif character.isupper():
            shape = "A"
        elif character.isdecimal():
            shape = "0"
        self[code] = shape
        return shape


_SHAPES = _Shapes()
_RUNS = re.compile("([aA0])\\1+")
