"""What counts as a word."""

from hypothesis import given
from hypothesis import strategies as st

from idiograph.texts.words import PLACEHOLDERS, count_words, word_spans, words


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
    found = words(content)
    assert count_words(content) == len(found)
    assert [content[start:end].lower() for start, end in word_spans(content)] == found


def test_words_of_other_scripts_are_whole() -> None:
    assert words("हिन्दी में लिखें") == ["हिन्दी", "में", "लिखें"]  # vowel signs are marks, not letters
    assert words("cafe\u0301s noirs") == ["cafe\u0301s", "noirs"]
    assert words("我不知道。") == ["我", "不", "知", "道"]
    assert words("Ξέρω γιατί· знаю, می‌خواهم") == ["ξέρω", "γιατί", "знаю", "می", "خواهم"]
    assert count_words("我不知道 why") == 5
