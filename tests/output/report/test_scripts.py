"""Text of every script in a report: in order, from right to left too, and said where no font shows it."""

from dataclasses import replace
from pathlib import Path

import pytest
from docx.oxml.ns import qn

from idiograph.output import scripts
from idiograph.output.document import Document, HeatMap, Paragraph, Piece, Run, Table, all_visible
from idiograph.output.html import html
from idiograph.output.pdf import pdf
from idiograph.output.scripts import (
    foreign_letters,
    isolated,
    marked,
    printable,
    runs_right_to_left,
    unshown,
    without_font,
)
from seen_report import docx_of, pages_of, squeezed

GREEK, RUSSIAN, HEBREW, ARABIC = "Ξέρω γιατί έφυγε.", "Я знаю, почему.", "אני יודע למה.", "أعرف لماذا رحل."
CHINESE, HINDI = "我知道为什么。", "मुझे पता है।"


def document(*lines: str) -> Document:
    """A report with a heat map of these lines."""
    pieces = tuple(tuple(Piece(word + " ", level=1) for word in line.split()) for line in lines)
    blocks = (Paragraph((Run(" ".join(lines)),)), HeatMap("A map", pieces))
    return Document(title="A report", subtitle="", header="", banner=None, footer="", blocks=blocks)


def test_letters_that_the_fonts_inside_have_not() -> None:
    assert foreign_letters("plain text, “quoted” – naïve œuvre € ≥ ⟨U+202E⟩ ¶ � Λ₁ ½") == frozenset()
    assert foreign_letters("It is ❤\ufe0f fine 🦖") == {"🦖"}
    assert foreign_letters(GREEK + RUSSIAN + HEBREW + ARABIC) == frozenset()
    assert foreign_letters(CHINESE) == set(CHINESE)
    assert foreign_letters(HINDI) >= {"म", "ु"}


def test_a_font_of_the_machine_is_looked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import matplotlib

    (tmp_path / "no.ttf").write_bytes(b"no font")
    fonts = (tmp_path / "no.ttf", Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")
    monkeypatch.setattr(scripts, "system_fonts", lambda: fonts)
    assert without_font("aя我") == {"我"}
    assert without_font("") == frozenset()


def test_letters_without_a_font_are_said_first_and_printed_as_a_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripts, "system_fonts", tuple)
    named = replace(document(CHINESE, "by 王"), title="R v 王")
    raw = "".join(pages_of(named))
    pages = squeezed(raw)
    sentence = (
        "has no font for these letters: Chinese (7 of its letters), other signs (U+3002); in names and sentences and "
    )
    assert squeezed(f"{sentence}the heat map. Each is printed as �.") in pages
    assert pages.index("hasnofont") < pages.index("Amap")
    assert "Rv�" in pages
    # A line may break after each sign: in the title, and in the paragraph and the heat map for seven and one.
    assert raw.count("\u200b") == 1 + 2 * (len(CHINESE) + 1)
    assert "我" not in pages
    assert "hasnofont" not in squeezed("".join(pages_of(document(GREEK, RUSSIAN, HEBREW, ARABIC))))


def test_where_letters_stand_that_cannot_be_shown_well() -> None:
    table = {"tables": {"王", "明"}, "the heat map": {"王", "가"}, "names and sentences": set[str]()}
    missing, elsewhere = unshown(table)
    assert "Chinese (2 of its letters), Hangul (1 of its letters); in tables and the heat map." in missing
    assert elsewhere.startswith("The web page and the DOCX file of the same name show them")
    unjoined, _ = unshown({"tables": {"क", "ा"}})
    assert (
        "no font that joins these letters, so they are printed unjoined: Devanagari (1 of its letters); in "
        "tables" in unjoined
    )
    assert unshown({"tables": ()}) == ()
    # One sign for a letter with its marks; what is only unjoined stays.
    assert printable("வி a", "வி") == "�\u200b a"
    assert printable("हि", "हि") == "हि"


def test_devanagari_without_a_font_is_shown_unjoined_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripts, "system_fonts", tuple)
    pages = squeezed("".join(pages_of(document("क ख ग"))))
    assert "sotheyareprintedunjoined:Devanagari(3ofitsletters)" in pages
    assert "�" not in pages
    assert "क" in pages


@pytest.mark.parametrize("text", [GREEK, RUSSIAN])
def test_greek_and_cyrillic_are_in_the_pdf_as_text(text: str) -> None:
    assert squeezed(text) in squeezed("".join(pages_of(document(text))))


def test_a_heat_map_from_right_to_left_says_so() -> None:
    for text, leftward in ((ARABIC, True), (GREEK, False)):
        assert bool(docx_of(document(text)).element.xpath("//w:bidi")) == leftward
    assert '<p dir="auto"><span class="h1">أعرف' in html(document(ARABIC))
    assert pdf(document(ARABIC)) != pdf(document(GREEK))


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


def test_nothing_that_acts_is_left_within_the_marks() -> None:
    assert all_visible(Run("ها\u202eهو")).text == "\u2067ها⟨U+202E⟩هو\u2069"


def test_the_page_shows_a_number_after_a_name_from_right_to_left() -> None:
    # As drawn, from left to right: the name turned round, then the number.
    page = "".join(pages_of(document("of דוד, 900 tokens")))
    assert page.index("of") < page.index("900") < page.index("tokens")


def test_letters_of_all_scripts_have_one_size_weight_and_slope_in_docx() -> None:
    opened, counted = docx_of(document(ARABIC)), 0
    for properties in (*opened.styles.element.iter(qn("w:rPr")), *opened.element.iter(qn("w:rPr"))):
        for name in ("b", "i", "sz"):
            plain, theirs = (properties.findall(qn(f"w:{name}{kind}")) for kind in ("", "Cs"))
            assert [dict(element.attrib) for element in plain] == [dict(their.attrib) for their in theirs]
            counted += len(plain)
    assert counted > 20
