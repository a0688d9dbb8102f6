"""Whether a text is in the language it is said to be in: whose function words does it have?

A text is held against spaCy's list of its language and those of all others. Words that are on two lists tell nothing
between them; of the words on exactly one, a text has more from its own language's. No list or a short one, or a short
text, cannot decide, and then that is said.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from idiograph.texts.masking.languages import language_name, listed_languages, stop_words
from idiograph.texts.words import COMBINING, SIGNS

Verdict = Literal["fits", "other", "in part", "unchecked"]

FEWEST_WORDS = 50  # of a text, and on a list
STRETCH = 60  # words that are judged together, to find parts in another language
FOREIGN_PART = 0.2  # of the stretches
_Z = 2.576  # 99 %


@dataclass(frozen=True)
class LanguageCheck:
    """What a text's function words say about its language."""

    language: str
    n_words: int
    share: float  # of its words on the list of the stated language
    verdict: Verdict
    other: str | None  # the language that it looks like, or its parts do
    other_share: float
    because: str  # why it could not be checked

    @property
    def sentence(self) -> str:
        """The rest of "the text …"."""
        stated = language_name(self.language)
        if self.verdict == "unchecked":
            return f"could not be checked to be in {stated}: {self.because}"
        if self.other is None:
            return f"looks like {stated}: {100 * self.share:.0f} % of its {self.n_words:,} words are on the list"
        other = language_name(self.other)
        look = f"looks like {other}" if self.verdict == "other" else f"looks in part like {other}"
        return (
            f"{look}, not like {stated}: {100 * self.share:.0f} % of its {self.n_words:,} words are on the list of "
            f"function words of {stated}, {100 * self.other_share:.0f} % on that of {other}"
        )


def check_language(content: str | Iterable[str], language: str) -> LanguageCheck:
    """Holds a text, or its words, against the lists of all languages; nothing is guessed where they cannot tell."""
    words = _words(content) if isinstance(content, str) else [word.lower() for word in content]
    own = stop_words(language)
    n = len(words)
    share = sum(word in own for word in words) / n if n else 0.0
    because = ""
    if len(own) < FEWEST_WORDS:
        because = (
            f"spaCy's list of function words for it has {len(own)} entries, and at least {FEWEST_WORDS} are needed"
        )
    elif n < FEWEST_WORDS:
        because = f"it has {n} words, and at least {FEWEST_WORDS} are needed"
    if because:
        return LanguageCheck(language, n, share, "unchecked", None, 0.0, because)
    other = _better(words, language)
    verdict: Verdict = "fits" if other is None else "other"
    if other is None:
        stretches = [words[start : start + STRETCH] for start in range(0, n - STRETCH + 1, STRETCH)]
        found = Counter(better for one in stretches if (better := _better(one, language)) is not None)
        if found.total() and found.total() >= FOREIGN_PART * len(stretches):
            verdict, other = "in part", found.most_common(1)[0][0]
    listed = stop_words(other) if other else frozenset()
    return LanguageCheck(language, n, share, verdict, other, sum(word in listed for word in words) / n, "")


def _better(words: Sequence[str], language: str) -> str | None:
    """The language whose list fits the words better than that of `language`, beyond chance; the best of several."""
    hits, both = Counter[str](), Counter[str]()
    for word in words:
        on = _languages_of().get(word, ())
        hits.update(on)
        if language in on:
            both.update(on)
    found = {}
    for other, n in hits.items():
        for_own, for_other = hits[language] - both[other], n - both[other]
        if other != language and _at_most(for_own, for_own + for_other) < 0.5:
            found[other] = for_other - for_own
    return max(found, key=lambda other: (found[other], other)) if found else None


def _at_most(k: int, n: int) -> float:
    """The upper end of the 99 % (Wilson) interval of k of n."""
    if n == 0:
        return 1.0
    share = k / n
    half = _Z * math.sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n))
    return (share + _Z * _Z / (2 * n) + half) / (1 + _Z * _Z / n)


@cache
def _languages_of() -> dict[str, tuple[str, ...]]:
    """Every word on a list, with the languages whose it is on."""
    found: dict[str, list[str]] = {}
    for language in listed_languages():
        for word in stop_words(language):
            found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}


def _words(content: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(content)]


# Letters with the marks that combine with them; Chinese signs one by one.
_WORD = re.compile(rf"[{SIGNS}]|(?:[^\W\d_{SIGNS}]|[{COMBINING}])+")
