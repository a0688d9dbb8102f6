"""The report's sentences: PRACTICE's words, alike in both directions, two digits at most."""

import math
import random
import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idiograph import LLR, Case
from idiograph.casework.sentences import (
    better_method,
    between_candidates,
    bound_sentence,
    box,
    conclusion,
    lean,
    limits,
    log10_ratio,
    proposition,
    range_sentence,
    ratio,
    refusal,
    wording,
)
from idiograph.casework.verification import MethodChoice, Validation, ValueRange, Wording
from idiograph.evidence.bounds import Bounds
from idiograph.evidence.intervals import Estimate
from idiograph.evidence.performance import Performance
from made_up_case import validation as made_up_validation

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


def worded(
    lr: float, *, reported: float | None = None, scale: str = "enfsi", moves: ValueRange | None = None
) -> Wording:
    """The sentences of a case with this LR, reported as it is or as said."""
    return wording(
        replace(CASE, scale=scale),
        label="Q1",
        candidate="Lee",
        computed=llr(lr),
        reported=llr(reported or lr),
        because=None,
        validation=validated(),
        limits=(),
        moves=moves,
    )


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


def test_beyond_a_double_the_power_of_ten_speaks() -> None:
    assert ratio(412.33 * math.log(10)) == "2.1 × 10^412"


def test_above_one() -> None:
    assert conclusion(llr(55.2), label="Q1", candidate="Lee", helpful=True) == (
        "The findings are about 55 times more likely if Lee wrote Q1 than if another person from the stated population "
        "wrote it."
    )


def test_below_one_is_the_same_sentence_turned_round() -> None:
    assert conclusion(llr(1 / 55.2), label="Q1", candidate="Lee", helpful=True) == (
        "The findings are about 55 times more likely if another person from the stated population wrote Q1 than if Lee "
        "wrote it."
    )


@pytest.mark.parametrize("lr", [0.49, 0.5, 0.7, 1.0, 1.9, 2.0, 2.04])
def test_near_one_the_findings_do_not_help(lr: float) -> None:
    worded_value = worded(lr)
    assert worded_value.conclusion == "The findings do not help to choose between the propositions."
    assert worded_value.verbal == "no support for either proposition"
    assert worded_value.also is None


@pytest.mark.parametrize("lr", [0.48, 2.06])
def test_beyond_two_they_do(lr: float) -> None:
    worded_value = worded(lr)
    assert "about 2.1 times more likely" in worded_value.conclusion
    assert str(worded_value.verbal).startswith("weak support")


def test_the_bound_is_said_in_both_directions() -> None:
    bounds = Bounds(-math.log(12), math.log(15), 14)
    assert bound_sentence(llr(4_300), llr(15), bounds) == (
        "The calculation gives 4,300. With 14 authors in the validation no more than about 15 to 1 can be supported in "
        "this direction; that is what is reported."
    )
    assert bound_sentence(llr(1 / 4_300), llr(1 / 12), bounds) == (
        "The calculation gives 1/4,300. With 14 authors in the validation no more than about 12 to 1 can be supported "
        "in this direction; that is what is reported."
    )
    assert bound_sentence(llr(10), llr(10), bounds) is None


def test_the_box_warns_in_both_directions_and_without_a_number() -> None:
    assert box(llr(55), candidate="Lee", helpful=True) == (
        "This is not the probability that Lee wrote the text. It would be wrong to say “it is 55 times more likely "
        "that Lee wrote it” or “the chance that someone else wrote it is 1 in 55”. That depends on the other evidence, "
        "which is for the court."
    )
    assert "“the chance that Lee wrote it is 1 in 55”" in box(llr(1 / 55), candidate="Lee", helpful=True)
    for none in (None, llr(1.5)):
        assert not re.search(r"\d", box(none, candidate="Lee", helpful=False))
    assert "This is not the probability" not in box(None, candidate="Lee", helpful=False)


def test_refusal() -> None:
    assert refusal("of this") == "No likelihood ratio is reported because of this."


