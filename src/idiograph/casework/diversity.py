"""Whether Q is lexically far more diverse than K: V1/N of stretches of one length, since it falls as texts grow.

Text written or revised by a language model tends to be more diverse (arXiv:2603.29454), and the Hapax Correction
multiplies by V1(Q)/N(Q).
"""

import math
from collections import Counter
from collections.abc import Sequence

from idiograph.arithmetic import mean, total
from idiograph.casework.comparison_texts import CaseTexts, Texts, sentences
from idiograph.casework.findings import DIVERSITY_SDS, GOOD_TOKENS, finding
from idiograph.casework.verification import Finding

_LEAST_SD = 0.02  # below it, few stretches happened to be alike


def diverse_q(texts: CaseTexts) -> list[Finding]:
    """The note about Q's diversity, or none; short texts say nothing about it."""
    q, k = _tokens(texts.q), _tokens(texts.k)
    length = min(len(q), len(k))
    if length < GOOD_TOKENS:
        return []
    own, known = mean(_diversities(q, length)), _diversities(k, length)
    by_author: dict[str, list[float]] = {}
    for author in sorted({text.author or "" for text in texts.reference}):
        mine = tuple(text for text in texts.reference if (text.author or "") == author)
        by_author[author] = _diversities(_tokens(mine), length)
    sd = max(_LEAST_SD, _spread_within([known, *by_author.values()]))
    if own <= max(known) or own - mean(known) <= DIVERSITY_SDS * sd:
        return []
    message = (
        f"{100 * own:.1f} % of {texts.label}'s tokens are types that occur once; in {len(known)} "
        f"stretch{'es' if len(known) > 1 else ''} of K of the same length ({length:,} tokens) it is "
        f"{100 * mean(known):.1f} % on average and {100 * max(known):.1f} % at most."
    )
    return [finding("diverse-q", "note", message, [text.id for text in texts.q])]


def _tokens(texts: Texts) -> list[str]:
    return [token for sentence in sentences(texts) for token in sentence]


def _diversities(tokens: Sequence[str], length: int) -> list[float]:
    """V1/N of every whole stretch of this length."""
    starts = range(0, len(tokens) - length + 1, length)
    counts = (Counter(tokens[start : start + length]) for start in starts)
    return [sum(count == 1 for count in one.values()) / length for one in counts]


def _spread_within(groups: Sequence[Sequence[float]]) -> float:
    """The standard deviation between stretches of one author, over all authors with two or more."""
    several = [group for group in groups if len(group) > 1]
    free = sum(len(group) - 1 for group in several)
    squares = total((value - mean(group)) * (value - mean(group)) for group in several for value in group)
    return math.sqrt(squares / free) if free else 0.0
