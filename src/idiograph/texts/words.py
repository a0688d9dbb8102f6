"""What counts as a word while texts are prepared, long before a tagger sees them.

A word is a placeholder, or a run of letters, digits and underscores with apostrophes inside it (`don't` is one); marks
that combine with letters belong to them, as vowels do in many scripts, and a Chinese sign is a word.
Punctuation is not counted. The tagger later finds more tokens than this (`do n't`, `!`), so a threshold passed here
is passed after masking too. Words are compared in lower case.

Which script a letter or a word is written in, as Unicode names it.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

# What preparing puts where something was taken out; masking keeps each as one token, unmasked.
PLACEHOLDERS = ("<url>", "<email>", "<emoji>", "userid")

COMBINING = "".join(chr(code) for code in range(0x300, 0x1E000) if unicodedata.category(chr(code)) in ("Mn", "Mc"))
SIGNS = "\u3400-\u9fff\uf900-\ufaff"  # of Chinese, as the inside of a class in a pattern

_RUN = rf"\w[\w{COMBINING}]*"
_WORD = re.compile(
    "|".join(
        [*(re.escape(word) for word in PLACEHOLDERS if not word.isalpha()), f"[{SIGNS}]", f"{_RUN}(?:['’]{_RUN})*"]
    )
)


def words(content: str) -> list[str]:
    """The words of a text in order, lower-cased.

    >>> words("Don't mail ME: <email>!")
    ["don't", 'mail', 'me', '<email>']
    """
    return [word.lower() for word in _WORD.findall(content)]


def count_words(content: str) -> int:
    """How many words a text has; every token threshold of a recipe means these."""
    return sum(1 for _ in _WORD.finditer(content))


def word_spans(content: str) -> list[tuple[int, int]]:
    """Where each word starts and ends."""
    return [word.span() for word in _WORD.finditer(content)]


# Unicode's names of letters begin with their script; these are what readers call it.
_NAMES = {"CJK": "Chinese", "HIRAGANA": "Kana", "KATAKANA": "Kana"}


@cache
def script_of(letter: str) -> str | None:
    """The script of a letter, such as Latin, Kana or Chinese; None for what is not a letter."""
    plain = unicodedata.normalize("NFKC", letter)[0]  # letters that are only wider or narrower are the same
    if unicodedata.category(plain) not in ("Lu", "Ll", "Lt", "Lo"):
        return None
    first = unicodedata.name(plain, "").split(" ")[0].split("-")[0]
    return _NAMES.get(first, first.title()) or None


def script_of_word(word: str) -> str | None:
    """The script of a word's first letter."""
    return next(filter(None, map(script_of, word)), None)


def scripts_of(text: Iterable[str]) -> tuple[str, ...]:
    """The scripts of a text's letters by name."""
    return tuple(sorted({script for letter in set(text) if (script := script_of(letter))}))
