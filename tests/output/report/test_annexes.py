"""The annexes: everything behind the number, and words of the scale only where there may be any."""

import math
import re
from dataclasses import replace

from idiograph.casework.verification import Comparison
from idiograph.evidence.constants import NONE, Constants, Weights, constants_for
from idiograph.evidence.llr import LLR
from idiograph.evidence.normalised import Normalisation, Normalised
from idiograph.output.annexes import annexes
from idiograph.output.document import Bullets, Heading, Paragraph, Table
from idiograph.output.report import further_limits
from made_up_case import comparison, refused, verification
from seen_report import Page, squeezed


def test_words_of_the_scale_stand_with_their_number_and_never_in_the_sensitivity_annex(
    page: Page, annex_page: Page
) -> None:
    assert "In the words of the scale ENFSI 2015: moderate support for Hp." in " ".join(page.text.split())
    sensitivity = annex_page.text.split("Annex H. Sensitivity")[-1].split("Annex I.")[0]
    assert "support" not in sensitivity
    assert re.search(r"Square Root Correction\s+\S+\s+64\s+\+1\.81", sensitivity)
    scale = annex_page.text.split("Annex L. The verbal scale")[-1].split("Annex M.")[0]
    assert "extremely strong support" in scale


def headings(case: object) -> list[str]:
    return [block.text for block in annexes(case).blocks if isinstance(block, Heading)]  # type: ignore[arg-type]


def test_every_annex_has_its_letter_in_order() -> None:
    names = headings(verification())
    assert names[0] == "Annex A. From the score to the likelihood ratio"
    assert names[-1] == "Annex O. Earlier runs of this case"
    assert [name[6] for name in names] == list("ABCDEFGHIJKLMNO")


def test_a_scale_is_explained_only_where_its_words_are_used() -> None:
    case = verification()
    numbers = replace(case, case=replace(case.case, scale="numbers"))
    for without in (numbers, verification(replace(comparison(), validation=None), quick=True)):
        assert not any("verbal scale" in name for name in headings(without))
    assert not any("Earlier runs" in name for name in headings(replace(case, earlier=())))


def test_settings_and_versions_are_listed(annex_texts: dict[str, str]) -> None:
    for text in annex_texts.values():
        for row in (("exclude_authors", "none"), ("masking", "posnoise"), ("python", "3.11")):
            # Name and value stand side by side, in one row.
            assert squeezed("".join(row)) in squeezed(text)


def test_what_the_normalised_lr_is_made_of_is_shown() -> None:
    llr = LLR.of(1.0, "nats", how="normalised")
    constants = Constants(("distinct", "cosine"), 20, Weights(-1.0, (0.5, 0.75)), "other corpora", "ab")
    trial = Normalised(llr, LLR.of(math.log(4), "nats", how="normalised"), (12.0, 0.3), (1.5, 0.25), ("Q by cosine",))
    made_of = Normalisation(constants, Weights(-1.25, (0.8, 0.9)), 14, 14, 182)
    tables, text = shown(replace(comparison(), normalised=(trial, made_of)))
    assert [row[1:] for row in tables[1].rows] == [("12.00", "1.50", "0.80"), ("0.30", "0.25", "0.90")]
    assert "ln LR = −1.25 + Σ β·S-norm; LR as calculated 2.7; the weights are fitted on 14 same-author and 182" in text
    assert "By the constants alone the LR would be 4." in text
    assert "lies outside theirs: Q by phrases." in text
    none = replace(made_of, constants=constants_for(14, origin=NONE))
    _, without = shown(replace(comparison(), normalised=(trial, none)))
    assert "of 14 reference authors and pulled towards an LR of 1. No constants learnt on other corpora" in without
    assert "By the constants alone" not in without
    few = replace(made_of, fitted=None, n_authors=4)
    tables, text = shown(replace(comparison(), normalised=(replace(trial, unusual=()), few)))
    assert [row[3] for row in tables[1].rows] == ["0.50", "0.75"]
    assert "constants learnt on other corpora, since 4 reference authors are too few to fit" in text
    assert "outside" not in text
    tables, _ = shown(replace(refused(), normalised=(trial, made_of)))
    assert "S-norm" not in str(tables)


def shown(comparison: Comparison) -> tuple[list[Table], str]:
    """The tables of the annexes, and what their first annex says."""
    blocks = annexes(verification(comparison)).blocks
    first = [number for number, block in enumerate(blocks) if isinstance(block, Heading)][1]
    text = " ".join(run.text for block in blocks[:first] if isinstance(block, Paragraph) for run in block.runs)
    return [block for block in blocks if isinstance(block, Table)], text


def test_every_limit_stands_whole_and_once() -> None:
    changed = comparison()
    long = "word " * 200 + "end."
    told = replace(changed, wording=replace(changed.wording, limits=(*changed.wording.limits, long)))
    case = verification(told, replace(told, candidate="Kim"))
    listed = [block for block in annexes(case).blocks if isinstance(block, Bullets)][-1]
    assert [item[0].text for item in listed.items] == [*changed.wording.limits, long]
    assert further_limits(case)[-1].endswith("word … (whole in the annexes).")


def test_tables_and_figures_are_numbered_within_their_annex(annex_page: Page) -> None:
    assert "Table A1. From the score" in annex_page.text
    assert "Figure C1. Tippett plot" in annex_page.text
    assert "Figure C2. Calibration" in annex_page.text
    assert "Figure F2." in annex_page.text
