"""Words from right to left: which way a text runs, and that they turn nothing round."""

import pytest

from idiograph.output.document import Piece, Run, Table, all_visible
from idiograph.output.scripts import isolated, marked, runs_right_to_left

GREEK, RUSSIAN, HEBREW, ARABIC = "Ξέρω γιατί έφυγε.", "Я знаю, почему.", "אני יודע למה.", "أعرف لماذا رحل."
CHINESE = "我知道为什么。"


def test_the_way_a_text_runs() -> None:
    assert [runs_right_to_left(text) for text in (GREEK, RUSSIAN, CHINESE, "", "...")] == [False] * 5
    assert runs_right_to_left(HEBREW)
    assert runs_right_to_left(f"{ARABIC} IBM")
    assert not runs_right_to_left(f"A word such as {ARABIC[:5]}")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ها هو", "[ها هو]"),
        ("2 texts of דוד לוי, 900 tokens", "2 texts of [דוד לוי], 900 tokens"),  # 900 would stand before the name
        ("R v דוד לוי", "R v [דוד לוי]"),
        ("דוד לוי-1.txt", "[דוד לוי]-1.txt"),
        ("זה היה ב-10:30, לילה ארוך.", "[זה היה ב-10:30, לילה ארוך.]"),  # its full stop is at the left
        ("زهرا IBM رفت.", "[زهرا IBM رفت.]"),
        ("known/דוד לוי/דוד-1.txt", "known/[דוד לוי]/[דוד]-1.txt"),
        ("a דוד b לוי 12", "a [דוד] b [לוי] 12"),
        ("Я знаю 12.", "Я знаю 12."),
    ],
)
def test_words_from_right_to_left_turn_nothing_round(text: str, shown: str) -> None:
    shown = shown.replace("[", "\u2067").replace("]", "\u2069")
    assert all_visible(Run(text)).text == shown
    assert all_visible(Table(text, (text,), ((text,),))).rows == ((shown,),)
    # A heat map's pieces follow each other as they did in the text.
    assert all_visible(Piece(text)).text == text
    assert isolated(text) == shown


def test_a_line_of_a_figure_runs_from_left_to_right() -> None:
    assert marked("known/דוד לוי/דוד-1.txt") == "\u200eknown/דוד לוי\u200e/דוד\u200e-1.txt"
    assert marked("Łukasz.txt") == "Łukasz.txt"
    assert marked("abc") == "abc"
