"""One comparison in a report: doubts before the number, and no number after a refusal."""

from dataclasses import replace

from idiograph.casework.verification import Finding
from idiograph.output.document import Picture
from idiograph.output.report.html import html as html_of
from idiograph.output.report.report import report
from made_up_case import comparison, refused, verification
from seen_report import Page, squeezed, three


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


def test_graver_findings_are_named_before_the_number() -> None:
    doubted = replace(
        comparison(), audit=(Finding("repeated-feature", "red", "Q1 repeats it.", "Read it."), *comparison().audit)
    )
    text = Page(html_of(report(verification(doubted)))).text
    assert text.index("serious points: Q repeats a feature of K, Q is short") < text.index(
        "times more likely if Lee wrote"
    )
    calm = replace(comparison(), audit=(Finding("one-known-text", "note", "K is one text.", "Add one."),))
    assert "Before the number" not in Page(html_of(report(verification(calm)))).text
