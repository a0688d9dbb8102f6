"""The steps come in the order in which they matter, and the page says what the plan holds."""

import json
from dataclasses import replace
from importlib.resources import files

import pytest

from idiograph import PlanRequest, plan_case
from idiograph.casework.findings import finding
from idiograph.casework.plan import CasePlan, plan_lines, steps_of
from idiograph.casework.published import expected
from idiograph.casework.verification import AuthorReason

LINES = finding("repeated-lines", "amber", lines="“Best regards, Lee” in 3 of 3")
WORKS = finding("works-unknown", "amber", none_of=8)
SHORT = expected("hapax", "chat")[0]
LONG = expected("hapax", "chat")[-1]


@pytest.mark.parametrize(
    ("able", "findings", "near", "prepared", "kinds"),
    [
        (3, (LINES, WORKS), SHORT, False, ["authors", "recipe", "works", "text"]),
        (7, (LINES, WORKS), SHORT, False, ["recipe", "authors", "works", "text"]),
        (7, (LINES,), SHORT, True, ["authors", "text"]),  # a recipe is used already
        (15, (WORKS,), SHORT, False, ["works", "text", "authors"]),
        (15, (), LONG, False, ["authors"]),  # no longer lengths were published
        (20, (), LONG, False, []),
        (None, (), SHORT, False, ["text"]),
        (None, (), None, False, []),
    ],
)
def test_the_step_that_helps_most_comes_first(
    able: int | None, findings: tuple, near: object, prepared: bool, kinds: list[str]
) -> None:
    assert [step.kind for step in steps_of(able, 10, findings, near, prepared=prepared, fewest=5)] == kinds  # type: ignore[arg-type]


def page(plan: CasePlan) -> str:
    return "\n".join(plan_lines(plan))


def test_the_page_of_numbers_alone() -> None:
    numbers = {"questioned": "300", "known": "1000", "reference": "12", "register": "chat"}
    text = page(plan_case(PlanRequest(**numbers, bounds="elub")))
    assert "  Q: 300 tokens\n  K: 1,000 tokens\n  Reference: 12 authors\n" in text
    assert "  12 of 12 authors at these lengths\n" in text
    assert "  12 authors can support an LR of 12 at best.\n" in text
    assert "  An LR of 10 takes 10, 100 takes 100, 1,000 takes 1,000 authors at least" in text
    near = expected("controlled", "chat")[1]
    assert f"→ Q    300  K   1,000: Cllr {near.cllr:.2f} ({near.cllr_low:.2f} to {near.cllr_high:.2f}), " in text
    assert text.count("→") == 1
    assert "far from" not in text
    assert "  They are counted together with 132 authors of the published validation; " not in text
    published = page(plan_case(PlanRequest(**numbers)))
    assert "  They are counted together with 132 authors of the published validation; " in published
    assert len(text.splitlines()) < 40  # a page


def test_what_values_were_worth_stands_beside_what_to_expect() -> None:
    text = page(plan_case(PlanRequest(questioned="300", known="1000", reference="12")))
    shipped = json.loads((files("idiograph.evidence") / "strength.json").read_text(encoding="utf-8"))["methods"]
    bands = [band for band in shipped["controlled"] if band["n_true"] or band["n_wrong"]]
    (told,) = (part for part in text.split("\n\n") if "What its reported values were worth" in part)
    lines = told.partition("over all registers:\n")[2].splitlines()
    assert len(lines) == len(bands)
    assert lines[0].startswith("    from 3 to 10: about ")
    assert "95 % interval" in lines[0]
    german = page(plan_case(PlanRequest(questioned="300", known="1000", reference="12", language="de")))
    assert "were worth" not in german  # measured on English alone


def test_the_page_names_whoever_is_left_out_and_what_is_given_up() -> None:
    plan = plan_case(PlanRequest(questioned="300", known="1000", reference="12"))
    plan = replace(plan, left_out=(AuthorReason("Lee", "only one text"),), given_up=("Half of it.",), findings=(WORKS,))
    text = page(plan)
    assert "  left out: Lee: only one text\n" in text
    assert "  Half of it.\n" in text
    assert (
        "  [amber] None of the reference's 8 texts names a work or a date, so the validation may compare parts of one "
        "work and look better than it is. Name the work or the date" in text
    )


def test_the_page_where_little_is_known() -> None:
    text = page(plan_case(PlanRequest(known="90000")))
    assert "  Q: not known yet\n" in text
    assert "  Reference: not known yet\n" in text
    assert "  That depends on the reference, which is not there yet.\n" in text
    assert "  K has 90,000 tokens, far from the nearest that was published (3,000).\n" in text
    text = page(replace(plan_case(PlanRequest(known="3000")), expected=(), nearest=None, steps=()))
    assert "The published validation has no figures for it.\n" in text
    assert "  Nothing that could be told from this: make the case.\n" in text
