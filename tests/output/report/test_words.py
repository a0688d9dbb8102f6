"""Numbers as people read them."""

from dataclasses import replace

import numpy as np

from idiograph.casework.verification import ValueRange
from idiograph.evidence.performance import Misleading
from idiograph.output.annexes import annexes
from idiograph.output.document import Table
from idiograph.output.report import report
from idiograph.output.report_text import (
    as_high,
    as_strong,
    cut,
    method_in_lay_words,
    plain_value,
    primaries_of,
)
from made_up_case import comparison, verification


def test_digits_of_the_score_follow_its_error() -> None:
    changed = comparison()
    assert changed.sensitivity is not None
    for error, shown in ((17.0, "-156"), (3.2, "-156.5"), (0.19, "-156.47")):
        score = replace(changed.score, evidence=(np.array([-156.4721]),), counted=(np.array([True]),))
        case = replace(changed, score=score, sensitivity=replace(changed.sensitivity, standard_error=error))
        table = next(block for block in annexes(verification(case)).blocks if isinstance(block, Table))
        values = {name.split(" (")[0]: value for name, value in table.rows}
        assert values["raw score λG"] == shown.replace("-", "−")
        assert values["log10 LR over other seeds"] == "+2.57 to +2.65"
    moves = ValueRange(np.log(20), np.log(80), 200, 5, 3, 1, "")
    table = next(
        block for block in annexes(verification(replace(changed, range=moves))).blocks if isinstance(block, Table)
    )
    assert ("range of the LR as calculated (nine of ten)", "20 to 80") in table.rows


def test_counts_are_of_authors_and_none_is_not_zero() -> None:
    assert as_high(2, 14) == "2 of 14 authors"
    assert as_high(0, 14) == "none of 14 authors (95 % upper limit: about 3 in 14)"


def test_how_often_evidence_this_strong_misleads_names_its_direction() -> None:
    misleading = Misleading(True, 13.0, 0, 40, 20, 0.0, 0.15, "none of 20 authors; 95 % upper limit: about 3 in 20", 0)
    limit = "(95 % upper limit, counted in authors: 15 %)."
    assert as_strong(misleading) == f"Of 40 comparisons of the same author, none gave an LR of 1/13 or less {limit}"
    other = as_strong(replace(misleading, same_author=False))
    assert other == f"Of 40 comparisons of different authors, none gave an LR of 13 or more {limit}"


def test_every_method_that_a_value_rests_on_is_explained() -> None:
    changed, other = comparison(), replace(comparison(candidate="Kim"), primary="square_root")
    case = verification(changed, other)
    assert primaries_of(case) == ("hapax", "square_root")
    told = " ".join(method_in_lay_words(case))
    assert "share of hapaxes in Q" in told
    assert "In other comparisons it is divided by the square root" in told
    assert "In other comparisons" not in " ".join(method_in_lay_words(verification()))


def test_the_method_is_explained_without_another_that_is_not() -> None:
    text = " ".join(method_in_lay_words(verification(replace(comparison(), primary="controlled"))))
    assert "two scores of Q and K" in text
    assert "the closeness of Q and K in topic gives to each score is subtracted" in text
    assert "reference-normalised" not in text


def test_a_case_without_constants_is_not_said_to_be_held_by_them() -> None:
    filed = verification(replace(comparison(), primary="normalised"))
    assert "pulled towards constants learnt on other corpora, turns them" in " ".join(method_in_lay_words(filed))
    without = replace(filed, case=replace(filed.case, constants="none"))
    text = " ".join(method_in_lay_words(without))
    assert "own comparisons, and pulled towards an LR of 1, turns them into ln LR" in text
    assert "learnt on other corpora" not in text


def test_a_report_is_named_by_its_case_and_its_number() -> None:
    case = verification(title="")
    untitled, titled = report(case), report(verification())
    assert (untitled.title, untitled.subtitle) == ("Comparison of authorship", "Q1 and Lee")
    assert (titled.title, titled.subtitle) == ("R v Example", "Comparison of authorship: Q1 and Lee")
    assert annexes(case).header == "Annexes: Comparison of authorship"
    assert "Report" not in untitled.footer
    numbered = replace(case.case, particulars=replace(case.case.particulars, report_number="R-5"))
    assert report(replace(case, case=numbered)).footer.startswith("Report R-5 · Idiograph ")


def test_a_setting_is_said_as_a_person_would() -> None:
    assert plain_value({}) == plain_value(()) == plain_value(None) == "none"
    assert plain_value(False) == "no"
    assert plain_value(("Lee", "Kim")) == "Lee, Kim"
    assert plain_value(("One sentence.", "Another.")) == "One sentence. Another."
    assert plain_value({"encoding": "cp1252", "unwrap": True}) == "encoding: cp1252; unwrap: yes"


def test_what_is_cut_ends_with_a_whole_sentence_where_there_is_one() -> None:
    sentence = "Masking removed what the texts are about. "
    assert cut(sentence * 9).endswith("texts are about. … (whole in the annexes).")
    assert cut("word " * 90).endswith("word … (whole in the annexes).")
    assert cut(sentence) == sentence
