"""What a report says about topic: in the propositions, the conclusion and on page one, and at the edges."""

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from docs.tables import settings_table

import idiograph
from idiograph import LLR, Case, InputError, Verification
from idiograph.casework.sentences import published_sentence, topic_sentences
from idiograph.casework.verification import TopicControl
from idiograph.evidence.intervals import Estimate
from idiograph.evidence.normalised import Normalised
from idiograph.output.document import Picture
from idiograph.output.report import report
from made_texts import case_of, command, compare, write_case
from made_topic_case import topic_case, write_topic_case
from seen_report import Page, filed_result


def llr(nats: float, how: str = "controlled") -> LLR:
    return LLR(nats=nats, how=how, value=nats, unit="nats")


def trial(g: float) -> Normalised:
    return Normalised(llr(1.0), llr(0.5, "constants"), (1.0, 0.2), (2.0, 1.0), (), g)


TOPIC = TopicControl(
    closeness=0.2,
    same=(0.1, 0.15, 0.25, 0.3),
    different=(0.05, 0.1, 0.15, 0.4),
    n_impostors=1,
    n_matched=4,
    away=math.log(1.3),
    rise=(0.21, 0.24),
    cllr={"controlled": Estimate(0.5)},
)


def about_topic(g: float = 1.0, topic: TopicControl | None = TOPIC, language: str = "en") -> tuple[str, ...]:
    return topic_sentences(
        trial(g),
        topic,
        label="Q1",
        language=language,
        uncontrolled=llr(math.log(8), "normalised"),
        slopes=(0.36, 0.35),
        weights=(0.5, 1.0),
    )


def test_where_the_case_lies_and_how_near_the_draws_came() -> None:
    assert about_topic() == (
        "Q1 and the known texts are closer in topic than 75 % of the 4 pairs of different authors in the validation, 1 "
        "of them made to be close, and than 50 % of its 4 same-author pairs, which were drawn to be as close as these "
        "(half of them within a factor of 1.3).",
        "This closeness itself was not counted as evidence: the factor of 1.7 by which it would raise the LR was taken "
        "out.",
        "By the reference-normalised LR, in which it counts, the value would be 8.",
    )


def test_none_and_all_are_said_in_words_and_a_factor_near_1_with_the_digits_that_it_takes() -> None:
    least, most = (about_topic(topic=replace(TOPIC, closeness=c, away=math.log(1.004)))[0] for c in (0.01, 0.5))
    assert "are no closer in topic than any of the 4 pairs of" in least
    assert "made to be close, nor than any of its 4 same-author pairs" in least
    assert "closer in topic than all the 4 pairs of" in most
    assert "and than all its 4 same-author pairs" in most
    assert "within a factor of 1.004)" in least


def test_closer_than_some_of_one_kind_and_none_of_the_other() -> None:
    far = tuple(2.0 for _ in TOPIC.same)
    assert "closer in topic than 75 % of the 4" in about_topic(topic=replace(TOPIC, same=far))[0]
    assert "made to be close, and no closer than any of its 4 same-" in about_topic(topic=replace(TOPIC, same=far))[0]
    different = about_topic(topic=replace(TOPIC, different=far))[0]
    assert "no closer in topic than any of the 4" in different
    assert "made to be close, but closer than 50 % of its 4 same-" in different


def test_below_everything_almost_nothing_can_be_said() -> None:
    assert about_topic(g=-3.0)[-1] == (
        "They are further apart in topic than any texts that the method was tried on, and were treated as if they were "
        "no further apart than those (g = −3): at such a distance almost nothing can be said for or against."
    )
    assert len(about_topic(g=-2.9)) == 3
    assert about_topic(g=-3.0)[1] == (
        "This closeness itself was not counted as evidence: the factor of 4.9 by which it would lower the LR was taken "
        "out."
    )


def test_above_all_different_authors_nobody_knows_what_one_would_score() -> None:
    beyond = about_topic(topic=replace(TOPIC, closeness=0.41))
    assert beyond[-1] == (
        "No different author of the reference comes as close in topic, so it is not known what one that did would "
        "score."
    )
    assert len(about_topic(topic=replace(TOPIC, closeness=0.4))) == 3


def test_in_other_languages_the_lean_was_never_measured() -> None:
    assert about_topic(language="de")[-1] == (
        "How much the scores depend on topic was learnt on English texts alone; that it holds in German was never "
        "measured. Among the reference's own different authors the scores rise by 0.21 and 0.24 per unit of g, and "
        "0.36 and 0.35 was taken out."
    )


def test_without_a_validation_only_that_it_was_not_counted() -> None:
    assert about_topic(topic=None)[0] == (
        "How close Q1 and the known texts are in topic was not counted as evidence: the factor of 1.7 by which it "
        "would raise the LR was taken out."
    )
    assert topic_sentences(None, TOPIC, label="Q1", language="en", uncontrolled=None) == ()


def test_the_published_value_stands_beside_an_unpublished_method() -> None:
    llrs = {"controlled": llr(1.0), "hapax": llr(math.log(12), "hapax")}
    assert published_sentence("controlled", llrs) == "By a published method, the Hapax Correction, the LR would be 12."
    assert published_sentence("hapax", llrs) is None
    assert published_sentence("normalised", {"normalised": llr(1.0)}) is None


