"""Text that occurs twice: runs of words that texts share, and texts that nearly repeat each other (MinHash).

What makes a text the same as another is said here; where less than that matters, whoever asks says how much.
"""

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from idiograph.progress import progress

Hashes = npt.NDArray[np.uint64]
Signatures = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.int64]
Name = TypeVar("Name")
Content = TypeVar("Content", bound=Hashable)

# Words in a row that two texts do not share by chance.
RUN_TOKENS = 20
# From here on the shorter text is no longer a piece of writing in its own right.
SAME_TEXT = 0.5
# A run of few different words (a table, a list of masked names) recurs by itself.
_FEWEST_TYPES = 8
_AT_ONCE = 100_000  # runs whose different words are counted at once


def is_telling(words: Sequence[str]) -> bool:
    """Whether a run has so many different words that it does not recur by itself."""
    return len(set(words)) >= _FEWEST_TYPES


def holders(texts: Iterable[tuple[Name, Iterable[Content]]]) -> dict[Content, list[Name]]:
    """Who has each line, run, whole content or author, in the order of the texts; none may give the same one twice."""
    held: dict[Content, list[Name]] = {}
    for name, contents in texts:
        for content in contents:
            held.setdefault(content, []).append(name)
    return held


def coded(words: Iterable[str], digests: dict[str, int]) -> Hashes:
    """Each word as a 64-bit number that depends on the word alone; `digests` keeps those that are known already."""
    codes = []
    for word in words:
        if (code := digests.get(word)) is None:
            code = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")
            digests[word] = code
        codes.append(code)
    return np.array(codes, np.uint64)


def run_hashes(codes: Hashes, length: int) -> Hashes:
    """A hash for each run of `length` words, by the word it starts at; a shorter text has none."""
    n_runs = max(len(codes) - length + 1, 0)
    return _folded([codes[start : start + n_runs] for start in range(length)])


def first_holders(texts: Sequence[Hashes]) -> list[Numbers]:
    """For every run of each text the number of the first text that has it."""
    if not texts:
        return []
    _, first, inverse = np.unique(np.concatenate(texts), return_index=True, return_inverse=True)
    lengths = [len(hashes) for hashes in texts]
    holder = np.repeat(np.arange(len(texts)), lengths)[first][inverse]
    return np.split(holder, np.cumsum(lengths[:-1], dtype=np.int64))


def among(hashes: Hashes, others: Hashes) -> npt.NDArray[np.bool_]:
    """Which hashes are among others that are sorted: `np.isin` would sort these again for every text."""
    if not len(others):
        return np.zeros(len(hashes), np.bool_)
    return np.equal(others[np.minimum(np.searchsorted(others, hashes), len(others) - 1)], hashes)


@dataclass(frozen=True, eq=False)
class Held:
    """Texts by the places of their tokens in a row of tokens; sentences without a name are a text called nothing."""

    places: Numbers
    names: tuple[str, ...]
    n_tokens: tuple[int, ...]  # of each text

    @cached_property
    def ends(self) -> list[int]:
        """Where each text ends among the places."""
        ends: list[int] = np.cumsum(self.n_tokens, dtype=np.int64).tolist()
        return ends


@dataclass(frozen=True)
class Copied:
    """A text whose tokens for the most part stand in a text of another side."""

    text: str
    other: str
    share: float

    @property
    def words(self) -> str:
        """Which text it is, and where it stands too."""
        if self.text == self.other:
            return self.text
        # Down, so that nothing but the whole is called the whole.
        return f"{int(100 * self.share)} % of the tokens of {self.text} also occur in {self.other}"


