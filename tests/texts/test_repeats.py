"""Runs of words, and MinHash with its buckets against datasketch's own."""

import hashlib
import itertools

import numpy as np
import pytest
from datasketch import MinHash, MinHashLSH

from idiograph.texts.repeats import buckets, coded, first_holders, run_hashes, shingles, signatures


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


def test_a_run_is_told_by_all_its_words_in_order() -> None:
    words = list("ababcba")
    of_three = run_hashes(coded(words, {}), 3).tolist()
    assert len(of_three) == 5
    assert len(set(of_three)) == 5
    assert run_hashes(coded(words[:2] + words[:2], {}), 2).tolist()[::2] == [run_hashes(coded("ab", {}), 2)[0]] * 2
    assert run_hashes(coded("ab", {}), 3).size == 0


def test_shingles_are_the_same_on_every_machine() -> None:
    # Which texts MinHash proposes depends on these bits: here they are computed as whole numbers.
    expected = []
    for run in ("a b", "b c"):
        number = 0
        for word in run.split():
            code = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")
            number = (number ^ code) * 0x9E3779B97F4A7C15 % 2**64
            number ^= number >> 29
        expected.append(number)
    assert shingles([coded("abc", {})], 2)[0].tolist() == sorted(expected)


def test_the_first_text_that_has_a_run() -> None:
    texts = [np.array(hashes, np.uint64) for hashes in ([5, 3, 5], [], [3, 7], [7, 5, 9])]
    assert [holder.tolist() for holder in first_holders(texts)] == [[0, 0, 0], [], [0, 2], [2, 0, 3]]
