"""Whether a text is in the language it is said to be in: whose letters and function words does it have?

A text is held against spaCy's list of its language and those of all others. Words that are on two lists tell nothing
between them; of the words on exactly one, a text has more from its own language's. No list or a short one, or a short
text, cannot decide, and then that is said. A text in other letters than the list of its language needs no more words.

The languages that texts can be in: their names, spaCy's own lists of function words, and which taggers there are.

spaCy is not imported here: its lists lie in small files of their own, and importing 79 languages takes ten seconds.
"""

import importlib.util
import math
import re
import runpy
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Literal, TypeVar

from idiograph.texts.repeats import holders
from idiograph.texts.words import COMBINING, SIGNS, script_of_word

ENGLISH = "en"

# Every language that spaCy 3.8 has rules for, by its code.
LANGUAGES = {
    "af": "Afrikaans", "am": "Amharic", "ar": "Arabic", "az": "Azerbaijani", "bg": "Bulgarian", "bn": "Bengali",
    "bo": "Tibetan", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "dsb": "Lower Sorbian",
    "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian",
    "fi": "Finnish", "fo": "Faroese", "fr": "French", "ga": "Irish", "gd": "Scottish Gaelic", "grc": "Ancient Greek",
    "gu": "Gujarati", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hsb": "Upper Sorbian", "ht": "Haitian Creole",
    "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ja": "Japanese",
    "kmr": "Northern Kurdish", "kn": "Kannada", "ko": "Korean", "ky": "Kyrgyz", "la": "Latin", "lb": "Luxembourgish",
    "lg": "Luganda", "lij": "Ligurian", "lt": "Lithuanian", "lv": "Latvian", "mk": "Macedonian", "ml": "Malayalam",
    "mr": "Marathi", "ms": "Malay", "nb": "Norwegian Bokmål", "ne": "Nepali", "nl": "Dutch",
    "nn": "Norwegian Nynorsk", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sa": "Sanskrit", "si": "Sinhala", "sk": "Slovak", "sl": "Slovenian", "sq": "Albanian", "sr": "Serbian",
    "sv": "Swedish", "ta": "Tamil", "te": "Telugu", "th": "Thai", "ti": "Tigrinya", "tl": "Tagalog", "tn": "Setswana",
    "tr": "Turkish", "tt": "Tatar", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "xx": "another language",
    "yo": "Yoruba", "zh": "Chinese",
}  # fmt: skip

# Packages, not brought along, without which spaCy cannot cut these languages into words.
NEEDED = {
    "ja": "SudachiPy and SudachiDict-core",
    "ko": "mecab-ko, mecab-ko-dic and natto-py",
    "th": "PyThaiNLP",
    "vi": "Pyvi",
}


def language_name(code: str) -> str:
    """A language as a sentence calls it; a code that is not in the table as it is."""
    return LANGUAGES.get(code, code)


@cache
def stop_words(language: str) -> frozenset[str]:
    """spaCy's own list of a language's function words: lower-cased single words; none where it has no list."""
    path = _folder(language) / "stop_words.py"
    if not path.is_file():
        return frozenset()
    words = runpy.run_path(str(path))["STOP_WORDS"]
    return frozenset(word.lower() for word in words if len(word.split()) == 1)


def rule_files(language: str) -> tuple[Path, list[Path]]:
    """The folder of spaCy's rules for a language, and the files in it that cut texts into words."""
    folder = _folder(language)
    return folder, sorted(path for path in folder.rglob("*.py") if path.stem not in ("examples", "stop_words"))


def spacy_version() -> str:
    """The version of the installed spaCy."""
    return metadata.version("spacy")


def _folder(language: str) -> Path:
    package = package_folder("spacy")
    if package is None:
        raise ImportError("it is not the package that it should be", name="spacy")
    return package / "lang" / language


def package_folder(name: str) -> Path | None:
    """Where an installed package lies, found without importing it."""
    package = importlib.util.find_spec(name)
    folders = package.submodule_search_locations if package is not None else None
    return Path(next(iter(folders))) if folders else None


Verdict = Literal["fits", "other", "in part", "unchecked"]
Word = TypeVar("Word")

