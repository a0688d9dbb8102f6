"""Sentences as they were written."""

import numpy as np

from idiograph.texts.masking.rules import original_sentences, pieces
from idiograph.texts.text import MaskedText


def test_sentences_are_cut_where_the_next_one_begins_and_nothing_after_the_first_token_is_lost() -> None:
    content = "  Well  then.\n\nGo ON!  "
    spans = np.array([[2, 6], [8, 12], [12, 13], [15, 17], [18, 20], [20, 21]])
    text = MaskedText("t", None, (("well", "B", "."), ("V", "on", "!")), "m", spans=spans)
    assert original_sentences(text, content) == ("Well  then.\n\n", "Go ON!  ")


def test_a_sentence_without_a_token_has_no_original() -> None:
    text = MaskedText("t", None, (("a",), (), ("b",), ()), "m", spans=np.array([[0, 1], [2, 3]]))
    assert original_sentences(text, "a b") == ("a ", "", "b", "")


def test_sentences_that_follow_each_other_are_one_piece() -> None:
    numbered = [(3, "a. "), (4, "b.\n"), (7, "c. "), (8, "d."), (1, "e.")]
    assert pieces(numbered) == ("a. b.\n", "c. d.", "e.")
    assert pieces([]) == ()
