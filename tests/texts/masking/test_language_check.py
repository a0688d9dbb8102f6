"""Whether a text is in the language that was said."""

import runpy
from pathlib import Path

import pytest
import spacy

from idiograph.texts.masking.language_check import FEWEST_WORDS, check_language
from idiograph.texts.masking.languages import LANGUAGES, stop_words

LANG = Path(spacy.__file__).parent / "lang"
# Two lists that are one, and lists too short to be held against others.
ALIKE = {frozenset({"id", "ms"})}


def example(language: str) -> str:
    """The sentences that spaCy has to show what a language looks like."""
    path = LANG / language / "examples.py"
    return " ".join(runpy.run_path(str(path))["sentences"]) if path.is_file() else ""


GERMAN = example("de")
FRENCH = example("fr")


@pytest.mark.parametrize("language", [code for code in LANGUAGES if len(stop_words(code)) >= FEWEST_WORDS])
def test_no_text_is_said_to_be_in_another_language_than_its_own(language: str) -> None:
    assert check_language(example(language), language).verdict in ("fits", "unchecked")


def test_a_wrong_language_is_found_nearly_always() -> None:
    tried, found = 0, []
    for language in ("cs", "da", "de", "el", "en", "es", "fr", "he", "it", "nl", "pt", "ro", "ru", "uk", "zh"):
        for stated in LANGUAGES:
            if stated != language:
                check = check_language(example(language) * 2, stated)
                tried += check.verdict != "unchecked"
                found += [check.verdict == "other"] if check.verdict != "unchecked" else []
    assert tried > 900
    assert sum(found) >= 0.98 * tried


def test_what_it_looks_like_is_said_with_the_shares() -> None:
    check = check_language(FRENCH, "de")
    assert (check.verdict, check.other) == ("other", "fr")
    assert check.share < 0.15 < check.other_share
    assert check.sentence.startswith("looks like French, not like German: ")
    assert "words are on the list of function words of German, " in check.sentence
    assert check_language(FRENCH, "fr").sentence.startswith("looks like French: ")


def test_a_text_of_two_languages_is_seen_in_its_parts() -> None:
    check = check_language(GERMAN * 4 + FRENCH * 2, "de")
    assert (check.verdict, check.other) == ("in part", "fr")
    assert check.sentence.startswith("looks in part like French, not like German: ")


def test_what_cannot_be_checked_is_said() -> None:
    short = check_language("Das ist kurz.", "de")
    assert short.verdict == "unchecked"
    assert short.sentence == "could not be checked to be in German: it has 3 words, and at least 50 are needed"
    assert check_language("", "de").verdict == "unchecked"
    assert "list of function words for it has 0 entries" in check_language(GERMAN, "nn").sentence
    assert "list of function words for it has 14 entries" in check_language(GERMAN, "dsb").sentence


def test_words_will_do_in_place_of_a_text() -> None:
    assert check_language(["Der", "und", "*"] * 30, "de").share == pytest.approx(2 / 3)


def test_vowels_that_combine_with_letters_belong_to_their_word() -> None:
    # हिन्दी के लिए: the vowel signs are marks, not letters.
    assert check_language("के लिए " * 30, "hi").share == 1.0
