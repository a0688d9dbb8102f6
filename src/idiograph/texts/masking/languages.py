"""The languages that texts can be in: their names, spaCy's own lists of function words, and which taggers there are.

spaCy is not imported here: its lists lie in small files of their own, and importing 79 languages takes ten seconds.
"""

import importlib.util
import runpy
from functools import cache
from importlib import metadata
from pathlib import Path

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


def example_sentences(language: str) -> tuple[str, ...]:
    """spaCy's own sentences that show a language; none where it has none."""
    path = _folder(language) / "examples.py"
    return tuple(runpy.run_path(str(path))["sentences"]) if path.is_file() else ()


def listed_languages() -> tuple[str, ...]:
    """The languages that spaCy has a list for."""
    return tuple(code for code in LANGUAGES if stop_words(code))


def rule_files(language: str) -> tuple[Path, list[Path]]:
    """The folder of spaCy's rules for a language, and the files in it that cut texts into words."""
    folder = _folder(language)
    return folder, sorted(path for path in folder.rglob("*.py") if path.stem not in ("examples", "stop_words"))


def spacy_version() -> str:
    """The version of the installed spaCy."""
    return metadata.version("spacy")


def _folder(language: str) -> Path:
    package = importlib.util.find_spec("spacy")
    assert package is not None, "spaCy is a dependency"
    root = Path(next(iter(package.submodule_search_locations or [])))
    return root / "lang" / language
