"""The report: one document, the same words, tables and numbers in HTML, DOCX and PDF, and nothing in it that acts."""

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import docx
import numpy as np
import pypdfium2
import pytest

from idiograph.casework.result import as_result
from idiograph.casework.verification import Finding, Verification
from idiograph.output.document import Document, Picture, Table, inert
from idiograph.output.report.docx import docx as docx_of
from idiograph.output.report.html import html as html_of
from idiograph.output.report.pdf import pdf as pdf_of
from idiograph.output.report.report import report, write_reports
from made_up_case import HOSTILE, PROSE, comparison, explanation, refused, verification


class Page(HTMLParser):
    """What a reader sees of a page, and what it would load."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.text = ""
        self.headings: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self._open: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in ("meta", "img"):
            self._open.append(tag)
        if tag in ("h1", "h2", "h3"):
            self.headings.append("")
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        self.text += " "

    def handle_data(self, data: str) -> None:
        if "style" in self._open or "title" in self._open:
            return
        self.text += data
        if self._open and self._open[-1] in ("h1", "h2", "h3"):
            self.headings[-1] += data
        if "td" in self._open or "th" in self._open:
            self.tables[-1][-1][-1] += data


def squeezed(text: str) -> str:
    """The text without blanks and with nothing invisible, since a page breaks lines where it likes."""
    # The reader of the PDF's text layer puts these two in the place of a hyphen at the end of a line.
    return re.sub(r"[\s\u200b\u00ad]+", "", text.replace("\ufffe", "-").replace("\u0002", "-"))


def pdf_pages(content: bytes) -> Iterator[str]:
    opened = pypdfium2.PdfDocument(content)
    for page in opened:
        yield page.get_textpage().get_text_range()
    opened.close()


def docx_text(content: bytes) -> str:
    opened = docx.Document(io.BytesIO(content))
    section = opened.sections[0]
    paragraphs = [*opened.paragraphs, *section.header.paragraphs, *section.footer.paragraphs]
    cells = [cell.text for table in opened.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(paragraph.text for paragraph in paragraphs), *cells])


def three(document: Document) -> dict[str, str]:
    """The visible text of the document in each form."""
    return {
        "html": Page(html_of(document)).text,
        "docx": docx_text(docx_of(document)),
        "pdf": "".join(pdf_pages(pdf_of(document))),
    }


@pytest.fixture(scope="module", name="case")
def _case() -> Verification:
    return verification()


@pytest.fixture(scope="module", name="folder")
def _folder(case: Verification, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("case")
    write_reports(case, folder)
    return folder


@pytest.fixture(scope="module", name="page")
def _page(folder: Path) -> Page:
    return Page((folder / "report.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module", name="texts")
def _texts(folder: Path, page: Page) -> dict[str, str]:
    return {
        "html": page.text,
        "docx": docx_text((folder / "report.docx").read_bytes()),
        "pdf": "".join(pdf_pages((folder / "report.pdf").read_bytes())),
    }


def test_all_files_are_written(folder: Path) -> None:
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    figures = ("tippett", "pav", "trace_anchored", "source_anchored", "known_texts", "growth", "sensitivity")
    assert names == {
        "report.html", "report.docx", "report.pdf", "tokens.csv", "sentences.csv",
        *(f"figures/{figure}.{form}" for figure in figures for form in ("svg", "png", "csv")),
    }  # fmt: skip


def test_every_paragraph_box_and_cell_is_in_all_three(case: Verification, texts: dict[str, str]) -> None:
    seen = {form: squeezed(text) for form, text in texts.items()}
    for block in report(case).blocks:
        for text in strings(block):
            for form, whole in seen.items():
                assert squeezed(text) in whole, f"{text!r} is not in the {form}"


def strings(block: object) -> Iterator[str]:
    """Every text of a block that a reader must see."""
    if isinstance(block, Picture):
        yield block.caption
    elif isinstance(block, Table):
        yield block.caption
        yield from block.header
        for row in block.rows:
            yield from row
    elif hasattr(block, "runs"):
        yield "".join(run.text for run in block.runs)
    elif hasattr(block, "paragraphs"):
        yield block.title
        for paragraph in block.paragraphs:
            yield from strings(paragraph)
    elif hasattr(block, "items"):
        for item in block.items:
            yield "".join(run.text for run in item)
    elif hasattr(block, "fields"):
        yield from (label for label, _ in block.fields)
    elif hasattr(block, "level"):
        yield block.text
    elif hasattr(block, "lines"):
        yield block.caption
        yield from ("".join(piece.text for piece in line) for line in block.lines)


def test_docx_has_the_headings_by_style_and_every_table(folder: Path, page: Page) -> None:
    opened = docx.Document(str(folder / "report.docx"))
    styled = [
        paragraph.text for paragraph in opened.paragraphs if paragraph.style.name in ("Title", "Heading 1", "Heading 2")
    ]
    assert styled == page.headings
    assert len(styled) == 17
    tables = [[[cell.text for cell in row.cells] for row in table.rows] for table in opened.tables]
    assert len(page.tables) >= 10
    for table in page.tables:
        assert table in tables


def test_docx_has_blanks_to_fill_in(folder: Path) -> None:
    opened = docx.Document(str(folder / "report.docx"))
    blanks = {row.cells[0].text for table in opened.tables for row in table.rows if row.cells[-1].text == ""}
    assert blanks >= {
        "Exhibit numbers", "Instructions", "Date of instruction", "Date of report", "Declaration", "Signature",
    }  # fmt: skip


def test_the_numbers_of_result_json_are_in_all_three(case: Verification, texts: dict[str, str]) -> None:
    result = as_result(case)
    llr, reported = result["llr"][result["primary"]], result["reported"]
    shown = [
        f"N(Q) {result['n_tokens']}",
        f"V1(Q) {result['n_hapaxes']}",
        f"sentences of Q {result['n_sentences']}",
        f"{result['lambda_g']:+.2f}",
        f"{llr['value']:+.2f} {llr['unit']}",
        f"LR as calculated {llr['lr']:.0f}",
        f"log10 LR as calculated {llr['log10']:+.2f}",
        f"LR as reported {reported['lr']:.0f}",
        f"log10 LR as reported {reported['log10']:+.2f}",
        f"{result['validation']['performance']['hapax']['cllr']['value']:.2f}",
        f"{result['validation']['performance']['hapax']['cllr']['low']:.2f} to",
        *(finding["message"] for finding in result["audit"]),
        *(file["sha256"] for file in result["inputs"]),
        *(f"{one['log10']:+.2f}" for one in result["llr"].values() if one["unit"] != "nats"),
        result["conclusion"],
        result["bound"],
        result["signature"],
        result["case_digest"],
    ]
    for form, text in texts.items():
        for words in shown:
            assert squeezed(words) in squeezed(text.replace("−", "-")), f"{words} is not in the {form}"


def test_propositions_and_population_come_before_the_finding(texts: dict[str, str]) -> None:
    for form in ("html", "pdf"):
        whole = squeezed(texts[form])
        places = [
            whole.index(squeezed(words))
            for words in ("Hp The questioned text", "Hd The questioned text", "Population", "about 15 times more")
        ]
        assert places == sorted(places)


def test_the_report_says_how_many_runs_and_comparisons_there_were(texts: dict[str, str]) -> None:
    for text in texts.values():
        assert squeezed("1 comparison was made (1 questioned text, 1 candidate)") in squeezed(text)
        assert squeezed("it had 1 earlier run, listed in an annex") in squeezed(text)
        assert squeezed("too few authors") in squeezed(text)


def test_words_of_the_scale_stand_with_their_number_and_never_in_the_sensitivity_annex(page: Page) -> None:
    body, annex = page.text.split("Annex A. Sensitivity")[-2:]
    assert "moderate support for Hp (scale: ENFSI 2015)" in " ".join(body.split())
    sensitivity = annex.split("Annex B.")[0]
    assert "support" not in sensitivity
    assert re.search(r"Square Root Correction\s+\S+\s+64\s+\+1\.81", sensitivity)
    assert "extremely strong support" in annex.split("Annex C.")[1]


def test_numbers_only_has_no_scale() -> None:
    one = comparison()
    case = verification(replace(one, wording=replace(one.wording, verbal=None)))
    page = Page(html_of(report(replace(case, case=replace(case.case, scale="numbers")))))
    assert "In words" not in page.text
    assert "scale of words" not in "".join(page.headings)


def test_html_loads_and_runs_nothing(folder: Path, page: Page) -> None:
    source = (folder / "report.html").read_text(encoding="utf-8")
    policy = [value for tag, name, value in page.attributes if tag == "meta" and name == "content"]
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in policy
    assert not page.tags & {"script", "link", "iframe", "object", "embed", "form", "base", "video", "audio", "svg"}
    for _, name, value in page.attributes:
        assert not name.startswith("on")
        if name in ("src", "href", "srcset", "data", "action"):
            assert value.startswith(("data:image/svg+xml;base64,", "#"))
    assert "http" not in re.sub(r"base64,[^\"]*", "", source).replace("http-equiv", "")
    assert "url(" not in source
    assert "@import" not in source
    targets = {value for _, name, value in page.attributes if name == "id"}
    links = {value[1:] for tag, name, value in page.attributes if tag == "a"}
    assert links == targets


def test_every_picture_has_its_words_in_html_docx_and_pdf(case: Verification, folder: Path, page: Page) -> None:
    alts = [block.plot.alt for block in report(case).blocks if isinstance(block, Picture)]
    assert [value for tag, name, value in page.attributes if (tag, name) == ("img", "alt")] == alts
    opened = docx.Document(str(folder / "report.docx"))
    assert [shape._inline.docPr.get("descr") for shape in opened.inline_shapes] == alts
    assert b"/Alt" in (folder / "report.pdf").read_bytes() or len(alts) == 0


def test_made_again_every_file_is_the_same(case: Verification, folder: Path, tmp_path: Path) -> None:
    for path in write_reports(case, tmp_path):
        assert path.read_bytes() == (folder / path.relative_to(tmp_path)).read_bytes(), path.name


def test_quick_is_said_on_every_page() -> None:
    document = report(verification(replace(comparison(), validation=None, as_strong=None), quick=True))
    notice = squeezed("Validation under the conditions of the case was left out")
    for page in pdf_pages(pdf_of(document)):
        assert notice in squeezed(page)
    opened = docx.Document(io.BytesIO(docx_of(document)))
    assert notice in squeezed("".join(paragraph.text for paragraph in opened.sections[0].header.paragraphs))
    source = html_of(document)
    assert notice in squeezed(Page(source).text)
    assert "@top-right" in source
    assert "Nothing is known about how the method does here" in Page(source).text


def test_a_refused_case_shows_no_likelihood_ratio() -> None:
    document = report(verification(refused()))
    for form, text in three(document).items():
        assert squeezed("No likelihood ratio is reported because validation gives a Cllr of 1.2.") in squeezed(text)
        for hidden in (
            "LR as calculated", "LR as reported", "430", "2.63", "moderate support for Hp", "Sensitivity",
            "raw score", "all: λG", "misleads:", "K is shorter than", "As high as the case",
            "The questioned text as it was",
        ):  # fmt: skip
            assert squeezed(hidden) not in squeezed(text), f"{hidden} in {form}"
    tippett = next(block for block in document.blocks if isinstance(block, Picture))
    assert "case" not in tippett.plot.csv


def test_several_comparisons_are_results_of_their_own(tmp_path: Path) -> None:
    case = verification(comparison(), comparison(candidate="Kim"), refused("Ona"))
    written = write_reports(case, tmp_path)
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "3 comparisons were made" in page.text
    summary = page.tables[0]
    assert [row[1:3] for row in summary[1:]] == [["Lee", "15"], ["Kim", "15"], ["Ona", "none reported"]]
    assert [heading for heading in page.headings if " and " in heading][:3] == [
        "3. Q1 and Lee", "4. Q1 and Kim", "5. Q1 and Ona"
    ]  # fmt: skip
    assert "3.1 Finding" in page.headings
    assert "5.1 Refusal" in page.headings
    figures = {path.name for path in written if path.suffix == ".csv"}
    assert {"comparison1_tippett.csv", "comparison2_tippett.csv", "comparison3_tippett.csv"} <= figures
    assert "comparison3_sensitivity.csv" not in figures


def test_markup_and_formulas_in_texts_and_names_are_inert() -> None:
    hostile = comparison(label=HOSTILE, candidate=HOSTILE)
    told = explanation(f"{HOSTILE} and more. {PROSE}", text_id=HOSTILE)
    hostile = replace(hostile, explanation=told, audit=(replace(hostile.audit[0], message=HOSTILE, where=(HOSTILE,)),))
    case = verification(hostile, title=HOSTILE)
    case = replace(
        case,
        case=replace(case.case, population=HOSTILE),
        provenance=replace(case.provenance, inputs=(replace(case.provenance.inputs[0], name=HOSTILE),)),
    )
    document = report(case)
    source = html_of(document)
    page = Page(source)
    assert "script" not in page.tags
    assert "<script" not in source
    shown = inert(HOSTILE)
    assert shown.count("⟨U+202E⟩") == shown.count("⟨U+0000⟩") == shown.count("⟨U+0007⟩") == 1
    assert "\u202e" not in source
    assert "\x00" not in source
    for form, text in three(document).items():
        assert squeezed(shown) in squeezed(text), form
        assert "\u202e" not in text
    opened = docx.Document(io.BytesIO(docx_of(document)))
    assert not opened.element.body.xpath(".//w:instrText | .//w:fldSimple")
    assert opened.paragraphs[0].text == shown


def test_a_title_longer_than_a_docx_may_name_is_printed_whole() -> None:
    title = "R v " + "Example " * 60
    document = report(verification(title=title))
    opened = docx.Document(io.BytesIO(docx_of(document)))
    assert opened.paragraphs[0].text == title
    assert opened.core_properties.title == title[:255]


def test_the_lines_of_the_strongest_ngrams_are_few_and_cut_at_words() -> None:
    one = comparison()
    long = replace(one.explanation.ngrams[0].lines[0], before="begin " + "word " * 40, after="word " * 40 + "finish")
    ngrams = tuple(
        replace(one.explanation.ngrams[0], tokens=(f"t{i}",), lambda_g=12.5 - i, lines=(long,) * 3) for i in range(25)
    )
    page = Page(html_of(report(verification(replace(one, explanation=replace(one.explanation, ngrams=ngrams))))))
    annex = page.text.split("Annex B. ")[-1].split("Annex C.")[0]
    assert re.findall(r"\bt\d+\b", annex) == [*(f"t{i}" for i in range(10)), *(f"t{i}" for i in range(24, 14, -1))]
    assert annex.count("as far as") == 40
    assert "begin" not in annex
    assert re.search(r": … (word )+as far as( word)+ …", " ".join(annex.split()))


def test_digits_of_the_score_follow_its_error() -> None:
    one = comparison()
    assert one.sensitivity is not None
    for error, shown in ((17.0, "-156"), (3.2, "-156.5"), (0.19, "-156.47")):
        score = replace(one.score, evidence=(np.array([-156.4721]),))
        case = replace(one, score=score, sensitivity=replace(one.sensitivity, standard_error=error))
        table = next(block for block in report(verification(case)).blocks if isinstance(block, Table))
        values = {name.split(" (")[0]: value for name, value in table.rows}
        assert values["raw score λG"] == shown.replace("-", "−")
        assert values["log10 LR over other seeds"] == "+2.56 to +2.65"


def test_a_long_text_still_renders() -> None:
    told = explanation(PROSE.replace("\n", " ") * 290)
    assert len(told.tokens) > 20_000
    document = report(verification(replace(comparison(), explanation=told)))
    source = html_of(document)
    assert source.count("<span class=") > 35_000
    pages = list(pdf_pages(pdf_of(document)))
    assert len(pages) < 60
    assert squeezed("sentences with the strongest evidence") in squeezed("".join(pages))
    assert docx_of(document).startswith(b"PK")


def test_settings_versions_and_items_are_listed(texts: dict[str, str]) -> None:
    for text in texts.values():
        for words in ("exclude_authors none", "masking posnoise", "python 3.11", "4,100"):
            assert all(squeezed(word) in squeezed(text) for word in words.split())


def test_graver_findings_are_named_before_the_number() -> None:
    doubted = replace(
        comparison(), audit=(Finding("repeated-feature", "red", "Q1 repeats it.", "Read it."), *comparison().audit)
    )
    text = Page(html_of(report(verification(doubted)))).text
    assert text.index("serious: repeated feature") < text.index("times more likely if Lee wrote")
    calm = replace(comparison(), audit=(Finding("one-known-text", "note", "K is one text.", "Add one."),))
    assert "Before the number" not in Page(html_of(report(verification(calm)))).text