def test_propositions_are_filled_in() -> None:
    sentence = proposition(CASE.hd, case=CASE, label="Q2", candidate="Lee")
    assert (
        sentence == "The questioned text Q2 was written by some other person from this population: writers of letters."
    )
    assert proposition(CASE.hp, case=CASE, label="Q2", candidate="Lee") == "The questioned text Q2 was written by Lee."


def test_limits_name_what_was_not_considered() -> None:
    text = " ".join(limits(CASE, removed="Masking.", validated="Validated."))
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
        assert words in text


def validated(**changed: object) -> Validation:
    usual = {"performance": {}, "bounds": None, "choice": None, "lean": None}
    return replace(made_up_validation(), **{**usual, **changed})  # type: ignore[arg-type]


def test_a_refusal_has_neither_number_nor_words_of_the_scale() -> None:
    worded_value = wording(
        CASE,
        label="Q1",
        candidate="Lee",
        computed=llr(55),
        reported=None,
        because="Cllr is 1.2",
        validation=validated(bounds=Bounds(-1, 1, 14)),
        limits=(),
    )
    assert worded_value.conclusion == "No likelihood ratio is reported because Cllr is 1.2."
    assert worded_value.verbal is None
    assert worded_value.bound is None
    assert "55" not in worded_value.box


def test_the_same_number_in_the_same_form_from_nats() -> None:
    assert (ratio(-math.log(1.36)), ratio(-0.01)) == ("1/1.4", "1")
    assert ratio(-math.log(4.6e13)) == "1/(4.6 × 10^13)"
    assert (ratio(math.log(13)), ratio(-math.log(13)), ratio(0.0)) == ("13", "1/13", "1")


def test_what_else_would_look_the_same_is_said_in_both_directions() -> None:
    for_hp = worded(15).also
    for word in ("imitated Lee's way of writing", "template", "subject of the known texts"):
        assert word in str(for_hp)
    for_hd = worded(1 / 15).also
    for word in ("another subject", "another kind of text", "another time", "co-author", "disguise"):
        assert word in str(for_hd)
    for neither in (1.5, 0.6):
        assert worded(neither).also is None


def test_a_lean_is_said_with_its_direction_and_size() -> None:
    to_hp = lean(Estimate(-math.log(3.2), -math.log(8), -math.log(1.4)))
    assert to_hp == (
        "In the validation the values of this method tend towards Hp: an LR of 1 should on average have been "
        "about 1/3.2 (95 % interval 1/8 to 1/1.4)."
    )
    to_hd = lean(Estimate(math.log(2), math.log(1.5), math.log(4)))
    assert to_hd is not None
    assert "tend towards Hd: an LR of 1 should on average have been about 2 (" in to_hd
    for none in (Estimate(-0.5, -1.0, 0.1), Estimate(-0.5), Estimate(None), Estimate(-0.5, -1.0, 0.0)):
        assert lean(none) is None


@pytest.mark.parametrize(
    ("low", "high", "interval"),
    [(0.0402, 1.5, "1.04 to 4.5"), (-4.5, -0.0031, "1/90 to 1/1.003"), (1e-12, 1.5, "1.000000000 to 4.5")],
)
def test_an_interval_that_leaves_out_1_is_not_printed_as_holding_it(low: float, high: float, interval: str) -> None:
    assert f"(95 % interval {interval})" in str(lean(Estimate((low + high) / 2, low, high)))


def performed(**cllrs: float) -> dict[str, Estimate]:
    return {key: Estimate(value) for key, value in cllrs.items()}


def test_the_method_that_did_better_is_named_before_the_number() -> None:
    assert better_method("hapax", performed(hapax=0.35, square_root=0.4, logistic=0.21)) == (
        "In the validation another method, logistic regression calibration, had a lower Cllr (0.21) than the Hapax "
        "Correction, which was fixed beforehand and is reported (0.35)."
    )
    best = better_method("logistic", performed(hapax=0.35, logistic=0.21))
    assert best == "No other method had a lower Cllr in the validation than the one that is reported (0.21)."
    # What two digits do not show is no difference, and the value after bounds is not a method.
    assert "No other method" in str(better_method("hapax", performed(hapax=0.351, logistic=0.349)))
    assert "No other method" in str(better_method("hapax", performed(hapax=0.35, square_root=0.5, reported=0.1)))
    for nothing in ({}, performed(hapax=0.3), performed(logistic=0.3, square_root=0.2)):
        assert better_method("hapax", nothing) is None


