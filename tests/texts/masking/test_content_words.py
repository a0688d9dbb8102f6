"""Which words of a text say what it is about: those that masking hid, as they were written."""

import numpy as np
import pytest

from fake_tagger import FakeTagger
from idiograph import MaskingError
from idiograph.texts.masking.mask import mask
from idiograph.texts.masking.rules import content_words, hides_content
from idiograph.texts.text import MaskedText, Text

CONTENT = "The Captain hails 3 ships.\nO\u2019Neil waits for the ship * again"


def words(method: str) -> tuple[tuple[str, ...], ...]:
    return content_words(mask(Text("a", CONTENT), method=method), CONTENT)


def test_hidden_nouns_names_and_verbs_are_content_and_kept_words_and_numbers_are_not(fake_tagger: FakeTagger) -> None:
    assert words("posnoise") == (("captain", "hails", "ships"), ("o", "neil", "waits", "ship"))


def test_where_a_star_hides_all_alike_content_has_a_letter(fake_tagger: FakeTagger) -> None:
    assert words("textdistortion") == (("captain", "hails", "ships"), ("o", "neil", "waits", "ship"))
    assert "3" not in sum(words("list"), ())


def test_frames_hide_what_they_hide(fake_tagger: FakeTagger) -> None:
    assert words("frames")[0] == ("the", "captain", "hails", "ships")


def test_an_editors_apostrophe_makes_no_other_word() -> None:
    spans = np.array([[0, 6]], np.int32)
    texts = [MaskedText("a", None, (("P",),), "posnoise-2.1+x+quotes", spans) for _ in range(2)]
    assert content_words(texts[0], "O\u2019Neil") == content_words(texts[1], "O'Neil") == (("o'neil",),)


@pytest.mark.parametrize("masking", ["none+x", "masked", ""])
def test_a_masking_that_does_not_say_what_it_hid_has_none(masking: str) -> None:
    assert not hides_content(masking)
    with pytest.raises(MaskingError, match="What a is about cannot be told"):
        content_words(MaskedText("a", None, (("N",),), masking), "word")


def test_neither_has_a_masked_text_without_places() -> None:
    with pytest.raises(MaskingError, match="where they stood"):
        content_words(MaskedText("a", None, (("N",),), "posnoise-2.1"), "word")
