"""What is asked of a plan is checked like every other settings type."""

from pathlib import Path

import pytest

from idiograph.casework.case import Case, PlanRequest
from idiograph.casework.published import published
from idiograph.errors import InputError


def test_the_method_is_that_of_a_case_unless_another_is_asked_for() -> None:
    case = Case(questioned={"Q": Path("q")}, known={"K": Path("k")}, reference=Path("r"), population="a")
    assert PlanRequest(known="300").primary == case.primary
    assert PlanRequest(known="300", primary="hapax").primary == "hapax"


def test_a_register_is_one_of_those_published() -> None:
    assert PlanRequest(register="e-mail").register in published().registers
    with pytest.raises(InputError, match=r"register must be one of chat, e-mail, .*, not \"email\""):
        PlanRequest(register="email")
