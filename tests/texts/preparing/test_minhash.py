"""MinHash and its buckets, against datasketch's own."""

import itertools

import numpy as np
import pytest
from datasketch import MinHash, MinHashLSH

from idiograph.texts.repeats import buckets, folded, near_pairs, signatures


def test_candidates_are_those_of_datasketchs_own_lsh() -> None:
    rng = np.random.default_rng(1)
    base = rng.integers(0, 2**63, size=400, dtype=np.uint64)
    sets = [np.unique(rng.choice(base, size=rng.integers(1, 60))) for _ in range(120)]
    rows = signatures(sets, 240)
    lsh = MinHashLSH(params=(80, 3), num_perm=240)
    hashed = [MinHash(num_perm=240, seed=1, hashvalues=row, scheme="affine32") for row in rows]
    for number, signature in enumerate(hashed):
        lsh.insert(number, signature)
    theirs = {
        (number, other) for number, signature in enumerate(hashed) for other in lsh.query(signature) if other > number
    }
    ours = {pair for group in buckets(rows, 80) for pair in itertools.combinations(group, 2)}
    assert ours == theirs
    assert 0 < len(ours) < 120 * 119 / 2


def test_min_hashes_estimate_jaccard() -> None:
    # 300 of 900 elements in common: each of 240 hashes agrees with probability 1/3, standard deviation 0.03.
    elements = np.arange(900, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    rows = signatures([elements[:600], elements[300:]], 240)
    assert np.mean(rows[0] == rows[1]) == pytest.approx(1 / 3, abs=0.12)


def test_near_pairs_by_hand() -> None:
    one, same, half, other = ([1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 5, 6], [7, 8])
    shingles = [np.array(own, np.uint64) for own in (one, same, half, other)]
    groups = [(0, 1, 2), (2, 3)]
    partners, compared = near_pairs(shingles, groups, 0.5, keep_first=False)
    assert partners == {1: (0, 1.0), 0: (1, 1.0)}
    assert compared == 4  # 1 with 0, 2 with both of those, 3 with 2
    partners, _ = near_pairs(shingles, groups, 0.3, keep_first=True)
    assert partners == {1: (0, 1.0), 2: (0, 1 / 3)}


def test_rows_are_folded_by_all_their_columns_in_order() -> None:
    rows = np.array([[1, 2], [2, 1], [1, 2], [1, 3]], np.uint64)
    folded_rows = folded(rows).tolist()
    assert folded_rows[0] == folded_rows[2]
    assert len(set(folded_rows)) == 3


def test_texts_without_shingles_are_in_no_bucket() -> None:
    rows = signatures([np.empty(0, np.uint64), np.empty(0, np.uint64)], 6)
    assert buckets(rows, 2) == []
