"""Text that occurs twice: runs of words that texts share, and texts that nearly repeat each other (MinHash).

How long a run must be, how telling, and how much of a text, is for whoever asks.
"""

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from idiograph.progress import progress

Hashes = npt.NDArray[np.uint64]
Signatures = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.int64]
Name = TypeVar("Name")
Content = TypeVar("Content", bound=Hashable)


def holders(texts: Iterable[tuple[Name, Iterable[Content]]]) -> dict[Content, list[Name]]:
    """Who has each line, run or whole content, in the order of the texts; no text may give the same one twice."""
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
        """Of each run that two groups have, its first text and the first of another group; `groups` has each text's."""
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
        within = np.arange(len(starts)) - np.repeat(np.cumsum(counts) - counts, counts)
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
    covers = np.add.reduceat(np.minimum(until - starts, length), edges)
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
        for number, own in enumerate(shingled):
            signature = empty.copy()
            signature.update_batch((own >> np.uint64(32)).tolist())
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
    memberships: dict[int, list[int]] = {}
    for group, members in enumerate(groups):
        for number in members:
            memberships.setdefault(number, []).append(group)
    staying: list[list[int]] = [[] for _ in groups]
    gone: list[list[int]] = [[] for _ in groups]
    with progress("Near-duplicates", total=len(memberships), unit="texts") as advance:
        for number in sorted(memberships):
            own = memberships[number]
            # All that still stay are met, since one of them may have no other partner; of those gone one is enough.
            tried = set()
            for others, until_found in ((staying, keep_first), (gone, True)):
                for other in (other for group in own for other in others[group]):
                    if until_found and number in partners:
                        break
                    if other in tried:
                        continue
                    tried.add(other)
                    n_compared += 1
                    jaccard = _jaccard(shingled[number], shingled[other])
                    if jaccard > threshold:
                        partners.setdefault(number, (other, jaccard))
                        if not keep_first:
                            partners.setdefault(other, (number, jaccard))
            for group in own:
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


def _jaccard(one: Hashes, other: Hashes) -> float:
    common = len(np.intersect1d(one, other, assume_unique=True))
    return common / (len(one) + len(other) - common)
