"""Word and PDF files, made by the programs that make them."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import docx
import pytest
import typst
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from idiograph import InputError, read
from idiograph.texts.reading import pdf_pages
from idiograph.texts.reading.documents import PageReader
from read_files import as_written, refusal


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


def pdf(path: Path, source: str) -> Path:
    (path.parent / "source.typ").write_text(source, encoding="utf-8")
    typst.compile(str(path.parent / "source.typ"), output=str(path))
    (path.parent / "source.typ").unlink()
    return path


def test_a_page_is_read_its_lines_joined_and_its_hyphens_removed(tmp_path: Path) -> None:
    first = (
        "The international organisation of multidisciplinary cooperation demands extraordinarily complicated "
        "administrative arrangements, notwithstanding the incompatibilities between departmental responsibilities."
    )
    second = "A second paragraph follows here and it is long enough to be wrapped over several lines, or so it seems."
    source = "#set page(width: 10cm, height: 9cm)\n#set par(justify: true)\n#set text(hyphenate: true, size: 10pt)\n"
    [text] = read(pdf(tmp_path / "a.pdf", f"{source}{first}\n\n{second}\n\n- item one\n- item two\n"))
    assert text.content == f"{first}\n{second}\n• item one\n• item two"
    steps = [change["step"] for change in text.metadata["reading"]["changes"]]
    assert steps == [
        "line ends made line feeds",
        "line breaks after hyphens made plain",
        "hard-wrapped lines joined",
    ]
    assert "\ufffe" in as_written(text)
    [kept] = read(tmp_path / "a.pdf", unwrap="never")
    assert "cooper-\nation" in kept.content or "co-\noperation" in kept.content
    assert text.metadata["n_pages"] == 1


def test_a_page_without_text_is_named_and_an_empty_one_is_not(tmp_path: Path) -> None:
    pages = (
        "First page.\n#pagebreak()\n#rect(width: 3cm, height: 2cm, fill: red)\n#pagebreak()\n#pagebreak()\nLast page."
    )
    path = pdf(tmp_path / "a.pdf", pages)
    assert refusal(path).startswith("a.pdf page 2 has no text layer: it is probably a scan.")
    corpus = read(path, skip_bad=True)
    assert [text.content for text in corpus] == ["First page.\n\nLast page."]
    assert [note.where for note in corpus.report.skipped] == ["a.pdf page 2"]


def test_a_scan_throughout(tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf", "#rect(fill: red)")
    assert "a.pdf has no page with text. Run text recognition (OCR) on it" in refusal(path)
    assert "Nothing in" in refusal(path, skip_bad=True)


def test_a_running_head_is_noticed_and_left(tmp_path: Path) -> None:
    source = '#set page(height: 7cm, header: [Letters to the bank], numbering: "1")\n' + "#pagebreak()\n".join(
        f"Page {word} has its own words.\n" for word in ("one", "two", "three", "four")
    )
    notes = [note.what for note in read(pdf(tmp_path / "a.pdf", source)).report.notes]
    assert any(
        "the line 'Letters to the bank' (# for any number) begins or ends 4 of 4 pages" in note for note in notes
    )
    assert any("the line '#' (# for any number)" in note for note in notes)


def test_pdf_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"no pdf")
    (tmp_path / "b.pdf").write_bytes(b"")
    (tmp_path / "c.pdf").write_bytes(PROTECTED)
    sentences = refusal(tmp_path)
    assert "a.pdf is damaged or not a PDF file" in sentences
    assert "b.pdf is empty: it has no bytes." in sentences
    assert "c.pdf is protected by a password." in sentences


# A PDF's skeleton whose encryption dictionary no empty password opens.
PROTECTED = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
    b"3 0 obj<</Filter/Standard/V 1/R 2/P -4/O<" + b"41" * 32 + b">/U<" + b"42" * 32 + b">>>endobj\n"
    b"trailer<</Root 1 0 R/Encrypt 3 0 R/ID[<00112233445566778899aabbccddeeff><00112233445566778899aabbccddeeff>]>>\n"
    b"%%EOF\n"
)


def test_a_process_that_dies_is_replaced_and_costs_no_file() -> None:
    reader = PageReader()
    page: Any = typst.compile(b"One.")
    assert reader.pages(page) == ["One."]
    assert reader._process is not None
    first = reader._process
    first.kill()
    assert reader.pages(page) == ["One."]
    assert reader._process is not first
    with pytest.raises(InputError, match="is damaged or not a PDF file"):
        reader.pages(b"no pdf")
    reader.close()
    assert reader._process is None
    reader.close()


def test_a_file_that_ends_the_process_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ends = tmp_path / "ends.py"
    ends.write_text("")
    monkeypatch.setattr(pdf_pages, "__file__", str(ends))
    with pytest.raises(InputError, match="could not be read within 900 MB of memory and 120 seconds"):
        PageReader().pages(b"%PDF")


def asked(*files: bytes) -> list[Any]:
    """What the process prints for each file."""
    sent = b"".join(len(data).to_bytes(8, "big") + data for data in files)
    run = subprocess.run([sys.executable, "-P", pdf_pages.__file__], input=sent, capture_output=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_every_file_gets_a_line() -> None:
    page: Any = typst.compile(b"One.\n#pagebreak()\n#pagebreak()\n#rect(fill: red)")
    damaged = {"error": pdf_pages.DAMAGED, "why": "Failed to load document (PDFium: Data format error)."}
    assert asked(page, b"no pdf", page) == [{"pages": ["One.", "", None]}, damaged, {"pages": ["One.", "", None]}]
    assert asked() == []


def test_the_limits_hold_for_each_file_anew() -> None:
    code = (
        "import resource, time, pdf_pages\n"
        "end = time.process_time() + 1.1\n"
        "while time.process_time() < end: pass\n"
        "pdf_pages._limit()\n"
        "print(*(resource.getrlimit(one)[0] for one in (resource.RLIMIT_AS, resource.RLIMIT_CPU)))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=pdf_pages.__file__.rpartition("/")[0],
    )
    memory, seconds = map(int, run.stdout.split())
    assert memory == pdf_pages.MEMORY
    assert pdf_pages.SECONDS + 2 <= seconds <= pdf_pages.SECONDS + 10