def test_two_candidates_in_both_orders() -> None:
    lee, kim = math.log(20), math.log(0.5)
    sentence = "The findings are about 40 times more likely if Lee wrote Q1 than if Kim wrote it (LRs as calculated: "
    assert (
        between_candidates(lee, kim, label="Q1", candidate="Lee", other="Kim", scale_key="enfsi")
        == f"{sentence}20 and 1/2)."
    )
    assert (
        between_candidates(kim, lee, label="Q1", candidate="Kim", other="Lee", scale_key="enfsi")
        == f"{sentence}1/2 and 20)."
    )
    near = between_candidates(lee, lee - 0.5, label="Q1", candidate="Lee", other="Kim", scale_key="enfsi")
    assert near.startswith("The findings do not help to choose between Lee and Kim as the writer of Q1")


def test_five_standing_sentences_come_first_among_the_limits() -> None:
    limits_of_case = limits(CASE, removed="Masking.", validated="Validated.")
    assert limits_of_case[2] == "Validated."
    assert limits_of_case.index("A caveat.") == 5
    assert all(sentence.count(". ") == 0 for sentence in limits_of_case[:5])


def test_no_sentence_speaks_of_the_probability_of_authorship() -> None:
    for lr in (55.0, 1.0, 1 / 55):
        worded_value = worded(lr).conclusion
        assert "probab" not in worded_value
        assert "likely that" not in worded_value


def test_the_published_bound_is_said_with_what_the_reference_alone_supports() -> None:
    bounds = Bounds(-math.log(5), math.log(17), 15, 160, (-math.log(2.3), math.log(4.4)))
    assert bound_sentence(llr(75), llr(17), bounds) == (
        "The calculation gives 75. In the published validation (160 authors of other corpora) and in the reference of "
        "this case (15 authors) values of this method are borne out up to about 17. 17 is reported. By the reference "
        "of this case alone it would be 4.4."
    )
    below = str(bound_sentence(llr(1 / 75), llr(1 / 5), bounds))
    assert "are borne out down to about 1/5. 1/5 is reported. By the reference of this case alone it would be" in below
    assert below.endswith("1/2.3.")
    assert bound_sentence(llr(12), llr(12), bounds) is None


def test_the_range_says_where_all_of_it_lies_beyond_the_bound() -> None:
    moves = ValueRange(math.log(20), math.log(90), 200, 5, 2, 1, "It ranges from 20 to 90.")
    assert worded(43, reported=15, moves=moves).range == (
        "It ranges from 20 to 90. All of that lies beyond what can be supported."
    )
    assert worded(43, moves=moves).range == "It ranges from 20 to 90."
    assert worded(43, reported=15, moves=replace(moves, low=math.log(9))).range == "It ranges from 20 to 90."
    below = ValueRange(-math.log(90), -math.log(20), 200, 5, 2, 1, "It ranges from 1/90 to 1/20.")
    assert str(worded(1 / 43, reported=1 / 15, moves=below).range).endswith("beyond what can be supported.")


def of_two_figures(lr: float) -> Decimal:
    """An LR of 1 or more with two significant figures, by decimal arithmetic."""
    exact = Decimal(lr)
    return exact.quantize(Decimal(1).scaleb(exact.adjusted() - 1))


def read_back(printed: str) -> Fraction:
    """The number that a printed LR says."""
    number = Fraction(Decimal(printed.removeprefix("1/").strip("()").replace(",", "").replace(" × 10^", "e")))
    return 1 / number if printed.startswith("1/") else number


