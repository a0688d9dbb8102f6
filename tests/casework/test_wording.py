"""The report's sentences: PRACTICE's words, alike in both directions, two digits at most."""

import math
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from idiograph.casework.case import Case
from idiograph.casework.sentences import (
    better_method,
    between_candidates,
    bound_sentence,
    box,
    conclusion,
    lean,
    limits,
    proposition,
    ratio,
    refusal,
    same_picture,
    wording,
)
from idiograph.casework.verification import MethodChoice, Validation, ValueRange
from idiograph.evidence.bounds import Bounds
from idiograph.evidence.intervals import Estimate
from idiograph.evidence.llr import LLR
from idiograph.evidence.performance import Performance

CASE = Case(
    questioned={"Q1": Path("q")},
    known={"Lee": Path("k")},
    reference=Path("r"),
    population="writers of letters",
    primary="hapax",
    caveats=("A caveat.",),
)


def llr(lr: float) -> LLR:
    return LLR.of(math.log2(lr), "bits", how="hapax")


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1, "1"),
        (1.04, "1"),
        (2.34, "2.3"),
        (9.96, "10"),
        (55.4, "55"),
        (99.6, "100"),
        (4_321, "4,300"),
        (123_456_789, "120,000,000"),
        (9.97e8, "1 × 10^9"),
        (2.13e12, "2.1 × 10^12"),
    ],
)
def test_two_digits_at_most(number: float, words: str) -> None:
    assert ratio(math.log(number)) == words


def test_one_figure_where_no_more_is_supported() -> None:
    assert [ratio(math.log(lr), 1) for lr in (1.4, 4.8, 9.6, 55.4, 4_321, 2.6e12)] == [
        "1", "5", "10", "60", "4,000", "3 × 10^12"
    ]  # fmt: skip
    assert ratio(-math.log(13.4), 1) == "1/10"
    assert "about 60 times" in conclusion(llr(55.2), label="Q1", candidate="Lee", figures=1)
    assert "is 60 times more likely" in box(llr(55.2), candidate="Lee", figures=1)
    bounds = Bounds(-math.log(12), math.log(15), 14)
    said = bound_sentence(llr(4_321), llr(14.8), bounds, figures=1)
    assert said is not None
    assert said.startswith("The calculation gives 4,000.")
    assert said.endswith("10 is reported.")


def test_beyond_a_double_the_power_of_ten_speaks() -> None:
    assert ratio(412.33 * math.log(10)) == "2.1 × 10^412"


def test_above_one() -> None:
    assert conclusion(llr(55.2), label="Q1", candidate="Lee") == (
        "The findings are about 55 times more likely if Lee wrote Q1 than if another person from the stated population "
        "wrote it."
    )


def test_below_one_is_the_same_sentence_turned_round() -> None:
    assert conclusion(llr(1 / 55.2), label="Q1", candidate="Lee") == (
        "The findings are about 55 times more likely if another person from the stated population wrote Q1 than if Lee "
        "wrote it."
    )


@pytest.mark.parametrize("lr", [0.5, 0.7, 1.0, 1.9, 2.0])
def test_near_one_the_findings_do_not_help(lr: float) -> None:
    said = conclusion(llr(lr), label="Q1", candidate="Lee")
    assert said == "The findings do not help to choose between the propositions."


@pytest.mark.parametrize("lr", [0.49, 2.05])
def test_beyond_two_they_do(lr: float) -> None:
    assert "times more likely" in conclusion(llr(lr), label="Q1", candidate="Lee")


def test_the_bound_is_said_in_both_directions() -> None:
    bounds = Bounds(-math.log(12), math.log(15), 14)
    assert bound_sentence(llr(4_300), llr(15), bounds) == (
        "The calculation gives 4,300. The validation material (14 authors) cannot support more than about 15. 15 is "
        "reported."
    )
    assert bound_sentence(llr(1 / 4_300), llr(1 / 12), bounds) == (
        "The calculation gives 1/4,300. The validation material (14 authors) cannot support less than about 1/12. 1/12 "
        "is reported."
    )
    assert bound_sentence(llr(10), llr(10), bounds) is None


def test_the_box_warns_in_both_directions_and_without_a_number() -> None:
    assert box(llr(55), candidate="Lee") == (
        "This is not the probability that Lee wrote the text. It would be wrong to say “it is 55 times more likely "
        "that Lee wrote it” or “the chance that someone else wrote it is 1 in 55”. That depends on the other evidence, "
        "which is for the court."
    )
    assert "“the chance that Lee wrote it is 1 in 55”" in box(llr(1 / 55), candidate="Lee")
    for none in (None, llr(1.5)):
        assert not re.search(r"\d", box(none, candidate="Lee"))


