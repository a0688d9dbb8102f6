"""What counts as a word, and the script of letters and words."""

from hypothesis import given
from hypothesis import strategies as st

from idiograph.texts.words import PLACEHOLDERS, count_words, script_of, script_of_word, scripts_of, word_spans, words


def test_words_by_hand() -> None:
    assert words("Don't mail ME: <email>, userid!") == ["don't", "mail", "me", "<email>", "userid"]
    assert words("it’s 3.5 x_y -- <b>") == ["it’s", "3", "5", "x_y", "b"]
    assert count_words("...!") == 0
    assert word_spans("a <url>") == [(0, 1), (2, 7)]


def test_each_placeholder_is_one_word() -> None:
    for placeholder in PLACEHOLDERS:
        assert words(f"({placeholder}).") == [placeholder]


@given(st.text())
def test_counts_spans_and_words_agree(content: str) -> None:
    lower_cased = words(content)
    assert count_words(content) == len(lower_cased)
    assert [content[start:end].lower() for start, end in word_spans(content)] == lower_cased


def test_words_of_other_scripts_are_whole() -> None:
    assert words("हिन्दी में लिखें") == ["हिन्दी", "में", "लिखें"]  # vowel signs are marks, not letters
    assert words("cafe\u0301s noirs") == ["cafe\u0301s", "noirs"]
    assert words("我不知道。") == ["我", "不", "知", "道"]
    assert words("Ξέρω γιατί· знаю, می‌خواهم") == ["ξέρω", "γιατί", "знаю", "می", "خواهم"]
    assert count_words("我不知道 why") == 5


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
