"""What a report says about validation, or about its absence."""

from dataclasses import replace

from idiograph.output.document import Box, Paragraph, Picture, Table
from idiograph.output.report.validation import validation
from made_up_case import comparison


def words(*blocks: object) -> str:
    return " ".join(run.text for block in blocks if isinstance(block, Paragraph) for run in block.runs)


def test_a_run_without_validation_says_so() -> None:
    said = words(*validation(replace(comparison(), validation=None), ""))
    assert said == "Validation was left out of this run. Nothing is known about how the method does here."


def test_problems_measures_misleading_evidence_and_bounds_are_all_said() -> None:
    blocks = list(validation(comparison(), "comparison1_"))
    said = words(*blocks)
    assert (
        "Problems with known answers were made from 40 reference authors: 40 same-author, 120 different-author" in said
    )
    assert "Bounds: the validation material (40 authors) cannot support more than about 15 for Hp" in said
    tables = [block for block in blocks if isinstance(block, Table)]
    assert [row[0] for row in tables[0].rows][:3] == ["Cllr", "Cllr_min", "Cllr_cal"]
    assert len(tables[1].rows) == 6
    assert [block.name for block in blocks if isinstance(block, Picture)] == ["comparison1_tippett", "comparison1_pav"]
    assert any(isinstance(block, Box) and block.title == "What a full validation would need" for block in blocks)


def test_without_trials_of_the_primary_method_there_is_no_table() -> None:
    one = comparison()
    assert one.validation is not None
    blocks = validation(replace(one, validation=replace(one.validation, trials=None)), "")
    assert not any(isinstance(block, Table) for block in blocks)
