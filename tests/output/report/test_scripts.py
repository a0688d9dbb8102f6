"""Text of every script in a report: in order, and said where no font shows it."""

import io
import zipfile
from pathlib import Path

import pytest

from idiograph.output.document import Document, HeatMap, Paragraph, Piece, Run, all_visible
from idiograph.output.report import scripts
from idiograph.output.report.docx import docx as docx_of
from idiograph.output.report.html import html as html_of
from idiograph.output.report.pdf import pdf as pdf_of
from idiograph.output.report.scripts import foreign_letters, missing_sentence, runs_right_to_left, without_font
from seen_report import pdf_pages, squeezed

GREEK, RUSSIAN, HEBREW, ARABIC = "Ξέρω γιατί έφυγε.", "Я знаю, почему.", "אני יודע למה.", "أعرف لماذا رحل."
CHINESE, HINDI = "我知道为什么。", "मुझे पता है।"


def document(*lines: str) -> Document:
    """A report with a heat map of these lines."""
    pieces = tuple(tuple(Piece(word + " ", level=1) for word in line.split()) for line in lines)
    blocks = (Paragraph((Run(" ".join(lines)),)), HeatMap("A map", pieces))
    return Document(title="A report", subtitle="", header="", banner=None, footer="", blocks=blocks)


def test_the_way_a_text_runs() -> None:
    assert [runs_right_to_left(text) for text in (GREEK, RUSSIAN, CHINESE, "", "...")] == [False] * 5
    assert runs_right_to_left(HEBREW)
    assert runs_right_to_left(f"{ARABIC} IBM")
    assert not runs_right_to_left(f"A word such as {ARABIC[:5]}")


def test_letters_that_the_fonts_inside_have_not() -> None:
    assert foreign_letters("plain text, “quoted” – naïve œuvre 😀 €") == frozenset()
    assert foreign_letters(GREEK + RUSSIAN + HEBREW + ARABIC) == frozenset()
    assert foreign_letters(CHINESE) == set(CHINESE) - {"。"}
    assert foreign_letters(HINDI) >= {"म", "ु"}


def test_a_font_of_the_machine_is_looked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import matplotlib

    (tmp_path / "no.ttf").write_bytes(b"no font")
    fonts = (tmp_path / "no.ttf", Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")
    monkeypatch.setattr(scripts, "system_fonts", lambda: fonts)
    assert without_font("aя我") == {"我"}
    assert without_font("") == frozenset()


def test_letters_without_a_font_are_said_in_the_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripts, "system_fonts", tuple)
    pages = squeezed("".join(pdf_pages(pdf_of(document(CHINESE)))))
    assert squeezed("This file cannot show 6 letters (U+4E3A, U+4E48, U+4EC0, U+6211, U+77E5 and 1 more)") in pages
    assert squeezed(missing_sentence("我")) not in pages
    assert "cannot show" not in "".join(pdf_pages(pdf_of(document(GREEK, RUSSIAN, HEBREW, ARABIC))))


@pytest.mark.parametrize("text", [GREEK, RUSSIAN])
def test_greek_and_cyrillic_are_in_the_pdf_as_text(text: str) -> None:
    assert squeezed(text) in squeezed("".join(pdf_pages(pdf_of(document(text)))))


def test_a_heat_map_from_right_to_left_says_so() -> None:
    for text, leftward in ((ARABIC, True), (GREEK, False)):
        with zipfile.ZipFile(io.BytesIO(docx_of(document(text)))) as archive:
            assert ("<w:bidi/>" in archive.read("word/document.xml").decode()) == leftward
    assert '<p dir="auto"><span class="h1">أعرف' in html_of(document(ARABIC))
    assert pdf_of(document(ARABIC)) != pdf_of(document(GREEK))


def test_words_from_right_to_left_turn_no_number_round() -> None:
    runs = (Run("ها هو", "strong"), Run(" +6.00; 4 × in Q"))
    shown = all_visible(Paragraph(runs))
    assert [run.text for run in shown.runs] == ["\u2068ها هو\u2069", " +6.00; 4 × in Q"]
    # Within the marks nothing that acts is left.
    assert all_visible(Run("ها\u202eهو")).text == "\u2068ها⟨U+202E⟩هو\u2069"