@dataclass(frozen=True, eq=False)
class Repeats:
    """The telling runs of RUN_TOKENS tokens that a row of tokens has more than once: numbered from 1."""

    tokens: npt.NDArray[Any]
    run: npt.NDArray[np.int32]  # by token: the number of the run that starts with it, 0 for none
    starts: Numbers  # of all of them, run by run
    firsts: Numbers  # of each run among the starts, and the end

    @classmethod
    def of(cls, tokens: npt.NDArray[Any]) -> "Repeats":
        """The telling runs of tokens given as numbers, text after text."""
        hashes = run_hashes(tokens.astype(np.uint64), RUN_TOKENS)
        in_order = np.sort(hashes)
        twice = np.unique(in_order[1:][in_order[1:] == in_order[:-1]])
        starts = np.flatnonzero(among(hashes, twice))
        starts = starts[_telling(tokens, starts)]
        numbers = np.searchsorted(twice, hashes[starts]) + 1
        run = np.zeros(len(tokens), np.int32)
        run[starts] = numbers
        order = np.argsort(numbers, kind="stable")
        return cls(tokens, run, starts[order], np.searchsorted(numbers[order], np.arange(len(twice) + 2)))

    def copied(self, mine: Held, others: Held) -> list[Copied]:
        """Each of my texts that is also one of the others, by its name or by SAME_TEXT of its tokens."""
        named = {name: number for number, name in enumerate(others.names) if name}
        copies = []
        of_runs = self._by_runs(mine, others)
        for number, (name, end, n_tokens) in enumerate(zip(mine.names, mine.ends, mine.n_tokens, strict=True)):
            if n_tokens and name in named:
                theirs = named[name]
                last = others.ends[theirs]
                places = others.places[last - others.n_tokens[theirs] : last]
                if _is_in(self.tokens[mine.places[end - n_tokens : end]], self.tokens[places]):
                    copies.append(Copied(name, name, 1.0))
                    continue
            if number in of_runs:
                copies.append(of_runs[number])
        return copies

    def _by_runs(self, mine: Held, others: Held) -> dict[int, Copied]:
        runs = self.run[mine.places]
        wanted = np.unique(runs[runs > 0])
        if not len(wanted):
            return {}
        whose = np.full(len(self.tokens), -1, np.int32)
        whose[others.places] = np.repeat(np.arange(len(others.names)), others.n_tokens)
        n = self.firsts[wanted + 1] - self.firsts[wanted]
        starts = self.starts[
            np.arange(int(n.sum())) + np.repeat(self.firsts[wanted] - np.cumsum(n, dtype=np.int64) + n, n)
        ]
        starts = starts[whose[starts] >= 0]
        shared = np.zeros(len(self.firsts), bool)
        shared[self.run[starts]] = True
        inside = np.zeros(len(self.tokens) + RUN_TOKENS, bool)
        inside[(mine.places[shared[runs]][:, None] + np.arange(RUN_TOKENS)).ravel()] = True
        copies = {}
        for number, (end, n_tokens) in enumerate(zip(mine.ends, mine.n_tokens, strict=True)):
            places = mine.places[end - n_tokens : end]
            if not n_tokens or (n_in := int(inside[places].sum())) < SAME_TEXT * n_tokens:
                continue
            theirs = np.bincount(whose[starts[np.isin(self.run[starts], self.run[places])]])
            other = others.names[int(theirs.argmax())]
            copies[number] = Copied(mine.names[number], other, n_in / n_tokens)
        return copies


def _is_in(tokens: npt.NDArray[Any], others: npt.NDArray[Any]) -> bool:
    """Whether tokens stand among others in a row."""
    row, size = others.tobytes(), tokens.itemsize
    at = row.find(tokens.tobytes())
    while at % size:  # -1 too: the last byte of no token's number
        if at < 0:
            return False
        at = row.find(tokens.tobytes(), at + 1)
    return True


def _telling(tokens: npt.NDArray[Any], starts: Numbers) -> npt.NDArray[np.bool_]:
    """Which of the runs that start there are telling."""
    told = [np.empty(0, bool)]
    for first in range(0, len(starts), _AT_ONCE):
        runs = np.sort(tokens[starts[first : first + _AT_ONCE, None] + np.arange(RUN_TOKENS)], axis=1)
        told.append(1 + np.count_nonzero(np.diff(runs, axis=1), axis=1) >= _FEWEST_TYPES)
    return np.concatenate(told)


def copied_texts(
    mine: Sequence[tuple[str, Iterable[Sequence[str]]]], others: Sequence[tuple[str, Iterable[Sequence[str]]]]
) -> list[Copied]:
    """Which of my texts, by name and sentences, are also among the others'."""
    numbers: dict[str, int] = {}
    texts = [
        np.fromiter((numbers.setdefault(word, len(numbers)) for sentence in sentences for word in sentence), np.int64)
        for _, sentences in (*mine, *others)
    ]
    sizes = [len(text) for text in texts]
    places = np.split(np.arange(sum(sizes)), [sum(sizes[: len(mine)])])
    held = [
        Held(side_places, tuple(name for name, _ in side), tuple(n))
        for side_places, side, n in zip(places, (mine, others), (sizes[: len(mine)], sizes[len(mine) :]), strict=True)
    ]
    return Repeats.of(np.concatenate([np.empty(0, np.int64), *texts])).copied(*held)


