"""The particulars: what the case file says, blanks where it says nothing, and nothing that need not be filled in."""

from dataclasses import replace

from idiograph.casework.case import Case, Expert, Particulars, Review
from idiograph.output.document import Form
from idiograph.output.report import declaration, particulars
from made_up_case import verification


def fields(case: Case) -> dict[str, str]:
    return {label: known for block in particulars(case) if isinstance(block, Form) for label, known in block.fields}


def test_blanks_only_where_nothing_is_given() -> None:
    empty = fields(verification().case)
    assert set(empty.values()) == {""}
    assert {"Case number", "Court", "Exhibits", "Expert", "Laboratory", "Report number", "Reviewed by"} <= set(empty)
    assert not {"Amends", "Instructions", "Parties", "Remarks of the review"} & set(empty)


def test_every_value_of_the_case_file_is_printed() -> None:
    told = Particulars(
        number="T2026/17", court="Crown Court", parties="R v Lee", commissioned_by="the defence",
        instructions="Compare.", exhibits=("AB/1", "AB/2"), received="1 May", examined="2 May", issued="3 May",
        report_number="R-5", amends="R-4",
    )  # fmt: skip
    expert = Expert(name="Dr Poe", qualifications="PhD", laboratory="Lab", address="High Street", contact="a@b")
    review = Review(reviewer="Dr Ito", date="2 May", remarks="None.")
    case = replace(verification().case, particulars=told, expert=expert, review=review)
    assert fields(case) == {
        "Case number": "T2026/17",
        "Court": "Crown Court",
        "Parties": "R v Lee",
        "Commissioned by": "the defence",
        "Instructions": "Compare.",
        "Exhibits": "AB/1; AB/2",
        "Texts received": "1 May",
        "Examined": "2 May",
        "Report number": "R-5",
        "Date of report": "3 May",
        "Amends": "R-4",
        "Expert": "Dr Poe, PhD",
        "Laboratory": "Lab, High Street, a@b",
        "Reviewed by": "Dr Ito, 2 May",
        "Remarks of the review": "None.",
    }
    signed = next(block for block in declaration(case) if isinstance(block, Form))
    assert dict(signed.fields)["Name"] == "Dr Poe"
    assert signed.high
