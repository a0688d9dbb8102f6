"""The report: few pages for the court, everything else in the annexes, the same in HTML, DOCX and PDF."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from idiograph import InputError, Verification, write_reports
from idiograph.casework.verification import Finding, as_result
from idiograph.output.report import report
from made_up_case import PROSE, comparison, explanation, refused, verification
from seen_report import Page, page_of, pages_of, pdf_pages, squeezed


def test_all_files_are_written(folder: Path) -> None:
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    figures = ("value", "tippett", "pav", "trace_anchored", "source_anchored", "known_texts", "growth", "sensitivity")
    assert names == {
        *(f"{name}.{form}" for name in ("report", "annexes") for form in ("html", "docx", "pdf")),
        "tokens.csv", "sentences.csv", "files.csv", "documents.json",
        *(f"figures/{figure}.{form}" for figure in figures for form in ("svg", "png", "csv")),
    }  # fmt: skip


def test_what_is_not_a_verification_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="A report is written of a Verification, not of a dict"):
        write_reports({}, tmp_path)  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_four_pages_a_comparison_at_most(n: int) -> None:
    told = explanation(PROSE * 8)  # more than the extract has room for
    every = [replace(comparison(candidate=name), explanation=told) for name in ("Lee", "Kim", "Ona")[:n]]
    assert len(pages_of(report(verification(*every)))) <= 4 * n


def test_the_finding_is_on_the_first_page(folder: Path) -> None:
    first = squeezed(next(pdf_pages((folder / "report.pdf").read_bytes())))
    sentence = (
        "Hp: The questioned text", "Hd: The questioned text",
        "Before the number:", "lean towards Hp", "Finding: The findings are about 15 times more likely",
        "Figure 1. Where the value lies", "How not to read this",
        "What it rests on", "How well the method does here", "Limits: Not considered",
    )  # fmt: skip
    places = [first.index(squeezed(words)) for words in sentence]
    assert places == sorted(places)


def test_with_many_cautions_the_picture_is_still_on_the_first_page_of_four() -> None:
    """Every caution is a whole sentence, however long; nothing is cut with dots."""
    changed = comparison()
    long = "reference/a/1.txt shares runs of 20 or more words with reference/b/2.txt and with others, and so " * 2
    cautions = tuple(Finding("shared-reference", "amber", f"Caution {n}: {long}on.", "Look.") for n in range(12))
    pages = [squeezed(page) for page in pages_of(report(verification(replace(changed, audit=cautions))))]
    assert len(pages) <= 4
    for n in range(12):
        assert squeezed(f"Caution {n}: {long.replace('reference/', '')}on.") in pages[0]
    assert squeezed("Figure 1. Where the value lies") in pages[0]
    assert squeezed("Finding: The findings are about 15 times") in pages[0]


def test_the_numbers_of_result_json_are_in_report_or_annexes(
    case: Verification, texts: dict[str, str], annex_texts: dict[str, str]
) -> None:
    result = as_result(case)
    llr, reported = result["llr"][result["primary"]], result["reported"]
    in_report = [
        f"{result['validation']['performance']['hapax']['cllr']['value']:.2f}",
        f"{result['validation']['performance']['hapax']['cllr']['low']:.2f} to",
        f"log10 LR {reported['log10']:+.2f}",
        *(finding["message"] for finding in result["audit"] if finding["severity"] != "note"),
        *result["before"],
        result["conclusion"],
        result["bound"],
        result["also"],
    ]
    in_annexes = [
        f"N(Q) {result['n_tokens']}",
        f"V1(Q) {result['n_hapaxes']}",
        f"sentences of Q {result['n_sentences']}",
        f"{result['lambda_g']:+.2f}",
        f"{llr['value']:+.2f} {llr['unit']}",
        f"LR as calculated {llr['lr']:.0f}",
        f"log10 LR as calculated {llr['log10']:+.2f}",
        f"LR as reported {reported['lr']:.0f}",
        f"log10 LR as reported {reported['log10']:+.2f}",
        *(finding["message"] for finding in result["audit"]),
        *(f"{llr['log10']:+.2f}" for llr in result["llr"].values() if llr["unit"] != "nats"),
        result["signature"],
        result["case_digest"],
    ]
    for shown, seen in ((in_report, texts), (in_annexes, annex_texts)):
        for form, text in seen.items():
            for words in shown:
                assert squeezed(words) in squeezed(text.replace("−", "-")), f"{words} is not in the {form}"


def test_the_report_says_how_many_runs_and_comparisons_there_were(
    texts: dict[str, str], annex_texts: dict[str, str]
) -> None:
    for form, text in texts.items():
        assert squeezed("it had 1 earlier run, listed in the annexes") in squeezed(text)
        assert squeezed("too few authors") in squeezed(annex_texts[form])


def test_no_report_speaks_to_the_makers_of_the_program(texts: dict[str, str], annex_texts: dict[str, str]) -> None:
    for text in (*texts.values(), *annex_texts.values()):
        assert "checked against the source" not in text
        assert "shrinkage=" not in text


def test_made_again_every_file_is_the_same(case: Verification, folder: Path, tmp_path: Path) -> None:
    for path in write_reports(case, tmp_path):
        assert path.read_bytes() == (folder / path.relative_to(tmp_path)).read_bytes(), path.name


def test_several_comparisons_are_results_of_their_own(tmp_path: Path) -> None:
    case = verification(comparison(), comparison(candidate="Kim"), refused("Ona"))
    written = write_reports(case, tmp_path)
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "3 comparisons were made" in page.text
    assert [heading for heading in page.headings if "Q1 and" in heading] == [
        "2. Q1 and Lee", "3. Q1 and Kim", "4. Q1 and Ona"
    ]  # fmt: skip
    assert "2.3 Where in the text the evidence lies" in page.headings
    assert "4.3 Where in the text the evidence lies" not in page.headings
    first = squeezed(next(pdf_pages((tmp_path / "report.pdf").read_bytes())))
    for words in ("Lee 15 none +1.18", "Kim 15 none +1.18", "Ona none refused"):
        assert squeezed(words) in first
    annexes = Page((tmp_path / "annexes.html").read_text(encoding="utf-8"))
    assert {"A.1 Q1 and Lee", "A.2 Q1 and Kim", "A.3 Q1 and Ona", "F.2 Q1 and Kim"} <= set(annexes.headings)
    assert "F.3 Q1 and Ona" not in annexes.headings
    figures = {path.name for path in written if path.suffix == ".csv"}
    assert {"comparison1_tippett.csv", "comparison2_tippett.csv", "comparison3_tippett.csv"} <= figures
    assert "comparison3_sensitivity.csv" not in figures
    with (tmp_path / "files.csv").open(encoding="utf-8", newline="") as table:
        assert len(list(csv.reader(io.StringIO(table.read())))) == 6


def test_a_method_that_the_validation_chose_is_not_said_to_be_fixed() -> None:
    chosen = verification()
    case = replace(chosen.case, primary="best-validated", candidates=("hapax", "sentence"))
    text = page_of(report(replace(chosen, case=case))).text
    assert "The method (Hapax Correction, chosen by the validation among the methods named there), the verbal" in text
    assert "chosen by the validation" not in page_of(report(chosen)).text


def test_the_report_says_how_to_tell_whether_it_is_sealed(page: Page) -> None:
    words = " ".join(page.text.split())
    assert (
        "Whether the folder was sealed afterwards, and is unchanged since, is checked with the file seal.json" in words
    )
