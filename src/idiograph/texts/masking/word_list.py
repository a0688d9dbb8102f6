"""The words that masking keeps: POSNoise's or spaCy's lists, read from their packages, or a file of the user's own."""

import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path

from idiograph.errors import InputError, MaskingError, cannot_read
from idiograph.provenance import digest, digest_json
from idiograph.texts.masking.languages import language_name, spacy_version, stop_words

# Halvani & Graner (2021) publish a list for two languages; the files carry language and version in their names.
PUBLISHED = {"en": ("En", "2.1"), "de": ("De", "3.0")}
_PUBLISHED_NAME = re.compile(r"POSNoise_PatternList_([A-Za-z]{2})_v", re.IGNORECASE)

# spaCy's English tokenizer cuts contractions ("don't" → do, n't), so the list's entries such as "don't" never meet a
# token. The R package idiolect therefore adds these 21 pieces to the published list; they are part of the reference.
_ENGLISH_PIECES = frozenset(
    {"'d", "'ll", "'m", "'s", "'ve", "ca", "cannot", "d", "etc", "hed", "hell"}
    | {"hes", "ill", "ll", "m", "n't", "nt", "s", "theres", "tho", "ve"}
)


@dataclass(frozen=True)
class WordList:
    """Lower-cased single tokens to keep, with the name that signatures carry and the digest of the list's file."""

    name: str
    digest: str
    words: frozenset[str]


def usual_list(language: str, method: str) -> WordList:
    """The list that is used if none is named: POSNoise's where it has one and the method has a tagger, else spaCy's."""
    return published_list(language) if language in PUBLISHED and method != "list" else spacy_list(language)


def spacy_list(language: str) -> WordList:
    """spaCy's own list of a language's function words."""
    words = stop_words(language)
    if not words:
        raise MaskingError(
            f"spaCy has no list of function words for {language_name(language)}, and masking keeps the words on one. "
            "Give a list file of that language (--word-list FILE, in idiograph mask --list FILE, or word_list in a "
            "case or study file), or use the method frames with a spaCy model of the language (--model), which "
            "needs none."
        )
    found = digest_json(sorted(words))
    return WordList(f"spacy-{spacy_version()}@{found[:8]}", found, words)


def published_list(language: str) -> WordList:
    """POSNoise's own list, English or German, from the data file of the PyPI package `posnoise`."""
    letters, version = PUBLISHED[language]
    # Found without importing: the package imports spaCy, and its data file is all that is wanted.
    package = importlib.util.find_spec("posnoise")
    folders = list(package.submodule_search_locations or []) if package else []
    name = f"POSNoise_PatternList_{letters}_v{version}.txt"
    path = next((found for folder in folders if (found := Path(folder) / "pattern_list" / name).is_file()), None)
    if path is None:
        raise MaskingError(
            f"The word list {name} of the package posnoise is not installed, and masking keeps the words on it. "
            "Run: pip install posnoise==0.0.4"
        )
    content = path.read_bytes()
    pieces = _ENGLISH_PIECES if language == "en" else frozenset()
    return WordList(version, digest(content), _single_tokens(content.decode()) | pieces)


def list_from_file(path: Path, *, language: str) -> WordList:
    """A list of the user's own, one token per line, taken as it is: nothing is added to it."""
    named = _PUBLISHED_NAME.search(path.name)
    if named and named[1].lower() != language:
        raise MaskingError(
            f"{path.name} is a word list for the language {named[1].lower()}, and the texts' language is {language}. "
            "The list would hardly match a word; name the list's language or a list of the texts'."
        )
    if path.exists() and not path.is_file():
        raise InputError(f"The word list {path} is a folder, pipe or device, not a file. Name a file.")
    try:
        content = path.read_bytes()
        words = _single_tokens(content.decode("utf-8-sig"))
    except OSError as error:
        raise cannot_read(f"The word list {path}", error) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"The word list {path} is not UTF-8 (byte 0x{content[error.start]:02x} at position {error.start}). "
            "Save it as UTF-8, one word per line."
        ) from error
    if not words:
        raise InputError(
            f"The word list {path} holds no single word, so masking would keep none. Write one word per line; "
            "lines with a blank inside are not used."
        )
    found = digest(content)
    return WordList(f"{path.stem}@{found[:8]}", found, words)


def _single_tokens(content: str) -> frozenset[str]:
    """The entries without a blank inside: the reference compares single tokens, so longer ones never match."""
    entries = (line.strip().lower() for line in content.splitlines())
    return frozenset(entry for entry in entries if entry and len(entry.split()) == 1)
