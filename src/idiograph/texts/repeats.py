"""MinHash with locality-sensitive hashing: which texts may nearly repeat each other, and which do."""

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from idiograph.progress import progress

Hashes = npt.NDArray[np.uint64]
Signatures = npt.NDArray[np.uint32]


def shingles(texts: Sequence[Sequence[str]], tokens: int) -> list[Hashes]:
    """The different runs of `tokens` words of each text, as sorted 64-bit digests that depend on the words alone."""
    digests: dict[str, int] = {}
    found = []
    with progress("Shingles", total=len(texts), unit="texts") as advance:
        for own in texts:
            for word in own:
                if word not in digests:
                    digests[word] = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")
            hashed = np.array([digests[word] for word in own], np.uint64)
            n_runs = max(len(own) - tokens + 1, 0)
            runs = [hashed[start : start + n_runs] for start in range(tokens)] if n_runs else []
            found.append(np.unique(folded(np.stack(runs, axis=1))) if runs else np.empty(0, np.uint64))
            advance()
    return found


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
            keys = folded(rows[compared, band * width : (band + 1) * width].astype(np.uint64))
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


def folded(columns: Hashes) -> Hashes:
    """One 64-bit number per row, from all its columns in order."""
    number = np.zeros(len(columns), np.uint64)
    for column in columns.T:
        number = (number ^ column) * np.uint64(0x9E3779B97F4A7C15)
        number ^= number >> np.uint64(29)
    return number


def _jaccard(one: Hashes, other: Hashes) -> float:
    common = len(np.intersect1d(one, other, assume_unique=True))
    return common / (len(one) + len(other) - common)
