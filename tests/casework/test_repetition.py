"""A feature of K that Q repeats far more often than K is found, and a habit is not."""

import math
import random
from collections import Counter
from dataclasses import replace

import pytest

from audited import findings
from idiograph import MaskedText
from idiograph.casework.audit import repeated_in
from idiograph.casework.inputs import CaseTexts
from idiograph.texts.text import Sentence
from made_texts import case_texts, masked


def _repeating(times: int) -> CaseTexts:
    """Q of another author with a trigram typical of K put in again and again, as METHOD.md tried it."""
    k = tuple(masked(f"k{n}", "lee", tokens=500, seed=n) for n in (2, 3, 4, 5))
    plain = case_texts(by="author99", k=k, q=(masked("q", None, by="author99", tokens=500, seed=1),))

    def trigrams(texts: tuple[MaskedText, ...]) -> Counter[Sentence]:
        return Counter(line[i : i + 3] for text in texts for line in text.sentences for i in range(len(line) - 2))

    mine, others = trigrams(k), trigrams(plain.reference)
    typical = max(sorted(mine), key=lambda g: mine[g] * math.log(mine[g] / (others[g] + 1)))
    rng = random.Random(1)
    lines = [list(line) for line in plain.q[0].sentences]
    for _ in range(times):
        line = rng.choice(lines)
        number = rng.randrange(len(line) + 1)
        line[number:number] = typical
    return replace(plain, q=(replace(plain.q[0], sentences=tuple(map(tuple, lines))),))


@pytest.mark.parametrize(("times", "severity"), [(0, None), (2, None), (7, "amber"), (20, "amber"), (40, "red")])
def test_a_repeated_feature_is_seen_and_said(times: int, severity: str | None) -> None:
    texts = _repeating(times)
    entry = findings(texts).get("repeated-feature")
    assert (entry.severity if entry else None) == severity
    if entry:
        hit = repeated_in(texts)[0]
        assert f"“{' '.join(hit.ngram)}” {hit.count} times" in entry.message


def test_a_habit_that_k_has_as_often_is_no_repetition() -> None:
    line = ("so", "it", "is", "very", "N", ".")
    plain = case_texts()

    def with_lines(masked: MaskedText, n: int) -> MaskedText:
        return replace(masked, sentences=(*masked.sentences, *[line] * n))

    often = replace(plain, q=(with_lines(plain.q[0], 12),), k=tuple(with_lines(text, 12) for text in plain.k))
    assert "repeated-feature" not in findings(often)
    assert "repeated-feature" in findings(replace(often, k=(with_lines(plain.k[0], 1), plain.k[1])))
