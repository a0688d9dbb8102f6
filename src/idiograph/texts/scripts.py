"""Which script a letter or a word is written in, as Unicode names it."""

import unicodedata
from collections.abc import Iterable
from functools import cache

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
