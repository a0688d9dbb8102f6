"""What a report says about validation, or about its absence."""

import json
from dataclasses import replace

from idiograph.casework.verification import AuthorReason, TopicControl, as_result
from idiograph.evidence.intervals import Estimate
from idiograph.output.document import Bullets, Paragraph, Picture, Table
from idiograph.output.report import in_brief, in_full
from made_up_case import comparison, refused, verification


def words(*blocks: object) -> str:
    return " ".join(run.text for block in blocks if isinstance(block, Paragraph) for run in block.runs)


def test_a_run_without_validation_says_so() -> None:
    quick = replace(comparison(), validation=None)
    assert words(*in_brief(quick, "")) == (
        "Validation was left out of this run. Nothing is known about how the method does here."
    )
    assert words(*in_full(quick, "")) == "Validation was left out of this run."


def test_problems_measures_and_bounds_are_said_in_brief() -> None:
    blocks = list(in_brief(comparison(), "comparison1_"))
    said_words = words(*blocks)
    assert "Problems with known answers were made from 40 reference authors the way the case is made" in said_words
    assert "40 same-author and 120 different-author problems" in said_words
    assert "12 authors have only one text" in said_words
    assert "Bounds: the validation material (40 authors) cannot support more than about 15 for Hp" in said_words
    assert "none of 40 authors (95 % upper limit: about 3 in 40) scored as high as the case or higher" in said_words
    table = next(block for block in blocks if isinstance(block, Table))
    assert table.rows[0][:2] == ("Cllr", "0.41 (0.29 to 0.55)")
    assert ("same author: LR below 1/10", "1 of 40 authors") in [row[:2] for row in table.rows]
    assert [block.name for block in blocks if isinstance(block, Picture)] == []
    shown = [block.name for block in in_full(comparison(), "comparison1_") if isinstance(block, Picture)]
    assert shown == ["comparison1_tippett", "comparison1_pav"]


def test_after_a_refusal_nothing_is_said_of_the_case_itself() -> None:
    blocks = list(in_brief(refused(), ""))
    assert "scored as high" not in words(*blocks)
    tippett = next(block for block in blocks if isinstance(block, Picture))
    assert "case" not in tippett.plot.csv
    topic = TopicControl(0.37, (0.2, 0.3), (0.1, 0.2), 1, 2, 0.3, (), {"hapax": Estimate(0.998, 0.7, 1.3)})
    shut, opened = (
        replace(each, validation=replace(each.validation, topic=topic))
        for each in (refused(), comparison())
        if each.validation is not None
    )
    # Nor how close its texts are, in a figure or in a file.
    for shown, pictures, is_valued in ((shut, ["tippett"], False), (opened, ["closeness"], True)):
        blocks = [*in_brief(shown, ""), *in_full(shown, "")]
        assert [block.name for block in blocks if isinstance(block, Picture)][:-1] == [
            *pictures,
            *["tippett"] * is_valued,
        ]
        validation = as_result(verification(shown))["validation"]
        assert ("0.37" in json.dumps(validation)) == is_valued


def test_no_cllr_below_1_is_printed_as_1_in_a_table() -> None:
    changed = comparison()
    assert changed.validation is not None
    judged = replace(changed.validation.performance["hapax"], cllr=Estimate(0.998, 0.8, 1.2))
    topic = TopicControl(0.37, (0.2, 0.3), (0.1, 0.2), 1, 2, 0.3, (), {"hapax": Estimate(0.9991, 0.7, 1.3)})
    validation = replace(changed.validation, performance={"hapax": judged}, topic=topic)
    for blocks in (in_brief, in_full):
        tables = [block for block in blocks(replace(changed, validation=validation), "") if isinstance(block, Table)]
        cells = [cell for table in tables for row in table.rows for cell in row]
        assert "0.998 (0.80 to 1.20)" in cells
        assert ("0.999 (0.70 to 1.30)" in cells) == (blocks is in_full)


def test_every_measure_of_every_method_is_in_the_annex() -> None:
    changed = comparison()
    assert changed.validation is not None
    judged = changed.validation.performance["hapax"]
    performance = {"hapax": judged, "square_root": judged, "reported": judged}
    blocks = list(in_full(replace(changed, validation=replace(changed.validation, performance=performance)), "p_"))
    tables = [block for block in blocks if isinstance(block, Table)]
    assert [row[0] for row in tables[0].rows][:3] == ["Cllr", "Cllr_min", "Cllr_cal"]
    assert [row[0] for row in tables[1].rows] == [
        "Hapax Correction", "Square Root Correction", "as reported, after bounds"
    ]  # fmt: skip
    assert tables[1].header[-1] == "slope β"
    assert len(tables[2].rows) == 6
    assert [block.name for block in blocks if isinstance(block, Picture)] == ["p_tippett", "p_pav"]


def test_authors_are_counted_beside_trials() -> None:
    tables = [block for block in in_full(comparison(), "") if isinstance(block, Table)]
    rows = tables[2].rows
    assert rows[0] == ("same author", "below 1", "2 of 40", "2 of 40 authors")
    assert rows[1] == ("different authors", "above 1", "2 of 120", "2 of 40 authors")
    assert rows[5][2:] == ("0 of 120", "none of 40 authors; 95 % upper limit: about 3 in 40")


def test_how_the_problems_were_made_is_listed() -> None:
    listed = next(block for block in in_full(comparison(), "") if isinstance(block, Bullets))
    assert "Each has one questioned text" in listed.items[0][0].text
    assert "12 authors have only one text" in listed.items[-1][0].text


def test_every_author_left_out_is_named_with_the_reason() -> None:
    changed = comparison()
    assert changed.validation is not None
    short, single = "has only 300 tokens", "has one text"
    out = (AuthorReason("Ann", short), AuthorReason("Bob", single), AuthorReason("Cy", short))
    relaxed = (AuthorReason("Di", "gives 5 texts instead of 3"),)
    full = in_full(replace(changed, validation=replace(changed.validation, left_out=out, relaxed=relaxed)), "")
    tables = [block for block in full if isinstance(block, Table)]
    assert tables[0].rows == ((short, "2", "Ann, Cy"), (single, "1", "Bob"))
    assert tables[1].rows == (("gives 5 texts instead of 3", "1", "Di"),)


def test_without_trials_of_the_primary_method_there_is_no_table() -> None:
    changed = comparison()
    assert changed.validation is not None
    without = replace(changed, validation=replace(changed.validation, trials=None))
    for blocks in (in_brief(without, ""), in_full(without, "")):
        assert not any(isinstance(block, Table) for block in blocks)
