"""The first page: what is said before the number, the number, its limits; all comparisons and their ratios."""

import math
from dataclasses import replace

from idiograph import LLR
from idiograph.casework.sentences import MAY_BE_OF_ANOTHER_KIND, UNCONTROLLED
from idiograph.casework.verification import Comparison, Finding, TopicControl, ValueRange
from idiograph.evidence.intervals import Estimate
from idiograph.output.document import Box, Bullets, Paragraph, Table
from idiograph.output.report import OF_CLLRS, all_comparisons, further_limits, summary, why_cllrs_differ
from made_up_case import comparison, refused, verification


def paragraphs(shown: Comparison) -> dict[str, str]:
    """The paragraphs of a summary by the words they begin with."""
    boxes = [block for block in summary(shown, verification(shown)) if isinstance(block, Box)]
    lines = ["".join(run.text for run in paragraph.runs) for box in boxes for paragraph in box.paragraphs]
    return {line.partition(":")[0]: line for line in lines}


def test_graver_findings_are_named_before_the_number() -> None:
    doubted = replace(
        comparison(), audit=(Finding("repeated-feature", "red", "Q1 repeats it.", "Read it."), *comparison().audit)
    )
    by_start = paragraphs(doubted)
    assert list(by_start)[:4] == ["Hp", "Hd", "Before the number", "Finding"]
    before = by_start["Before the number"]
    assert before.startswith(
        "Before the number: Q1 repeats it. Q has 66 tokens; 200 are needed for good results. In the"
    )
    assert before.endswith("it should be 1/3.2. One known text is 61 % of K.")
    calm = replace(
        comparison(),
        audit=(Finding("one-known-text", "note", "K is one text.", "Add one."),),
        wording=replace(comparison().wording, before=()),
    )
    assert "Before the number" not in paragraphs(calm)


def test_bound_and_range_follow_the_value_before_other_methods_and_imitators() -> None:
    wording = replace(comparison().wording, range="It ranges.", published="By Hapax it is 9.", held="2 is safe.")
    text = valued(replace(comparison(), wording=wording))
    said_of = ("Likelihood ratio (LR) 15", "The calculation gives 430.", "It ranges.", "By Hapax", "2 is safe.")
    places = [text.index(words) for words in said_of]
    assert places == sorted(places)


def test_what_bears_most_on_the_value_is_said_first() -> None:
    cautions = ("shared-reference", "works-unknown", "known-texts-apart", "registers-apart", "concentrated")
    doubted = replace(comparison(), audit=tuple(Finding(code, "amber", f"Of {code}.", "Look.") for code in cautions))
    before = paragraphs(doubted)["Before the number"]
    said_of = [f"Of {code}." for code in cautions]
    places = [before.index(words) for words in (*said_of[2:], "In the validation the values lean", *said_of[:2])]
    assert places == sorted(places)


def test_that_the_reference_may_be_of_another_kind_is_said_once() -> None:
    finding = Finding("reference-of-another-kind", "amber", "Q and K lie further: D² is 9.5.", "Look.")
    of_kind = f"{MAY_BE_OF_ANOTHER_KIND} (D² 9.5), so nothing above 3 is reported."
    doubted = replace(comparison(), audit=(finding,))
    limited = replace(doubted, wording=replace(doubted.wording, before=(of_kind,)))
    assert paragraphs(limited)["Before the number"] == f"Before the number: {of_kind}"
    # Where the value is not measured by the reference, it is not limited, and the finding is all that is said.
    assert "Q and K lie further" in paragraphs(doubted)["Before the number"]


def test_the_value_in_which_topic_counts_is_left_to_the_annexes() -> None:
    topic = ("How close they are was not counted.", f"{UNCONTROLLED} 610.")
    told = replace(comparison(), wording=replace(comparison().wording, topic=topic))
    assert paragraphs(told)["Topic"] == "Topic: How close they are was not counted."


def test_the_number_has_its_words_its_bound_and_what_looks_the_same() -> None:
    text = valued(comparison())
    for words in (
        "Likelihood ratio (LR) 15; log10 LR +1.18. In the words of the scale ENFSI 2015: moderate support for Hp.",
        "The calculation gives 430.", "K is shorter than in every validation problem.",
        "Somebody who imitates Lee would give the same picture.",
    ):  # fmt: skip
        assert words in text
    wordless = replace(comparison(), wording=replace(comparison().wording, verbal=None))
    assert "scale" not in valued(wordless)


def valued(shown: Comparison) -> str:
    """The paragraph with the number."""
    return next(line for line in paragraphs(shown).values() if line.startswith("Likelihood ratio"))


def test_how_well_the_method_does_is_said_or_that_nothing_is_known() -> None:
    text = paragraphs(comparison())["How well the method does here"]
    assert "from 40 reference authors, its Cllr was 0.41 (0 is perfect" in text
    assert "95 % interval 0.29 to 0.55" in text
    assert text.endswith("Of 120 comparisons of different authors, 1 (0.8 %) gave an LR of 15 or more.")
    none = paragraphs(replace(comparison(), validation=None))["How well the method does here"]
    assert "Nothing is known about how the method does here." in none
    whole = comparison()
    assert whole.validation is not None
    unfitted = replace(whole, validation=replace(whole.validation, performance={}))
    assert "could not be validated" in paragraphs(unfitted)["How well the method does here"]


def test_a_value_that_does_not_help_is_not_called_evidence() -> None:
    unhelpful = replace(comparison(), wording=replace(comparison().wording, also=None))
    assert "gave an LR of" not in paragraphs(unhelpful)["How well the method does here"]