SUPPORT = ((2, "no"), (10, "weak"), (100, "moderate"), (1_000, "moderately strong"), (10_000, "strong"))


@settings(max_examples=600)
@given(st.floats(-4.0, 4.0), st.sampled_from(["enfsi", "marquis", "numbers"]))
def test_number_logarithm_and_words_always_agree(log10_lr: float, scale: str) -> None:
    lr = 10.0**log10_lr
    size = of_two_figures(max(lr, 1 / lr))
    worded_value = worded(lr, scale=scale)
    printed = read_back(str(worded_value.value))
    assert max(printed, 1 / printed) == Fraction(size)
    assert float(log10_ratio(math.log(lr)).replace("−", "-")) == pytest.approx(math.log10(printed), abs=0.005001)
    if scale == "enfsi":
        support = next((support for edge, support in SUPPORT if size <= edge), "very strong")
        towards = "Hp" if lr > 1 else "Hd"
        assert worded_value.verbal == (
            "no support for either proposition" if support == "no" else f"{support} support for {towards}"
        )
    helps = size > (1 if scale == "marquis" else 2)
    assert ("do not help" in worded_value.conclusion) is not helps
    if helps:
        assert f"about {str(worded_value.value).removeprefix('1/')} times more likely" in worded_value.conclusion


@settings(max_examples=200)
@given(st.floats(-20.0, 20.0), st.floats(-20.0, 20.0))
def test_a_stronger_value_is_never_printed_as_a_smaller_one(first: float, second: float) -> None:
    weaker, stronger = sorted((first, second))
    assert read_back(ratio(weaker)) <= read_back(ratio(stronger))


def test_over_thousands_of_values_bounds_and_ranges_no_two_printed_numbers_contradict() -> None:
    """The value lies inside the range that is printed beside it, or a sentence says that the range lies beyond."""
    rng = random.Random(1)
    beyond_said = 0
    for _ in range(4_000):
        computed = rng.uniform(-12.0, 12.0)
        low, high = computed - rng.expovariate(1.0), computed + rng.expovariate(1.0)
        lower, upper = -rng.expovariate(0.4), rng.expovariate(0.4)
        reported = min(max(computed, lower), upper)
        sentence = f"The calculation would have given between {ratio(low)} and {ratio(high)} (in nine of ten cases)."
        moves = ValueRange(low, high, 200, 5, 0, 1, sentence)
        bounds = Bounds(lower, upper, 15)
        of_case = LLR(nats=computed, how="hapax", value=computed, unit="nats")
        of_report = bounds.limited(of_case)
        assert of_report.nats == reported
        value, least, most = (read_back(ratio(nats)) for nats in (reported, low, high))
        assert least <= most
        printed = range_sentence(moves, of_case, of_report)
        if printed.endswith("All of that lies beyond what can be supported."):
            beyond_said += 1
            assert low > reported or high < reported
        else:
            assert least <= value <= most
        limited = bound_sentence(of_case, of_report, bounds)
        assert (limited is None) == (computed == reported)
        if limited is not None:
            assert limited.startswith(f"The calculation gives {ratio(computed)}. ")
            assert f" {ratio(abs(reported))} to 1 " in limited
            # What is reported is never the stronger of the two.
            assert max(value, 1 / value) <= max(read_back(ratio(computed)), 1 / read_back(ratio(computed)))
    assert 200 < beyond_said < 3_000


def test_a_choice_of_the_validation_is_said_before_the_number() -> None:
    choice = MethodChoice("hapax", {"hapax": 0.5, "sentence": 0.6}, Estimate(0.55), 3, 3, "It was chosen.")
    performance = {
        key: cast(Performance, SimpleNamespace(cllr=Estimate(cllr)))
        for key, cllr in (("hapax", 0.5), ("sentence", 0.6), ("logistic", 0.4))
    }
    words = wording(
        CASE, label="Q1", candidate="Lee", computed=llr(3), reported=llr(3), because=None, limits=(),
        validation=validated(performance=performance, choice=choice),
    )  # fmt: skip
    assert words.before[0] == "It was chosen."
