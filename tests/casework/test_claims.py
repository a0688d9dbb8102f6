"""The Cllr that a validation claims: where topic cannot help, if enough trials tell; else over all, with the reason."""

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from idiograph import Verification
from idiograph.casework.sentences import cllr_in_words, reaches_one
from idiograph.casework.validation import _refusal
from idiograph.casework.verification import Claim, TopicControl, claimed
from idiograph.evidence.intervals import Estimate
from idiograph.evidence.performance import Performance
from seen_report import Page, filed_result, report_page

PLAIN, CONTROLLED = Estimate(0.48, 0.3, 0.7), Estimate(0.71, 0.6, 0.85)


def performed(**cllrs: Estimate) -> dict[str, Performance]:
    return {key: cast("Performance", SimpleNamespace(cllr=cllr)) for key, cllr in cllrs.items()}


def topic(*, n_same: int, n_matched: int) -> TopicControl:
    return TopicControl(
        closeness=0.2,
        same=(0.2,) * n_same,
        different=(0.1, 0.2),
        n_impostors=1,
        n_matched=n_matched,
        away=0.1,
        rise=(),
        cllr={"controlled": CONTROLLED, "hapax": Estimate(0.9)},
    )


@pytest.mark.parametrize(("n_same", "n_matched"), [(20, 10), (10, 10), (60, 59), (21, 11)])
def test_enough_matched_trials_let_the_topic_controlled_cllr_be_claimed(n_same: int, n_matched: int) -> None:
    claim = claimed("controlled", performed(controlled=PLAIN), topic(n_same=n_same, n_matched=n_matched))
    assert claim == Claim(CONTROLLED, PLAIN, controlled=True)


@pytest.mark.parametrize(
    ("n_same", "n_matched", "because"),
    [
        (12, 9, "only 9 of 12 same-author problems have enough different authors of the reference that come as close"),
        (21, 10, "only 10 of 21 same-author problems"),
        (55, 0, "no different authors of the reference come as close in topic"),
    ],
)
def test_too_few_leave_the_plain_one_with_the_reason(n_same: int, n_matched: int, because: str) -> None:
    claim = claimed("controlled", performed(controlled=PLAIN), topic(n_same=n_same, n_matched=n_matched))
    assert claim is not None
    assert (claim.cllr, claim.plain, claim.controlled) == (PLAIN, PLAIN, False)
    assert str(claim.because).startswith(because)
    assert cllr_in_words(claim).startswith(
        "0.48 over all problems (95 % interval 0.30 to 0.70); none is claimed where different authors are as close in "
        f"topic, because {because}"
    )


def test_other_methods_claim_what_they_always_did() -> None:
    claim = claimed("hapax", performed(hapax=PLAIN), topic(n_same=20, n_matched=20))
    assert claim == Claim(PLAIN, PLAIN, controlled=False)
    assert cllr_in_words(claim) == "0.48 (95 % interval 0.30 to 0.70)"
    assert claimed("logistic", performed(hapax=PLAIN), None) is None


def test_both_cllrs_stand_in_one_sentence() -> None:
    claim = Claim(CONTROLLED, PLAIN, controlled=True)
    assert cllr_in_words(claim, meaning="1 is silence") == (
        "0.71 where different authors are as close in topic (1 is silence, 95 % interval 0.60 to 0.85) and 0.48 over "
        "all problems"
    )


def test_a_cllr_below_1_is_never_printed_as_the_1_at_which_nothing_is_reported() -> None:
    near = Claim(Estimate(0.9961, 0.8, 0.99996), PLAIN, controlled=False)
    assert cllr_in_words(near) == "0.996 (95 % interval 0.80 to 0.99996)"
    beside = Claim(CONTROLLED, Estimate(0.998), controlled=True)
    assert cllr_in_words(beside).endswith("and 0.998 over all problems")
    at = Claim(Estimate(1.0, 0.8, 1.0001), PLAIN, controlled=False)
    assert cllr_in_words(at) == "1.00 (95 % interval 0.80 to 1.00)"


def test_nothing_is_reported_where_the_claimed_cllr_is_1_or_more() -> None:
    claim = Claim(Estimate(1.02, 0.8, 1.2), PLAIN, controlled=True)
    assert _refusal("controlled", claim, 20, None) == (
        "on problems with known answers, made like this case, the method did no better than giving no evidence (Cllr "
        "1.02 where different authors are as close in topic, 0.48 over all; 0 would be perfect)"
    )
    # The plain one does not decide where the other is claimed.
    assert _refusal("controlled", Claim(CONTROLLED, Estimate(1.3), controlled=True), 20, None) is None


def test_only_an_interval_that_reaches_1_is_said() -> None:
    sentence = reaches_one(Claim(Estimate(0.9, 0.7, 1.0), PLAIN, controlled=True))
    assert sentence == (
        "The validation does not rule out that under these conditions the method is no better than giving no evidence: "
        "the 95 % interval of its Cllr (0.70 to 1.00) reaches 1."
    )
    for silent in (Estimate(0.9, 0.7, 0.99), Estimate(0.9), Estimate(1.1, 0.9, 1.4), Estimate(None)):
        assert reaches_one(Claim(silent, PLAIN, controlled=False)) is None


def test_a_case_claims_it_on_page_one_in_the_list_and_in_its_result(topical: Verification, topical_page: Page) -> None:
    comparison = topical.comparisons[0]
    claim = comparison.claim
    assert claim is not None
    assert claim.controlled
    assert claim.cllr != claim.plain
    meaning = "0 is perfect, 1 is no better than giving no evidence"
    assert f"its Cllr was {cllr_in_words(claim, meaning=meaning)}." in topical_page.text
    assert "topic-controlled Cllr" in topical_page.text
    both = replace(topical, comparisons=(comparison, replace(comparison, candidate="kim")))
    assert report_page(both).rows("questioned", "candidate", "LR")[0][-1] == f"{claim.cllr.value:.2f}"
    filed = filed_result(topical)["claimed"]
    assert filed["controlled"] is True
    assert filed["cllr"]["value"] == claim.cllr.value


def test_a_case_whose_reference_keeps_to_its_topics_claims_the_plain_one(apart: Verification) -> None:
    comparison = apart.comparisons[0]
    assert comparison.claim is not None
    assert not comparison.claim.controlled
    assert comparison.claim.because is not None
    assert f"because {comparison.claim.because}" in report_page(apart).text
    # Nothing is limited because the interval reaches 1; page one says it.
    assert reaches_one(comparison.claim) in comparison.wording.before
    assert comparison.reported is not None