def test_refusal() -> None:
    assert refusal("of this") == "No likelihood ratio is reported because of this."


def test_propositions_are_filled_in() -> None:
    said = proposition(CASE.hd, case=CASE, label="Q2", candidate="Lee")
    assert said == "The questioned text Q2 was written by some other person from this population: writers of letters."
    assert proposition(CASE.hp, case=CASE, label="Q2", candidate="Lee") == "The questioned text Q2 was written by Lee."


def test_limits_name_what_was_not_considered() -> None:
    said = " ".join(limits(CASE, removed="Masking.", validated="Validated."))
    for words in (
        "A caveat.",
        "ghost-written",
        "language model",
        "disguise or imitation",
        "who wrote the known texts",
        "Masking.",
        "Validated.",
        "computed again",
        "no formal proof",
        "English only",
    ):
        assert words in said


def validated(**changed: object) -> Validation:
    usual = {"performance": {}, "bounds": None, "choice": None, "lean": None}
    return cast("Validation", SimpleNamespace(**{**usual, **changed}))


def test_a_refusal_has_neither_number_nor_words_of_the_scale() -> None:
    said = wording(
        CASE,
        label="Q1",
        candidate="Lee",
        computed=llr(55),
        reported=None,
        because="Cllr is 1.2",
        validation=validated(bounds=Bounds(-1, 1, 14)),
        limits=(),
    )
    assert said.conclusion == "No likelihood ratio is reported because Cllr is 1.2."
    assert said.verbal is None
    assert said.bound is None
    assert "55" not in said.box


def test_the_same_number_in_the_same_form_from_nats() -> None:
    assert (ratio(-math.log(1.35), 1), ratio(-math.log(1.35)), ratio(-0.01)) == ("1", "1/1.4", "1")
    assert ratio(-math.log(4.6e13)) == "1/(4.6 × 10^13)"
    assert (ratio(math.log(13)), ratio(-math.log(13)), ratio(0.0)) == ("13", "1/13", "1")


def test_what_else_would_look_the_same_depends_on_the_direction() -> None:
    for_hp = same_picture(llr(15), label="Q1", candidate="Lee")
    assert for_hp is not None
    assert "imitates Lee's way of writing" in for_hp
    assert "template" in for_hp
    for_hd = same_picture(llr(1 / 15), label="Q1", candidate="Lee")
    assert for_hd is not None
    assert "by Lee in which the way of writing is disguised would give the same picture" in for_hd
    for neither in (None, llr(1.5), llr(0.6)):
        assert same_picture(neither, label="Q1", candidate="Lee") is None


def test_a_lean_is_said_with_its_direction_and_size() -> None:
    to_hp = lean(Estimate(-math.log(3.2), -math.log(8), -math.log(1.4)))
    assert to_hp == (
        "In the validation the values of this method lean towards Hp: where it gives 1, the known answers are best met "
        "by about 1/3.2 (95 % interval 1/8 to 1/1.4)."
    )
    to_hd = lean(Estimate(math.log(2), math.log(1.5), math.log(4)))
    assert to_hd is not None
    assert "lean towards Hd: where it gives 1, the known answers are best met by about 2 (" in to_hd
    for none in (Estimate(-0.5, -1.0, 0.1), Estimate(-0.5), Estimate(None), Estimate(-0.5, -1.0, 0.0)):
        assert lean(none) is None


def performed(**cllrs: float) -> dict[str, Performance]:
    return {key: cast("Performance", SimpleNamespace(cllr=Estimate(value))) for key, value in cllrs.items()}