def covered(held: Iterable[tuple[int, Name]], length: int, n_words: int) -> dict[Name, set[int]]:
    """Which words of a text lie in runs that others have, by the other; `held` has each run's start and whose it is."""
    places: dict[Name, set[int]] = {}
    for start, name in held:
        places.setdefault(name, set()).update(range(start, min(start + length, n_words)))
    return places


@dataclass(frozen=True, eq=False)
class RunTable:
    """Every run of many texts with every text that has it, by one sort: as long as the texts, whatever they share."""

    runs: Hashes  # sorted, each as often as there are texts that have it
    texts: Numbers  # the text of each; those of one run in order

    @classmethod
    def of(cls, texts: Sequence[Hashes]) -> "RunTable":
        """The runs of these texts, which are numbered in their order."""
        runs = np.concatenate([*texts, np.empty(0, np.uint64)])
        order = np.argsort(runs, kind="stable")
        runs, numbers = runs[order], np.repeat(np.arange(len(texts)), [len(hashes) for hashes in texts])[order]
        once = np.ones(len(runs), np.bool_)
        once[1:] = (runs[1:] != runs[:-1]) | (numbers[1:] != numbers[:-1])
        return cls(runs[once], numbers[once])

    def first_two(self, groups: Numbers) -> "RunTable":
        """The first text of each run that two groups have, and the first of another group; `groups` has each text's."""
        starts = np.flatnonzero(np.concatenate([[True], self.runs[1:] != self.runs[:-1]])[: len(self.runs)])
        run_of = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(self.runs))))
        others = np.flatnonzero(groups[self.texts] != groups[self.texts[starts]][run_of])
        shared, first = np.unique(run_of[others], return_index=True)
        kept = np.stack([starts[shared], others[first]], axis=1).reshape(-1)
        return RunTable(self.runs[kept], self.texts[kept])

    def holders(self, hashes: Hashes) -> tuple[Numbers, Numbers]:
        """Where each of these runs that a text has starts, and that text's number; once for every such text."""
        first, end = (np.searchsorted(self.runs, hashes, side=side) for side in ("left", "right"))
        counts = end - first
        starts = np.repeat(np.arange(len(hashes)), counts)
        within = np.arange(len(starts)) - np.repeat(np.cumsum(counts, dtype=np.int64) - counts, counts)
        return starts, self.texts[first[starts] + within]


class Most(NamedTuple):
    """The text that has most of another one's words, in runs that both have."""

    number: int
    n_words: int
    start: int  # of the first such run


def most_covered(starts: Numbers, numbers: Numbers, length: int, n_words: int) -> Most | None:
    """Which text has most words of one with so many words, by the starts of its runs; of equals the first."""
    if not len(starts):
        return None
    order = np.lexsort((starts, numbers))
    starts, numbers = starts[order], numbers[order]
    edges = np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1]]))
    until = np.append(starts[1:], n_words)
    until[np.append(edges[1:], len(starts)) - 1] = n_words
    covers = np.add.reduceat(np.minimum(until - starts, length), edges, dtype=np.int64)
    most = int(np.argmax(covers))
    return Most(int(numbers[edges[most]]), int(covers[most]), int(starts[edges[most]]))


def shingles(texts: Sequence[Hashes], tokens: int) -> list[Hashes]:
    """The different runs of `tokens` words of each coded text, sorted."""
    shingled = []
    with progress("Shingles", total=len(texts), unit="texts") as advance:
        for codes in texts:
            shingled.append(np.unique(run_hashes(codes, tokens)))
            advance()
    return shingled


def signatures(shingled: Sequence[Hashes], hashes: int) -> Signatures:
    """One row of min-hashes per text; a text without shingles has a row of the largest value."""
    # Imported late: it brings half of scipy along.
    from datasketch import MinHash

    empty = MinHash(num_perm=hashes, seed=1, hashfunc=int, scheme="affine32")
    rows = np.empty((len(shingled), hashes), np.uint32)
    with progress("Min-hashes", total=len(shingled), unit="texts") as advance:
        for number, shingles in enumerate(shingled):
            signature = empty.copy()
            signature.update_batch((shingles >> np.uint64(32)).tolist())
            rows[number] = signature.hashvalues
            advance()
    return rows


