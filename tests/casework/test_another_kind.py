"""A reference of another kind than the case: no LR beyond the higher limit of D², at most 3 between the limits."""

import json
import math
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import idiograph
from audited import findings_of
from idiograph import Verification
from idiograph.casework.explanation import concentrated
from idiograph.evidence.repetition import Repeated
from made_texts import Comparison, case_of, compare, compare_fully, write_case
from made_topic_case import topic_case, write_foreign_reference, write_topic_case
from seen_report import Page, annexes_page, filed_result, report_page


@pytest.fixture(scope="module", name="foreign")
def _foreign(tmp_path_factory: pytest.TempPathFactory) -> Verification:
    folder = write_topic_case(tmp_path_factory.mktemp("foreign"))
    write_foreign_reference(folder)
    return idiograph.verify(topic_case(folder))


@pytest.fixture(scope="module", name="doubtful")
def _doubtful(tmp_path_factory: pytest.TempPathFactory) -> Verification:
    """Masked texts, whose D² happens to lie between the limits."""
    folder = write_case(tmp_path_factory.mktemp("doubtful"), n_authors=12)
    return idiograph.verify(case_of(folder, primary="normalised", bounds="none"))


def shipped(n_numbers: int, n_authors: int) -> dict[str, object]:
    """The rule that ships for so many numbers and about so many authors, read anew."""
    rules = json.loads((files("idiograph.evidence") / "kinds.json").read_text(encoding="utf-8"))["rules"]
    able = [rule for rule in rules if len(rule["covariance"]) == n_numbers]
    return min(able, key=lambda rule: abs(math.log(rule["n_authors"] / n_authors)))


def distance(comparison: Comparison, n_numbers: int) -> float:
    """D² by numpy, of the z that the case prints."""
    assert comparison.apart is not None
    z = np.array(list(comparison.apart.z.values()))
    assert len(z) == n_numbers
    return float(z @ np.linalg.inv(np.array(shipped(n_numbers, 12)["covariance"])) @ z)


def test_a_foreign_reference_is_refused_and_the_report_says_so_first(foreign: Verification) -> None:
    (comparison,) = foreign.comparisons
    assert comparison.reported is None
    assert comparison.apart is not None
    assert comparison.apart.distance == pytest.approx(distance(comparison, 6))
    assert comparison.apart.distance > shipped(6, 12)["refused"]
    assert comparison.wording.conclusion.startswith(
        "No likelihood ratio is reported because the reference is of another kind than the case: Q and K lie further"
    )
    # No trace of what it would have been.
    assert (comparison.computed, comparison.score, comparison.explanation.tokens) == (None, None, ())
    entry = findings_of(comparison)["reference-of-another-kind"]
    assert entry.severity == "red"
    page = report_page(foreign).text
    assert page.index(comparison.wording.conclusion) < page.index("Hp: ")


def test_after_a_refusal_no_finding_says_where_the_evidence_lies(
    tmp_path: Path, topical: Verification, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("idiograph.casework.findings.MUCH", 0.0)
    monkeypatch.setattr("idiograph.casework.findings.LEAST_LAMBDA_G", 0.0)
    assert concentrated(topical.comparisons[0].explanation)  # with these limits any text has such a place
    typical = Repeated(("the", "N"), 9, 1.0, 2.0, chance=0.01)
    monkeypatch.setattr("idiograph.casework.audit.repeated_in", lambda _: [typical])
    folder = write_topic_case(tmp_path)
    write_foreign_reference(folder)
    comparison = compare(topic_case(folder), quick=False)
    assert comparison.reported is None
    codes = set(findings_of(comparison))
    assert "unusual-average" in codes
    assert not codes & {"concentrated", "methods-disagree", "owes-to-k", "repeated-feature"}


def test_what_it_is_made_of_is_filed_and_printed(foreign: Verification) -> None:
    (comparison,) = foreign.comparisons
    assert comparison.apart is not None
    filed = filed_result(foreign)["apart"]
    assert filed["distance"] == comparison.apart.distance
    assert filed["rule"]["refused"] == shipped(6, 12)["refused"]
    page = annexes_page(foreign).text
    for side, z in comparison.apart.z.items():
        assert f"{side} {z:+.2f}".replace("-", "−") in page
    assert "the reference is taken to be of another kind than the case" in page
    assert comparison.apart.source in page
    assert comparison.apart.digest[:16] in page


def test_between_the_limits_no_more_than_3_is_reported(doubtful: Verification) -> None:
    (comparison,) = doubtful.comparisons
    rule = shipped(4, 12)  # without originals there are no content words
    assert comparison.apart is not None
    assert rule["limited"] < comparison.apart.distance < rule["refused"]  # type: ignore[operator]
    assert comparison.apart.distance == pytest.approx(distance(comparison, 4))
    assert comparison.computed is not None
    assert comparison.reported is not None
    assert comparison.computed.nats > math.log(3)
    assert comparison.reported.nats == pytest.approx(math.log(3))
    assert comparison.wording.bound is not None
    assert comparison.wording.bound.endswith(
        "; 3 is reported, because the reference may be of another kind than the case."
    )
    page = report_page(doubtful).text
    assert "The reference may be of another kind than the case (D² 15.0; 12 % of cases" in page
    assert comparison.wording.bound in page
    entry = findings_of(comparison)["reference-of-another-kind"]
    assert entry.severity == "amber"
    assert "The texts came masked, so content words are not known" in annexes_page(doubtful).text


def test_a_reference_of_its_own_kind_leaves_the_case_alone(topical: Verification, topical_annexes: Page) -> None:
    (comparison,) = topical.comparisons
    assert comparison.apart is not None
    assert comparison.apart.distance == pytest.approx(distance(comparison, 6))
    assert not comparison.apart.is_limited
    assert comparison.reported is not None
    assert "reference-of-another-kind" not in findings_of(comparison)
    assert "this case lies below both" in topical_annexes.text


def test_methods_that_the_reference_does_not_measure_are_not_judged_by_it(tmp_path: Path) -> None:
    folder = write_case(tmp_path, n_authors=12)
    comparison = compare_fully(folder, primary="hapax", bounds="none")
    assert comparison.apart is not None
    assert comparison.apart.is_limited
    assert comparison.reported == comparison.computed
    assert findings_of(comparison)["reference-of-another-kind"].severity == "amber"


def test_a_case_from_before_the_rule_is_computed_without_it(tmp_path: Path, doubtful: Verification) -> None:
    folder = write_case(tmp_path, n_authors=12)
    earlier = compare_fully(folder, rules=1, primary="normalised", bounds="none")
    assert earlier.apart is None
    assert earlier.reported == earlier.computed == doubtful.comparisons[0].computed


def test_a_quick_run_knows_nothing_of_it(tmp_path: Path) -> None:
    done = idiograph.verify(topic_case(write_topic_case(tmp_path)), quick=True)
    assert done.comparisons[0].apart is None
    assert "could not be measured, or was not asked for" in annexes_page(done).text
