"""The script of letters and words."""

from idiograph.texts.words import script_of, script_of_word, scripts_of


def test_the_script_of_a_letter() -> None:
    letters = {"a": "Latin", "ß": "Latin", "ж": "Cyrillic", "ω": "Greek", "ש": "Hebrew", "ع": "Arabic", "න": "Sinhala"}
    letters |= {"我": "Chinese", "が": "Kana", "ガ": "Kana", "한": "Hangul", "क": "Devanagari"}
    assert {letter: script_of(letter) for letter in letters} == letters
    # Wide and narrow forms are the same letters.
    assert (script_of("Ａ"), script_of("ｶ")) == ("Latin", "Kana")
    assert [script_of(other) for other in ("1", " ", "!", "\u0301", "😀", "\ue000")] == [None] * 6


def test_words_and_texts() -> None:
    assert (script_of_word("'tis"), script_of_word("1я"), script_of_word("12")) == ("Latin", "Cyrillic", None)
    assert scripts_of("Я знаю: 我 a") == ("Chinese", "Cyrillic", "Latin")
    assert scripts_of("12 !") == ()
