"""N-gram tracing: idiolect's counts and coefficients, and small overlaps by hand."""

from pathlib import Path

import pytest

from golden_comparators import Enron, golden
from idiograph import InputError
from idiograph.evidence.comparators import Overlap, ngram_tracing, overlap


@pytest.mark.shared
def test_counts_are_idiolects(shared: Path) -> None:
    enron, expected = Enron(shared), golden(shared, "ngram_tracing")
    everything = list(enron.text.values())
    for number, row in enumerate(expected["enron96"]):
        # What p is needs all texts; it is the same in every problem.
        reference = everything if number == 0 else []
        found = overlap(enron.text[row["Q"]], enron.of(enron.known[row["K"]]), reference)
        assert (found.a, found.b, found.c) == (row["a"], row["b"], row["c"])
        if number == 0:
            assert found.a + found.b + found.c + found.d == row["p"]


@pytest.mark.shared
def test_coefficients_are_idiolects(shared: Path) -> None:
    small = golden(shared, "ngram_tracing")["small"]
    for name, table in small["tables"].items():
        expected = {(row["Q"], row["K"]): row["score"] for row in table}
        for row in small["counts"]:
            a, b, c = row["a"], row["b"], row["c"]
            found = Overlap(a, b, c, row["p"] - a - b - c).coefficient(name)
            assert round(found, 3) == pytest.approx(expected[row["Q"], row["K"]], abs=1e-9)


def test_by_hand() -> None:
    # abcdefghi, bcdefghij of Q; bcdefghij, cdefghijk of K.
    assert overlap("abcdefghij", ["bcdefghijk"]) == Overlap(1, 1, 1, 0)
    assert ngram_tracing("abcdefghij", ["bcdefghijk"]) == 1 / 2
    assert ngram_tracing("abcdefghij", ["bcdefghijk"], coefficient="jaccard") == 1 / 3
    assert ngram_tracing("abcdefghij", ["zzzzzzzzz", "ABCDEFGHIJ"]) == 1.0


def test_n_grams_do_not_cross_sentences_nor_texts_and_ignore_digits_and_symbols() -> None:
    assert ngram_tracing("abcdefghi", ["abcd. efghi abcdefghi"]) == 1.0
    assert ngram_tracing("abcdefghi", ["abcdefg", "hi abcdefg"]) == 0.0
    assert ngram_tracing("abcdefghi", ["abcd\nefghi klmnopqrst"]) == 0.0
    assert ngram_tracing("ab1cd+efg2hi", ["abcdefghi"]) == 1.0


def test_phi_looks_at_the_reference() -> None:
    # a 1, b 1, c 1, d 2: (1·2 − 1·1)/sqrt(2·2·3·3)
    found = ngram_tracing("abcdefghij", ["bcdefghijk"], ["qrstuvwxyz"], coefficient="phi")
    assert found == pytest.approx(1 / 6, rel=1e-15)


def test_texts_without_an_n_gram_and_unknown_coefficients_are_refused() -> None:
    with pytest.raises(InputError, match="Q has no sentence of 9 characters"):
        ngram_tracing("short", ["abcdefghij"])
    with pytest.raises(InputError, match="K has no sentence of 9 characters"):
        ngram_tracing("abcdefghij", ["short"])
    with pytest.raises(InputError, match="no coefficient 'dice'"):
        Overlap(1, 1, 1, 1).coefficient("dice")  # type: ignore[arg-type]