def test_the_method_that_did_better_is_named_before_the_number() -> None:
    assert better_method("hapax", performed(hapax=0.35, square_root=0.4, logistic=0.21)) == (
        "In the validation another method, logistic regression calibration, had a lower Cllr (0.21) than the Hapax "
        "Correction, which was fixed beforehand and is reported (0.35)."
    )
    refused = better_method("hapax", performed(hapax=1.35, logistic=0.21), reported=False)
    assert str(refused).endswith("than the Hapax Correction, which was fixed beforehand (1.35).")
    refused = better_method("hapax", performed(hapax=1.35, logistic=1.4), reported=False)
    assert refused == "No other method had a lower Cllr in the validation than the primary one (1.35)."
    best = better_method("logistic", performed(hapax=0.35, logistic=0.21))
    assert best == "No other method had a lower Cllr in the validation than the one that is reported (0.21)."
    # What two digits do not show is no difference, and the value after bounds is not a method.
    assert "No other method" in str(better_method("hapax", performed(hapax=0.351, logistic=0.349)))
    assert "No other method" in str(better_method("hapax", performed(hapax=0.35, square_root=0.5, reported=0.1)))
    for nothing in ({}, performed(hapax=0.3), performed(logistic=0.3, square_root=0.2)):
        assert better_method("hapax", nothing) is None


def test_two_candidates_in_both_orders() -> None:
    lee, kim = math.log(20), math.log(0.5)
    said = "The findings are about 40 times more likely if Lee wrote Q1 than if Kim wrote it (LRs as calculated: "
    assert between_candidates(lee, kim, label="Q1", candidate="Lee", other="Kim") == f"{said}20 and 1/2)."
    assert between_candidates(kim, lee, label="Q1", candidate="Kim", other="Lee") == f"{said}1/2 and 20)."
    near = between_candidates(lee, lee - 0.5, label="Q1", candidate="Lee", other="Kim")
    assert near.startswith("The findings do not help to choose between Lee and Kim as the writer of Q1")


def test_five_standing_sentences_come_first_among_the_limits() -> None:
    said = limits(CASE, removed="Masking.", validated="Validated.")
    assert said[2] == "Validated."
    assert said.index("A caveat.") == 5
    assert all(one.count(". ") == 0 for one in said[:5])


def test_no_sentence_speaks_of_the_probability_of_authorship() -> None:
    for lr in (55.0, 1.0, 1 / 55):
        said = conclusion(llr(lr), label="Q1", candidate="Lee")
        assert "probab" not in said
        assert "likely that" not in said


@pytest.mark.parametrize(
    ("lr", "figures", "said"),
    [
        (41.0, 2, "41"), (41.0, 1, "40"), (1 / 41, 1, "1/40"), (1 / 13, 2, "1/13"), (9.7, 1, "10"), (1.0, 1, "1"),
        (4_321.0, 1, "4,000"), (4_321.0, 2, "4,300"), (96.0, 1, "100"), (1.04, 1, "1"),
    ],
)  # fmt: skip
def test_an_lr_in_as_many_figures(lr: float, figures: int, said: str) -> None:
    assert ratio(math.log(lr), figures) == said


def test_a_value_has_the_figures_that_its_range_supports() -> None:
    behind = validated(bounds=Bounds(-9.0, math.log(15), 15))
    given = {"label": "Q1", "candidate": "Lee", "because": None, "validation": behind, "limits": ()}
    wide = ValueRange(math.log(5), math.log(30), 200, 5, 2, 1, "It ranges from 5 to 30.")
    narrow = replace(wide, figures=2)
    for moves, said in ((None, "13"), (narrow, "13"), (wide, "10")):
        words = wording(CASE, computed=llr(13), reported=llr(13), moves=moves, **given)  # type: ignore[arg-type]
        assert words.value == said
        assert f"about {said} times more likely" in words.conclusion
        assert f"1 in {said}”" in words.box
        assert words.range == (moves.sentence if moves else None)
    # 20 would overstep the bound.
    words = wording(CASE, computed=llr(43), reported=llr(15), moves=wide, **given)  # type: ignore[arg-type]
    assert words.value == "15"
    words = wording(CASE, computed=llr(43), reported=None, moves=wide, **{**given, "because": "x"})  # type: ignore[arg-type]
    assert (words.value, words.range) == (None, None)


def test_a_choice_of_the_validation_is_said_before_the_number() -> None:
    made = MethodChoice("hapax", {"hapax": 0.5, "sentence": 0.6}, Estimate(0.55), 3, 3, "It was chosen.")
    performance = {
        key: cast(Performance, SimpleNamespace(cllr=Estimate(cllr)))
        for key, cllr in (("hapax", 0.5), ("sentence", 0.6), ("logistic", 0.4))
    }
    words = wording(
        CASE, label="Q1", candidate="Lee", computed=llr(3), reported=llr(3), because=None, limits=(),
        validation=validated(performance=performance, choice=made),
    )  # fmt: skip
    assert words.before[0] == "It was chosen."
    assert "which is the best of those named in the case file and is reported (0.50)" in words.before[1]