FEWEST_WORDS = 50  # of a text, and on a list
STRETCH = 60  # words that are judged together, to find parts in another language
FOREIGN_PART = 0.2  # of the stretches, or of the words by their letters
MOSTLY = 0.5  # of the words
# English texts of five registers had 33 to 70 % of their words on POSNoise's list, texts in other languages below 10 %.
ENGLISH_SHARE, FOREIGN_SHARE = 0.33, 0.22  # fewer: in part another language, another language
_FEW_LISTED = 0.05  # of the words on a language's list: too few to say that it is the text's
_FEWEST_IN_LETTERS = 10  # words of a text whose letters can tell
_OF_A_LIST = 0.05  # of a list's words are in each of its scripts; fewer are strays
_BESIDE = {"Kana": "Chinese", "Hangul": "Chinese"}  # scripts that another belongs to in the same language
_EVERYWHERE = "Latin"  # names, terms and quotations in it are found in texts of every script
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
    script: str | None = None  # whose letters it has, if those of the stated language are others
    script_share: float = 0.0  # of its words in other letters

    @property
    def sentence(self) -> str:
        """What a message says of the text, after its name."""
        stated = language_name(self.language)
        if self.script is not None:
            look = f"is in part in other letters than {stated}"
            if self.verdict == "other":
                like = f"looks like {language_name(self.other)}, not like {stated}" if self.other else ""
                look = like or f"is in other letters than {stated}"
            return (
                f"{look}: {100 * self.script_share:.0f} % of its {self.n_words:,} words are in {self.script} letters, "
                f"and the function words of {stated} in {' or '.join(_scripts(self.language))} ones"
            )
        if self.verdict == "unchecked":
            return f"could not be checked to be in {stated}: {self.because}"
        if self.other is None:
            unlike = {"in part": f"looks like {stated} only in part", "other": f"does not look like {stated}"}
            look = unlike.get(self.verdict, f"looks like {stated}")
            return f"{look}: {100 * self.share:.0f} % of its {self.n_words:,} words are on the list"
        other = language_name(self.other)
        look = f"looks like {other}" if self.verdict == "other" else f"looks in part like {other}"
        return (
            f"{look}, not like {stated}: {100 * self.share:.0f} % of its {self.n_words:,} words are on the list of "
            f"function words of {stated}, {100 * self.other_share:.0f} % on that of {other}"
        )


def check_language(
    content: str | Iterable[str], language: str, *, listed: frozenset[str] | None = None
) -> LanguageCheck:
    """Holds a text, or its words, against the lists of all languages; nothing is guessed where they cannot tell.

    With POSNoise's own list of English words as `listed` their share alone decides, as the audit of English cases does.
    """
    words = [word.lower() for word in (_WORD.findall(content) if isinstance(content, str) else content)]
    if listed is not None:
        return _by_share(words, language, listed)
    if not isinstance(content, str):  # the marks of masking are Latin letters in every language
        return _by_lists(words, language)
    script, foreign = _other_letters(words, language)
    if script is not None and foreign > MOSTLY:
        other = _better(words, language)
        if _share(words, other) < 2 * _FEW_LISTED:  # letters alone do not say which language it is
            other = None
        share, other_share = _share(words, language), _share(words, other)
        return LanguageCheck(language, len(words), share, "other", other, other_share, "", script, foreign)
    check = _by_lists(words, language)
    if script is not None and check.verdict in ("fits", "unchecked"):
        return replace(check, verdict="in part", because="", script=script, script_share=foreign)
    return check


def _by_lists(words: Sequence[str], language: str) -> LanguageCheck:
    n, n_listed, share = len(words), len(stop_words(language)), _share(words, language)
    other, because = None, ""
    verdict: Verdict = "unchecked"
    if n_listed < FEWEST_WORDS:
        because = (
            f"spaCy's list of function words for it has {n_listed} entries, and at least {FEWEST_WORDS} are needed"
        )
    elif n < FEWEST_WORDS:
        because = f"it has {n} words, and at least {FEWEST_WORDS} are needed"
    elif (other := _better(words, language)) is not None:
        verdict = "other"
    elif (other := _in_parts(words, language)) is not None:
        verdict = "in part"
    elif share < _FEW_LISTED:
        because = f"only {100 * share:.0f} % of its words are on spaCy's list of function words for it, too few to tell"
    else:
        verdict = "fits"
    return LanguageCheck(language, n, share, verdict, other, _share(words, other), because)