def test_after_a_refusal_there_is_no_number() -> None:
    without = refused()
    box = next(iter(summary(without, verification(without))))
    assert isinstance(box, Box)
    told = ["".join(run.text for run in paragraph.runs) for paragraph in box.paragraphs]
    # The first sentence says that there is none, and why.
    assert told[0] == "No likelihood ratio is reported because validation gives a Cllr of 1.2."
    assert box.title == "Refused"
    assert not any(
        "Likelihood ratio (LR)" in words or "misled" in words or words.startswith("Limits") for words in told
    )


def test_five_limits_stand_in_the_summary_and_the_others_further_on() -> None:
    lee = comparison()
    assert paragraphs(lee)["Limits"].count(".") == 5
    case = verification(lee, comparison(candidate="Kim"))
    assert further_limits(case) == ("The letters are copies.", "Masking removed what the texts are about.")


def at(nats: float, candidate: str, label: str = "Q1") -> Comparison:
    return replace(comparison(label, candidate), llrs={"hapax": LLR.of(nats, "nats", how="hapax")})


def ratios(*every: Comparison) -> list[str]:
    blocks = all_comparisons(verification(*every))
    lists = [
        ["".join(run.text for run in item) for item in block.items] for block in blocks if isinstance(block, Bullets)
    ]
    # The propositions of every comparison come first.
    assert all(
        line.startswith(f"{shown.label} and {shown.candidate}: Hp: ")
        for line, shown in zip(lists[0], every, strict=True)
    )
    return [line for lines in lists[1:] for line in lines]


def test_two_candidates_are_compared_with_each_other() -> None:
    lee, kim = at(math.log(20), "Lee"), at(math.log(0.5), "Kim")
    stronger = "The findings are about 40 times more likely if Lee wrote Q1 than if Kim wrote it"
    assert ratios(lee, kim) == [f"{stronger} (LRs as calculated: 20 and 1/2)."]
    assert ratios(kim, lee) == [f"{stronger} (LRs as calculated: 1/2 and 20)."]
    near = ratios(lee, at(math.log(15), "Kim"))
    assert near == [
        "The findings do not help to choose between Lee and Kim as the writer of Q1 (LRs as calculated: 20 and 15)."
    ]


def test_only_what_can_be_compared_is() -> None:
    lee = at(math.log(20), "Lee")
    assert ratios(lee, at(0.0, "Kim", "Q2")) == []
    assert ratios(lee, refused("Kim")) == []
    other_method = replace(at(0.0, "Kim"), primary="square_root", llrs=comparison().llrs)
    assert ratios(lee, other_method) == []
    assert len(ratios(lee, at(0.0, "Kim"), at(1.0, "Ona"))) == 3


def test_every_comparison_is_a_row() -> None:
    blocks = list(all_comparisons(verification(comparison(), refused("Kim"))))
    table = next(block for block in blocks if isinstance(block, Table))
    assert table.rows == (
        ("Q1", "Lee", "15", "none", "+1.18", "moderate support for Hp", "0.41"),
        ("Q1", "Kim", "none", "", "", "refused", "0.41"),
    )
    assert isinstance(blocks[0], Paragraph)
    quick = replace(comparison(), validation=None, wording=replace(comparison().wording, verbal=None))
    table = next(block for block in all_comparisons(verification(quick, quick)) if isinstance(block, Table))
    assert table.rows[0] == ("Q1", "Lee", "15", "none", "+1.18", "none", "none")


def test_a_cllr_over_all_problems_is_told_from_those_as_close_in_topic() -> None:
    validation = comparison().validation
    assert validation is not None
    topic = TopicControl(0.2, (0.1,) * 20, (0.3,) * 20, 2, 15, 0.3, (), {"controlled": Estimate(0.9)})
    judged = {"controlled": validation.performance["hapax"]}
    close, apart = (
        replace(
            comparison(candidate=name), primary="controlled",
            validation=replace(validation, performance=judged, topic=replace(topic, n_matched=n)),
        )
        for name, n in (("Lee", 15), ("Kim", 1))
    )  # fmt: skip
    assert why_cllrs_differ(verification(close, apart)) == f"{OF_CLLRS} That of Q1 and Kim is over all problems."
    assert why_cllrs_differ(verification(apart, apart)) == ""
    assert why_cllrs_differ(verification(close, comparison(candidate="Ona"))) == OF_CLLRS


def ranged(shown: Comparison, low: float, high: float, figures: int) -> Comparison:
    return replace(shown, range=ValueRange(math.log(low), math.log(high), 200, 5, 3, figures, ""))


def test_the_range_stands_with_the_number_and_has_as_many_figures() -> None:
    assert "The calculated LR of about 400 ranges from 90 to 2,000." in valued(comparison())
    narrow, wide = ranged(comparison(), 300, 500, 2), ranged(comparison(), 1 / 3, 6_400, 1)
    table = next(block for block in all_comparisons(verification(narrow, wide)) if isinstance(block, Table))
    assert [row[3] for row in table.rows] == ["300 to 500", "1/3 to 6,400"]
    (sentence,) = ratios(at(math.log(26), "Lee"), ranged(at(0.0, "Kim"), 0.1, 10, 1))
    assert "about 26 times" in sentence


def test_a_range_after_a_refusal_is_not_shown() -> None:
    assert "ranges from" not in str(paragraphs(ranged(refused(), 1, 9, 1)))
