"""A Q far more diverse than K is noted, at like lengths only."""

import random
from dataclasses import replace

import pytest

from audited import findings, text
from idiograph import MaskedText
from made_texts import case_texts, masked


def enriched(plain: MaskedText, share: float) -> MaskedText:
    """The text with a share of its tokens replaced by words that occur nowhere else."""
    rng = random.Random(1)
    enriched_sentences = tuple(
        tuple(f"new{rng.random()}" if rng.random() < share else token for token in sentence)
        for sentence in plain.sentences
    )
    return text(plain.id, plain.author, enriched_sentences)


@pytest.mark.parametrize(("share", "expected"), [(0.0, False), (0.03, False), (0.4, True)])
def test_a_q_far_more_diverse_than_k(share: float, expected: bool) -> None:
    plain = case_texts()
    by_code = findings(replace(plain, q=(enriched(plain.q[0], share),)))
    assert ("diverse-q" in by_code) == expected
    if expected:
        assert by_code["diverse-q"].severity == "note"
        assert "stretches of K of the same length" in by_code["diverse-q"].message


def test_numbers_by_hand() -> None:
    """Q: 200 tokens, 100 of them once. K: two stretches of 200, with 10 and 30 once."""

    def of(id_: str, author: str | None, *once: int) -> MaskedText:
        lines = []
        for part, n in enumerate(once):
            tokens = [f"{id_}{part}x{number}" for number in range(n)] + ["the", "of"] * ((200 - n) // 2)
            lines += [tuple(tokens[start : start + 10]) for start in range(0, 200, 10)]
        return text(id_, author, tuple(lines))

    texts = replace(case_texts(), q=(of("q", None, 100),), k=(of("k1", "lee", 10), of("k2", "lee", 30)))
    assert findings(texts)["diverse-q"].message == (
        "50.0 % of Q1's tokens are types that occur once; in 2 stretches of K of the same length (200 tokens) it is "
        "10.0 % on average and 15.0 % at most."
    )


def test_a_shorter_q_is_compared_with_stretches_of_its_length() -> None:
    """A short text has more types that occur once than a long one by the same writer: that is not diversity."""
    plain = case_texts(
        q=(masked("q", None, by="lee", tokens=200, seed=1),), k=(masked("k", "lee", tokens=4000, seed=2),)
    )
    q, k = plain.q[0], plain.k[0]
    assert q.n_hapaxes / q.n_tokens > 3 * k.n_hapaxes / k.n_tokens
    assert "diverse-q" not in findings(plain)


def test_a_longer_q_is_cut_to_the_length_of_k() -> None:
    plain = case_texts()
    long = enriched(masked("q", None, by="lee", tokens=2000, seed=1), 0.4)
    assert "diverse-q" in findings(replace(plain, q=(long,)))


def test_short_texts_say_nothing() -> None:
    plain = case_texts(q=(masked("q", None, by="lee", tokens=150, seed=1),))
    assert "diverse-q" not in findings(replace(plain, q=(enriched(plain.q[0], 0.4),)))