def test_the_case_says_what_it_is_given(topical: Verification, topical_page: Page, topical_annexes: Page) -> None:
    comparison = topical.comparisons[0]
    assert comparison.wording.hd == (
        "The questioned text Q1 was written by some other person from this population: made-up people, writing about "
        "the same matter."
    )
    assert comparison.wording.conclusion.startswith("Given how close the two are in topic, the findings are about")
    assert "controlled adds to it “writing about the same matter”" in settings_table(Case)
    assert "subject" not in str(comparison.wording.also)
    assert "this population: [population], writing about the same matter." in topical_annexes.text
    *first_sentences, uncontrolled = comparison.wording.topic
    for sentence in (*first_sentences, comparison.wording.published, comparison.wording.conclusion):
        assert str(sentence) in topical_page.text
    # Another value beside the reported one is not for a judge to weigh.
    assert str(uncontrolled) not in topical_page.text
    filed = filed_result(topical)
    assert filed["topic"] == list(comparison.wording.topic)
    assert filed["published"] == comparison.wording.published
    assert topical.case.hd in filed["settings"]["hd"]  # what the case file fixes stays what it was


def test_a_proposition_of_the_users_own_is_left_alone(topical: Verification, tmp_path: Path) -> None:
    hd = "Somebody else wrote [Q]."
    again = compare(topic_case(write_topic_case(tmp_path), hd=hd))
    assert again.wording.hd == "Somebody else wrote Q1."
    assert again.wording.topic[0].startswith(
        "How close Q1 and the known texts are in topic was not counted as evidence: the factor of "
    )


def test_the_annex_shows_all_that_the_value_is_made_of(topical: Verification, topical_annexes: Page) -> None:
    comparison = topical.comparisons[0]
    assert comparison.controlled is not None
    measured, normalisation = comparison.controlled
    assert "What the topic-controlled LR is made of" in topical_annexes.text
    rows = topical_annexes.rows("score", "value", "S-norm S", "closeness g", "lean b", "S′ = S − b·g", "weight β")
    assert measured.topic is not None
    nats = normalisation.weights.alpha
    for row, normed, b, beta in zip(
        rows, measured.normed, normalisation.constants.slopes, normalisation.weights.betas, strict=True
    ):
        freed = normed - b * measured.topic
        nats += beta * freed
        assert row[2:] == [f"{value:.2f}".replace("-", "−") for value in (normed, measured.topic, b, freed, beta)]
    assert nats == pytest.approx(measured.llr.nats)
    in_the_way = sum(
        beta * b * measured.topic
        for beta, b in zip(normalisation.weights.betas, normalisation.constants.slopes, strict=True)
    )
    (factor,) = re.findall("the factor of ([0-9.]+) by which", " ".join(comparison.wording.topic))
    assert float(factor) == pytest.approx(math.exp(abs(in_the_way)), rel=0.05)
    assert normalisation.constants.digest[:16] in topical_annexes.text
    assert "What the reference-normalised LR is made of" in topical_annexes.text


def test_the_figure_holds_every_pair_and_the_case(topical: Verification) -> None:
    topic = topical.comparisons[0].validation.topic  # type: ignore[union-attr]
    assert topic is not None
    (picture,) = [
        block for block in report(topical).blocks if isinstance(block, Picture) and block.name.endswith("closeness")
    ]
    pairs = picture.plot.data["pair"]
    assert pairs.count("same author") == len(topic.same) == 60
    assert pairs.count("impostors") == topic.n_impostors == 12
    assert picture.plot.data["c"][-1] == topic.closeness


def test_a_case_closer_than_all_different_authors_says_so(apart: Verification) -> None:
    comparison = apart.comparisons[0]
    assert comparison.validation is not None
    assert comparison.validation.topic is not None
    assert comparison.validation.topic.closeness > max(comparison.validation.topic.different)
    assert any(
        "No different author of the reference comes as close" in sentence for sentence in comparison.wording.topic
    )


def test_masked_texts_tell_nothing_of_topic(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    with pytest.raises(InputError, match='Give original texts with masking posnoise, or choose primary = "normalised"'):
        idiograph.verify(case_of(tmp_path, primary="controlled"))
    ignored = "Topic was not taken out: a shared topic raises this value, and a foreign one lowers it."
    masked = compare(case_of(tmp_path, primary="auto"))
    assert masked.primary == "normalised"
    assert masked.controlled is None
    assert masked.wording.topic == (f"{ignored} The texts came masked, so how close they are in topic is not known.",)
    originals = topic_case(write_topic_case(tmp_path / "written"), primary="normalised")
    assert compare(originals).wording.topic == (ignored,)


def test_one_side_that_came_masked_takes_topic_from_all(tmp_path: Path) -> None:
    folder = write_topic_case(tmp_path)
    masking = ("--masking", "list", "--out", folder / "reference.jsonl")
    assert command("mask", folder / "reference", *masking) == 0
    mixed = {"reference": folder / "reference.jsonl"}
    with pytest.raises(InputError, match='Give original texts with masking posnoise, or choose primary = "normalised"'):
        idiograph.verify(topic_case(folder, **mixed))
    case = topic_case(folder, **mixed, primary="normalised")
    comparison = compare(case)
    assert (comparison.primary, comparison.controlled) == ("normalised", None)
    assert str(comparison.wording.topic[0]).startswith("Topic was not taken out: a shared topic raises this value")
