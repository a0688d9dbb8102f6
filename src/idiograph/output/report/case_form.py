"""What the case file says of the case, the expert and the review, and blanks for what it does not say."""

from collections.abc import Iterator

from idiograph.casework.case import Case
from idiograph.output.document import Block, Form


def particulars(case: Case) -> Iterator[Block]:
    """Which case and which report it is, who reports and who reviewed it."""
    told, expert, review = case.particulars, case.expert, case.review
    yield Form(
        (
            ("Case number", told.number),
            ("Court", told.court),
            *_given(("Parties", told.parties)),
            ("Commissioned by", told.commissioned_by),
            *_given(("Instructions", told.instructions)),
            ("Exhibits", "; ".join(told.exhibits)),
            ("Texts received", told.received),
            *_given(("Examined", told.examined)),
            ("Report number", told.report_number),
            ("Date of report", told.issued),
            *_given(("Amends", told.amends)),
            ("Expert", _joined(expert.name, expert.qualifications)),
            ("Laboratory", _joined(expert.laboratory, expert.address, expert.contact)),
            ("Reviewed by", _joined(review.reviewer, review.date)),
            *_given(("Remarks of the review", review.remarks)),
        )
    )


def declaration(case: Case) -> Iterator[Block]:
    """What the expert completes by hand."""
    fields = (("Name", case.expert.name), ("Place and date", ""), ("Declaration", ""), ("Signature", ""))
    yield Form(fields, high=True)


def _given(*fields: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """The fields that have a value: nobody need fill in the others."""
    return tuple(field for field in fields if field[1])


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)
