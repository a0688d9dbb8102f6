"""The report: one document, the same words, tables and numbers in HTML, DOCX and PDF, and nothing in it that acts."""

from dataclasses import replace
from pathlib import Path

from idiograph.casework.result import as_result
from idiograph.casework.verification import Verification
from idiograph.output.report.html import html as html_of
from idiograph.output.report.report import report, write_reports
from made_up_case import comparison, refused, verification
from seen_report import Page, squeezed


def test_all_files_are_written(folder: Path) -> None:
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    figures = ("tippett", "pav", "trace_anchored", "source_anchored", "known_texts", "growth", "sensitivity")
    assert names == {
        "report.html", "report.docx", "report.pdf", "tokens.csv", "sentences.csv",
        *(f"figures/{figure}.{form}" for figure in figures for form in ("svg", "png", "csv")),
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


def test_numbers_only_has_no_scale() -> None:
    one = comparison()
    case = verification(replace(one, wording=replace(one.wording, verbal=None)))
    page = Page(html_of(report(replace(case, case=replace(case.case, scale="numbers")))))
    assert "In words" not in page.text
    assert "verbal scale" not in "".join(page.headings)


def test_made_again_every_file_is_the_same(case: Verification, folder: Path, tmp_path: Path) -> None:
    for path in write_reports(case, tmp_path):
        assert path.read_bytes() == (folder / path.relative_to(tmp_path)).read_bytes(), path.name


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


def test_settings_versions_and_items_are_listed(texts: dict[str, str]) -> None:
    for text in texts.values():
        for row in (("exclude_authors", "none"), ("masking", "posnoise"), ("python", "3.11")):
            # Name and value stand side by side, in one row.
            assert squeezed("".join(row)) in squeezed(text)
        assert "4,100" in text
