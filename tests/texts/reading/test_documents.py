"""Word and PDF files, made by the programs that make them."""

import zipfile
from pathlib import Path
from typing import Any

import docx
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from idiograph import read
from read_files import refusal


def changed_run(tag: str, words: str, *, deleted: bool) -> Any:
    """A tracked insertion or deletion."""
    change = OxmlElement(tag)
    run = OxmlElement("w:r")
    text = OxmlElement("w:delText" if deleted else "w:t")
    text.text = words
    text.set(qn("xml:space"), "preserve")
    run.append(text)
    change.append(run)
    return change


def test_paragraphs_tables_and_breaks_of_a_word_file(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("A title", level=1)
    paragraph = document.add_paragraph("One ")
    paragraph.add_run("bold").bold = True
    paragraph.add_run().add_break()
    paragraph.add_run("two\tthree")
    table = document.add_table(rows=2, cols=2)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"cell {number}"
    table.cell(0, 0).merge(table.cell(0, 1))
    document.add_paragraph("The end.")
    (tmp_path / "lee").mkdir()
    document.save(str(tmp_path / "lee" / "a.docx"))
    [text] = read(tmp_path)
    assert (text.id, text.author) == ("lee/a.docx", "lee")
    assert text.content == "A title\nOne bold\ntwo\tthree\ncell 0\ncell 1\ncell 2\ncell 3\nThe end."
    assert text.metadata["reading"]["encoding"] == "docx"


def test_tracked_changes_are_accepted_and_what_is_left_out_is_counted(tmp_path: Path) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("I ")
    paragraph._p.append(changed_run("w:del", "never ", deleted=True))
    paragraph._p.append(changed_run("w:ins", "always ", deleted=False))
    paragraph.add_run("agree.")
    hidden = paragraph.add_run(" Secret.")
    hidden.font.hidden = True
    joined = document.add_paragraph("First half, ")
    properties = joined._p.get_or_add_pPr()
    mark = OxmlElement("w:rPr")
    mark.append(OxmlElement("w:del"))
    properties.append(mark)
    noted = document.add_paragraph("second half")
    for tag in ("w:footnoteReference", "w:commentReference"):
        noted.add_run()._r.append(OxmlElement(tag))
    box = OxmlElement("w:txbxContent")
    boxed = OxmlElement("w:p")
    run = OxmlElement("w:r")
    words = OxmlElement("w:t")
    words.text = "in a box"
    run.append(words)
    boxed.append(run)
    box.append(boxed)
    noted.add_run()._r.append(box)
    document.sections[0].header.paragraphs[0].text = "A running head"
    document.save(str(tmp_path / "a.docx"))
    corpus = read(tmp_path)
    [text] = corpus
    assert text.content == "I always agree.\nFirst half, second half"
    assert text.metadata["left_out"] == {
        "comments": 1,
        "footnotes": 1,
        "headers and footers": 1,
        "hidden passages": 1,
        "text boxes": 1,
        "tracked deletions": 1,
    }
    assert "left out: 1 comments, 1 footnotes," in corpus.report.notes[0].what


def test_word_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    (tmp_path / "b.docx").write_bytes(b"no archive")
    (tmp_path / "c.docx").write_bytes(b"")
    docx.Document().save(str(tmp_path / "d.docx"))
    with zipfile.ZipFile(tmp_path / "e.docx", "w") as archive:
        archive.writestr("x.txt", "x")
    docx.Document().save(str(tmp_path / "f.docx"))
    data = (tmp_path / "f.docx").read_bytes()
    (tmp_path / "f.docx").write_bytes(data[: len(data) // 2])
    garbled = bytearray(data)
    garbled[data.index(b"word/document.xml") + 40 : data.index(b"word/document.xml") + 80] = bytes(40)
    (tmp_path / "g.docx").write_bytes(garbled)
    sentences = refusal(tmp_path)
    assert "g.docx is damaged or not a Word document" in sentences
    assert "a.docx is password-protected or an old .doc file." in sentences
    assert "b.docx is damaged or not a Word document" in sentences
    assert "c.docx is empty: it has no bytes." in sentences
    assert "d.docx is empty: it has nothing but white space." in sentences
    assert "e.docx is damaged or not a Word document" in sentences
    assert "f.docx is damaged or not a Word document" in sentences