def _by_share(words: Sequence[str], language: str, listed: frozenset[str]) -> LanguageCheck:
    """The check by the share of words on one list, beyond chance for the length, in all words and in each stretch."""
    on_list = [word in listed for word in words]
    at_most = _at_most(sum(on_list), len(words))
    stretches = _stretches(on_list)
    n_foreign = sum(_at_most(sum(stretch), STRETCH) < ENGLISH_SHARE for stretch in stretches)
    verdict: Verdict = "fits"
    if at_most < FOREIGN_SHARE:
        verdict = "other"
    elif at_most < ENGLISH_SHARE or n_foreign / max(1, len(stretches)) >= FOREIGN_PART:
        verdict = "in part"
    return LanguageCheck(language, len(words), sum(on_list) / max(1, len(words)), verdict, None, 0.0, "")


def _stretches(words: Sequence[Word]) -> list[Sequence[Word]]:
    return [words[start : start + STRETCH] for start in range(0, len(words) - STRETCH + 1, STRETCH)]


def _in_parts(words: Sequence[str], language: str) -> str | None:
    """The language that fits better in a fifth of the stretches or more; the most frequent of several."""
    stretches = _stretches(words)
    fitting = Counter(better for stretch in stretches if (better := _better(stretch, language)) is not None)
    if not fitting or fitting.total() < FOREIGN_PART * len(stretches):
        return None
    return fitting.most_common(1)[0][0]


def _share(words: Sequence[str], language: str | None) -> float:
    """The share of words that are on a language's list."""
    listed = stop_words(language) if language else frozenset()
    return sum(word in listed for word in words) / len(words) if words else 0.0


def _other_letters(words: Sequence[str], language: str) -> tuple[str | None, float]:
    """The most frequent script of the words that the language's list has not, if it matters; and the words' share."""
    usual = _scripts(language)
    if not usual or len(words) < _FEWEST_IN_LETTERS:
        return None, 0.0
    scripts = Counter(script for word in words if (script := script_of_word(word)) is not None and script not in usual)
    foreign = scripts.total() / len(words)
    unusual = (scripts.total() - scripts[_EVERYWHERE]) / len(words)
    if foreign <= MOSTLY and unusual < FOREIGN_PART:
        return None, foreign
    return scripts.most_common(1)[0][0], foreign


@cache
def _scripts(language: str) -> tuple[str, ...]:
    """The scripts of the words on a language's list, and those that belong to them."""
    words = stop_words(language)
    counts = Counter(script_of_word(word) for word in words)
    frequent = [script for script, n in counts.items() if script is not None and n >= _OF_A_LIST * len(words)]
    return tuple(sorted({*frequent, *(_BESIDE[script] for script in frequent if script in _BESIDE)}))


def _better(words: Sequence[str], language: str) -> str | None:
    """The language whose list fits the words better than that of `language`, beyond chance; the best of several."""
    hits, both = Counter[str](), Counter[str]()
    for word in words:
        on = _languages_of().get(word, ())
        hits.update(on)
        if language in on:
            both.update(on)
    gains = {}
    for other, n in hits.items():
        for_stated, for_other = hits[language] - both[other], n - both[other]
        if other != language and _at_most(for_stated, for_stated + for_other) < 0.5:
            gains[other] = for_other - for_stated
    return max(gains, key=lambda other: (gains[other], other)) if gains else None


def _at_most(k: int, n: int) -> float:
    """The upper end of the 99 % (Wilson) interval of k of n."""
    if n == 0:
        return 1.0
    share = k / n
    half = _Z * math.sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n))
    return (share + _Z * _Z / (2 * n) + half) / (1 + _Z * _Z / n)


@cache
def _languages_of() -> dict[str, list[str]]:
    """Every word on a list, with the languages on whose it is."""
    return holders((language, stop_words(language)) for language in LANGUAGES)


# Letters with the marks that combine with them; Chinese signs one by one.
_WORD = re.compile(rf"[{SIGNS}]|(?:[^\W\d_{SIGNS}]|[{COMBINING}])+")
