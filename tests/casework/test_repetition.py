"""A feature of K that Q repeats far more often than K is found, and a habit is not."""

import math
import random
from collections import Counter
from dataclasses import replace

import pytest

from audited import findings
from idiograph.casework.comparison_texts import CaseTexts
from idiograph.casework.repetition import at_least, find_repeated
from idiograph.texts.text import MaskedText, Sentence
from made_texts import case_texts, masked


def _repeating(times: int) -> CaseTexts:
    """Q of another author with a trigram typical of K put in again and again, as METHOD.md tried it."""
    k = tuple(masked(f"k{n}", "lee", tokens=500, seed=n) for n in (2, 3, 4, 5))
    plain = case_texts(by="author99", k=k, q=(masked("q", None, by="author99", tokens=500, seed=1),))

    def trigrams(texts: tuple[MaskedText, ...]) -> Counter[Sentence]:
        return Counter(line[i : i + 3] for one in texts for line in one.sentences for i in range(len(line) - 2))

    mine, others = trigrams(k), trigrams(plain.reference)
    typical = max(sorted(mine), key=lambda g: mine[g] * math.log(mine[g] / (others[g] + 1)))
    rng = random.Random(1)
    lines = [list(line) for line in plain.q[0].sentences]
    for _ in range(times):
        line = rng.choice(lines)
        place = rng.randrange(len(line) + 1)
        line[place:place] = typical
    return replace(plain, q=(replace(plain.q[0], sentences=tuple(map(tuple, lines))),))


@pytest.mark.parametrize(
    ("times", "severity"), [(0, None), (2, None), (7, "amber"), (10, "red"), (20, "red"), (40, "red")]
)
def test_a_repeated_feature_is_seen_and_said(times: int, severity: str | None) -> None:
    texts = _repeating(times)
    found = findings(texts).get("repeated-feature")
    assert (found.severity if found else None) == severity
    if found:
        hit = find_repeated(texts)[0]
        assert f"“{' '.join(hit.ngram)}” {hit.count} times" in found.message


def test_a_habit_that_k_has_as_often_is_no_repetition() -> None:
    line = ("so", "it", "is", "very", "N", ".")
    plain = case_texts()

    def with_lines(one: MaskedText, n: int) -> MaskedText:
        return replace(one, sentences=(*one.sentences, *[line] * n))

    often = replace(plain, q=(with_lines(plain.q[0], 12),), k=tuple(with_lines(one, 12) for one in plain.k))
    assert "repeated-feature" not in findings(often)
    assert "repeated-feature" in findings(replace(often, k=(with_lines(plain.k[0], 1), plain.k[1])))


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