def buckets(rows: Signatures, bands: int) -> list[tuple[int, ...]]:
    """Groups of two or more texts that agree in all hashes of a band, each group once.

    Sorting a band at a time needs a fraction of the memory of datasketch's MinHashLSH and finds the same groups.
    """
    width = rows.shape[1] // bands
    compared = np.flatnonzero((rows != np.iinfo(np.uint32).max).any(axis=1))
    groups: dict[tuple[int, ...], None] = {}
    with progress("Bands", total=bands, unit="bands") as advance:
        for band in range(bands):
            keys = _folded(rows[compared, band * width : (band + 1) * width].T.astype(np.uint64))
            order = np.argsort(keys, kind="stable")
            edges = np.flatnonzero(np.diff(keys[order])) + 1
            starts, ends = np.concatenate([[0], edges]), np.concatenate([edges, [len(order)]])
            for start, end in zip(starts[ends - starts > 1], ends[ends - starts > 1], strict=True):
                groups[tuple(compared[order[start:end]].tolist())] = None
            advance()
    return list(groups)


def near_pairs(
    shingled: Sequence[Hashes], groups: Sequence[tuple[int, ...]], threshold: float, *, keep_first: bool
) -> tuple[dict[int, tuple[int, float]], int]:
    """For each text that goes, one it nearly repeats and their Jaccard similarity; and how many pairs were compared.

    Every text that nearly repeats another goes or, with `keep_first`, every one that nearly repeats an earlier one
    that stays. One partner is proof enough, so a thousand copies of a text cost a thousand comparisons, not a million.
    """
    partners: dict[int, tuple[int, float]] = {}
    n_compared = 0
    memberships = holders(enumerate(groups))
    staying: list[list[int]] = [[] for _ in groups]
    gone: list[list[int]] = [[] for _ in groups]
    with progress("Near-duplicates", total=len(memberships), unit="texts") as advance:
        for number in sorted(memberships):
            groups_of_text = memberships[number]
            # All that still stay are met, since one of them may have no other partner; of those gone one is enough.
            tried = set()
            for others, until_found in ((staying, keep_first), (gone, True)):
                for other in (other for group in groups_of_text for other in others[group]):
                    if until_found and number in partners:
                        break
                    if other in tried:
                        continue
                    tried.add(other)
                    n_compared += 1
                    common = len(np.intersect1d(shingled[number], shingled[other], assume_unique=True))
                    jaccard = common / (len(shingled[number]) + len(shingled[other]) - common)
                    if jaccard > threshold:
                        partners.setdefault(number, (other, jaccard))
                        if not keep_first:
                            partners.setdefault(other, (number, jaccard))
            for group in groups_of_text:
                if keep_first:
                    staying[group] += [] if number in partners else [number]
                else:
                    met = [*staying[group], number]
                    staying[group] = [other for other in met if other not in partners]
                    gone[group] += [other for other in met if other in partners]
            advance()
    return partners, n_compared


def sharing_pairs(shingled: Sequence[Hashes], *, keep_first: bool) -> dict[int, int]:
    """For each text that goes, one with which it shares a run, those that go being chosen as by `near_pairs`."""
    partners: dict[int, int] = {}
    holder: dict[int, int] = {}
    for number, shared in enumerate(_shared(shingled)):
        for run in shared:
            if run in holder:
                partners.setdefault(number, holder[run])
                if not keep_first:
                    partners.setdefault(holder[run], number)
        if not (keep_first and number in partners):
            for run in shared:
                holder.setdefault(run, number)
    return partners


def _shared(shingled: Sequence[Hashes]) -> list[list[int]]:
    """The runs of each text that another text has too."""
    if not shingled:
        return []
    _, inverse, counts = np.unique(np.concatenate(shingled), return_inverse=True, return_counts=True)
    ends = np.cumsum([len(hashes) for hashes in shingled], dtype=np.int64)
    masks = np.split(counts[inverse] > 1, ends[:-1])
    return [hashes[mask].tolist() for hashes, mask in zip(shingled, masks, strict=True)]


def _folded(columns: Sequence[Hashes] | Hashes) -> Hashes:
    """One 64-bit number per row, from all its columns in order; which texts MinHash proposes depends on its bits."""
    numbers = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        numbers = (numbers ^ column) * np.uint64(0x9E3779B97F4A7C15)
        numbers ^= numbers >> np.uint64(29)
    return numbers
