"""What Q repeats beyond K: by hand, and the chance that its count has."""

from itertools import repeat

import pytest

from idiograph.evidence.repetition import at_least, count_ngrams, find_repeated, often

PHRASE = ("so", "it", "is")
FILLER = ("N", "V", "the", "N", "of", "P", "and", "J", "N", ".")


def text_of(n_phrases: int, n_fillers: int) -> list[tuple[str, ...]]:
    return [*repeat((*PHRASE, "."), n_phrases), *repeat(FILLER, n_fillers)]


def hits(n_phrases: int, *, in_k: int = 1, in_reference: int = 0) -> list[str]:
    q = text_of(n_phrases, 20)
    wanted = often(q)
    k = [count_ngrams(text_of(in_k, 80), wanted)]
    reference = [[count_ngrams(text_of(in_reference, 80), wanted)] for _ in range(3)]
    return [" ".join(hit.ngram) for hit in find_repeated(q, k, reference)]


def test_often_is_six_times():
    assert "so it is" in {" ".join(ngram) for ngram in often(text_of(6, 1))}
    assert "so it is" not in {" ".join(ngram) for ngram in often(text_of(5, 1))}


def test_what_k_hardly_has_and_q_often_is_found():
    assert "so it is" in hits(20)
    assert hits(1) == []


def test_what_k_has_as_often_or_the_reference_or_k_never_is_not():
    assert hits(20, in_k=80) == []
    assert "so it is" not in hits(20, in_reference=5)
    assert "so it is" not in hits(20, in_k=0)


def test_the_numbers_by_hand():
    # Q: 20·4 + 20·10 tokens. K: 804 tokens, once: (1 + 1)/804·280 expected. Pieces of K: 280, 280 and the rest, which
    # is shorter than 280 but not than half of it; the phrase is in the first, of 284 tokens.
    q = text_of(20, 20)
    wanted = often(q)
    k = [count_ngrams(text_of(1, 80), wanted)]
    reference = [[count_ngrams(text_of(0, 240), wanted)]]
    hit = next(repeated for repeated in find_repeated(q, k, reference) if repeated.ngram == PHRASE)
    assert hit.count == 20
    assert hit.expected == pytest.approx(2 / 804 * 280)
    assert hit.most_in_k == pytest.approx(1 / 284 * 280)
    # Nobody has it twice, so it is taken to vary as much as its mean: size 1, and a geometric series.
    # Tried were so, it, is, so it, it is, is ., so it is, it is ., so it is .
    assert hit.chance == pytest.approx(9 * (hit.expected / (1 + hit.expected)) ** 20)


def test_a_remainder_shorter_than_half_joins_what_is_before_it():
    q = text_of(20, 20)
    wanted = often(q)
    # 32 fillers: 28 make 280 tokens, 4 more are 40; with the phrase at the end of the joined piece, 324 tokens.
    text = count_ngrams([*repeat(FILLER, 32), (*PHRASE, ".")], wanted)
    reference = [[count_ngrams(text_of(0, 240), wanted)]]
    hit = next(repeated for repeated in find_repeated(q, [text], reference) if repeated.ngram == PHRASE)
    assert hit.most_in_k == pytest.approx(280 / 324)


@pytest.mark.parametrize("count", [0, 1, 5, 60])
def test_with_size_one_the_chance_is_that_of_a_geometric_series(count: int) -> None:
    # P(x) = p·(1 − p)^x, so P(X ≥ c) = (1 − p)^c, with 1 − p = mean/(1 + mean).
    assert at_least(count, mean=3.0, size=1.0) == pytest.approx((3 / 4) ** count, rel=1e-13)


def test_the_chance_by_hand_for_size_two() -> None:
    # P(x) = (x + 1)·p²·(1 − p)^x with p = 2/(2 + 1) gives P(X ≥ 2) = 1 − 4/9·(1 + 2/3).
    assert at_least(2, mean=1.0, size=2.0) == pytest.approx(1 - 4 / 9 * (1 + 2 / 3), rel=1e-14)


def test_small_chances_keep_their_digits() -> None:
    # Far out the terms are a geometric series but for (x + size)/(x + 1); the ratio of two tails shows it.
    far, further = at_least(400, mean=2.0, size=1.0), at_least(401, mean=2.0, size=1.0)
    assert 0 < far < 1e-60
    assert further / far == pytest.approx(2 / 3, rel=1e-12)


def test_what_is_looked_at_is_one_to_four_tokens_that_stand_in_q_six_times():
    hits = often([*[("a", "b", "c", "d", "e")] * 6, ("a", "b")])
    assert hits == {
        ("a",): 7, ("b",): 7, ("c",): 6, ("d",): 6, ("e",): 6,
        ("a", "b"): 7, ("b", "c"): 6, ("c", "d"): 6, ("d", "e"): 6,
        ("a", "b", "c"): 6, ("b", "c", "d"): 6, ("c", "d", "e"): 6,
        ("a", "b", "c", "d"): 6, ("b", "c", "d", "e"): 6,
    }  # fmt: skip
    assert often([("a",)] * 5) == {}
