"""What stands behind the number: the strongest n-grams, and no words of the scale."""

import re
from dataclasses import replace

from idiograph.output.report.html import html as html_of
from idiograph.output.report.report import report
from made_up_case import comparison, verification
from seen_report import Page


def test_words_of_the_scale_stand_with_their_number_and_never_in_the_sensitivity_annex(page: Page) -> None:
    body, annex = page.text.split("Annex A. Sensitivity")[-2:]
    assert "moderate support for Hp (scale: ENFSI 2015)" in " ".join(body.split())
    sensitivity = annex.split("Annex B.")[0]
    assert "support" not in sensitivity
    assert re.search(r"Square Root Correction\s+\S+\s+64\s+\+1\.81", sensitivity)
    assert "extremely strong support" in annex.split("Annex C.")[1]


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
